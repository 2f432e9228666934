//! Destinations and tokens from the command line, on a machine without a keyring or a bus.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

#[path = "cli/mod.rs"]
mod cli;

use std::os::unix::fs::PermissionsExt;
use std::time::{Duration, Instant};

use cli::{Home, nowhere};
use outtray_support::{PracticeTracker, TOKEN};
use serde_json::json;

fn add<'a>(name: &'a str, url: &'a str) -> [&'a str; 9] {
    ["destination", "add", name, "--tracker", "gitea", "--url", url, "--project", "ada/demo"]
}

fn names(home: &Home) -> Vec<String> {
    let list = home.json(&["destination", "list"]);
    list.as_array()
        .unwrap()
        .iter()
        .map(|destination| destination["name"].as_str().unwrap().to_owned())
        .collect()
}

#[test]
fn a_new_outbox_has_a_folder_ready() {
    let home = Home::new();
    let list = home.json(&["destination", "list"]);
    assert_eq!(
        (&list[0]["name"], &list[0]["tracker"], &list[0]["is_default"]),
        (&json!("Folder"), &json!("folder"), &json!(true))
    );
    assert!(home.run(&["destination", "list"]).out.starts_with("Folder (default)"));
}

#[test]
fn a_destination_is_added_quickly_without_network_keyring_or_bus() {
    let home = Home::new().with("OUTTRAY_TOKEN_WORK", TOKEN);
    let started = Instant::now();
    let added = home.json(&add("work", &nowhere()));
    assert!(started.elapsed() < Duration::from_secs(3));
    assert_eq!((&added["name"], &added["project"]), (&json!("work"), &json!("ada/demo")));
    assert_eq!(names(&home), ["Folder", "work"]);
    let [code, ..] = home.refused(&add("work", &nowhere()));
    assert_eq!(code, "refused", "a name is taken once");
}

#[test]
fn without_a_token_the_variable_to_set_is_named() {
    let home = Home::new();
    let url = nowhere();
    let ran = home.run(&add("my work", &url));
    assert_eq!(ran.code, 0, "{ran:?}");
    assert!(ran.out.starts_with("my work is added: "), "{ran:?}");
    assert!(ran.err.contains("OUTTRAY_TOKEN_MY_WORK"), "{ran:?}");
}

#[test]
fn a_token_that_cannot_be_kept_adds_nothing_and_names_the_variable() {
    let home = Home::new();
    let url = nowhere();
    let ran = home.run_with(b"s3cret\n", &[&add("work", &url)[..], &["--token-stdin", "--json"]].concat());
    let [code, message, hint] = ran.refused();
    assert_eq!(code, "keyring");
    assert_eq!(message, "No keyring answers here. Its token could not be kept, so work was not added.");
    assert_eq!(hint, "Set OUTTRAY_TOKEN_WORK and add it without --token-stdin.");
    assert_eq!(names(&home), ["Folder"]);
    assert!(!ran.err.contains("s3cret"));
}

#[test]
fn what_is_no_token_is_refused_before_anything_is_added() {
    let home = Home::new();
    let url = nowhere();
    for input in [&b""[..], b"\n", b"two words", b"two\nlines", b"\xff\xfe", b"ctrl\x01"] {
        let ran = home.run_with(input, &[&add("work", &url)[..], &["--token-stdin", "--json"]].concat());
        assert_eq!(ran.refused()[0], "invalid", "{input:?}");
    }
    assert_eq!(names(&home), ["Folder"]);
}

