//! The delivery protocol as a model: what a process, a worker, a tracker, a person and a power cut may do, each as one
//! atomic step, in any order; and after each step, whether an invariant of the protocol is broken. Within bounds *every*
//! state is visited. Then the protocol is taken apart: each rule is a switch ([`Rule`]), and the model without it has to
//! be seen breaking what the rule is for.
//!
//! # What is in it
//!
//! *The store* ([`State`]): entries with lease, stages, intents and their closes, sightings, receipt, wish, revision and
//! generation; lanes; presence. A statement of the protocol is one step. What is committed with NORMAL may be lost in a
//! power cut, all of it or nothing of it back to the last FULL commit, which keeps what came before.
//!
//! *Processes* with up to three workers that share their drain's token. A worker is at one of a few points ([`State`]
//! names them), each between two statements or on the network, and its process may be stopped, killed or cut off there.
//!
//! *Bytes* that were given to the kernel survive stop and kill. While the connection stands they may arrive at any time,
//! also after the process was stopped; once it is gone, within the quiet time, in awake time, or never. What the tracker
//! has done may be missing from its list, as long. That is what quiet time promises, and the model takes it at its word.
//!
//! *Time* is distances that shrink and grow: ticks until a lease ends, since a sender was gone. Nothing has a date, so a
//! run has no end, and still the states are finite. A running worker whose trust is over cancels before the next tick:
//! its timer has a third of the lease to fire. A worker that is between statements may be as slow as it likes, except in
//! a `prompt` run, where only who is stopped, or sleeps, is late. Backoff is no clock: an entry put off may be claimed at
//! once or much later, so any due entry of the lane may be next.
//!
//! *A person* is honest and may be early: says "It's there" only of what the tracker lists, and "Send again" only having
//! just looked and seen nothing, which late bytes may belie. The person looks and says so in one step.
//!
//! # Where it says more than the protocol's text
//!
//! Each of these was a counterexample first, and is a rule here. Without it, a test shows the counterexample.
//!
//! * [`Rule::ClearedLookEndsDoubt`]: a look that sets free ends the doubt also where a wish stands in the way of sending.
//!   Otherwise the worker stands aside, the doubt keeps the wish from being honoured, and the next worker looks again,
//!   for ever.
//! * [`Rule::SendAgainAfterQuiet`]: "nobody sends again" means the person too. Offered earlier, "Send again" makes a second
//!   issue when the first one's bytes arrive.
//! * [`Rule::DroppedWorkerIsClosed`], [`Rule::LeaveCloses`]: a process that drops its workers and lives on has to close
//!   what they had sent, at the latest when it leaves. Nobody else can: its lock is held, and later gone.
//! * [`Rule::ActsEndAttempt`]: an act that refreshes the budget ends the attempt it displaces. Otherwise the next claim
//!   counts as a takeover, and its try is not counted.
//! * [`Rule::ResendAsksBudget`]: an entry in doubt is looked for beyond its budget, but not sent beyond it.
//! * [`Rule::TakeoverEndsNothing`]: the last try is not over because its worker was displaced.
//! * [`Rule::SightingBarsAttention`]: a sighting makes an attention entry due also when it came first.
//! * [`Rule::RestoredLooksEverywhere`], [`Rule::ReceiptFromSighting`]: a restored store does not know where an entry was
//!   moved to later, so a look goes to every destination, and the receipt says where it was found.
//!
//! # What it leaves out, and where that is shown
//!
//! * *KeyFrozen* holds by construction (an entry's key is its place); the store's triggers and their tests show it.
//! * *NoTransactionAcrossNetwork* too (a statement is one step): the source shows it, no transaction awaits.
//! * *QuietWhenIdle*, *DurabilityAsSet*, *EngineFloor* are about the program: counted wake-ups, pragmas read back, the
//!   version of SQLite asked at start.
//! * The order inside a lane, backoff and jitter, rate limits and pauses, the 24 hours of a budget, disk full, corrupt
//!   stores, export and import, late duplicates that are only told: tests of the engine and the simulator.
//! * The clock is right, SQLite is, a lock is free exactly when its process has ended, and the tracker keeps to its quiet
//!   time. One test lets the tracker break that promise, to see that a sighting still bars a send.
//!
//! # How far it goes
//!
//! `tests/exhaustive.rs` says for each run how many processes, workers, entries and faults, and how many states that is;
//! `tests/mutants.rs` has a mutant for each rule; `tests/progress.rs` shows that work alone always leads to an end.

mod bounds;
mod canonical;
mod invariant;
mod machine;
mod progress;
mod rules;
mod state;
mod step;
mod visit;

pub use bounds::{Bounds, Fault};
pub use invariant::Invariant;
pub use machine::Machine;
pub use progress::{Progress, walk};
pub use rules::{Rule, Rules};
pub use state::{Answer, Standing, State};
pub use step::{Action, Ask};
pub use visit::{Visit, look_for, visit};
