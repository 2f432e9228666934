//! Looking at a Gitea or Forgejo for what may have arrived there.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

#[path = "support/tracker_case.rs"]
mod case;

use std::time::Duration;

use case::{Case, hour_ago_ms, kind};
use outtray_core::tracker::{Look, Step};
use outtray_support::{Logged, PracticeTracker, Route, What};

async fn practice() -> PracticeTracker {
    PracticeTracker::start().await.unwrap()
}

fn asked<'a>(requests: &'a [Logged], method: &str, end: &str) -> Vec<&'a Logged> {
    let path = |logged: &Logged| logged.target.split('?').next().unwrap_or_default().to_owned();
    requests.iter().filter(|logged| logged.method == method && path(logged).ends_with(end)).collect()
}

#[tokio::test]
async fn an_issue_that_commits_late_or_lists_late_is_found_then() {
    let server = practice().await;
    let case = Case::new();
    let tracker = case.gitea(&server.url());
    server.fault(Route::Create, What::CommitLate { ms: 300 });
    assert_eq!(kind(&case.create(&*tracker).await), "doubt");
    assert!(case.find(&*tracker).await.unwrap().issues.is_empty(), "not yet");
    server.until(|_| !server.issues().is_empty()).await;
    assert_eq!(case.find(&*tracker).await.unwrap().issues.len(), 1);

    let lagging = Case::new();
    server.fault(Route::Create, What::ListLag { ms: 300 });
    let receipt = lagging.created(&*tracker).await;
    assert!(lagging.find(&*tracker).await.unwrap().issues.is_empty(), "not listed yet");
    tokio::time::sleep(Duration::from_millis(320)).await;
    assert_eq!(lagging.find(&*tracker).await.unwrap().issues, [receipt]);
}

#[tokio::test]
async fn the_look_reads_every_page_whatever_the_server_tells_about_paging() {
    for has_paging_headers in [true, false] {
        let server = practice().await;
        server.change(|project| {
            // Less than is asked for: a short page is not the last one.
            project.most_on_page = 10;
            project.has_paging_headers = has_paging_headers;
        });
        let case = Case::new();
        let tracker = case.gitea(&server.url());
        let receipt = case.created(&*tracker).await;
        for n in 0..35 {
            server.add_issue(&format!("another {n}"), "text");
        }
        server.edit_issue(1, |issue| issue.is_closed = true);
        assert_eq!(case.find(&*tracker).await.unwrap().issues, [receipt], "headers: {has_paging_headers}");
        let lists = asked(&server.requests(), "GET", "/issues").len();
        assert!(lists <= 5, "{lists} pages");
        assert!(server.requests().iter().all(|request| !request.target.contains("q=")), "never by search");
    }
}

#[tokio::test]
async fn the_look_goes_back_to_the_first_intent_and_no_further() {
    let server = practice().await;
    server.change(|project| project.most_on_page = 10);
    for n in 0..60 {
        let number = server.add_issue(&format!("old {n}"), "text");
        server.edit_issue(number, |issue| {
            issue.created_ms -= 30 * 86_400_000;
            issue.updated_ms = issue.created_ms;
        });
    }
    let case = Case::new();
    let tracker = case.gitea(&server.url());
    assert!(case.find(&*tracker).await.unwrap().issues.is_empty());
    assert_eq!(server.requests().len(), 1, "older issues are not read");

    // A server that does not heed `since` is read until its issues are older.
    for number in 1..=60 {
        server.edit_issue(number, |issue| issue.updated_ms += 30 * 86_400_000);
    }
    assert!(case.find(&*tracker).await.unwrap().issues.is_empty());
    assert_eq!(server.requests().len(), 2);
}

#[tokio::test]
async fn the_look_finds_every_match_oldest_first() {
    let server = practice().await;
    let case = Case::new();
    let tracker = case.gitea(&server.url());
    case.created(&*tracker).await;
    server.add_issue("between", "text");
    case.created(&*tracker).await;
    let numbers: Vec<String> =
        case.find(&*tracker).await.unwrap().issues.into_iter().map(|it| it.number).collect();
    assert_eq!(numbers, ["1", "3"]);
}

