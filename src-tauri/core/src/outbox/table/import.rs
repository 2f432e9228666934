//! Rows of what came in an archive. Whatever is not filed is in doubt: see `elsewhere`.

use rusqlite::{OptionalExtension, named_params};
use uuid::Uuid;

use super::draft::{Owner, insert_attachment};
use super::elsewhere::{Generation, doubt};
use super::enqueue::{assignees, labels};
use crate::archive::{Attachment, Draft, Entry, Stub, Try, Wish};
use crate::capture::Kept;
use crate::clock::Now;
use crate::issue::{Destination, Key, StageKind};
use crate::outbox::arrival::Arrival;
use crate::store::Transaction;
use crate::view::{EntryState, StageState};

/// An entry that is here under a key already.
#[derive(Debug)]
pub struct Here {
    /// Its row.
    pub id: i64,
    /// Whether it went to another computer, and is filed by nobody here.
    pub has_gone: bool,
    /// Whether it came as a copy and is held, so that nobody files it here either.
    pub is_held_copy: bool,
    /// How far it has come: whether the issue exists, the version of its words, the steps that are done.
    pub progress: (bool, i64, usize),
}

/// How far an entry of an archive has come.
pub fn progress(entry: &Entry) -> (bool, i64, usize) {
    let done = entry.stages.iter().filter(|stage| stage.state == StageState::Done).count();
    (entry.receipt.is_some(), entry.revision, done)
}

/// The entry under this key.
pub fn here(tx: &Transaction<'_>, key: Key) -> rusqlite::Result<Option<Here>> {
    tx.prepare_cached(
        "SELECT id, state = 'withdrawn' AND coalesce(reason IN ('moving', 'moved'), 0), receipt IS NOT NULL, revision,
                (SELECT count(*) FROM stage WHERE stage.entry = entry.id AND stage.state = 'done'),
                state = 'attention' AND reason = 'copy'
         FROM entry WHERE key = :key",
    )?
    .query_row(named_params! {":key": key.to_string()}, |row| {
        let done: u32 = row.get(4)?;
        Ok(Here {
            id: row.get(0)?,
            has_gone: row.get(1)?,
            is_held_copy: row.get(5)?,
            progress: (row.get(2)?, row.get(3)?, done as usize),
        })
    })
    .optional()
}

/// The draft under this key.
pub fn draft_here(tx: &Transaction<'_>, key: Key) -> rusqlite::Result<Option<i64>> {
    tx.prepare_cached("SELECT id FROM draft WHERE key = :key")?
        .query_row(named_params! {":key": key.to_string()}, |row| row.get(0))
        .optional()
}

/// Takes an entry away that another one is to stand for. Returns its files, to erase.
pub fn delete(tx: &Transaction<'_>, entry: i64) -> rusqlite::Result<Vec<String>> {
    let files = tx
        .prepare_cached("SELECT file FROM attachment WHERE entry = :entry AND erased_at_ms IS NULL")?
        .query_map(named_params! {":entry": entry}, |row| row.get(0))?
        .collect::<rusqlite::Result<_>>()?;
    tx.prepare_cached("UPDATE entry SET receipt = NULL WHERE id = :entry")?
        .execute(named_params! {":entry": entry})?;
    tx.prepare_cached("DELETE FROM entry WHERE id = :entry")?.execute(named_params! {":entry": entry})?;
    Ok(files)
}

/// What else has to be known to write an entry down.
#[derive(Debug)]
pub struct Setting<'a> {
    /// The destinations of the archive, as they are called here.
    pub places: &'a [i64],
    /// What is not filed is older than this.
    pub generation: &'a Generation,
    /// Whether it may have been sent to any destination.
    pub anywhere: bool,
    /// When the archive was made, wall.
    pub made_at_ms: i64,
}

