//! The SQL of the outbox: one statement a function, beside the struct it fills.

pub(super) mod act;
pub(super) mod bury;
pub(super) mod claim;
pub(super) mod destination;
pub(super) mod draft;
pub(super) mod enqueue;
pub(super) mod facts;
pub(super) mod lane;
pub(super) mod late;
pub(super) mod rows;
pub(super) mod setting;
pub(super) mod settle;
pub(super) mod work;

use rusqlite::Transaction;

/// Takes the next fence of the store. Fences rise across entries and processes, and never come twice.
pub(super) fn next_fence(tx: &Transaction<'_>) -> rusqlite::Result<i64> {
    tx.prepare_cached("UPDATE meta SET fence = fence + 1 RETURNING fence")?.query_row([], |row| row.get(0))
}

/// A changed-row count that says whether the one row meant was there.
pub(super) fn one(changed: usize) -> bool {
    changed == 1
}
