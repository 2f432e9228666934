//! Accounts: tokens that change, several on one tracker, and looks that go by whoever sent.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod computer;

use std::collections::HashMap;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use async_trait::async_trait;
use computer::{gitea, options};
use outtray_core::clock::SystemClock;
use outtray_core::engine::Options;
use outtray_core::secrets::Secrets;
use outtray_core::view::{EntryState, NewIssue, Row, Saved};
use outtray_core::{Engine, Problem};
use outtray_support::{PracticeTracker, Route, TOKEN, What};
use secrecy::{ExposeSecret as _, SecretString};

/// A keyring in memory.
#[derive(Default)]
struct Drawer(Mutex<HashMap<String, String>>);

#[async_trait]
impl Secrets for Drawer {
    async fn token(&self, name: &str) -> Result<Option<SecretString>, Problem> {
        Ok(self.0.lock().unwrap().get(name).cloned().map(SecretString::from))
    }
    async fn keep(&self, name: &str, token: SecretString) -> Result<(), Problem> {
        self.0.lock().unwrap().insert(name.to_owned(), token.expose_secret().to_owned());
        Ok(())
    }
    async fn forget(&self, name: &str) -> Result<(), Problem> {
        self.0.lock().unwrap().remove(name);
        Ok(())
    }
}

struct Scene {
    _dir: tempfile::TempDir,
    tracker: PracticeTracker,
    engine: Engine,
}

impl Scene {
    /// With these destinations on one tracker, each with its token.
    async fn new(destinations: &[(&str, &str)]) -> Self {
        let dir = tempfile::tempdir().unwrap();
        let tracker = PracticeTracker::start().await.unwrap();
        tracker.change(|project| project.others = vec![("bobs-token".into(), "bob".into())]);
        let options = options(dir.path(), Arc::new(SystemClock::new()));
        let engine = Engine::open(Options { secrets: Arc::new(Drawer::default()), ..options }).unwrap();
        for (key, value) in
            [("drain.quiet_ms", "100"), ("drain.backoff_base_ms", "20"), ("drain.stage_timeout_ms", "1500")]
        {
            engine.set_setting(key, value).unwrap();
        }
        for (name, token) in destinations {
            let token = SecretString::from(*token);
            engine.add_destination(&gitea(name, &tracker.url()), Some(token)).await.unwrap();
        }
        Self { _dir: dir, tracker, engine }
    }

    fn file(&self, to: &str, title: &str) -> Saved {
        let new = NewIssue {
            destination: to.into(),
            title: title.into(),
            body: "Words.".into(),
            labels: Vec::new(),
            milestone: None,
            assignees: Vec::new(),
        };
        self.engine.file_new(&new, &[] as &[&str]).unwrap()
    }

    async fn drain(&self) {
        self.engine.drain(true, Some(Duration::from_secs(20))).await.unwrap();
    }

