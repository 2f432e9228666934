//! The engine whole against every tracker that answers: what got lost on the way is there once, with one picture.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use std::sync::Arc;
use std::time::Duration;

use outtray_core::Engine;
use outtray_core::attention::Level;
use outtray_core::clock::SystemClock;
use outtray_core::engine::Options;
use outtray_core::issue::TrackerKind;
use outtray_core::problem::Code;
use outtray_core::secrets::Secrets;
use outtray_core::store::Adoption;
use outtray_core::tracker::Known;
use outtray_core::view::{Act, DraftEdit, EntryState, NewDestination, Row, Saved};
use outtray_support::{Dialect, PracticeTracker, Route, TOKEN, What};
use secrecy::SecretString;
use tempfile::TempDir;

/// A one-pixel PNG.
const PIXEL: &[u8] = &[
    0x89, b'P', b'N', b'G', 0x0d, 0x0a, 0x1a, 0x0a, 0, 0, 0, 13, b'I', b'H', b'D', b'R', 0, 0, 0, 1, 0, 0, 0,
    1, 8, 6, 0, 0, 0, 0x1f, 0x15, 0xc4, 0x89, 0, 0, 0, 13, b'I', b'D', b'A', b'T', 0x78, 0x9c, 0x63, 0xf8,
    0xcf, 0xc0, 0xf0, 0x1f, 0, 5, 0, 1, 0xff, 0x56, 0xc7, 0x2f, 0x0d, 0, 0, 0, 0, b'I', b'E', b'N', b'D',
    0xae, 0x42, 0x60, 0x82,
];

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
    tracker: PracticeTracker,
    engine: Engine,
}

impl Scene {
    async fn new(kind: TrackerKind, dialect: Dialect) -> Self {
        Self::with(kind, dialect, false, Some(TOKEN)).await
    }

    async fn with(
        kind: TrackerKind,
        dialect: Dialect,
        honours_key: bool,
        token: Option<&'static str>,
    ) -> Self {
        let tracker = PracticeTracker::start_as(dialect).await.unwrap();
        tracker.change(|project| project.honours_key = honours_key);
        let dir = tempfile::tempdir().unwrap();
        let engine = Engine::open(Options {
            home: dir.path().join("home"),
            documents: dir.path().join("Documents"),
            secrets: Arc::new(Pocket(token)),
            clock: Arc::new(SystemClock::new()),
            trackers: Arc::new(Known),
            adoption: Adoption::No,
        })
        .unwrap();
        for (key, value) in
            [("drain.quiet_ms", "100"), ("drain.backoff_base_ms", "20"), ("drain.stage_timeout_ms", "600")]
        {
            engine.set_setting(key, value).unwrap();
        }
        let project = if kind == TrackerKind::Redmine { "demo" } else { "ada/demo" };
        let new = NewDestination {
            name: "work".into(),
            tracker: kind,
            url: Some(tracker.url()),
            project: (kind != TrackerKind::Webhook).then(|| project.into()),
            path: None,
            branch: None,
            honours_key,
            ca: None,
        };
        engine.add_destination(&new, None).await.unwrap();
        Self { dir, tracker, engine }
    }

    fn file(&self, title: &str, picture: bool) -> Saved {
        self.file_with(title, if picture { &[("shot.png", PIXEL)] } else { &[] })
    }