/// Writes an entry down, under a number of its own unless it takes another's place.
pub fn entry(
    tx: &Transaction<'_>,
    entry: &Entry,
    arrival: &Arrival,
    kept: &[Option<Kept>],
    setting: &Setting<'_>,
    id: Option<i64>,
    now: &Now,
) -> rusqlite::Result<i64> {
    let place = |at: usize| setting.places[at];
    let (wish, wish_destination) =
        wished(entry.wish.filter(|_| arrival.state != EntryState::Filed), setting.places);
    let bytes: u64 = entry.attachments.iter().map(|attachment| attachment.size).sum();
    // A filed one needs its receipt first, which needs its entry.
    let id: i64 = tx
        .prepare_cached(
            "INSERT INTO entry (id, key, generation, destination, title, labels, milestone, assignees, bytes, revision,
                                state, saved_at_ms, filed_at_ms, changed_at_ms, due, send_at_ms, attempts, reason, words,
                                told, wish, wish_destination, fence)
             SELECT coalesce(:id, last_entry + 1), :key, generation, :destination, :title, :labels, :milestone,
                    :assignees, :bytes, :revision, 'withdrawn', :saved, :filed, :wall, coalesce(:send <= :wall, 1), :send, :attempts, :reason, :words,
                    :told, :wish, :wish_destination, :fence
             FROM meta RETURNING id",
        )?
        .query_row(
            named_params! {
                ":id": id, ":key": entry.key.to_string(), ":destination": place(entry.destination),
                ":title": entry.title, ":labels": labels(&entry.labels), ":milestone": entry.milestone,
                ":assignees": assignees(&entry.assignees),
                ":bytes": i64::try_from(bytes).unwrap_or(i64::MAX), ":revision": entry.revision,
                ":saved": entry.saved_at_ms,
                ":filed": entry.filed_at_ms.filter(|_| arrival.state == EntryState::Filed), ":wall": now.wall_ms,
                ":send": entry.send_at_ms, ":attempts": entry.attempts, ":reason": arrival.reason,
                ":words": arrival.words, ":told": entry.told, ":wish": wish, ":wish_destination": wish_destination,
                ":fence": setting.generation.fence,
            },
            |row| row.get(0),
        )?;
    tx.prepare_cached("INSERT INTO body (entry, text) VALUES (:entry, :text)")?
        .execute(named_params! {":entry": id, ":text": entry.body})?;
    if let Some(edit) = entry.edit.as_ref().filter(|_| arrival.state != EntryState::Filed) {
        let text = super::edit::Text {
            title: edit.title.clone(),
            body: edit.body.clone(),
            labels: edit.labels.clone(),
            milestone: edit.milestone.clone(),
            assignees: edit.assignees.clone(),
        };
        super::edit::wish(tx, id, &text)?;
    }
    let attachments = attach(tx, Owner::Entry(id), &entry.attachments, kept, now)?;
    stages(tx, id, entry, &attachments)?;
    if let Some(stub) = &entry.receipt {
        receipt(tx, id, stub, place(stub.destination))?;
    }
    for stub in &entry.sightings {
        sighting(tx, id, stub, place(stub.destination))?;
    }
    tries(tx, id, &entry.tries, now)?;
    for owed in &entry.owed {
        tx.prepare_cached(
            "INSERT INTO late_look (entry, destination, login, since_ms, due_ms, due_boot_id, due_wall_ms)
             VALUES (:entry, :destination, :login, :since, :boot + 60000, :boot_id, :wall + 60000)
             ON CONFLICT DO NOTHING",
        )?
        .execute(named_params! {
            ":entry": id, ":destination": place(owed.destination), ":login": owed.login, ":since": owed.since_ms,
            ":boot": now.boot_ms, ":boot_id": &*now.boot_id, ":wall": now.wall_ms,
        })?;
    }
    tx.prepare_cached("UPDATE entry SET state = :state WHERE id = :id")?
        .execute(named_params! {":state": word(arrival.state), ":id": id})?;
    if arrival.state != EntryState::Filed {
        let since_ms = entry.saved_at_ms.min(setting.made_at_ms);
        doubt(tx, id, setting.generation, setting.anywhere, since_ms, now)?;
    }
    Ok(id)
}

