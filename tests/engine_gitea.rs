//! The engine whole against a tracker that answers as Gitea does, and misbehaves on request.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use outtray_core::attention::Level;
use outtray_core::clock::SystemClock;
use outtray_core::engine::Options;
use outtray_core::issue::TrackerKind;
use outtray_core::secrets::Secrets;
use outtray_core::store::Adoption;
use outtray_core::tracker::Known;
use outtray_core::view::{Act, DraftEdit, EntryState, NewDestination, Row, Saved};
use outtray_core::{Code, Engine, Problem};
use outtray_support::{PracticeTracker, Route, TOKEN, What};
use secrecy::SecretString;
use tempfile::TempDir;

/// A one-pixel PNG.
const PIXEL: &[u8] = &[
    0x89, b'P', b'N', b'G', 0x0d, 0x0a, 0x1a, 0x0a, 0, 0, 0, 13, b'I', b'H', b'D', b'R', 0, 0, 0, 1, 0, 0, 0,
    1, 8, 6, 0, 0, 0, 0x1f, 0x15, 0xc4, 0x89, 0, 0, 0, 13, b'I', b'D', b'A', b'T', 0x78, 0x9c, 0x63, 0xf8,
    0xcf, 0xc0, 0xf0, 0x1f, 0, 5, 0, 1, 0xff, 0x56, 0xc7, 0x2f, 0x0d, 0, 0, 0, 0, b'I', b'E', b'N', b'D',
    0xae, 0x42, 0x60, 0x82,
];

/// Tokens in memory.
struct Pocket(std::sync::Mutex<Option<String>>);

#[async_trait]
impl Secrets for Pocket {
    async fn token(&self, _name: &str) -> Result<Option<SecretString>, Problem> {
        Ok(self.0.lock().unwrap().clone().map(SecretString::from))
    }
    async fn keep(&self, _name: &str, token: SecretString) -> Result<(), Problem> {
        use secrecy::ExposeSecret;
        *self.0.lock().unwrap() = Some(token.expose_secret().to_owned());
        Ok(())
    }
    async fn forget(&self, _name: &str) -> Result<(), Problem> {
        *self.0.lock().unwrap() = None;
        Ok(())
    }
}

struct Scene {
    dir: TempDir,
    tracker: PracticeTracker,
    engine: Engine,
}

impl Scene {
    async fn new() -> Self {
        Self::with(PracticeTracker::start().await.unwrap(), TOKEN).await
    }

    async fn with(tracker: PracticeTracker, token: &str) -> Self {
        let dir = tempfile::tempdir().unwrap();
        let engine = open(&dir, token);
        for (key, value) in
            [("drain.quiet_ms", "100"), ("drain.backoff_base_ms", "20"), ("drain.stage_timeout_ms", "1500")]
        {
            engine.set_setting(key, value).unwrap();
        }
        let new = NewDestination {
            name: "work".into(),
            tracker: TrackerKind::Gitea,
            url: Some(tracker.url()),
            project: Some("ada/demo".into()),
            path: None,
            branch: None,
            honours_key: false,
            ca: None,
        };
        engine.add_destination(&new, None).await.unwrap();
        Self { dir, tracker, engine }
    }

    fn file(&self, title: &str, attachments: &[(&str, &[u8])]) -> Saved {
        file(&self.engine, title, attachments)
    }

    /// Drains until nothing is left that time alone would move.
    async fn drain(&self) {
        self.engine.drain(true, Some(Duration::from_secs(30))).await.unwrap();
    }
}

fn open(dir: &TempDir, token: &str) -> Engine {
    let secrets = Arc::new(Pocket(std::sync::Mutex::new(Some(token.to_owned()))));
    Engine::open(Options { secrets, ..options(dir) }).unwrap()
}

fn options(dir: &TempDir) -> Options {
    Options {
        home: dir.path().join("home"),
        documents: dir.path().join("Documents"),
        secrets: Arc::new(Pocket(std::sync::Mutex::default())),
        clock: Arc::new(SystemClock::new()),
        trackers: Arc::new(Known),
        adoption: Adoption::No,
    }
}

