//! The walls of the house, as tests: who may know whom, where SQL, the network, the clock and the desktop live, and
//! which words are kept out. `ARCHITECTURE.md` says why; here it is read from the source, so it cannot fade.
//!
//! Each rule is a function from sources to what it finds wrong. It runs over a planted wrong, which it has to find,
//! over the same file put right, and then over the house: a rule that never bites is no rule.

#![allow(clippy::expect_used, reason = "a test that cannot read its sources has failed")]

#[path = "tidy/source.rs"]
mod source;

use std::path::{Path, PathBuf};

use source::{Source, walk};

/// What a rule finds wrong in one file, a sentence each.
type Wrong = Vec<String>;
type Rule = fn(&Source) -> Wrong;

/// Runs one rule over the house.
fn holds(rule: Rule) {
    let root: PathBuf = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let places =
        ["src-tauri", "ui", "tests", "icons", "dev", ".ci", "Cargo.toml", "tauri.conf.json", "deny.toml"];
    let documents = ["README.md", "ARCHITECTURE.md", "PROTOCOL.md", "CHANGELOG.md"];
    let sources = walk(&root, &[&places[..], &documents].concat());
    assert!(
        sources.iter().filter(|source| source.ships()).count() > 20,
        "the sources are not where this test looks"
    );
    let tell =
        |source: &Source| rule(source).into_iter().map(|wrong| format!("{}: {wrong}", source.path)).collect();
    let wrong: Wrong = sources.iter().flat_map::<Wrong, _>(tell).collect();
    assert!(wrong.is_empty(), "\n{}\n", wrong.join("\n"));
}

/// Runs one rule over one planted file, which it must find wrong, and over the same file put right.
fn bites(rule: Rule, path: &str, wrong: &str, right: &str) {
    assert_eq!(rule(&Source::new(path, wrong)).len(), 1, "{path} is not found wrong: {wrong}");
    assert_eq!(
        rule(&Source::new(path, right)),
        Wrong::new(),
        "{path} is found wrong, but it is right: {right}"
    );
}

/// A place ends in `/` and holds all that is below; or it is one file.
fn is_in(source: &Source, places: &[&str]) -> bool {
    places.iter().any(|place| source.path == *place || place.ends_with('/') && source.path.starts_with(place))
}

// ---- Who knows whom -------------------------------------------------------------------------------------------------

/// The rooms of the engine, and which others each may name. Nouns know nobody above them; the engine knows all.
const ROOMS: &[(&str, &[&str])] = &[
    ("issue", &[]),
    ("problem", &[]),
    ("archive", &["capture", "issue", "problem", "view"]),
    ("clock", &[]),
    ("fault", &["problem"]),
    ("view", &["issue"]),
    ("attention", &["clock"]),
    ("secrets", &["problem"]),
    ("settings", &["problem", "view"]),
    ("store", &["clock", "fault", "problem"]),
    ("capture", &["clock", "issue", "problem", "view"]),
    ("tracker", &["clock", "issue", "problem"]),
    (
        "outbox",
        &["archive", "attention", "capture", "clock", "fault", "issue", "problem", "settings", "store"],
    ),
    ("outbox", &["view"]),
    ("drainer", &["clock", "fault", "issue", "outbox", "problem", "secrets", "settings", "tracker", "view"]),
    (
        "engine",
        &[
            "archive",
            "attention",
            "capture",
            "clock",
            "drainer",
            "issue",
            "outbox",
            "problem",
            "secrets",
            "settings",
        ],
    ),
    ("engine", &["store", "tracker", "view"]),
];

/// The outbox decides what an answer means, so one file of it reads the nouns of an answer; it can ask nobody for one.
const FATE: &str = "src-tauri/core/src/outbox/fate.rs";
const ANSWER: &[&str] = &["tracker::Cause", "tracker::CauseKind", "tracker::Done", "tracker::Reply"];

