//! Filing at a Gitea or Forgejo: what is sent, what is found again, and what each fault comes to.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

#[path = "support/tracker_case.rs"]
mod case;

use std::time::Duration;

use case::{Case, cause, done, kind};
use outtray_core::issue::Receipt;
use outtray_core::tracker::{CauseKind, Reply, Step, Tracker, marker};
use outtray_support::{Logged, PracticeTracker, Route, What};

async fn practice() -> PracticeTracker {
    PracticeTracker::start().await.unwrap()
}

fn asked<'a>(requests: &'a [Logged], method: &str, end: &str) -> Vec<&'a Logged> {
    let path = |logged: &Logged| logged.target.split('?').next().unwrap_or_default().to_owned();
    requests.iter().filter(|logged| logged.method == method && path(logged).ends_with(end)).collect()
}

#[tokio::test]
async fn an_issue_arrives_whole_with_its_pictures_in_the_body() {
    let server = practice().await;
    let mut case = Case::new();
    case.issue.labels = vec!["UI".into(), "no such label".into(), "bug".into(), "ui".into()];
    case.attach("shot é \"q\" [1].png", "image/png", b"picture").attach("log.txt", "text/plain", b"");
    let tracker = case.gitea(&server.url());

    let receipt = case.created(&*tracker).await;
    let picture = case.uploaded(&*tracker, &receipt, 0).await;
    case.uploaded(&*tracker, &receipt, 1).await;
    let pictures = [(&case.issue.attachments[0], picture.as_str())];
    done(tracker.send(&case.issue, Step::Embed { receipt: &receipt, pictures: &pictures }).await);

    let [issue] = server.issues().try_into().unwrap();
    assert_eq!(receipt.number, "1");
    assert_eq!(receipt.url, format!("{}/ada/demo/issues/1", server.url()));
    assert_eq!(issue.title, "Crash on save");
    assert_eq!(
        issue.labels,
        [2, 1],
        "by name, whatever the case, each once; one that is not there is left out"
    );
    assert_eq!(issue.assets.len(), 2);
    assert_eq!(
        (issue.assets[0].name.as_str(), issue.assets[0].bytes.as_slice()),
        ("shot é \"q\" [1].png", b"picture".as_slice())
    );
    assert_eq!(issue.assets[0].media_type, "image/png");
    assert_eq!((issue.assets[1].name.as_str(), issue.assets[1].bytes.len()), ("log.txt", 0));
    assert_eq!(
        issue.body,
        format!(
            "It crashed.\r\nTwice. 🦀\n\n![shot é \"q\" \\[1\\].png]({}/attachments/{})\n\n{}",
            server.url(),
            issue.assets[0].uuid,
            marker::of(case.issue.key)
        )
    );
}

#[tokio::test]
async fn the_account_that_filed_is_told() {
    let server = practice().await;
    let case = Case::new();
    let done = done(case.create(&*case.gitea(&server.url())).await);
    assert_eq!(done.login.as_deref(), Some("ada"));
}

#[tokio::test]
async fn every_request_has_its_length_its_token_and_a_connection_of_its_own() {
    let server = practice().await;
    let mut case = Case::new();
    case.attach("shot.png", "image/png", &vec![3; 300_000]);
    let tracker = case.gitea(&server.url());
    let receipt = case.created(&*tracker).await;
    case.uploaded(&*tracker, &receipt, 0).await;
    case.find(&*tracker).await.unwrap();

    let requests = server.requests();
    // The issue, what the server takes, the file, the list.
    assert_eq!(requests.len(), 4, "no request that was not asked for: {requests:?}");
    for request in &requests {
        let header = |name: &str| {
            request.headers.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
        };
        assert!(request.is_signed_in, "{request:?}");
        assert_eq!(header("connection"), Some("close"), "{request:?}");
        assert_eq!(header("transfer-encoding"), None, "{request:?}");
        assert_eq!(header("accept-encoding"), None, "nothing packed comes back: {request:?}");
        if request.method == "POST" {
            assert_eq!(
                header("content-length"),
                Some(request.body_bytes.to_string().as_str()),
                "{request:?}"
            );
        }
    }
}