#[test]
fn addresses_are_tidied_or_refused_in_words() {
    let home = Home::new().with("OUTTRAY_TOKEN_A", TOKEN);
    for (url, tidy) in [
        ("https://git.example.org/", "https://git.example.org"),
        ("https://git.example.org/forge//", "https://git.example.org/forge"),
        ("  http://[::1]:3000 ", "http://[::1]:3000"),
    ] {
        let added = home.json(&add("a", url));
        assert_eq!(added["url"].as_str().unwrap().trim_end_matches('/'), tidy);
        home.json(&["destination", "remove", "a"]);
    }
    for url in ["", "not an address", "ftp://git.example.org", "https://", "https://ada:pw@git.example.org"] {
        let [code, message, hint] = home.refused(&add("a", url));
        assert_eq!(code, "invalid", "{url}");
        assert!(
            message.ends_with('.') && !hint.is_empty() && !message.contains("pw"),
            "{url}: {message} {hint}"
        );
    }
    let [code, ..] = home.refused(&["destination", "add", "a", "--tracker", "gitea"]);
    assert_eq!(code, "invalid");
    let [code, ..] = home.refused(&["destination", "add", "", "--tracker", "folder", "--path", "/tmp/x"]);
    assert_eq!(code, "invalid");
}

#[test]
fn a_folder_is_taken_relative_to_where_one_is() {
    let home = Home::new();
    let added = home.json(&["destination", "add", "here", "--tracker", "folder", "--path", "reports"]);
    assert_eq!(added["path"].as_str(), home.cwd().join("reports").to_str());
    assert_eq!(home.run(&["file", "--to", "here", "--title", "x", "--wait"]).code, 0);
    assert_eq!(std::fs::read_dir(home.cwd().join("reports")).unwrap().count(), 1);
}