fn rooms_know_only_whom_they_may(source: &Source) -> Wrong {
    let Some(room) = source.room().filter(|_| source.ships()) else { return Wrong::new() };
    if !ROOMS.iter().any(|(name, _)| *name == room) {
        return vec![format!("`{room}` is a new room: write into ROOMS whom it may know")];
    }
    let is_room = |name: &str| ROOMS.iter().any(|(room, _)| *room == name);
    let may_know = |name: &str| ROOMS.iter().any(|(one, others)| *one == room && others.contains(&name));
    let mut wrong = Wrong::new();
    for name in source.names_of_the_crate() {
        let other = name.split("::").next().unwrap_or_default();
        let is_an_answer = source.path == FATE && ANSWER.contains(&name.as_str());
        if is_room(other) && other != room && !may_know(other) && !is_an_answer {
            wrong.push(format!("`{room}` may not know `{name}`"));
        }
    }
    wrong
}

#[test]
fn each_room_knows_only_the_rooms_it_may() {
    let rule: Rule = rooms_know_only_whom_they_may;
    let outbox = "src-tauri/core/src/outbox/mod.rs";
    bites(rule, "src-tauri/core/src/issue/key.rs", "use crate::store::Store;", "use crate::issue::Issue;");
    bites(
        rule,
        "src-tauri/core/src/store/mod.rs",
        "use crate::{clock::Now, outbox::Lease};",
        "use crate::clock::Now;",
    );
    bites(
        rule,
        "src-tauri/core/src/capture/files.rs",
        "fn a() { crate::store::open() }",
        "fn a() { open() }",
    );
    bites(
        rule,
        "src-tauri/core/src/attention/mod.rs",
        "use crate::outbox::Outbox;",
        "use crate::clock::Stamp;",
    );
    bites(rule, "src-tauri/core/src/tracker/mod.rs", "use super::outbox::Outbox;", "use super::issue::Key;");
    bites(rule, outbox, "use crate::tracker::Reply;", "use crate::store::Store;");
    bites(
        rule,
        outbox,
        "use crate::drainer::Drainer;",
        "#[cfg(test)]\nmod tests { use crate::drainer::Drainer; }",
    );
    bites(rule, FATE, "use crate::tracker::{Reply, Tracker};", "use crate::tracker::{Cause, Reply};");
    bites(
        rule,
        "src-tauri/core/src/drainer/mod.rs",
        "use crate::engine::Engine;",
        "use crate::outbox::Outbox;",
    );
    assert_eq!(
        rule(&Source::new("src-tauri/core/src/cellar.rs", "")).len(),
        1,
        "a new room has to be written in"
    );
    holds(rule);
}

/// Crates that are not for everybody, and where they may be named. The desktop's are for one file each.
const CRATES: &[(&str, &[&str])] = &[
    ("reqwest", &["src-tauri/core/src/tracker/http.rs"]),
    ("rusqlite", &["src-tauri/core/src/store/", "src-tauri/core/src/outbox/"]),
    ("serde_saphyr", &["src-tauri/core/src/tracker/template.rs"]),
    ("tauri", &["src-tauri/src/", "src-tauri/build.rs"]),
    ("tauri::tray", &["src-tauri/src/tray.rs"]),
    ("tray_icon", &["src-tauri/src/tray.rs"]),
    ("notify_rust", &["src-tauri/src/notify.rs"]),
    ("screenshots", &["src-tauri/src/screen.rs"]),
    ("ashpd", &["src-tauri/src/screen.rs"]),
    ("zbus", &["src-tauri/src/bus.rs"]),
    ("gtk", &["src-tauri/src/desktop.rs"]),
    ("tauri_plugin_dialog", &["src-tauri/src/dialogs.rs"]),
    ("tauri_plugin_global_shortcut", &["src-tauri/src/shortcuts.rs"]),
    ("keyring_core", &["src-tauri/secrets/src/vault.rs"]),
    ("zbus_secret_service_keyring_store", &["src-tauri/secrets/src/vault.rs"]),
    ("secret_service", &["src-tauri/secrets/src/vault.rs"]),
];