#[tokio::test]
async fn below_a_sub_path_everything_stays_below_it() {
    let server = practice().await;
    server.change(|project| project.sub_path = "/git/tea".into());
    let mut case = Case::new();
    case.attach("shot.png", "image/png", b"picture");
    // As people type it.
    let tracker = case.gitea(&format!("  {}/ ", server.url()));

    tracker.account().await.unwrap();
    let receipt = case.created(&*tracker).await;
    let reference = case.uploaded(&*tracker, &receipt, 0).await;
    let pictures = [(&case.issue.attachments[0], reference.as_str())];
    done(tracker.send(&case.issue, Step::Embed { receipt: &receipt, pictures: &pictures }).await);

    assert_eq!(receipt.url, format!("{}/ada/demo/issues/1", server.url()));
    assert!(server.issues()[0].body.contains("/git/tea/attachments/"), "{}", server.issues()[0].body);
    assert_eq!(case.find(&*tracker).await.unwrap().issues, [receipt]);
    assert!(server.requests().iter().all(|request| request.target.starts_with("/git/tea/api/v1/")));
}

#[tokio::test]
async fn titles_and_bodies_arrive_as_the_server_can_take_them() {
    let server = practice().await;
    let mut case = Case::new();
    case.issue.title = format!("first\r\nsecond\0 \u{202e}{}", "🦀".repeat(300));
    let other = outtray_core::issue::Key::fresh();
    case.issue.body = format!("a\r\nb\0c\n{}", marker::of(other));
    let tracker = case.gitea(&server.url());
    case.created(&*tracker).await;

    let [issue] = server.issues().try_into().unwrap();
    assert!(issue.title.starts_with("first second \u{202e}🦀"), "{}", issue.title);
    assert_eq!(issue.title.chars().count(), 255);
    let whole = format!("first second \u{202e}{}\n\n", "🦀".repeat(300));
    let text =
        issue.body.strip_prefix(&whole).expect("what was cut of the title stands whole above the text");
    assert!(text.starts_with("a\r\nbc\n&lt;!-- outtray:"), "{text}");
    assert!(issue.body.ends_with(&marker::of(case.issue.key)));

    let mut large = Case::new();
    large.issue.body = "long ".repeat(210_000);
    large.created(&*tracker).await;
    assert!(server.issues()[1].body.len() > 1_000_000, "a megabyte of text is text");
}

#[tokio::test]
async fn a_pasted_body_of_another_issue_does_not_stand_for_it() {
    let server = practice().await;
    let first = Case::new();
    let tracker = first.gitea(&server.url());
    first.created(&*tracker).await;
    let mut second = Case::new();
    second.issue.body = server.issues()[0].body.clone();
    second.created(&*tracker).await;

    let numbers =
        |seen: outtray_core::tracker::Seen| seen.issues.into_iter().map(|it| it.number).collect::<Vec<_>>();
    assert_eq!(numbers(first.find(&*tracker).await.unwrap()), ["1"]);
    assert_eq!(numbers(second.find(&*tracker).await.unwrap()), ["2"]);
}

