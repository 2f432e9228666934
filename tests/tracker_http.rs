//! What comes over the wire, and what it means: shapes of false success, redirects, waiting times, sizes, slowness.
//! The other side is a bare listener here, so that every byte is as written.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::print_stdout)]

#[path = "support/tracker_case.rs"]
mod case;

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use case::{Case, cause, kind};
use outtray_core::tracker::{CauseKind, Reply, Step};
use outtray_support::{PracticeTracker, Route, TOKEN, What};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpListener;
use tokio::task::JoinHandle;

/// A listener that gives one answer to everybody and counts what came.
struct Listener {
    port: u16,
    bytes: Arc<AtomicUsize>,
    connections: Arc<AtomicUsize>,
    task: JoinHandle<()>,
}

impl Listener {
    async fn answering(answer: impl Into<Vec<u8>>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let port = listener.local_addr().unwrap().port();
        let (bytes, connections) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicUsize::new(0)));
        let answer =
            String::from_utf8_lossy(&answer.into()).replace("{port}", &port.to_string()).into_bytes();
        let task = tokio::spawn({
            let (bytes, connections) = (Arc::clone(&bytes), Arc::clone(&connections));
            async move {
                loop {
                    let (mut stream, _) = listener.accept().await.unwrap();
                    connections.fetch_add(1, Ordering::SeqCst);
                    let (bytes, answer) = (Arc::clone(&bytes), answer.clone());
                    tokio::spawn(async move {
                        let mut seen = Vec::new();
                        // Whole requests here end in a brace or in their head.
                        while !(seen.ends_with(b"}")
                            || seen.ends_with(b"\r\n\r\n") && !seen.starts_with(b"POST"))
                        {
                            match stream.read_buf(&mut seen).await {
                                Ok(n) if n > 0 => bytes.fetch_add(n, Ordering::SeqCst),
                                _ => return,
                            };
                        }
                        let _ = stream.write_all(&answer).await;
                        let _ = stream.shutdown().await;
                    });
                }
            }
        });
        Self { port, bytes, connections, task }
    }

    fn url(&self) -> String {
        format!("http://127.0.0.1:{}", self.port)
    }
}

impl Drop for Listener {
    fn drop(&mut self) {
        self.task.abort();
    }
}

fn answer(status: &str, headers: &str, body: &str) -> String {
    format!("HTTP/1.1 {status}\r\n{headers}Content-Length: {}\r\n\r\n{body}", body.len())
}

async fn create(answer: impl Into<Vec<u8>>) -> Reply {
    let listener = Listener::answering(answer).await;
    let mut case = Case::new();
    case.timeout = Duration::from_millis(1500);
    let reply = case.create(&*case.gitea(&listener.url())).await;
    assert_eq!(listener.connections.load(Ordering::SeqCst), 1, "one call is one request: {reply:?}");
    reply
}

const JSON: &str = "Content-Type: application/json\r\n";
const HTML: &str = "Content-Type: text/html\r\n";