/// What a room does without.
const ABSENT: &[(&str, &[&str])] = &[
    ("issue", &["std::fs", "std::net", "tokio"]),
    ("attention", &["std::fs", "std::net", "tokio"]),
    ("outbox", &["std::net", "tokio"]),
];

fn crates_stay_in_their_place(source: &Source) -> Wrong {
    if !source.ships() {
        return Wrong::new();
    }
    let strayed = CRATES.iter().filter(|(name, places)| source.reaches_into(name) && !is_in(source, places));
    let absent = ABSENT.iter().filter(|(room, _)| source.room() == Some(room)).flat_map(|(_, names)| *names);
    let told = strayed.map(|(name, places)| format!("`{name}` is for {} only", places.join(" and ")));
    told.chain(absent.filter(|name| source.reaches_into(name)).map(|name| format!("this room has no {name}")))
        .collect()
}

#[test]
fn each_crate_is_named_where_it_is_for_and_nowhere_else() {
    let rule: Rule = crates_stay_in_their_place;
    bites(rule, "src-tauri/core/src/tracker/gitea/mod.rs", "use reqwest::Client;", "// reqwest::Client\n");
    bites(
        rule,
        "src-tauri/core/src/drainer/mod.rs",
        "fn a(row: rusqlite::Row) {}",
        "const SAID: &str = \"rusqlite::Row\";",
    );
    bites(rule, "src-tauri/core/src/outbox/acts.rs", "use tokio::sync::watch;", "use rusqlite::Transaction;");
    bites(rule, "src-tauri/core/src/issue/mod.rs", "use std::fs;", "use std::fmt;");
    bites(rule, "src-tauri/core/src/engine/mod.rs", "#[tauri::command]\nfn a() {}", "fn a(tauri: u8) {}");
    bites(rule, "src-tauri/cli/src/main.rs", "use tauri::Manager;", "use outtray_core::Engine;");
    bites(rule, "src-tauri/src/windows.rs", "use tauri::tray::TrayIcon;", "use tauri::Manager;");
    bites(rule, "src-tauri/src/tray.rs", "notify_rust::Notification::new()", "use tauri::tray::TrayIcon;");
    bites(rule, "src-tauri/src/lib.rs", "use ashpd::desktop;", "mod screen;");
    bites(rule, "src-tauri/src/lib.rs", "use keyring_core::Entry;", "let keyring_core = 1;");
    holds(rule);
}

fn engine_and_command_line_have_no_desktop(source: &Source) -> Wrong {
    let is_theirs = matches!(&*source.path, "src-tauri/core/Cargo.toml" | "src-tauri/cli/Cargo.toml");
    let lines = source.text.lines().filter(|line| is_theirs && !line.starts_with('#'));
    lines
        .filter(|line| line.starts_with("tauri"))
        .map(|line| format!("depends on the desktop: {line}"))
        .collect()
}

#[test]
fn the_engine_and_the_command_line_depend_on_no_desktop() {
    let rule: Rule = engine_and_command_line_have_no_desktop;
    bites(
        rule,
        "src-tauri/cli/Cargo.toml",
        "[dependencies]\ntauri = \"2\"\n",
        "[dependencies]\n# no tauri here\n",
    );
    holds(rule);
}

// ---- Where things live ----------------------------------------------------------------------------------------------

const STATEMENTS: &[&str] = &[
    "SELECT ",
    "INSERT ",
    "UPDATE ",
    "DELETE FROM ",
    "CREATE ",
    "ALTER TABLE ",
    "DROP ",
    "PRAGMA ",
    "BEGIN",
    "VACUUM",
];

