//! What the app's program says to whoever types it, on a machine without a desktop and without a home.

#![allow(clippy::expect_used)]

use std::process::{Command, Output};

fn typed(words: &[&str]) -> Output {
    let home = tempfile::tempdir().expect("a directory");
    let output = Command::new(env!("CARGO_BIN_EXE_outtray"))
        .args(words)
        .env_clear()
        .env("OUTTRAY_HOME", home.path())
        .output()
        .expect("it can be started");
    let left = std::fs::read_dir(home.path()).expect("a directory").count();
    assert_eq!(left, 0, "{words:?} touches no store");
    output
}

#[test]
fn help_and_version_are_told_without_a_display() {
    for word in ["--help", "-h"] {
        let help = typed(&[word]);
        assert_eq!(help.status.code(), Some(0));
        let said = String::from_utf8_lossy(&help.stdout);
        assert!(said.starts_with("Usage: outtray") && said.contains("--capture"), "{said}");
        assert_eq!(String::from_utf8_lossy(&help.stderr), "");
    }
    let version = typed(&["--version"]);
    let expected = format!("outtray {}\n", env!("CARGO_PKG_VERSION"));
    assert_eq!((version.status.code(), String::from_utf8_lossy(&version.stdout)), (Some(0), expected.into()));
}

#[test]
fn a_word_that_is_not_known_starts_nothing() {
    for words in [&["--nwe"][..], &["new"], &["--new", "--capture"], &[""]] {
        let refused = typed(words);
        assert_eq!(refused.status.code(), Some(2), "{words:?}");
        assert_eq!(refused.stdout, b"");
        assert!(String::from_utf8_lossy(&refused.stderr).contains("Usage: outtray"), "{words:?}");
    }
}
