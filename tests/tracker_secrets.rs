//! Token and text go where the person said, and nowhere else: whoever answers there with a redirect gets no further.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

#[path = "support/tracker_case.rs"]
mod case;

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use case::{Case, cause, kind};
use outtray_core::issue::TrackerKind;
use outtray_core::tracker::{CauseKind, Reply, Step};
use outtray_support::TOKEN;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpListener;
use tokio::task::JoinHandle;

/// A listener that gives one answer to everybody, and keeps what came.
struct Listener {
    port: u16,
    connections: Arc<AtomicUsize>,
    seen: Arc<std::sync::Mutex<Vec<u8>>>,
    listening: JoinHandle<()>,
}

impl Listener {
    async fn answering(answer: String) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let port = listener.local_addr().unwrap().port();
        let (connections, seen) =
            (Arc::new(AtomicUsize::new(0)), Arc::new(std::sync::Mutex::new(Vec::new())));
        let answer = answer.replace("{own}", &port.to_string());
        let listening = tokio::spawn({
            let (connections, seen) = (Arc::clone(&connections), Arc::clone(&seen));
            async move {
                loop {
                    let (mut stream, _) = listener.accept().await.unwrap();
                    connections.fetch_add(1, Ordering::SeqCst);
                    let (seen, answer) = (Arc::clone(&seen), answer.clone());
                    tokio::spawn(async move {
                        let mut bytes = Vec::new();
                        while !is_whole(&bytes) {
                            if !matches!(stream.read_buf(&mut bytes).await, Ok(1..)) {
                                break;
                            }
                        }
                        seen.lock().unwrap().extend_from_slice(&bytes);
                        let _ = stream.write_all(answer.as_bytes()).await;
                        let _ = stream.shutdown().await;
                    });
                }
            }
        });
        Self { port, connections, seen, listening }
    }

    fn count(&self) -> usize {
        self.connections.load(Ordering::SeqCst)
    }

    fn saw(&self, what: &str) -> bool {
        let seen = self.seen.lock().unwrap();
        seen.windows(what.len()).any(|window| window == what.as_bytes())
    }
}

impl Drop for Listener {
    fn drop(&mut self) {
        self.listening.abort();
    }
}

/// Whether a request is there to the end that its head announces.
fn is_whole(bytes: &[u8]) -> bool {
    let text = String::from_utf8_lossy(bytes).to_lowercase();
    let Some((head, _)) = text.split_once("\r\n\r\n") else { return false };
    let length =
        head.lines().find_map(|line| line.strip_prefix("content-length: ")?.trim().parse::<usize>().ok());
    let end = bytes.windows(4).position(|window| window == b"\r\n\r\n").unwrap_or_default();
    bytes.len() >= end + 4 + length.unwrap_or_default()
}

/// Each sends the token in a header of its own kind.
const ALL: [TrackerKind; 5] = [
    TrackerKind::Gitea,
    TrackerKind::GitHub,
    TrackerKind::GitLab,
    TrackerKind::Redmine,
    TrackerKind::Webhook,
];