/// Puts an entry back that had gone to another computer, as it was then.
pub fn put_back(
    tx: &Transaction<'_>,
    id: i64,
    entry: &Entry,
    arrival: &Arrival,
    setting: &Setting<'_>,
    now: &Now,
) -> rusqlite::Result<()> {
    doubt(tx, id, setting.generation, true, now.wall_ms, now)?;
    super::act::retry(tx, id, now)?;
    let (wish, wish_destination) = wished(entry.wish, setting.places);
    tx.prepare_cached(
        "UPDATE entry SET state = :state, reason = :reason, words = :words, wish = :wish,
                wish_destination = :wish_destination
         WHERE id = :id",
    )?
    .execute(named_params! {
        ":state": word(arrival.state), ":reason": arrival.reason, ":words": arrival.words, ":wish": wish,
        ":wish_destination": wish_destination, ":id": id,
    })?;
    Ok(())
}

/// A wish as it is stored. To be tried now is nothing to wish for where it arrives.
fn wished(wish: Option<Wish>, places: &[i64]) -> (Option<&'static str>, Option<i64>) {
    match wish {
        Some(Wish::Withdraw) => (Some("withdraw"), None),
        Some(Wish::Move(to)) => (Some("move"), Some(places[to])),
        Some(Wish::Retry) | None => (None, None),
    }
}

const fn word(state: EntryState) -> &'static str {
    match state {
        EntryState::Waiting => "waiting",
        EntryState::Filed => "filed",
        EntryState::Attention => "attention",
        EntryState::Withdrawn => "withdrawn",
    }
}

/// The rows of attachments, in order. One whose bytes did not come is known by name.
fn attach(
    tx: &Transaction<'_>,
    owner: Owner,
    attachments: &[Attachment],
    kept: &[Option<Kept>],
    now: &Now,
) -> rusqlite::Result<Vec<i64>> {
    let mut numbers = Vec::with_capacity(attachments.len());
    for (attachment, kept) in attachments.iter().zip(kept) {
        let nothing = || Kept {
            name: attachment.name.clone(),
            media_type: attachment.media_type.clone(),
            size: attachment.size,
            sha256: attachment.sha256.clone(),
            file: Uuid::now_v7().to_string(),
            picture: attachment.picture,
        };
        let id = insert_attachment(tx, owner, &attachment.name, &kept.clone().unwrap_or_else(nothing))?;
        if kept.is_none() {
            tx.prepare_cached("UPDATE attachment SET erased_at_ms = :wall WHERE id = :id")?
                .execute(named_params! {":wall": now.wall_ms, ":id": id})?;
        }
        numbers.push(id);
    }
    Ok(numbers)
}

fn stages(tx: &Transaction<'_>, id: i64, entry: &Entry, attachments: &[i64]) -> rusqlite::Result<()> {
    for (ordinal, stage) in (1_i64..).zip(&entry.stages) {
        let state = if stage.state == StageState::Done { "done" } else { "open" };
        let attachment =
            stage.attachment.filter(|_| stage.kind == StageKind::Upload).map(|at| attachments[at]);
        tx.prepare_cached(
            "INSERT INTO stage (entry, ordinal, kind, attachment, state, attempt, sent_login, first_sent_at_ms, sends,
                                remote_ref, done_at_ms, missing)
             VALUES (:entry, :ordinal, :kind, :attachment, :state, CASE WHEN :anywhere THEN -1 END, :login, :first, :sends,
                     :reference, :done, :missing)",
        )?
        .execute(named_params! {
            ":entry": id, ":ordinal": ordinal, ":kind": stage.kind.word(), ":attachment": attachment,
            ":state": state, ":anywhere": stage.anywhere, ":login": stage.login, ":first": stage.first_sent_at_ms,
            ":sends": stage.sends, ":reference": stage.reference, ":done": stage.done_at_ms,
            ":missing": stage.missing,
        })?;
    }
    Ok(())
}

fn receipt(tx: &Transaction<'_>, entry: i64, stub: &Stub, destination: i64) -> rusqlite::Result<()> {
    tx.prepare_cached(
        "INSERT INTO receipt (entry, key, destination, number, url, at_ms)
         SELECT id, key, :destination, :number, :url, :at FROM entry WHERE id = :entry",
    )?
    .execute(named_params! {
        ":destination": destination, ":number": stub.receipt.number, ":url": stub.receipt.url, ":at": stub.at_ms,
        ":entry": entry,
    })?;
    tx.prepare_cached("UPDATE entry SET receipt = id WHERE id = :entry")?
        .execute(named_params! {":entry": entry})?;
    Ok(())
}

