//! The journeys of a person through Outtray: the real application in a real window, the real tray, real notifications,
//! a real keyring, and a tracker that can be switched off. See `src/lib.rs` for the desk they happen on.

#![allow(clippy::expect_used, clippy::unwrap_used, reason = "a journey that meets the unexpected has failed")]

mod destinations;
mod missing;

use std::time::Duration;

use outtray_e2e::{App, Ctl, Desk, Host, Notice, Picture, Tracker, Window, until, until_so};
use outtray_support::{Issue, Route, What};

const CONTROL: char = '\u{e009}';
const ENTER: char = '\u{e007}';

/// Sets the pace of a journey: tries follow each other quickly, and late commits are over soon.
fn set_pace(ctl: &Ctl<'_>) {
    for (key, value) in
        [("drain.backoff_base_ms", "300"), ("drain.backoff_cap_ms", "1000"), ("drain.quiet_ms", "3000")]
    {
        let (code, said) = ctl.run(&["settings", "set", key, value]);
        assert_eq!(code, 0, "{key}: {said}");
    }
}

/// A window to write in: the one that is there, or a new one from the tray.
fn compose<'app>(desk: &Desk, app: &'app App<'_>) -> Window<'app> {
    if !app.shows("compose") {
        desk.tray.choose("New issue");
    }
    app.window("compose")
}

/// The outbox, by a click on the tray's icon.
fn outbox<'app>(desk: &Desk, app: &'app App<'_>) -> Window<'app> {
    if !app.shows("outbox") {
        desk.tray.click();
    }
    app.window("outbox")
}

/// Writes an issue to `work`, without filing it.
fn write(compose: &Window<'_>, title: &str) {
    compose.press("To ");
    compose.press("work");
    compose.write("Title", title);
    compose.write("Body", "It rains **in**.");
}

/// Files what is written with Ctrl+Enter, and returns when it is saved.
fn file(compose: &Window<'_>, ctl: &Ctl<'_>, title: &str) -> serde_json::Value {
    compose.chord(&[CONTROL, ENTER]);
    until_so("“Saved”", || !compose.is_open() || compose.says("Saved"));
    until("the entry in outtrayctl", || entry(ctl, title))
}

fn entry(ctl: &Ctl<'_>, title: &str) -> Option<serde_json::Value> {
    let entries = ctl.json(&["list"]);
    entries.as_array()?.iter().find(|entry| entry["title"] == title).cloned()
}

fn headline_is(desk: &Desk, headline: &str) {
    until_so(&format!("“{headline}” in the tray"), || desk.tray.headline().as_deref() == Some(headline));
    until_so(&format!("“{headline}” in the tooltip"), || {
        desk.tray.tooltip().is_some_and(|tooltip| tooltip.contains(headline))
    });
}

/// The tracker's one issue, once it is complete.
fn the_one_issue(tracker: &Tracker) -> Issue {
    until("the issue at the tracker", || tracker.issues().into_iter().next())
}

fn creates(tracker: &Tracker) -> usize {
    let is_create = |method: &str, target: &str| method == "POST" && target.ends_with("/issues");
    tracker.requests().iter().filter(|asked| is_create(&asked.method, &asked.target)).count()
}

