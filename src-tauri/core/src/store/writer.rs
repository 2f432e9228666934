//! The connection that writes, and the threads of this process that share it.
//!
//! *One connection*, whatever a commit must survive: two would each forget what they had read whenever the other wrote.
//!
//! *Turns*: a thread writes when it has the turn. A gate gives it, not SQLite, which would have threads of one process wait
//! for each other by sleeping.
//!
//! *One wait for the disk*: a commit that must survive a power cut takes as long as the disk does. A thread that has
//! written while others wait leaves its transaction open for them, and the last one commits for all. Nobody's write
//! returns before that commit has: each is as durable as it asked, and none is seen before it is.
//!
//! *Failure*: what one of them cannot do is undone alone. A commit that fails has failed for all that are in it. The turn
//! is passed on in one step with the question whether anybody waits for it, so nothing stays open that nobody ends.

use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use rusqlite::{Connection, ErrorCode};

use super::failure::busy;
use super::gate::{Gate, Turn};
use super::transaction::Transaction;
use super::{Durability, WRITER, demanded_writer, off_the_reactor, open, too_new};
use crate::fault::mistake;
use crate::problem::{Code, Problem, Result};

/// So many acts share one commit at most: the first of them waits for the last.
const MOST: u32 = 8;
/// How long somebody waits who only looks.
const LONGEST: Duration = Duration::from_secs(10);

#[derive(Debug)]
pub(super) struct Writer {
    gate: Gate,
    state: Mutex<State>,
}

#[derive(Debug)]
struct State {
    home: PathBuf,
    connection: Connection,
    durability: Durability,
    /// What was left open for the next thread, and how many acts are in it.
    open: Option<(Arc<Commit>, u32)>,
}

/// A commit that several wait for.
#[derive(Debug, Default)]
struct Commit {
    outcome: Mutex<Option<std::result::Result<(), Problem>>>,
    known: Condvar,
}

impl Writer {
    /// Writes through `connection`, which opened the database in `home` and waits for the disk.
    pub(super) fn new(home: &Path, connection: Connection) -> Self {
        let state = State { home: home.to_owned(), connection, durability: Durability::Full, open: None };
        Self { gate: Gate::default(), state: Mutex::new(state) }
    }

