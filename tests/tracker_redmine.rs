//! Filing at a Redmine: its tokens, its refusals without words.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

#[path = "support/tracker_case.rs"]
mod case;

use case::{Case, cause, done, kind};
use outtray_core::issue::{Attachment, TrackerKind};
use outtray_core::tracker::{CauseKind, Reply, Step, Tracker};
use outtray_support::{Dialect, PracticeTracker, Route, What};

async fn practice() -> PracticeTracker {
    PracticeTracker::start_as(Dialect::Redmine).await.unwrap()
}

/// A case with one picture, which has been uploaded: its token.
async fn uploaded(server: &PracticeTracker) -> (Case, Box<dyn Tracker>, String) {
    let mut case = Case::new();
    case.attach("shot é.png", "image/png", b"picture");
    let adapter = case.at(TrackerKind::Redmine, &server.url());
    let step = Step::Upload { receipt: None, attachment: &case.issue.attachments[0] };
    let token = done(adapter.send(&case.issue, step).await).reference.unwrap();
    (case, adapter, token)
}

async fn create(case: &Case, adapter: &dyn Tracker, token: &str) -> Reply {
    let files: [(&Attachment, &str); 1] = [(&case.issue.attachments[0], token)];
    adapter.send(&case.issue, Step::Create { uploaded: &files }).await
}

#[tokio::test]
async fn the_token_carries_the_digest_of_what_was_sent() {
    let server = practice().await;
    let (case, _, token) = uploaded(&server).await;
    assert_eq!(token, format!("1.{}", case.issue.attachments[0].sha256));
    assert_eq!(server.files()[0].name, "shot é.png");
}

