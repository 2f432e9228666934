//! Files that their tracker did not take: what is said of them, and how they are tried again.

use rusqlite::named_params;

use crate::clock::Now;
use crate::store::Transaction;

/// Says what a filed issue is without; nothing when all of it is there.
pub fn words(tx: &Transaction<'_>, entry: i64) -> rusqlite::Result<Option<String>> {
    tx.prepare_cached(
        "SELECT count(*), count(missing), group_concat(missing, ' '),
                (SELECT number FROM receipt WHERE receipt.entry = :entry)
         FROM (SELECT missing FROM stage WHERE entry = :entry AND kind = 'upload' ORDER BY ordinal)",
    )?
    .query_row(named_params! {":entry": entry}, |row| {
        let (all, missing): (u32, u32) = (row.get(0)?, row.get(1)?);
        let (why, number): (Option<String>, Option<String>) = (row.get(2)?, row.get(3)?);
        let without = match (all - missing, all) {
            (0, 1) => "without its file".to_owned(),
            (0, all) => format!("without its {all} files"),
            (there, all) => format!("with {there} of {all} files"),
        };
        Ok(why.map(|why| format!("Filed as #{} {without}. {why}", number.unwrap_or_default())))
    })
}

/// Has them sent again, those alone. Where files go first and the issue may be there without them, they are put into it
/// afterwards. What is in doubt stays so.
pub fn reopen(tx: &Transaction<'_>, entry: i64) -> rusqlite::Result<()> {
    let reopened = tx
        .prepare_cached(
            "UPDATE stage SET state = 'open', done_at_ms = NULL, missing = NULL WHERE entry = :entry AND missing IS NOT NULL",
        )?
        .execute(named_params! {":entry": entry})?;
    if reopened == 0 {
        return Ok(());
    }
    tx.prepare_cached(
        "UPDATE stage SET state = 'open', done_at_ms = NULL
         WHERE entry = :entry AND kind = 'embed' AND state = 'done'",
    )?
    .execute(named_params! {":entry": entry})?;
    let tracker = tx
        .prepare_cached(
            "SELECT tracker FROM destination WHERE id = (SELECT destination FROM entry WHERE id = :entry)",
        )?
        .query_row(named_params! {":entry": entry}, |row| super::rows::tracker(row, 0))?;
    if tracker.uploads_first() {
        tx.prepare_cached(
            "INSERT INTO stage (entry, ordinal, kind)
             SELECT :entry, max(ordinal) + 1, 'embed' FROM stage WHERE entry = :entry
             HAVING max(kind = 'create' AND state <> 'open') AND NOT max(kind = 'embed')",
        )?
        .execute(named_params! {":entry": entry})?;
    }
    Ok(())
}

/// The person leaves it as it is: it is filed, and goes on saying what it is without.
pub fn leave(tx: &Transaction<'_>, entry: i64, now: &Now) -> rusqlite::Result<()> {
    tx.prepare_cached(
        "UPDATE entry SET state = 'filed', reason = NULL, changed_at_ms = :wall
         WHERE id = :entry AND state = 'attention' AND reason = 'incomplete'",
    )?
    .execute(named_params! {":entry": entry, ":wall": now.wall_ms})?;
    super::settle::tell_twice(tx, entry, now)
}

/// The attachments that are missing at the tracker.
pub fn attachments(tx: &Transaction<'_>, entry: i64) -> rusqlite::Result<Vec<i64>> {
    tx.prepare_cached(
        "SELECT attachment FROM stage WHERE entry = :entry AND missing IS NOT NULL ORDER BY ordinal",
    )?
    .query_map(named_params! {":entry": entry}, |row| row.get(0))?
    .collect()
}

/// The keys of the entries that lack some.
pub fn incomplete(tx: &Transaction<'_>) -> rusqlite::Result<Vec<String>> {
    tx.prepare_cached("SELECT key FROM entry WHERE state = 'attention' AND reason = 'incomplete'")?
        .query_map([], |row| row.get(0))?
        .collect()
}
