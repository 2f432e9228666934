//! The command line itself: its manual, its exit statuses, its two streams.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

#[path = "cli/mod.rs"]
mod cli;

use std::fs::File;

use cli::{Home, Ran};

/// Every verb there is, with the words that lead to it.
const VERBS: [&[&str]; 29] = [
    &["destination"],
    &["destination", "add"],
    &["destination", "list"],
    &["destination", "remove"],
    &["destination", "default"],
    &["destination", "certificate"],
    &["destination", "test"],
    &["file"],
    &["catalogue"],
    &["list"],
    &["show"],
    &["save"],
    &["drain"],
    &["status"],
    &["retry"],
    &["withdraw"],
    &["restore"],
    &["edit"],
    &["resolve"],
    &["move"],
    &["export"],
    &["import"],
    &["pause"],
    &["resume"],
    &["settings"],
    &["settings", "get"],
    &["settings", "set"],
    &["doctor"],
    &["completions"],
];

/// The verbs that a manual lists under "Commands:".
fn listed(help: &str) -> Vec<String> {
    let commands = help.split("Commands:\n").nth(1).unwrap_or_default();
    let lines = commands.lines().take_while(|line| !line.is_empty());
    lines
        .filter_map(|line| line.split_whitespace().next())
        .map(str::to_owned)
        .filter(|verb| verb != "help")
        .collect()
}

#[test]
fn every_verb_has_a_manual_with_examples() {
    let home = Home::new();
    for verb in VERBS {
        let ran = home.run(&[verb, &["--help"]].concat());
        assert_eq!((ran.code, ran.err.as_str()), (0, ""));
        let about = ran.out.lines().next().unwrap();
        assert!(about.len() > 15 && !about.starts_with("Usage"), "{verb:?} says what it does: {about}");
        let (_, examples) =
            ran.out.split_once("EXAMPLES:\n").unwrap_or_else(|| panic!("{verb:?} has examples"));
        let example = examples.lines().next().unwrap();
        assert!(example.contains("outtrayctl "), "{verb:?}: {example}");
        assert!(!ran.out.lines().any(|line| line.chars().count() > 100), "{verb:?} fits a window");
    }
    assert!(!home.data().exists(), "reading a manual makes nothing");
}

#[test]
fn the_verbs_are_the_ones_that_scripts_know() {
    let home = Home::new();
    for above in [&[][..], &["destination"], &["settings"]] {
        let expected: Vec<_> = VERBS
            .iter()
            .filter(|verb| verb.len() == above.len() + 1 && verb.starts_with(above))
            .map(|verb| verb[above.len()].to_owned())
            .collect();
        assert_eq!(listed(&home.run(&[above, &["--help"]].concat()).out), expected);
    }
}

#[test]
fn the_manual_tells_of_exit_statuses_and_the_environment() {
    let ran = Home::new().run(&["--help"]);
    for words in ["EXIT STATUS:", "ENVIRONMENT:", "OUTTRAY_HOME", "OUTTRAY_TOKEN_<NAME>", "FILES:"] {
        assert!(ran.out.contains(words), "{words}");
    }
}

#[test]
fn what_is_not_understood_exits_with_2_and_makes_nothing() {
    let home = Home::new();
    let bad: [&[&str]; 19] = [
        &[],
        &["fly"],
        &["file"],
        &["file", "--to", "Folder"],
        &["file", "--title", "x"],
        &["file", "--to", "Folder", "--title", "x", "--body", "a", "--body-file", "b"],
        &["file", "--to", "Folder", "--title", "x", "--deadline", "5"],
        &["file", "--to", "Folder", "--title", "x", "--wait", "--deadline", "soon"],
        &["show"],
        &["save"],
        &["show", "twelve"],
        &["retry"],
        &["retry", "1", "--all"],
        &["resolve", "1"],
        &["resolve", "1", "--send-again", "--there", "https://x.example/1"],
        &["list", "--state", "lost"],
        &["destination", "add", "work"],
        &["destination", "add", "work", "--tracker", "carrier-pigeon"],
        &["pause", "--for", "0"],
    ];
    for arguments in bad {
        let ran = home.run(arguments);
        assert_eq!((ran.code, ran.out.as_str()), (2, ""), "{arguments:?}: {ran:?}");
        assert!(!ran.err.is_empty());
    }
    assert!(!home.data().exists());
}