#[test]
fn a_destination_is_removed_when_nothing_waits_for_it() {
    let home = Home::new().with("OUTTRAY_TOKEN_WORK", TOKEN);
    home.json(&add("work", &nowhere()));
    home.json(&["file", "--to", "work", "--title", "x"]);
    let [code, message, hint] = home.refused(&["destination", "remove", "work"]);
    assert!(code == "refused" && message.contains("work") && !hint.is_empty(), "{message} {hint}");
    home.json(&["withdraw", "1"]);
    assert_eq!(home.json(&["destination", "remove", "work"]), json!({ "name": "work", "removed": true }));
    assert_eq!(names(&home), ["Folder"]);
    assert_eq!(home.refused(&["destination", "remove", "work"])[0], "not_found");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_test_tells_whether_issues_can_be_filed_there() {
    let mut tracker = PracticeTracker::start().await.unwrap();
    let home = Home::new().with("OUTTRAY_TOKEN_WORK", TOKEN).with("OUTTRAY_TOKEN_STRANGER", "wrong");
    home.json(&add("work", &tracker.url()));
    home.json(&add("stranger", &tracker.url()));
    assert_eq!(home.json(&["destination", "test", "work"])["works"], json!(true));
    assert_eq!(home.json(&["destination", "test", "Folder"])["works"], json!(true));

    let ran = home.run(&["destination", "test", "stranger", "--json"]);
    assert_eq!((ran.code, &ran.json()["works"]), (1, &json!(false)), "{ran:?}");
    tracker.stop().await;
    let ran = home.run(&["destination", "test", "work"]);
    assert!(ran.code == 1 && ran.out.lines().count() == 2, "a reason and a next step: {ran:?}");
    assert_eq!(home.refused(&["destination", "test", "nowhere"])[0], "not_found");
}

#[test]
fn the_doctor_finds_nothing_in_a_new_home() {
    let home = Home::new();
    let ran = home.run(&["doctor", "--json"]);
    assert_eq!((ran.code, &ran.json()["ok"]), (0, &json!(true)), "{ran:?}");
    assert!(home.run(&["doctor"]).out.contains("SQLite 3."));
}

#[test]
fn the_doctor_misses_a_token_and_says_where_to_put_it() {
    let home = Home::new();
    let url = nowhere();
    assert_eq!(home.run(&add("work", &url)).code, 0);
    let ran = home.run(&["doctor"]);
    assert!(ran.code == 1 && ran.out.contains("Set OUTTRAY_TOKEN_WORK"), "{ran:?}");
    let home = home.with("OUTTRAY_TOKEN_WORK", TOKEN);
    assert_eq!(home.run(&["doctor"]).code, 0);
}

#[test]
fn the_doctor_sees_when_others_can_look_in() {
    let home = Home::new();
    home.json(&["status"]);
    std::fs::set_permissions(home.data(), std::fs::Permissions::from_mode(0o755)).unwrap();
    let ran = home.run(&["doctor"]);
    assert!(ran.code == 1 && ran.out.contains("chmod"), "{ran:?}");
}

#[test]
fn everything_that_is_kept_is_private_to_the_person() {
    let home = Home::new();
    let path = home.write("a.txt", "a");
    home.json(&["file", "--to", "Folder", "--title", "x", "--attach", path.to_str().unwrap(), "--wait"]);
    home.json(&["file", "--to", "Folder", "--title", "y", "--attach", path.to_str().unwrap()]);
    let files = cli::files_below(&home.data());
    assert!(files.len() > 3);
    for path in files {
        let mode = std::fs::symlink_metadata(&path).unwrap().permissions().mode() & 0o777;
        assert_eq!(mode & 0o077, 0, "{} is open to others: {mode:o}", path.display());
    }
}

#[test]
fn two_destinations_never_share_the_variable_of_a_token() {
    let home = Home::new();
    let add = |name| {
        [
            "destination",
            "add",
            name,
            "--tracker",
            "gitea",
            "--url",
            "https://git.example.org",
            "--project",
            "a/b",
        ]
    };
    home.json(&add("a-b"));
    let [code, message, _] = home.refused(&add("A.B"));
    assert_eq!(
        (code.as_str(), message.as_str()),
        ("refused", "A.B and a-b would share the token in OUTTRAY_TOKEN_A_B.")
    );
}

#[test]
fn a_destination_can_be_made_the_default() {
    let home = Home::new();
    home.json(&["destination", "add", "reports", "--tracker", "folder", "--path", "reports"]);
    home.json(&["destination", "default", "reports"]);
    let listed = home.json(&["destination", "list"]);
    assert_eq!((&listed[0]["name"], &listed[0]["is_default"]), (&"reports".into(), &true.into()));
    assert_eq!(listed[1]["is_default"], false);
    assert_eq!(home.refused(&["destination", "default", "nowhere"])[0], "not_found");
}

#[test]
fn every_tracker_can_be_added_with_what_it_needs() {
    let home = Home::new();
    for (name, arguments, words) in [
        ("hub", &["github", "--project", "ada/demo"][..], "GitHub, ada/demo on github.com"),
        (
            "enterprise",
            &["github", "--url", "https://git.example.org/ada/demo", "--branch", "pictures"],
            "GitHub, ada/demo on git.example.org",
        ),
        ("lab", &["gitlab", "--project", "group/part/demo"], "GitLab, group/part/demo on gitlab.com"),
        (
            "red",
            &["redmine", "--url", "https://r.example.org/redmine/projects/demo"],
            "Redmine, demo on r.example.org",
        ),
        (
            "hook",
            &["webhook", "--url", "https://h.example.org/in/", "--honours-key"],
            "Webhook on h.example.org",
        ),
        (
            "forge",
            &["forgejo", "--url", "https://f.example.org", "--project", "ada/demo"],
            "Forgejo, ada/demo on f.example.org",
        ),
    ] {
        let added = home.json(&[&["destination", "add", name, "--tracker"], arguments].concat());
        assert_eq!(added["words"], words, "{name}");
    }
    for arguments in [
        &["github", "--project", "demo"][..],
        &["github", "--project", "ada/demo", "--branch", "a..b"],
        &["gitlab", "--project", "demo"],
        &["redmine", "--project", "demo"],
        &["redmine", "--url", "https://r.example.org", "--project", "Demo Project"],
        &["webhook", "--url", "https://h.example.org/in?key=not-for-you"],
    ] {
        let [code, _, hint] =
            home.refused(&[&["destination", "add", "wrong", "--tracker"], arguments].concat());
        assert_eq!(code, "invalid", "{arguments:?}");
        assert!(!hint.is_empty() && !hint.contains("not-for-you"), "{arguments:?}");
    }
}
