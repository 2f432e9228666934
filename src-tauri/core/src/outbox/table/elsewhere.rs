//! Doubt about what another computer may have sent under the same key.

use rusqlite::{OptionalExtension, named_params};

use crate::clock::Now;
use crate::fault::mistake;
use crate::store::Transaction;

/// A generation of the store, and a fence of its own.
#[derive(Debug)]
pub struct Generation {
    number: i64,
    /// The fence it began with.
    pub fence: i64,
}

/// Begins a generation. Only what is put in doubt under it is older than it: what was here all the time, nobody else knows.
pub fn begin(tx: &Transaction<'_>) -> rusqlite::Result<Generation> {
    tx.prepare_cached(
        "UPDATE meta SET generation = generation + 1, fence = fence + 1 RETURNING generation, fence",
    )?
    .query_row([], |row| Ok(Generation { number: row.get(0)?, fence: row.get(1)? }))
}

/// Puts every step of an entry in doubt that is not done: it may have been sent since `since_ms` by a sender that nobody here
/// can ask, under any account. Quiet time counts from now. `anywhere`: also to another destination than its own; what was in
/// such doubt stays so.
pub fn doubt(
    tx: &Transaction<'_>,
    entry: i64,
    generation: &Generation,
    anywhere: bool,
    since_ms: i64,
    now: &Now,
) -> rusqlite::Result<()> {
    if mistake("trust_what_came") {
        return Ok(());
    }
    // What was missing here may have been sent from there.
    super::missing::reopen(tx, entry)?;
    tx.prepare_cached(
        "UPDATE stage SET state = 'doubt',
                attempt = CASE WHEN :anywhere OR coalesce(attempt < 0, 0) THEN -:generation ELSE :fence END,
                sender = 'another computer', sent_destination = entry.destination, sent_login = NULL,
                sent_at_ms = :wall, sent_boot_id = :boot_id, send_again = 0,
                first_sent_at_ms = min(coalesce(first_sent_at_ms, :since), entry.saved_at_ms, :since)
         FROM entry
         WHERE entry.id = :entry AND stage.entry = :entry AND stage.state <> 'done' AND kind <> 'embed'",
    )?
    .execute(named_params! {
        ":anywhere": anywhere, ":generation": generation.number, ":fence": generation.fence, ":since": since_ms,
        ":wall": now.wall_ms, ":boot_id": &*now.boot_id, ":entry": entry,
    })?;
    tx.prepare_cached(
        "INSERT INTO close (entry, ordinal, attempt, how, gone_at_ms, gone_awake_ms, gone_boot_id)
         SELECT entry, ordinal, attempt, 'died', :wall, :awake, :boot_id FROM stage
         WHERE entry = :entry AND state = 'doubt' AND attempt IN (-:generation, :fence)
         ON CONFLICT DO UPDATE SET gone_at_ms = excluded.gone_at_ms, gone_awake_ms = excluded.gone_awake_ms,
                                   gone_boot_id = excluded.gone_boot_id",
    )?
    .execute(named_params! {
        ":generation": generation.number, ":fence": generation.fence, ":wall": now.wall_ms,
        ":awake": now.awake_ms, ":boot_id": &*now.boot_id, ":entry": entry,
    })?;
    Ok(())
}

/// A copy that was held is released: the computer it came from may have sent it until this moment.
pub fn release(tx: &Transaction<'_>, entry: i64, now: &Now) -> rusqlite::Result<()> {
    let is_copy: bool = tx
        .prepare_cached("SELECT state = 'attention' AND reason = 'copy' FROM entry WHERE id = :entry")?
        .query_row(named_params! {":entry": entry}, |row| row.get::<_, Option<bool>>(0))
        .optional()?
        .flatten()
        .unwrap_or(false);
    if is_copy {
        let generation = begin(tx)?;
        doubt(tx, entry, &generation, true, now.wall_ms, now)?;
    }
    Ok(())
}

/// The copies that are held.
pub fn copies(tx: &Transaction<'_>) -> rusqlite::Result<Vec<i64>> {
    tx.prepare_cached("SELECT id FROM entry WHERE state = 'attention' AND reason = 'copy' ORDER BY id")?
        .query_map([], |row| row.get(0))?
        .collect()
}

/// Since when a draft may have been filed somewhere else.
pub fn draft_since(tx: &Transaction<'_>, draft: i64) -> rusqlite::Result<Option<i64>> {
    tx.prepare_cached("SELECT elsewhere_since_ms FROM draft WHERE id = :draft")?
        .query_row(named_params! {":draft": draft}, |row| row.get(0))
}

/// From `since_ms` on a draft may be filed somewhere else.
pub fn mark_draft(tx: &Transaction<'_>, draft: i64, since_ms: i64) -> rusqlite::Result<()> {
    tx.prepare_cached(
        "UPDATE draft SET elsewhere_since_ms = min(coalesce(elsewhere_since_ms, :since), :since) WHERE id = :draft",
    )?
    .execute(named_params! {":since": since_ms, ":draft": draft})?;
    Ok(())
}

/// An entry goes along to another computer: nobody files it here, unless it is put back.
pub fn set_out(tx: &Transaction<'_>, entry: i64) -> rusqlite::Result<()> {
    tx.prepare_cached(
        "UPDATE entry SET reason = 'moving', words = 'A move to another computer was cut off. Put it back, or move it again.'
         WHERE id = :entry AND state = 'withdrawn'",
    )?
    .execute(named_params! {":entry": entry})?;
    Ok(())
}

/// It has gone.
pub fn has_gone(tx: &Transaction<'_>, entry: i64) -> rusqlite::Result<()> {
    tx.prepare_cached(
        "UPDATE entry SET reason = 'moved', words = 'It went to another computer. Put it back only if it is not filed there.'
         WHERE id = :entry AND state = 'withdrawn' AND reason = 'moving'",
    )?
    .execute(named_params! {":entry": entry})?;
    Ok(())
}
