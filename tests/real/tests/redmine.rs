//! Filing at a real Redmine: whole issues, lost answers, sub-paths, and what stands before such servers in companies.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

#[path = "../../support/tracker_case.rs"]
mod case;

use std::time::Duration;

use case::{Case, cause, kind};
use outtray_core::clock::SystemClock;
use outtray_core::engine::Options;
use outtray_core::issue::{Attachment, TrackerKind};
use outtray_core::secrets::Secrets;
use outtray_core::store::Adoption;
use outtray_core::tracker::{CauseKind, Known, Step, Tracker, marker};
use outtray_core::view::{DraftEdit, EntryState, NewDestination};
use outtray_core::{Engine, problem};
use outtray_real::nginx::Nginx;
use outtray_real::redmine::Redmine;
use outtray_support::{Break, Proxy};

fn at(case: &Case, redmine: &Redmine, url: &str) -> Box<dyn Tracker> {
    case.open(TrackerKind::Redmine, url, "demo", Some(redmine.key())).unwrap()
}

fn count(redmine: &Redmine, what: &str) -> usize {
    redmine.ask(&format!("SELECT count(*) FROM {what}")).unwrap()[0].parse().unwrap()
}

#[tokio::test]
async fn an_issue_arrives_whole_with_its_files() {
    let Some(redmine) = Redmine::start().unwrap() else { return };
    let mut case = Case::new();
    case.timeout = Duration::from_secs(60);
    case.issue.title = format!("Größe 🦀 {}", "x".repeat(300));
    case.issue.body = "one\r\n/two\n\u{1b}[31mthree \u{202e} ".repeat(2_000);
    case.issue.labels = vec!["bug".into()];
    let picture: Vec<u8> = (0..300_000_u32).map(|n| u8::try_from(n % 251).unwrap()).collect();
    case.attach("shot é \"q\" [1] 天.png", "image/png", &picture).attach("log.txt", "text/plain", b"log");
    let adapter = at(&case, &redmine, &redmine.url());

    let account = adapter.account().await.unwrap();
    assert_eq!(account.words, "Redmine, signed in as ada, files in Demo.");
    let done = case.deliver(TrackerKind::Redmine, &*adapter).await.unwrap();

    let receipt = done.receipt.unwrap();
    assert_eq!(receipt.url, format!("{}/issues/{}", redmine.url(), receipt.number));
    assert!(done.told.unwrap().contains("bug"));
    let [subject] = redmine.ask("SELECT subject FROM issues").unwrap().try_into().unwrap();
    assert_eq!(subject.chars().count(), 255);
    assert!(subject.starts_with("Größe 🦀 xxx"), "{subject}");
    let marker = marker::of(case.issue.key);
    let ends = format!("SELECT substr(description, -{}) FROM issues", marker.len());
    assert_eq!(redmine.ask(&ends).unwrap().concat(), marker);
    let files = redmine
        .ask("SELECT filename, filesize, digest, container_type FROM attachments ORDER BY id")
        .unwrap();
    let expected = |at: usize| {
        let Attachment { name, size, sha256, .. } = &case.issue.attachments[at];
        format!("{name}|{size}|{sha256}|Issue")
    };
    // Redmine itself takes what a disk may not have out of names.
    assert_eq!(files, [expected(0).replace('"', "_"), expected(1)]);
    assert_eq!(case.find(&*adapter).await.unwrap().issues, std::slice::from_ref(&receipt));
    redmine
        .ask("UPDATE issues SET status_id = (SELECT id FROM issue_statuses WHERE is_closed = 1 LIMIT 1)")
        .unwrap();
    assert_eq!(
        case.find(&*adapter).await.unwrap().issues,
        std::slice::from_ref(&receipt),
        "closed ones are looked through"
    );
    let link = receipt.url.parse().unwrap();
    assert_eq!(adapter.recognise(&case.issue, &link).await.unwrap(), Some(receipt));
}

#[tokio::test]
async fn a_lost_answer_leaves_one_issue_with_its_files_even_when_it_is_sent_again_blindly() {
    let Some(redmine) = Redmine::start().unwrap() else { return };
    for (at_end, happened) in [
        (Break::AfterHead, false),
        (Break::AfterBody, true),
        (Break::AfterAnswer(60), true),
        (Break::AfterAnswer(500), true),
        (Break::Reset, true),
        (Break::Stall, true),
        (Break::Page(502), true),
    ] {
        let proxy = Proxy::start(redmine.port, "", "").await.unwrap();
        let mut case = Case::new();
        case.timeout = Duration::from_secs(30);
        case.attach("shot.png", "image/png", b"picture");
        let adapter = at(&case, &redmine, &proxy.url());
        let upload = Step::Upload { receipt: None, attachment: &case.issue.attachments[0] };
        let token = case::done(adapter.send(&case.issue, upload).await).reference.unwrap();
        let files = [(&case.issue.attachments[0], token.as_str())];
        let create = Step::Create { uploaded: &files };
        let before = count(&redmine, "issues");
        if at_end == Break::Stall {
            case.timeout = Duration::from_secs(5);
        }
        let impatient = at(&case, &redmine, &proxy.url());
        proxy.break_off("POST", "/issues.json", at_end, 1);

        let lost = impatient.send(&case.issue, create).await;
        assert_eq!(kind(&lost), "doubt", "{at_end:?}: {lost:?}");
        assert_eq!(count(&redmine, "issues") - before, usize::from(happened), "{at_end:?}");
        assert_eq!(case.find(&*adapter).await.unwrap().issues.len(), usize::from(happened), "{at_end:?}");

        let again = case::done(adapter.send(&case.issue, create).await).receipt.unwrap();
        assert_eq!(count(&redmine, "issues") - before, 1, "{at_end:?}: the token is the fence");
        let attached =
            format!("attachments WHERE container_type = 'Issue' AND container_id = {}", again.number);
        assert_eq!(count(&redmine, &attached), 1, "{at_end:?}");
        assert_eq!(case.find(&*adapter).await.unwrap().issues, [again], "{at_end:?}");
    }
}

