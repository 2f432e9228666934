//! What every tracker has to do, and what each fault comes to, whichever tracker it is. One suite over all of them.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

#[path = "support/tracker_case.rs"]
mod case;

use std::time::Duration;

use case::{Case, cause, kind};
use outtray_core::issue::{Key, TrackerKind};
use outtray_core::tracker::{CauseKind, Reply, Tracker, marker};
use outtray_support::{Dialect, Issue, Logged, PracticeTracker, Route, TOKEN, What};

const ALL: [(TrackerKind, Dialect); 6] = [
    (TrackerKind::Gitea, Dialect::Gitea),
    (TrackerKind::Forgejo, Dialect::Gitea),
    (TrackerKind::GitHub, Dialect::GitHub),
    (TrackerKind::GitLab, Dialect::GitLab),
    (TrackerKind::Redmine, Dialect::Redmine),
    (TrackerKind::Webhook, Dialect::Webhook),
];

/// Those that can be asked whether something has arrived.
fn searchable() -> impl Iterator<Item = (TrackerKind, Dialect)> {
    ALL.into_iter().filter(|(tracker, _)| *tracker != TrackerKind::Webhook)
}

async fn practice(dialect: Dialect) -> PracticeTracker {
    PracticeTracker::start_as(dialect).await.unwrap()
}

/// A practice tracker, a case and its adapter, with little patience.
async fn scene((tracker, dialect): (TrackerKind, Dialect)) -> (PracticeTracker, Case, Box<dyn Tracker>) {
    let server = practice(dialect).await;
    let mut case = Case::new();
    case.timeout = Duration::from_millis(600);
    let adapter = case.at(tracker, &server.url());
    (server, case, adapter)
}

/// The files of an issue as a reader of it has them: attached to it, or shown in its text.
fn files(server: &PracticeTracker, issue: &Issue) -> Vec<Vec<u8>> {
    let attached = issue.assets.iter().map(|asset| asset.bytes.clone());
    let stored = server.files();
    let shown = stored.iter().filter(|file| issue.body.contains(&file.reference));
    attached.chain(shown.map(|file| file.bytes.clone())).collect()
}

fn creates(server: &PracticeTracker) -> usize {
    let is_create = |logged: &&Logged| {
        let path = logged.target.split('?').next().unwrap_or_default();
        let end = path.rsplit('/').next().unwrap_or_default();
        logged.method == "POST" && matches!(end, "issues" | "issues.json" | "")
    };
    server.requests().iter().filter(is_create).count()
}

#[tokio::test]
async fn an_issue_arrives_whole_with_its_files() {
    for (tracker, dialect) in ALL {
        let server = practice(dialect).await;
        let mut case = Case::new();
        // Where GitHub takes what is no picture.
        case.branch = Some("main".into());
        case.issue.labels = vec!["UI".into(), "no such label".into()];
        case.attach("shot é \"q\" [1].png", "image/png", b"picture").attach("log.txt", "text/plain", b"log");
        let adapter = case.at(tracker, &server.url());

        let done =
            case.deliver(tracker, &*adapter).await.unwrap_or_else(|why| panic!("{tracker:?}: {why:?}"));

        let [issue] = server.issues().try_into().unwrap_or_else(|all| panic!("{tracker:?}: {all:?}"));
        assert_eq!(issue.title, "Crash on save", "{tracker:?}");
        assert!(
            issue.body.replace("\r\n", "\n").starts_with("It crashed.\nTwice. 🦀\n\n"),
            "{tracker:?}: {}",
            issue.body
        );
        assert!(issue.body.ends_with(&marker::of(case.issue.key)), "{tracker:?}: {}", issue.body);
        let mut found = files(&server, &issue);
        found.sort();
        assert_eq!(found, [b"log".to_vec(), b"picture".to_vec()], "{tracker:?}: {}", issue.body);
        let receipt = done.receipt.expect("a create has a receipt");
        assert_eq!(receipt.number, "1", "{tracker:?}");
        assert!(
            receipt.url.starts_with(&server.url()) && receipt.url.ends_with("/1"),
            "{tracker:?}: {}",
            receipt.url
        );
        let has_labels = !matches!(tracker, TrackerKind::Redmine | TrackerKind::Webhook);
        assert_eq!(
            issue.labels,
            if has_labels { vec![2] } else { vec![] },
            "{tracker:?}: by name, whatever the case"
        );
        let told = done.told.unwrap_or_default();
        assert_eq!(told.contains("no such label"), tracker != TrackerKind::Webhook, "{tracker:?}: {told}");
    }
}

