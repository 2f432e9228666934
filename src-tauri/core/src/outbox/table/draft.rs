//! Drafts and what is attached to them.

use rusqlite::{OptionalExtension, Row, named_params};

use super::enqueue::{assignees, labels};
use super::{one, rows};
use crate::capture::Kept;
use crate::clock::Now;
use crate::issue::{Draft, Key};
use crate::store::Transaction;

/// Makes an empty draft with a key of its own.
pub fn insert(tx: &Transaction<'_>, key: Key, now: &Now) -> rusqlite::Result<i64> {
    tx.prepare_cached("INSERT INTO draft (key, edited_at_ms) VALUES (:key, :wall)")?
        .execute(named_params! {":key": key.to_string(), ":wall": now.wall_ms})?;
    Ok(tx.last_insert_rowid())
}

const COLUMNS: &str =
    "id, key, revision, destination, title, body, labels, edited_at_ms, milestone, assignees";

fn read(row: &Row<'_>) -> rusqlite::Result<Draft> {
    Ok(Draft {
        id: row.get(0)?,
        key: rows::key(row, 1)?,
        revision: row.get(2)?,
        destination: row.get(3)?,
        title: row.get(4)?,
        body: row.get(5)?,
        labels: rows::labels(row, 6)?,
        milestone: row.get(8)?,
        assignees: rows::assignees(row, 9)?,
        edited_at_ms: row.get(7)?,
        attachments: Vec::new(),
    })
}

/// Reads one draft with its attachments.
pub fn get(tx: &Transaction<'_>, id: i64) -> rusqlite::Result<Option<Draft>> {
    let draft = tx
        .prepare_cached(&format!("SELECT {COLUMNS} FROM draft WHERE id = :id"))?
        .query_row(named_params! {":id": id}, read)
        .optional()?;
    draft
        .map(|mut draft| {
            draft.attachments = rows::attachments(tx, "draft", id)?;
            Ok(draft)
        })
        .transpose()
}

/// Reads the drafts that hold anything, newest first.
pub fn all(tx: &Transaction<'_>) -> rusqlite::Result<Vec<Draft>> {
    let drafts: Vec<Draft> = tx
        .prepare_cached(&format!(
            "SELECT {COLUMNS} FROM draft
             WHERE trim(title) <> '' OR trim(body) <> ''
                OR EXISTS (SELECT 1 FROM attachment WHERE attachment.draft = draft.id AND removed_at_ms IS NULL)
             ORDER BY edited_at_ms DESC, id DESC"
        ))?
        .query_map([], read)?
        .collect::<rusqlite::Result<_>>()?;
    drafts
        .into_iter()
        .map(|mut draft| {
            draft.attachments = rows::attachments(tx, "draft", draft.id)?;
            Ok(draft)
        })
        .collect()
}

/// Says whether a draft is there and holds nothing.
pub fn is_blank(tx: &Transaction<'_>, id: i64) -> rusqlite::Result<bool> {
    let draft = get(tx, id)?;
    Ok(draft.is_some_and(|draft| {
        draft.title.trim().is_empty()
            && draft.body.trim().is_empty()
            && draft.labels.is_empty()
            && draft.milestone.is_none()
            && draft.assignees.is_empty()
            && draft.attachments.is_empty()
    }))
}

/// Saves a draft over the revision that was read; says whether that was still the last one.
pub fn save(tx: &Transaction<'_>, draft: &Draft, now: &Now) -> rusqlite::Result<bool> {
    let changed = tx
        .prepare_cached(
            "UPDATE draft SET destination = :destination, title = :title, body = :body, labels = :labels,
                    milestone = :milestone, assignees = :assignees, revision = revision + 1, edited_at_ms = :wall
             WHERE id = :id AND revision = :revision",
        )?
        .execute(named_params! {
            ":destination": draft.destination, ":title": draft.title, ":body": draft.body,
            ":labels": labels(&draft.labels), ":milestone": draft.milestone,
            ":assignees": assignees(&draft.assignees), ":wall": now.wall_ms, ":id": draft.id, ":revision": draft.revision,
        })?;
    Ok(one(changed))
}

