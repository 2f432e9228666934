//! What the outbox costs, beside a bare SQLite loop and the queues that others have built, in one run on one machine.
//!
//! `./dev bench` builds everything and prints the tables that `docs/BENCHMARKS.md` keeps.
//!
//! # What is compared
//!
//! *floor-raw* is the least that a queue in SQLite can do; *floor-app* adds what an honest one needs, by hand: a unique
//! key, lanes with a cap, a token and a fence. *outtray* is the outbox through its public verbs, with the intent that
//! neither floor has. The peers run in programs of their own, since one program holds one SQLite.
//!
//! # What is asserted, and what is only printed
//!
//! Syncs for an entry, SQLite's steps for a claim, and commits that woke nobody do not depend on the machine:
//! `tests/counts.rs` asserts them. Speed does, so it is measured side by side in interleaved rounds, and printed.

pub mod child;
pub mod contest;
pub mod drain;
pub mod figures;
pub mod floor;
pub mod outbox;
pub mod peers;
pub mod person;
pub mod recovery;
pub mod steps;
pub mod syncs;
pub mod tracker;
pub mod wake;

/// What everything here returns: what goes wrong is told and ends the run.
pub type Result<T> = std::result::Result<T, Box<dyn std::error::Error + Send + Sync>>;