#[test]
fn an_issue_written_offline_is_filed_once_with_its_picture_when_the_tracker_is_back() {
    let desk = Desk::new("offline", Host::Ours);
    let bare = desk.pixels("1280x800+0+0");
    let (ctl, mut tracker) = (Ctl(&desk), Tracker::offline());
    ctl.add("work", &tracker);
    set_pace(&ctl);
    let app = App::start(&desk);
    headline_is(&desk, "All filed");
    let calm = desk.tray.icon().expect("an icon");

    let compose = compose(&desk, &app);
    write(&compose, "The roof leaks");
    compose.press("Capture");
    let loaded =
        "return [...document.images].filter(image => image.complete && image.naturalWidth > 0).length";
    until_so("the picture's thumbnail", || compose.count(loaded) == 1);
    compose.look("written");
    let saved = file(&compose, &ctl, "The roof leaks");
    headline_is(&desk, "Offline, 1 waiting");
    until_so("an icon of another shape", || {
        desk.tray.icon().is_some_and(|icon| icon.shape() != calm.shape())
    });
    assert_eq!(ctl.level(), "offline", "outtrayctl agrees with the tray");
    let outbox = outbox(&desk, &app);
    outbox.wait_for("The roof leaks");
    outbox.wait_for("Offline");
    outbox.look("offline");
    assert_eq!(tracker.issues().len(), 0);

    tracker.wake();
    headline_is(&desk, "All filed");
    let issue = the_one_issue(&tracker);
    until_so("the icon it began with", || desk.tray.icon().as_ref() == Some(&calm));
    assert_eq!((tracker.issues().len(), creates(&tracker)), (1, 1), "filed once, and sent once");
    assert_eq!((issue.title.as_str(), issue.assets.len()), ("The roof leaks", 1));
    let screen = Picture { width: 1280, height: 800 };
    let picture = &issue.assets[0].bytes;
    assert_eq!(Picture::of(picture), Some(screen), "the whole screen was captured");
    assert_eq!(bare.len(), 1280 * 800 * 3);
    assert!(desk.pixels_of(picture) == bare, "our own windows are not in it, and the desk is as it was");
    assert!(
        issue.body.contains("![") && issue.body.contains(&issue.assets[0].uuid),
        "shown in: {}",
        issue.body
    );
    assert!(issue.body.contains(&format!("outtray:{}", saved["key"].as_str().unwrap())), "{}", issue.body);
    outbox.wait_for("Filed");
    assert_eq!(ctl.level(), "calm");
    let filed = entry(&ctl, "The roof leaks").expect("it is still listed");
    assert_eq!(
        (&filed["state"], &filed["receipt"]["number"]),
        (&"filed".into(), &issue.number.to_string().into())
    );
}

#[test]
fn a_refused_issue_asks_for_the_person_and_retry_files_it_with_the_same_key() {
    let desk = Desk::new("refused", Host::Ours);
    let (ctl, tracker) = (Ctl(&desk), Tracker::online());
    ctl.add("work", &tracker);
    set_pace(&ctl);
    tracker.misbehave(Route::Create, What::Invalid { message: "no such milestone".to_owned() }, 1);
    let app = App::start(&desk);
    headline_is(&desk, "All filed");
    let calm = desk.tray.icon().expect("an icon");

    let compose = compose(&desk, &app);
    write(&compose, "The door sticks");
    let saved = file(&compose, &ctl, "The door sticks");
    headline_is(&desk, "1 needs you");
    until_so("an icon of another shape", || {
        desk.tray.icon().is_some_and(|icon| icon.shape() != calm.shape())
    });
    let asked = until("a notification", || desk.notices.shown().into_iter().next());
    assert_eq!(asked.summary, "1 issue needs you");
    assert!(
        !format!("{} {}", asked.summary, asked.body).contains("The door sticks"),
        "titles are private: {asked:?}"
    );
    let outbox = outbox(&desk, &app);
    outbox.wait_for("Needs you");
    outbox.wait_for("no such milestone");
    outbox.look("refused");
    assert_eq!((ctl.level().as_str(), tracker.issues().len()), ("needs_you", 0));

    outbox.press("Retry");
    headline_is(&desk, "All filed");
    let issue = the_one_issue(&tracker);
    let filed = entry(&ctl, "The door sticks").expect("it is still listed");
    assert_eq!((&filed["state"], &filed["key"]), (&"filed".into(), &saved["key"]), "the key never changes");
    assert!(issue.body.contains(saved["key"].as_str().unwrap()), "{}", issue.body);
    assert_eq!((tracker.issues().len(), creates(&tracker)), (1, 2), "refused once, filed once");
    let settled = until("a word that it is settled", || {
        desk.notices.all().into_iter().find(|notice| notice.summary == "Nothing needs you")
    });
    let stands = |notice: &Notice| notice.summary == asked.summary;
    assert!(
        !desk.notices.shown().iter().any(stands),
        "what is settled still stands: {:?}",
        desk.notices.all()
    );
    assert_eq!(desk.notices.all().len(), 2, "one when it needed us, one when it was settled: {settled:?}");
    until_so("the icon it began with", || desk.tray.icon().as_ref() == Some(&calm));
}

