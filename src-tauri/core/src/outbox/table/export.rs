//! Everything about entries and drafts that is to be known elsewhere.

use rusqlite::{OptionalExtension, Row, named_params};

use super::rows;
use crate::archive::{Attachment, Draft, Entry, Owed, Stage, Stub, Try, Wish, Words};
use crate::clock::Now;
use crate::issue::{Destination, Receipt};
use crate::store::Transaction;
use crate::view::{EntryState, StageState};

/// An entry on its way out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Out {
    /// Its row.
    pub id: i64,
    /// Whether a worker holds it.
    pub leased: bool,
    /// Whether an earlier move of it was cut off.
    pub is_moving: bool,
    /// What is written down.
    pub entry: Entry,
    /// Where the bytes of its attachments lie.
    pub files: Vec<String>,
}

/// Every destination with whether it was removed, in the order in which they were added.
pub fn destinations(tx: &Transaction<'_>) -> rusqlite::Result<Vec<(Destination, bool)>> {
    tx.prepare_cached("SELECT id, removed_at_ms IS NOT NULL FROM destination ORDER BY id")?
        .query_map([], |row| Ok((row.get::<_, i64>(0)?, row.get(1)?)))?
        .map(|found| found.and_then(|(id, removed)| Ok((super::destination::by_id(tx, id)?, removed))))
        .collect()
}

/// The numbers of all entries, oldest first.
pub fn entries(tx: &Transaction<'_>) -> rusqlite::Result<Vec<i64>> {
    tx.prepare_cached("SELECT id FROM entry ORDER BY id")?.query_map([], |row| row.get(0))?.collect()
}

/// Reads one entry; `place` tells where a destination stands in the list of them.
pub fn entry(
    tx: &Transaction<'_>,
    id: i64,
    place: &impl Fn(i64) -> usize,
    now: &Now,
) -> rusqlite::Result<Option<Out>> {
    let (attachments, files, numbers) = attachments(tx, "entry", id)?;
    let read = |row: &Row<'_>| {
        let wish = match row.get::<_, Option<String>>(13)?.as_deref() {
            Some("withdraw") => Some(Wish::Withdraw),
            Some("move") => Some(Wish::Move(place(row.get(14)?))),
            Some(_) => Some(Wish::Retry),
            None => None,
        };
        Ok(Out {
            id,
            leased: row.get(15)?,
            is_moving: row.get::<_, Option<String>>(10)?.as_deref() == Some("moving"),
            entry: Entry {
                key: rows::key(row, 0)?,
                destination: place(row.get(1)?),
                title: row.get(2)?,
                body: row.get(3)?,
                labels: rows::labels(row, 4)?,
                milestone: row.get(17)?,
                assignees: rows::assignees(row, 18)?,
                revision: row.get(5)?,
                state: rows::state(row, 6)?,
                saved_at_ms: row.get(7)?,
                filed_at_ms: row.get(8)?,
                send_at_ms: row.get(9)?,
                attempts: row.get(16)?,
                reason: row.get(10)?,
                words: row.get(11)?,
                told: row.get(12)?,
                wish,
                edit: edit(tx, id)?,
                receipt: stub(
                    tx,
                    "SELECT destination, number, url, at_ms FROM receipt WHERE entry = :id",
                    id,
                    place,
                )?
                .pop(),
                attachments: attachments.clone(),
                stages: stages(tx, id, &numbers)?,
                tries: tries(tx, id)?,
                sightings: stub(
                    tx,
                    "SELECT destination, number, url, seen_at_ms FROM sighting WHERE entry = :id",
                    id,
                    place,
                )?,
                owed: owed(tx, id, place)?,
            },
            files: files.clone(),
        })
    };
    tx.prepare_cached(
        "SELECT key, destination, title, text, labels, revision, state, saved_at_ms, filed_at_ms, send_at_ms, reason,
                words, told, wish, wish_destination,
                claim_token IS NOT NULL AND lease_boot_id = :boot_id AND lease_until_ms > :boot, attempts,
                milestone, assignees
         FROM entry JOIN body ON body.entry = entry.id WHERE id = :id",
    )?
    .query_row(named_params! {":id": id, ":boot_id": &*now.boot_id, ":boot": now.boot_ms}, read)
    .optional()
}

fn edit(tx: &Transaction<'_>, entry: i64) -> rusqlite::Result<Option<Words>> {
    let wished = super::edit::wished(tx, entry)?;
    Ok(wished.map(|text| Words {
        title: text.title,
        body: text.body,
        labels: text.labels,
        milestone: text.milestone,
        assignees: text.assignees,
    }))
}

/// The attachments of an entry or a draft, the files they lie in, and their numbers.
type Attached = (Vec<Attachment>, Vec<String>, Vec<i64>);

