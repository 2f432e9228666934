//! From COMMIT in one process to the claim in another: how long it takes, and whether one is ever missed.

use std::path::Path;
use std::time::{Duration, Instant};

use rusqlite::Connection;
use tempfile::TempDir;

use crate::Result;
use crate::child::Process;
use crate::figures::{Figures, micros};
use crate::outbox::Ours;
use crate::tracker::Answers;

/// A claim that has not come by then was missed.
const MISSED: Duration = Duration::from_secs(1);

/// What came of many commits.
#[derive(Debug, Clone, Default)]
pub struct Wakes {
    /// From after COMMIT, before the bell is rung, until the claim can be read: microseconds.
    pub took: Figures,
    /// Commits that no claim followed.
    pub missed: u32,
}

/// Commits `count` entries, each at a moment of its own, and watches the other process claim them. `program` is the bench.
///
/// # Errors
/// What the store says.
pub fn measure(program: &Path, count: u32) -> Result<Wakes> {
    let folder = TempDir::new()?;
    let home = folder.path().join("outtray");
    let ours = Ours::open(&home, 1)?;
    let process = Process::serve(program, &home, Answers::After(Duration::ZERO))?;
    let watcher = Watcher::open(&home)?;
    let mut chance = fastrand::Rng::with_seed(1);
    let mut wakes = Wakes::default();
    // The first one waits for the other process to have started.
    for turn in 0..=count {
        let entry = ours.seed(1, 1)?;
        let committed = Instant::now();
        ours.outbox.store().ring();
        match watcher.until(entry, "claim_token IS NOT NULL OR state = 'filed'", MISSED)? {
            Some(claimed) if turn > 0 => wakes.took.add(micros(claimed - committed)),
            Some(_) => {}
            None => {
                wakes.missed += u32::from(turn > 0);
                ours.outbox.store().ring();
            }
        }
        watcher.until(entry, "state = 'filed'", 10 * MISSED)?.ok_or("an entry was not filed")?;
        // Sometimes the other process still looks around, sometimes it sleeps.
        std::thread::sleep(Duration::from_micros(chance.u64(0..1_500)));
    }
    process.quit()?;
    Ok(wakes)
}

/// Reads one entry over and over: sees a change the moment it is committed.
pub struct Watcher(Connection);

impl Watcher {
    /// Watches the store in `home`.
    ///
    /// # Errors
    /// What SQLite says.
    pub fn open(home: &Path) -> Result<Self> {
        let connection = Connection::open(home.join("outtray.db"))?;
        connection.busy_timeout(MISSED)?;
        Ok(Self(connection))
    }

    /// Waits until `condition` holds of the entry; returns when that was, or nothing when it took longer than `most`.
    ///
    /// # Errors
    /// What SQLite says.
    pub fn until(&self, entry: i64, condition: &str, most: Duration) -> Result<Option<Instant>> {
        let mut asked = self.0.prepare_cached(&format!("SELECT {condition} FROM entry WHERE id = ?1"))?;
        let began = Instant::now();
        while began.elapsed() < most {
            if asked.query_row([entry], |row| row.get(0))? {
                return Ok(Some(Instant::now()));
            }
            std::thread::yield_now();
        }
        Ok(None)
    }

    /// Who holds the entry.
    ///
    /// # Errors
    /// What SQLite says.
    pub fn owner(&self, entry: i64) -> Result<String> {
        Ok(self.0.query_row("SELECT coalesce(lease_owner, '') FROM entry WHERE id = ?1", [entry], |row| {
            row.get(0)
        })?)
    }
}
