//! The engine beside a keyring that is locked, missing or hung: only what needs it waits, and goes on by itself once it can.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use std::sync::{Arc, Condvar, Mutex};
use std::time::{Duration, Instant};

use outtray_core::Engine;
use outtray_core::clock::SystemClock;
use outtray_core::engine::Options;
use outtray_core::issue::TrackerKind;
use outtray_core::store::Adoption;
use outtray_core::tracker::Known;
use outtray_core::view::{EntryState, NewDestination, NewIssue, Row};
use outtray_secrets::{Keyring, Refusal, Vault};
use outtray_support::{Dialect, PracticeTracker, TOKEN};
use secrecy::SecretString;

const PATIENCE: Duration = Duration::from_millis(100);

/// How a keyring stands.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Standing {
    Hangs,
    Says(Refusal),
    Open,
}

/// A keyring with one token, which stands as it is told to; whoever asks while it hangs waits for that to change.
#[derive(Clone)]
struct Strongbox(Arc<(Mutex<(Standing, usize)>, Condvar)>);

impl Strongbox {
    fn new(standing: Standing) -> Self {
        Self(Arc::new((Mutex::new((standing, 0)), Condvar::new())))
    }

    fn stand(&self, standing: Standing) {
        self.0.0.lock().unwrap().0 = standing;
        self.0.1.notify_all();
    }

    /// How often it was asked.
    fn asked(&self) -> usize {
        self.0.0.lock().unwrap().1
    }
}

impl Vault for Strongbox {
    fn read(&mut self, _name: &str) -> Result<Option<SecretString>, Refusal> {
        let (state, changed) = &*self.0;
        let mut state = state.lock().unwrap();
        state.1 += 1;
        while state.0 == Standing::Hangs {
            state = changed.wait(state).unwrap();
        }
        match &state.0 {
            Standing::Says(refusal) => Err(refusal.clone()),
            _ => Ok(Some(TOKEN.into())),
        }
    }
    fn write(&mut self, _name: &str, _token: &SecretString) -> Result<(), Refusal> {
        Ok(())
    }
    fn erase(&mut self, _name: &str) -> Result<(), Refusal> {
        Ok(())
    }
}

struct Scene {
    dir: tempfile::TempDir,
    tracker: PracticeTracker,
    engine: Engine,
    strongbox: Strongbox,
}

impl Scene {
    async fn new(standing: Standing) -> Self {
        let dir = tempfile::tempdir().unwrap();
        let tracker = PracticeTracker::start().await.unwrap();
        let strongbox = Strongbox::new(standing);
        let keyring = Keyring::with_vault(Box::new(strongbox.clone()), PATIENCE).remembering();
        let engine = Engine::open(Options {
            home: dir.path().join("outtray"),
            documents: dir.path().join("Documents"),
            secrets: Arc::new(keyring),
            clock: Arc::new(SystemClock::new()),
            trackers: Arc::new(Known),
            adoption: Adoption::No,
        })
        .unwrap();
        let work = NewDestination {
            name: "work".into(),
            tracker: TrackerKind::Gitea,
            url: Some(tracker.url()),
            project: Some("ada/demo".into()),
            path: None,
            branch: None,
            honours_key: false,
            ca: None,
        };
        engine.add_destination(&work, None).await.unwrap();
        engine.start();
        Self { dir, tracker, engine, strongbox }
    }

    fn file(&self, to: &str, title: &str) -> i64 {
        let new = NewIssue {
            destination: to.into(),
            title: title.into(),
            body: "Words.".into(),
            labels: Vec::new(),
            milestone: None,
            assignees: Vec::new(),
        };
        self.engine.file_new(&new, &[] as &[&str]).unwrap().id
    }

    fn state(&self, id: i64) -> EntryState {
        self.engine.entry(id).unwrap().entry.state
    }

    fn held(&self) -> Option<String> {
        let lanes = self.engine.destinations().unwrap();
        lanes.into_iter().find(|lane| lane.name == "work" && lane.needs_sign_in)?.held
    }

    /// Waits until attention shows that it is so.
    async fn until(&self, what: &str, is_so: impl Fn() -> bool) {
        let mut attention = self.engine.attention();
        let until_so = async {
            loop {
                attention.mark_unchanged();
                if is_so() {
                    return;
                }
                attention.changed().await.unwrap();
            }
        };
        tokio::time::timeout(Duration::from_secs(30), until_so)
            .await
            .unwrap_or_else(|_| panic!("waited in vain for {what}"));
    }
}

