//! Intent, settle, close and sighting: everything a worker writes about an entry it has claimed.

use rusqlite::{OptionalExtension, named_params};

use super::act::honour;
use super::{one, owner_of};
use crate::clock::Now;
use crate::fault::mistake;
use crate::issue::Receipt;
use crate::outbox::fate::{End, Settlement, StageMark};
use crate::outbox::lease::{Fenced, Lease};
use crate::outbox::table::work::Sighting;
use crate::store::Transaction;

/// What an intent says: a stage is about to be sent.
#[derive(Debug, Clone)]
pub struct Intend<'a> {
    /// Which stage.
    pub ordinal: i64,
    /// The process that sends.
    pub sender: &'a str,
    /// To where.
    pub destination: i64,
    /// As whom, where known.
    pub login: Option<&'a str>,
    /// The entry's revision that was read.
    pub revision: i64,
    /// What travels: frozen by the first intent.
    pub body_hash: &'a str,
    /// The attempt of the earlier intent that a look has just cleared.
    pub cleared: Option<i64>,
}

/// What an intent came to while the lease held.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Intended {
    /// It is durable: send.
    Noted,
    /// A person's wish, an edit or a sighting stands in the way: give the entry back.
    StandAside,
}

/// Commits the intent under the fence. Unless it says `Noted`, nothing may leave this computer.
pub fn intend(
    tx: &Transaction<'_>,
    lease: &Lease,
    intend: &Intend<'_>,
    now: &Now,
) -> rusqlite::Result<Fenced<Intended>> {
    let (owner, early);
    let (lease, checked) = if mistake("intend_unfenced") {
        (owner, early) = (owner_of(tx, lease)?, Now { boot_ms: i64::MIN, ..now.clone() });
        (&owner, &early)
    } else {
        (lease, now)
    };
    let owned: bool = tx
        .prepare_cached(
            "SELECT EXISTS (SELECT 1 FROM entry WHERE id = :entry AND claim_token = :token AND fence = :fence
               AND lease_boot_id = :boot_id AND lease_until_ms > :boot)",
        )?
        .query_row(
            named_params! {
                ":entry": lease.entry, ":token": lease.token, ":fence": lease.fence, ":boot_id": &*now.boot_id,
                ":boot": checked.boot_ms,
            },
            |row| row.get(0),
        )?;
    if !owned {
        return Ok(Fenced::Lost);
    }
    let clear = tx
        .prepare_cached(
            "UPDATE entry SET body_hash = :body_hash
             WHERE id = :entry AND fence = :fence AND revision = :revision
               AND (wish IS NULL OR wish = 'retry' OR receipt IS NOT NULL)
               AND (receipt IS NOT NULL OR NOT EXISTS (SELECT 1 FROM edit WHERE edit.entry = :entry))
               AND NOT (:create AND EXISTS (SELECT 1 FROM sighting WHERE sighting.entry = :entry))",
        )?
        .execute(named_params! {
            ":body_hash": intend.body_hash, ":entry": lease.entry, ":fence": lease.fence,
            ":revision": intend.revision, ":create": is_create(tx, lease.entry, intend.ordinal)? && !mistake("intend_despite_a_sighting"),
        })?;
    if !one(clear) && !mistake("intend_despite_a_wish") {
        return Ok(Fenced::Held(Intended::StandAside));
    }
    let noted = tx
        .prepare_cached(
            "UPDATE stage SET state = 'sent', attempt = :attempt, sender = :sender, sent_destination = :destination,
                    sent_login = :login, sent_at_ms = :wall, sent_boot_id = :boot_id,
                    first_sent_at_ms = coalesce(first_sent_at_ms, :wall), sends = sends + 1, send_again = 0
             WHERE entry = :entry AND ordinal = :ordinal
               AND (state = 'open' OR (state IN ('sent', 'doubt') AND attempt = :cleared))",
        )?
        .execute(named_params! {
            ":attempt": lease.fence, ":sender": intend.sender, ":destination": intend.destination,
            ":login": intend.login, ":wall": now.wall_ms, ":boot_id": &*now.boot_id, ":entry": lease.entry,
            ":ordinal": intend.ordinal, ":cleared": intend.cleared,
        })?;
    Ok(Fenced::Held(if one(noted) { Intended::Noted } else { Intended::StandAside }))
}

