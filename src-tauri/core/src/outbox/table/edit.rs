//! New words for an entry, and those that wait for a safe moment.

use rusqlite::{OptionalExtension, named_params};

use super::{enqueue, rows};
use crate::store::Transaction;

/// What a person can change.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Text {
    /// One line.
    pub title: String,
    /// Markdown.
    pub body: String,
    /// Names of labels.
    pub labels: Vec<String>,
    /// The title of a milestone.
    pub milestone: Option<String>,
    /// Logins of those it is assigned to.
    pub assignees: Vec<String>,
}

/// Whether an entry still has the words that were read.
pub fn is_current(tx: &Transaction<'_>, entry: i64, revision: i64) -> rusqlite::Result<bool> {
    tx.prepare_cached("SELECT revision = :revision FROM entry WHERE id = :entry")?
        .query_row(named_params! {":revision": revision, ":entry": entry}, |row| row.get(0))
}

/// Changes the words; what was frozen of them is frozen anew by the next intent.
pub fn change(tx: &Transaction<'_>, entry: i64, text: &Text) -> rusqlite::Result<()> {
    tx.prepare_cached(
        "UPDATE entry SET title = :title, labels = :labels, milestone = :milestone, assignees = :assignees,
                revision = revision + 1, body_hash = NULL
         WHERE id = :entry",
    )?
    .execute(named_params! {
        ":title": text.title, ":labels": enqueue::labels(&text.labels), ":milestone": text.milestone,
        ":assignees": enqueue::assignees(&text.assignees), ":entry": entry,
    })?;
    tx.prepare_cached("UPDATE body SET text = :body WHERE entry = :entry")?
        .execute(named_params! {":body": text.body, ":entry": entry})?;
    drop_wish(tx, entry)
}

/// Keeps the words for the next safe moment; the last ones stand.
pub fn wish(tx: &Transaction<'_>, entry: i64, text: &Text) -> rusqlite::Result<()> {
    tx.prepare_cached(
        "INSERT INTO edit (entry, title, body, labels, milestone, assignees)
         VALUES (:entry, :title, :body, :labels, :milestone, :assignees)
         ON CONFLICT DO UPDATE SET title = excluded.title, body = excluded.body, labels = excluded.labels,
           milestone = excluded.milestone, assignees = excluded.assignees",
    )?
    .execute(named_params! {
        ":entry": entry, ":title": text.title, ":body": text.body, ":labels": enqueue::labels(&text.labels),
        ":milestone": text.milestone, ":assignees": enqueue::assignees(&text.assignees),
    })?;
    Ok(())
}

/// The words that wait.
pub fn wished(tx: &Transaction<'_>, entry: i64) -> rusqlite::Result<Option<Text>> {
    tx.prepare_cached("SELECT title, body, labels, milestone, assignees FROM edit WHERE entry = :entry")?
        .query_row(named_params! {":entry": entry}, |row| {
            Ok(Text {
                title: row.get(0)?,
                body: row.get(1)?,
                labels: rows::labels(row, 2)?,
                milestone: row.get(3)?,
                assignees: rows::assignees(row, 4)?,
            })
        })
        .optional()
}

/// Nothing waits any more.
pub fn drop_wish(tx: &Transaction<'_>, entry: i64) -> rusqlite::Result<()> {
    tx.prepare_cached("DELETE FROM edit WHERE entry = :entry")?.execute(named_params! {":entry": entry})?;
    Ok(())
}
