//! The SQL of the outbox: one statement a function, beside the struct it fills.

pub(super) mod act;
pub(super) mod bury;
pub(super) mod catalogue;
pub(super) mod claim;
pub(super) mod destination;
pub(super) mod draft;
pub(super) mod edit;
pub(super) mod elsewhere;
pub(super) mod enqueue;
pub(super) mod export;
pub(super) mod facts;
pub(super) mod import;
pub(super) mod lane;
pub(super) mod late;
pub(super) mod missing;
pub(super) mod rows;
pub(super) mod setting;
pub(super) mod settle;
pub(super) mod work;

use rusqlite::{OptionalExtension, named_params};

use super::lease::Lease;
use crate::store::Transaction;

/// Takes the next fence of the store. Fences rise across entries and processes, and never come twice.
pub(super) fn next_fence(tx: &Transaction<'_>) -> rusqlite::Result<i64> {
    tx.prepare_cached("UPDATE meta SET fence = fence + 1 RETURNING fence")?.query_row([], |row| row.get(0))
}

/// The lease as if it were the one that holds now: what a write without a fence would amount to. For mistakes only.
pub(super) fn owner_of(tx: &Transaction<'_>, lease: &Lease) -> rusqlite::Result<Lease> {
    let held = tx
        .prepare_cached("SELECT claim_token, fence FROM entry WHERE id = :entry AND claim_token IS NOT NULL")?
        .query_row(named_params! {":entry": lease.entry}, |row| Ok((row.get(0)?, row.get(1)?)))
        .optional()?;
    Ok(match held {
        Some((token, fence)) => Lease { token, fence, ..lease.clone() },
        None => lease.clone(),
    })
}

/// A changed-row count that says whether the one row meant was there.
pub(super) fn one(changed: usize) -> bool {
    changed == 1
}
