//! What destinations offer to choose from, and the titles that are known.

use rusqlite::{OptionalExtension, named_params};

use super::rows;
use crate::clock::Now;
use crate::issue::{Part, Receipt};
use crate::store::Transaction;
use crate::view::EntryState;

/// One part, as it was last read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Kept {
    /// Which.
    pub part: Part,
    /// A list, as JSON.
    pub json: Option<String>,
    /// When it was read, wall.
    pub fetched_at_ms: Option<i64>,
    /// When somebody last tried to, wall.
    pub tried_at_ms: i64,
    /// Why that did not work.
    pub failure: Option<String>,
}

/// Everything that is kept of a destination.
pub fn all(tx: &Transaction<'_>, destination: i64) -> rusqlite::Result<Vec<Kept>> {
    tx.prepare_cached(
        "SELECT what, json, fetched_at_ms, tried_at_ms, failure FROM catalogue WHERE destination = :destination",
    )?
    .query_map(named_params! {":destination": destination}, |row| {
        Ok(Kept {
            part: rows::part(row, 0)?,
            json: row.get(1)?,
            fetched_at_ms: row.get(2)?,
            tried_at_ms: row.get(3)?,
            failure: row.get(4)?,
        })
    })?
    .collect()
}

/// Keeps a part that was read.
pub fn keep(
    tx: &Transaction<'_>,
    destination: i64,
    part: Part,
    json: &str,
    now: &Now,
) -> rusqlite::Result<()> {
    tx.prepare_cached(
        "INSERT INTO catalogue (destination, what, json, fetched_at_ms, tried_at_ms)
         VALUES (:destination, :what, :json, :wall, :wall)
         ON CONFLICT DO UPDATE SET json = excluded.json, fetched_at_ms = excluded.fetched_at_ms,
           tried_at_ms = excluded.tried_at_ms, failure = NULL",
    )?
    .execute(named_params! {
        ":destination": destination, ":what": part.word(), ":json": json, ":wall": now.wall_ms,
    })?;
    Ok(())
}

/// Notes that a part could not be read; what was kept of it stays.
pub fn fail(
    tx: &Transaction<'_>,
    destination: i64,
    part: Part,
    words: &str,
    now: &Now,
) -> rusqlite::Result<()> {
    tx.prepare_cached(
        "INSERT INTO catalogue (destination, what, tried_at_ms, failure) VALUES (:destination, :what, :wall, :words)
         ON CONFLICT DO UPDATE SET tried_at_ms = excluded.tried_at_ms, failure = excluded.failure",
    )?
    .execute(named_params! {
        ":destination": destination, ":what": part.word(), ":words": words, ":wall": now.wall_ms,
    })?;
    Ok(())
}

/// Whether a destination may be asked by itself: it is there, nobody paused it or all work, and its tracker has not asked to
/// be left alone.
pub fn may_ask(tx: &Transaction<'_>, destination: i64, now: &Now) -> rusqlite::Result<bool> {
    tx.prepare_cached(
        "SELECT removed_at_ms IS NULL
            AND NOT (meta.paused = 1 AND coalesce(meta.paused_until_ms > :wall, 1))
            AND NOT (lane.paused = 1 AND coalesce(lane.paused_until_ms > :wall, 1))
            AND NOT coalesce(held = 'sign_in' OR (held = 'rate_limit' AND held_until_ms > :boot), 0)
         FROM meta, destination JOIN lane ON lane.destination = destination.id WHERE destination.id = :destination",
    )?
    .query_row(
        named_params! {":wall": now.wall_ms, ":boot": now.boot_ms, ":destination": destination},
        |row| row.get(0),
    )
    .optional()
    .map(|may| may.unwrap_or(false))
}

/// An issue of ours.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Own {
    /// Its title.
    pub title: String,
    /// Its state.
    pub state: EntryState,
    /// Number and link, once it exists.
    pub receipt: Option<Receipt>,
}

/// The newest issues that were written here for a destination, those taken back excepted.
pub fn own(tx: &Transaction<'_>, destination: i64, most: u32) -> rusqlite::Result<Vec<Own>> {
    tx.prepare_cached(
        "SELECT title, state, number, url FROM entry LEFT JOIN receipt ON receipt.entry = entry.id
         WHERE entry.destination = :destination AND state <> 'withdrawn' ORDER BY entry.id DESC LIMIT :most",
    )?
    .query_map(named_params! {":destination": destination, ":most": most}, |row| {
        Ok(Own { title: row.get(0)?, state: rows::state(row, 1)?, receipt: rows::receipt(row, 2)? })
    })?
    .collect()
}

/// The destination of an entry.
pub fn destination_of(tx: &Transaction<'_>, entry: i64) -> rusqlite::Result<Option<i64>> {
    tx.prepare_cached("SELECT destination FROM entry WHERE id = :entry AND state = 'filed'")?
        .query_row(named_params! {":entry": entry}, |row| row.get(0))
        .optional()
}