#[tokio::test]
async fn only_the_whole_shape_is_success() {
    let good = r#"{"number":7,"html_url":"http://127.0.0.1:{port}/ada/demo/issues/7","body":"","user":{"login":"ada"}}"#;
    // The length counts the port as it will be written; chunks end by themselves.
    let whole = format!("HTTP/1.1 201 Created\r\n{JSON}Connection: close\r\n\r\n{good}");
    assert_eq!(kind(&create(whole.clone()).await), "done");
    let typed = whole.replace("application/json", "application/json; charset=utf-8");
    assert_eq!(kind(&create(typed).await), "done");

    let shapes = [
        whole.replace("201", "200"),
        whole.replace("201", "202"),
        whole.replace("201", "203"),
        whole.replace("201", "206"),
        whole.replace("application/json", "text/html"),
        whole.replace("application/json", "text/plain"),
        whole.replace(JSON, ""),
        whole.replace("\"number\":7", "\"number\":\"7\""),
        whole.replace("\"number\":7", "\"number\":0"),
        whole.replace("\"number\":7", "\"number\":-7"),
        whole.replace("\"number\":7", "\"number\":null"),
        whole.replace("\"number\":7,", ""),
        whole.replace("127.0.0.1:{port}", "other.example.org"),
        whole.replace("127.0.0.1:{port}", "127.0.0.1:1"),
        whole.replace("http://127", "https://127"),
        whole.replace("http://127", "http://ada:pw@127"),
        whole.replace("http://127.0.0.1:{port}/ada/demo/issues/7", "/ada/demo/issues/7"),
        whole.replace("http://127.0.0.1:{port}/ada/demo/issues/7", "javascript:alert(1)"),
        whole.replace("http://127.0.0.1:{port}/ada/demo/issues/7", ""),
        whole.replace("{\"number\"", "[{\"number\"").replace("\"ada\"}}", "\"ada\"}}]"),
        whole[..whole.len() - 10].to_owned(),
        answer("201 Created", JSON, ""),
        answer("201 Created", JSON, "null"),
        answer("201 Created", JSON, "{}"),
        answer("201 Created", JSON, "\"ok\""),
        answer("204 No Content", "", ""),
        answer("200 OK", JSON, r#"{"errors":[{"message":"no"}]}"#),
        answer("200 OK", HTML, "<html>Welcome to the guest network</html>"),
        answer("203 Non-Authoritative", HTML, "<html>Sign in</html>"),
        answer("201 Created", HTML, "<html>Created</html>"),
        answer("201 Created", JSON, good).replace("Content-Length: ", "Content-Length: 1"),
        format!("HTTP/1.1 201 Created\r\n{JSON}Transfer-Encoding: chunked\r\n\r\n5\r\n{{\"num"),
        format!(
            "HTTP/1.1 201 Created\r\n{JSON}Content-Encoding: gzip\r\nConnection: close\r\n\r\n\u{1f}\u{8b}"
        ),
        "HTTP/1.1 201".to_owned(),
        "HTTP/1.1 201 Created\r\nContent-Type: appl".to_owned(),
        "SSH-2.0-OpenSSH_9.2\r\n".to_owned(),
        "\r\n\r\n".to_owned(),
        String::new(),
    ];
    for shape in shapes {
        let reply = create(shape.clone()).await;
        assert_eq!(kind(&reply), "doubt", "{shape:?}: {reply:?}");
    }
}

#[tokio::test]
async fn every_code_has_its_class() {
    for (status, is_json, expected) in [
        (400, true, "refused"),
        (401, true, "sign-in"),
        (403, true, "refused"),
        (404, true, "refused"),
        (405, true, "refused"),
        (409, true, "refused"),
        (410, true, "refused"),
        (413, true, "refused"),
        (415, true, "refused"),
        (422, true, "refused"),
        (423, true, "refused"),
        (429, true, "rate limited"),
        (400, false, "refused"),
        (401, false, "sign-in"),
        (404, false, "refused"),
        (405, false, "refused"),
        (411, false, "refused"),
        (413, false, "refused"),
        (414, false, "refused"),
        (431, false, "refused"),
        (429, false, "rate limited"),
        (407, false, "not sent"),
        (511, false, "not sent"),
        // These pages may stand in for an answer that had come from behind them.
        (403, false, "doubt"),
        (408, false, "doubt"),
        (409, false, "doubt"),
        (418, false, "doubt"),
        (422, false, "doubt"),
        (499, false, "doubt"),
        (500, true, "doubt"),
        (500, false, "doubt"),
        (501, true, "doubt"),
        (502, false, "doubt"),
        (503, false, "doubt"),
        (504, false, "doubt"),
        (520, false, "doubt"),
        (304, true, "refused"),
        (299, true, "doubt"),
        (600, true, "doubt"),
    ] {
        let (headers, body) = if is_json { (JSON, r#"{"message":"no"}"#) } else { (HTML, "<html>no</html>") };
        let reply = create(answer(&format!("{status} X"), headers, body)).await;
        assert_eq!(kind(&reply), expected, "{status}, JSON {is_json}: {reply:?}");
        let cause = cause(&reply);
        assert!(
            cause.words.ends_with('.') && cause.words.chars().count() > 15,
            "a sentence: {}",
            cause.words
        );
        assert!(cause.detail.contains("POST /api/v1/repos/ada/demo/issues"), "{}", cause.detail);
        assert!(!format!("{reply:?}").contains(TOKEN), "{reply:?}");
    }
    let dressed_up = create(answer("403 X", HTML, r#"{"message":"bad token"}"#)).await;
    assert_eq!(
        kind(&dressed_up),
        "doubt",
        "JSON that is not sent as JSON is not the tracker's: {dressed_up:?}"
    );
}

#[tokio::test]
async fn the_trackers_words_are_shown_in_one_short_line() {
    let long = format!(r#"{{"message":"line\none\u0007 {}"}}"#, "x".repeat(5000));
    let reply = create(answer("422 X", JSON, &long)).await;
    let words = &cause(&reply).words;
    assert!(words.contains("\u{201c}line one x"), "{words}");
    assert!(words.chars().count() < 400, "{}", words.len());
}

#[tokio::test]
async fn a_redirect_takes_neither_token_nor_body_along() {
    for code in [301, 302, 303, 307, 308] {
        let second = Listener::answering(answer("201 Created", JSON, "{}")).await;
        for to in
            [format!("{}/api/v1/repos/ada/demo/issues", second.url()), "/user/login?next=secret".to_owned()]
        {
            let head = format!("Location: {to}\r\n");
            let first = Listener::answering(answer(&format!("{code} Moved"), &head, "")).await;
            let case = Case::new();
            let tracker = case.gitea(&first.url());
            let replies = [
                case.create(&*tracker).await,
                case.find(&*tracker).await.expect_err("no look"),
                tracker.account().await.expect_err("no account"),
            ];
            for reply in replies {
                assert_eq!(
                    (kind(&reply), cause(&reply).kind),
                    ("refused", CauseKind::Redirect),
                    "{code}: {reply:?}"
                );
                let words = &cause(&reply).words;
                assert!(words.contains(&first.url()), "where from: {words}");
                assert!(words.contains(to.split('?').next().unwrap()), "where to: {words}");
                assert!(!words.contains("secret"), "{words}");
            }
            assert_eq!(first.connections.load(Ordering::SeqCst), 3, "nothing is followed, also not here");
        }
        assert_eq!(second.connections.load(Ordering::SeqCst), 0, "{code}");
        assert_eq!(second.bytes.load(Ordering::SeqCst), 0, "{code}");
    }
}

#[tokio::test]
async fn a_waiting_time_is_read_in_every_form_and_never_beyond_a_day() {
    let day = 86_400;
    for (retry_after, expected) in [
        (Some("30"), Some(30)),
        (Some(" 30 "), Some(30)),
        (Some("0"), Some(1)),
        (Some("99999999"), Some(day)),
        (Some("99999999999999999999999999"), Some(day)),
        (Some("Mon, 30 Nov 2026 06:02:00 GMT"), Some(120)),
        (Some("Mon, 30 Nov 2026 05:00:00 GMT"), Some(1)),
        (Some("Fri, 01 Jan 2100 00:00:00 GMT"), Some(day)),
        (Some("-5"), None),
        (Some("1.5"), None),
        (Some("soon"), None),
        (Some(""), None),
        (None, None),
    ] {
        let wait = retry_after.map_or_else(String::new, |wait| format!("Retry-After: {wait}\r\n"));
        let head = format!("{JSON}Date: Mon, 30 Nov 2026 06:00:00 GMT\r\n{wait}");
        let reply = create(answer("429 Slow down", &head, "{}")).await;
        let Reply::RateLimited { wait, .. } = reply else { panic!("{retry_after:?}: {reply:?}") };
        assert_eq!(wait, expected.map(Duration::from_secs), "{retry_after:?}");
    }
    let without_date = format!("{JSON}Retry-After: Mon, 30 Nov 2026 06:02:00 GMT\r\n");
    let reply = create(answer("429 Slow down", &without_date, "{}")).await;
    assert!(matches!(reply, Reply::RateLimited { wait: None, .. }), "a date needs a clock: {reply:?}");
}

#[tokio::test]
async fn an_answer_without_end_is_cut_at_the_cap() {
    let server = PracticeTracker::start().await.unwrap();
    let case = Case::new();
    let tracker = case.gitea(&server.url());
    let body = format!("[{}]", "{\"number\":1},".repeat(300_000));
    for status in ["200 OK", "500 X", "422 X"] {
        server.fault(Route::List, What::Raw { answer: answer(status, JSON, &body) });
        let reply = case.find(&*tracker).await.expect_err("no look");
        assert_ne!(kind(&reply), "done", "{reply:?}");
        assert!(format!("{reply:?}").len() < 1000);
    }
}

#[tokio::test]
async fn an_answer_that_drips_ends_with_the_time() {
    let server = PracticeTracker::start().await.unwrap();
    let mut case = Case::new();
    case.timeout = Duration::from_millis(500);
    let tracker = case.gitea(&server.url());
    server.fault(Route::Create, What::Trickle { ms: 20 });
    let began = Instant::now();
    let reply = case.create(&*tracker).await;
    assert_eq!((kind(&reply), cause(&reply).kind), ("doubt", CauseKind::Timeout), "{reply:?}");
    assert!(began.elapsed() < Duration::from_secs(2), "{:?}", began.elapsed());
}

#[tokio::test]
async fn a_large_upload_has_time_by_its_size() {
    let server = PracticeTracker::start().await.unwrap();
    let mut case = Case::new();
    case.timeout = Duration::from_millis(300);
    // Two seconds more than a stage without a body.
    case.attach("large.bin", "application/octet-stream", &[5; 40_000]);
    let tracker = case.gitea(&server.url());
    let receipt = case.created(&*tracker).await;
    server.fault(Route::Upload, What::DelayAfter { ms: 900 });
    let step = Step::Upload { receipt: Some(&receipt), attachment: &case.issue.attachments[0] };
    assert_eq!(kind(&tracker.send(&case.issue, step).await), "done");
}

#[tokio::test]
async fn a_name_that_is_not_known_is_told_as_such() {
    let case = Case::new();
    let tracker = case.gitea("https://no-such-host.invalid/git");
    let reply = case.create(&*tracker).await;
    assert_eq!((kind(&reply), cause(&reply).kind), ("not sent", CauseKind::Unreachable), "{reply:?}");
    let words = &cause(&reply).words;
    assert!(
        words == "The name no-such-host.invalid is not known here." || words.contains("proxy"),
        "behind a proxy it is the proxy that does not know it: {words}"
    );
}

#[tokio::test]
async fn a_server_without_tls_behind_https_was_sent_nothing() {
    // What such servers say to a TLS greeting, in the clear.
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let server = tokio::spawn(async move {
        let (mut stream, _) = listener.accept().await.unwrap();
        let mut greeting = Vec::new();
        stream.read_buf(&mut greeting).await.unwrap();
        stream.write_all(b"HTTP/1.0 400 Bad Request\r\n\r\nThis is a plain http server.\n").await.unwrap();
        greeting
    });
    let case = Case::new();
    let reply = case.create(&*case.gitea(&format!("https://{address}"))).await;
    assert_eq!((kind(&reply), cause(&reply).kind), ("not sent", CauseKind::Unreachable), "{reply:?}");
    assert_eq!(cause(&reply).words, format!("{address} does not speak https there."));
    let greeting = server.await.unwrap();
    assert!(!greeting.windows(TOKEN.len()).any(|window| window == TOKEN.as_bytes()));
}

/// Run by the test below in a process of its own, whose environment names a proxy.
#[tokio::test]
async fn in_a_process_with_a_proxy() {
    if std::env::var_os("OUTTRAY_TEST_PROXY").is_none() {
        return;
    }
    let case = Case::new();
    let server = PracticeTracker::start().await.unwrap();
    case.created(&*case.gitea(&server.url())).await;
    case.created(&*case.gitea(&server.url().replace("127.0.0.1", "localhost"))).await;

    let reply = case.create(&*case.gitea("https://git.example.org")).await;
    assert_eq!((kind(&reply), cause(&reply).kind), ("not sent", CauseKind::Unreachable), "{reply:?}");
    assert_eq!(cause(&reply).words, "The proxy on the way to git.example.org wants a sign-in.");
    println!("all of it ran");
}

#[tokio::test]
async fn this_computer_is_not_reached_through_a_proxy_and_a_proxys_407_is_its_own() {
    let proxy = Listener::answering(answer("407 Proxy Authentication Required", HTML, "")).await;
    let output = tokio::task::spawn_blocking({
        let url = proxy.url();
        move || {
            std::process::Command::new(std::env::current_exe().unwrap())
                .args(["--exact", "in_a_process_with_a_proxy", "--nocapture"])
                .env("OUTTRAY_TEST_PROXY", "1")
                .envs([("HTTP_PROXY", &url), ("HTTPS_PROXY", &url), ("ALL_PROXY", &url)])
                .env_remove("NO_PROXY")
                .env_remove("no_proxy")
                .output()
                .unwrap()
        }
    })
    .await
    .unwrap();
    let said = String::from_utf8_lossy(&output.stdout);
    assert!(
        output.status.success() && said.contains("all of it ran"),
        "{said}{}",
        String::from_utf8_lossy(&output.stderr)
    );
    assert_eq!(proxy.connections.load(Ordering::SeqCst), 1, "only what is elsewhere goes through it");
}

#[tokio::test]
async fn a_host_that_swallows_everything_is_told_from_a_lost_answer() {
    // A full backlog: connections to it do not come about.
    let socket = tokio::net::TcpSocket::new_v4().unwrap();
    socket.bind("127.0.0.1:0".parse().unwrap()).unwrap();
    let listener = socket.listen(1).unwrap();
    let address = listener.local_addr().unwrap();
    let mut held = Vec::new();
    while let Ok(Ok(stream)) =
        tokio::time::timeout(Duration::from_millis(200), tokio::net::TcpStream::connect(address)).await
    {
        held.push(stream);
    }
    let mut case = Case::new();
    case.timeout = Duration::from_millis(600);
    let tracker = case.gitea(&format!("http://{address}"));
    let reply = case.create(&*tracker).await;
    assert_eq!((kind(&reply), cause(&reply).kind), ("not sent", CauseKind::Unreachable), "{reply:?}");
}
