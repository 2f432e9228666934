//! Filing at a GitLab: quick actions, projects that have moved, scopes, plain refusals.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

#[path = "support/tracker_case.rs"]
mod case;

use case::{Case, cause, kind};
use outtray_core::issue::TrackerKind;
use outtray_core::tracker::{CauseKind, Reply, Tracker};
use outtray_support::{Dialect, PracticeTracker, Route, What};

async fn practice() -> PracticeTracker {
    PracticeTracker::start_as(Dialect::GitLab).await.unwrap()
}

fn at(case: &Case, server: &PracticeTracker) -> Box<dyn Tracker> {
    case.at(TrackerKind::GitLab, &server.url())
}

#[tokio::test]
async fn a_pasted_log_closes_nothing() {
    let server = practice().await;
    let mut case = Case::new();
    case.issue.title = format!("/close {}", "x".repeat(300));
    case.issue.body = "It said:\r\n/close\r\n/label ~bug\r\n/usr/lib/x.so\n  /assign @ada".into();
    case.deliver(TrackerKind::GitLab, &*at(&case, &server)).await.unwrap();
    let issue = &server.issues()[0];
    assert!(!issue.is_closed);
    assert!(
        issue.body.contains("\r\n\\/close\r\n\\/label ~bug\r\n/usr/lib/x.so\n  \\/assign @ada\n"),
        "{}",
        issue.body
    );
    assert!(issue.body.starts_with("\\/close xxx"), "also what was cut of the title: {}", issue.body);
}

#[tokio::test]
async fn a_project_that_has_moved_is_found_by_its_path_and_used_by_its_number() {
    let server = practice().await;
    server.change(|project| {
        project.former = Some("ada/demo".into());
        project.owner = "new/group".into();
    });
    let mut case = Case::new();
    case.issue.labels = vec!["bug".into()];
    case.attach("shot.png", "image/png", b"picture");
    let adapter = at(&case, &server);
    let account = adapter.account().await.unwrap();
    assert!(account.words.contains("new/group/demo"), "{}", account.words);
    let receipt = case.deliver(TrackerKind::GitLab, &*adapter).await.unwrap().receipt.unwrap();
    assert_eq!(receipt.url, format!("{}/new/group/demo/-/issues/1", server.url()));
    assert_eq!(case.find(&*adapter).await.unwrap().issues, [receipt]);
    assert_eq!((server.issues().len(), server.files().len()), (1, 1));
}

#[tokio::test]
async fn nothing_is_in_doubt_while_only_the_new_place_is_asked_for() {
    let server = practice().await;
    server.change(|project| {
        project.former = Some("ada/demo".into());
        project.name = "moved".into();
    });
    for (what, expected) in [
        (What::CutAfterBody, "not sent"),
        (What::TroubleBefore { status: 502 }, "refused"),
        (What::Unauthorized, "refused"),
    ] {
        let case = Case::new();
        server.fault(Route::Project, what.clone());
        let reply = case.create(&*at(&case, &server)).await;
        assert_eq!(kind(&reply), expected, "{what:?}: {reply:?}");
    }
    assert!(server.issues().is_empty());
}

#[tokio::test]
async fn a_project_in_groups_is_one_part_of_an_address() {
    let server = practice().await;
    server.change(|project| project.owner = "group/part".into());
    let case = Case::new();
    let adapter = case
        .open(TrackerKind::GitLab, &server.url(), "group/part/demo", Some(outtray_support::TOKEN))
        .unwrap();
    let receipt = case.deliver(TrackerKind::GitLab, &*adapter).await.unwrap().receipt.unwrap();
    assert!(receipt.url.ends_with("/group/part/demo/-/issues/1"), "{}", receipt.url);
    assert!(server.requests().iter().all(|request| request.target.contains("/projects/group%2Fpart%2Fdemo")));
    let seen = adapter.recognise(&case.issue, &receipt.url.parse().unwrap()).await.unwrap();
    assert_eq!(seen, Some(receipt));
}

#[tokio::test]
async fn a_token_that_may_only_read_says_which_scope_is_missing() {
    let server = practice().await;
    server.change(|project| project.may_push = false);
    let case = Case::new();
    let adapter = at(&case, &server);
    for reply in [adapter.account().await.expect_err("no account"), case.create(&*adapter).await] {
        assert_eq!(kind(&reply), "sign-in", "{reply:?}");
        assert!(cause(&reply).words.contains("scope “api”"), "{reply:?}");
    }
}

#[tokio::test]
async fn refusals_in_every_shape_are_told() {
    for (status, body, words) in [
        ("400 Bad", r#"{"message":{"title":["is too odd"]}}"#, "title is too odd"),
        ("400 Bad", r#"{"message":{"error":"Spam detected"}}"#, "error Spam detected"),
        ("400 Bad", r#"{"error":"title is missing"}"#, "title is missing"),
        ("409 Conflict", r#"{"message":"Duplicated issue"}"#, "Duplicated issue"),
    ] {
        let server = practice().await;
        let case = Case::new();
        let head =
            format!("HTTP/1.1 {status}\r\nContent-Type: application/json\r\nContent-Length: {}", body.len());
        server.fault(Route::Create, What::Raw { answer: format!("{head}\r\n\r\n{body}") });
        let reply = case.create(&*at(&case, &server)).await;
        assert_eq!((kind(&reply), cause(&reply).kind), ("refused", CauseKind::Refused), "{reply:?}");
        assert!(cause(&reply).words.contains(words), "{reply:?}");
    }
}

#[tokio::test]
async fn a_plain_retry_later_is_a_rate_limit() {
    let server = practice().await;
    let case = Case::new();
    let head = "HTTP/1.1 429 X\r\nContent-Type: text/plain\r\nRetry-After: 40\r\nContent-Length: 12";
    server.fault(Route::Create, What::Raw { answer: format!("{head}\r\n\r\nRetry later\n") });
    let reply = case.create(&*at(&case, &server)).await;
    assert!(
        matches!(&reply, Reply::RateLimited { wait: Some(wait), .. } if wait.as_secs() == 40),
        "{reply:?}"
    );
}

#[tokio::test]
async fn a_file_that_is_too_large_says_which() {
    let server = practice().await;
    server.change(|project| project.most_bytes = 10);
    let mut case = Case::new();
    case.attach("shot.png", "image/png", &[1; 5_000]);
    let reply = case.deliver(TrackerKind::GitLab, &*at(&case, &server)).await.expect_err("too large");
    assert_eq!(kind(&reply), "refused");
    assert!(cause(&reply).words.starts_with("shot.png is too large for 127.0.0.1"), "{reply:?}");
}