#[tokio::test]
async fn a_token_that_redmine_has_forgotten_is_sent_anew() {
    let Some(redmine) = Redmine::start().unwrap() else { return };
    let mut case = Case::new();
    case.timeout = Duration::from_secs(30);
    case.attach("shot.png", "image/png", b"picture");
    let adapter = at(&case, &redmine, &redmine.url());
    let upload = Step::Upload { receipt: None, attachment: &case.issue.attachments[0] };
    let token = case::done(adapter.send(&case.issue, upload).await).reference.unwrap();
    redmine.ask("DELETE FROM attachments").unwrap();
    let files = [(&case.issue.attachments[0], token.as_str())];
    let receipt =
        case::done(adapter.send(&case.issue, Step::Create { uploaded: &files }).await).receipt.unwrap();
    assert_eq!(count(&redmine, "issues"), 1);
    let attached =
        format!("attachments WHERE container_type = 'Issue' AND container_id = {}", receipt.number);
    assert_eq!(count(&redmine, &attached), 1, "with its file");
}

#[tokio::test]
async fn refusals_say_what_to_do() {
    let Some(redmine) = Redmine::start().unwrap() else { return };
    let mut case = Case::new();
    case.timeout = Duration::from_secs(30);
    let wrong = case.open(TrackerKind::Redmine, &redmine.url(), "demo", Some("wrong")).unwrap();
    assert_eq!(kind(&wrong.account().await.expect_err("no account")), "sign-in");
    assert_eq!(kind(&case.create(&*wrong).await), "sign-in");
    for (project, words) in [("nowhere", "is not there"), ("closed", "is closed")] {
        let adapter = case.open(TrackerKind::Redmine, &redmine.url(), project, Some(redmine.key())).unwrap();
        let reply = adapter.account().await.expect_err("no account");
        assert_eq!(cause(&reply).kind, CauseKind::Setup, "{reply:?}");
        assert!(cause(&reply).words.contains(words), "{reply:?}");
        let reply = case.create(&*adapter).await;
        assert_eq!(kind(&reply), "refused", "{reply:?}");
        assert!(cause(&reply).words.contains(&format!("Check that {project} takes issues")), "{reply:?}");
    }
    let nobody =
        case.open(TrackerKind::Redmine, &format!("{}/nowhere", redmine.url()), "demo", Some("x")).unwrap();
    let reply = nobody.account().await.expect_err("no account");
    assert!(cause(&reply).words.starts_with("No Redmine answers at "), "{reply:?}");
    case.attach("large.bin", "application/octet-stream", &vec![7; 6 * 1024 * 1024]);
    let adapter = at(&case, &redmine, &redmine.url());
    let reply = case.deliver(TrackerKind::Redmine, &*adapter).await.expect_err("too large");
    assert!(cause(&reply).words.contains("large.bin was not taken"), "{reply:?}");
    assert_eq!(count(&redmine, "issues"), 0);
}