#[tokio::test]
async fn a_renamed_account_still_finds_its_issue() {
    let server = practice().await;
    let case = Case::new();
    let tracker = case.gitea(&server.url());
    case.created(&*tracker).await;
    for login in [Some("called-otherwise-then"), None] {
        let look = Look {
            key: case.issue.key,
            login,
            since_ms: hour_ago_ms(),
            step: Step::Create { uploaded: &[] },
        };
        assert_eq!(tracker.look(&case.issue, look).await.unwrap().issues.len(), 1, "{login:?}");
    }
}

#[tokio::test]
async fn a_failed_look_is_no_empty_look() {
    for (what, expected) in [
        (What::CutAfterAnswer { bytes: 200 }, "doubt"),
        (What::TroubleBefore { status: 500 }, "doubt"),
        (What::LoginPage, "doubt"),
        (What::Html { status: 403 }, "doubt"),
        (What::Unauthorized, "sign-in"),
        (What::RateLimit { retry_after: Some("3".into()) }, "rate limited"),
        (What::Redirect { code: 302, to: "/user/login".into() }, "refused"),
    ] {
        let server = practice().await;
        let case = Case::new();
        let tracker = case.gitea(&server.url());
        case.created(&*tracker).await;
        server.fault(Route::List, what.clone());
        let reply = case.find(&*tracker).await.expect_err("a failed look");
        assert_eq!(kind(&reply), expected, "{what:?}: {reply:?}");
    }
    // Also when a later page fails, although the first one was read.
    let server = practice().await;
    server.change(|project| project.most_on_page = 1);
    let case = Case::new();
    let tracker = case.gitea(&server.url());
    for n in 0..3 {
        server.add_issue(&format!("{n}"), "");
    }
    server.faults(Route::List, What::ListLag { ms: 0 }, 1);
    server.fault(Route::List, What::TroubleBefore { status: 500 });
    assert_eq!(kind(&case.find(&*tracker).await.expect_err("a half look")), "doubt");
}

#[tokio::test]
async fn a_lost_upload_is_found_by_name_and_size() {
    for what in [
        What::CutAfterBody,
        What::TroubleAfter { status: 500 },
        What::NoId,
        What::CutAfterAnswer { bytes: 150 },
    ] {
        let server = practice().await;
        let mut case = Case::new();
        case.attach("shot é.png", "image/png", b"picture").attach("shot é.txt", "text/plain", b"picture");
        let tracker = case.gitea(&server.url());
        let receipt = case.created(&*tracker).await;
        server.fault(Route::Upload, what.clone());
        let step = Step::Upload { receipt: Some(&receipt), attachment: &case.issue.attachments[0] };

        let reply = tracker.send(&case.issue, step).await;
        assert_eq!(kind(&reply), "doubt", "{what:?}: {reply:?}");

        let seen = tracker.look(&case.issue, case.look(step)).await.unwrap();
        let expected: Vec<String> =
            if what == What::NoId { vec![] } else { vec![server.issues()[0].assets[0].uuid.clone()] };
        assert_eq!(seen.references.len(), expected.len(), "{what:?}");
        assert!(
            seen.references.iter().zip(&expected).all(|(seen, uuid)| seen.contains(uuid)),
            "{what:?}: {seen:?}"
        );
        let other = Step::Upload { receipt: Some(&receipt), attachment: &case.issue.attachments[1] };
        assert!(tracker.look(&case.issue, case.look(other)).await.unwrap().references.is_empty());
    }
}

#[tokio::test]
async fn the_reference_of_a_looked_up_asset_serves_the_embed() {
    let server = practice().await;
    let mut case = Case::new();
    case.attach("shot.png", "image/png", b"picture");
    let tracker = case.gitea(&server.url());
    let receipt = case.created(&*tracker).await;
    let sent = case.uploaded(&*tracker, &receipt, 0).await;
    let step = Step::Upload { receipt: Some(&receipt), attachment: &case.issue.attachments[0] };
    let [seen] = tracker.look(&case.issue, case.look(step)).await.unwrap().references.try_into().unwrap();
    assert_eq!(seen, sent);
}