fn is_create(tx: &Transaction<'_>, entry: i64, ordinal: i64) -> rusqlite::Result<bool> {
    tx.prepare_cached("SELECT kind = 'create' FROM stage WHERE entry = :entry AND ordinal = :ordinal")?
        .query_row(named_params! {":entry": entry, ":ordinal": ordinal}, |row| row.get(0))
}

/// Settles: stage, entry, attempt and lane in one transaction, only with the current token and fence. Expiry is not
/// asked: a known result is accepted late while nobody has claimed since.
pub fn settle(
    tx: &Transaction<'_>,
    lease: &Lease,
    ordinal: Option<i64>,
    settlement: &Settlement,
    credential_rev: i64,
    now: &Now,
) -> rusqlite::Result<Fenced<()>> {
    let mistaken;
    let lease = if mistake("settle_unfenced") {
        mistaken = owner_of(tx, lease)?;
        &mistaken
    } else if mistake("settle_by_token_alone") {
        mistaken = Lease { fence: owner_of(tx, lease)?.fence, ..lease.clone() };
        &mistaken
    } else {
        lease
    };
    let destination: Option<i64> = tx
        .prepare_cached(
            "SELECT destination FROM entry WHERE id = :entry AND claim_token = :token AND fence = :fence",
        )?
        .query_row(
            named_params! {":entry": lease.entry, ":token": lease.token, ":fence": lease.fence},
            |row| row.get(0),
        )
        .optional()?;
    let Some(destination) = destination else { return Ok(Fenced::Lost) };
    if let Some(ordinal) = ordinal {
        mark_stage(tx, lease.entry, ordinal, &settlement.stage, destination, now)?;
    }
    let credential_rev = if mistake("late_401_holds") {
        super::lane::credential(tx, destination)?.rev
    } else {
        credential_rev
    };
    super::lane::mark(tx, destination, &settlement.lane, credential_rev, now)?;
    if let Some(end) = &settlement.end {
        finish(tx, lease, ordinal, end, now)?;
        if !matches!(end, End::Complete) {
            honour(tx, lease.entry, now)?;
        }
    }
    if let StageMark::Done { login: Some(login), .. } = &settlement.stage {
        super::lane::learn_login(tx, destination, login)?;
    }
    Ok(Fenced::Held(()))
}

/// Records what a stage has become.
pub fn mark_stage(
    tx: &Transaction<'_>,
    entry: i64,
    ordinal: i64,
    mark: &StageMark,
    destination: i64,
    now: &Now,
) -> rusqlite::Result<()> {
    let params = (entry, ordinal);
    match mark {
        StageMark::Untouched => {}
        StageMark::Open => {
            tx.prepare_cached(
                "UPDATE stage SET state = 'open' WHERE entry = ?1 AND ordinal = ?2 AND state <> 'done'",
            )?
            .execute(params)?;
        }
        StageMark::Doubt => {
            tx.prepare_cached(
                "UPDATE stage SET state = 'doubt' WHERE entry = ?1 AND ordinal = ?2 AND state = 'sent'",
            )?
            .execute(params)?;
        }
        StageMark::Missing { words } => {
            tx.prepare_cached(
                "UPDATE stage SET state = 'done', done_at_ms = :wall, missing = :words
                 WHERE entry = :entry AND ordinal = :ordinal AND state <> 'done'",
            )?
            .execute(named_params! {
                ":wall": now.wall_ms, ":words": words, ":entry": entry, ":ordinal": ordinal,
            })?;
        }
        StageMark::Done { reference, receipt, told, .. } => {
            if let Some(told) = told {
                tx.prepare_cached("UPDATE entry SET told = :told WHERE id = :entry")?
                    .execute(named_params! {":told": told, ":entry": entry})?;
            }
            tx.prepare_cached(
                "UPDATE stage SET state = 'done', done_at_ms = :wall, remote_ref = :reference, missing = NULL
                 WHERE entry = :entry AND ordinal = :ordinal AND state <> 'done'",
            )?
            .execute(named_params! {
                ":wall": now.wall_ms, ":reference": reference, ":entry": entry, ":ordinal": ordinal,
            })?;
            if let Some(receipt) = receipt {
                keep_receipt(tx, entry, destination, receipt, now)?;
                super::late::owe(tx, entry, ordinal, now)?;
            }
        }
    }
    Ok(())
}

