//! From draft to entry.

use rusqlite::{OptionalExtension, named_params};

use crate::clock::Now;
use crate::issue::{Draft, Key, plan};
use crate::problem::{Code, Problem, Result};
use crate::settings::Settings;
use crate::store::Transaction;
use crate::view::{EntryState, Saved};

/// Makes the entry of a draft, with its stages and attachments, and takes the draft away. The same revision of the same
/// draft gives the entry it made back.
pub fn enqueue(tx: &Transaction<'_>, draft: &Draft, destination: i64, now: &Now) -> Result<Saved> {
    let bytes: u64 = draft.attachments.iter().map(|attachment| attachment.size).sum();
    check_bounds(tx, Some(bytes))?;
    let entry: i64 = tx
        .prepare_cached(
            "INSERT INTO entry (key, draft, draft_revision, generation, destination, title, body, labels, bytes, state,
                                saved_at_ms, changed_at_ms)
             SELECT :key, :draft, :revision, generation, :destination, :title, :body, :labels, :bytes, 'waiting',
                    :wall, :wall
             FROM meta RETURNING id",
        )?
        .query_row(
            named_params! {
                ":key": draft.key.to_string(), ":draft": draft.id, ":revision": draft.revision,
                ":destination": destination, ":title": draft.title, ":body": draft.body,
                ":labels": labels(&draft.labels), ":bytes": i64::try_from(bytes).unwrap_or(i64::MAX),
                ":wall": now.wall_ms,
            },
            |row| row.get(0),
        )?;
    tx.prepare_cached(
        "UPDATE attachment SET entry = :entry, draft = NULL WHERE draft = :draft AND removed_at_ms IS NULL",
    )?
    .execute(named_params! {":entry": entry, ":draft": draft.id})?;
    plan_stages(tx, entry)?;
    tx.prepare_cached("DELETE FROM draft WHERE id = :draft")?.execute(named_params! {":draft": draft.id})?;
    Ok(Saved { id: entry, key: draft.key, state: EntryState::Waiting })
}

/// The entry that this revision of a draft has made already.
pub fn made_by(tx: &Transaction<'_>, draft: i64, revision: i64) -> rusqlite::Result<Option<Saved>> {
    tx.prepare_cached("SELECT id, key, state FROM entry WHERE draft = :draft AND draft_revision = :revision")?
        .query_row(named_params! {":draft": draft, ":revision": revision}, |row| {
            Ok(Saved { id: row.get(0)?, key: super::rows::key(row, 1)?, state: super::rows::state(row, 2)? })
        })
        .optional()
}

/// The entry under this key.
pub fn made_under(tx: &Transaction<'_>, key: Key) -> rusqlite::Result<Option<Saved>> {
    tx.prepare_cached("SELECT id, state FROM entry WHERE key = :key")?
        .query_row(named_params! {":key": key.to_string()}, |row| {
            Ok(Saved { id: row.get(0)?, key, state: super::rows::state(row, 1)? })
        })
        .optional()
}

/// Whether another revision of a draft has been filed.
pub fn was_filed(tx: &Transaction<'_>, draft: i64) -> rusqlite::Result<bool> {
    tx.prepare_cached("SELECT EXISTS (SELECT 1 FROM entry WHERE draft = :draft)")?
        .query_row(named_params! {":draft": draft}, |row| row.get(0))
}

/// Plans the stages of an entry anew for its destination.
pub fn plan_stages(tx: &Transaction<'_>, entry: i64) -> rusqlite::Result<()> {
    let tracker = tx
        .prepare_cached(
            "SELECT destination.tracker FROM entry JOIN destination ON destination.id = entry.destination
             WHERE entry.id = :entry",
        )?
        .query_row(named_params! {":entry": entry}, |row| super::rows::tracker(row, 0))?;
    let attachments = super::rows::attachments(tx, "entry", entry)?;
    tx.prepare_cached("DELETE FROM stage WHERE entry = :entry")?.execute(named_params! {":entry": entry})?;
    let mut insert = tx.prepare_cached(
        "INSERT INTO stage (entry, ordinal, kind, attachment) VALUES (:entry, :ordinal, :kind, :attachment)",
    )?;
    for (ordinal, (kind, attachment)) in (1_i64..).zip(plan(tracker, &attachments)) {
        insert.execute(named_params! {
            ":entry": entry, ":ordinal": ordinal, ":kind": kind.word(), ":attachment": attachment,
        })?;
    }
    Ok(())
}

/// Refuses what would not fit: the draft stays.
pub fn check_bounds(tx: &Transaction<'_>, bytes: Option<u64>) -> Result<()> {
    let settings = Settings::from_rows(super::setting::all(tx)?);
    let (entries, live_bytes): (u64, u64) =
        tx.prepare_cached("SELECT live_entries, live_bytes FROM meta")?.query_row([], |row| {
            Ok((row.get::<_, i64>(0)?.unsigned_abs(), row.get::<_, i64>(1)?.unsigned_abs()))
        })?;
    let full = |what: String| {
        Problem::new(Code::OutboxFull, format!("The outbox is full ({what}). Your draft is safe."))
            .hint("Retry or withdraw some first.")
    };
    if entries >= settings.max_entries {
        return Err(full(settings.max_entries.to_string()));
    }
    if bytes.is_some_and(|bytes| live_bytes.saturating_add(bytes) > settings.max_bytes) {
        return Err(full(format!("{} MB of attachments", settings.max_bytes / 1_000_000)));
    }
    Ok(())
}

pub(super) fn labels(labels: &[String]) -> String {
    serde_json::to_string(labels).unwrap_or_else(|_| "[]".to_owned())
}