#[tokio::test]
async fn a_lost_answer_is_doubt_and_the_look_finds_the_issue() {
    for (what, kind_of_cause) in [
        (What::CutAfterBody, CauseKind::Cut),
        (What::CutAfterAnswer { bytes: 40 }, CauseKind::Cut),
        (What::CutAfterAnswer { bytes: 400 }, CauseKind::Cut),
        (What::TroubleAfter { status: 500 }, CauseKind::Trouble),
        (What::TroubleAfter { status: 504 }, CauseKind::Trouble),
        (What::DelayAfter { ms: 60_000 }, CauseKind::Timeout),
        (What::ForeignLink, CauseKind::NotTheTracker),
    ] {
        let server = practice().await;
        let mut case = Case::new();
        case.timeout = Duration::from_millis(400);
        let tracker = case.gitea(&server.url());
        server.fault(Route::Create, what.clone());

        let reply = case.create(&*tracker).await;

        assert_eq!((kind(&reply), cause(&reply).kind), ("doubt", kind_of_cause), "{what:?}: {reply:?}");
        assert_eq!(
            asked(&server.requests(), "POST", "/issues").len(),
            1,
            "{what:?}: one call is one request"
        );
        let seen = case.find(&*tracker).await.unwrap();
        assert_eq!(seen.issues.len(), 1, "{what:?}");
        assert_eq!(seen.issues[0].url, format!("{}/ada/demo/issues/1", server.url()), "{what:?}");
    }
}

#[tokio::test]
async fn what_may_have_arrived_is_doubt_even_when_nothing_happened() {
    for what in [
        What::CutAfterHead,
        What::Drop,
        What::TroubleBefore { status: 503 },
        What::Html { status: 502 },
        What::Html { status: 403 },
        What::LoginPage,
        What::NoId,
        What::Stall,
        What::StallUnread,
    ] {
        let server = practice().await;
        let mut case = Case::new();
        case.timeout = Duration::from_millis(400);
        let tracker = case.gitea(&server.url());
        server.fault(Route::Create, what.clone());
        let reply = case.create(&*tracker).await;
        assert_eq!(kind(&reply), "doubt", "{what:?}: {reply:?}");
        assert!(case.find(&*tracker).await.unwrap().issues.is_empty(), "{what:?}: it is not there");
    }
}

#[tokio::test]
async fn what_the_tracker_itself_refuses_is_refused_in_its_words() {
    let redirect = What::Redirect { code: 307, to: "https://new.example.org/api/v1/x?token=secret".into() };
    for (what, expected, part) in [
        (
            What::Invalid { message: "title is not nice".into() },
            "refused",
            "\u{201c}title is not nice\u{201d}",
        ),
        (What::Forbidden { message: "repo quota exceeded".into() }, "refused", "repo quota exceeded"),
        (What::Html { status: 413 }, "refused", "that large"),
        (What::Html { status: 404 }, "refused", "There is no tracker at http://127.0.0.1:"),
        (redirect, "refused", "it is now https://new.example.org/api/v1/x."),
        (What::Unauthorized, "sign-in", "did not accept the sign-in"),
        (
            What::Forbidden { message: "token does not have at least one of required scope(s)".into() },
            "sign-in",
            "scope",
        ),
        (What::RateLimit { retry_after: Some("7".into()) }, "rate limited", "asks to wait"),
        (What::Html { status: 407 }, "not sent", "proxy"),
    ] {
        let server = practice().await;
        let case = Case::new();
        let tracker = case.gitea(&server.url());
        server.fault(Route::Create, what.clone());
        let reply = case.create(&*tracker).await;
        assert_eq!(kind(&reply), expected, "{what:?}: {reply:?}");
        assert!(cause(&reply).words.contains(part), "{what:?}: {}", cause(&reply).words);
        assert!(!format!("{reply:?}").contains("secret"), "no query in words or log: {reply:?}");
        assert!(server.issues().is_empty());
    }
}

#[tokio::test]
async fn a_project_that_takes_no_issues_says_why() {
    let server = practice().await;
    let case = Case::new();
    let tracker = case.gitea(&server.url());
    server.change(|project| project.is_archived = true);
    let reply = case.create(&*tracker).await;
    assert_eq!((kind(&reply), cause(&reply).kind), ("refused", CauseKind::Setup));
    assert!(cause(&reply).words.contains("archived"), "{reply:?}");

    server.change(|project| {
        project.is_archived = false;
        project.has_issues = false;
    });
    let reply = case.create(&*tracker).await;
    assert_eq!((kind(&reply), cause(&reply).kind), ("refused", CauseKind::Setup));
    assert!(cause(&reply).words.contains("switched off"), "{reply:?}");
}