/// Keeps the one receipt of an entry. A second one changes nothing: the first stands.
pub fn keep_receipt(
    tx: &Transaction<'_>,
    entry: i64,
    destination: i64,
    receipt: &Receipt,
    now: &Now,
) -> rusqlite::Result<()> {
    tx.prepare_cached(
        "INSERT INTO receipt (entry, key, destination, number, url, at_ms)
         SELECT id, key, :destination, :number, :url, :wall FROM entry WHERE id = :entry
         ON CONFLICT DO NOTHING",
    )?
    .execute(named_params! {
        ":destination": destination, ":number": receipt.number, ":url": receipt.url, ":wall": now.wall_ms,
        ":entry": entry,
    })?;
    tx.prepare_cached(
        "UPDATE entry SET receipt = (SELECT entry FROM receipt WHERE entry = :entry) WHERE id = :entry",
    )?
    .execute(named_params! {":entry": entry})?;
    Ok(())
}

/// Gives the lease back and ends the attempt.
fn finish(
    tx: &Transaction<'_>,
    lease: &Lease,
    ordinal: Option<i64>,
    end: &End,
    now: &Now,
) -> rusqlite::Result<()> {
    let (outcome, words, counts) = match end {
        End::Complete => ("filed", None, true),
        End::Release { outcome, words } => (outcome.word(), Some(words), mistake("releases_count")),
        End::Defer { outcome, words, counts, .. } => (outcome.word(), Some(words), *counts),
        End::Attention { outcome, words, .. } => (outcome.word(), Some(words), true),
    };
    tx.prepare_cached(
        "UPDATE attempt SET ended_at_ms = :wall, outcome = :outcome, words = :words, stage = :stage,
                number = CASE WHEN :counts THEN number END
         WHERE entry = :entry AND fence = :fence",
    )?
    .execute(named_params! {
        ":wall": now.wall_ms, ":outcome": outcome, ":words": words, ":stage": ordinal, ":counts": counts,
        ":entry": lease.entry, ":fence": lease.fence,
    })?;
    if let End::Complete = end {
        return file(tx, lease.entry, now);
    }
    tx.prepare_cached(
        "UPDATE entry SET claim_token = NULL, lease_owner = NULL, lease_until_ms = NULL, lease_boot_id = NULL,
                attempts = attempts - NOT :counts, budget_used = budget_used - NOT :counts, changed_at_ms = :wall,
                trying_since_ms = CASE WHEN budget_used > NOT :counts THEN trying_since_ms END,
                trying_boot_id = CASE WHEN budget_used > NOT :counts THEN trying_boot_id END,
                words = coalesce(:words, words)
         WHERE id = :entry",
    )?
    .execute(named_params! {":counts": counts, ":wall": now.wall_ms, ":words": words, ":entry": lease.entry})?;
    match end {
        End::Complete | End::Release { .. } => {}
        End::Defer { not_before_ms, .. } => defer(tx, lease.entry, *not_before_ms, now)?,
        End::Attention { reason, .. } => {
            tx.prepare_cached("UPDATE entry SET state = 'attention', reason = :reason WHERE id = :entry")?
                .execute(named_params! {":reason": reason, ":entry": lease.entry})?;
        }
    }
    // Somebody has seen it meanwhile: then it neither waits nor needs anybody.
    if is_news(tx, lease.entry)? && !mistake("sightings_wake_nobody") {
        wake(tx, lease.entry, now)?;
    }
    Ok(())
}

/// Whether the issue was seen, and the entry does not know it yet.
fn is_news(tx: &Transaction<'_>, entry: i64) -> rusqlite::Result<bool> {
    tx.prepare_cached(
        "SELECT receipt IS NULL AND EXISTS (SELECT 1 FROM sighting WHERE sighting.entry = entry.id)
         FROM entry WHERE id = :entry",
    )?
    .query_row(named_params! {":entry": entry}, |row| row.get(0))
}

/// Makes an entry due now that nobody works on, unless it is filed.
pub fn wake(tx: &Transaction<'_>, entry: i64, now: &Now) -> rusqlite::Result<()> {
    tx.prepare_cached(
        "UPDATE entry SET state = 'waiting', due = 1, reason = NULL, changed_at_ms = :wall,
                told = CASE WHEN state = 'withdrawn' THEN 'It had already been sent when it was taken back.' ELSE told END,
                not_before_ms = NULL, not_before_boot_id = NULL, not_before_wall_ms = NULL
         WHERE id = :entry AND claim_token IS NULL AND state IN ('waiting', 'attention', 'withdrawn')",
    )?
    .execute(named_params! {":entry": entry, ":wall": now.wall_ms})?;
    Ok(())
}