fn file(engine: &Engine, title: &str, attachments: &[(&str, &[u8])]) -> Saved {
    let draft = engine.new_draft().unwrap();
    for (name, bytes) in attachments {
        engine.attach_bytes(draft.id, name, bytes).unwrap();
    }
    let edit = DraftEdit {
        id: draft.id,
        revision: draft.revision,
        destination: Some("work".into()),
        title: title.into(),
        body: "It went wrong.".into(),
        labels: Vec::new(),
        milestone: None,
        assignees: Vec::new(),
    };
    let draft = engine.save_draft(&edit).unwrap();
    engine.file_draft(draft.id, draft.revision).unwrap()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_was_filed_offline_is_there_once_when_the_tracker_is_back() {
    let mut scene = Scene::with(PracticeTracker::asleep().await.unwrap(), TOKEN).await;
    let saved = scene.file("Offline", &[("schärfe 天.png", PIXEL)]);
    let report = scene.engine.drain(true, Some(Duration::from_millis(300))).await.unwrap();
    assert_eq!((report.filed, report.left_waiting), (0, 1));
    let entry = scene.engine.entry(saved.id).unwrap().entry;
    assert_eq!((entry.row, entry.attempts), (Row::Offline, 0), "what was not sent counts as no try");
    assert_eq!(scene.engine.status().unwrap().level, Level::Offline);
    scene.tracker.wake().await.unwrap();
    scene.engine.retry_all().unwrap();
    scene.drain().await;
    let issues = scene.tracker.issues();
    assert_eq!((issues.len(), issues[0].assets.len()), (1, 1));
    assert_eq!(issues[0].assets[0].bytes, PIXEL);
    assert!(issues[0].body.contains(&format!("outtray:{}", saved.key)), "the marker is in the body");
    assert!(issues[0].body.contains(&issues[0].assets[0].uuid), "and so is the picture");
    let entry = scene.engine.entry(saved.id).unwrap().entry;
    assert_eq!((entry.state, entry.receipt.unwrap().number), (EntryState::Filed, "1".to_owned()));
    assert_eq!(scene.engine.status().unwrap().level, Level::Calm);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_refusal_needs_the_person_and_retry_files_it_under_the_same_key() {
    let scene = Scene::new().await;
    scene.tracker.fault(Route::Create, What::Invalid { message: "no label p1 there".into() });
    let saved = scene.file("Refused", &[]);
    scene.drain().await;
    let entry = scene.engine.entry(saved.id).unwrap().entry;
    assert_eq!((entry.state, entry.acts[0]), (EntryState::Attention, Act::Retry));
    assert!(entry.reason.unwrap().contains("no label p1 there"), "the tracker's own words");
    assert_eq!(scene.engine.status().unwrap().level, Level::NeedsYou);
    scene.engine.retry(saved.id).unwrap();
    scene.drain().await;
    let entry = scene.engine.entry(saved.id).unwrap().entry;
    assert_eq!((entry.state, entry.key), (EntryState::Filed, saved.key));
    assert_eq!(scene.tracker.issues().len(), 1);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_lost_answer_never_makes_a_second_issue_or_a_second_picture() {
    let faults = || {
        [
            What::CutAfterBody,
            What::TroubleAfter { status: 500 },
            What::CutAfterAnswer { bytes: 40 },
            What::Html { status: 502 },
            What::DelayAfter { ms: 2_500 },
        ]
    };
    let scene = Scene::new().await;
    let mut filed = Vec::new();
    for route in [Route::Create, Route::Upload, Route::Embed] {
        for what in faults() {
            scene.tracker.fault(route, what.clone());
            let saved = scene.file(&format!("{route:?} {what:?}"), &[("a.png", PIXEL), ("b.log", b"line")]);
            scene.drain().await;
            let entry = scene.engine.entry(saved.id).unwrap().entry;
            assert_eq!(entry.state, EntryState::Filed, "{route:?} {what:?}: {:?}", entry.reason);
            filed.push(saved.key);
        }
    }
    assert!(scene.tracker.faults_left().is_empty(), "every fault happened");
    let issues = scene.tracker.issues();
    for key in &filed {
        let marker = format!("outtray:{key}");
        let mine: Vec<_> = issues.iter().filter(|issue| issue.body.contains(&marker)).collect();
        assert_eq!(mine.len(), 1, "one issue per key");
        assert_eq!(mine[0].assets.len(), 2, "each attachment once: {}", mine[0].title);
        assert_eq!(mine[0].body.matches(&mine[0].assets[0].uuid).count(), 1, "the picture is shown once");
    }
    assert_eq!(issues.len(), filed.len());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_issue_that_the_tracker_commits_late_is_found_and_not_made_again() {
    let scene = Scene::new().await;
    scene.engine.set_setting("drain.quiet_ms", "2000").unwrap();
    scene.tracker.fault(Route::Create, What::CommitLate { ms: 700 });
    let saved = scene.file("Late", &[]);
    scene.drain().await;
    assert_eq!(scene.engine.entry(saved.id).unwrap().entry.state, EntryState::Filed);
    assert_eq!(scene.tracker.issues().len(), 1, "the first look was too early, and nobody sent again");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_token_that_is_not_taken_holds_the_lane_once_until_somebody_signs_in() {
    let scene = Scene::with(PracticeTracker::start().await.unwrap(), "stale").await;
    for n in 0..3 {
        scene.file(&format!("Issue {n}"), &[]);
    }
    scene.drain().await;
    let attention = scene.engine.status().unwrap();
    assert_eq!((attention.level, attention.attention, attention.waiting), (Level::NeedsYou, 1, 3));
    assert_eq!(attention.items[0].step, "Sign in");
    assert!(scene.engine.destinations().unwrap().iter().any(|lane| lane.needs_sign_in));
    scene.engine.sign_in("work", SecretString::from(TOKEN)).await.unwrap();
    scene.drain().await;
    assert_eq!(scene.tracker.issues().len(), 3);
    assert_eq!(scene.engine.status().unwrap().level, Level::Calm);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_tracker_that_asks_to_wait_is_waited_for() {
    let scene = Scene::new().await;
    scene.tracker.fault(Route::Create, What::RateLimit { retry_after: Some("1".into()) });
    let saved = scene.file("Busy", &[]);
    scene.engine.drain(true, None).await.unwrap();
    let entry = scene.engine.entry(saved.id).unwrap().entry;
    assert_eq!((entry.row, entry.attempts), (Row::Paused, 0));
    scene.drain().await;
    assert_eq!(scene.engine.entry(saved.id).unwrap().entry.state, EntryState::Filed);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_slow_stage_keeps_its_lease_and_nobody_takes_it_over() {
    let scene = Scene::new().await;
    scene.engine.set_setting("drain.lease_ms", "300").unwrap();
    scene.tracker.fault(Route::Create, What::DelayBefore { ms: 1_200 });
    let saved = scene.file("Slow", &[]);
    let other = open(&scene.dir, TOKEN);
    let (first, second) = tokio::join!(
        scene.engine.drain(true, Some(Duration::from_secs(20))),
        other.drain(true, Some(Duration::from_secs(20)))
    );
    first.unwrap();
    second.unwrap();
    scene.drain().await;
    let entry = scene.engine.entry(saved.id).unwrap();
    assert_eq!((entry.entry.state, entry.entry.attempts), (EntryState::Filed, 1), "{:?}", entry.tries);
    assert_eq!(scene.tracker.issues().len(), 1);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn stopping_in_the_middle_of_a_send_leaves_a_doubt_that_is_resolved_by_looking() {
    let scene = Scene::new().await;
    scene.tracker.fault(Route::Create, What::DelayAfter { ms: 60_000 });
    scene.engine.set_setting("drain.stage_timeout_ms", "60000").unwrap();
    scene.engine.start();
    let saved = scene.file("Stopped", &[]);
    let mut attention = scene.engine.attention();
    attention.wait_for(|now| now.sending == 1).await.unwrap();
    while scene.tracker.issues().is_empty() {
        tokio::task::yield_now().await;
    }
    scene.engine.stop(Duration::from_millis(200)).await;
    let entry = scene.engine.entry(saved.id).unwrap().entry;
    assert_eq!(entry.row, Row::Doubt, "it was sent, and nobody heard");
    let after = open(&scene.dir, TOKEN);
    after.drain(true, Some(Duration::from_secs(20))).await.unwrap();
    assert_eq!(after.entry(saved.id).unwrap().entry.state, EntryState::Filed);
    assert_eq!(scene.tracker.issues().len(), 1);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_destination_can_be_tested_before_it_is_added() {
    let mut scene = Scene::new().await;
    let new = NewDestination {
        name: "client".into(),
        tracker: TrackerKind::Gitea,
        url: Some(format!("  {}/  ", scene.tracker.url())),
        project: Some("ada/demo".into()),
        path: None,
        branch: None,
        honours_key: false,
        ca: None,
    };
    let works = scene.engine.try_destination(&new, Some(TOKEN.into())).await.unwrap();
    assert!(works.works, "{works:?}");
    let wrong = scene.engine.try_destination(&new, Some("wrong".into())).await.unwrap();
    assert!(!wrong.works && wrong.hint.is_some(), "{wrong:?}");
    scene.tracker.stop().await;
    let silent = scene.engine.try_destination(&new, Some(TOKEN.into())).await.unwrap();
    assert!(!silent.works && silent.hint.unwrap().contains("Add it anyway"));
    scene.engine.add_destination(&new, None).await.expect("adding needs no network");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_drain_does_not_wait_for_what_only_a_person_ends() {
    let scene = Scene::new().await;
    let nobody = Engine::open(Options {
        secrets: Arc::new(Pocket(std::sync::Mutex::default())),
        ..options(&scene.dir)
    })
    .unwrap();
    scene.file("Nobody has a token for it", &[]);
    let far = Some(Duration::from_secs(3_600));
    let report = tokio::time::timeout(Duration::from_secs(20), nobody.drain(true, far)).await;
    assert_eq!(report.expect("a lane without a token is not waited for").unwrap().left_waiting, 1);
    scene.engine.pause(None, None).unwrap();
    let report = tokio::time::timeout(Duration::from_secs(20), scene.engine.drain(true, far)).await;
    assert_eq!(report.expect("nor is a pause").unwrap().left_waiting, 1);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn however_often_it_was_probed_in_vain_it_is_probed_again() {
    let mut scene = Scene::with(PracticeTracker::asleep().await.unwrap(), TOKEN).await;
    for (key, value) in [("drain.backoff_base_ms", "10"), ("drain.backoff_cap_ms", "10")] {
        scene.engine.set_setting(key, value).unwrap();
    }
    scene.engine.start();
    let saved = scene.file("Patient", &[]);
    let probed = async {
        let mut attention = scene.engine.attention();
        while scene.engine.entry(saved.id).unwrap().tries.len() < 200 {
            attention.changed().await.unwrap();
        }
    };
    tokio::time::timeout(Duration::from_secs(60), probed)
        .await
        .expect("a gate that opens is never slept through");
    scene.tracker.wake().await.unwrap();
    let state = scene.engine.wait_for(saved.id, Some(Duration::from_secs(20))).await.unwrap();
    assert_eq!(state, EntryState::Filed);
    scene.engine.stop(Duration::from_secs(1)).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_lane_without_a_token_says_so_and_goes_on_when_somebody_signs_in() {
    let scene = Scene::with(PracticeTracker::start().await.unwrap(), TOKEN).await;
    let here = Engine::open(options(&scene.dir)).unwrap();
    here.start();
    let saved = file(&here, "Signed out", &[]);
    let mut attention = here.attention();
    let told = async {
        while !here.destinations().unwrap().iter().any(|lane| lane.needs_sign_in) {
            attention.changed().await.unwrap();
        }
    };
    tokio::time::timeout(Duration::from_secs(10), told).await.expect("windows are told without asking");
    let entry = here.entry(saved.id).unwrap().entry;
    assert_eq!(entry.row, Row::Paused);
    assert!(entry.reason.unwrap().contains("No token for work is kept on this computer."));
    let status = here.status().unwrap();
    assert_eq!((status.level, status.items[0].step.as_str()), (Level::NeedsYou, "Sign in"));
    assert_eq!(scene.engine.status().unwrap().level, Level::NeedsYou, "every process says the same");
    here.sign_in("work", SecretString::from(TOKEN)).await.unwrap();
    let state = here.wait_for(saved.id, Some(Duration::from_secs(20))).await.unwrap();
    assert_eq!(state, EntryState::Filed);
    here.stop(Duration::from_secs(1)).await;
}

/// A keyring that takes its time.
struct Slow;

#[async_trait]
impl Secrets for Slow {
    async fn token(&self, _name: &str) -> Result<Option<SecretString>, Problem> {
        tokio::time::sleep(Duration::from_millis(400)).await;
        Ok(Some(SecretString::from(TOKEN)))
    }
    async fn keep(&self, _name: &str, _token: SecretString) -> Result<(), Problem> {
        Ok(())
    }
    async fn forget(&self, _name: &str) -> Result<(), Problem> {
        Ok(())
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn nothing_is_sent_without_the_token_that_is_still_being_asked_for() {
    let scene = Scene::new().await;
    let saved = scene.file("Signed in soon", &[]);
    let app = Engine::open(Options { secrets: Arc::new(Slow), ..options(&scene.dir) }).unwrap();
    let mut attention = app.attention();
    let seen = tokio::spawn(async move {
        let told = attention.wait_for(|attention| attention.level == Level::NeedsYou).await;
        told.is_ok()
    });
    app.start();
    let state = app.wait_for(saved.id, Some(Duration::from_secs(20))).await.unwrap();
    app.stop(Duration::from_secs(1)).await;
    assert_eq!(state, EntryState::Filed);
    assert!(scene.tracker.requests().iter().all(|request| request.is_signed_in));
    assert!(!seen.is_finished(), "and nobody was asked to sign in");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_app_tells_of_a_missing_token_and_a_command_leaves_the_lane_to_who_has_it() {
    let scene = Scene::new().await;
    let here = Engine::open(options(&scene.dir)).unwrap();
    let saved = file(&here, "Signed out", &[]);
    let report = here.drain(true, None).await.unwrap();
    assert_eq!((report.left_waiting, report.without_token.as_slice()), (1, &["work".to_owned()][..]));
    assert_eq!(here.status().unwrap().level, Level::Waiting, "a command without a token says nothing");

    let app = Engine::open(options(&scene.dir)).unwrap();
    app.start();
    let mut attention = app.attention();
    let told = attention.wait_for(|attention| attention.level == Level::NeedsYou);
    tokio::time::timeout(Duration::from_secs(10), told).await.expect("the app does").unwrap();
    scene.drain().await;
    assert_eq!(here.entry(saved.id).unwrap().entry.state, EntryState::Filed);
    assert_eq!(here.status().unwrap().level, Level::Calm, "nothing waits for it any more");
    app.stop(Duration::from_secs(1)).await;
    here.stop(Duration::from_secs(1)).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_persons_link_is_believed_only_when_that_issue_is_this_one() {
    let scene = Scene::new().await;
    let other = scene.file("Somebody else’s", &[]);
    scene.drain().await;
    scene.engine.set_setting("drain.quiet_ms", "600000").unwrap();
    scene.tracker.fault(Route::Create, What::CutAfterBody);
    let saved = scene.file("Which one", &[("a.png", PIXEL)]);
    scene.engine.drain(false, None).await.unwrap();
    assert_eq!(scene.engine.entry(saved.id).unwrap().entry.row, Row::Doubt);

    let there = |path: &str| format!("{}/{path}", scene.tracker.url().trim_end_matches('/'));
    for (link, code) in [
        ("over there".to_owned(), Code::Invalid),
        ("https://other.example.org/ada/demo/issues/2".to_owned(), Code::Invalid),
        (there("ada/other/issues/2"), Code::Invalid),
        (there("ada/demo/pulls/2"), Code::Invalid),
        (there("ada/demo/issues/1"), Code::Refused),
        (there("ada/demo/issues/99"), Code::Refused),
    ] {
        let problem = scene.engine.resolve_there(saved.id, &link).await.unwrap_err();
        assert_eq!(problem.code, code, "{link}: {problem}");
        assert!(problem.hint.is_some(), "{link}");
    }
    assert!(scene.tracker.issues()[0].assets.is_empty(), "nothing of it went to somebody else’s issue");

    scene.engine.resolve_there(saved.id, &there("ada/demo/issues/2")).await.unwrap();
    scene.drain().await;
    let entry = scene.engine.entry(saved.id).unwrap().entry;
    assert_eq!((entry.state, entry.receipt.unwrap().number), (EntryState::Filed, "2".to_owned()));
    let issues = scene.tracker.issues();
    assert_eq!((issues.len(), issues[1].assets.len()), (2, 1), "its picture followed");
    assert_eq!(scene.engine.entry(other.id).unwrap().entry.receipt.unwrap().number, "1");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_the_tracker_could_not_take_is_told() {
    let scene = Scene::new().await;
    let draft = scene.engine.new_draft().unwrap();
    let title = format!("{} end", "word ".repeat(80));
    let edit = DraftEdit {
        id: draft.id,
        revision: draft.revision,
        destination: Some("work".into()),
        title: title.clone(),
        body: "It went wrong.".into(),
        labels: vec!["no such label".into()],
        milestone: None,
        assignees: Vec::new(),
    };
    let draft = scene.engine.save_draft(&edit).unwrap();
    let saved = scene.engine.file_draft(draft.id, draft.revision).unwrap();
    scene.drain().await;
    let issue = &scene.tracker.issues()[0];
    assert!(issue.title.chars().count() <= 255 && issue.title.ends_with('…'), "{}", issue.title);
    assert!(issue.body.starts_with(&title), "what was cut stands whole above the text");
    let entry = scene.engine.entry(saved.id).unwrap().entry;
    assert_eq!(entry.reason.unwrap(), "Filed without the label “no such label”.");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_drain_takes_on_no_more_than_its_admission() {
    let scene = Scene::new().await;
    scene.engine.set_setting("drain.admission", "2").unwrap();
    for at in 0..5 {
        scene.file(&format!("Number {at}"), &[]);
    }
    let report = scene.engine.drain(false, None).await.unwrap();
    assert_eq!((report.filed, report.left_waiting), (2, 3));
    scene.drain().await;
    assert_eq!(scene.tracker.issues().len(), 5, "more drains take the rest");
}
