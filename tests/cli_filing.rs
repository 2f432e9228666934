//! `outtrayctl file`: saved whole or not at all, and never again by a guess.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

#[path = "cli/mod.rs"]
mod cli;

use std::time::{Duration, Instant};

use cli::{Home, files_below, nowhere};
use outtray_support::{PracticeTracker, Route, TOKEN, What};
use serde_json::{Value, json};

/// A home with the destination "work", where nobody answers.
fn offline() -> Home {
    let home = Home::new().with("OUTTRAY_TOKEN_WORK", TOKEN);
    add_work(&home, &nowhere());
    home
}

/// A home with the destination "work", where a tracker answers.
async fn online() -> (Home, PracticeTracker) {
    let tracker = PracticeTracker::start().await.unwrap();
    let home = Home::new().with("OUTTRAY_TOKEN_WORK", TOKEN);
    add_work(&home, &tracker.url());
    (home, tracker)
}

fn add_work(home: &Home, url: &str) {
    home.json(&["destination", "add", "work", "--tracker", "gitea", "--url", url, "--project", "ada/demo"]);
}

/// Asserts that a refusal left nothing behind.
fn nothing_is_left(home: &Home) {
    assert_eq!(home.json(&["list"]), json!([]));
    assert_eq!(home.attachments(), 0, "no copy of a file stays behind");
}

#[test]
fn an_issue_is_saved_without_a_network() {
    let home = offline();
    let ran = home.run(&["file", "--to", "work", "--title", "The till is stuck"]);
    assert_eq!((ran.code, ran.out.as_str(), ran.err.as_str()), (0, "Saved as 1.\n", ""));

    let saved = home.json(&["file", "--to", "work", "--title", "And the door"]);
    assert_eq!((&saved["id"], &saved["state"]), (&json!(2), &json!("waiting")));
    let key = saved["key"].as_str().unwrap();
    assert_eq!((key.len(), &key[14..15]), (36, "7"), "a UUID of version 7");
    assert_eq!(home.json(&["show", "2"])["key"], saved["key"]);
}

#[test]
fn the_text_comes_from_an_option_a_file_or_standard_input() {
    let home = Home::new();
    let file = home.write("body.md", "from a *file*\n");
    home.json(&["file", "--to", "Folder", "--title", "a", "--body", "as typed"]);
    home.json(&["file", "--to", "Folder", "--title", "b", "--body-file", file.to_str().unwrap()]);
    let ran = home.run_with(
        "aus der Röhre".as_bytes(),
        &["file", "--to", "Folder", "--title", "c", "--body-file", "-"],
    );
    assert_eq!(ran.code, 0, "{ran:?}");
    let body = |id: &str| home.json(&["show", id])["body"].clone();
    assert_eq!(
        [body("1"), body("2"), body("3")],
        [json!("as typed"), json!("from a *file*\n"), json!("aus der Röhre")]
    );
}

#[test]
fn a_text_of_a_megabyte_is_saved_whole() {
    let home = Home::new();
    let text = "a long story, ".repeat(75_000);
    let ran =
        home.run_with(text.as_bytes(), &["file", "--to", "Folder", "--title", "Long", "--body-file", "-"]);
    assert_eq!(ran.code, 0, "{ran:?}");
    assert_eq!(home.json(&["show", "1"])["body"], json!(text));
}

#[test]
fn a_text_that_is_none_is_refused_in_words() {
    let home = Home::new();
    let to_stdin = ["file", "--to", "Folder", "--title", "x", "--json", "--body-file", "-"];
    let [code, message, _] = home.run_with(b"caf\xe9", &to_stdin).refused();
    assert_eq!(
        (code.as_str(), message.as_str()),
        ("invalid", "standard input is not text in UTF-8: byte 4 is none.")
    );
    let [_, message, _] = home.run_with(&vec![b'x'; 11 << 20], &to_stdin).refused();
    assert_eq!(message, "standard input is longer than 10 MiB, which no tracker takes.");
    let [_, message, hint] =
        home.refused(&["file", "--to", "Folder", "--title", "x", "--body-file", "gone.md"]);
    assert_eq!(
        (message.as_str(), hint.starts_with("Nothing was saved.")),
        ("There is no file gone.md.", true)
    );
    nothing_is_left(&home);
}

