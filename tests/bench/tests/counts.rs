//! What does not depend on the machine: syncs for an entry, SQLite's steps for a claim, commits that woke nobody.

#![allow(clippy::unwrap_used, reason = "a test that cannot measure has failed, and says what it saw")]

use std::path::Path;
use std::time::Duration;

use outtray_bench::child::PICTURE;
use outtray_bench::{person, steps, syncs, wake};

const STRACE: &str = "strace is needed; ./dev test brings it";

fn program() -> &'static Path {
    Path::new(env!("CARGO_BIN_EXE_bench"))
}

#[test]
fn a_claim_costs_the_same_however_many_wait() {
    let few = steps::per_claim(100, 4).unwrap();
    assert!(
        few > 50,
        "the steps of {few} are not those of a claim: are its statements read from the source?"
    );
    for waiting in [1_000, 100_000] {
        let many = steps::per_claim(waiting, 4).unwrap();
        assert!(many * 100 <= few * 110, "{many} steps with {waiting} waiting, {few} with 100");
    }
}

#[test]
fn a_claim_costs_nearly_the_same_with_a_thousand_lanes() {
    let (few, many) = (steps::per_claim(10_000, 4).unwrap(), steps::per_claim(10_000, 1_000).unwrap());
    assert!(many * 100 <= few * 125, "{many} steps with 1,000 lanes, {few} with four");
}

#[test]
fn no_commit_in_another_process_is_missed() {
    let wakes = wake::measure(program(), 300).unwrap();
    assert_eq!((wakes.missed, wakes.took.count()), (0, 300));
}

#[test]
#[ignore = "long: ./dev chaos"]
fn no_commit_in_another_process_is_missed_in_a_hundred_thousand() {
    let wakes = wake::measure(program(), 100_000).unwrap();
    assert_eq!((wakes.missed, wakes.took.count()), (0, 100_000));
}

#[test]
fn an_entry_syncs_no_more_often_than_it_must() {
    assert!(syncs::can_count(), "{STRACE}");
    let (text, picture) =
        (syncs::per_entry(program(), 0).unwrap(), syncs::per_entry(program(), PICTURE).unwrap());
    assert!(text.all() <= 4.0, "{text:?}");
    assert!(picture.all() <= 8.0, "{picture:?}");
}

#[test]
fn an_idle_outtray_neither_wakes_nor_reads() {
    assert!(syncs::can_count(), "{STRACE}");
    let idle = person::idle(program(), Duration::from_secs(3)).unwrap();
    assert_eq!(idle, person::Idle { calls: 0, of_the_database: 0 }, "QuietWhenIdle");
}