    fn file_with(&self, title: &str, files: &[(&str, &[u8])]) -> Saved {
        let draft = self.engine.new_draft().unwrap();
        for (name, bytes) in files {
            self.engine.attach_bytes(draft.id, name, bytes).unwrap();
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
        let draft = self.engine.save_draft(&edit).unwrap();
        self.engine.file_draft(draft.id, draft.revision).unwrap()
    }

    async fn drain(&self) {
        self.engine.drain(true, Some(Duration::from_secs(30))).await.unwrap();
    }

    /// How many pictures each issue has: attached to it, or shown in its text.
    fn pictures(&self) -> Vec<usize> {
        let files = self.tracker.files();
        let shown = |body: &str| files.iter().filter(|file| body.contains(&file.reference)).count();
        self.tracker.issues().iter().map(|issue| issue.assets.len() + shown(&issue.body)).collect()
    }
}

/// The same picture, with more behind it.
fn large() -> Vec<u8> {
    [PIXEL, &[0; 500]].concat()
}

const SEARCHABLE: [(TrackerKind, Dialect); 4] = [
    (TrackerKind::Gitea, Dialect::Gitea),
    (TrackerKind::GitHub, Dialect::GitHub),
    (TrackerKind::GitLab, Dialect::GitLab),
    (TrackerKind::Redmine, Dialect::Redmine),
];

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn whatever_gets_lost_one_issue_with_one_picture_is_there() {
    for (kind, dialect) in SEARCHABLE {
        for on in [Route::Create, Route::Upload, Route::List] {
            for what in [
                What::CutAfterHead,
                What::CutAfterBody,
                What::CutAfterAnswer { bytes: 90 },
                What::TroubleAfter { status: 502 },
                What::CommitLate { ms: 60 },
                What::DelayAfter { ms: 800 },
            ] {
                let scene = Scene::new(kind, dialect).await;
                if on == Route::List {
                    scene.tracker.fault(Route::Create, What::CutAfterBody);
                }
                scene.tracker.fault(on, what.clone());
                let saved = scene.file("Lost", true);
                scene.drain().await;
                let entry = scene.engine.entry(saved.id).unwrap().entry;
                assert_eq!(entry.state, EntryState::Filed, "{kind:?} {on:?} {what:?}: {:?}", entry.reason);
                assert_eq!(scene.pictures(), [1], "{kind:?} {on:?} {what:?}");
                scene.engine.stop(Duration::from_secs(1)).await;
            }
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_webhook_that_gave_no_answer_is_the_persons_to_judge() {
    let scene = Scene::new(TrackerKind::Webhook, Dialect::Webhook).await;
    scene.tracker.fault(Route::Create, What::CutAfterBody);
    let saved = scene.file("Lost", true);
    scene.drain().await;
    let entry = scene.engine.entry(saved.id).unwrap().entry;
    assert_eq!(entry.row, Row::DoubtAsk, "{entry:?}");
    assert!(entry.reason.unwrap().contains("cannot be asked whether it arrived"));
    assert_eq!(scene.tracker.issues().len(), 1, "nothing is sent again by guess");

    scene.engine.resolve_there(saved.id, "https://board.example.org/cards/42").await.unwrap();
    scene.drain().await;
    let entry = scene.engine.entry(saved.id).unwrap().entry;
    assert_eq!((entry.state, entry.receipt.unwrap().number.as_str()), (EntryState::Filed, "42"));

    scene.tracker.fault(Route::Create, What::CutAfterHead);
    scene.engine.set_setting("drain.quiet_ms", "1500").unwrap();
    let other = scene.file("Lost before it arrived", false);
    scene.drain().await;
    let early = scene.engine.resolve_send_again(other.id).unwrap();
    assert!(early.wish && early.words.ends_with("Then look once more, and say so again."), "{}", early.words);
    scene.drain().await;
    assert_eq!(
        scene.engine.entry(other.id).unwrap().entry.row,
        Row::DoubtAsk,
        "it was said too early to count"
    );
    scene.engine.resolve_send_again(other.id).unwrap();
    scene.drain().await;
    assert_eq!(scene.engine.entry(other.id).unwrap().entry.state, EntryState::Filed);
    assert_eq!(scene.tracker.issues().len(), 2, "sent again once, because the person said so");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_webhook_whose_receiver_honours_the_key_needs_nobody() {
    for what in [
        What::CutAfterBody,
        What::CutAfterHead,
        What::TroubleAfter { status: 504 },
        What::CommitLate { ms: 60 },
    ] {
        let scene = Scene::with(TrackerKind::Webhook, Dialect::Webhook, true, Some(TOKEN)).await;
        scene.tracker.fault(Route::Create, what.clone());
        let saved = scene.file("Lost", true);
        scene.drain().await;
        let entry = scene.engine.entry(saved.id).unwrap().entry;
        assert_eq!(entry.state, EntryState::Filed, "{what:?}: {:?}", entry.reason);
        assert_eq!(scene.pictures(), [1], "{what:?}");
        scene.engine.stop(Duration::from_secs(1)).await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_webhook_does_without_a_token_where_none_is_kept() {
    let scene = Scene::with(TrackerKind::Webhook, Dialect::Webhook, false, None).await;
    scene
        .tracker
        .fault(Route::Create, What::Raw { answer: "HTTP/1.1 204 Taken\r\nContent-Length: 0\r\n\r\n".into() });
    let saved = scene.file("Open to everybody", false);
    scene.drain().await;
    let entry = scene.engine.entry(saved.id).unwrap().entry;
    assert_eq!(entry.state, EntryState::Filed, "{:?}", entry.reason);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_issue_is_filed_without_the_picture_that_is_refused_and_a_retry_sends_just_that_one() {
    for (kind, dialect) in SEARCHABLE {
        for lost in [None, Some(Route::Create), Some(Route::Embed), Some(Route::Upload)] {
            let scene = Scene::new(kind, dialect).await;
            scene.tracker.change(|project| project.most_bytes = 450);
            if lost == Some(Route::Create) {
                scene.tracker.fault(Route::Create, What::CutAfterBody);
            }
            let saved = scene.file_with("Half", &[("small.png", PIXEL), ("large.png", &large())]);
            scene.drain().await;
            let entry = scene.engine.entry(saved.id).unwrap().entry;
            let told = entry.reason.clone().unwrap();
            assert_eq!((entry.state, entry.row), (EntryState::Attention, Row::NeedsYou), "{kind:?}: {told}");
            assert!(told.starts_with("Filed as #1 with 1 of 2 files. large.png "), "{kind:?}: {told}");
            assert_eq!(entry.acts, [Act::Retry, Act::ShowFiles, Act::Leave, Act::Open, Act::CopyLink]);
            assert_eq!(scene.pictures(), [1], "{kind:?} {lost:?}");
            assert_eq!(scene.engine.status().unwrap().level, Level::NeedsYou);

            // Nobody else tries it, and a retry in vain says the same again.
            scene.engine.retry(saved.id).unwrap();
            scene.drain().await;
            assert_eq!(scene.engine.entry(saved.id).unwrap().entry.reason.as_ref(), Some(&told), "{kind:?}");
            assert_eq!(scene.pictures(), [1], "{kind:?} {lost:?}");

            scene.tracker.change(|project| project.most_bytes = 1_000_000);
            if let Some(route) = lost.filter(|route| *route != Route::Create) {
                scene.tracker.fault(route, What::CutAfterBody);
            }
            let before = scene.tracker.issues()[0].clone();
            scene.engine.retry(saved.id).unwrap();
            scene.drain().await;
            let details = scene.engine.entry(saved.id).unwrap();
            assert_eq!(
                details.entry.state,
                EntryState::Filed,
                "{kind:?} {lost:?}: {:?}",
                details.entry.reason
            );
            assert!(details.stages.iter().all(|stage| stage.missing.is_none()));
            assert_eq!(scene.pictures(), [2], "{kind:?} {lost:?}: both, each once");
            let after = scene.tracker.issues()[0].clone();
            assert!(after.body.len() >= before.body.len() && after.title == before.title);
            assert!(after.body.trim_end().ends_with("-->"), "the marker stays last: {}", after.body);
            scene.engine.stop(Duration::from_secs(1)).await;
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_file_that_is_tried_again_while_its_issue_is_in_doubt_gets_into_the_issue() {
    for (kind, dialect) in SEARCHABLE.into_iter().filter(|(kind, _)| kind.uploads_first()) {
        let scene = Scene::new(kind, dialect).await;
        scene.engine.set_setting("drain.quiet_ms", "1500").unwrap();
        scene.tracker.change(|project| project.most_bytes = 450);
        // It arrives, its answer is lost, and no look sees it before the person tries again.
        scene.tracker.fault(Route::Create, What::CutAfterBody);
        scene.tracker.fault(Route::List, What::TroubleBefore { status: 503 });
        let saved = scene.file_with("Half", &[("small.png", PIXEL), ("large.png", &large())]);
        scene.engine.drain(false, None).await.unwrap();
        let entry = || scene.engine.entry(saved.id).unwrap().entry;
        assert_eq!((entry().state, entry().receipt), (EntryState::Waiting, None), "{kind:?}");
        scene.tracker.change(|project| project.most_bytes = 1_000_000);
        scene.engine.retry(saved.id).unwrap();
        scene.drain().await;
        assert_eq!(entry().state, EntryState::Filed, "{kind:?}: {:?}", entry().reason);
        assert_eq!(scene.pictures(), [2], "{kind:?}: what is filed is whole");
        scene.engine.stop(Duration::from_secs(1)).await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_a_tracker_does_not_take_is_one_click_away_until_the_person_leaves_it() {
    let scene = Scene::new(TrackerKind::GitHub, Dialect::GitHub).await;
    scene.tracker.change(|project| project.may_upload = false);
    scene.tracker.fault(Route::Create, What::CutAfterBody);
    let saved = scene.file_with("Without", &[("shot.png", PIXEL)]);
    scene.drain().await;
    let entry = || scene.engine.entry(saved.id).unwrap().entry;
    let told =
        "Filed as #1 without its file. shot.png has no place there: this token may not upload files there.";
    assert_eq!((entry().state, entry().reason.as_deref()), (EntryState::Attention, Some(told)));
    for act in [scene.engine.withdraw(saved.id), scene.engine.move_to(saved.id, "Folder")] {
        assert_eq!(act.unwrap_err().message, "It has already been filed as #1.");
    }

    let dir = scene.engine.lay_out_missing(saved.id).unwrap();
    assert_eq!(std::fs::read(dir.join("shot.png")).unwrap(), PIXEL);
    assert_eq!(scene.engine.lay_out_missing(saved.id).unwrap(), dir, "as often as somebody asks");

    let left = scene.engine.leave_at_that(saved.id).unwrap();
    assert_eq!((left.state, entry().reason.as_deref()), (EntryState::Filed, Some(told)));
    assert!(!dir.exists(), "a copy that nobody needs is taken away");
    assert_eq!(scene.engine.status().unwrap().level, Level::Calm);
    let again = scene.engine.leave_at_that(saved.id).unwrap_err();
    assert_eq!(again.message, "It has already been filed as #1.");
    let whole = scene.file_with("Whole", &[]);
    scene.tracker.fault(Route::Create, What::Invalid { message: "no".into() });
    scene.drain().await;
    assert_eq!(scene.engine.leave_at_that(whole.id).unwrap_err().message, "It lacks no file.");
    assert_eq!(scene.engine.lay_out_missing(whole.id).unwrap_err().message, "It lacks no file.");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_file_that_is_gone_from_this_computer_holds_up_no_issue() {
    for (kind, dialect) in SEARCHABLE {
        let scene = Scene::new(kind, dialect).await;
        let saved = scene.file_with("Eaten", &[("shot.png", PIXEL)]);
        for file in std::fs::read_dir(scene.dir.path().join("home/attachments")).unwrap() {
            std::fs::remove_file(file.unwrap().path()).unwrap();
        }
        scene.drain().await;
        let entry = scene.engine.entry(saved.id).unwrap().entry;
        let told = "Filed as #1 without its file. Outtray's copy of shot.png is gone from this computer.";
        assert_eq!((entry.state, entry.reason.as_deref()), (EntryState::Attention, Some(told)), "{kind:?}");
        assert_eq!(scene.engine.lay_out_missing(saved.id).unwrap_err().code, Code::NotFound);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_second_of_patience_holds_the_lane_and_nobody_is_told_off() {
    let scene = Scene::new(TrackerKind::GitHub, Dialect::GitHub).await;
    scene.tracker.fault(Route::Create, What::RateLimit { retry_after: Some("1".into()) });
    let saved = scene.file("Patient", false);
    scene.drain().await;
    let entry = scene.engine.entry(saved.id).unwrap().entry;
    assert_eq!((entry.state, entry.attempts), (EntryState::Filed, 1), "waiting is no try");
}