#[test]
fn a_title_is_needed_and_becomes_one_line() {
    let home = Home::new();
    for title in ["", "  ", "\n\t"] {
        assert_eq!(home.refused(&["file", "--to", "Folder", "--title", title])[1], "An issue needs a title.");
    }
    nothing_is_left(&home);
    home.json(&["file", "--to", "Folder", "--title", "one\ntwo"]);
    home.json(&["file", "--to", "Folder", "--title", "🦀 הבאג הגדול"]);
    assert_eq!(home.json(&["show", "1"])["title"], json!("one two"));
    assert_eq!(home.json(&["show", "2"])["title"], json!("🦀 הבאג הגדול"));
}

#[test]
fn a_destination_that_is_none_is_refused() {
    let home = Home::new();
    let [code, message, hint] = home.refused(&["file", "--to", "nowhere", "--title", "x"]);
    assert_eq!((code.as_str(), message.as_str()), ("not_found", "There is no destination called nowhere."));
    assert!(hint.contains("destination list"));
    nothing_is_left(&home);
}

#[test]
fn an_attachment_that_cannot_travel_refuses_the_whole_issue() {
    let home = Home::new();
    let good = home.write("good.txt", "good");
    home.write("empty.log", "");
    std::fs::create_dir(home.cwd().join("folder")).unwrap();
    rustix::fs::mkfifoat(rustix::fs::CWD, home.cwd().join("pipe"), 0o600.into()).unwrap();
    for (path, words) in [
        ("gone.png", "There is no file gone.png."),
        ("empty.log", "“empty.log” is empty, so there is nothing to attach."),
        ("folder", "“folder” is a folder, and only files can be attached."),
        ("pipe", "“pipe” is not a file but a device or a pipe."),
    ] {
        // The good one comes first, and is taken back with the rest.
        let [_, message, hint] = home.refused(&[
            "file",
            "--to",
            "Folder",
            "--title",
            "x",
            "--attach",
            good.to_str().unwrap(),
            "--attach",
            path,
        ]);
        assert_eq!((message.as_str(), hint.is_empty()), (words, false));
        nothing_is_left(&home);
    }
}

#[test]
fn the_copy_that_was_made_travels_whatever_happens_to_the_file() {
    let home = Home::new();
    let path = home.write("trace.log", "as it was");
    home.json(&["file", "--to", "Folder", "--title", "x", "--attach", path.to_str().unwrap()]);
    std::fs::remove_file(path).unwrap();
    assert_eq!(home.run(&["drain", "--until-idle"]).code, 0);
    let filed = files_below(&home.data().join("Documents/Outtray"));
    let copy = filed.iter().find(|path| path.ends_with("trace.log")).expect("the attachment is filed");
    assert_eq!(std::fs::read(copy).unwrap(), b"as it was");
}

#[test]
fn names_of_attachments_are_made_fit_to_travel() {
    let home = Home::new();
    let hard =
        ["say \"hi\"\nthere.txt".to_owned(), format!("{}.txt", "é".repeat(120)), "شاشة ١.png".to_owned()];
    let mut arguments = vec!["file", "--to", "Folder", "--title", "x"];
    let paths: Vec<_> = hard.iter().map(|name| home.write(name, "x")).collect();
    for path in paths.iter().chain(&paths[..1]) {
        arguments.extend(["--attach", path.to_str().unwrap()]);
    }
    home.json(&arguments);
    let files = home.json(&["show", "1"])["files"].clone();
    let names: Vec<_> = files.as_array().unwrap().iter().map(|file| file["name"].as_str().unwrap()).collect();
    assert_eq!(names[0], "say ”hi” there.txt");
    assert!(names[1].ends_with("é.txt") && names[1].len() <= 200, "{}", names[1]);
    assert_eq!(names[2], "شاشة ١.png");
    assert_eq!(names[3], "say ”hi” there 2.txt", "each has a name of its own");
    assert_eq!(home.run(&["drain", "--until-idle"]).code, 0);
}

