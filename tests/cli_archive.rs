//! `export` and `import` from the command line.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

#[path = "cli/mod.rs"]
mod cli;

use std::os::unix::fs::PermissionsExt;

use cli::{Home, nowhere};
use outtray_support::{PracticeTracker, TOKEN};
use serde_json::json;

fn home_with_work(url: &str) -> Home {
    let home = Home::new().with("OUTTRAY_TOKEN_WORK", TOKEN);
    home.json(&["destination", "add", "work", "--tracker", "gitea", "--url", url, "--project", "ada/demo"]);
    home.json(&["settings", "set", "drain.quiet_ms", "50"]);
    home
}

#[tokio::test(flavor = "multi_thread")]
async fn a_copy_and_a_move_go_from_one_home_to_another() {
    let tracker = PracticeTracker::start().await.unwrap();
    let (from, to) = (home_with_work(&tracker.url()), home_with_work(&tracker.url()));
    let picture = from.write("till.png", b"not quite a picture");
    let saved = from.json(&["file", "--to", "work", "--title", "One", "--attach", picture.to_str().unwrap()]);
    let file = from.cwd().join("outbox.tar");
    let path = file.to_str().unwrap();

    let exported = from.json(&["export", "outbox.tar"]);
    assert_eq!(
        exported,
        json!({ "kind": "copy", "entries": 1, "unfiled": 1, "drafts": 0, "files": 1, "missing": 0 })
    );
    assert_eq!(std::fs::metadata(&file).unwrap().permissions().mode() & 0o777, 0o600, "yours alone");
    let imported = to.json(&["import", path]);
    assert_eq!(
        imported,
        json!({ "kind": "copy", "entries": 1, "held": 1, "already": 0, "put_back": 0, "drafts": 0, "destinations": [] })
    );
    assert_eq!(to.json(&["show", "1"])["key"], saved["key"]);
    assert_eq!(to.run(&["drain", "--until-idle"]).code, 0, "it waits for nobody but the person");
    assert_eq!(tracker.issues().len(), 0);
    let text = to.run(&["show", "1"]).out;
    assert!(text.contains("This came as a copy.") && text.contains("retry 1 · withdraw 1"), "{text}");
    assert_eq!(to.json(&["retry", "--all"]), json!([]));
    let again = to.run(&["import", path]);
    assert_eq!((again.code, again.out.as_str()), (0, "Nothing new came.\n1 was here already.\n"));

    let moved = from.run(&["export", "--move", "moved.tar"]);
    assert_eq!(moved.out, "1 issue went into moved.tar. 1 of them is filed here no more.\n");
    assert_eq!(from.json(&["list"])[0]["state"], json!("withdrawn"));
    assert_eq!(to.json(&["retry", "--copies"])[0]["state"], json!("waiting"));
    assert_eq!(to.run(&["drain", "--deadline", "20"]).code, 0);
    assert_eq!(from.run(&["drain", "--deadline", "5"]).code, 0);
    let issues = tracker.issues();
    assert_eq!((issues.len(), issues[0].assets.len()), (1, 1));
}

#[test]
fn a_file_that_is_there_is_replaced_only_when_that_is_asked_for() {
    let home = home_with_work(&nowhere());
    home.json(&["file", "--to", "work", "--title", "One"]);
    let there = home.write("mine.txt", b"mine");
    for words in [&["export", "mine.txt"][..], &["export", "--move", "mine.txt"]] {
        let [code, message, hint] = home.refused(words);
        assert_eq!((&*code, &*message), ("refused", "mine.txt is there already."));
        assert!(hint.contains("--force"), "{hint}");
        assert_eq!(std::fs::read(&there).unwrap(), b"mine");
    }
    assert_eq!(home.json(&["list"])[0]["state"], json!("waiting"), "nothing has moved");
    home.json(&["export", "--force", "mine.txt"]);
    assert_ne!(std::fs::read(&there).unwrap(), b"mine");
    assert_eq!(home.refused(&["export", "none/outbox.tar"])[0], "not_found");
    assert_eq!(home.refused(&["export", "--force", "."])[0], "invalid");
    assert_eq!(home.run(&["export"]).code, 2);
    let litter = std::fs::read_dir(home.cwd()).unwrap().count();
    assert_eq!(litter, 1, "nothing half written is left");
}

#[test]
fn what_is_no_archive_is_refused_in_words() {
    let home = home_with_work(&nowhere());
    home.write("report.md", b"# no archive");
    let [code, message, hint] = home.refused(&["import", "report.md"]);
    assert_eq!((&*code, &*message), ("invalid", "This is not an archive of an outbox."));
    assert!(hint.starts_with("Nothing was imported."), "{hint}");
    assert_eq!(home.refused(&["import", "none.tar"])[0], "not_found");
    assert_eq!(home.run(&["import"]).code, 2);
}
