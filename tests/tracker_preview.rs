//! What a preview shows is what the tracker gets, to the byte, whichever tracker it is.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

#[path = "support/tracker_case.rs"]
mod case;

use case::Case;
use outtray_core::issue::{Destination, Key, TrackerKind};
use outtray_core::tracker::marker;
use outtray_core::tracker::preview::{Preview, preview};
use outtray_support::{Dialect, PracticeTracker};
use serde_json::Value;

const ALL: [(TrackerKind, Dialect); 6] = [
    (TrackerKind::Gitea, Dialect::Gitea),
    (TrackerKind::Forgejo, Dialect::Gitea),
    (TrackerKind::GitHub, Dialect::GitHub),
    (TrackerKind::GitLab, Dialect::GitLab),
    (TrackerKind::Redmine, Dialect::Redmine),
    (TrackerKind::Webhook, Dialect::Webhook),
];

/// Title, body, and whether files go along.
fn issues() -> Vec<(String, String, bool)> {
    let long = "🦀 ".repeat(40_000);
    let longest = "/close it\n".repeat(120_000);
    vec![
        ("Crash on save".into(), "It crashed.\r\nTwice. 🦀\n\n".into(), false),
        ("Crash on save".into(), format!("/close\nLog:\0\n{}", marker::of(Key::fresh())), true),
        (format!("first\r\nsecond {}", "🦀".repeat(300)), String::new(), true),
        ("Long".into(), long, true),
        ("Longest".into(), longest, false),
        // On the brink: with the addresses that the files have it would fit.
        ("Nearly too long".into(), "x".repeat(65_000), true),
    ]
}

/// The last text that was sent, and the title and labels that went with the issue.
fn received(server: &PracticeTracker, dialect: Dialect) -> (String, String, Value) {
    let asked: Vec<Value> = server.requests().into_iter().filter_map(|request| request.json).collect();
    let text = |json: &Value, name: &str| json[name].as_str().map(str::to_owned);
    let last = |read: &dyn Fn(&Value) -> Option<String>| asked.iter().rev().find_map(read);
    let stored = &server.issues()[0];
    match dialect {
        Dialect::Gitea | Dialect::GitHub => {
            let made = asked.iter().find(|json| json["title"].is_string()).unwrap();
            (
                made["title"].as_str().unwrap().into(),
                last(&|json| text(json, "body")).unwrap(),
                made["labels"].clone(),
            )
        }
        Dialect::GitLab => {
            let made = asked.iter().find(|json| json["title"].is_string()).unwrap();
            (
                made["title"].as_str().unwrap().into(),
                text(made, "description").unwrap(),
                made["labels"].clone(),
            )
        }
        Dialect::Redmine => {
            let made = &asked.iter().find(|json| json["issue"].is_object()).unwrap()["issue"];
            (made["subject"].as_str().unwrap().into(), text(made, "description").unwrap(), Value::Null)
        }
        // With files it is a form, which the practice tracker has read.
        Dialect::Webhook => match asked.first() {
            Some(made) => {
                (made["title"].as_str().unwrap().into(), text(made, "body").unwrap(), made["labels"].clone())
            }
            None => (stored.title.clone(), stored.body.clone(), Value::Null),
        },
    }
}

/// The text with `…` for every address that the tracker gave.
fn without_addresses(server: &PracticeTracker, text: &str) -> String {
    let assets = server.issues()[0].assets.clone();
    let attached = assets.iter().map(|asset| format!("{}/attachments/{}", server.url(), asset.uuid));
    let references = server.files().into_iter().map(|file| file.reference);
    attached.chain(references).fold(text.to_owned(), |text, address| {
        text.replace(&format!("({address}?raw=true)"), "(…)").replace(&format!("({address})"), "(…)")
    })
}

/// The names and sizes under which files arrived.
fn files(server: &PracticeTracker) -> Vec<(String, u64)> {
    let assets = server.issues()[0].assets.clone();
    if !assets.is_empty() {
        return assets.into_iter().map(|asset| (asset.name, asset.bytes.len() as u64)).collect();
    }
    let stored = server.files().into_iter().map(|file| {
        let name = file.name.rsplit('/').next().unwrap_or_default().to_owned();
        (name, file.bytes.len() as u64)
    });
    stored.filter(|(name, _)| name != "whole-text.md").collect()
}

fn names(preview: &Preview) -> Vec<(String, u64)> {
    preview.files.iter().map(|file| (file.name.clone(), file.size)).collect()
}

