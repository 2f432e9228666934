//! The floors: the least that SQLite asks of any queue. One connection behind a lock, as a queue inside one process has it.

use std::path::Path;
use std::sync::{Mutex, MutexGuard, PoisonError};

use rusqlite::{Connection, OptionalExtension, TransactionBehavior, params};

use crate::Result;

/// How many lanes there are, in floor-app and in ours.
pub const LANES: u32 = 4;
const LEASE_MS: i64 = 30_000;

/// A queue that a loop can be run over.
pub trait Queue: Sync {
    /// Saves one entry; durable when it returns.
    ///
    /// # Errors
    /// What the store says.
    fn enqueue(&self, number: u32, payload: &str) -> Result<()>;

    /// Claims one entry and completes it; says whether there was one.
    ///
    /// # Errors
    /// What the store says.
    fn deliver(&self, workers: u32) -> Result<bool>;
}

/// A bare loop: no key, no lane, no cap, no fence.
pub struct Raw(Mutex<Connection>);

/// The same with a unique key, lanes with a cap, a token and a fence.
pub struct App {
    connection: Mutex<Connection>,
    intents: Intents,
}

/// Whether an intent is committed between the claim and the end: what somebody needs who sends in between.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Intents {
    /// It is.
    With,
    /// It is not.
    Without,
}

fn open(path: &Path, synchronous: &str, schema: &str) -> Result<Mutex<Connection>> {
    let connection = Connection::open(path)?;
    connection.query_row("PRAGMA journal_mode = WAL", [], |row| row.get::<_, String>(0))?;
    connection.execute_batch(&format!("PRAGMA synchronous = {synchronous}"))?;
    connection.execute_batch(schema)?;
    connection.set_prepared_statement_cache_capacity(64);
    Ok(Mutex::new(connection))
}

fn lock(connection: &Mutex<Connection>) -> MutexGuard<'_, Connection> {
    connection.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Raw {
    /// Makes one at `path`.
    ///
    /// # Errors
    /// What SQLite says.
    pub fn open(path: &Path, synchronous: &str) -> Result<Self> {
        let schema = "CREATE TABLE entry (id INTEGER PRIMARY KEY, state INTEGER NOT NULL DEFAULT 0, payload TEXT NOT NULL) STRICT;
            CREATE INDEX entry_ready ON entry (id) WHERE state = 0;";
        Ok(Self(open(path, synchronous, schema)?))
    }
}

impl Queue for Raw {
    fn enqueue(&self, _number: u32, payload: &str) -> Result<()> {
        lock(&self.0).prepare_cached("INSERT INTO entry (payload) VALUES (?1)")?.execute([payload])?;
        Ok(())
    }

    fn deliver(&self, _workers: u32) -> Result<bool> {
        let claimed: Option<i64> = lock(&self.0)
            .prepare_cached(
                "UPDATE entry SET state = 1 WHERE id = (SELECT min(id) FROM entry INDEXED BY entry_ready WHERE state = 0)
                 RETURNING id, payload",
            )?
            .query_row([], |row| row.get(0))
            .optional()?;
        let Some(id) = claimed else { return Ok(false) };
        lock(&self.0).prepare_cached("UPDATE entry SET state = 2 WHERE id = ?1")?.execute([id])?;
        Ok(true)
    }
}