#[test]
fn two_windows_the_tray_and_outtrayctl_show_one_truth_within_a_second() {
    let desk = Desk::new("one-truth", Host::Ours);
    let (ctl, tracker) = (Ctl(&desk), Tracker::online());
    ctl.add("work", &tracker);
    // Nothing leaves, so that every change is one we made.
    assert_eq!(ctl.run(&["pause"]).0, 0);
    let app = App::start(&desk);
    let outbox = outbox(&desk, &app);
    desk.tray.choose("Settings");
    let settings = app.window("settings");
    headline_is(&desk, "Paused");

    // Another process changes something, and everybody shows it.
    let mut delays = Vec::new();
    for number in 1..=5 {
        let (lane, title) = (format!("lane-{number}"), format!("Window {number} rattles"));
        ctl.add(&lane, &tracker);
        delays.push(until_so("the lane in both windows", || outbox.says(&lane) && settings.says(&lane)));
        let (code, said) = ctl.run(&["file", "--to", &lane, "--title", &title]);
        assert_eq!(code, 0, "{said}");
        let headline = format!("Paused, {number} waiting");
        delays.push(until_so("the entry in window and tray", || {
            outbox.says(&title) && desk.tray.headline().as_deref() == Some(&headline)
        }));
    }
    delays.sort();
    assert!(delays[5] < Duration::from_secs(1), "a change is seen within a second: {delays:?}");

    // A window changes something, and everybody shows it.
    settings.look("one-truth");
    outbox.press("Withdraw");
    headline_is(&desk, "Paused, 4 waiting");
    let withdrawn = ctl.json(&["list", "--state", "withdrawn"]);
    assert_eq!(
        withdrawn.as_array().map(Vec::len),
        Some(1),
        "outtrayctl sees what the window did: {withdrawn}"
    );
    assert_eq!(ctl.json(&["status"])["waiting"], 4);
    assert_eq!(ctl.run(&["resume"]).0, 0);
    headline_is(&desk, "All filed");
    until_so("no pause in the window", || !outbox.says("Paused"));
    assert_eq!(tracker.issues().len(), 4);
}

#[test]
fn the_tray_leads_a_signed_out_person_to_the_field_for_the_token() {
    let desk = Desk::new("signed-out", Host::Ours);
    let (ctl, tracker) = (Ctl(&desk), Tracker::online());
    ctl.add("work", &tracker);
    set_pace(&ctl);
    tracker.misbehave(Route::Create, What::Unauthorized, 1);
    let app = App::start(&desk);
    headline_is(&desk, "All filed");
    // It stands already, at something else.
    desk.tray.choose("Settings");
    let settings = app.window("settings");
    settings.press("Sending");
    let compose = compose(&desk, &app);
    write(&compose, "The key is lost");
    file(&compose, &ctl, "The key is lost");
    headline_is(&desk, "1 needs you, 1 waiting");
    desk.tray.choose("work is signed out: Sign in");
    let field = "return document.activeElement.placeholder === 'Token' ? 1 : 0";
    until_so("the field with the focus", || settings.count(field) == 1);
    settings.look("sign-in");
    assert_eq!(tracker.issues().len(), 0);
}

#[test]
fn closed_windows_leave_the_tray_and_quit_leaves_the_work_for_the_next_start() {
    let desk = Desk::new("quit", Host::Ours);
    let (ctl, mut tracker) = (Ctl(&desk), Tracker::offline());
    ctl.add("work", &tracker);
    set_pace(&ctl);
    let app = App::start(&desk);
    let first = compose(&desk, &app);
    write(&first, "The lamp flickers");
    file(&first, &ctl, "The lamp flickers");
    headline_is(&desk, "Offline, 1 waiting");
    while app.count() > 0 {
        let before = app.count();
        desk.press("alt+F4");
        until_so("a window to close", || app.count() < before || app.count() == 0);
    }
    assert!(app.is_running() && desk.tray.count() == 1, "the tray stays");
    let taken_back = compose(&desk, &app);
    taken_back.write("Title", "A word");
    until_so("the draft", || desk.drafts().iter().any(|(title, _)| title == "A word"));
    until_so("the window with the focus", || desk.focus("New issue"));
    desk.press("ctrl+a");
    desk.press("BackSpace");
    until_so("no word", || taken_back.written("Title").as_deref() == Some(""));
    desk.close("New issue");
    until_so("no draft where nothing is written", || desk.drafts().is_empty());
    headline_is(&desk, "Offline, 1 waiting");
    outbox(&desk, &app).wait_for("The lamp flickers");
    let draft = compose(&desk, &app);
    draft.write("Title", "A half sentence");
    desk.tray.choose("Quit");
    let pid = app.pid();
    let start = std::time::Instant::now();
    app.wait();
    assert!(start.elapsed() < Duration::from_secs(5), "{pid} took {:?} to quit", start.elapsed());
    until_so("an empty tray", || desk.tray.count() == 0);
    let left = ctl.json(&["status"]);
    assert_eq!(
        (&left["waiting"], &left["sending"]),
        (&1.into(), &0.into()),
        "the lease was given back: {left}"
    );

    let app = App::start(&desk);
    headline_is(&desk, "Offline, 1 waiting");
    let again = compose(&desk, &app);
    let is_kept =
        || again.says("A half sentence") || again.written("Title").as_deref() == Some("A half sentence");
    until_so("the half sentence", is_kept);
    tracker.wake();
    headline_is(&desk, "All filed");
    assert_eq!((tracker.issues().len(), creates(&tracker)), (1, 1));
}

