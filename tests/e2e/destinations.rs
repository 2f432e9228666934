//! Adding destinations in the settings window: each kind, and what can be wrong with it. Whatever it is, the window says
//! what to do.

use std::time::Duration;

use outtray_e2e::{App, Ctl, Desk, Host, Tracker, Window, until, until_so};
use outtray_support::{Dialect, Route, What};
use serde_json::Value;

use super::headline_is;

/// A kind of tracker: its name in the list, whom the practice tracker answers like, and its project.
type Kind = (&'static str, Dialect, &'static str);

const KINDS: [Kind; 5] = [
    ("Gitea", Dialect::Gitea, "ada/demo"),
    ("Forgejo", Dialect::Gitea, "ada/demo"),
    ("GitHub", Dialect::GitHub, "ada/demo"),
    ("GitLab", Dialect::GitLab, "ada/demo"),
    ("Redmine", Dialect::Redmine, "demo"),
];

/// Where a destination is filled in.
const FORM: &str = "form.add";

/// The settings window, with the form to add a destination.
fn settings<'app>(desk: &Desk, app: &'app App<'_>) -> Window<'app> {
    if !app.shows("settings") {
        desk.tray.choose("Settings");
    }
    let settings = app.window("settings");
    settings.wait_for("Add a destination");
    settings
}

fn fill(settings: &Window<'_>, kind: &str, name: &str, fields: &[(&str, &str)]) {
    if settings.has_button("Add a destination") {
        settings.press("Add a destination");
    }
    settings.choose("Tracker", kind);
    settings.fill("Name", name);
    for (field, text) in fields {
        settings.fill(field, text);
    }
}

/// Tests what is filled in, and returns when the window says this.
fn test(settings: &Window<'_>, words: &str) {
    settings.press_in(FORM, "Test");
    settings.wait_for(words);
}

fn filed(ctl: &Ctl<'_>, to: &str, title: &str) -> Value {
    let (code, said) = ctl.run(&["file", "--to", to, "--title", title]);
    assert_eq!(code, 0, "{said}");
    until(&format!("“{title}” filed"), || {
        let all = ctl.json(&["list", "--state", "filed"]);
        all.as_array()?.iter().find(|entry| entry["title"] == title).cloned()
    })
}

#[test]
fn each_kind_of_tracker_is_added_in_the_settings_window_and_takes_an_issue() {
    let desk = Desk::new("kinds", Host::Ours);
    let ctl = Ctl(&desk);
    let app = App::start(&desk);
    headline_is(&desk, "All filed");
    let settings = settings(&desk, &app);
    for (kind, dialect, project) in KINDS {
        let tracker = Tracker::online_as(dialect);
        let (url, token, name) = (tracker.url(), tracker.token(), kind.to_lowercase());
        fill(&settings, kind, &name, &[("Address", &url), ("Project", project), ("Token", &token)]);
        test(&settings, "Works.");
        assert!(settings.says("signed in as ada"), "{kind}: {}", settings.text());
        settings.look(&format!("{name}-works"));
        settings.press("Add destination");
        settings.wait_for(&format!("{name} is added."));
        filed(&ctl, &name, &format!("Filed at {kind}"));
        assert_eq!(tracker.issues().len(), 1, "{kind}");
    }

    let receiver = Tracker::online_as(Dialect::Webhook);
    let (url, token) = (format!("{}/inbox", receiver.url()), receiver.token());
    fill(&settings, "Webhook", "hook", &[("Address", &url), ("Token", &token)]);
    test(&settings, "What gets no answer is yours to judge.");
    settings.press("Add destination");
    settings.wait_for("hook is added.");
    filed(&ctl, "hook", "Told to a webhook");
    assert_eq!(receiver.issues().len(), 1);

    let folder = desk.folder().join("Reports");
    fill(&settings, "Folder", "reports", &[("Folder", &folder.to_string_lossy())]);
    test(&settings, "Files into");
    settings.press("Add destination");
    settings.wait_for("reports is added.");
    let entry = filed(&ctl, "reports", "Kept in a folder");
    let written = folder.join(entry["receipt"]["number"].as_str().unwrap_or_default()).join("issue.md");
    assert!(written.is_file(), "{}", written.display());
    settings.look("all");
    let listed = ctl.json(&["destination", "list"]);
    assert_eq!(listed.as_array().map(Vec::len), Some(8), "with the folder of the beginning: {listed}");
}

#[test]
fn whatever_is_wrong_with_a_destination_the_window_says_what_to_do() {
    let desk = Desk::new("wrong", Host::Ours);
    let app = App::start(&desk);
    headline_is(&desk, "All filed");
    let settings = settings(&desk, &app);
    for (kind, dialect, project) in KINDS {
        let mut tracker = Tracker::online_as(dialect);
        let (url, token) = (tracker.url(), tracker.token());
        fill(&settings, kind, "work", &[("Address", &url), ("Project", project), ("Token", &token)]);
        let wrong = |words: &[&str], picture: &str| {
            settings.press_in(FORM, "Test");
            for words in words {
                settings.wait_for(words);
            }
            until_so("a way to add it all the same", || settings.has_button("Add it anyway"));
            settings.look(&format!("{}-{picture}", kind.to_lowercase()));
            assert!(!settings.says("Works."), "{kind}: {}", settings.text());
        };

        // Somebody else answers there.
        settings.fill("Address", &format!("{url}/elsewhere"));
        wrong(&["Check the address"], "address");
        settings.fill("Address", &url);

        settings.fill("Token", "another-token");
        wrong(&["did not accept", "Sign in with another token."], "token");
        settings.fill("Token", &token);

        let other = if project == "demo" { "other" } else { "ada/other" };
        settings.fill("Project", other);
        wrong(&[&format!("{other} is not there"), "Check the address and the project."], "project");
        settings.fill("Project", project);

        // The token is known, and may not do this.
        let message = "token does not have at least one of required scope(s): [write:issue]".to_owned();
        tracker.misbehave(Route::Project, What::Forbidden { message }, 1);
        // A Redmine says the same of a project that is closed.
        let words = if kind == "Redmine" { "ada may not see it" } else { "Sign in with another token." };
        wrong(&[words], "permission");

        tracker.change(|project| project.is_archived = true);
        wrong(&["archived", "Check the address and the project."], "archived");
        tracker.change(|project| project.is_archived = false);

        tracker.stop();
        wrong(&["does not answer.", "Add it anyway: issues wait until it answers."], "down");
        settings.press("Cancel");
    }
}

