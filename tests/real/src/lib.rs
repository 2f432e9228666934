//! Servers that others made, started for a test and ended with it, by their process.
//!
//! `./dev test` brings what they need on a Debian or Ubuntu and sets `OUTTRAY_REAL`: then a test that cannot run has
//! failed. Elsewhere it says why it does not run, and passes.

#![forbid(unsafe_code)]

pub mod emulate;
pub mod nginx;
pub mod process;
pub mod redmine;
pub mod specification;

use std::path::PathBuf;

/// Where `./dev` puts what it has brought.
pub fn brought() -> PathBuf {
    let target = std::env::var_os("CARGO_TARGET_DIR").map(PathBuf::from);
    target.unwrap_or_else(|| PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../../target"))).join("real")
}

/// What is there, or nothing where it need not be. Says why.
///
/// # Panics
/// When it has to be there.
pub fn need<T>(what: &str, found: Option<T>) -> Option<T> {
    if found.is_none() {
        assert!(std::env::var_os("OUTTRAY_REAL").is_none(), "{what} is missing, and it has to be there");
        // Seen with `--nocapture`.
        say(&format!("skipped: {what} is not here; ./dev test brings it on a Debian or Ubuntu"));
    }
    found
}

#[allow(clippy::print_stderr, reason = "a test that does not run says so")]
fn say(words: &str) {
    eprintln!("{words}");
}
