//! What a person does to an entry. Every act bumps the fence, so that whoever still works on it is displaced.

use rusqlite::{OptionalExtension, named_params};

use super::next_fence;
use crate::clock::Now;
use crate::fault::mistake;
use crate::outbox::act::Standing;
use crate::outbox::doubt::readiness;
use crate::problem::Result;
use crate::settings::Settings;
use crate::store::Transaction;
use crate::view::EntryState;

/// Reads how an entry stands; nothing when there is no such entry.
pub fn standing(tx: &Transaction<'_>, entry: i64, now: &Now) -> rusqlite::Result<Option<Standing>> {
    let found = tx
        .prepare_cached(
            "SELECT entry.state,
                    claim_token IS NOT NULL AND lease_boot_id = :boot_id AND lease_until_ms > :boot,
                    coalesce((SELECT number FROM receipt WHERE receipt.entry = entry.id),
                             (SELECT number FROM sighting WHERE sighting.entry = entry.id ORDER BY seen_at_ms LIMIT 1)),
                    destination.tracker, entry.state = 'attention' AND entry.reason = 'copy',
                    entry.state = 'attention' AND entry.reason = 'incomplete'
             FROM entry JOIN destination ON destination.id = entry.destination WHERE entry.id = :entry",
        )?
        .query_row(
            named_params! {":entry": entry, ":boot_id": &*now.boot_id, ":boot": now.boot_ms},
            |row| {
                let standing = Standing {
                    state: super::rows::state(row, 0)?,
                    leased: row.get(1)?,
                    doubt: None,
                    exists: row.get(2)?,
                    is_held_copy: row.get(4)?,
                    is_incomplete: row.get(5)?,
                };
                Ok((standing, super::rows::tracker(row, 3)?))
            },
        )
        .optional()?;
    let Some((standing, tracker)) = found else { return Ok(None) };
    let doubt = match super::work::doubt(tx, entry)? {
        Some((intent, gone)) => {
            let quiet_ms = Settings::from_rows(super::setting::all(tx)?).quiet_ms;
            Some(readiness(&intent, gone.as_ref(), now, quiet_ms.unwrap_or_else(|| tracker.quiet_ms())))
        }
        None => None,
    };
    Ok(Some(Standing { doubt, ..standing }))
}

/// Records a wish; the last one stands.
pub fn wish(tx: &Transaction<'_>, entry: i64, wish: &str, destination: Option<i64>) -> rusqlite::Result<()> {
    tx.prepare_cached("UPDATE entry SET wish = :wish, wish_destination = :destination WHERE id = :entry")?
        .execute(named_params! {":wish": wish, ":destination": destination, ":entry": entry})?;
    Ok(())
}

/// Honours a wish at the end of an attempt, unless something is in doubt or the issue exists.
pub fn honour(tx: &Transaction<'_>, entry: i64, now: &Now) -> rusqlite::Result<()> {
    let wish: Option<(String, Option<i64>)> = tx
        .prepare_cached("SELECT wish, wish_destination FROM entry WHERE id = :entry AND wish IS NOT NULL")?
        .query_row(named_params! {":entry": entry}, |row| Ok((row.get(0)?, row.get(1)?)))
        .optional()?;
    let edit = super::edit::wished(tx, entry)?;
    let (wish, destination) = match wish {
        Some((wish, destination)) => (Some(wish), destination),
        None if edit.is_none() => return Ok(()),
        None => (None, None),
    };
    if edit.is_none() && wish.as_deref() == Some("retry") {
        return retry(tx, entry, now);
    }
    let Some(standing) = standing(tx, entry, now)? else { return Ok(()) };
    if standing.leased {
        return Ok(());
    }
    if let Some(number) = standing.exists {
        tx.prepare_cached(
            "UPDATE entry SET wish = NULL, wish_destination = NULL, told = 'It had already been filed as #' || :number || '.'
             WHERE id = :entry",
        )?
        .execute(named_params! {":number": number, ":entry": entry})?;
        return super::edit::drop_wish(tx, entry);
    }
    if standing.doubt.is_some() && !mistake("honour_wishes_in_doubt") {
        return Ok(());
    }
    if let Some(text) = edit {
        super::edit::change(tx, entry, &text)?;
    }
    match (wish.as_deref(), destination) {
        (Some("move"), Some(destination)) => move_to(tx, entry, destination, now),
        (Some("withdraw"), _) => withdraw(tx, entry, now),
        _ => retry(tx, entry, now),
    }
}