#[test]
fn what_was_typed_wrongly_stays_to_be_mended_and_nothing_is_added() {
    let desk = Desk::new("mended", Host::Ours);
    desk.prefer_dark();
    let ctl = Ctl(&desk);
    let app = App::start(&desk);
    headline_is(&desk, "All filed");
    let settings = settings(&desk, &app);
    fill(&settings, "Gitea", "work", &[("Address", "git.example.org:x"), ("Project", "ada/demo")]);
    settings.press("Add destination");
    settings.wait_for("is not an address");
    assert_eq!(settings.written("Address").as_deref(), Some("git.example.org:x"), "nothing typed is lost");
    settings.fill("Address", "http://git.example.org");
    settings.press("Add destination");
    settings.wait_for("https");
    settings.look("plain-http");
    settings.fill("Address", "https://git.example.org");
    settings.fill("Project", "demo");
    settings.press("Add destination");
    settings.wait_for("It looks like ada/demo.");
    settings.choose("Tracker", "Folder");
    settings.fill("Folder", "Reports");
    settings.press("Add destination");
    settings.wait_for("Give the whole path");
    let file = desk.folder().join("in-the-way");
    std::fs::write(&file, "a file").expect("it can be written");
    settings.fill("Folder", &file.to_string_lossy());
    test(&settings, "Choose another folder");
    settings.look("folder");
    assert_eq!(ctl.json(&["destination", "list"]).as_array().map(Vec::len), Some(1), "nothing was added");
}

#[test]
fn a_locked_keyring_holds_what_needs_it_and_it_goes_on_once_it_is_unlocked() {
    let desk = Desk::new("locked", Host::Ours);
    let (ctl, tracker) = (Ctl(&desk), Tracker::online());
    ctl.add("work", &tracker);
    desk.lock_keyring();
    let app = App::start(&desk);
    headline_is(&desk, "All filed");
    for to in ["work", "Folder"] {
        let (code, said) = ctl.run(&["file", "--to", to, "--title", &format!("To {to}")]);
        assert_eq!(code, 0, "{said}");
    }
    headline_is(&desk, "1 needs you, 1 waiting");
    let settings = settings(&desk, &app);
    settings.wait_for("The keyring is locked.");
    settings.look("locked");
    let filed = ctl.json(&["list", "--state", "filed"]);
    assert_eq!(filed[0]["title"], "To Folder", "another lane goes on: {filed}");
    assert!(tracker.issues().is_empty());

    desk.unlock_keyring();
    headline_is(&desk, "All filed");
    assert_eq!(tracker.issues().len(), 1);
    until_so("nothing said of a lock", || !settings.says("The keyring is locked."));
}

#[test]
fn an_outbox_is_written_into_a_file_and_taken_in_again_in_the_settings_window() {
    let desk = Desk::new("archive", Host::Ours);
    desk.prefer_dark();
    let ctl = Ctl(&desk);
    assert_eq!(ctl.run(&["pause"]).0, 0);
    assert_eq!(ctl.run(&["file", "--to", "Folder", "--title", "Travels"]).0, 0);
    let app = App::start(&desk);
    headline_is(&desk, "Paused, 1 waiting");
    let settings = settings(&desk, &app);
    settings.press("Your outbox");
    settings.wait_for("No token is in it.");
    settings.look("page");

    let copy = desk.folder().join("copy.tar");
    let _gone = std::fs::remove_file(&copy);
    settings.press("Export a copy");
    until_so("the dialog", || desk.focus("Export"));
    desk.press("ctrl+a");
    desk.type_text(&copy.to_string_lossy());
    desk.press("Return");
    settings.wait_for("A copy of 1 issue is written.");
    assert!(copy.is_file());

    let moved = desk.folder().join("move.tar");
    let _gone = std::fs::remove_file(&moved);
    settings.press("Move to another computer");
    settings.wait_for("Sending is paused first");
    settings.look("move");
    settings.press("Choose a file and move");
    until_so("the dialog", || desk.focus("Export"));
    desk.press("ctrl+a");
    desk.type_text(&moved.to_string_lossy());
    desk.press("Return");
    settings.wait_for("1 of them is filed here no more.");
    headline_is(&desk, "Paused");
    assert_eq!(ctl.json(&["list"])[0]["state"], "withdrawn");

    settings.press("Import");
    until_so("the dialog", || desk.focus("Import"));
    desk.press("ctrl+l");
    // While it changes from the recent files to a path, and while it completes one, the dialog loses keys.
    until_so("what came, in words", || {
        if desk.focus("Import") {
            desk.press("ctrl+a");
            desk.type_text(&moved.to_string_lossy());
            desk.press("Return");
            std::thread::sleep(Duration::from_secs(1));
        }
        settings.says("1 is put back.")
    });
    settings.look("imported");
    headline_is(&desk, "Paused, 1 waiting");
}