/// The entry is filed, and nobody's any more. What a person wished for meanwhile came too late, and is told so. One that
/// was filed without some of its files is for the person.
pub fn file(tx: &Transaction<'_>, entry: i64, now: &Now) -> rusqlite::Result<()> {
    let missing = super::missing::words(tx, entry)?.filter(|_| !mistake("file_without_a_word"));
    tx.prepare_cached(
        "UPDATE entry SET state = CASE WHEN :missing IS NULL THEN 'filed' ELSE 'attention' END,
                filed_at_ms = :wall, changed_at_ms = :wall, due = 1,
                reason = CASE WHEN :missing IS NOT NULL THEN 'incomplete' END,
                claim_token = NULL, lease_owner = NULL, lease_until_ms = NULL, lease_boot_id = NULL,
                words = CASE WHEN :missing IS NOT NULL THEN :missing || coalesce(' ' || told, '')
                  WHEN wish IN ('withdraw', 'move') OR EXISTS (SELECT 1 FROM edit WHERE edit.entry = :entry)
                  THEN 'It had already been filed as #' || (SELECT number FROM receipt WHERE receipt.entry = :entry)
                       || '.' ELSE told END,
                wish = NULL, wish_destination = NULL,
                not_before_ms = NULL, not_before_boot_id = NULL, not_before_wall_ms = NULL
         WHERE id = :entry",
    )?
    .execute(named_params! {":wall": now.wall_ms, ":missing": missing, ":entry": entry})?;
    super::edit::drop_wish(tx, entry)?;
    tell_twice(tx, entry, now)
}

/// A filed entry that exists more than once says so: two issues under one key are never multiplied, and never hidden.
pub fn tell_twice(tx: &Transaction<'_>, entry: i64, now: &Now) -> rusqlite::Result<()> {
    let was_seen: bool = tx
        .prepare_cached("SELECT EXISTS (SELECT 1 FROM sighting WHERE entry = :entry)")?
        .query_row(named_params! {":entry": entry}, |row| row.get(0))?;
    if !was_seen {
        return Ok(());
    }
    tx.prepare_cached(
        "WITH place AS (
           SELECT destination, number FROM receipt WHERE entry = :entry
           UNION SELECT destination, number FROM sighting WHERE entry = :entry)
         UPDATE entry SET changed_at_ms = :wall,
                words = 'It is there more than once: #' || (SELECT group_concat(number, ', #') FROM place)
                        || '. Close all but one at the tracker.'
         WHERE id = :entry AND state = 'filed' AND (SELECT count(*) FROM place) > 1",
    )?
    .execute(named_params! {":entry": entry, ":wall": now.wall_ms})?;
    Ok(())
}

/// Sets when an entry is tried next.
pub fn defer(tx: &Transaction<'_>, entry: i64, not_before_ms: i64, now: &Now) -> rusqlite::Result<()> {
    tx.prepare_cached(
        "UPDATE entry SET due = 0, not_before_ms = :boot, not_before_boot_id = :boot_id, not_before_wall_ms = :wall
         WHERE id = :entry",
    )?
    .execute(named_params! {
        ":boot": not_before_ms, ":boot_id": &*now.boot_id, ":wall": now.wall_of_boot(not_before_ms), ":entry": entry,
    })?;
    Ok(())
}

/// A sender records that its connection is gone. Needs no fence: it is true whoever owns the entry now.
pub fn close(
    tx: &Transaction<'_>,
    entry: i64,
    ordinal: i64,
    attempt: i64,
    how: &str,
    now: &Now,
) -> rusqlite::Result<()> {
    tx.prepare_cached(
        "INSERT INTO close (entry, ordinal, attempt, how, gone_at_ms, gone_awake_ms, gone_boot_id)
         VALUES (:entry, :ordinal, :attempt, :how, :wall, :awake, :boot_id) ON CONFLICT DO NOTHING",
    )?
    .execute(named_params! {
        ":entry": entry, ":ordinal": ordinal, ":attempt": attempt, ":how": how, ":wall": now.wall_ms,
        ":awake": now.awake_ms, ":boot_id": &*now.boot_id,
    })?;
    Ok(())
}