#[test]
fn at_the_bound_nothing_is_saved_and_that_is_said() {
    let home = Home::new();
    home.json(&["settings", "set", "outbox.max_entries", "1"]);
    home.json(&["file", "--to", "Folder", "--title", "first"]);
    let path = home.write("a.txt", "a");
    let [code, message, hint] =
        home.refused(&["file", "--to", "Folder", "--title", "second", "--attach", path.to_str().unwrap()]);
    assert_eq!(
        (code.as_str(), message.as_str()),
        ("outbox_full", "The outbox is full, so nothing was saved.")
    );
    assert!(!hint.is_empty());
    assert_eq!(home.json(&["list"]).as_array().unwrap().len(), 1);
    assert_eq!(home.attachments(), 0);
}

#[test]
fn waiting_ends_when_it_is_filed() {
    let home = Home::new();
    let ran = home.run(&["file", "--to", "Folder", "--title", "Now", "--wait"]);
    assert_eq!(ran.code, 0, "{ran:?}");
    assert!(ran.out.starts_with("Saved as 1.\nFiled as "), "{ran:?}");
    let filed = home.json(&["file", "--to", "Folder", "--title", "Now", "--wait", "--deadline", "10"]);
    assert_eq!((&filed["id"], &filed["state"]), (&json!(2), &json!("filed")));
    assert!(filed["receipt"]["url"].as_str().is_some_and(|url| url.starts_with("file:///")), "{filed}");
}