#[tokio::test]
async fn what_is_previewed_is_what_the_tracker_gets() {
    for (tracker, dialect) in ALL {
        for branch in [Some("main"), None] {
            if branch.is_none() && tracker != TrackerKind::GitHub {
                continue;
            }
            for (title, body, with_files) in issues() {
                let at = format!("{tracker:?}, branch {branch:?}, {} characters", body.chars().count());
                let server = PracticeTracker::start_as(dialect).await.unwrap();
                let mut case = Case::new();
                case.branch = branch.map(str::to_owned);
                (case.issue.title, case.issue.body) = (title, body);
                case.issue.labels = vec!["bug".into(), "ui".into()];
                if with_files {
                    case.attach("shot é \"q\" [1].png", "image/png", b"picture");
                    // Elsewhere it has no place, and the preview says so.
                    if branch.is_some() {
                        case.attach("log.txt", "text/plain", b"a log");
                    }
                }
                let project = if tracker == TrackerKind::Redmine { "demo" } else { "ada/demo" };
                let preview = preview(&case.destination(tracker, &server.url(), project), &case.issue);

                let adapter = case.at(tracker, &server.url());
                case.deliver(tracker, &*adapter).await.unwrap_or_else(|why| panic!("{at}: {why:?}"));

                let (title, text, labels) = received(&server, dialect);
                assert_eq!(preview.title, title, "{at}");
                assert!(preview.text == without_addresses(&server, &text), "{at}: the texts differ");
                assert_eq!(names(&preview), files(&server), "{at}");
                let asked: &[&str] = if tracker == TrackerKind::Redmine { &[] } else { &["bug", "ui"] };
                assert_eq!(preview.labels, asked, "{at}");
                match (dialect, labels) {
                    (Dialect::Gitea, labels) => assert_eq!(labels, serde_json::json!([1, 2]), "{at}"),
                    (Dialect::GitLab, labels) => {
                        assert_eq!(labels, serde_json::json!(asked.join(",")), "{at}");
                    }
                    (_, Value::Null) => {}
                    (_, labels) => assert_eq!(labels, serde_json::json!(asked), "{at}"),
                }
            }
        }
    }
}

#[tokio::test]
async fn what_stays_behind_is_said_in_words() {
    let mut case = Case::new();
    case.issue.labels = vec!["bug".into()];
    case.issue.body = "x".repeat(70_000);
    case.attach("log.txt", "text/plain", b"log").attach("shot.png", "image/png", b"picture");
    let notes = |case: &Case, tracker| {
        preview(&case.destination(tracker, "https://git.example.org", "ada/demo"), &case.issue)
            .notes
            .join(" ")
    };
    let github = notes(&case, TrackerKind::GitHub);
    assert!(github.contains("log.txt is left out: GitHub takes pictures and films only."), "{github}");
    assert!(github.contains("The text is longer than GitHub takes, so it is cut."), "{github}");
    assert!(github.contains("The whole of it stays here"), "{github}");
    case.branch = Some("main".into());
    assert!(!notes(&case, TrackerKind::GitHub).contains("left out"), "the branch takes it");
    let redmine = notes(&case, TrackerKind::Redmine);
    assert!(redmine.contains("Redmine has no labels, so these are left out: bug."), "{redmine}");
    case.issue.title = "long ".repeat(100);
    assert!(
        notes(&case, TrackerKind::Gitea).contains("The title is longer"),
        "{}",
        notes(&case, TrackerKind::Gitea)
    );
}

#[tokio::test]
async fn a_folders_page_is_previewed_as_it_is_written() {
    let home = tempfile::TempDir::new().unwrap();
    let mut case = Case::new();
    case.issue.labels = vec!["bug".into()];
    case.attach("shot.png", "image/png", b"picture").attach("SHOT.png", "image/png", b"other");
    let path = home.path().to_str().unwrap();
    let adapter = case.folder(path).unwrap();
    let destination = Destination {
        url: None,
        project: None,
        path: Some(path.into()),
        ..case.destination(TrackerKind::Folder, "", "")
    };
    let preview = preview(&destination, &case.issue);

    let receipt = case.created(&*adapter).await;

    let written = home.path().join(&receipt.number);
    assert_eq!(preview.text, std::fs::read_to_string(written.join("issue.md")).unwrap());
    assert_eq!(names(&preview), [("shot.png".to_owned(), 7), ("SHOT-2.png".to_owned(), 5)]);
    for (name, size) in names(&preview) {
        assert_eq!(std::fs::metadata(written.join(name)).unwrap().len(), size);
    }
    assert!(preview.notes[0].contains(&receipt.number), "{:?}", preview.notes);
}