#[tokio::test]
async fn below_a_path_and_behind_a_front_end_each_refusal_has_its_class() {
    let Some(redmine) = Redmine::start_below("/redmine").unwrap() else { return };
    let Some(nginx) = Nginx::start(redmine.port).unwrap() else { return };
    let mut case = Case::new();
    case.timeout = Duration::from_secs(30);
    case.attach("shot.png", "image/png", &vec![7; 20_000]);

    let through = at(&case, &redmine, &nginx.url("redmine"));
    assert_eq!(through.account().await.unwrap().login.as_deref(), Some("ada"));
    let receipt = case.deliver(TrackerKind::Redmine, &*through).await.unwrap().receipt.unwrap();
    assert!(receipt.url.starts_with(&nginx.url("redmine/issues/")), "{}", receipt.url);
    assert_eq!(case.find(&*through).await.unwrap().issues, [receipt]);
    let direct = at(&case, &redmine, &redmine.url());
    assert_eq!(case.find(&*direct).await.unwrap().issues.len(), 1, "it is the same one");

    let reply = case
        .deliver(TrackerKind::Redmine, &*at(&case, &redmine, &nginx.url("small")))
        .await
        .expect_err("413");
    assert_eq!(kind(&reply), "refused", "{reply:?}");
    assert!(cause(&reply).words.starts_with("shot.png is too large for 127.0.0.1"), "{reply:?}");

    case.issue.attachments.clear();
    let slow = at(&case, &redmine, &nginx.url("slow-down"));
    assert!(case.find(&*slow).await.is_ok(), "the first request of the minute");
    let reply = case.create(&*slow).await;
    assert_eq!(kind(&reply), "rate limited", "{reply:?}");
    let reply = case.create(&*at(&case, &redmine, &nginx.url("down"))).await;
    assert_eq!((kind(&reply), cause(&reply).kind), ("doubt", CauseKind::Trouble), "{reply:?}");
    for path in ["moved", "moved-for-now"] {
        let reply = case.create(&*at(&case, &redmine, &nginx.url(path))).await;
        assert_eq!((kind(&reply), cause(&reply).kind), ("refused", CauseKind::Redirect), "{reply:?}");
        assert!(cause(&reply).words.contains("/redmine"), "{reply:?}");
    }
    assert_eq!(count(&redmine, "issues"), 1, "no redirect was followed");
}

/// The key of ada.
struct Pocket(&'static str);

#[async_trait::async_trait]
impl Secrets for Pocket {
    async fn token(&self, _name: &str) -> problem::Result<Option<secrecy::SecretString>> {
        Ok(Some(self.0.into()))
    }
    async fn keep(&self, _name: &str, _token: secrecy::SecretString) -> problem::Result<()> {
        Ok(())
    }
    async fn forget(&self, _name: &str) -> problem::Result<()> {
        Ok(())
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_engine_files_once_whatever_gets_lost_on_the_way() {
    let Some(redmine) = Redmine::start().unwrap() else { return };
    let proxy = Proxy::start(redmine.port, "", "").await.unwrap();
    let dir = tempfile::tempdir().unwrap();
    let engine = Engine::open(Options {
        home: dir.path().join("home"),
        documents: dir.path().join("Documents"),
        secrets: std::sync::Arc::new(Pocket(redmine.key())),
        clock: std::sync::Arc::new(SystemClock::new()),
        trackers: std::sync::Arc::new(Known),
        adoption: Adoption::No,
    })
    .unwrap();
    for (key, value) in
        [("drain.quiet_ms", "300"), ("drain.backoff_base_ms", "50"), ("drain.stage_timeout_ms", "6000")]
    {
        engine.set_setting(key, value).unwrap();
    }
    let new = NewDestination {
        name: "work".into(),
        tracker: TrackerKind::Redmine,
        url: Some(proxy.url()),
        project: Some("demo".into()),
        path: None,
        branch: None,
        honours_key: false,
        ca: None,
    };
    engine.add_destination(&new, None).await.unwrap();

    let breaks = [
        Break::AfterHead,
        Break::AfterBody,
        Break::AfterAnswer(60),
        Break::Reset,
        Break::Stall,
        Break::Page(502),
    ];
    // With a file, whose token is the fence; and as text alone, which has none.
    let all = breaks.map(|at_end| (at_end, true)).into_iter().chain(breaks.map(|at_end| (at_end, false)));
    for (at_end, has_file) in all {
        // Once on each way: to the file, to the issue, and while the issue is looked for.
        for (method, end) in [("POST", "/uploads.json"), ("POST", "/issues.json"), ("GET", "/issues.json")] {
            if has_file || end != "/uploads.json" {
                proxy.break_off(method, end, at_end, 1);
            }
        }
        let draft = engine.new_draft().unwrap();
        if has_file {
            engine.attach_bytes(draft.id, "log.txt", format!("{at_end:?}").as_bytes()).unwrap();
        }
        let edit = DraftEdit {
            id: draft.id,
            revision: draft.revision,
            destination: Some("work".into()),
            title: format!("{at_end:?}"),
            body: String::new(),
            labels: Vec::new(),
            milestone: None,
            assignees: Vec::new(),
        };
        let draft = engine.save_draft(&edit).unwrap();
        let saved = engine.file_draft(draft.id, draft.revision).unwrap();
        engine.drain(true, Some(Duration::from_secs(120))).await.unwrap();
        let entry = engine.entry(saved.id).unwrap().entry;
        assert_eq!(entry.state, EntryState::Filed, "{at_end:?}: {:?}", entry.reason);
        let receipt = entry.receipt.unwrap();
        assert!(receipt.url.ends_with(&format!("/issues/{}", receipt.number)), "{receipt:?}");
    }
    let rows = redmine
        .ask(
            "SELECT subject, (SELECT count(*) FROM attachments
               WHERE container_type = 'Issue' AND container_id = issues.id) FROM issues ORDER BY id",
        )
        .unwrap();
    let row = |files: u8| breaks.map(|at_end| format!("{at_end:?}|{files}"));
    assert_eq!(rows, [row(1), row(0)].concat(), "one issue each, with its file");
    engine.stop(Duration::from_secs(1)).await;
}
