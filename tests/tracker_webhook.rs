//! Filing with a webhook: what travels, and what counts as taken.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

#[path = "support/tracker_case.rs"]
mod case;

use std::sync::{Arc, Mutex};
use std::time::Duration;

use case::{Case, cause, kind};
use outtray_core::issue::TrackerKind;
use outtray_core::tracker::{Reply, Tracker};
use outtray_support::{Dialect, PracticeTracker, Route, TOKEN, What};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};

async fn practice() -> PracticeTracker {
    PracticeTracker::start_as(Dialect::Webhook).await.unwrap()
}

fn at(case: &Case, server: &PracticeTracker) -> Box<dyn Tracker> {
    case.at(TrackerKind::Webhook, &format!("{}/in/box/", server.url()))
}

#[tokio::test]
async fn every_try_has_the_same_key_and_the_same_bytes() {
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}/in", listener.local_addr().unwrap());
    let seen = Arc::new(Mutex::new(Vec::new()));
    let listening = tokio::spawn({
        let seen = Arc::clone(&seen);
        async move {
            loop {
                let (mut stream, _) = listener.accept().await.unwrap();
                let mut bytes = Vec::new();
                while let Ok(Ok(1..)) =
                    tokio::time::timeout(Duration::from_millis(100), stream.read_buf(&mut bytes)).await
                {
                }
                seen.lock().unwrap().push(bytes);
                let _ = stream.write_all(b"HTTP/1.1 503 No\r\nContent-Length: 0\r\n\r\n").await;
            }
        }
    });
    let mut case = Case::new();
    case.attach("shot é \"q\"\r\n.png", "image/png", b"picture").attach("log.txt", "text/plain", b"log");
    for _ in 0..3 {
        let adapter = case.at(TrackerKind::Webhook, &url);
        assert_eq!(kind(&case.create(&*adapter).await), "doubt");
    }
    listening.abort();
    let seen = seen.lock().unwrap();
    assert_eq!(seen.len(), 3);
    assert!(seen.windows(2).all(|pair| pair[0] == pair[1]), "byte for byte");
    let text = String::from_utf8_lossy(&seen[0]).to_lowercase();
    assert!(text.contains(&format!("idempotency-key: {}", case.issue.key)), "{text}");
    assert!(text.contains("content-type: multipart/form-data; boundary=outtray-"), "{text}");
}