#[tokio::test]
async fn nothing_is_in_doubt_while_only_labels_were_asked_for() {
    for (what, expected) in [
        (What::CutAfterBody, "not sent"),
        (What::TroubleBefore { status: 502 }, "not sent"),
        (What::LoginPage, "not sent"),
        (What::Stall, "not sent"),
        (What::Unauthorized, "sign-in"),
        (What::RateLimit { retry_after: None }, "rate limited"),
        (What::Forbidden { message: "token does not have at least one of required scope(s)".into() }, "done"),
        (What::Invalid { message: "no".into() }, "done"),
    ] {
        let server = practice().await;
        let mut case = Case::new();
        case.timeout = Duration::from_millis(400);
        case.issue.labels = vec!["bug".into()];
        let tracker = case.gitea(&server.url());
        server.fault(Route::Labels, what.clone());
        let reply = case.create(&*tracker).await;
        assert_eq!(kind(&reply), expected, "{what:?}: {reply:?}");
        assert_eq!(server.issues().len(), usize::from(expected == "done"), "{what:?}");
    }
}

#[tokio::test]
async fn a_server_that_is_switched_off_was_sent_nothing() {
    let mut server = PracticeTracker::asleep().await.unwrap();
    let case = Case::new();
    let tracker = case.gitea(&server.url());
    let reply = case.create(&*tracker).await;
    assert_eq!((kind(&reply), cause(&reply).kind), ("not sent", CauseKind::Unreachable));
    assert_eq!(cause(&reply).words, format!("127.0.0.1:{} does not answer.", server.port()));

    server.wake().await.unwrap();
    case.created(&*tracker).await;
    server.stop().await;
    assert_eq!(kind(&case.create(&*tracker).await), "not sent");
    server.wake().await.unwrap();
    assert_eq!(case.find(&*tracker).await.unwrap().issues.len(), 1, "its issues outlive the switch");
}

#[tokio::test]
async fn a_dropped_upload_sends_no_more_than_the_kernel_had_taken() {
    let server = practice().await;
    let mut case = Case::new();
    // More than socket buffers take, so that the send is in the middle of its body.
    let size = 24 * 1024 * 1024;
    case.attach("large.bin", "application/octet-stream", &vec![1; size]);
    let tracker = case.gitea(&server.url());
    let receipt = case.created(&*tracker).await;
    server.fault(Route::Upload, What::ReadLate { ms: 300 });
    let step = Step::Upload { receipt: Some(&receipt), attachment: &case.issue.attachments[0] };

    let mut send = Box::pin(tracker.send(&case.issue, step));
    tokio::select! {
        reply = &mut send => panic!("{reply:?}"),
        () = server.until(|log| asked(log, "POST", "/assets").len() == 1) => {}
    }
    drop(send);

    let went = server.until(|log| log.iter().any(|logged| logged.client_went));
    tokio::time::timeout(Duration::from_secs(10), went).await.expect("the connection is closed");
    let arrived = asked(&server.requests(), "POST", "/assets")[0].body_bytes;
    assert!(arrived < size, "{arrived} bytes of {size} arrived");
    assert!(server.issues()[0].assets.is_empty(), "half a body is no attachment");
}

#[tokio::test]
async fn a_dropped_create_closes_its_connection_while_the_answer_is_awaited() {
    let server = practice().await;
    let case = Case::new();
    let tracker = case.gitea(&server.url());
    server.fault(Route::Create, What::Stall);
    let mut send = Box::pin(tracker.send(&case.issue, Step::Create { uploaded: &[] }));
    tokio::select! {
        reply = &mut send => panic!("{reply:?}"),
        () = server.until(|log| log.iter().any(|logged| logged.body_bytes > 0)) => {}
    }
    drop(send);
    let went = server.until(|log| log.iter().any(|logged| logged.client_went));
    tokio::time::timeout(Duration::from_secs(5), went).await.expect("the connection is closed at once");
}