/// Says that the issue exists. Needs no fence either. An entry that waits for a person, or was taken back, becomes due
/// again, so that it ends told as filed.
pub fn sight(
    tx: &Transaction<'_>,
    entry: i64,
    destination: i64,
    receipt: &Receipt,
    seen_by: &str,
    now: &Now,
) -> rusqlite::Result<()> {
    tx.prepare_cached(
        "INSERT INTO sighting (entry, destination, number, url, seen_by, seen_at_ms)
         VALUES (:entry, :destination, :number, :url, :seen_by, :wall) ON CONFLICT DO NOTHING",
    )?
    .execute(named_params! {
        ":entry": entry, ":destination": destination, ":number": receipt.number, ":url": receipt.url,
        ":seen_by": seen_by, ":wall": now.wall_ms,
    })?;
    // The later stages of an entry that has its receipt go on as they are.
    if is_news(tx, entry)? && !mistake("sightings_wake_nobody") {
        wake(tx, entry, now)?;
    }
    tell_twice(tx, entry, now)
}

/// The issue exists at another destination than the entry is for: the entry follows it there, under its lease.
pub fn follow(
    tx: &Transaction<'_>,
    lease: &Lease,
    sighting: &Sighting,
    now: &Now,
) -> rusqlite::Result<Fenced<()>> {
    let followed = tx
        .prepare_cached(
            "UPDATE entry SET destination = :destination, changed_at_ms = :wall
             WHERE id = :entry AND claim_token = :token AND fence = :fence",
        )?
        .execute(named_params! {
            ":destination": sighting.destination, ":wall": now.wall_ms, ":entry": lease.entry,
            ":token": lease.token, ":fence": lease.fence,
        })?;
    if !one(followed) {
        return Ok(Fenced::Lost);
    }
    super::enqueue::plan_stages(tx, lease.entry)?;
    Ok(Fenced::Held(()))
}

/// A worker stumbled: as when it is abandoned, and its crashes are counted.
pub fn stumble(tx: &Transaction<'_>, lease: &Lease, now: &Now) -> rusqlite::Result<()> {
    tx.prepare_cached(
        "UPDATE entry SET crashes = crashes + 1 WHERE id = :entry AND claim_token = :token AND fence = :fence",
    )?
    .execute(named_params! {":entry": lease.entry, ":token": lease.token, ":fence": lease.fence})?;
    abandon(tx, lease, now)
}

/// A worker has ended without a settle: its own intents are closed, and the entry is given back.
pub fn abandon(tx: &Transaction<'_>, lease: &Lease, now: &Now) -> rusqlite::Result<()> {
    tx.prepare_cached(
        "INSERT INTO close (entry, ordinal, attempt, how, gone_at_ms, gone_awake_ms, gone_boot_id)
         SELECT entry, ordinal, attempt, 'died', :wall, :awake, :boot_id FROM stage
         WHERE entry = :entry AND state IN ('sent', 'doubt') AND attempt = :attempt
         ON CONFLICT DO NOTHING",
    )?
    .execute(named_params! {
        ":wall": now.wall_ms, ":awake": now.awake_ms, ":boot_id": &*now.boot_id, ":entry": lease.entry,
        ":attempt": lease.fence,
    })?;
    let held = tx
        .prepare_cached(
            "UPDATE entry SET claim_token = NULL, lease_owner = NULL, lease_until_ms = NULL,
                    lease_boot_id = NULL, changed_at_ms = :wall
             WHERE id = :entry AND claim_token = :token AND fence = :fence",
        )?
        .execute(named_params! {
            ":wall": now.wall_ms, ":entry": lease.entry, ":token": lease.token, ":fence": lease.fence,
        })?;
    if one(held) {
        tx.prepare_cached(
            "UPDATE attempt SET ended_at_ms = :wall, outcome = 'panicked', words = 'Outtray stumbled over it.'
             WHERE entry = :entry AND fence = :fence AND ended_at_ms IS NULL",
        )?
        .execute(named_params! {":wall": now.wall_ms, ":entry": lease.entry, ":fence": lease.fence})?;
        honour(tx, lease.entry, now)?;
    }
    Ok(())
}
