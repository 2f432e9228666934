//! Filing at a GitHub that others made, and reading what the real one once answered.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

#[path = "../../support/tracker_case.rs"]
mod case;

use std::time::Duration;

use case::{Case, cause, kind};
use outtray_core::issue::{Key, TrackerKind};
use outtray_core::tracker::{CauseKind, Reply, Tracker};
use outtray_real::emulate::Emulate;
use outtray_real::{brought, need};
use outtray_support::{Break, Dialect, PracticeTracker, Proxy, Route, TOKEN, What};
use serde_json::Value;

/// The emulator, and before it a proxy that puts its API where an Enterprise server has its own.
async fn emulated() -> Option<(Emulate, Proxy)> {
    let proxy = Proxy::start(0, "/api/v3", "").await.unwrap();
    let emulate = Emulate::start(&proxy.url()).unwrap()?;
    proxy.turn_to(emulate.port);
    Some((emulate, proxy))
}

fn at(case: &Case, url: &str) -> Box<dyn Tracker> {
    case.open(TrackerKind::GitHub, url, "ada/demo", Some(TOKEN)).unwrap()
}

#[tokio::test]
async fn an_issue_arrives_whole_with_its_files_on_a_branch() {
    let Some((_emulate, proxy)) = emulated().await else { return };
    let mut case = Case::new();
    case.timeout = Duration::from_secs(30);
    case.branch = Some("main".into());
    case.issue.body = "one\r\n/two 🦀".into();
    case.attach("shot é.png", "image/png", b"picture").attach("log.txt", "text/plain", b"log");
    let adapter = at(&case, &proxy.url());

    let account = adapter.account().await.unwrap();
    assert_eq!(account.login.as_deref(), Some("ada"));
    assert!(account.words.contains("may file in ada/demo"), "{}", account.words);
    let done = case.deliver(TrackerKind::GitHub, &*adapter).await.unwrap();
    assert_eq!(done.told, None);
    let receipt = done.receipt.unwrap();
    assert_eq!(case.find(&*adapter).await.unwrap().issues, std::slice::from_ref(&receipt));
    let link = receipt.url.parse().unwrap();
    assert_eq!(adapter.recognise(&case.issue, &link).await.unwrap(), Some(receipt));

    // Once more: what is there under its path is found there.
    let again = case.deliver(TrackerKind::GitHub, &*adapter).await.unwrap();
    assert_eq!(again.told, None, "{again:?}");
    assert_eq!(case.find(&*adapter).await.unwrap().issues.len(), 2, "every match is seen, oldest first");
}

#[tokio::test]
async fn a_lost_answer_is_found_and_nothing_else_is() {
    let Some((_emulate, proxy)) = emulated().await else { return };
    for at_end in [Break::AfterBody, Break::AfterAnswer(80), Break::Reset, Break::Page(502), Break::AfterHead]
    {
        let mut case = Case::new();
        case.timeout = Duration::from_secs(20);
        case.issue.key = Key::fresh();
        let adapter = at(&case, &proxy.url());
        proxy.break_off("POST", "/issues", at_end, 1);
        let lost = case.create(&*adapter).await;
        assert_eq!(kind(&lost), "doubt", "{at_end:?}: {lost:?}");
        let found = case.find(&*adapter).await.unwrap().issues.len();
        assert_eq!(found, usize::from(at_end != Break::AfterHead), "{at_end:?}");
    }
    let case = Case::new();
    assert!(case.find(&*at(&case, &proxy.url())).await.unwrap().issues.is_empty());
}

/// What GitHub answered when somebody recorded it: each as it came over the wire, with its host made ours.
fn recorded(scenario: &str, origin: &str) -> Option<Vec<(u16, String)>> {
    let path = format!(
        "npm/node_modules/@octokit/fixtures/scenarios/api.github.com/{scenario}/normalized-fixture.json"
    );
    let text = need("recordings of GitHub", std::fs::read_to_string(brought().join(path)).ok())?;
    let all: Vec<Value> = serde_json::from_str(&text).unwrap();
    let wire = |one: &Value| {
        let status = u16::try_from(one["status"].as_u64().unwrap()).unwrap();
        let ours = |text: &str| {
            text.replace("https://api.github.com", &format!("{origin}/api/v3"))
                .replace("https://github.com", origin)
        };
        let body = ours(&one["response"].to_string());
        let mut head = format!("HTTP/1.1 {status} X\r\n");
        for (name, value) in one["headers"].as_object().unwrap() {
            let value = value.as_str().map(str::to_owned).unwrap_or_else(|| value.to_string());
            if !matches!(
                name.as_str(),
                "content-length" | "content-encoding" | "transfer-encoding" | "connection"
            ) {
                head.push_str(&format!("{name}: {}\r\n", ours(&value)));
            }
        }
        (status, format!("{head}Content-Length: {}\r\n\r\n{body}", body.len()))
    };
    Some(all.iter().map(wire).collect())
}