fn attachments(tx: &Transaction<'_>, owner: &'static str, id: i64) -> rusqlite::Result<Attached> {
    let found = rows::attachments(tx, owner, id)?;
    let numbers = found.iter().map(|attachment| attachment.id).collect();
    let files = found.iter().map(|attachment| attachment.file.clone()).collect();
    let attachments = found.into_iter().map(|attachment| Attachment {
        name: attachment.name,
        media_type: attachment.media_type,
        size: attachment.size,
        sha256: attachment.sha256,
        picture: attachment.picture,
        file: None,
    });
    Ok((attachments.collect(), files, numbers))
}

fn stub(
    tx: &Transaction<'_>,
    sql: &str,
    entry: i64,
    place: &impl Fn(i64) -> usize,
) -> rusqlite::Result<Vec<Stub>> {
    tx.prepare_cached(sql)?
        .query_map(named_params! {":id": entry}, |row| {
            Ok(Stub {
                destination: place(row.get(0)?),
                receipt: Receipt { number: row.get(1)?, url: row.get(2)? },
                at_ms: row.get(3)?,
            })
        })?
        .collect()
}

fn stages(tx: &Transaction<'_>, entry: i64, attachments: &[i64]) -> rusqlite::Result<Vec<Stage>> {
    tx.prepare_cached(
        "SELECT kind, attachment, state, coalesce(attempt < 0, 0), sent_login, first_sent_at_ms, sends, remote_ref,
                done_at_ms, missing
         FROM stage WHERE entry = :entry ORDER BY ordinal",
    )?
    .query_map(named_params! {":entry": entry}, |row| {
        let attachment: Option<i64> = row.get(1)?;
        let state = rows::stage_state(row, 2)?;
        Ok(Stage {
            kind: rows::stage_kind(row, 0)?,
            attachment: attachment.and_then(|id| attachments.iter().position(|other| *other == id)),
            state,
            anywhere: state != StageState::Done && row.get(3)?,
            login: row.get(4)?,
            first_sent_at_ms: row.get(5)?,
            sends: row.get(6)?,
            reference: row.get(7)?,
            done_at_ms: row.get(8)?,
            missing: row.get(9)?,
        })
    })?
    .collect()
}

/// As many as are shown, oldest first.
fn tries(tx: &Transaction<'_>, entry: i64) -> rusqlite::Result<Vec<Try>> {
    let mut tries: Vec<Try> = tx
        .prepare_cached(
            "SELECT number, started_at_ms, ended_at_ms, stage, outcome, words FROM attempt
             WHERE entry = :entry ORDER BY fence DESC LIMIT 200",
        )?
        .query_map(named_params! {":entry": entry}, |row| {
            Ok(Try {
                number: row.get(0)?,
                started_at_ms: row.get(1)?,
                ended_at_ms: row.get(2)?,
                stage: row.get(3)?,
                outcome: row.get(4)?,
                words: row.get(5)?,
            })
        })?
        .collect::<rusqlite::Result<_>>()?;
    tries.reverse();
    Ok(tries)
}

fn owed(tx: &Transaction<'_>, entry: i64, place: &impl Fn(i64) -> usize) -> rusqlite::Result<Vec<Owed>> {
    tx.prepare_cached("SELECT destination, login, since_ms FROM late_look WHERE entry = :entry")?
        .query_map(named_params! {":entry": entry}, |row| {
            Ok(Owed { destination: place(row.get(0)?), login: row.get(1)?, since_ms: row.get(2)? })
        })?
        .collect()
}

/// A draft on its way out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DraftOut {
    /// Its row.
    pub id: i64,
    /// What is written down.
    pub draft: Draft,
    /// Where the bytes of its attachments lie.
    pub files: Vec<String>,
}

/// The drafts that hold anything, oldest first.
pub fn drafts(tx: &Transaction<'_>, place: &impl Fn(i64) -> usize) -> rusqlite::Result<Vec<DraftOut>> {
    let mut drafts = super::draft::all(tx)?;
    drafts.sort_by_key(|draft| draft.id);
    drafts
        .into_iter()
        .map(|draft| {
            let (attachments, files, _) = attachments(tx, "draft", draft.id)?;
            Ok(DraftOut {
                id: draft.id,
                draft: Draft {
                    key: draft.key,
                    destination: draft.destination.map(place),
                    title: draft.title,
                    body: draft.body,
                    labels: draft.labels,
                    milestone: draft.milestone,
                    assignees: draft.assignees,
                    edited_at_ms: draft.edited_at_ms,
                    elsewhere_since_ms: super::elsewhere::draft_since(tx, draft.id)?,
                    attachments,
                },
                files,
            })
        })
        .collect()
}

/// Whether an entry is still to be filed, or waits for somebody, or could be put back.
pub fn is_open(out: &Out) -> bool {
    out.entry.state != EntryState::Filed
}