#[tokio::test]
async fn an_attachment_that_is_not_taken_says_which_and_why() {
    for (what, words) in [
        (What::Invalid { message: "forbidden file type".into() }, "forbidden file type"),
        (What::Html { status: 413 }, "too large"),
        (What::Forbidden { message: "user should be owner".into() }, "may not attach"),
    ] {
        let server = practice().await;
        let mut case = Case::new();
        case.attach("shot.png", "image/png", b"picture");
        let tracker = case.gitea(&server.url());
        let receipt = case.created(&*tracker).await;
        server.fault(Route::Upload, what.clone());
        let step = Step::Upload { receipt: Some(&receipt), attachment: &case.issue.attachments[0] };
        let reply = tracker.send(&case.issue, step).await;
        assert_eq!(kind(&reply), "refused", "{what:?}: {reply:?}");
        assert!(cause(&reply).words.contains("shot.png") && cause(&reply).words.contains(words), "{reply:?}");
    }
}

#[tokio::test]
async fn a_changed_or_missing_copy_is_not_sent() {
    let server = practice().await;
    let mut case = Case::new();
    case.attach("shot.png", "image/png", b"picture");
    let tracker = case.gitea(&server.url());
    let receipt = case.created(&*tracker).await;
    let step = Step::Upload { receipt: Some(&receipt), attachment: &case.issue.attachments[0] };
    std::fs::write(case.attachments.path().join("file-1"), b"pictura").unwrap();
    let reply = tracker.send(&case.issue, step).await;
    assert_eq!((kind(&reply), cause(&reply).kind), ("refused", CauseKind::Local), "{reply:?}");
    std::fs::remove_file(case.attachments.path().join("file-1")).unwrap();
    let reply = tracker.send(&case.issue, step).await;
    assert!(cause(&reply).words.contains("gone from this computer"), "{reply:?}");
    assert!(asked(&server.requests(), "POST", "/assets").is_empty(), "nothing left this computer");
}

async fn with_picture(server: &PracticeTracker) -> (Case, Box<dyn Tracker>, Receipt, String) {
    let mut case = Case::new();
    case.attach("shot.png", "image/png", b"picture");
    let tracker = case.gitea(&server.url());
    let receipt = case.created(&*tracker).await;
    let reference = case.uploaded(&*tracker, &receipt, 0).await;
    (case, tracker, receipt, reference)
}

#[tokio::test]
async fn an_embed_twice_is_an_embed_once() {
    let server = practice().await;
    let (case, tracker, receipt, reference) = with_picture(&server).await;
    let pictures = [(&case.issue.attachments[0], reference.as_str())];
    let step = Step::Embed { receipt: &receipt, pictures: &pictures };
    assert!(tracker.look(&case.issue, case.look(step)).await.unwrap().references.is_empty());

    server.fault(Route::Embed, What::CutAfterBody);
    assert_eq!(kind(&tracker.send(&case.issue, step).await), "doubt");
    done(tracker.send(&case.issue, step).await);

    assert_eq!(server.issues()[0].body.matches("![shot.png]").count(), 1);
    assert_eq!(
        asked(&server.requests(), "PATCH", "/issues/1").len(),
        1,
        "what is there is not written again"
    );
    assert_eq!(tracker.look(&case.issue, case.look(step)).await.unwrap().references, [String::new()]);
}

#[tokio::test]
async fn an_embed_keeps_what_somebody_wrote_meanwhile() {
    let server = practice().await;
    let (case, tracker, receipt, reference) = with_picture(&server).await;
    let pictures = [(&case.issue.attachments[0], reference.as_str())];
    let step = Step::Embed { receipt: &receipt, pictures: &pictures };
    server.edit_issue(1, |issue| issue.body = "I know why.".into());
    done(tracker.send(&case.issue, step).await);
    let body = server.issues()[0].body.clone();
    assert!(body.starts_with("I know why.\n\n![shot.png](http"), "{body}");
}

