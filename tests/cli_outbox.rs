//! The outbox from the command line: drained, watched, and moved by a person.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

#[path = "cli/mod.rs"]
mod cli;

use std::time::{Duration, Instant};

use cli::{Home, Ran, nowhere};
use outtray_support::{PracticeTracker, Route, TOKEN, What};
use serde_json::{Value, json};

fn home_with_work(url: &str) -> Home {
    let home = Home::new().with("OUTTRAY_TOKEN_WORK", TOKEN);
    home.json(&["destination", "add", "work", "--tracker", "gitea", "--url", url, "--project", "ada/demo"]);
    home
}

fn file(home: &Home, title: &str) -> String {
    home.json(&["file", "--to", "work", "--title", title])["id"].to_string()
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_filed_offline_is_there_once_when_the_tracker_is_back() {
    let mut tracker = PracticeTracker::asleep().await.unwrap();
    let home = home_with_work(&tracker.url());
    let picture = home.write("Fenêtre à l’écran.png", b"not quite a picture");
    let saved =
        home.json(&["file", "--to", "work", "--title", "Offline", "--attach", picture.to_str().unwrap()]);

    let drained = home.run(&["drain", "--until-idle", "--deadline", "2", "--json"]);
    assert_eq!((drained.code, &drained.json()["left_waiting"]), (3, &json!(1)), "{drained:?}");
    let status = home.json(&["status"]);
    assert!(["offline", "waiting"].contains(&status["level"].as_str().unwrap()), "{status}");
    for key in ["waiting", "sending", "attention", "offline", "paused", "headline"] {
        assert!(!status[key].is_null(), "{key} in {status}");
    }

    tracker.wake().await.unwrap();
    let retried = home.json(&["retry", "--all"]);
    assert_eq!(retried.as_array().map(Vec::len), Some(1), "{retried}");
    let drained = home.run(&["drain", "--until-idle", "--deadline", "20", "--json"]);
    assert_eq!(
        (drained.code, drained.json()),
        (0, json!({ "filed": 1, "left_waiting": 0, "attention": 0, "without_token": [] }))
    );

    let issues = tracker.issues();
    assert_eq!((issues.len(), issues[0].assets.len()), (1, 1));
    assert_eq!(issues[0].assets[0].bytes, b"not quite a picture");
    let shown = home.json(&["show", &saved["id"].to_string()]);
    assert_eq!((&shown["state"], &shown["key"]), (&json!("filed"), &saved["key"]));
    assert!(shown["receipt"]["url"].as_str().unwrap().starts_with(&tracker.url()), "{shown}");
    assert_eq!(home.json(&["status"])["level"], json!("calm"));
}

#[test]
fn a_list_has_every_field_that_scripts_know() {
    let home = home_with_work(&nowhere());
    assert_eq!(home.json(&["list"]), json!([]));
    assert_eq!(home.run(&["list"]).out, "Nothing there.\n");
    file(&home, "first");
    file(&home, "second");
    home.run(&["drain"]);
    let list = home.json(&["list"]);
    assert_eq!(list.as_array().unwrap().len(), 2);
    for key in
        ["id", "key", "destination", "title", "state", "attempts", "stage", "not_before", "reason", "receipt"]
    {
        for shown in [&list[0], &home.json(&["show", "1"])] {
            assert!(shown.as_object().unwrap().contains_key(key), "{key} in {shown}");
        }
    }
    assert_eq!(home.json(&["list", "--state", "waiting"]).as_array().unwrap().len(), 2);
    assert_eq!(home.json(&["list", "--state", "filed"]), json!([]));
    let text = home.run(&["list"]).out;
    assert!(text.lines().next().unwrap().starts_with("ID"), "{text}");
    assert!(text.contains("first") && text.contains("second"), "{text}");
}

#[test]
fn drain_says_3_as_long_as_something_waits_and_0_afterwards() {
    let home = home_with_work(&nowhere());
    assert_eq!(home.run(&["drain"]).out, "0 filed.\n");
    file(&home, "x");
    assert_eq!(home.run(&["drain"]).code, 3);
    let started = Instant::now();
    assert_eq!(home.run(&["drain", "--until-idle"]).code, 3);
    assert!(started.elapsed() < Duration::from_secs(4), "without a deadline nothing is waited for");
    home.json(&["withdraw", "1"]);
    assert_eq!(home.run(&["drain", "--until-idle"]).code, 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn what_needs_the_person_does_not_count_as_waiting() {
    let tracker = PracticeTracker::start().await.unwrap();
    let home = home_with_work(&tracker.url());
    tracker.fault(Route::Create, What::Invalid { message: "title is taken".to_owned() });
    let id = file(&home, "x");
    let drained = home.run(&["drain", "--until-idle", "--deadline", "10", "--json"]);
    assert_eq!((drained.code, &drained.json()["attention"]), (0, &json!(1)), "{drained:?}");
    let status = home.json(&["status"]);
    assert_eq!((&status["level"], &status["attention"]), (&json!("needs_you"), &json!(1)));
    let text = home.run(&["show", &id]).out;
    assert!(text.contains("needs you") && text.contains(&format!("retry {id}")), "{text}");

    let acted = home.json(&["retry", &id]);
    assert_eq!((&acted["id"].to_string(), &acted["wish"]), (&id, &json!(false)));
    assert_eq!(home.run(&["drain", "--until-idle", "--deadline", "10"]).code, 0);
    assert_eq!(tracker.issues().len(), 1);
}

#[test]
fn an_entry_is_taken_back_and_put_back_with_its_key() {
    let home = home_with_work(&nowhere());
    let id = file(&home, "x");
    let key = home.json(&["show", &id])["key"].clone();
    assert_eq!(home.json(&["withdraw", &id])["state"], json!("withdrawn"));
    assert_eq!(home.json(&["list", "--state", "withdrawn"])[0]["key"], key);
    assert_eq!(home.json(&["status"])["level"], json!("calm"));
    assert_eq!(home.json(&["restore", &id])["state"], json!("waiting"));
    assert_eq!(home.json(&["show", &id])["key"], key);
}

#[test]
fn an_entry_that_was_never_sent_goes_elsewhere() {
    let home = home_with_work(&nowhere());
    let id = file(&home, "x");
    home.json(&["move", &id, "--to", "Folder"]);
    assert_eq!(home.run(&["drain", "--until-idle", "--deadline", "5"]).code, 0);
    let shown = home.json(&["show", &id]);
    assert_eq!((&shown["destination"], &shown["state"]), (&json!("Folder"), &json!("filed")));
    assert_eq!(home.refused(&["move", &id, "--to", "work"])[0], "refused");
    assert_eq!(home.refused(&["move", &id, "--to", "nowhere"])[0], "not_found");
}

#[test]
fn acts_that_are_not_possible_are_refused_in_words() {
    let home = Home::new();
    home.json(&["file", "--to", "Folder", "--title", "x", "--wait"]);
    for arguments in [
        &["withdraw", "1"][..],
        &["restore", "1"],
        &["resolve", "1", "--send-again"],
        &["resolve", "1", "--there", "https://git.example.org/ada/demo/issues/1"],
    ] {
        let [code, message, _] = home.refused(arguments);
        assert!(code == "refused" && message.ends_with('.'), "{arguments:?}: {code}: {message}");
    }
    for arguments in
        [&["withdraw", "9"][..], &["retry", "9"], &["show", "9"], &["restore", "9"], &["show", "-1"]]
    {
        let ran = home.run(arguments);
        assert!(matches!(ran.code, 1 | 2) && !ran.err.is_empty(), "{arguments:?}: {ran:?}");
    }
    assert_eq!(home.json(&["retry", "--all"]), json!([]));
}

#[test]
fn paused_work_waits_and_goes_on() {
    let home = Home::new();
    let is_paused = || home.json(&["status"])["paused"].clone();
    assert_eq!(home.json(&["pause"])["paused"], json!(true));
    home.json(&["file", "--to", "Folder", "--title", "x"]);
    assert_eq!((is_paused(), home.json(&["status"])["level"].clone()), (json!(true), json!("paused")));
    assert_eq!(home.run(&["drain", "--until-idle", "--deadline", "1"]).code, 3, "a pause is not waited for");
    assert_eq!(home.run(&["resume"]).out, "All work goes on.\n");
    assert_eq!(is_paused(), json!(false));
    assert_eq!(home.run(&["drain", "--until-idle"]).code, 0);

    assert_eq!(home.run(&["pause", "Folder", "--for", "30"]).out, "Folder is paused for 30 minutes.\n");
    home.json(&["file", "--to", "Folder", "--title", "y"]);
    assert_eq!(home.run(&["drain"]).code, 3);
    home.json(&["resume", "Folder"]);
    assert_eq!(home.run(&["drain"]).code, 0);
    assert_eq!(home.refused(&["pause", "nowhere"])[0], "not_found");
}

#[test]
fn settings_are_read_changed_and_refused_in_words() {
    let home = Home::new();
    let all = home.json(&["settings", "get"]);
    assert_eq!(all.as_array().unwrap().len(), 11);
    assert_eq!(home.json(&["settings", "set", "drain.workers", "5"])["value"], json!(5));
    assert_eq!(home.json(&["settings", "get", "drain.workers"])["value"], json!(5));
    assert_eq!(home.run(&["settings", "get", "drain.workers"]).out, "5\n");
    assert_eq!(home.json(&["settings", "set", "drain.workers", "unset"])["value"], json!(3));
    assert_eq!(home.json(&["settings", "get", "drain.quiet_ms"])["value"], Value::Null);
    assert_eq!(
        home.refused(&["settings", "set", "drain.workers", "99"])[1],
        "drain.workers takes 1 to 16 workers; 99 is too many."
    );
    assert_eq!(home.refused(&["settings", "set", "drain.workers", "-1"])[0], "invalid");
    let [code, _, hint] = home.refused(&["settings", "get", "drain.worker"]);
    assert_eq!((code.as_str(), hint.as_str()), ("not_found", "Did you mean drain.workers?"));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_drain_that_is_told_to_stop_gives_its_leases_back() {
    let tracker = PracticeTracker::start().await.unwrap();
    let home = home_with_work(&tracker.url());
    tracker.fault(Route::Create, What::DelayBefore { ms: 60_000 });
    file(&home, "slow");
    let mut child = home.start(&["drain", "--until-idle"]);
    tracker.until(|requests| requests.iter().any(|request| request.method == "POST")).await;

    let started = Instant::now();
    rustix::process::kill_process(rustix::process::Pid::from_child(&child), rustix::process::Signal::TERM)
        .unwrap();
    let status = child.wait().unwrap();
    assert_eq!(status.code(), Some(128 + 15));
    assert!(started.elapsed() < Duration::from_secs(5), "it stops within 5 s");
    assert_eq!(home.json(&["status"])["sending"], json!(0), "and nobody has to wait for its lease to end");
}

#[tokio::test(flavor = "multi_thread")]
async fn many_commands_at_once_file_everything_once() {
    let tracker = PracticeTracker::start().await.unwrap();
    let home = home_with_work(&tracker.url());
    let filing: Vec<_> = (0..6)
        .map(|at| {
            home.start(&[
                "file",
                "--to",
                "work",
                "--title",
                &format!("number {at}"),
                "--wait",
                "--deadline",
                "60",
            ])
        })
        .collect();
    let draining: Vec<_> = (0..3).map(|_| home.start(&["drain", "--until-idle"])).collect();
    for child in filing {
        let ran = Ran::of(child);
        assert_eq!(ran.code, 0, "{ran:?}");
    }
    for child in draining {
        let ran = Ran::of(child);
        assert!(matches!(ran.code, 0 | 3), "{ran:?}");
    }
    let mut titles: Vec<_> = tracker.issues().into_iter().map(|issue| issue.title).collect();
    titles.sort();
    assert_eq!(titles, (0..6).map(|at| format!("number {at}")).collect::<Vec<_>>());
}

#[tokio::test(flavor = "multi_thread")]
async fn what_a_destination_needs_stands_in_the_list_of_what_needs_you() {
    let tracker = PracticeTracker::start().await.unwrap();
    let home = home_with_work(&tracker.url());
    tracker.fault(Route::Create, What::Unauthorized);
    file(&home, "Signed out");
    home.run(&["drain"]);
    assert_eq!(home.json(&["status"])["level"], json!("needs_you"));
    let listed = home.run(&["list", "--state", "attention"]).out;
    assert!(listed.starts_with("work is signed out. ") && listed.contains("Sign in."), "{listed}");
    assert_eq!(home.json(&["list", "--state", "attention"]), json!([]), "programs get entries only");
}

#[test]
fn a_drain_says_which_tokens_it_has_not() {
    let home = Home::new();
    home.json(&[
        "destination",
        "add",
        "my work",
        "--tracker",
        "gitea",
        "--url",
        &nowhere(),
        "--project",
        "ada/demo",
    ]);
    home.json(&["file", "--to", "MY WORK", "--title", "One"]);
    let drained = home.run(&["drain"]);
    assert_eq!(drained.code, 3);
    assert!(
        drained.err.contains("No token for my work is kept here: set OUTTRAY_TOKEN_MY_WORK."),
        "{drained:?}"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_drain_waits_for_what_another_process_is_sending() {
    let tracker = PracticeTracker::start().await.unwrap();
    let home = home_with_work(&tracker.url());
    file(&home, "Slow");
    tracker.fault(Route::Create, What::DelayBefore { ms: 3_000 });
    let sender = home.start(&["drain"]);
    while home.json(&["status"])["sending"] == json!(0) {
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    let waited = home.run(&["drain", "--until-idle", "--deadline", "20", "--json"]);
    assert_eq!((waited.code, &waited.json()["filed"]), (0, &json!(1)), "{waited:?}");
    assert_eq!(Ran::of(sender).code, 0);
    assert_eq!(tracker.issues().len(), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_refused_issue_is_edited_and_filed() {
    let tracker = PracticeTracker::start().await.unwrap();
    let home = home_with_work(&tracker.url());
    tracker.fault(Route::Create, What::Invalid { message: "no".into() });
    let id = file(&home, "Refused");
    assert_eq!(home.run(&["drain"]).code, 0, "attention does not count");
    let edited = home.json(&["edit", &id, "--title", "Better", "--body", "Words."]);
    assert_eq!(edited["wish"], json!(false));
    home.run(&["drain"]);
    let [issue] = tracker.issues().try_into().unwrap();
    assert_eq!(issue.title, "Better");
    assert_eq!(home.refused(&["edit", &id, "--title", "Again"])[1], "It has already been filed as #1.");
}

#[tokio::test(flavor = "multi_thread")]
async fn what_leaves_is_shown_before_it_does_and_arrives_so() {
    let mut tracker = PracticeTracker::asleep().await.unwrap();
    let home = home_with_work(&tracker.url());
    let picture = home.write("till.png", b"not quite a picture");
    let path = picture.to_str().unwrap();
    let filed =
        ["file", "--to", "work", "--title", "One", "--body", "It fell.", "--label", "bug", "--attach", path];
    let saved = home.json(&filed);
    let preview = home.json(&["show", "1", "--preview"]);
    let key = saved["key"].as_str().unwrap();
    assert_eq!(
        (&preview["title"], &preview["labels"], &preview["destination"], &preview["tracker"]),
        (&json!("One"), &json!(["bug"]), &json!("work"), &json!("gitea"))
    );
    let file = &preview["files"][0];
    assert_eq!((&file["name"], &file["size"]), (&json!("till.png"), &json!(19)));
    let text = home.run(&["show", "1", "--preview"]).out;
    assert!(
        text.contains(&format!("It fell.\n\n<!-- outtray:{key} -->")) && text.contains("till.png"),
        "{text}"
    );

    tracker.wake().await.unwrap();
    home.run(&["retry", "--all"]);
    assert_eq!(home.run(&["drain", "--until-idle", "--deadline", "20"]).code, 0);
    assert_eq!(tracker.issues()[0].body, preview["text"].as_str().unwrap());
}

#[test]
fn an_entry_is_saved_as_files_once_and_never_written_over() {
    let home = home_with_work(&nowhere());
    let picture = home.write("till.png", b"not quite a picture");
    home.json(&["file", "--to", "work", "--title", "One", "--attach", picture.to_str().unwrap()]);
    let saved = home.json(&["save", "1", "--to", "Reports"]);
    let made = std::path::Path::new(saved["path"].as_str().unwrap());
    assert!(made.starts_with(home.cwd().join("Reports")), "{saved}");
    assert_eq!(std::fs::read(made.join("till.png")).unwrap(), b"not quite a picture");
    assert!(std::fs::read_to_string(made.join("issue.md")).unwrap().starts_with("# One\n"));
    let again = home.run(&["save", "1", "--to", "Reports"]);
    assert_eq!(again.code, 1);
    assert!(
        again.err.contains("It is saved there already") && again.err.contains("Choose another folder"),
        "{again:?}"
    );
    assert_eq!(home.run(&["save", "9", "--to", "Reports"]).code, 1);
    assert_eq!(home.run(&["save", "1"]).code, 2);
}
