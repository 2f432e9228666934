//! Who has the store open, and proof that somebody no longer has.
//!
//! Each process holds an exclusive `flock` on a file of its own in `peers/` for as long as it lives. The kernel gives
//! the lock up with the process, however it ends, so *winning an existing lock file is the proof of death*. A stopped
//! or hung process keeps its lock, and is not dead: its leases expire by the clock, and what it has sent may still
//! arrive. The lock file is made under another name, locked, and only then renamed, so nobody finds it unlocked while
//! its owner lives.

use std::fs::{DirBuilder, File, OpenOptions};
use std::os::fd::OwnedFd;
use std::os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};

use rusqlite::named_params;
use rustix::fs::{FlockOperation, flock};
use rustix::process::{Pid, PidfdFlags, pidfd_open};
use tokio::io::Interest;
use tokio::io::unix::AsyncFd;
use tokio::task::JoinSet;

use super::Transaction;
use super::failure::disk;
use crate::clock::Now;
use crate::fault::mistake;
use crate::problem::Result;

/// This process beside the store. Dropping it gives the lock up.
#[derive(Debug)]
pub struct Presence {
    id: String,
    directory: PathBuf,
    /// Whether its row is gone: only then may its lock go too.
    has_left: AtomicBool,
    _lock: File,
}

/// Another process, as its row tells.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rank {
    /// Its token.
    pub id: String,
    /// Its process id.
    pub pid: u32,
    /// The boot it lives in.
    pub boot_id: String,
}

impl Presence {
    pub(super) fn register(home: &Path) -> Result<Self> {
        let directory = home.join("peers");
        DirBuilder::new()
            .recursive(true)
            .mode(0o700)
            .create(&directory)
            .map_err(|error| disk("Outtray’s data folder", error))?;
        let id = uuid::Uuid::new_v4().simple().to_string();
        let making = directory.join(format!("{id}.new"));
        let lock = OpenOptions::new()
            .create_new(true)
            .write(true)
            .mode(0o600)
            .open(&making)
            .map_err(|error| disk("Outtray’s data folder", error))?;
        flock(&lock, FlockOperation::NonBlockingLockExclusive)
            .map_err(|error| disk("Outtray’s data folder", error.into()))?;
        std::fs::rename(&making, directory.join(format!("{id}.lock")))
            .map_err(|error| disk("Outtray’s data folder", error))?;
        Ok(Self { id, directory, has_left: AtomicBool::new(false), _lock: lock })
    }

    /// The token that names this process on leases and intents.
    pub fn id(&self) -> &str {
        &self.id
    }

    /// Its row is gone, and everything that it had begun is put in order: nobody needs to prove it dead.
    pub(super) fn leave(&self) {
        self.has_left.store(true, Ordering::SeqCst);
        // Now and not with the last breath: a process may end without one.
        self.clear();
    }

    fn clear(&self) {
        for what in ["lock", "bell"] {
            let _gone = std::fs::remove_file(self.directory.join(format!("{}.{what}", self.id)));
        }
    }

    pub(super) fn directory(&self) -> &Path {
        &self.directory
    }

    /// Watches `others` for their end. A process that cannot be watched (gone already, or of another namespace) is
    /// left to the next look at the locks.
    pub(super) fn watch(&self, others: &[Rank]) -> Watch {
        let mut ends = JoinSet::new();
        for peer in others.iter().filter(|peer| peer.pid != std::process::id()) {
            let pid = i32::try_from(peer.pid).ok().and_then(Pid::from_raw);
            if let Some(Ok(process)) = pid.map(|pid| pidfd_open(pid, PidfdFlags::NONBLOCK)) {
                ends.spawn(ended(process));
            }
        }
        Watch(ends)
    }

