//! Filing at GitHub: where pictures go, how it asks for patience, a repository that was renamed.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

#[path = "support/tracker_case.rs"]
mod case;

use std::time::{Duration, Instant};

use case::{Case, cause, kind};
use outtray_core::issue::TrackerKind;
use outtray_core::tracker::{CauseKind, Reply, Tracker};
use outtray_support::{Dialect, PracticeTracker, Route, What};

async fn practice() -> PracticeTracker {
    PracticeTracker::start_as(Dialect::GitHub).await.unwrap()
}

fn at(case: &Case, server: &PracticeTracker) -> Box<dyn Tracker> {
    case.at(TrackerKind::GitHub, &server.url())
}

fn answer(status: &str, headers: &str, body: &str) -> What {
    let head = format!("HTTP/1.1 {status}\r\nContent-Type: application/json\r\n{headers}");
    What::Raw { answer: format!("{head}Content-Length: {}\r\n\r\n{body}", body.len()) }
}

#[tokio::test]
async fn every_request_says_which_version_of_the_api_it_means() {
    let server = practice().await;
    let case = Case::new();
    case.deliver(TrackerKind::GitHub, &*at(&case, &server)).await.unwrap();
    for request in server.requests() {
        let has = |name: &str, value: &str| request.headers.iter().any(|(n, v)| n == name && v == value);
        assert!(has("x-github-api-version", "2022-11-28"), "{request:?}");
        assert!(has("accept", "application/vnd.github+json"), "{request:?}");
    }
}

#[tokio::test]
async fn a_picture_goes_to_githubs_own_place_and_is_shown() {
    let server = practice().await;
    let mut case = Case::new();
    case.attach("shot é.png", "image/png", b"picture").attach("photo", "image/jpeg", b"photo");
    let done = case.deliver(TrackerKind::GitHub, &*at(&case, &server)).await.unwrap();
    assert_eq!(done.told, None);
    let names: Vec<String> = server.files().into_iter().map(|file| file.name).collect();
    assert_eq!(names, ["shot é.png", "photo.jpg"], "the ending is the type's");
    let body = &server.issues()[0].body;
    assert!(body.contains(&format!("![shot é.png]({}/user-attachments/assets/1)", server.url())), "{body}");
}

#[tokio::test]
async fn without_the_right_to_it_a_picture_goes_to_the_branch_once() {
    let server = practice().await;
    server.change(|project| project.may_upload = false);
    let mut case = Case::new();
    case.branch = Some("main".into());
    case.attach("shot é.png", "image/png", b"picture").attach("log.txt", "text/plain", b"log");
    let adapter = at(&case, &server);
    server.fault(Route::File, What::TroubleBefore { status: 502 });
    server.faults(Route::Upload, What::ListLag { ms: 0 }, 1);
    server.fault(Route::Upload, What::CutAfterBody);
    let lost = case.deliver(TrackerKind::GitHub, &*adapter).await.expect_err("the answer was lost");
    assert_eq!(kind(&lost), "doubt");
    server.clear_faults();
    let done = case.deliver(TrackerKind::GitHub, &*adapter).await.unwrap();
    assert_eq!(done.told, None);
    assert_eq!(server.files().len(), 2, "what is there under its path is not committed again");
    let body = &server.issues()[0].body;
    let place = format!("{}/ada/demo/blob/main/outtray/{}/", server.url(), case.issue.key);
    assert!(body.contains(&format!("![shot é.png]({place}")), "{body}");
    assert!(body.contains(&format!("[log.txt]({place}")) && body.contains("-log.txt?raw=true)"), "{body}");
}

#[tokio::test]
async fn a_file_that_has_no_place_is_refused_in_words() {
    for (branch, why) in
        [(None, "this token may not upload files there"), (Some("gone"), "the branch gone is not there")]
    {
        let server = practice().await;
        server.change(|project| project.may_upload = false);
        let mut case = Case::new();
        case.branch = branch.map(str::to_owned);
        case.attach("shot.png", "image/png", b"picture");
        let Err(Reply::Refused(cause)) = case.deliver(TrackerKind::GitHub, &*at(&case, &server)).await else {
            panic!("it has no place")
        };
        assert_eq!(cause.kind, CauseKind::Refused, "it is about the file, not the destination");
        assert!(cause.words.starts_with("shot.png has no place there: ") && cause.words.contains(why));
        assert!(server.issues().is_empty() && server.files().is_empty());
    }
}

#[tokio::test]
async fn labels_that_an_account_may_not_set_are_told() {
    let server = practice().await;
    server.change(|project| project.may_push = false);
    let mut case = Case::new();
    case.issue.labels = vec!["bug".into()];
    let done = case.deliver(TrackerKind::GitHub, &*at(&case, &server)).await.unwrap();
    assert_eq!(done.told.unwrap(), "Filed without the label “bug”.");
    let account = at(&case, &server).account().await.unwrap();
    assert!(
        account.words.ends_with("Labels and pictures will be left out: this account may not write there.")
    );
}