const FREE: &str = "claim_token = NULL, lease_owner = NULL, lease_until_ms = NULL, lease_boot_id = NULL";

/// Due now, with a fresh budget, and the lane's pause between probes is over. Holds that the tracker or a person
/// imposed stay; a sign-in hold gets its one more try.
pub fn retry(tx: &Transaction<'_>, entry: i64, now: &Now) -> rusqlite::Result<()> {
    end_attempt(tx, entry, now)?;
    super::missing::reopen(tx, entry)?;
    let fence = next_fence(tx)?;
    let destination: i64 = tx
        .prepare_cached(&format!(
            "UPDATE entry SET state = 'waiting', due = 1, send_at_ms = NULL, not_before_ms = NULL,
                    not_before_boot_id = NULL, not_before_wall_ms = NULL, budget_used = 0, crashes = 0,
                    trying_since_ms = NULL, trying_boot_id = NULL, reason = NULL, wish = NULL, wish_destination = NULL, fence = :fence,
                    changed_at_ms = :wall, {FREE}
             WHERE id = :entry RETURNING destination"
        ))?
        .query_row(named_params! {":fence": fence, ":wall": now.wall_ms, ":entry": entry}, |row| row.get(0))?;
    super::lane::free(tx, destination, &["trouble", "sign_in"])?;
    Ok(())
}

/// Ends the attempt of a worker that an act displaces: it does not count, and the next claim takes nothing over.
fn end_attempt(tx: &Transaction<'_>, entry: i64, now: &Now) -> rusqlite::Result<()> {
    tx.prepare_cached(
        "UPDATE attempt SET ended_at_ms = :wall, outcome = 'lost', number = NULL, words = 'Its worker lost the lease.'
         WHERE entry = :entry AND ended_at_ms IS NULL",
    )?
    .execute(named_params! {":wall": now.wall_ms, ":entry": entry})?;
    Ok(())
}

/// Displaces whoever still holds it, under a new fence.
pub fn displace(tx: &Transaction<'_>, entry: i64, now: &Now) -> rusqlite::Result<()> {
    end_attempt(tx, entry, now)?;
    let fence = next_fence(tx)?;
    tx.prepare_cached(&format!("UPDATE entry SET fence = :fence, {FREE} WHERE id = :entry"))?
        .execute(named_params! {":fence": fence, ":entry": entry})?;
    Ok(())
}

/// Takes it back.
pub fn withdraw(tx: &Transaction<'_>, entry: i64, now: &Now) -> rusqlite::Result<()> {
    end_attempt(tx, entry, now)?;
    let fence = next_fence(tx)?;
    tx.prepare_cached(&format!(
        "UPDATE entry SET state = 'withdrawn', reason = NULL, words = NULL, wish = NULL, wish_destination = NULL,
                fence = :fence, changed_at_ms = :wall, {FREE}
         WHERE id = :entry"
    ))?
    .execute(named_params! {":fence": fence, ":wall": now.wall_ms, ":entry": entry})?;
    Ok(())
}

/// Puts it back, due now.
pub fn restore(tx: &Transaction<'_>, entry: i64, now: &Now) -> Result<()> {
    super::enqueue::check_bounds(tx, None)?;
    Ok(retry(tx, entry, now)?)
}

/// Sends it elsewhere: its stages are planned anew by the caller.
pub fn move_to(tx: &Transaction<'_>, entry: i64, destination: i64, now: &Now) -> rusqlite::Result<()> {
    end_attempt(tx, entry, now)?;
    let fence = next_fence(tx)?;
    tx.prepare_cached(&format!(
        "UPDATE entry SET destination = :destination, state = 'waiting', due = 1, not_before_ms = NULL,
                not_before_boot_id = NULL, not_before_wall_ms = NULL, budget_used = 0, trying_since_ms = NULL, trying_boot_id = NULL,
                reason = NULL, words = NULL, wish = NULL, wish_destination = NULL, body_hash = NULL,
                revision = revision + 1, fence = :fence, changed_at_ms = :wall, {FREE}
         WHERE id = :entry"
    ))?
    .execute(named_params! {
        ":destination": destination, ":fence": fence, ":wall": now.wall_ms, ":entry": entry,
    })?;
    super::enqueue::plan_stages(tx, entry)
}

