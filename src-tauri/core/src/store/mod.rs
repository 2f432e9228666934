//! One SQLite database, opened well, with what stands beside it: the locks that prove who is alive and the
//! doorbell that tells other processes that something changed.
//!
//! *Authoritative*: the database. Lock files prove life and nothing else; a ring means "look again" and carries
//! nothing.
//!
//! *Connections*: one that writes and one that reads. A transaction commits with `synchronous=FULL` (what must not be
//! forgotten: drafts, enqueue, intents, settles, a person's acts) or with `NORMAL` (claims and renewals: a power cut may
//! forget them, and the boot id then frees them anyway). There is one log, so an intent that survived implies its claim did.
//!
//! *Never*: open, copy or chmod the database's files outside SQLite while this process has them open. Closing such a
//! descriptor drops SQLite's own locks, and acknowledged rows with them.

mod doorbell;
mod failure;
mod gate;
mod generation;
mod migrate;
mod open;
mod presence;
mod transaction;
mod writer;

pub(crate) use presence::leave;
pub use presence::{Dead, Presence, Rank, Watch};
pub use transaction::Transaction;

use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError, TryLockError};
use std::time::Duration;

use rusqlite::{Connection, TransactionBehavior};
use tokio::sync::watch;

use crate::clock::Now;
use crate::fault::{self, Moment};
use crate::problem::{Code, Problem, Result};
use writer::Writer;

/// How much a commit must survive.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Durability {
    /// A power cut.
    Full,
    /// The death of this process.
    Normal,
}

impl Durability {
    const fn pragma(self) -> &'static str {
        match self {
            Self::Full => "FULL",
            Self::Normal => "NORMAL",
        }
    }
}

/// Who hears of a commit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ring {
    /// Everybody: this process and the others.
    Everybody,
    /// Nobody: it changes nothing that anybody else waits for.
    Nobody,
}

/// What to do with a store that was last used on another computer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Adoption {
    /// Refuse it with `OtherMachine`: the person has to say so.
    #[default]
    No,
    /// Use it here: whatever is not filed is then in doubt, since the other computer may have sent it.
    Yes,
}

/// The schema's version that this program writes; a store may demand more.
const WRITER: i64 = 3;
/// How long a write waits for other processes' writes, unless it has less time.
const PATIENCE: Duration = Duration::from_secs(5);

/// The open store.
#[derive(Debug)]
pub struct Store {
    writer: Writer,
    reader: Mutex<Connection>,
    home: PathBuf,
    id: String,
    changes: watch::Sender<u64>,
    peers: watch::Sender<u64>,
    doorbell: doorbell::Doorbell,
    // Declared last: the lock is given up only after the last connection is closed.
    presence: Presence,
}

impl Store {
    /// Opens the store in `home`, creating what is missing, and registers this process beside it.
    ///
    /// # Errors
    /// `ReadOnly`, `DiskFull`, `TooNew`, `OtherMachine` or `Internal`, in words.
    pub fn open(home: &Path, adoption: Adoption, now: &Now) -> Result<Self> {
        open::open(home, adoption, now).map_err(|problem| {
            let hint = problem.hint.clone().unwrap_or_default();
            problem.hint(format!("{hint} The data folder is {}.", home.display()).trim().to_owned())
        })
    }

    /// The directory everything lives in.
    pub fn home(&self) -> &Path {
        &self.home
    }

    /// The store's own id.
    pub fn id(&self) -> &str {
        &self.id
    }

    /// This process, as others see it.
    pub const fn presence(&self) -> &Presence {
        &self.presence
    }