#[tokio::test]
async fn patience_and_permission_are_told_apart() {
    let date = "Date: Mon, 30 Nov 2026 06:00:00 GMT\r\n";
    let reset = jiff::Timestamp::from_second(1_796_018_400 + 90).unwrap().as_second();
    let used_up = format!("{date}X-RateLimit-Remaining: 0\r\nX-RateLimit-Reset: {reset}\r\n");
    let secondary = r#"{"message":"You have exceeded a secondary rate limit. Please wait a few minutes."}"#;
    for (status, headers, body, expected, wait) in [
        (
            "403 Forbidden",
            used_up.as_str(),
            r#"{"message":"API rate limit exceeded for user"}"#,
            "rate limited",
            Some(91),
        ),
        (
            "429 Too Many",
            used_up.as_str(),
            r#"{"message":"API rate limit exceeded"}"#,
            "rate limited",
            Some(91),
        ),
        ("403 Forbidden", "Retry-After: 60\r\n", secondary, "rate limited", Some(60)),
        ("403 Forbidden", "X-RateLimit-Remaining: 4999\r\n", secondary, "rate limited", None),
        (
            "403 Forbidden",
            "",
            r#"{"message":"You have triggered an abuse detection mechanism."}"#,
            "rate limited",
            None,
        ),
        (
            "403 Forbidden",
            "",
            r#"{"message":"Resource not accessible by personal access token"}"#,
            "sign-in",
            None,
        ),
        ("403 Forbidden", "", r#"{"message":"Repository was archived so is read-only."}"#, "refused", None),
        ("403 Forbidden", "", r#"{"message":"Must have admin rights to Repository."}"#, "refused", None),
        ("410 Gone", "", r#"{"message":"Issues has been disabled in this repository."}"#, "refused", None),
        ("404 Not Found", "", r#"{"message":"Not Found"}"#, "refused", None),
    ] {
        let server = practice().await;
        let case = Case::new();
        server.fault(Route::Create, answer(status, headers, body));
        let reply = case.create(&*at(&case, &server)).await;
        assert_eq!(kind(&reply), expected, "{status} {body}: {reply:?}");
        if let Reply::RateLimited { wait: told, .. } = &reply {
            assert_eq!(*told, wait.map(Duration::from_secs), "{status} {headers} {body}");
        }
        if expected == "sign-in" {
            assert!(cause(&reply).words.contains("Issues: read and write"), "{reply:?}");
        }
        assert!(server.issues().is_empty());
    }
}

#[tokio::test]
async fn a_refusal_is_told_with_what_its_summary_leaves_out() {
    let server = practice().await;
    let case = Case::new();
    let body = r#"{"message":"Validation Failed","errors":[{"resource":"Issue","code":"custom","field":"title","message":"title is odd"}]}"#;
    server.fault(Route::Create, answer("422 Unprocessable", "", body));
    let reply = case.create(&*at(&case, &server)).await;
    assert!(cause(&reply).words.contains("\u{201c}Validation Failed: title is odd\u{201d}"), "{reply:?}");
}

#[tokio::test]
async fn a_renamed_repository_is_followed_by_its_number_on_its_own_origin() {
    let server = practice().await;
    server.change(|project| {
        project.former = Some("ada/demo".into());
        project.name = "renamed".into();
    });
    let mut case = Case::new();
    case.issue.labels = vec!["bug".into()];
    case.attach("shot.png", "image/png", b"picture");
    let adapter = at(&case, &server);
    let account = adapter.account().await.unwrap();
    assert!(account.words.contains("ada/renamed"), "{}", account.words);
    let receipt = case.deliver(TrackerKind::GitHub, &*adapter).await.unwrap().receipt.unwrap();
    assert_eq!(receipt.url, format!("{}/ada/renamed/issues/1", server.url()));
    assert_eq!(case.find(&*adapter).await.unwrap().issues, [receipt]);
    assert_eq!(server.issues().len(), 1);
    assert_eq!(server.files().len(), 1);
}

#[tokio::test]
async fn the_look_passes_over_pull_requests() {
    let server = practice().await;
    let case = Case::new();
    let adapter = at(&case, &server);
    server.add_issue("Pull request: quotes it", &outtray_core::tracker::marker::of(case.issue.key));
    assert!(case.find(&*adapter).await.unwrap().issues.is_empty());
    case.created(&*adapter).await;
    assert_eq!(case.find(&*adapter).await.unwrap().issues.len(), 1);
}

#[tokio::test]
async fn between_two_creations_there_is_a_second() {
    let server = practice().await;
    let (one, two) = (Case::new(), Case::new());
    let (first, second) = (at(&one, &server), at(&two, &server));
    let began = Instant::now();
    let (a, b) = tokio::join!(one.create(&*first), two.create(&*second));
    assert_eq!((kind(&a), kind(&b)), ("done", "done"));
    assert!(began.elapsed() >= Duration::from_secs(1), "{:?}", began.elapsed());
    let issues = server.issues();
    assert!(issues[1].created_ms - issues[0].created_ms >= 950, "{issues:?}");
}

#[tokio::test]
async fn a_link_that_leads_elsewhere_is_no_proof_and_the_look_still_finds_the_issue() {
    let server = practice().await;
    server.change(|project| project.root_url = Some("https://other.example.org".into()));
    let case = Case::new();
    let adapter = at(&case, &server);
    let reply = case.create(&*adapter).await;
    assert_eq!((kind(&reply), cause(&reply).kind), ("doubt", CauseKind::NotTheTracker), "{reply:?}");
    let seen = case.find(&*adapter).await.unwrap();
    assert_eq!(seen.issues[0].url, format!("{}/ada/demo/issues/1", server.url()));
}

#[tokio::test]
async fn a_token_without_the_scope_says_which_one_is_missing() {
    for (scopes, may) in [
        ("", true),
        ("repo", true),
        ("gist, public_repo", true),
        ("gist, read:user", false),
        ("repo:status", false),
    ] {
        let server = practice().await;
        let case = Case::new();
        let headers = format!("X-OAuth-Scopes: {scopes}\r\n");
        server.fault(Route::User, answer("200 OK", &headers, r#"{"login":"ada"}"#));
        match at(&case, &server).account().await {
            Ok(account) => assert!(may, "{scopes}: {account:?}"),
            Err(reply) => {
                assert_eq!((kind(&reply), may), ("sign-in", false), "{scopes}: {reply:?}");
                assert!(cause(&reply).words.contains("scope “repo”"), "{reply:?}");
            }
        }
    }
}