/// The person says that a stage in doubt has not happened, and nothing of it can arrive any more. It is looked for once more,
/// and sent when that does not find it either, or cannot tell.
pub fn send_again(tx: &Transaction<'_>, entry: i64, now: &Now) -> rusqlite::Result<()> {
    tx.prepare_cached("UPDATE stage SET send_again = 1 WHERE entry = :entry AND state IN ('sent', 'doubt')")?
        .execute(named_params! {":entry": entry})?;
    retry(tx, entry, now)
}

/// Has a doubt looked into at that moment, and not before.
pub fn look_at(tx: &Transaction<'_>, entry: i64, not_before_ms: i64, now: &Now) -> rusqlite::Result<()> {
    retry(tx, entry, now)?;
    super::settle::defer(tx, entry, not_before_ms, now)
}

/// Whether the tracker of an entry can be asked what is there.
pub fn can_be_asked(tx: &Transaction<'_>, entry: i64) -> rusqlite::Result<bool> {
    tx.prepare_cached(
        "SELECT tracker <> 'webhook' FROM destination WHERE id = (SELECT destination FROM entry WHERE id = :entry)",
    )?
    .query_row(named_params! {":entry": entry}, |row| row.get(0))
}

/// Has a doubt looked into now, for the sake of a wish: nobody else would, while the entry waits for the person.
pub fn look_now(tx: &Transaction<'_>, entry: i64, now: &Now) -> rusqlite::Result<()> {
    super::settle::wake(tx, entry, now)
}

/// Returns the ordinals and kinds of the stages in doubt.
pub fn doubts(tx: &Transaction<'_>, entry: i64) -> rusqlite::Result<Vec<(i64, String)>> {
    tx.prepare_cached("SELECT ordinal, kind FROM stage WHERE entry = :entry AND state IN ('sent', 'doubt')")?
        .query_map(named_params! {":entry": entry}, |row| Ok((row.get(0)?, row.get(1)?)))?
        .collect()
}

/// Whether every stage is done.
pub fn all_done(tx: &Transaction<'_>, entry: i64) -> rusqlite::Result<bool> {
    tx.prepare_cached("SELECT NOT EXISTS (SELECT 1 FROM stage WHERE entry = :entry AND state <> 'done')")?
        .query_row(named_params! {":entry": entry}, |row| row.get(0))
}

/// Entries that *Retry all* is about: those that need the person, and those that wait for a backoff or a probe. Not copies:
/// whether they are to be filed here, nobody can say about all of them in passing.
pub fn retriable(tx: &Transaction<'_>) -> rusqlite::Result<Vec<i64>> {
    tx.prepare_cached(
        "SELECT entry.id FROM entry JOIN lane ON lane.destination = entry.destination
         WHERE (entry.state = 'attention' AND entry.reason <> 'copy')
            OR (entry.state = 'waiting' AND (entry.not_before_ms IS NOT NULL OR lane.held IN ('trouble', 'sign_in')))
         ORDER BY entry.id",
    )?
    .query_map([], |row| row.get(0))?
    .collect()
}

/// The destination of an entry.
pub fn destination(tx: &Transaction<'_>, entry: i64) -> rusqlite::Result<i64> {
    tx.prepare_cached("SELECT destination FROM entry WHERE id = :entry")?
        .query_row(named_params! {":entry": entry}, |row| row.get(0))
}

/// The state of an entry.
pub fn state(tx: &Transaction<'_>, entry: i64) -> rusqlite::Result<EntryState> {
    tx.prepare_cached("SELECT state FROM entry WHERE id = :entry")?
        .query_row(named_params! {":entry": entry}, |row| super::rows::state(row, 0))
}