/// Takes a draft away, with what is attached to it; returns the files to erase.
pub fn delete(tx: &Transaction<'_>, id: i64) -> rusqlite::Result<Vec<String>> {
    let files = tx
        .prepare_cached("SELECT file FROM attachment WHERE draft = :id")?
        .query_map(named_params! {":id": id}, |row| row.get(0))?
        .collect::<rusqlite::Result<_>>()?;
    tx.prepare_cached("DELETE FROM draft WHERE id = :id")?.execute(named_params! {":id": id})?;
    Ok(files)
}

/// Whose an attachment is.
#[derive(Debug, Clone, Copy)]
pub enum Owner {
    /// A draft's, until that is filed.
    Draft(i64),
    /// An entry's.
    Entry(i64),
}

/// Attaches a file that lies beside the store already.
pub fn attach(tx: &Transaction<'_>, draft: i64, name: &str, kept: &Kept, now: &Now) -> rusqlite::Result<i64> {
    let id = insert_attachment(tx, Owner::Draft(draft), name, kept)?;
    touch(tx, draft, now)?;
    Ok(id)
}

/// Makes the row of an attachment.
pub fn insert_attachment(
    tx: &Transaction<'_>,
    owner: Owner,
    name: &str,
    kept: &Kept,
) -> rusqlite::Result<i64> {
    let (draft, entry) = match owner {
        Owner::Draft(draft) => (Some(draft), None),
        Owner::Entry(entry) => (None, Some(entry)),
    };
    tx.prepare_cached(
        "INSERT INTO attachment (draft, entry, name, media_type, size, sha256, file, width, height)
         VALUES (:draft, :entry, :name, :media_type, :size, :sha256, :file, :width, :height)",
    )?
    .execute(named_params! {
        ":draft": draft, ":entry": entry, ":name": name, ":media_type": kept.media_type,
        ":size": i64::try_from(kept.size).unwrap_or(i64::MAX), ":sha256": kept.sha256, ":file": kept.file,
        ":width": kept.picture.map(|(width, _)| width), ":height": kept.picture.map(|(_, height)| height),
    })?;
    Ok(tx.last_insert_rowid())
}

/// Takes an attachment off a draft, or puts it back; says whether it was there.
pub fn set_removed(
    tx: &Transaction<'_>,
    draft: i64,
    attachment: i64,
    removed: bool,
    now: &Now,
) -> rusqlite::Result<bool> {
    let changed = tx
        .prepare_cached(
            "UPDATE attachment SET removed_at_ms = :removed
             WHERE id = :attachment AND draft = :draft AND (removed_at_ms IS NULL) = :was_there",
        )?
        .execute(named_params! {
            ":removed": removed.then_some(now.wall_ms), ":attachment": attachment, ":draft": draft,
            ":was_there": removed,
        })?;
    touch(tx, draft, now)?;
    Ok(one(changed))
}

fn touch(tx: &Transaction<'_>, draft: i64, now: &Now) -> rusqlite::Result<()> {
    tx.prepare_cached("UPDATE draft SET edited_at_ms = :wall WHERE id = :draft")?
        .execute(named_params! {":wall": now.wall_ms, ":draft": draft})?;
    Ok(())
}

/// Takes away drafts in which nothing was ever written, and attachments removed from drafts, older than `before_ms`;
/// returns the files to erase.
pub fn tidy(tx: &Transaction<'_>, before_ms: i64) -> rusqlite::Result<Vec<String>> {
    let removed = tx
        .prepare_cached(
            "DELETE FROM attachment WHERE draft IS NOT NULL AND removed_at_ms < :before RETURNING file",
        )?
        .query_map(named_params! {":before": before_ms}, |row| row.get(0))?
        .collect::<rusqlite::Result<_>>()?;
    tx.prepare_cached(
        "DELETE FROM draft WHERE trim(title) = '' AND trim(body) = '' AND edited_at_ms < :before
           AND NOT EXISTS (SELECT 1 FROM attachment WHERE attachment.draft = draft.id)",
    )?
    .execute(named_params! {":before": before_ms})?;
    Ok(removed)
}
