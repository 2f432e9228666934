//! From draft to entry.

use rusqlite::{OptionalExtension, named_params};

use super::draft::Owner;
use crate::capture::{Kept, unique_name};
use crate::clock::Now;
use crate::issue::{Draft, Key, plan};
use crate::problem::{Code, Problem, Result};
use crate::settings::Settings;
use crate::store::Transaction;
use crate::view::{EntryState, Saved};

/// What becomes an entry.
#[derive(Debug)]
pub struct NewEntry<'a> {
    /// Its key for good.
    pub key: Key,
    /// The draft it is made of, if any, and which revision.
    pub draft: Option<(i64, i64)>,
    /// Where to.
    pub destination: i64,
    /// One line.
    pub title: &'a str,
    /// What somebody wrote.
    pub body: &'a str,
    /// Each once.
    pub labels: &'a [String],
    /// Its title.
    pub milestone: Option<&'a str>,
    /// Each once.
    pub assignees: &'a [String],
    /// Of all attachments.
    pub bytes: u64,
}

/// Makes the entry of a draft, with its stages and attachments, and takes the draft away.
pub fn enqueue(tx: &Transaction<'_>, draft: &Draft, destination: i64, now: &Now) -> Result<Saved> {
    let entry = NewEntry {
        key: draft.key,
        draft: Some((draft.id, draft.revision)),
        destination,
        title: &draft.title,
        body: &draft.body,
        labels: &draft.labels,
        milestone: draft.milestone.as_deref(),
        assignees: &draft.assignees,
        bytes: draft.attachments.iter().map(|attachment| attachment.size).sum(),
    };
    let saved = insert(tx, &entry, now)?;
    tx.prepare_cached(
        "UPDATE attachment SET entry = :entry, draft = NULL WHERE draft = :draft AND removed_at_ms IS NULL",
    )?
    .execute(named_params! {":entry": saved.id, ":draft": draft.id})?;
    plan_stages(tx, saved.id)?;
    if let Some(since_ms) = super::elsewhere::draft_since(tx, draft.id)? {
        let generation = super::elsewhere::begin(tx)?;
        super::elsewhere::doubt(tx, saved.id, &generation, true, since_ms, now)?;
    }
    tx.prepare_cached("DELETE FROM draft WHERE id = :draft")?.execute(named_params! {":draft": draft.id})?;
    Ok(saved)
}

/// Makes an entry that was no draft, with its stages and attachments.
pub fn enqueue_whole(tx: &Transaction<'_>, entry: &NewEntry<'_>, files: &[Kept], now: &Now) -> Result<Saved> {
    let saved = insert(tx, entry, now)?;
    let mut names: Vec<String> = Vec::new();
    for kept in files {
        let name = unique_name(&names, &kept.name);
        super::draft::insert_attachment(tx, Owner::Entry(saved.id), &name, kept)?;
        names.push(name);
    }
    plan_stages(tx, saved.id)?;
    Ok(saved)
}

/// Makes the row of an entry, within the bounds of the outbox.
fn insert(tx: &Transaction<'_>, entry: &NewEntry<'_>, now: &Now) -> Result<Saved> {
    check_bounds(tx, Some(entry.bytes))?;
    let id: i64 = tx
        .prepare_cached(
            "INSERT INTO entry (id, key, draft, draft_revision, generation, destination, title, labels, milestone,
                                assignees, bytes, state, saved_at_ms, changed_at_ms)
             SELECT last_entry + 1, :key, :draft, :revision, generation, :destination, :title, :labels, :milestone, :assignees,
                    :bytes, 'waiting', :wall, :wall
             FROM meta RETURNING id",
        )?
        .query_row(
            named_params! {
                ":key": entry.key.to_string(), ":draft": entry.draft.map(|(draft, _)| draft),
                ":revision": entry.draft.map(|(_, revision)| revision), ":destination": entry.destination,
                ":title": entry.title, ":labels": labels(entry.labels), ":milestone": entry.milestone,
                ":assignees": assignees(entry.assignees),
                ":bytes": i64::try_from(entry.bytes).unwrap_or(i64::MAX), ":wall": now.wall_ms,
            },
            |row| row.get(0),
        )?;
    tx.prepare_cached("INSERT INTO body (entry, text) VALUES (:entry, :text)")?
        .execute(named_params! {":entry": id, ":text": entry.body})?;
    Ok(Saved { id, key: entry.key, state: EntryState::Waiting })
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

/// Most issues are nobody's, and then nothing is kept.
pub(super) fn assignees(assignees: &[String]) -> Option<String> {
    (!assignees.is_empty()).then(|| labels(assignees))
}

pub(super) fn labels(labels: &[String]) -> String {
    serde_json::to_string(labels).unwrap_or_else(|_| "[]".to_owned())
}