#[test]
fn an_issue_whose_sender_is_killed_during_an_upload_is_filed_once_after_a_restart() {
    // The upload never arrives; then: it arrives after its sender is dead.
    let faults = [("killed-lost", What::Stall), ("killed-late", What::DelayBefore { ms: 1500 })];
    for (name, fault) in faults {
        let desk = Desk::new(name, Host::Ours);
        let (ctl, tracker) = (Ctl(&desk), Tracker::online());
        ctl.add("work", &tracker);
        set_pace(&ctl);
        tracker.misbehave(Route::Upload, fault, 1);
        let app = App::start(&desk);
        let compose = compose(&desk, &app);
        write(&compose, "The clock stands");
        compose.press("Capture");
        until_so("the picture", || compose.count("return document.images.length") == 1);
        let saved = file(&compose, &ctl, "The clock stands");
        until_so("an upload on its way", || {
            tracker.requests().iter().any(|asked| asked.target.contains("/assets") && asked.body_bytes > 0)
        });
        app.kill();

        let app = App::start(&desk);
        headline_is(&desk, "All filed");
        let issue = the_one_issue(&tracker);
        assert_eq!((tracker.issues().len(), issue.assets.len()), (1, 1), "{name}: one issue, one picture");
        assert!(issue.body.contains(&issue.assets[0].uuid), "{name}: the picture is shown: {}", issue.body);
        let filed = entry(&ctl, "The clock stands").expect("it is still listed");
        assert_eq!((&filed["state"], &filed["key"]), (&"filed".into(), &saved["key"]), "{name}");
        drop(app);
    }
}

#[test]
fn a_panel_shows_the_icon() {
    let desk = Desk::new("panel", Host::Panel);
    let panel = "1280x32+0+0";
    until_so("the panel drawn", || desk.pixels(panel).iter().any(|part| *part > 0));
    let empty = desk.pixels(panel);
    let app = App::start(&desk);
    until_so("an icon registered with the panel", || desk.tray.count() == 1);
    // Seen, not only there: a light icon on a light panel would be neither here nor there.
    let is_seen = |now: &[u8]| now.iter().zip(&empty).any(|(now, before)| now.abs_diff(*before) > 80);
    until_so("an icon that can be seen in the panel", || is_seen(&desk.pixels(panel)));
    let compose = compose(&desk, &app);
    compose.wait_for("File issue");
    compose.look("panel");
}

#[test]
fn without_a_tray_the_application_lives_and_its_window_is_reachable() {
    let desk = Desk::new("no-tray", Host::None);
    let app = App::start(&desk);
    assert!(!desk.tray.is_there(), "a desk without a tray");
    until_so("a window", || app.count() > 0);
    // A second start hands over and ends; the window of the first comes up.
    let second = desk.command(Desk::program("outtray")).output().expect("it can be started");
    assert!(second.status.success(), "a second start ends in peace: {second:?}");
    assert!(app.is_running() && app.count() > 0);
}