impl App {
    /// Makes one at `path`.
    ///
    /// # Errors
    /// What SQLite says.
    pub fn open(path: &Path, synchronous: &str, intents: Intents) -> Result<Self> {
        let schema = "CREATE TABLE counter (one INTEGER PRIMARY KEY CHECK (one = 1), fence INTEGER NOT NULL) STRICT;
            INSERT INTO counter VALUES (1, 0);
            CREATE TABLE lane (id INTEGER PRIMARY KEY, served INTEGER NOT NULL DEFAULT 0) STRICT;
            CREATE INDEX lane_order ON lane (served, id);
            CREATE TABLE entry (id INTEGER PRIMARY KEY, key TEXT NOT NULL UNIQUE, lane INTEGER NOT NULL REFERENCES lane (id),
              state TEXT NOT NULL DEFAULT 'waiting', token TEXT, fence INTEGER NOT NULL DEFAULT 0, until_ms INTEGER,
              sent INTEGER, payload TEXT NOT NULL, CHECK ((token IS NULL) = (until_ms IS NULL))) STRICT;
            CREATE INDEX entry_ready ON entry (lane, id) WHERE state = 'waiting' AND token IS NULL;
            CREATE INDEX entry_leased ON entry (lane) WHERE token IS NOT NULL;";
        let app = Self { connection: open(path, synchronous, schema)?, intents };
        for lane in 1..=LANES {
            lock(&app.connection).execute("INSERT INTO lane (id) VALUES (?1)", [lane])?;
        }
        Ok(app)
    }

    fn claim(&self, workers: u32) -> Result<Option<(i64, i64)>> {
        let mut connection = lock(&self.connection);
        let tx = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
        let mut chosen = None;
        {
            let mut lanes = tx.prepare_cached("SELECT id FROM lane ORDER BY served, id")?;
            let mut lanes = lanes.query([])?;
            while let Some(lane) = lanes.next()? {
                let lane: i64 = lane.get(0)?;
                let in_hand: u32 = tx
                    .prepare_cached("SELECT count(*) FROM entry INDEXED BY entry_leased WHERE token IS NOT NULL AND lane = ?1")?
                    .query_row([lane], |row| row.get(0))?;
                if in_hand >= workers.saturating_sub(1).max(1) {
                    continue;
                }
                let oldest: Option<i64> = tx
                    .prepare_cached(
                        "SELECT id FROM entry INDEXED BY entry_ready
                         WHERE lane = ?1 AND state = 'waiting' AND token IS NULL ORDER BY id LIMIT 1",
                    )?
                    .query_row([lane], |row| row.get(0))
                    .optional()?;
                if let Some(entry) = oldest {
                    chosen = Some((entry, lane));
                    break;
                }
            }
        }
        let Some((entry, lane)) = chosen else { return Ok(None) };
        let fence: i64 = tx
            .prepare_cached("UPDATE counter SET fence = fence + 1 RETURNING fence")?
            .query_row([], |row| row.get(0))?;
        tx.prepare_cached(
            "UPDATE entry SET token = 'drain', fence = ?2, until_ms = ?3 WHERE id = ?1 RETURNING payload",
        )?
        .query_row(params![entry, fence, fence + LEASE_MS], |row| row.get::<_, String>(0))?;
        tx.prepare_cached("UPDATE lane SET served = ?2 WHERE id = ?1")?.execute([lane, fence])?;
        tx.commit()?;
        Ok(Some((entry, fence)))
    }
}

impl Queue for App {
    fn enqueue(&self, number: u32, payload: &str) -> Result<()> {
        lock(&self.connection)
            .prepare_cached("INSERT INTO entry (key, lane, payload) VALUES (?1, ?2, ?3)")?
            .execute(params![format!("{number:032x}"), number % LANES + 1, payload])?;
        Ok(())
    }

    fn deliver(&self, workers: u32) -> Result<bool> {
        let Some((entry, fence)) = self.claim(workers)? else { return Ok(false) };
        if self.intents == Intents::With {
            lock(&self.connection)
                .prepare_cached(
                    "UPDATE entry SET sent = ?2 WHERE id = ?1 AND token = 'drain' AND fence = ?2",
                )?
                .execute([entry, fence])?;
        }
        let completed = lock(&self.connection)
            .prepare_cached(
                "UPDATE entry SET state = 'done', token = NULL, until_ms = NULL
                 WHERE id = ?1 AND token = 'drain' AND fence = ?2",
            )?
            .execute([entry, fence])?;
        if completed == 1 { Ok(true) } else { Err("a fence that nobody else took is stale".into()) }
    }
}