    /// Runs `act` in one immediate transaction and commits it; rings when told to. Nothing that `act` does
    /// stands when it returns an error. `name` is what the write is called where tests make it fail.
    ///
    /// # Errors
    /// Those of `act`, and what SQLite says, in words. `TooNew` when the store demands a newer writer.
    pub fn write<T>(
        &self,
        name: &'static str,
        durability: Durability,
        ring: Ring,
        act: impl FnOnce(&Transaction<'_>) -> Result<T>,
    ) -> Result<T> {
        self.write_within(name, PATIENCE, durability, ring, act)
    }

    /// As [`Store::write`], waiting no longer than `patience` for this process's other writes, and as long for those of
    /// other processes.
    ///
    /// # Errors
    /// Those of [`Store::write`]; `Busy` once the patience is over.
    pub fn write_within<T>(
        &self,
        name: &'static str,
        patience: Duration,
        durability: Durability,
        ring: Ring,
        act: impl FnOnce(&Transaction<'_>) -> Result<T>,
    ) -> Result<T> {
        fault::point(name, Moment::Before)?;
        let value = self.writer.transact(patience, durability, act)?;
        fault::point(name, Moment::After)?;
        if ring == Ring::Everybody {
            self.ring();
        }
        Ok(value)
    }

    /// Whether the store demands a newer program for writing: then it can only be looked at.
    ///
    /// # Errors
    /// What SQLite says.
    pub fn is_too_new(&self) -> Result<bool> {
        Ok(self.read(|tx| Ok(demanded_writer(tx)?))? > WRITER)
    }

    /// Runs `look` on the reading connection, in one snapshot.
    ///
    /// # Errors
    /// Those of `look`.
    pub fn read<T>(&self, look: impl FnOnce(&Transaction<'_>) -> Result<T>) -> Result<T> {
        let mut connection = lock_soon(&self.reader);
        let transaction = connection.transaction_with_behavior(TransactionBehavior::Deferred)?;
        look(&Transaction::on(&transaction))
    }

    /// Subscribes to changes of the store, whoever made them. The number rises; it means nothing else.
    pub fn changes(&self) -> watch::Receiver<u64> {
        self.changes.subscribe()
    }

    /// Says so to this process alone.
    fn stir(&self) {
        self.changes.send_modify(|count| *count += 1);
    }

    /// Says that the store changed: to this process, and to the others.
    pub fn ring(&self) {
        self.stir();
        if !fault::mistake("ring_at_no_other_door") {
            self.doorbell.ring_others(doorbell::CHANGED);
        }
    }

    /// Listens to the doorbell until the future is dropped.
    pub async fn listen(&self) {
        self.doorbell
            .listen(|tone| {
                if tone == doorbell::PEERS {
                    self.peers.send_modify(|count| *count += 1);
                }
                self.stir();
            })
            .await;
    }

    /// Subscribes to the coming of other processes.
    pub fn peers(&self) -> watch::Receiver<u64> {
        self.peers.subscribe()
    }

    /// Watches the other processes of this store for their end.
    ///
    /// # Errors
    /// What SQLite says.
    pub fn watch_peers(&self) -> Result<Watch> {
        Ok(self.presence.watch(&self.others()?))
    }

    /// Returns the other processes of this store that are proven dead.
    ///
    /// # Errors
    /// What SQLite says.
    pub fn dead_peers(&self, now: &Now) -> Result<Vec<Dead>> {
        Ok(self.presence.dead(self.others()?, now))
    }

    /// Whether no other living process has the store open.
    ///
    /// # Errors
    /// What SQLite says.
    pub fn is_alone(&self) -> Result<bool> {
        Ok(self.others()?.is_empty())
    }

    /// Begins a new generation, in which whatever is not filed is in doubt.
    ///
    /// # Errors
    /// What SQLite says.
    pub fn begin_generation(&self, now: &Now) -> Result<()> {
        self.write("begin_generation", Durability::Full, Ring::Everybody, |tx| {
            generation::begin(tx, now)?;
            Ok(presence::enter(tx, self.presence.id(), now)?)
        })
    }

    /// Brings everything into the database file itself, as far as nobody else is at it: what somebody copies once Outtray
    /// has quit is then whole without the log beside it.
    pub fn rest(&self) {
        let rested = self.writer.look(|connection| {
            // Nobody is waited for.
            connection.busy_timeout(Duration::ZERO)?;
            connection.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |row| row.get::<_, i64>(0))
        });
        if let Err(problem) = rested {
            tracing::info!(problem = problem.chain(), "the log stays beside the database");
        }
    }

    /// This process has put everything in order that it had begun, and its row is gone.
    pub fn has_left(&self) {
        self.presence.leave();
    }

    /// This process is gone from one moment to the next, as by SIGKILL. For tests.
    #[cfg(feature = "faults")]
    pub fn vanish(&self) {
        use rusqlite::config::DbConfig;
        // The kernel closes files; it does not tidy databases.
        let set = |connection: &Connection| {
            connection.set_db_config(DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, true)
        };
        let _asked = (self.writer.look(set), set(&lock(&self.reader)));
    }

    /// Looks who is dead, as when the kernel tells of the end of another process. For tests, whose processes are one.
    #[cfg(feature = "faults")]
    pub fn hear_of_a_death(&self) {
        self.peers.send_modify(|count| *count += 1);
    }

    fn others(&self) -> Result<Vec<Rank>> {
        self.read(|tx| Ok(presence::others(tx, self.presence.id())?))
    }

    /// Tells SQLite's own version number and the pragmas in force where a commit must survive a power cut.
    ///
    /// # Errors
    /// What SQLite says.
    pub fn facts(&self) -> Result<StoreFacts> {
        self.writer.look(|connection| {
            let ask = |pragma: &str| {
                connection.query_row(&format!("PRAGMA {pragma}"), [], |row| row.get::<_, i64>(0))
            };
            Ok(StoreFacts {
                sqlite: rusqlite::version().to_owned(),
                journal_mode: connection.query_row("PRAGMA journal_mode", [], |row| row.get(0))?,
                synchronous: ask("synchronous")?,
                foreign_keys: ask("foreign_keys")? == 1,
                secure_delete: ask("secure_delete")? == 1,
            })
        })
    }
}

/// What `doctor` tells of the database.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoreFacts {
    /// SQLite's version.
    pub sqlite: String,
    /// `wal`.
    pub journal_mode: String,
    /// 2 = FULL.
    pub synchronous: i64,
    /// Whether references are kept.
    pub foreign_keys: bool,
    /// Whether deleted words are overwritten.
    pub secure_delete: bool,
}

fn demanded_writer(transaction: &Transaction<'_>) -> rusqlite::Result<i64> {
    transaction.prepare_cached("SELECT min_writer FROM meta")?.query_row([], |row| row.get(0))
}

fn too_new() -> Problem {
    Problem::new(Code::TooNew, "This outbox was last used by a newer Outtray.")
        .hint("Update Outtray on this computer to go on.")
}

fn lock<T>(connection: &Mutex<T>) -> MutexGuard<'_, T> {
    // A panic inside a transaction rolls it back; the connection itself is whole.
    connection.lock().unwrap_or_else(PoisonError::into_inner)
}

/// As [`lock`]; lets other tasks go on where it takes a while.
fn lock_soon<T>(connection: &Mutex<T>) -> MutexGuard<'_, T> {
    match connection.try_lock() {
        Ok(connection) => connection,
        Err(TryLockError::Poisoned(poisoned)) => poisoned.into_inner(),
        Err(TryLockError::WouldBlock) => off_the_reactor(|| lock(connection)),
    }
}

/// Lets other tasks go on while this one waits for the disk. On a runtime of one thread, and outside of any, there is
/// nobody to make room for.
fn off_the_reactor<T>(act: impl FnOnce() -> T) -> T {
    use tokio::runtime::{Handle, RuntimeFlavor};
    match Handle::try_current().map(|handle| handle.runtime_flavor()) {
        Ok(RuntimeFlavor::MultiThread) => tokio::task::block_in_place(act),
        _ => act(),
    }
}