#[tokio::test]
async fn a_recorded_renaming_is_followed() {
    let server = PracticeTracker::start_as(Dialect::GitHub).await.unwrap();
    let Some(answers) = recorded("rename-repository", &server.url()) else { return };
    let moved = answers.iter().find(|(status, _)| *status == 301).unwrap().1.clone();
    let at_number = answers.iter().filter(|(status, _)| *status == 200).nth(1).unwrap().1.clone();
    let case = Case::new();
    let adapter = at(&case, &server.url());
    server.fault(Route::Project, What::Raw { answer: moved });
    server.fault(Route::Project, What::Raw { answer: at_number });
    let account = adapter.account().await.unwrap();
    assert!(account.words.contains("octokit-fixture-org/rename-repository-newname"), "{}", account.words);
    let asked: Vec<String> = server.requests().into_iter().map(|request| request.target).collect();
    assert_eq!(asked[1..], ["/api/v3/repos/ada/demo", "/api/v3/repositories/1000"]);

    let changed = answers.iter().find(|(status, _)| *status == 307).unwrap().1.clone();
    server.fault(Route::Create, What::Raw { answer: changed });
    let receipt = case.created(&*adapter).await;
    assert_eq!(
        (receipt.number.as_str(), server.issues().len()),
        ("1", 1),
        "what was redirected had not happened"
    );
}

#[tokio::test]
async fn a_recorded_refusal_is_told() {
    let server = PracticeTracker::start_as(Dialect::GitHub).await.unwrap();
    let Some(answers) = recorded("errors", &server.url()) else { return };
    let case = Case::new();
    server.fault(Route::Create, What::Raw { answer: answers[0].1.clone() });
    let reply = case.create(&*at(&case, &server.url())).await;
    assert_eq!((kind(&reply), cause(&reply).kind), ("refused", CauseKind::Refused), "{reply:?}");
    assert!(cause(&reply).words.contains("Validation Failed: color is invalid"), "{reply:?}");
}

#[tokio::test]
async fn recorded_pages_are_read_to_the_last() {
    let server = PracticeTracker::start_as(Dialect::GitHub).await.unwrap();
    let Some(answers) = recorded("paginate-issues", &server.url()) else { return };
    let case = Case::new();
    // From long ago; the look goes back as far as it has to here.
    let look = outtray_core::tracker::Look {
        since_ms: 0,
        ..case.look(outtray_core::tracker::Step::Create { uploaded: &[] })
    };
    let pages = answers.iter().take_while(|(_, answer)| answer.contains("rel=\"next\"")).count() + 1;
    for (_, answer) in answers.iter().take(pages) {
        server.fault(Route::List, What::Raw { answer: answer.clone() });
    }
    let seen = at(&case, &server.url()).look(&case.issue, look).await.unwrap();
    assert!(seen.issues.is_empty());
    assert_eq!(server.requests().len(), pages, "every page and no more: {pages}");
    assert!(pages >= 4, "{pages}");
}

#[tokio::test]
async fn a_recorded_issue_has_the_shape_that_counts_as_made() {
    let server = PracticeTracker::start_as(Dialect::GitHub).await.unwrap();
    let Some(answers) = recorded("paginate-issues", &server.url()) else { return };
    let (_, answer) = &answers[0];
    let list: Vec<Value> = serde_json::from_str(answer.split_once("\r\n\r\n").unwrap().1).unwrap();
    let body = list[0].to_string();
    let made = format!(
        "HTTP/1.1 201 Created\r\nContent-Type: application/json; charset=utf-8\r\nContent-Length: {}\r\n\r\n{body}",
        body.len()
    );
    let case = Case::new();
    server.fault(Route::Create, What::Raw { answer: made });
    let reply = case.create(&*at(&case, &server.url())).await;
    let Reply::Done(done) = reply else { panic!("{reply:?}") };
    let receipt = done.receipt.unwrap();
    assert_eq!(receipt.number, list[0]["number"].to_string());
    assert!(receipt.url.contains("/octokit-fixture-org/paginate-issues/issues/"), "{}", receipt.url);
    assert!(done.login.is_some());
}