#[tokio::test]
async fn a_file_that_did_not_arrive_whole_is_sent_again() {
    let server = practice().await;
    let mut case = Case::new();
    case.attach("shot.png", "image/png", b"picture");
    let adapter = case.at(TrackerKind::Redmine, &server.url());
    let body = format!(r#"{{"upload":{{"id":7,"token":"7.{}"}}}}"#, "0".repeat(64));
    let answer = format!(
        "HTTP/1.1 201 Created\r\nContent-Type: application/json\r\nContent-Length: {}\r\n\r\n{body}",
        body.len()
    );
    server.fault(Route::Upload, What::Raw { answer });
    let step = Step::Upload { receipt: None, attachment: &case.issue.attachments[0] };
    let reply = adapter.send(&case.issue, step).await;
    assert_eq!((kind(&reply), cause(&reply).kind), ("doubt", CauseKind::Cut), "{reply:?}");
    done(adapter.send(&case.issue, step).await);
}

#[tokio::test]
async fn a_create_that_is_repeated_with_its_tokens_makes_no_second_issue() {
    let server = practice().await;
    let (case, adapter, token) = uploaded(&server).await;
    server.fault(Route::Create, What::CutAfterBody);
    assert_eq!(kind(&create(&case, &*adapter, &token).await), "doubt");
    // As somebody would who sends blindly.
    let repeated = done(create(&case, &*adapter, &token).await);
    assert_eq!(
        repeated.receipt.unwrap().number,
        "1",
        "a refused token is looked into, and the issue is found"
    );
    assert_eq!(server.issues().len(), 1);
}

#[tokio::test]
async fn a_token_that_was_forgotten_is_no_proof_of_an_issue() {
    let server = practice().await;
    let (case, adapter, token) = uploaded(&server).await;
    server.purge_files();
    let receipt = done(create(&case, &*adapter, &token).await).receipt.unwrap();
    assert_eq!(receipt.number, "1");
    let issues = server.issues();
    assert_eq!((issues.len(), issues[0].assets.len()), (1, 1), "its file was sent anew");
    assert_eq!(issues[0].assets[0].bytes, b"picture");
}

#[tokio::test]
async fn nothing_is_in_doubt_while_only_a_refused_token_is_looked_into() {
    for (route, what) in [
        (Route::List, What::CutAfterBody),
        (Route::List, What::Stall),
        (Route::File, What::TroubleBefore { status: 502 }),
        (Route::Upload, What::CutAfterBody),
    ] {
        let server = practice().await;
        let (mut case, _, token) = uploaded(&server).await;
        case.timeout = std::time::Duration::from_millis(500);
        let adapter = case.at(TrackerKind::Redmine, &server.url());
        server.purge_files();
        server.fault(route, what.clone());
        let reply = create(&case, &*adapter, &token).await;
        assert_eq!(kind(&reply), "not sent", "{route:?} {what:?}: {reply:?}");
        assert!(server.issues().is_empty());
    }
}

#[tokio::test]
async fn another_refusal_stays_one_in_the_trackers_words() {
    let server = practice().await;
    let (case, adapter, token) = uploaded(&server).await;
    server.fault(Route::Create, What::Invalid { message: "Priority cannot be blank".into() });
    let reply = create(&case, &*adapter, &token).await;
    assert_eq!(kind(&reply), "refused");
    assert!(cause(&reply).words.contains("Priority cannot be blank"), "{reply:?}");
    assert!(server.issues().is_empty());
}

#[tokio::test]
async fn a_file_that_is_too_large_says_which() {
    let server = practice().await;
    server.change(|project| project.most_bytes = 3);
    let mut case = Case::new();
    case.attach("shot.png", "image/png", b"picture");
    let adapter = case.at(TrackerKind::Redmine, &server.url());
    let step = Step::Upload { receipt: None, attachment: &case.issue.attachments[0] };
    let reply = adapter.send(&case.issue, step).await;
    assert_eq!(kind(&reply), "refused");
    let words = &cause(&reply).words;
    assert!(
        words.starts_with("shot.png was not taken.") && words.contains("maximum allowed file size"),
        "{words}"
    );
}

#[tokio::test]
async fn the_key_that_comes_back_with_the_account_is_told_to_nobody() {
    let server = practice().await;
    let case = Case::new();
    let adapter = case.at(TrackerKind::Redmine, &server.url());
    let account = adapter.account().await.unwrap();
    assert!(!format!("{account:?}").contains(outtray_support::TOKEN), "{account:?}");
    let wrong = case.open(TrackerKind::Redmine, &server.url(), "demo", Some("wrong")).unwrap();
    let reply = wrong.account().await.expect_err("no account");
    assert_eq!(kind(&reply), "sign-in");
    assert!(cause(&reply).words.contains("REST API has to be switched on"), "{reply:?}");
}

#[tokio::test]
async fn a_member_who_takes_no_issues_is_left_out_and_the_issue_is_filed_with_its_file() {
    let server = PracticeTracker::start_as(Dialect::Redmine).await.unwrap();
    server.change(|project| project.assigns_nobody = true);
    let mut case = Case::new();
    case.attach("log.txt", "text/plain", b"log");
    case.issue.assignees = vec!["Ada Lovelace".into()];
    let done =
        case.deliver(TrackerKind::Redmine, &*case.at(TrackerKind::Redmine, &server.url())).await.unwrap();
    assert_eq!(done.told.unwrap(), "Filed without the assignee “Ada Lovelace”.");
    let issues = server.issues();
    assert_eq!((issues.len(), issues[0].assets.len(), issues[0].assignees.len()), (1, 1, 0));
}

#[tokio::test]
async fn of_two_members_with_one_name_neither_is_assigned() {
    let server = PracticeTracker::start_as(Dialect::Redmine).await.unwrap();
    server.change(|project| project.people.push((7, "ada2".into(), "Ada Lovelace".into())));
    let mut case = Case::new();
    case.issue.assignees = vec!["Ada Lovelace".into()];
    let done =
        case.deliver(TrackerKind::Redmine, &*case.at(TrackerKind::Redmine, &server.url())).await.unwrap();
    assert_eq!(done.told.unwrap(), "Filed without the assignee “Ada Lovelace”.");
    assert_eq!(server.issues()[0].assignees, [] as [i64; 0]);
}