/// Those that have milestones and assignees. People go by the names by which a tracker tells them.
fn choosable() -> impl Iterator<Item = (TrackerKind, Dialect, [&'static str; 2])> {
    searchable().map(|(tracker, dialect)| match dialect {
        Dialect::Redmine => (tracker, dialect, ["Ada Lovelace", "Grace Hopper"]),
        _ => (tracker, dialect, ["ada", "grace"]),
    })
}

#[tokio::test]
async fn a_milestone_and_an_assignee_are_set_whatever_the_case() {
    for (tracker, dialect, [_, person]) in choosable() {
        let server = practice(dialect).await;
        let mut case = Case::new();
        case.issue.milestone = Some("later".into());
        case.issue.assignees = vec![person.to_uppercase()];
        let done = case.deliver(tracker, &*case.at(tracker, &server.url())).await.unwrap();
        let issue = &server.issues()[0];
        assert_eq!((issue.milestone, issue.assignees.as_slice()), (Some(4), &[2][..]), "{tracker:?}");
        assert_eq!(done.told, None, "{tracker:?}");
    }
}

#[tokio::test]
async fn a_label_milestone_or_assignee_that_has_gone_is_dropped_and_told() {
    for (tracker, dialect, [first, second]) in choosable() {
        let server = practice(dialect).await;
        let mut case = Case::new();
        case.attach("log.txt", "text/plain", b"log");
        case.branch = Some("main".into());
        let has_labels = tracker.parts().contains(&outtray_core::issue::Part::Labels);
        case.issue.labels = if has_labels { vec!["bug".into(), "gone".into()] } else { Vec::new() };
        case.issue.milestone = Some("2.0".into());
        case.issue.assignees = vec!["nobody".into(), second.into()];
        server.change(|project| project.milestones.retain(|(_, title)| title != "2.0"));
        let done = case.deliver(tracker, &*case.at(tracker, &server.url())).await;
        let done = done.unwrap_or_else(|why| panic!("{tracker:?}: never a failed issue: {why:?}"));
        let issue = &server.issues()[0];
        assert_eq!(issue.labels, if has_labels { vec![1] } else { vec![] }, "{tracker:?}");
        let told = done.told.unwrap_or_default();
        let lacks = if has_labels { "the label “gone”, " } else { "" };
        assert_eq!(
            told,
            format!("Filed without {lacks}the milestone “2.0” and the assignee “nobody”."),
            "{tracker:?}"
        );
        assert_eq!((issue.milestone, issue.assignees.as_slice()), (None, &[2][..]), "{tracker:?}");

        // What a server takes only in part is told as well.
        let mut case = Case::new();
        case.issue.assignees = vec![first.into(), second.into()];
        server.change(|project| project.may_push = dialect != Dialect::GitHub && dialect != Dialect::Gitea);
        let done = case.deliver(tracker, &*case.at(tracker, &server.url())).await.unwrap();
        let issue = &server.issues()[1];
        let told = done.told.unwrap_or_default();
        let kept = usize::from(matches!(dialect, Dialect::GitLab | Dialect::Redmine));
        assert_eq!(issue.assignees.len(), kept, "{tracker:?}");
        assert!(told.contains(&format!("the assignee “{second}”")), "{tracker:?}: {told}");
        assert_eq!(told.contains(&format!("“{first}”")), kept == 0, "{tracker:?}: {told}");
    }
}

#[tokio::test]
async fn nothing_is_in_doubt_while_only_a_milestone_or_people_were_asked_for() {
    for (tracker, dialect, [first, _]) in choosable() {
        for on in [Route::Milestones, Route::Assignees] {
            for (what, expected) in [
                (What::CutAfterBody, "not sent"),
                (What::TroubleBefore { status: 502 }, "not sent"),
                (What::LoginPage, "not sent"),
                (What::Unauthorized, "sign-in"),
                (What::RateLimit { retry_after: None }, "rate limited"),
                (What::Forbidden { message: "this token may not read that".into() }, "done"),
                (What::Invalid { message: "no".into() }, "done"),
            ] {
                let (server, mut case, adapter) = scene((tracker, dialect)).await;
                case.issue.milestone = Some("2.0".into());
                case.issue.assignees = vec![first.into()];
                server.fault(on, what.clone());
                let reply = case.create(&*adapter).await;
                assert_eq!(kind(&reply), expected, "{tracker:?} {on:?} {what:?}: {reply:?}");
                assert_eq!(server.issues().len(), usize::from(expected == "done"), "{tracker:?} {what:?}");
            }
        }
    }
}

#[tokio::test]
async fn every_request_has_its_length_its_token_and_a_connection_of_its_own() {
    for (tracker, dialect) in ALL {
        let server = practice(dialect).await;
        let mut case = Case::new();
        case.attach("shot.png", "image/png", &vec![3; 300_000]);
        let adapter = case.at(tracker, &server.url());
        case.deliver(tracker, &*adapter).await.unwrap();
        let _ = case.find(&*adapter).await;
        for request in server.requests() {
            let header = |name: &str| {
                request.headers.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
            };
            assert!(request.is_signed_in, "{tracker:?}: {request:?}");
            assert_eq!(header("connection"), Some("close"), "{tracker:?}: {request:?}");
            assert_eq!(header("transfer-encoding"), None, "{tracker:?}: {request:?}");
            assert_eq!(header("accept-encoding"), None, "{tracker:?}: {request:?}");
            assert!(header("user-agent").is_some_and(|agent| agent.starts_with("Outtray/")), "{request:?}");
            if request.method != "GET" {
                let length = request.body_bytes.to_string();
                assert_eq!(header("content-length"), Some(length.as_str()), "{tracker:?}: {request:?}");
            }
        }
    }
}

#[tokio::test]
async fn below_a_sub_path_everything_stays_below_it() {
    for (tracker, dialect) in ALL {
        let server = practice(dialect).await;
        server.change(|project| project.sub_path = "/git/tea".into());
        let mut case = Case::new();
        case.attach("shot.png", "image/png", b"picture");
        let adapter = case.at(tracker, &format!("  {} ", server.url()));
        adapter.account().await.unwrap_or_else(|why| panic!("{tracker:?}: {why:?}"));
        let receipt = case.deliver(tracker, &*adapter).await.unwrap().receipt.unwrap();
        assert!(receipt.url.starts_with(&server.url()), "{tracker:?}: {}", receipt.url);
        assert_eq!(files(&server, &server.issues()[0]).len(), 1, "{tracker:?}");
        if tracker != TrackerKind::Webhook {
            assert_eq!(case.find(&*adapter).await.unwrap().issues, [receipt], "{tracker:?}");
        }
        assert!(
            server.requests().iter().all(|request| request.target.starts_with("/git/tea")),
            "{tracker:?}"
        );
    }
}

#[tokio::test]
async fn titles_and_bodies_arrive_as_the_tracker_can_take_them() {
    for (tracker, dialect) in ALL {
        let server = practice(dialect).await;
        let mut case = Case::new();
        let other = Key::fresh();
        case.issue.title = format!("first\r\nsecond\0 \u{202e}{}", "🦀".repeat(300));
        case.issue.body = format!("a\r\nb\0c \u{1b}[31m\n{}", marker::of(other));
        let adapter = case.at(tracker, &server.url());
        case.deliver(tracker, &*adapter).await.unwrap_or_else(|why| panic!("{tracker:?}: {why:?}"));
        let issue = &server.issues()[0];
        assert!(issue.title.starts_with("first second \u{202e}🦀"), "{tracker:?}: {}", issue.title);
        assert_eq!(issue.title.chars().count(), 255, "{tracker:?}");
        let whole = format!("first second \u{202e}{}", "🦀".repeat(300));
        assert!(issue.body.starts_with(&whole), "{tracker:?}: what was cut stands whole above the text");
        let body = issue.body.replace("\r\n", "\n");
        assert!(body.contains("\n\na\nbc \u{1b}[31m\n&lt;!-- outtray:"), "{tracker:?}: {body}");
        assert!(!marker::is_in(&body, other), "{tracker:?}: a foreign marker is none any more");
        assert!(body.ends_with(&marker::of(case.issue.key)), "{tracker:?}");
    }
}

#[tokio::test]
async fn an_empty_text_and_a_very_long_one_are_texts() {
    for (tracker, dialect) in ALL {
        for (length, piece) in [(0, ""), (65_536, "x"), (400_000, "🦀 ")] {
            let server = practice(dialect).await;
            let mut case = Case::new();
            case.branch = Some("main".into());
            case.issue.body = piece.repeat(length);
            let adapter = case.at(tracker, &server.url());
            let done =
                case.deliver(tracker, &*adapter).await.unwrap_or_else(|why| panic!("{tracker:?}: {why:?}"));
            let issue = &server.issues()[0];
            assert!(issue.body.ends_with(&marker::of(case.issue.key)), "{tracker:?}, {length}");
            let is_cut = !issue.body.contains(case.issue.body.trim_end());
            if is_cut {
                let whole = files(&server, issue);
                assert_eq!(
                    whole,
                    [case.issue.body.as_bytes()],
                    "{tracker:?}: the whole text goes along as a file"
                );
                let told = done.told.unwrap_or_default();
                assert!(told.contains("longer than"), "{tracker:?}: and the person is told: {told}");
            }
            assert_eq!(is_cut, tracker == TrackerKind::GitHub && length > 0, "{tracker:?}, {length}");
        }
    }
}

#[tokio::test]
async fn a_pasted_body_of_another_issue_does_not_stand_for_it() {
    for (tracker, dialect) in searchable() {
        let server = practice(dialect).await;
        let first = Case::new();
        let adapter = first.at(tracker, &server.url());
        first.deliver(tracker, &*adapter).await.unwrap();
        let mut second = Case::new();
        second.issue.body = server.issues()[0].body.clone();
        second.deliver(tracker, &*adapter).await.unwrap();
        for (case, number) in [(&first, "1"), (&second, "2")] {
            let seen = case.find(&*adapter).await.unwrap();
            let numbers: Vec<&str> = seen.issues.iter().map(|issue| issue.number.as_str()).collect();
            assert_eq!(numbers, [number], "{tracker:?}");
        }
    }
}

#[tokio::test]
async fn a_lost_answer_is_doubt_and_the_look_finds_the_issue() {
    for at in ALL {
        for (what, kind_of_cause) in [
            (What::CutAfterBody, CauseKind::Cut),
            (What::CutAfterAnswer { bytes: 40 }, CauseKind::Cut),
            (What::CutAfterAnswer { bytes: 170 }, CauseKind::Cut),
            (What::TroubleAfter { status: 500 }, CauseKind::Trouble),
            (What::TroubleAfter { status: 504 }, CauseKind::Trouble),
            (What::HtmlAfter { status: 502 }, CauseKind::Trouble),
            (What::DelayAfter { ms: 60_000 }, CauseKind::Timeout),
        ] {
            let (server, case, adapter) = scene(at).await;
            server.fault(Route::Create, what.clone());
            let reply = case.create(&*adapter).await;
            assert_eq!(
                (kind(&reply), cause(&reply).kind),
                ("doubt", kind_of_cause),
                "{at:?} {what:?}: {reply:?}"
            );
            assert_eq!(creates(&server), 1, "{at:?} {what:?}: one call is one request");
            assert_eq!(server.issues().len(), 1, "{at:?} {what:?}");
            if at.0 == TrackerKind::Webhook {
                let reply = case.find(&*adapter).await.expect_err("no look");
                assert_eq!(
                    (kind(&reply), cause(&reply).kind),
                    ("refused", CauseKind::CannotLook),
                    "{reply:?}"
                );
            } else {
                let seen = case.find(&*adapter).await.unwrap();
                assert_eq!(seen.issues.len(), 1, "{at:?} {what:?}");
                assert_eq!(seen.issues[0].number, "1", "{at:?} {what:?}");
            }
        }
    }
}

#[tokio::test]
async fn what_may_have_arrived_is_doubt_even_when_nothing_happened() {
    for at in ALL {
        for what in [
            What::CutAfterHead,
            What::Drop,
            What::TroubleBefore { status: 503 },
            What::Html { status: 502 },
            What::LoginPage,
            What::NoId,
            What::Stall,
            What::StallUnread,
        ] {
            let (server, case, adapter) = scene(at).await;
            server.fault(Route::Create, what.clone());
            let reply = case.create(&*adapter).await;
            assert_eq!(kind(&reply), "doubt", "{at:?} {what:?}: {reply:?}");
            assert!(server.issues().is_empty(), "{at:?} {what:?}: it is not there");
        }
    }
}

const JSON: &str = "Content-Type: application/json\r\n";
const HTML: &str = "Content-Type: text/html\r\n";

#[tokio::test]
async fn every_code_has_its_class() {
    for (status, is_json, expected) in [
        (400, true, "refused"),
        (401, true, "sign-in"),
        (404, true, "refused"),
        (405, true, "refused"),
        (409, true, "refused"),
        (410, true, "refused"),
        (413, true, "refused"),
        (415, true, "refused"),
        (422, true, "refused"),
        (423, true, "refused"),
        (429, true, "rate limited"),
        (401, false, "sign-in"),
        (413, false, "refused"),
        (414, false, "refused"),
        (429, false, "rate limited"),
        (407, false, "not sent"),
        (511, false, "not sent"),
        (408, false, "doubt"),
        (418, false, "doubt"),
        (422, false, "doubt"),
        (500, true, "doubt"),
        (501, true, "doubt"),
        (502, false, "doubt"),
        (503, false, "doubt"),
        (504, false, "doubt"),
        (520, false, "doubt"),
        (299, true, "doubt"),
        (203, false, "doubt"),
        (200, false, "doubt"),
    ] {
        for at in ALL {
            let (server, case, adapter) = scene(at).await;
            let (headers, body) =
                if is_json { (JSON, r#"{"message":"no"}"#) } else { (HTML, "<html>no</html>") };
            let answer =
                format!("HTTP/1.1 {status} X\r\n{headers}Content-Length: {}\r\n\r\n{body}", body.len());
            server.fault(Route::Create, What::Raw { answer });
            let reply = case.create(&*adapter).await;
            assert_eq!(kind(&reply), expected, "{at:?} {status}, JSON {is_json}: {reply:?}");
            let cause = cause(&reply);
            assert!(
                cause.words.ends_with('.') && cause.words.chars().count() > 15,
                "a sentence: {}",
                cause.words
            );
            assert!(!format!("{reply:?}").contains(TOKEN), "{reply:?}");
            assert!(server.issues().is_empty());
        }
    }
}

#[tokio::test]
async fn a_success_that_says_otherwise_is_none() {
    for body in [
        "",
        "null",
        "{}",
        "\"ok\"",
        "[]",
        r#"{"errors":[{"message":"no"}]}"#,
        r#"{"error":"no"}"#,
        r#"{"number":0}"#,
        r#"{"iid":0,"web_url":"http://127.0.0.1/x"}"#,
        r#"{"issue":{}}"#,
        r#"{"issue":{"id":0}}"#,
        r#"{"num"#,
    ] {
        for at in ALL {
            // A receiver of a webhook need not tell a number.
            let is_odd_for_all = body.contains("error") || body == r#"{"num"#;
            if at.0 == TrackerKind::Webhook && !is_odd_for_all {
                continue;
            }
            let (server, case, adapter) = scene(at).await;
            let answer =
                format!("HTTP/1.1 201 Created\r\n{JSON}Content-Length: {}\r\n\r\n{body}", body.len());
            server.fault(Route::Create, What::Raw { answer });
            let reply = case.create(&*adapter).await;
            assert_eq!(kind(&reply), "doubt", "{at:?} {body}: {reply:?}");
        }
    }
}

#[tokio::test]
async fn the_trackers_own_no_is_shown_in_its_words() {
    for at in ALL {
        let (server, case, adapter) = scene(at).await;
        server.fault(Route::Create, What::Invalid { message: "title is not nice".into() });
        let reply = case.create(&*adapter).await;
        assert_eq!(kind(&reply), "refused", "{at:?}: {reply:?}");
        assert!(
            cause(&reply).words.contains("\u{201c}title is not nice\u{201d}"),
            "{at:?}: {}",
            cause(&reply).words
        );
    }
}

#[tokio::test]
async fn a_waiting_time_is_read() {
    for at in ALL {
        let (server, case, adapter) = scene(at).await;
        server.fault(Route::Create, What::RateLimit { retry_after: Some("7".into()) });
        let reply = case.create(&*adapter).await;
        let Reply::RateLimited { wait, .. } = reply else { panic!("{at:?}: {reply:?}") };
        assert_eq!(wait, Some(Duration::from_secs(7)), "{at:?}");
    }
}

#[tokio::test]
async fn a_server_that_is_switched_off_was_sent_nothing() {
    for at in ALL {
        let (mut server, case, adapter) = scene(at).await;
        server.stop().await;
        let reply = case.create(&*adapter).await;
        assert_eq!((kind(&reply), cause(&reply).kind), ("not sent", CauseKind::Unreachable), "{at:?}");
    }
}

#[tokio::test]
async fn an_issue_that_commits_late_or_lists_late_is_found_then() {
    for at in searchable() {
        let (server, case, adapter) = scene(at).await;
        server.fault(Route::Create, What::CommitLate { ms: 300 });
        assert_eq!(kind(&case.create(&*adapter).await), "doubt", "{at:?}");
        assert!(case.find(&*adapter).await.unwrap().issues.is_empty(), "{at:?}: not yet");
        server.until(|_| !server.issues().is_empty()).await;
        assert_eq!(case.find(&*adapter).await.unwrap().issues.len(), 1, "{at:?}");

        // GitHub waits a second between two creations.
        let (server, lagging, adapter) = scene(at).await;
        server.fault(Route::Create, What::ListLag { ms: 300 });
        let receipt = lagging.created(&*adapter).await;
        assert!(lagging.find(&*adapter).await.unwrap().issues.is_empty(), "{at:?}: not listed yet");
        tokio::time::sleep(Duration::from_millis(320)).await;
        assert_eq!(lagging.find(&*adapter).await.unwrap().issues, [receipt], "{at:?}");
    }
}

#[tokio::test]
async fn the_look_reads_every_page_closed_issues_included_and_goes_no_further_back() {
    for at in searchable() {
        let (server, case, adapter) = scene(at).await;
        server.change(|project| project.most_on_page = 10);
        for n in 0..60 {
            let number = server.add_issue(&format!("old {n}"), "text");
            server.edit_issue(number, |issue| {
                issue.created_ms -= 30 * 86_400_000;
                // Somebody has touched them since.
                issue.updated_ms = issue.created_ms + 30 * 86_400_000;
            });
        }
        let receipt = case.created(&*adapter).await;
        for n in 0..35 {
            server.add_issue(&format!("another {n}"), "text");
        }
        server.edit_issue(61, |issue| issue.is_closed = true);
        assert_eq!(case.find(&*adapter).await.unwrap().issues, [receipt], "{at:?}");
        let is_list = |logged: &&Logged| logged.method == "GET" && logged.target.contains("issues");
        let lists = server.requests().iter().filter(is_list).count();
        assert!((4..=5).contains(&lists), "{at:?}: {lists} pages");
        let requests = server.requests();
        assert!(
            requests
                .iter()
                .all(|request| !request.target.contains("q=") && !request.target.contains("search"))
        );
    }
}

#[tokio::test]
async fn a_failed_look_is_no_empty_look() {
    for at in searchable() {
        for (what, expected) in [
            (What::CutAfterAnswer { bytes: 200 }, "doubt"),
            (What::TroubleBefore { status: 500 }, "doubt"),
            (What::LoginPage, "doubt"),
            (What::Html { status: 403 }, "doubt"),
            (What::Unauthorized, "sign-in"),
            (What::RateLimit { retry_after: Some("3".into()) }, "rate limited"),
            (What::Redirect { code: 302, to: "/user/login".into() }, "refused"),
        ] {
            let (server, case, adapter) = scene(at).await;
            case.created(&*adapter).await;
            server.fault(Route::List, what.clone());
            let reply = case.find(&*adapter).await.expect_err("a failed look");
            assert_eq!(kind(&reply), expected, "{at:?} {what:?}: {reply:?}");
        }
    }
}

#[tokio::test]
async fn a_link_is_recognised_only_when_that_issue_is_this_one() {
    for at in searchable() {
        let (server, case, adapter) = scene(at).await;
        server.add_issue("another", "text");
        let receipt = case.created(&*adapter).await;
        let ours: url::Url = receipt.url.parse().unwrap();
        assert_eq!(adapter.recognise(&case.issue, &ours).await.unwrap(), Some(receipt.clone()), "{at:?}");
        let other: url::Url = receipt.url.replace("/2", "/1").parse().unwrap();
        assert_eq!(adapter.recognise(&case.issue, &other).await.unwrap(), None, "{at:?}");
        for elsewhere in
            ["https://other.example.org/ada/demo/issues/2".to_owned(), format!("{}/ada", server.url())]
        {
            let reply =
                adapter.recognise(&case.issue, &elsewhere.parse().unwrap()).await.expect_err("no issue");
            assert_eq!(
                (kind(&reply), cause(&reply).kind),
                ("refused", CauseKind::Setup),
                "{at:?}: {reply:?}"
            );
        }
    }
}

#[tokio::test]
async fn a_lost_file_leaves_one_file_at_its_issue() {
    for at in searchable() {
        for what in
            [What::CutAfterBody, What::TroubleAfter { status: 500 }, What::CutAfterAnswer { bytes: 150 }]
        {
            let (server, mut case, _) = scene(at).await;
            case.attach("shot.png", "image/png", b"picture");
            let adapter = case.at(at.0, &server.url());
            if at.1 == Dialect::Gitea {
                // Files follow the issue here, and one that arrived is found at it: see tracker_gitea_looks.
                continue;
            }
            server.fault(Route::Upload, what.clone());
            let reply = case.deliver(at.0, &*adapter).await.expect_err("it got lost");
            assert_eq!(kind(&reply), "doubt", "{at:?} {what:?}: {reply:?}");
            case.deliver(at.0, &*adapter).await.unwrap();
            let issues = server.issues();
            assert_eq!((issues.len(), files(&server, &issues[0]).len()), (1, 1), "{at:?} {what:?}");
            assert_eq!(server.files().len(), 2, "{at:?} {what:?}: the other one is nobody's");
        }
    }
}

#[tokio::test]
async fn an_account_says_who_it_is_and_where_it_may_file() {
    for (tracker, dialect) in searchable() {
        let server = practice(dialect).await;
        let case = Case::new();
        let adapter = case.at(tracker, &server.url());
        let account = adapter.account().await.unwrap_or_else(|why| panic!("{tracker:?}: {why:?}"));
        assert_eq!(account.login.as_deref(), Some("ada"), "{tracker:?}");
        assert!(account.words.contains("signed in as ada"), "{tracker:?}: {}", account.words);
        assert!(account.words.to_lowercase().contains("demo"), "{tracker:?}: {}", account.words);

        let words = async |what: Route, fault: What| {
            server.fault(what, fault);
            adapter.account().await.expect_err("no account")
        };
        assert_eq!(kind(&words(Route::User, What::Unauthorized).await), "sign-in", "{tracker:?}");
        let portal = words(Route::Any, What::LoginPage).await;
        assert_eq!(cause(&portal).kind, CauseKind::Setup, "{tracker:?}: {portal:?}");
        assert!(cause(&portal).words.contains("Check the address"), "{tracker:?}: {portal:?}");
        server.change(|project| project.has_issues = false);
        let off = adapter.account().await.expect_err("no account");
        assert!(cause(&off).words.contains("switched off"), "{tracker:?}: {off:?}");
        server.change(|project| (project.has_issues, project.is_archived) = (true, true));
        let archived = adapter.account().await.expect_err("no account");
        assert!(cause(&archived).words.contains("archived"), "{tracker:?}: {archived:?}");
        server.change(|project| (project.is_archived, project.name) = (false, "other".into()));
        let gone = adapter.account().await.expect_err("no account");
        assert_eq!(cause(&gone).kind, CauseKind::Setup, "{tracker:?}");
        assert!(cause(&gone).words.contains("is not there"), "{tracker:?}: {gone:?}");
    }
}

#[tokio::test]
async fn a_project_that_takes_no_issues_refuses_in_words() {
    for at in searchable() {
        for is_archived in [true, false] {
            let (server, case, adapter) = scene(at).await;
            server.change(|project| (project.is_archived, project.has_issues) = (is_archived, is_archived));
            let reply = case.create(&*adapter).await;
            assert_eq!(kind(&reply), "refused", "{at:?}: {reply:?}");
            assert!(cause(&reply).words.contains("demo"), "{at:?}: {}", cause(&reply).words);
        }
    }
}

#[tokio::test]
async fn what_is_filed_is_found_and_nothing_else_is() {
    let home = tempfile::TempDir::new().unwrap();
    let mut case = Case::new();
    case.attach("shot.png", "image/png", b"picture");
    let mut adapters = vec![(TrackerKind::Folder, case.folder(home.path().to_str().unwrap()).unwrap())];
    let mut servers = Vec::new();
    for (tracker, dialect) in searchable() {
        let server = practice(dialect).await;
        adapters.push((tracker, case.at(tracker, &server.url())));
        servers.push(server);
    }
    for (tracker, adapter) in &adapters {
        assert!(adapter.account().await.is_ok(), "{tracker:?}");
        assert!(
            case.find(&**adapter).await.unwrap().issues.is_empty(),
            "{tracker:?}: nothing is there before"
        );
        let receipt = case.deliver(*tracker, &**adapter).await.unwrap().receipt.unwrap();
        let seen = case.find(&**adapter).await.unwrap();
        assert_eq!(seen.issues, std::slice::from_ref(&receipt), "{tracker:?}");
        let stranger = Case::new();
        assert!(
            stranger.find(&**adapter).await.unwrap().issues.is_empty(),
            "{tracker:?}: nor is another one"
        );
        let link = receipt.url.parse().unwrap();
        assert_eq!(adapter.recognise(&case.issue, &link).await.unwrap(), Some(receipt), "{tracker:?}");
    }
}