#[tokio::test]
async fn no_redirect_takes_a_token_or_a_text_to_another_place() {
    for tracker in ALL {
        let second = Listener::answering("HTTP/1.1 201 Created\r\nContent-Length: 0\r\n\r\n".into()).await;
        for code in [301, 302, 303, 307, 308] {
            for to in [
                format!("http://127.0.0.1:{}/", second.port),
                // As a renamed project is told, but from somewhere else.
                format!("http://127.0.0.1:{}/api/v3/repositories/1000/issues", second.port),
                format!("http://127.0.0.1:{}/api/v4/projects/1234/issues", second.port),
                format!("http://127.0.0.1:{{own}}@127.0.0.1:{}/api/v3/repositories/1000", second.port),
                format!("//127.0.0.1:{}/", second.port),
            ] {
                let answer = format!("HTTP/1.1 {code} Moved\r\nLocation: {to}\r\nContent-Length: 0\r\n\r\n");
                let first = Listener::answering(answer).await;
                let mut case = Case::new();
                case.branch = Some("main".into());
                case.attach("shot.png", "image/png", b"picture of a secret");
                let adapter = case.at(tracker, &format!("http://127.0.0.1:{}", first.port));
                let receipt = outtray_core::issue::Receipt { number: "1".into(), url: String::new() };
                let upload = Step::Upload { receipt: Some(&receipt), attachment: &case.issue.attachments[0] };
                let mut replies = vec![
                    case.create(&*adapter).await,
                    adapter.account().await.expect_err("no account"),
                    case.find(&*adapter).await.expect_err("no look"),
                ];
                if tracker != TrackerKind::Webhook {
                    replies.push(adapter.send(&case.issue, upload).await);
                }
                for reply in replies {
                    let is_webhook_look = cause_kind(&reply) == Some(CauseKind::CannotLook);
                    assert!(
                        is_webhook_look || cause_kind(&reply) == Some(CauseKind::Redirect),
                        "{tracker:?} {code} {to}: {reply:?}"
                    );
                    assert_eq!(kind(&reply), "refused", "{tracker:?} {code} {to}: {reply:?}");
                    assert!(!format!("{reply:?}").contains(TOKEN), "{reply:?}");
                }
                assert!(first.saw(TOKEN), "{tracker:?}: the first is asked with the token");
                assert!(first.saw("It crashed."), "{tracker:?}: and gets the text");
            }
            assert_eq!(second.count(), 0, "{tracker:?} {code}: nobody comes to the second");
        }
        assert!(second.seen.lock().unwrap().is_empty(), "{tracker:?}: not a byte");
    }
}

fn cause_kind(reply: &Reply) -> Option<CauseKind> {
    (!matches!(reply, Reply::Done(_))).then(|| cause(reply).kind)
}

#[tokio::test]
async fn a_redirect_is_told_with_the_address_to_use_and_without_its_query() {
    for tracker in ALL {
        let to = "https://new.example.org/tracker?session=hidden";
        let answer = format!("HTTP/1.1 308 Moved\r\nLocation: {to}\r\nContent-Length: 0\r\n\r\n");
        let first = Listener::answering(answer).await;
        let case = Case::new();
        let adapter = case.at(tracker, &format!("http://127.0.0.1:{}", first.port));
        let reply = case.create(&*adapter).await;
        let words = &cause(&reply).words;
        assert!(words.contains("https://new.example.org/tracker."), "{tracker:?}: {words}");
        assert!(!format!("{reply:?}").contains("hidden"), "{tracker:?}: {reply:?}");
    }
}

#[tokio::test]
async fn a_token_is_in_one_header_and_nowhere_else() {
    for (tracker, header) in ALL.into_iter().zip([
        format!("authorization: token {TOKEN}"),
        format!("authorization: bearer {TOKEN}"),
        format!("authorization: bearer {TOKEN}"),
        format!("x-redmine-api-key: {TOKEN}"),
        format!("authorization: bearer {TOKEN}"),
    ]) {
        let first = Listener::answering("HTTP/1.1 500 No\r\nContent-Length: 0\r\n\r\n".into()).await;
        let case = Case::new();
        let adapter = case.at(tracker, &format!("http://127.0.0.1:{}", first.port));
        case.create(&*adapter).await;
        let seen = String::from_utf8(first.seen.lock().unwrap().clone()).unwrap().to_lowercase();
        assert_eq!(seen.matches(TOKEN).count(), 1, "{tracker:?}: {seen}");
        assert!(seen.contains(&header), "{tracker:?}: {seen}");
        assert!(!seen.contains("private-token"), "{tracker:?}: that one is carried to other hosts");
        assert!(!seen.contains("referer"), "{tracker:?}: {seen}");
    }
}