#[tokio::test]
async fn only_what_says_so_counts_as_taken() {
    for (status, media, body, honours, expected) in [
        ("200 OK", "application/json", r#"{"ok":true}"#, false, "done"),
        ("200 OK", "application/json", r#"{"id":"x-7","error":null,"errors":[]}"#, false, "done"),
        ("201 Created", "application/json", "{}", false, "done"),
        ("202 Accepted", "", "", false, "done"),
        ("204 No Content", "", "", false, "done"),
        ("201 Created", "", "", false, "done"),
        ("409 Conflict", "application/json", r#"{"message":"seen"}"#, true, "done"),
        ("409 Conflict", "application/json", r#"{"message":"seen"}"#, false, "refused"),
        ("200 OK", "", "", false, "doubt"),
        ("200 OK", "text/html", "<html>Sign in</html>", false, "doubt"),
        ("201 Created", "text/html", "<html>Created</html>", false, "doubt"),
        ("203 Other", "application/json", "{}", false, "doubt"),
        ("206 Part", "application/json", "{}", false, "doubt"),
        ("200 OK", "application/json", r#"{"errors":[{"message":"no"}]}"#, false, "doubt"),
        ("200 OK", "application/json", r#"{"error":"no"}"#, false, "doubt"),
        ("200 OK", "application/json", r#"{"ok":false}"#, false, "doubt"),
        ("200 OK", "application/json", r#"{"success":false}"#, false, "doubt"),
        ("200 OK", "application/json", r#"{"cut"#, false, "doubt"),
    ] {
        let server = practice().await;
        let mut case = Case::new();
        case.honours_key = honours;
        let media = if media.is_empty() { String::new() } else { format!("Content-Type: {media}\r\n") };
        let answer = format!("HTTP/1.1 {status}\r\n{media}Content-Length: {}\r\n\r\n{body}", body.len());
        server.fault(Route::Create, What::Raw { answer });
        let reply = case.create(&*at(&case, &server)).await;
        assert_eq!(kind(&reply), expected, "{status} {media} {body} {honours}: {reply:?}");
        if let Reply::Done(done) = reply {
            let receipt = done.receipt.unwrap();
            assert!(!receipt.number.is_empty(), "{receipt:?}");
            assert_eq!(
                receipt.url,
                format!("http://127.0.0.1:{}/", server.port()),
                "never the path, which may be a secret"
            );
        }
    }
}

#[tokio::test]
async fn the_address_is_asked_as_it_was_typed_with_and_without_a_token() {
    let server = practice().await;
    let case = Case::new();
    case.created(&*at(&case, &server)).await;
    assert_eq!(server.requests()[0].target, "/in/box/");
    let without = case.open(TrackerKind::Webhook, &server.url(), "", None).unwrap();
    assert_eq!(kind(&case.create(&*without).await), "sign-in", "this receiver wants one");
    assert!(!server.requests()[1].is_signed_in);
}

#[tokio::test]
async fn a_receiver_that_honours_the_key_makes_one_issue_of_many_tries() {
    let server = practice().await;
    server.change(|project| project.honours_key = true);
    let mut case = Case::new();
    case.honours_key = true;
    let adapter = at(&case, &server);
    assert!(adapter.recognises_repeats());
    server.fault(Route::Create, What::CutAfterBody);
    assert_eq!(kind(&case.create(&*adapter).await), "doubt");
    assert_eq!(case.created(&*adapter).await.number, "1");
    assert_eq!(server.issues().len(), 1);
}

#[tokio::test]
async fn a_test_says_that_somebody_is_there_and_what_becomes_of_a_doubt() {
    let mut server = practice().await;
    let mut case = Case::new();
    let words = at(&case, &server).account().await.unwrap().words;
    assert!(words.ends_with("answers. What gets no answer is yours to judge."), "{words}");
    assert_eq!(server.requests()[0].method, "OPTIONS", "to some receivers a GET is a report, too");
    case.honours_key = true;
    let words = at(&case, &server).account().await.unwrap().words;
    assert!(words.ends_with("is sent again under its key."), "{words}");
    server.fault(Route::Project, What::Unauthorized);
    assert_eq!(kind(&at(&case, &server).account().await.expect_err("no")), "sign-in");
    server.stop().await;
    assert_eq!(kind(&at(&case, &server).account().await.expect_err("no")), "not sent");
}

#[tokio::test]
async fn a_persons_link_is_believed_since_nobody_else_can_say() {
    let server = practice().await;
    let case = Case::new();
    let adapter = at(&case, &server);
    let link = "https://board.example.org/cards/42?x=1".parse().unwrap();
    let receipt = adapter.recognise(&case.issue, &link).await.unwrap().unwrap();
    assert_eq!(
        (receipt.number.as_str(), receipt.url.as_str()),
        ("42", "https://board.example.org/cards/42?x=1")
    );
    let reply =
        adapter.recognise(&case.issue, &"javascript:alert(1)".parse().unwrap()).await.expect_err("no");
    assert!(cause(&reply).words.contains("browser"), "{reply:?}");
    assert!(!format!("{reply:?}").contains(TOKEN));
}

#[tokio::test]
async fn no_log_holds_the_path_which_may_be_what_keeps_strangers_out() {
    let server = practice().await;
    let case = Case::new();
    let adapter = case.at(TrackerKind::Webhook, &format!("{}/T0/B0/hidden-part", server.url()));
    server.fault(Route::Create, What::CutAfterBody);
    let reply = case.create(&*adapter).await;
    assert!(!cause(&reply).detail.contains("hidden"), "{reply:?}");
}