    /// Runs `act` in a transaction, and returns once that is committed. Waits no longer than `patience` for the turn, and
    /// as long for other processes.
    pub(super) fn transact<T>(
        &self,
        patience: Duration,
        durability: Durability,
        act: impl FnOnce(&Transaction<'_>) -> Result<T>,
    ) -> Result<T> {
        // What waits for no disk makes room for other tasks only where it has to wait for other threads.
        if durability == Durability::Normal
            && let Some(turn) = self.gate.try_enter()
        {
            return if self.is_open() {
                off_the_reactor(|| self.take(turn, patience, durability, act))
            } else {
                self.take(turn, patience, durability, act)
            };
        }
        off_the_reactor(|| {
            // Nobody who wants no disk is left to wait for it in another's stead.
            let turn = self.gate.enter(patience, durability == Durability::Full).ok_or_else(busy)?;
            self.take(turn, patience, durability, act)
        })
    }

    /// Looks at the connection, set for commits that survive a power cut.
    pub(super) fn look<T>(&self, look: impl FnOnce(&Connection) -> rusqlite::Result<T>) -> Result<T> {
        off_the_reactor(|| {
            let _turn = self.gate.enter(LONGEST, true).ok_or_else(busy)?;
            let mut state = lock(&self.state);
            state.end_open();
            state.set(Durability::Full)?;
            Ok(look(&state.connection)?)
        })
    }

    fn is_open(&self) -> bool {
        lock(&self.state).open.is_some()
    }

    fn take<T>(
        &self,
        turn: Turn<'_>,
        patience: Duration,
        durability: Durability,
        act: impl FnOnce(&Transaction<'_>) -> Result<T>,
    ) -> Result<T> {
        let mut state = lock(&self.state);
        let done = state.act(patience, durability, act)?;
        let is_full = durability == Durability::Full || state.open.is_some();
        let acts = state.open.as_ref().map_or(0, |(_, acts)| *acts) + 1;
        if !is_full || acts == MOST {
            return state.commit().map(|()| done);
        }
        let commit = state.leave_open(acts);
        match turn.pass_on() {
            Ok(()) => {
                drop(state);
                if mistake("return_before_the_commit") {
                    return Ok(done);
                }
                match durability {
                    Durability::Full => commit.wait(),
                    // A lease does not wait for a disk: whoever claims or renews reads again what has become of it.
                    Durability::Normal => commit.wait_for(patience),
                }
            }
            // Nobody else is coming.
            Err(_turn) => state.commit(),
        }
        .map(|()| done)
    }
}

impl State {
    fn set(&mut self, durability: Durability) -> rusqlite::Result<()> {
        if self.durability != durability {
            self.connection.pragma_update(None, "synchronous", durability.pragma())?;
            self.durability = durability;
        }
        Ok(())
    }

    /// Runs one act, in what was left open or in a transaction of its own. When it returns an error nothing of the act
    /// stands, and others that are in the same transaction are as they were.
    fn act<T>(
        &mut self,
        patience: Duration,
        durability: Durability,
        act: impl FnOnce(&Transaction<'_>) -> Result<T>,
    ) -> Result<T> {
        let joins = self.open.is_some();
        let begun = if joins { self.run("SAVEPOINT act") } else { self.begin(patience, durability) };
        if let Err(problem) = begun {
            if joins {
                // Nothing of this act is in it, and the others need not wait.
                self.end_open();
            } else if !self.connection.is_autocommit() {
                self.undo(&problem);
            }
            return Err(problem);
        }
        let ended = catch_unwind(AssertUnwindSafe(|| {
            let transaction = Transaction::on(&self.connection);
            if !joins && demanded_writer(&transaction)? > WRITER {
                return Err(too_new());
            }
            act(&transaction)
        }));
        let is_well = matches!(ended, Ok(Ok(_)));
        // SQLite may have undone everything by itself, as when the disk is full.
        if self.connection.is_autocommit() {
            let problem = || match &ended {
                Ok(Err(problem)) => problem.again(),
                _ => Problem::new(Code::Internal, "The outbox could not be written."),
            };
            self.tell(Err(problem()));
            return match ended {
                Ok(Err(problem)) => Err(problem),
                Ok(Ok(_)) => Err(problem()),
                Err(panic) => resume_unwind(panic),
            };
        }
        let settled = match (joins, is_well) {
            (true, true) => self.run("RELEASE act"),
            (true, false) if mistake("keep_what_was_refused") => self.run("RELEASE act"),
            (true, false) => self.run("ROLLBACK TO act").and_then(|()| self.run("RELEASE act")),
            (false, true) => Ok(()),
            (false, false) => self.run("ROLLBACK"),
        };
        if let Err(problem) = &settled {
            self.undo(problem);
        } else if joins && !is_well {
            // The others need not wait for somebody who is not coming.
            self.end_open();
        }
        match ended {
            Ok(done) => done.and_then(|done| settled.map(|()| done)),
            Err(panic) => resume_unwind(panic),
        }
    }

    /// Undoes whatever is open, for everybody in it.
    fn undo(&mut self, problem: &Problem) {
        if !self.connection.is_autocommit() {
            let _undone = self.run("ROLLBACK");
        }
        self.tell(if mistake("praise_a_failed_commit") { Ok(()) } else { Err(problem.again()) });
        // Nothing more is asked of a connection that may not be what it seems.
        if problem.code != Code::Busy
            && let Ok(fresh) = open::connect(&self.home, self.durability.pragma())
        {
            self.connection = fresh;
        }
    }

    /// Begins: at once where nobody else writes, else within `patience`.
    fn begin(&mut self, patience: Duration, durability: Durability) -> Result<()> {
        if !self.connection.is_autocommit() {
            self.run("ROLLBACK")?;
        }
        self.set(durability)?;
        let begin = || self.connection.prepare_cached("BEGIN IMMEDIATE")?.execute([]).map(drop);
        self.connection.busy_timeout(Duration::ZERO)?;
        let begun = begin();
        self.connection.busy_timeout(patience)?;
        match begun {
            Err(error) if error.sqlite_error_code() == Some(ErrorCode::DatabaseBusy) => {
                off_the_reactor(begin)?;
            }
            begun => begun?,
        }
        Ok(())
    }

    fn run(&self, statement: &str) -> Result<()> {
        self.connection.prepare_cached(statement)?.execute([])?;
        Ok(())
    }

    fn leave_open(&mut self, acts: u32) -> Arc<Commit> {
        let commit = self.open.take().map_or_else(Arc::default, |(commit, _)| commit);
        self.open = Some((Arc::clone(&commit), acts));
        commit
    }

    /// Commits what was left open, if anything was: nobody else is coming.
    fn end_open(&mut self) {
        if self.open.is_some() {
            // Those who wait for it are told.
            let _told = self.commit();
        }
    }

    fn commit(&mut self) -> Result<()> {
        let committed = self.run("COMMIT");
        match &committed {
            Ok(()) => self.tell(Ok(())),
            // Whether it stands cannot be known from here: whoever wrote reads the state again, by its token.
            Err(problem) => self.undo(problem),
        }
        committed
    }

    /// Tells everybody who waits for the open transaction what became of it.
    fn tell(&mut self, outcome: std::result::Result<(), Problem>) {
        if let Some((commit, _)) = self.open.take() {
            *lock(&commit.outcome) = Some(outcome);
            commit.known.notify_all();
        }
    }
}

impl Commit {
    fn wait(&self) -> Result<()> {
        let outcome = lock(&self.outcome);
        let outcome = self.known.wait_while(outcome, |outcome| outcome.is_none());
        told(&outcome.unwrap_or_else(PoisonError::into_inner))
    }

    fn wait_for(&self, patience: Duration) -> Result<()> {
        let outcome = lock(&self.outcome);
        let outcome = self.known.wait_timeout_while(outcome, patience, |outcome| outcome.is_none());
        told(&outcome.unwrap_or_else(PoisonError::into_inner).0)
    }
}

fn told(outcome: &Option<std::result::Result<(), Problem>>) -> Result<()> {
    match outcome {
        Some(Ok(())) => Ok(()),
        Some(Err(problem)) => Err(problem.again()),
        None => Err(busy()),
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    // What a panic interrupts is put in order before it goes on.
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