fn sighting(tx: &Transaction<'_>, entry: i64, stub: &Stub, destination: i64) -> rusqlite::Result<()> {
    tx.prepare_cached(
        "INSERT INTO sighting (entry, destination, number, url, seen_by, seen_at_ms)
         VALUES (:entry, :destination, :number, :url, 'another computer', :at) ON CONFLICT DO NOTHING",
    )?
    .execute(named_params! {
        ":entry": entry, ":destination": destination, ":number": stub.receipt.number, ":url": stub.receipt.url,
        ":at": stub.at_ms,
    })?;
    Ok(())
}

/// Tries are known by fences, which are this store's own.
fn tries(tx: &Transaction<'_>, entry: i64, tries: &[Try], now: &Now) -> rusqlite::Result<()> {
    for attempt in tries {
        let fence = super::next_fence(tx)?;
        let is_over = attempt.ended_at_ms.is_some() && attempt.outcome.as_deref().is_some_and(is_outcome);
        tx.prepare_cached(
            "INSERT INTO attempt (entry, fence, number, started_at_ms, ended_at_ms, stage, outcome, words)
             VALUES (:entry, :fence, :number, :started, :ended, :stage, :outcome, :words)",
        )?
        .execute(named_params! {
            ":entry": entry, ":fence": fence, ":number": attempt.number.filter(|_| is_over),
            ":started": attempt.started_at_ms, ":ended": if is_over { attempt.ended_at_ms } else { Some(now.wall_ms) },
            ":stage": attempt.stage, ":outcome": if is_over { attempt.outcome.as_deref() } else { Some("lost") },
            ":words": if is_over { attempt.words.as_deref() } else { Some("The outbox began anew.") },
        })?;
    }
    Ok(())
}

fn is_outcome(word: &str) -> bool {
    matches!(
        word,
        "filed"
            | "released"
            | "not_sent"
            | "refused"
            | "sign_in"
            | "rate_limit"
            | "doubt"
            | "looked"
            | "local"
            | "lost"
            | "died"
            | "panicked"
    )
}

/// Writes a draft down.
pub fn draft(
    tx: &Transaction<'_>,
    draft: &Draft,
    kept: &[Option<Kept>],
    setting: &Setting<'_>,
    now: &Now,
) -> rusqlite::Result<()> {
    let since_ms = draft.elsewhere_since_ms.unwrap_or(setting.made_at_ms).min(setting.made_at_ms);
    tx.prepare_cached(
        "INSERT INTO draft (key, destination, title, body, labels, milestone, assignees, edited_at_ms, elsewhere_since_ms)
         VALUES (:key, :destination, :title, :body, :labels, :milestone, :assignees, :edited, :since)",
    )?
    .execute(named_params! {
        ":key": draft.key.to_string(), ":destination": draft.destination.map(|at| setting.places[at]),
        ":title": draft.title, ":body": draft.body, ":labels": labels(&draft.labels), ":milestone": draft.milestone,
        ":assignees": assignees(&draft.assignees), ":edited": draft.edited_at_ms, ":since": since_ms,
    })?;
    attach(tx, Owner::Draft(tx.last_insert_rowid()), &draft.attachments, kept, now)?;
    Ok(())
}

/// The destinations that are here, with whether each was removed; those in sight first.
pub fn destinations(tx: &Transaction<'_>) -> rusqlite::Result<Vec<(Destination, bool)>> {
    let mut all = super::export::destinations(tx)?;
    all.sort_by_key(|(_, removed)| *removed);
    Ok(all)
}

/// How many entries are live, and how many bytes they have.
pub fn live(tx: &Transaction<'_>) -> rusqlite::Result<(u64, u64)> {
    tx.prepare_cached("SELECT live_entries, live_bytes FROM meta")?
        .query_row([], |row| Ok((row.get::<_, i64>(0)?.unsigned_abs(), row.get::<_, i64>(1)?.unsigned_abs())))
}