#[test]
fn waiting_for_nobody_ends_at_the_deadline_with_3() {
    let home = offline();
    let waited = home.run(&["file", "--to", "work", "--title", "x", "--wait", "--deadline", "1", "--json"]);
    assert_eq!(waited.code, 3, "{waited:?}");
    assert_eq!((&waited.json()["id"], &waited.json()["state"]), (&json!(1), &json!("waiting")));
    let waited = home.run(&["file", "--to", "work", "--title", "x", "--wait", "--deadline", "0"]);
    assert_eq!((waited.code, waited.out.as_str()), (3, "Saved as 2.\n"));
    assert!(waited.err.starts_with("Not filed yet."), "{waited:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn waiting_for_what_needs_the_person_ends_at_once_with_3() {
    let (home, tracker) = online().await;
    tracker.fault(Route::Create, What::Invalid { message: "no".to_owned() });
    let waited = home.run(&["file", "--to", "work", "--title", "x", "--wait", "--json"]);
    assert_eq!(waited.code, 3, "it is saved, so it is not a failure to file again: {waited:?}");
    let waited = waited.json();
    assert_eq!(waited["state"], json!("attention"));
    assert!(waited["reason"].as_str().is_some_and(|reason| !reason.is_empty()), "{waited}");
}

#[tokio::test(flavor = "multi_thread")]
async fn the_deadline_holds_also_while_the_tracker_hangs() {
    let (home, tracker) = online().await;
    tracker.fault(Route::Create, What::Stall);
    let started = Instant::now();
    let waited = home.run(&["file", "--to", "work", "--title", "x", "--wait", "--deadline", "1", "--json"]);
    assert_eq!((waited.code, &waited.json()["state"]), (3, &json!("waiting")), "{waited:?}");
    assert!(
        started.elapsed() < Duration::from_secs(8),
        "what is in flight gets a moment to end, and no more"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn labels_and_attachments_reach_the_tracker_once() {
    let (home, tracker) = online().await;
    let path = home.write("Übersicht ☂.txt", "same bytes");
    let filed = home.json(&[
        "file",
        "--to",
        "work",
        "--title",
        "Regen",
        "--attach",
        path.to_str().unwrap(),
        "--wait",
        "--deadline",
        "20",
    ]);
    assert_eq!(filed["receipt"]["number"], json!("1"), "{filed}");
    let issues = tracker.issues();
    assert_eq!((issues.len(), issues[0].title.as_str(), issues[0].assets.len()), (1, "Regen", 1));
    assert_eq!(issues[0].assets[0].bytes, b"same bytes");
    assert_eq!(home.json(&["status"])["level"], Value::from("calm"));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_milestone_and_assignees_reach_the_tracker_and_can_be_changed_before() {
    let (home, tracker) = online().await;
    let saved = home.json(&[
        "file",
        "--to",
        "work",
        "--title",
        "Regen",
        "--label",
        "bug",
        "--milestone",
        "Later",
        "--assignee",
        "ada",
        "--assignee",
        "grace",
    ]);
    let id = saved["id"].to_string();
    let chosen = |shown: Value| [shown["milestone"].clone(), shown["assignees"].clone()];
    assert_eq!(chosen(home.json(&["show", &id])), [json!("Later"), json!(["ada", "grace"])]);
    let told = home.run(&["show", &id]).out;
    assert!(told.contains("Later") && told.contains("ada, grace"), "{told}");

    home.json(&["edit", &id, "--no-milestone", "--assignee", "grace"]);
    assert_eq!(chosen(home.json(&["show", &id])), [json!(null), json!(["grace"])]);
    home.json(&["edit", &id, "--milestone", "2.0", "--title", "Rain"]);
    assert_eq!(chosen(home.json(&["show", &id])), [json!("2.0"), json!(["grace"])]);

    home.json(&["drain"]);
    let issues = tracker.issues();
    assert_eq!((issues.len(), issues[0].title.as_str()), (1, "Rain"));
    assert_eq!((issues[0].milestone, &issues[0].assignees), (Some(3), &vec![2]));
}

#[tokio::test(flavor = "multi_thread")]
async fn what_a_destination_offers_is_kept_and_shown_offline() {
    let (home, tracker) = online().await;
    let names = |shown: &Value, part: &str, name: &str| -> Vec<Value> {
        shown[part].as_array().unwrap().iter().map(|one| one[name].clone()).collect()
    };
    let before = home.json(&["catalogue", "work"]);
    assert_eq!(names(&before, "milestones", "title"), [] as [Value; 0], "nobody has asked yet");
    assert!(home.run(&["catalogue", "work"]).out.contains("not read yet"));

    let read = home.json(&["catalogue", "work", "--refresh"]);
    assert_eq!(names(&read, "milestones", "title"), ["2.0", "Later"]);
    assert!(names(&read, "labels", "name").contains(&json!("bug")));

    tracker.fault(Route::Labels, What::TroubleBefore { status: 500 });
    tracker.change(|project| project.milestones.clear());
    let ran = home.run(&["catalogue", "work", "--refresh", "--json"]);
    assert_eq!(ran.code, 1, "not all of it could be read");
    let partly = ran.json();
    assert_eq!(names(&partly, "milestones", "title"), [] as [Value; 0]);
    assert!(names(&partly, "labels", "name").contains(&json!("bug")), "what was read before is kept");

    let kept = home.json(&["catalogue", "work"]);
    assert_eq!(names(&kept, "labels", "name"), names(&read, "labels", "name"));
    assert!(home.run(&["catalogue", "work"]).out.contains("The last try did not work."));
    assert_eq!(home.run(&["catalogue", "Folder"]).out, "Folder offers nothing to choose from.\n");
    let [code, _, _] = home.refused(&["catalogue", "nowhere"]);
    assert_eq!(code, "not_found");
}

#[test]
fn words_may_begin_with_a_dash() {
    let home = Home::new();
    home.write("-lead.txt", b"line");
    let saved = home.json(&[
        "file",
        "--to",
        "folder",
        "--title",
        "-x",
        "--body",
        "- a list",
        "--attach",
        "-lead.txt",
        "--label",
        "-1",
    ]);
    let shown = home.json(&["show", &saved["id"].to_string()]);
    assert_eq!((&shown["title"], &shown["body"]), (&"-x".into(), &"- a list".into()));
    assert_eq!(shown["destination"], "Folder", "a name is found in whatever case");
}

#[test]
fn a_folder_is_called_by_its_name() {
    let home = Home::new();
    let [_, message, _] = home.refused(&["file", "--to", "Folder", "--title", "x", "--attach", "."]);
    assert!(message.contains("“cwd” is a folder"), "{message}");
}