    fn state(&self, saved: &Saved) -> EntryState {
        self.engine.entry(saved.id).unwrap().entry.state
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_rotated_token_keeps_every_entry_and_its_key() {
    let scene = Scene::new(&[("work", TOKEN)]).await;
    let first = scene.file("work", "Before");
    scene.drain().await;
    scene.tracker.change(|project| project.token = "rotated".into());
    let waiting: Vec<Saved> =
        (0..4).map(|number| scene.file("work", &format!("Meanwhile {number}"))).collect();
    scene.drain().await;
    for saved in &waiting {
        let entry = scene.engine.entry(saved.id).unwrap().entry;
        assert_eq!(
            (entry.state, entry.row, entry.attempts),
            (EntryState::Waiting, Row::Paused, 0),
            "{entry:?}"
        );
        assert!(entry.reason.unwrap().starts_with("Held until you sign in."));
    }
    let held = scene.engine.destinations().unwrap().into_iter().find(|lane| lane.name == "work").unwrap();
    assert!(held.needs_sign_in && held.waiting == 4);

    scene.engine.sign_in("work", "rotated".into()).await.unwrap();
    scene.drain().await;

    for saved in waiting.iter().chain([&first]) {
        let entry = scene.engine.entry(saved.id).unwrap().entry;
        assert_eq!((entry.state, entry.key), (EntryState::Filed, saved.key));
    }
    let issues = scene.tracker.issues();
    assert_eq!(issues.len(), 5, "each once");
    for saved in &waiting {
        let key = saved.key.to_string();
        assert_eq!(issues.iter().filter(|issue| issue.body.contains(&key)).count(), 1);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn several_accounts_on_one_tracker_file_each_as_themselves() {
    let scene = Scene::new(&[("mine", TOKEN), ("bobs", "bobs-token")]).await;
    let mine = scene.file("mine", "As ada");
    let bobs = scene.file("bobs", "As bob");
    scene.drain().await;
    assert_eq!((scene.state(&mine), scene.state(&bobs)), (EntryState::Filed, EntryState::Filed));
    let by =
        |title: &str| scene.tracker.issues().into_iter().find(|issue| issue.title == title).unwrap().login;
    assert_eq!((by("As ada").as_str(), by("As bob").as_str()), ("ada", "bob"));

    // One of them is signed out; the other goes on.
    scene.tracker.change(|project| project.others.clear());
    let stays = scene.file("bobs", "Waits for bob");
    let goes = scene.file("mine", "Goes on");
    scene.drain().await;
    assert_eq!((scene.state(&stays), scene.state(&goes)), (EntryState::Waiting, EntryState::Filed));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_look_goes_by_the_login_that_sent_so_that_another_account_loses_nothing() {
    let scene = Scene::new(&[("work", TOKEN)]).await;
    // Known before, so that the intent says who sends.
    assert!(scene.engine.test_destination("work").await.unwrap().works);
    scene.tracker.fault(Route::Create, What::CutAfterBody);
    // It is in doubt, and nobody has looked for it yet.
    scene.tracker.faults(Route::List, What::TroubleBefore { status: 503 }, 3);
    let saved = scene.file("work", "Sent as ada");
    scene.engine.drain(false, None).await.unwrap();
    assert_eq!(scene.tracker.issues()[0].login, "ada");
    assert_eq!(scene.state(&saved), EntryState::Waiting, "no answer came");

    scene.engine.sign_in("work", "bobs-token".into()).await.unwrap();
    assert!(scene.engine.test_destination("work").await.unwrap().words.contains("signed in as bob"));
    scene.tracker.clear_faults();
    scene.engine.retry(saved.id).unwrap();
    scene.drain().await;

    let entry = scene.engine.entry(saved.id).unwrap().entry;
    assert_eq!((entry.state, entry.receipt.unwrap().number.as_str()), (EntryState::Filed, "1"));
    assert_eq!(scene.tracker.issues().len(), 1, "it was found, and not sent a second time");
    let looks: Vec<String> = scene
        .tracker
        .requests()
        .into_iter()
        .map(|asked| asked.target)
        .filter(|target| target.contains("created_by="))
        .collect();
    assert!(!looks.is_empty() && looks.iter().all(|target| target.contains("created_by=ada")), "{looks:?}");
    let next = scene.file("work", "Sent as bob");
    scene.drain().await;
    assert_eq!(scene.state(&next), EntryState::Filed);
    assert_eq!(scene.tracker.issues()[1].login, "bob");
}

/// The login that is known is another account's, whose token was there before, or one that has another name since.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn whoever_sent_it_what_was_lost_is_found() {
    for known in ["ada", "somebody"] {
        let scene = Scene::new(&[("work", TOKEN)]).await;
        assert!(scene.engine.test_destination("work").await.unwrap().works);
        if known == "ada" {
            // Nobody has asked yet who that is.
            scene.engine.sign_in("work", "bobs-token".into()).await.unwrap();
        } else {
            scene.tracker.change(|project| project.login = "somebody".into());
        }
        scene.tracker.fault(Route::Create, What::CutAfterBody);
        let saved = scene.file("work", "Lost");
        scene.drain().await;
        assert_eq!(scene.state(&saved), EntryState::Filed);
        assert_eq!(scene.tracker.issues().len(), 1, "{known}");
    }
}