#[test]
fn what_goes_wrong_is_a_sentence_and_a_next_step() {
    let home = Home::new();
    let ran = home.run(&["show", "77"]);
    assert_eq!((ran.code, ran.out.as_str()), (1, ""));
    assert!(ran.err.contains("77") && ran.err.lines().all(|line| line.ends_with('.')), "{ran:?}");
    let [code, message, _] = home.refused(&["show", "77"]);
    assert_eq!(code, "not_found");
    assert!(ran.err.starts_with(&message), "both languages say the same");
}

#[test]
fn the_language_may_be_chosen_before_or_after_the_verb() {
    let home = Home::new();
    assert_eq!(home.run(&["--json", "list"]).json(), home.run(&["list", "--json"]).json());
}

#[test]
fn a_reader_that_leaves_is_no_error() {
    let home = Home::new();
    for arguments in [&["settings", "get"][..], &["--json", "settings", "get"], &["completions", "bash"]] {
        let mut child = home.start(arguments);
        drop(child.stdout.take());
        let ran = Ran::of(child);
        assert_eq!((ran.code, ran.err.as_str()), (0, ""), "{arguments:?}");
    }
}

#[test]
fn output_that_cannot_be_written_is_told_but_a_saved_issue_stays_saved() {
    let home = Home::new();
    let on_a_full_disk = |arguments: &[&str]| {
        let full = File::options().write(true).open("/dev/full").unwrap();
        let ran = Ran::of(home.command(arguments).stdout(full).spawn().unwrap());
        assert!(ran.err.starts_with("The output could not be written"), "{ran:?}");
        ran.code
    };
    assert_eq!(on_a_full_disk(&["status"]), 1);
    assert_eq!(on_a_full_disk(&["file", "--to", "Folder", "--title", "Heard of"]), 0);
    assert_eq!(home.json(&["list"]).as_array().unwrap().len(), 1);
}

#[test]
fn words_from_elsewhere_cannot_steer_a_terminal() {
    let home = Home::new();
    home.run(&[
        "file",
        "--to",
        "Folder",
        "--title",
        "Red \u{1b}[31malert\u{7}",
        "--body",
        "\u{1b}]0;owned\u{7}",
    ]);
    for arguments in [&["list"][..], &["show", "1"], &["status"]] {
        assert!(!home.run(arguments).out.contains('\u{1b}'), "{arguments:?}");
    }
}

#[test]
fn completions_know_the_verbs() {
    let home = Home::new();
    for shell in ["bash", "zsh", "fish"] {
        let ran = home.run(&["completions", shell]);
        assert_eq!((ran.code, ran.err.as_str()), (0, ""));
        for words in ["outtrayctl", "destination", "until-idle", "send-again"] {
            assert!(ran.out.contains(words), "{shell}: {words}");
        }
    }
    assert!(!home.data().exists());
}

#[test]
fn a_home_that_cannot_be_used_is_told_in_words() {
    let home = Home::new();
    std::fs::write(home.data(), "a file stands where the folder should be").unwrap();
    let [code, message, _] = home.refused(&["status"]);
    assert!(!code.is_empty() && message.ends_with('.'), "{code}: {message}");
    assert_eq!(home.run(&["doctor"]).code, 1);
}

#[test]
fn a_command_that_is_not_understood_says_so_in_the_language_asked_for() {
    let home = Home::new();
    let ran = home.run(&["file", "--title", "No destination", "--json"]);
    assert_eq!((ran.code, ran.out.as_str()), (2, ""));
    let told: serde_json::Value = serde_json::from_str(&ran.err).unwrap();
    assert_eq!(told["error"]["code"], "invalid");
    assert!(
        !told["error"]["message"].as_str().unwrap().is_empty() && !told["error"]["hint"].is_null(),
        "{told}"
    );
}