/// The engine opens, issues are written, another lane drains, the lane says why it waits, and it goes on by itself.
async fn goes_on_by_itself(standing: Standing, told: &str) {
    let began = Instant::now();
    let scene = Scene::new(standing).await;
    let waits = scene.file("work", "Needs the keyring");
    let goes = scene.file("Folder", "Needs nothing");
    scene.until("the folder", || scene.state(goes) == EntryState::Filed).await;
    let draft = scene.engine.new_draft().unwrap();
    scene.engine.attach_bytes(draft.id, "note.txt", b"captured").unwrap();
    scene.until("the lane to say so", || scene.held().is_some()).await;
    assert_eq!(scene.held().unwrap(), format!("Held until you sign in. {told}"));
    assert!(began.elapsed() < Duration::from_secs(5), "nobody waited for the keyring");
    let entry = scene.engine.entry(waits).unwrap().entry;
    assert_eq!((entry.state, entry.row, entry.attempts), (EntryState::Waiting, Row::Paused, 0));
    let item = scene.engine.status().unwrap();
    assert_eq!(item.headline, "1 needs you, 1 waiting");
    assert!(scene.tracker.requests().is_empty(), "nothing was sent unsigned");

    // Nobody tells us that it is unlocked.
    scene.strongbox.stand(Standing::Open);
    scene.until("the issue", || scene.state(waits) == EntryState::Filed).await;
    assert_eq!(scene.held(), None);
    assert_eq!(scene.tracker.issues().len(), 1);
    assert!(scene.strongbox.asked() < 6, "it was asked {} times", scene.strongbox.asked());
    assert!(scene.dir.path().join("Documents/Outtray").is_dir());
    scene.engine.stop(Duration::from_secs(1)).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_locked_keyring_holds_its_own_lane_and_no_other_and_is_asked_again() {
    goes_on_by_itself(Standing::Says(Refusal::Locked("dismissed".into())), "The keyring is locked.").await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_keyring_that_hangs_holds_its_own_lane_and_no_other() {
    goes_on_by_itself(Standing::Hangs, "The keyring does not answer.").await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_keyring_that_starts_after_us_is_found() {
    goes_on_by_itself(Standing::Says(Refusal::Missing("no bus".into())), "No keyring answers here.").await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_nobody_gave_a_token_needs_no_keyring_and_what_has_one_waits_for_it() {
    for standing in [
        Standing::Says(Refusal::Missing("no bus".into())),
        Standing::Says(Refusal::Locked("dismissed".into())),
        Standing::Hangs,
    ] {
        let scene = Scene::new(standing).await;
        let board = PracticeTracker::start_as(Dialect::Webhook).await.unwrap();
        let hook = |name: &str| NewDestination {
            name: name.into(),
            tracker: TrackerKind::Webhook,
            url: Some(board.url()),
            project: None,
            path: None,
            branch: None,
            honours_key: false,
            ca: None,
        };
        board.change(|project| project.token = String::new());
        scene.engine.add_destination(&hook("plain"), None).await.unwrap();
        scene.engine.add_destination(&hook("signed"), Some("secret".into())).await.unwrap();
        let (plain, signed) = (scene.file("plain", "Goes"), scene.file("signed", "Waits"));
        scene.until("the one without a token", || scene.state(plain) == EntryState::Filed).await;
        assert_eq!(scene.state(signed), EntryState::Waiting, "never without its token");
        assert_eq!(board.issues().len(), 1);
        scene.engine.stop(Duration::from_secs(1)).await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_command_does_not_wait_for_somebody_to_unlock_a_keyring() {
    let scene = Scene::new(Standing::Says(Refusal::Locked("dismissed".into()))).await;
    scene.engine.stop(Duration::from_secs(1)).await;
    let Scene { dir, tracker: _tracker, strongbox, .. } = scene;
    let keyring = Keyring::with_vault(Box::new(strongbox), PATIENCE);
    let engine = Engine::open(Options {
        home: dir.path().join("outtray"),
        documents: dir.path().join("Documents"),
        secrets: Arc::new(keyring),
        clock: Arc::new(SystemClock::new()),
        trackers: Arc::new(Known),
        adoption: Adoption::No,
    })
    .unwrap();
    let new = NewIssue {
        destination: "work".into(),
        title: "One".into(),
        body: String::new(),
        labels: Vec::new(),
        milestone: None,
        assignees: Vec::new(),
    };
    engine.file_new(&new, &[] as &[&str]).unwrap();
    let began = Instant::now();
    let report = engine.drain(true, Some(Duration::from_secs(20))).await.unwrap();
    assert_eq!((report.left_waiting, report.without_token), (1, vec!["work".to_owned()]));
    assert!(began.elapsed() < Duration::from_secs(4), "{:?}", began.elapsed());
    engine.stop(Duration::from_secs(1)).await;
}
