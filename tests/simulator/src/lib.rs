//! The production engine and the production SQL on real SQLite, under a virtual clock, with seeded chance and a tracker
//! that loses answers, commits late and lists late. Processes stop, go on, and die between any two statements; the
//! machine sleeps, loses its power and starts again; a person does what persons do.
//!
//! One seed is one history, and replays alike: `cargo run -p outtray-simulator -- --seed 17`.
//!
//! # What is real and what is not
//!
//! Real: the drainer with its workers and renewals, the outbox, every statement, the locks beside the store, SQLite with
//! its log. Not real: time, the network, the trackers, the doorbell's socket (a ring is delivered at the next step, or
//! lost with its ringer), and the death of a process, which is its connections closed by the kernel and its lock given up.
//!
//! # What the tracker may do
//!
//! Whatever was handed to the kernel may arrive, also after the sender was stopped, killed or put to sleep; what arrived
//! may be committed late and listed later still. The bound is the protocol's own: once the sender is gone, everything has
//! happened and shows within the tracker's quiet time, counted while the machine is awake.
//!
//! # What is checked
//!
//! After every step, by SQL and against the tracker's own books: at most one issue and one copy of each file per key, at
//! most three leases a process, no attention but for a named reason. At the end, when all faults have ceased: every entry
//! is filed once, with its files, or needs the person for a named reason, or was withdrawn and never arrived.

mod check;
mod clock;
mod history;
mod machine;
mod process;
pub mod scene;
mod tracker;

pub use history::{Outcome, Size, replay, run};