    /// Returns those of `others` whose death is proven. Each keeps the lock it won until it is dropped, so that one
    /// process buries it.
    pub(super) fn dead(&self, others: Vec<Rank>, now: &Now) -> Vec<Dead> {
        let proven = |rank: Rank| {
            let file = self.directory.join(format!("{}.lock", rank.id));
            let bell = self.directory.join(format!("{}.bell", rank.id));
            let lock = win(&file);
            // A boot that is over took its processes with it.
            let over = rank.boot_id != *now.boot_id;
            (lock.is_some() || over || mistake("bury_without_winning_the_lock")).then_some(Dead {
                rank,
                litter: [file, bell],
                _lock: lock,
            })
        };
        others.into_iter().filter_map(proven).collect()
    }
}

/// The ends of other processes.
#[derive(Debug)]
pub struct Watch(JoinSet<()>);

impl Watch {
    /// Returns when one of them has ended; with none to watch, never.
    pub async fn gone(&mut self) {
        if self.0.join_next().await.is_none() {
            std::future::pending::<()>().await;
        }
    }
}

/// A process that is proven dead.
#[derive(Debug)]
pub struct Dead {
    rank: Rank,
    litter: [PathBuf; 2],
    _lock: Option<File>,
}

impl Dead {
    /// Who it was.
    pub const fn rank(&self) -> &Rank {
        &self.rank
    }

    /// Takes away its lock file and its doorbell, once its row is gone.
    pub fn clear(self) {
        for path in &self.litter {
            let _gone = std::fs::remove_file(path);
        }
    }
}

impl Drop for Presence {
    fn drop(&mut self) {
        // A row without a lock file would be that of a process that nobody can prove dead. So unless it has left in good
        // order, the file stays, and whoever wins it buries what is left.
        if self.has_left.load(Ordering::SeqCst) {
            self.clear();
        }
    }
}

/// Waits for the end of a process; its descriptor turns readable then.
async fn ended(process: OwnedFd) {
    // Marked deprecated for types that could give their descriptor away while registered; an owned one cannot.
    #[allow(deprecated)]
    if let Ok(process) = AsyncFd::with_interest(process, Interest::READABLE) {
        let _ended = process.readable().await;
    } else {
        std::future::pending::<()>().await;
    }
}

/// Wins an existing lock file, or not. A file that was replaced meanwhile proves nothing.
fn win(path: &Path) -> Option<File> {
    let file = OpenOptions::new()
        .write(true)
        .custom_flags(rustix::fs::OFlags::NOFOLLOW.bits().cast_signed())
        .open(path)
        .ok()?;
    flock(&file, FlockOperation::NonBlockingLockExclusive).ok()?;
    let (held, named) = (file.metadata().ok()?, std::fs::metadata(path).ok()?);
    (held.ino() == named.ino() && held.dev() == named.dev()).then_some(file)
}

/// Writes this process's row.
pub(super) fn enter(transaction: &Transaction<'_>, id: &str, now: &Now) -> rusqlite::Result<()> {
    transaction
        .prepare_cached(
            "INSERT INTO presence (id, pid, boot_id, started_at_ms) VALUES (:id, :pid, :boot_id, :started_at_ms)",
        )?
        .execute(named_params! {
            ":id": id, ":pid": std::process::id(), ":boot_id": &*now.boot_id, ":started_at_ms": now.wall_ms,
        })?;
    Ok(())
}

/// Takes a process's row away.
pub(crate) fn leave(transaction: &Transaction<'_>, id: &str) -> rusqlite::Result<()> {
    transaction.prepare_cached("DELETE FROM presence WHERE id = :id")?.execute(named_params! {":id": id})?;
    Ok(())
}

/// Returns everybody but `id`.
pub(super) fn others(transaction: &Transaction<'_>, id: &str) -> rusqlite::Result<Vec<Rank>> {
    transaction
        .prepare_cached("SELECT id, pid, boot_id FROM presence WHERE id <> :id ORDER BY started_at_ms, id")?
        .query_map(named_params! {":id": id}, |row| {
            Ok(Rank { id: row.get(0)?, pid: row.get(1)?, boot_id: row.get(2)? })
        })?
        .collect()
}