#[tokio::test]
async fn pictures_are_linked_on_our_origin_when_the_server_does_not_know_its_own() {
    let server = practice().await;
    server.change(|project| project.root_url = Some("http://localhost:3000".into()));
    let mut case = Case::new();
    case.attach("shot.png", "image/png", b"picture");
    let tracker = case.gitea(&server.url());
    assert_eq!(kind(&case.create(&*tracker).await), "doubt", "a link to somewhere else is no proof");
    let [receipt] = case.find(&*tracker).await.unwrap().issues.try_into().unwrap();
    assert_eq!(
        receipt.url,
        format!("{}/ada/demo/issues/1", server.url()),
        "the link that it should have given"
    );
    let reference = case.uploaded(&*tracker, &receipt, 0).await;
    let pictures = [(&case.issue.attachments[0], reference.as_str())];
    done(tracker.send(&case.issue, Step::Embed { receipt: &receipt, pictures: &pictures }).await);
    let issue = &server.issues()[0];
    assert!(
        issue.body.contains(&format!("{}/attachments/{}", server.url(), issue.assets[0].uuid)),
        "{}",
        issue.body
    );
}

#[tokio::test]
async fn a_deleted_issue_takes_no_pictures() {
    let server = practice().await;
    let (case, tracker, receipt, reference) = with_picture(&server).await;
    let gone = Receipt { number: "77".into(), ..receipt };
    let pictures = [(&case.issue.attachments[0], reference.as_str())];
    let reply = tracker.send(&case.issue, Step::Embed { receipt: &gone, pictures: &pictures }).await;
    assert_eq!(kind(&reply), "refused");
    assert_eq!(cause(&reply).words, "#77 is not in ada/demo any more.");
}

#[tokio::test]
async fn an_account_says_who_it_is_and_where_it_may_file() {
    let server = practice().await;
    let case = Case::new();
    let tracker = case.gitea(&server.url());
    let account = tracker.account().await.unwrap();
    assert_eq!(account.login.as_deref(), Some("ada"));
    assert_eq!(account.words, "Gitea 1.22.6, signed in as ada, may file in ada/demo.");

    server.change(|project| {
        project.version = "11.0.3+gitea-1.22.0".into();
        project.may_read_user = false;
        project.may_push = false;
    });
    let account = tracker.account().await.unwrap();
    assert_eq!(account.login, None, "a token that may file need not be allowed to say whose it is");
    assert!(
        account.words.starts_with("Forgejo 11.0.3, signed in, may file in ada/demo."),
        "{}",
        account.words
    );
    assert!(account.words.contains("Labels will be left out"), "{}", account.words);
}

#[tokio::test]
async fn an_account_that_cannot_file_says_what_is_missing() {
    let server = practice().await;
    let case = Case::new();
    let tracker = case.gitea(&server.url());
    let words = async || cause(&tracker.account().await.expect_err("no account")).words.clone();
    server.fault(Route::User, What::Unauthorized);
    assert!(words().await.contains("did not accept the sign-in"));
    server.change(|project| project.is_archived = true);
    assert_eq!(words().await, "ada/demo is archived and takes no issues.");
    server.change(|project| (project.is_archived, project.has_issues) = (false, false));
    assert_eq!(words().await, "The issues of ada/demo are switched off.");
    server.change(|project| project.name = "other".into());
    assert_eq!(words().await, "ada/demo is not there, or ada may not see it.");
    server.change(|project| project.sub_path = "/git".into());
    let wrong = case.gitea(&server.url().replace("/git", ""));
    let reply = wrong.account().await.expect_err("no account");
    assert_eq!(cause(&reply).kind, CauseKind::Setup);
    assert!(cause(&reply).words.starts_with("No Gitea or Forgejo answers at http://127.0.0.1:"), "{reply:?}");

    let without = case.gitea_with(&server.url(), None).unwrap();
    assert_eq!(kind(&without.account().await.expect_err("no account")), "sign-in");
}

