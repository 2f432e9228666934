//! What a destination offers to choose from, as the engine reads it: when somebody is about to choose and after a delivery,
//! never by time alone, beside the work and without a word to the person when it does not work.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use std::sync::Arc;
use std::time::Duration;

use outtray_core::clock::ManualClock;
use outtray_core::engine::Options;
use outtray_core::issue::{Part, TrackerKind};
use outtray_core::secrets::Secrets;
use outtray_core::store::Adoption;
use outtray_core::tracker::Known;
use outtray_core::view::{CatalogueView, EntryEdit, EntryState, NewDestination, NewIssue, Saved, Standing};
use outtray_core::{Code, Engine};
use outtray_support::{Logged, PracticeTracker, Route, TOKEN, What};
use secrecy::SecretString;
use tempfile::TempDir;

/// The token of the practice trackers, or none.
struct Pocket(Option<&'static str>);

#[async_trait::async_trait]
impl Secrets for Pocket {
    async fn token(&self, _name: &str) -> outtray_core::problem::Result<Option<SecretString>> {
        Ok(self.0.map(SecretString::from))
    }
    async fn keep(&self, _name: &str, _token: SecretString) -> outtray_core::problem::Result<()> {
        Ok(())
    }
    async fn forget(&self, _name: &str) -> outtray_core::problem::Result<()> {
        Ok(())
    }
}

struct Scene {
    dir: TempDir,
    clock: ManualClock,
    tracker: PracticeTracker,
    engine: Engine,
}

const MINUTE: Duration = Duration::from_secs(60);

impl Scene {
    async fn new() -> Self {
        Self::with(Some(TOKEN)).await
    }

    async fn with(token: Option<&'static str>) -> Self {
        let tracker = PracticeTracker::start().await.unwrap();
        let dir = tempfile::tempdir().unwrap();
        let clock = ManualClock::new(1_800_000_000_000);
        let engine = Engine::open(Options {
            home: dir.path().join("home"),
            documents: dir.path().join("Documents"),
            secrets: Arc::new(Pocket(token)),
            clock: Arc::new(clock.clone()),
            trackers: Arc::new(Known),
            adoption: Adoption::No,
        })
        .unwrap();
        let scene = Self { dir, clock, tracker, engine };
        scene.engine.add_destination(&scene.place("work", Some("ada/demo")), None).await.unwrap();
        scene
    }

    fn place(&self, name: &str, project: Option<&str>) -> NewDestination {
        NewDestination {
            name: name.into(),
            tracker: TrackerKind::Gitea,
            url: Some(self.tracker.url()),
            project: project.map(str::to_owned),
            path: None,
            branch: None,
            honours_key: false,
            ca: None,
        }
    }

    fn file(&self, title: &str) -> Saved {
        self.file_to("work", title, None, &[])
    }

    fn file_to(&self, to: &str, title: &str, milestone: Option<&str>, assignees: &[&str]) -> Saved {
        let new = NewIssue {
            destination: to.into(),
            title: title.into(),
            body: "Words.".into(),
            labels: Vec::new(),
            milestone: milestone.map(str::to_owned),
            assignees: assignees.iter().map(|login| (*login).to_owned()).collect(),
        };
        self.engine.file_new(&new, &[] as &[&str]).unwrap()
    }

    /// What is kept, once nothing is being read.
    async fn settled(&self) -> CatalogueView {
        let mut attention = self.engine.attention();
        loop {
            attention.mark_unchanged();
            let view = self.engine.catalogue(Some("work"), false).unwrap();
            if !view.refreshing {
                return view;
            }
            // Whoever reads rings when it is over; nobody has to ask again and again.
            tokio::time::timeout(Duration::from_secs(20), attention.changed())
                .await
                .expect("it rings")
                .unwrap();
        }
    }

    /// Somebody is about to choose; returns what is there once it has settled.
    async fn choosing(&self) -> CatalogueView {
        self.engine.catalogue(Some("work"), true).unwrap();
        self.settled().await
    }

    /// How often labels were read of the project.
    fn readings(&self) -> usize {
        let is_labels = |logged: &&Logged| logged.target.contains("/repos/ada/demo/labels");
        self.tracker.requests().iter().filter(is_labels).count()
    }

    async fn until_filed(&self, saved: &Saved) {
        let state = self.engine.wait_for(saved.id, None).await.unwrap();
        assert_eq!(state, EntryState::Filed);
    }
}

fn names(view: &CatalogueView) -> Vec<&str> {
    view.labels.iter().map(|label| label.name.as_str()).collect()
}

fn failures(view: &CatalogueView) -> Vec<Part> {
    view.parts.iter().filter(|part| part.failure.is_some()).map(|part| part.part).collect()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn who_is_about_to_choose_gets_what_is_kept_at_once_and_what_is_new_soon() {
    let scene = Scene::new().await;
    let first = scene.engine.catalogue(Some("work"), true).unwrap();
    assert!(first.labels.is_empty() && first.parts.iter().all(|part| part.fetched_at.is_none()), "{first:?}");
    let read = scene.settled().await;
    assert_eq!(names(&read), ["bug", "ui"]);
    assert_eq!(read.milestones.len(), 2);
    assert_eq!(read.templates[0].name, "Bug report");
    assert!(
        read.parts.iter().all(|part| part.fetched_at.as_deref() == Some("2027-01-15T08:00:00Z")),
        "{read:?}"
    );
    assert_eq!(scene.readings(), 1);

    scene.clock.advance(9 * MINUTE);
    scene.choosing().await;
    assert_eq!(scene.readings(), 1, "it is not old");
    scene.tracker.change(|project| project.labels.push((9, "new".into())));
    scene.clock.advance(2 * MINUTE);
    assert_eq!(names(&scene.choosing().await), ["bug", "ui", "new"]);
    assert_eq!(scene.readings(), 2);
    scene.clock.advance(600 * MINUTE);
    tokio::time::sleep(Duration::from_millis(200)).await;
    assert_eq!(scene.readings(), 2, "time alone reads nothing");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_part_that_cannot_be_read_stays_as_it_was_and_nobody_is_bothered() {
    let mut scene = Scene::new().await;
    scene.choosing().await;
    scene.clock.advance(11 * MINUTE);
    scene.tracker.change(|project| project.labels.push((9, "new".into())));
    scene.tracker.fault(Route::Milestones, What::Invalid { message: "no".into() });
    let read = scene.choosing().await;
    assert_eq!((names(&read).len(), read.milestones.len()), (3, 2), "one part in the way of no other");
    assert_eq!(failures(&read), [Part::Milestones]);

    scene.tracker.stop().await;
    scene.clock.advance(11 * MINUTE);
    let read = scene.choosing().await;
    assert_eq!((names(&read).len(), failures(&read).len()), (3, 5), "offline, what there is stays");
    let words = read.parts[0].failure.clone().unwrap();
    assert!(words.contains("does not answer"), "{words}");
    let attention = scene.engine.status().unwrap();
    assert_eq!((attention.attention, attention.offline), (0, false));

    scene.tracker.wake().await.unwrap();
    let before = scene.tracker.requests().len();
    scene.choosing().await;
    assert_eq!(scene.tracker.requests().len(), before, "not again right after a try");
    scene.clock.advance(2 * MINUTE);
    assert_eq!(failures(&scene.choosing().await), []);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn after_a_delivery_it_is_read_when_it_is_older_than_an_hour() {
    let scene = Scene::new().await;
    scene.engine.start();
    let saved = scene.file("One");
    scene.until_filed(&saved).await;
    let read =
        scene.tracker.until(|log| log.iter().any(|logged| logged.target.contains("state=all&type=issues")));
    tokio::time::timeout(Duration::from_secs(20), read).await.expect("it is read");
    assert_eq!(scene.settled().await.titles[0].title, "One");
    for (minutes, readings) in [(50, 1), (20, 2)] {
        scene.clock.advance(minutes * MINUTE);
        let saved = scene.file("Another");
        scene.until_filed(&saved).await;
        tokio::time::sleep(Duration::from_millis(200)).await;
        scene.settled().await;
        assert_eq!(scene.readings(), readings, "after {minutes} minutes more");
    }
    scene.engine.stop(Duration::from_secs(1)).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_command_that_delivers_reads_nothing() {
    let scene = Scene::new().await;
    scene.file("One");
    scene.engine.drain(true, None).await.unwrap();
    assert_eq!(scene.tracker.issues().len(), 1);
    tokio::time::sleep(Duration::from_millis(200)).await;
    assert_eq!(scene.readings(), 0);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_reading_that_hangs_holds_nothing_up_and_ends_with_the_engine() {
    let scene = Scene::new().await;
    scene.tracker.fault(Route::Labels, What::Stall);
    assert!(scene.engine.catalogue(Some("work"), true).unwrap().refreshing);
    scene.engine.start();
    let saved = scene.file("One");
    scene.until_filed(&saved).await;
    assert!(scene.engine.catalogue(Some("work"), true).unwrap().refreshing, "one reading at a time");
    let stopping = scene.engine.stop(Duration::from_secs(1));
    tokio::time::timeout(Duration::from_secs(10), stopping).await.expect("it ends");
    assert_eq!(scene.readings(), 1);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_is_paused_is_not_asked_unless_somebody_says_so() {
    let scene = Scene::new().await;
    for lane in [None, Some("work")] {
        scene.engine.pause(lane, None).unwrap();
        scene.choosing().await;
        assert!(scene.tracker.requests().is_empty(), "{lane:?}");
        scene.engine.resume(lane).unwrap();
    }
    scene.engine.pause(None, None).unwrap();
    let read = scene.engine.refresh_catalogue("work").await.unwrap();
    assert_eq!((names(&read).len(), failures(&read).len()), (2, 0));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn without_a_token_nothing_is_asked_and_it_says_so() {
    let scene = Scene::with(None).await;
    let read = scene.choosing().await;
    assert_eq!(failures(&read).len(), 5);
    assert_eq!(read.parts[0].failure.as_deref(), Some("No token for work is kept on this computer."));
    assert!(scene.tracker.requests().is_empty());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn milestone_and_assignees_travel_from_the_draft_to_the_tracker() {
    let scene = Scene::new().await;
    let saved = scene.file_to("work", "One", Some(" Later "), &["@grace", "grace", " ", "ada"]);
    let kept = scene.engine.entry(saved.id).unwrap();
    assert_eq!(
        (kept.milestone.as_deref(), kept.assignees.as_slice()),
        (Some("Later"), &["grace".to_owned(), "ada".into()][..])
    );
    let edit = EntryEdit {
        id: saved.id,
        revision: kept.revision,
        title: "One".into(),
        body: kept.body,
        labels: Vec::new(),
        milestone: Some("2.0".into()),
        assignees: vec!["grace".into(), "gone".into()],
    };
    scene.engine.edit(&edit).unwrap();
    let hash = || {
        let database = rusqlite::Connection::open(scene.dir.path().join("home/outtray.db")).unwrap();
        database.query_row("SELECT body_hash FROM entry", [], |row| row.get::<_, Option<String>>(0)).unwrap()
    };
    assert_eq!(hash(), None);
    scene.engine.drain(true, None).await.unwrap();
    let issue = &scene.tracker.issues()[0];
    assert_eq!((issue.milestone, issue.assignees.as_slice()), (Some(3), &[2][..]));
    let filed = scene.engine.entry(saved.id).unwrap();
    assert_eq!(filed.entry.state, EntryState::Filed);
    assert_eq!(filed.entry.reason.as_deref(), Some("Filed without the assignee “gone”."));
    assert!(hash().is_some(), "what was sent is frozen");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_is_like_the_title_is_found_among_theirs_and_ours_and_only_that_can_be_opened() {
    let scene = Scene::new().await;
    let theirs = scene.tracker.add_issue("The till does not open", "text");
    scene.tracker.edit_issue(theirs, |issue| issue.is_closed = true);
    scene.choosing().await;
    scene.file("The till opens by itself");
    scene.file_to("Folder", "The till does not open at all", None, &[]);
    let found = scene.engine.similar(Some("work"), "till open").unwrap();
    let told: Vec<_> = found.iter().map(|one| (one.title.as_str(), one.standing)).collect();
    assert_eq!(
        told,
        [("The till does not open", Standing::Closed), ("The till opens by itself", Standing::Waiting)],
        "of this destination alone"
    );
    let url = found[0].url.clone().unwrap();
    assert_eq!(scene.engine.known_link(Some("work"), &url).unwrap(), url);
    for other in [format!("{url}0"), "https://elsewhere.example.org/".into(), "file:///etc/passwd".into()] {
        let problem = scene.engine.known_link(Some("work"), &other).expect_err("not known");
        assert_eq!(problem.code, Code::NotFound, "{other}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn who_fills_in_a_destination_is_told_the_projects() {
    let scene = Scene::new().await;
    for typed in [None, Some("ada"), Some("ada/other")] {
        let found = scene.engine.projects(&scene.place("", typed), Some(TOKEN.into())).await.unwrap();
        assert_eq!(found[0].project, "ada/demo", "{typed:?}");
    }
    let problem =
        scene.engine.projects(&scene.place("", None), Some("wrong".into())).await.expect_err("refused");
    assert_eq!(problem.code, Code::SignIn);
    assert!(problem.hint.is_some());
    let nowhere = NewDestination { url: Some("nowhere at all".into()), ..scene.place("", None) };
    assert_eq!(scene.engine.projects(&nowhere, None).await.expect_err("no address").code, Code::Invalid);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_destination_that_is_removed_leaves_nothing_behind() {
    let scene = Scene::new().await;
    scene.choosing().await;
    scene.engine.remove_destination("work").await.unwrap();
    let database = rusqlite::Connection::open(scene.dir.path().join("home/outtray.db")).unwrap();
    let left: i64 = database.query_row("SELECT count(*) FROM catalogue", [], |row| row.get(0)).unwrap();
    assert_eq!(left, 0);
    assert_eq!(scene.engine.catalogue(Some("work"), true).expect_err("gone").code, Code::NotFound);
    let folder = scene.engine.catalogue(None, true).unwrap();
    assert!(folder.parts.is_empty() && !folder.refreshing, "a folder offers nothing");
}