fn sql_is_in_tables_and_the_store(source: &Source) -> Wrong {
    let is_table = source.stem() == "table" || source.path.contains("/table/");
    if !source.ships() || is_table || is_in(source, &["src-tauri/core/src/store/"]) {
        return Wrong::new();
    }
    let starts =
        |quote: &String| STATEMENTS.iter().any(|statement| quote.trim_start().starts_with(statement));
    source
        .quotes
        .iter()
        .filter(|quote| starts(quote))
        .map(|quote| format!("SQL outside of a table: {quote}"))
        .collect()
}

#[test]
fn sql_stands_in_tables_and_in_the_store() {
    let rule: Rule = sql_is_in_tables_and_the_store;
    let drafts = "src-tauri/core/src/outbox/drafts.rs";
    bites(
        rule,
        drafts,
        "tx.execute(\"\n  DELETE FROM draft\", [])",
        "const SAID: &str = \"Delete this draft\";",
    );
    bites(rule, "src-tauri/src/lib.rs", "let sql = r#\"SELECT 1\"#;", "// \"SELECT 1\"");
    assert_eq!(rule(&Source::new("src-tauri/core/src/outbox/table/work.rs", "\"SELECT 1\"")), Wrong::new());
    holds(rule);
}

const NOW: &[&str] = &[
    "SystemTime::now",
    "Instant::now",
    "Utc::now",
    "Local::now",
    "Timestamp::now",
    "Zoned::now",
    "clock_gettime",
];

fn the_clock_is_read_in_one_file(source: &Source) -> Wrong {
    if !source.ships() || source.stem() == "clock" {
        return Wrong::new();
    }
    let read = NOW.iter().filter(|now| source.says(now));
    read.map(|now| format!("{now} is for clock.rs: take `now` as an argument")).collect()
}

#[test]
fn the_systems_clock_is_read_in_one_file() {
    let rule: Rule = the_clock_is_read_in_one_file;
    bites(
        rule,
        "src-tauri/core/src/outbox/mod.rs",
        "let now = std::time::Instant::now();",
        "let now = clock.now();",
    );
    bites(rule, "src-tauri/src/tray.rs", "jiff::Zoned::now()", "#[cfg(test)]\nfn a() { jiff::Zoned::now() }");
    assert_eq!(rule(&Source::new("src-tauri/core/src/clock.rs", "SystemTime::now()")), Wrong::new());
    holds(rule);
}

fn windows_have_one_door(source: &Source) -> Wrong {
    let is_window = source.path.starts_with("ui/src/");
    let mut wrong = Wrong::new();
    if is_window && !is_in(source, &["ui/src/host/"]) && source.text.contains("@tauri-apps") {
        wrong.push("asks Rust past the host: only ui/src/host may".to_owned());
    }
    if is_window && source.text.contains("{@html") {
        wrong.push("{@html} lets a tracker's words become a page".to_owned());
    }
    wrong
}

#[test]
fn windows_reach_rust_through_the_host_and_never_render_html() {
    let rule: Rule = windows_have_one_door;
    bites(
        rule,
        "ui/src/outbox/Row.svelte",
        "import { invoke } from '@tauri-apps/api/core';",
        "import { host } from '../host';",
    );
    bites(rule, "ui/src/outbox/Row.svelte", "<p>{@html entry.title}</p>", "<p>{entry.title}</p>");
    assert_eq!(rule(&Source::new("ui/src/host/tauri.ts", "import '@tauri-apps/api/core';")), Wrong::new());
    holds(rule);
}

// ---- How it reads ---------------------------------------------------------------------------------------------------

const MOST_LINES: usize = 500;

fn is_written_by_hand(source: &Source) -> bool {
    let ends = |ending: &str| source.path.ends_with(ending);
    let is_code =
        [".rs", ".ts", ".js", ".svelte", ".css", ".sql"].into_iter().any(ends) || source.path == "dev";
    is_code && !is_in(source, &["ui/src/host/types.ts"])
}

fn files_are_short(source: &Source) -> Wrong {
    let lines = source.text.lines().count();
    let ships = is_in(source, &["src-tauri/", "ui/src/", "dev"]);
    let too_long = ships && is_written_by_hand(source) && lines > MOST_LINES;
    too_long.then(|| format!("{lines} lines; one idea takes {MOST_LINES} at most")).into_iter().collect()
}