#[tokio::test]
async fn a_destination_that_cannot_be_used_is_told_before_anything_is_asked() {
    let case = Case::new();
    for (url, token, words) in [
        ("http://git.example.org", "t", "plain http"),
        ("ftp://git.example.org", "t", "ftp://"),
        ("https://git.example.org", "line\nbreak", "characters that no token has"),
    ] {
        let cause = case.gitea_with(url, Some(token)).err().expect(url);
        assert_eq!(cause.kind, CauseKind::Setup);
        assert!(cause.words.contains(words), "{}", cause.words);
        assert!(!format!("{cause:?}").contains("line"), "the token is nowhere: {cause:?}");
    }
}

#[tokio::test]
async fn a_portal_instead_of_the_tracker_is_no_look_and_no_account() {
    let server = practice().await;
    let case = Case::new();
    let tracker = case.gitea(&server.url());
    server.faults(Route::Any, What::LoginPage, 2);
    assert!(matches!(case.find(&*tracker).await, Err(Reply::Doubt(_))));
    let reply = tracker.account().await.expect_err("no account");
    assert_eq!(cause(&reply).kind, CauseKind::Setup, "{reply:?}");
}

#[tokio::test]
async fn what_is_too_large_for_the_server_is_not_sent_to_it() {
    let server = practice().await;
    server.change(|project| project.most_bytes = 4 * 1024 * 1024);
    let mut case = Case::new();
    case.attach("film.mp4", "video/mp4", &vec![1; 5 * 1024 * 1024]).attach(
        "shot.png",
        "image/png",
        &vec![1; 2_000_000],
    );
    let tracker = case.gitea(&server.url());
    let receipt = case.created(&*tracker).await;
    let step = Step::Upload { receipt: Some(&receipt), attachment: &case.issue.attachments[0] };
    let reply = tracker.send(&case.issue, step).await;
    assert_eq!(kind(&reply), "refused", "{reply:?}");
    assert!(cause(&reply).words.starts_with("film.mp4 is larger than the 4 MB that 127.0.0.1"), "{reply:?}");
    assert!(asked(&server.requests(), "POST", "/assets").is_empty());
    // Who does not tell its limits is simply sent it.
    server.fault(Route::Settings, What::Html { status: 404 });
    case.uploaded(&*tracker, &receipt, 1).await;
}

#[tokio::test]
async fn a_kind_of_file_that_the_server_does_not_take_is_not_sent_to_it() {
    let server = practice().await;
    server.change(|project| project.allowed_types = ".png,image/jpeg".into());
    let mut case = Case::new();
    case.attach("app.log", "text/plain", b"log").attach("shot.png", "image/png", b"picture");
    let tracker = case.gitea(&server.url());
    let receipt = case.created(&*tracker).await;
    let step = Step::Upload { receipt: Some(&receipt), attachment: &case.issue.attachments[0] };
    let reply = tracker.send(&case.issue, step).await;
    assert_eq!(kind(&reply), "refused", "{reply:?}");
    let words = &cause(&reply).words;
    assert!(words.ends_with("does not take app.log. It takes .png, image/jpeg."), "{words}");
    assert!(asked(&server.requests(), "POST", "/assets").is_empty(), "small as it is, it is not sent");
    case.uploaded(&*tracker, &receipt, 1).await;
}

#[tokio::test]
async fn labels_that_an_account_may_not_set_are_told() {
    let server = practice().await;
    server.change(|project| project.may_push = false);
    let mut case = Case::new();
    case.issue.labels = vec!["bug".into()];
    let done = done(case.create(&*case.gitea(&server.url())).await);
    assert_eq!(done.told.unwrap(), "This account may not set the label “bug”.");
}