#[test]
fn quitting_and_closing_keep_a_window_whose_words_cannot_be_saved() {
    let desk = Desk::new("not-saved", Host::Ours);
    let app = App::start(&desk);
    headline_is(&desk, "All filed");
    let compose = compose(&desk, &app);
    compose.write("Title", "A word");
    compose.wait_for("Draft saved");
    // As on a full disk, nothing can be written.
    desk.meddle("UPDATE meta SET min_writer = 99");
    compose.write("Title", " and another");
    compose.wait_for("Your words are not saved yet.");

    desk.tray.choose("Quit");
    compose.wait_for("Outtray has not quit: your words are not saved yet.");
    assert!(compose.has_button("Quit anyway") && app.is_running());
    compose.look("quit");
    until_so("the window in front", || desk.focus("New issue"));
    desk.press("alt+F4");
    compose.wait_for("This window stays open: your words are not saved yet.");
    until_so("the window in sight", || desk.focus("New issue"));
    desk.press("Escape");
    desk.press("ctrl+q");
    compose.wait_for("Outtray has not quit");
    assert_eq!(compose.written("Title").as_deref(), Some("A word and another"));

    desk.meddle("UPDATE meta SET min_writer = 1");
    desk.tray.choose("Quit");
    app.wait();
    assert_eq!(desk.drafts(), [("A word and another".to_owned(), String::new())]);
}

#[test]
fn a_signal_ends_the_app_within_five_seconds_whatever_is_open() {
    let desk = Desk::new("signal", Host::Ours);
    let app = App::start(&desk);
    headline_is(&desk, "All filed");
    let compose = compose(&desk, &app);
    compose.write("Title", "A word");
    compose.wait_for("Draft saved");
    desk.meddle("UPDATE meta SET min_writer = 99");
    compose.write("Title", " and another");
    compose.wait_for("Your words are not saved yet.");
    until_so("the window in front", || desk.focus("New issue"));
    desk.press("ctrl+shift+a");
    until_so("the dialog", || desk.focus("Attach"));
    let start = std::time::Instant::now();
    app.terminate();
    app.wait();
    assert!(start.elapsed() < Duration::from_secs(5), "it took {:?}", start.elapsed());
}

#[test]
fn what_was_typed_pasted_or_put_in_by_a_tool_is_taken_back_and_brought_again() {
    let desk = Desk::new("undo", Host::Ours);
    let app = App::start(&desk);
    headline_is(&desk, "All filed");
    let compose = compose(&desk, &app);
    until_so("the window in front", || desk.focus("New issue"));
    for field in ["Title", "Body"] {
        compose.write(field, "rain");
        let is = |text: &str| {
            until_so(&format!("“{text}” in {field}"), || compose.written(field).as_deref() == Some(text));
        };
        is("rain");
        desk.press("ctrl+a");
        desk.press("ctrl+c");
        desk.press("Right");
        desk.press("ctrl+v");
        is("rainrain");
        desk.press("ctrl+z");
        is("rain");
        desk.press("ctrl+shift+z");
        is("rainrain");
        desk.press("ctrl+z");
        is("rain");
        desk.press("ctrl+y");
        is("rainrain");
        if field == "Body" {
            desk.press("ctrl+b");
            is("rainrain****");
            desk.press("ctrl+z");
            is("rainrain");
        }
    }
    let kept = [("rainrain".to_owned(), "rainrain".to_owned())];
    until_so("what stands there in the store", || desk.drafts() == kept);
}

#[test]
fn an_outbox_of_another_computer_is_used_here_once_the_person_says_so() {
    let desk = Desk::new("another-computer", Host::Ours);
    let ctl = Ctl(&desk);
    assert_eq!(ctl.level(), "calm");
    desk.meddle("UPDATE meta SET machine_id = 'another'");
    let start = || desk.command(Desk::program("outtray")).arg("--new").spawn().expect("it can be started");
    let asks = || until_so("the question", || desk.focus("Use this outbox here"));

    let mut app = start();
    asks();
    desk.look("asked");
    desk.press("Escape");
    let ended = app.wait().expect("it ends");
    assert!(ended.success(), "it quits in peace: {ended:?}");
    assert_ne!(ctl.run(&["status"]).0, 0, "and nothing has changed");

    let mut app = start();
    asks();
    desk.press("Return");
    until_so("a window", || desk.focus("New issue"));
    headline_is(&desk, "All filed");
    assert_eq!(ctl.level(), "calm", "it belongs here now");
    desk.tray.choose("Quit");
    assert!(app.wait().expect("it ends").success());
}