#[test]
fn no_file_is_too_long_to_read() {
    let long = "line\n".repeat(MOST_LINES + 1);
    bites(files_are_short, "ui/src/outbox/Outbox.svelte", &long, &long[5..]);
    holds(files_are_short);
}

fn rust_opens_with_a_page(source: &Source) -> Wrong {
    let is_told = source.ships() && source.stem() != "build";
    (is_told && !source.text.starts_with("//!"))
        .then(|| "the first line says what this file is for: //! …".to_owned())
        .into_iter()
        .collect()
}

#[test]
fn each_file_opens_by_saying_what_it_is_for() {
    bites(
        rust_opens_with_a_page,
        "src-tauri/core/src/view.rs",
        "use std::fmt;",
        "//! What windows show.\nuse std::fmt;",
    );
    holds(rust_opens_with_a_page);
}

/// Words that say nothing (DESIGN §3), or say something else in this house.
const KEPT_OUT: &[&str] =
    &["job", "task", "message", "manager", "service", "helper", "util", "utils", "handler"];

fn words_are_ours(source: &Source) -> Wrong {
    if !is_written_by_hand(source) {
        return Wrong::new();
    }
    let is_kept_out = |name: &&str| {
        let word_of = |part: &str| {
            KEPT_OUT.contains(&part) || KEPT_OUT.contains(&part.strip_suffix('s').unwrap_or("?"))
        };
        words(name).iter().any(|part| word_of(part))
    };
    let names = source.types().into_iter().chain([source.stem()]).filter(is_kept_out);
    let as_state =
        source.quotes.iter().filter(|quote| source.ships() && *quote == "failed").map(String::as_str);
    names.chain(as_state).map(|name| format!("`{name}`: DESIGN §3 has a better word")).collect()
}

/// The words of a name in any of its ways of writing: `ClaimLease`, `claim_lease`, `claim-lease`.
fn words(name: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    for letter in name.chars() {
        if !letter.is_alphanumeric() || letter.is_uppercase() {
            words.push(String::new());
        }
        if let Some(word) = words.last_mut().filter(|_| letter.is_alphanumeric()) {
            word.extend(letter.to_lowercase());
        }
    }
    words
}

#[test]
fn empty_words_are_kept_out_of_names() {
    let rule: Rule = words_are_ours;
    bites(
        rule,
        "src-tauri/core/src/drainer/worker.rs",
        "pub struct JobQueue;",
        "pub struct Worker { tasks: u8 }",
    );
    bites(
        rule,
        "ui/src/host/host.ts",
        "export interface EntryHandler {}",
        "export type Listener = () => void;",
    );
    bites(
        rule,
        "src-tauri/core/src/outbox/show.rs",
        "let state = \"failed\";",
        "let words = \"What failed, in words\";",
    );
    assert_eq!(rule(&Source::new("ui/src/parts/utils.ts", "")).len(), 1);
    holds(rule);
}

/// Places of one machine, which mean nothing on another. Written in two parts, so that this file does not hold them.
const MACHINE: &[(&str, &str)] =
    &[("/wo", "rk/main"), ("/wo", "rk/shared"), ("/wo", "rk/wt-"), ("/ro", "ot/")];

fn no_place_of_one_machine(source: &Source) -> Wrong {
    let places = MACHINE.iter().map(|(one, other)| format!("{one}{other}"));
    places
        .filter(|place| source.text.contains(place))
        .map(|place| format!("{place} is a place of one machine"))
        .collect()
}

#[test]
fn no_file_names_a_place_of_one_machine() {
    let wrong = format!("cp {}{}app .", MACHINE[3].0, MACHINE[3].1);
    bites(no_place_of_one_machine, "dev", &wrong, "cp target/app .");
    holds(no_place_of_one_machine);
}
