//! How words and lists in columns become values. A word that no version ever wrote is an error, not a guess.

use rusqlite::types::{Type, ValueRef};
use rusqlite::{OptionalExtension as _, Row, named_params};

use crate::issue::{Attachment, Key, Part, Receipt, StageKind, TrackerKind};
use crate::store::Transaction;
use crate::view::{EntryState, StageState};

fn word<T>(row: &Row<'_>, column: usize, read: impl FnOnce(&str) -> Option<T>) -> rusqlite::Result<T> {
    let text: String = row.get(column)?;
    read(&text).ok_or_else(|| {
        rusqlite::Error::FromSqlConversionFailure(column, Type::Text, format!("unknown word {text:?}").into())
    })
}

/// A key.
pub fn key(row: &Row<'_>, column: usize) -> rusqlite::Result<Key> {
    word(row, column, Key::parse)
}

/// A state of an entry.
pub fn state(row: &Row<'_>, column: usize) -> rusqlite::Result<EntryState> {
    word(row, column, |text| match text {
        "waiting" => Some(EntryState::Waiting),
        "filed" => Some(EntryState::Filed),
        "attention" => Some(EntryState::Attention),
        "withdrawn" => Some(EntryState::Withdrawn),
        _ => None,
    })
}

/// A state of a stage.
pub fn stage_state(row: &Row<'_>, column: usize) -> rusqlite::Result<StageState> {
    word(row, column, |text| match text {
        "open" => Some(StageState::Open),
        "sent" => Some(StageState::Sent),
        "done" => Some(StageState::Done),
        "doubt" => Some(StageState::Doubt),
        _ => None,
    })
}

/// A kind of stage.
pub fn stage_kind(row: &Row<'_>, column: usize) -> rusqlite::Result<StageKind> {
    word(row, column, StageKind::from_word)
}

/// A kind of tracker.
pub fn tracker(row: &Row<'_>, column: usize) -> rusqlite::Result<TrackerKind> {
    word(row, column, TrackerKind::from_word)
}

/// A part of a catalogue.
pub fn part(row: &Row<'_>, column: usize) -> rusqlite::Result<Part> {
    word(row, column, Part::from_word)
}

/// A list of labels.
pub fn labels(row: &Row<'_>, column: usize) -> rusqlite::Result<Vec<String>> {
    word(row, column, |text| serde_json::from_str(text).ok())
}

/// A list of logins; none is nothing.
pub fn assignees(row: &Row<'_>, column: usize) -> rusqlite::Result<Vec<String>> {
    if row.get_ref(column)? == ValueRef::Null { Ok(Vec::new()) } else { labels(row, column) }
}

/// Number and link from two columns, or nothing.
pub fn receipt(row: &Row<'_>, column: usize) -> rusqlite::Result<Option<Receipt>> {
    let number: Option<String> = row.get(column)?;
    let url: Option<String> = row.get(column + 1)?;
    Ok(number.zip(url).map(|(number, url)| Receipt { number, url }))
}

/// The attachments of a draft or an entry, in the order they were given.
pub fn attachments(tx: &Transaction<'_>, owner: &'static str, id: i64) -> rusqlite::Result<Vec<Attachment>> {
    tx.prepare_cached(&format!(
        "SELECT id, name, media_type, size, sha256, file, width, height FROM attachment
         WHERE {owner} = :id AND removed_at_ms IS NULL ORDER BY id"
    ))?
    .query_map(named_params! {":id": id}, attachment)?
    .collect()
}

/// One attachment, whoever it belongs to.
pub fn attachment_by_id(tx: &Transaction<'_>, id: i64) -> rusqlite::Result<Attachment> {
    tx.prepare_cached(
        "SELECT id, name, media_type, size, sha256, file, width, height FROM attachment WHERE id = :id",
    )?
    .query_row(named_params! {":id": id}, attachment)
}

/// The attachment whose bytes lie in this file.
pub fn attachment_by_file(tx: &Transaction<'_>, file: &str) -> rusqlite::Result<Option<Attachment>> {
    tx.prepare_cached(
        "SELECT id, name, media_type, size, sha256, file, width, height FROM attachment WHERE file = :file",
    )?
    .query_row(named_params! {":file": file}, attachment)
    .optional()
}

/// Every file that a row names.
pub fn files(tx: &Transaction<'_>) -> rusqlite::Result<Vec<String>> {
    tx.prepare("SELECT file FROM attachment WHERE erased_at_ms IS NULL")?
        .query_map([], |row| row.get(0))?
        .collect()
}

fn attachment(row: &Row<'_>) -> rusqlite::Result<Attachment> {
    let width: Option<u32> = row.get(6)?;
    let height: Option<u32> = row.get(7)?;
    Ok(Attachment {
        id: row.get(0)?,
        name: row.get(1)?,
        media_type: row.get(2)?,
        size: row.get::<_, i64>(3)?.unsigned_abs(),
        sha256: row.get(4)?,
        file: row.get(5)?,
        picture: width.zip(height),
    })
}
