//! Claim and renew.

use rusqlite::{OptionalExtension, named_params};

use super::lane::WaitingLane;
use super::{next_fence, one, owner_of};
use crate::clock::Now;
use crate::fault::mistake;
use crate::outbox::fate::{BUDGET_CRASHES, BUDGET_MS, BUDGET_TRIES};
use crate::outbox::lease::{Fenced, Lease};
use crate::store::Transaction;

/// Who claims, and what it may take.
pub struct Claim<'a> {
    /// The process.
    pub owner: &'a str,
    /// The drain's claim token.
    pub token: &'a str,
    /// The last entry that was there when the drain began.
    pub horizon: i64,
    /// How long the lease is.
    pub lease_ms: i64,
    /// How many workers the process has.
    pub workers: u32,
    /// Whether this process can serve a lane: whether it has a credential for it. Asked of those alone that it comes to.
    pub serves: &'a dyn Fn(&WaitingLane) -> bool,
}

/// What a claim came to.
pub struct Claimed {
    /// The entry to work on.
    pub lease: Option<Lease>,
    /// Whether an entry was found that needs the person instead.
    pub needs_person: bool,
}

/// Takes the next due entry of the least recently served lane that is due, admitted and below its cap.
pub fn claim(tx: &Transaction<'_>, claim: &Claim<'_>, now: &Now) -> rusqlite::Result<Claimed> {
    let mut claimed = Claimed { lease: None, needs_person: false };
    if is_paused(tx, now)? {
        return Ok(claimed);
    }
    open_gates(tx, now)?;
    while let Some((entry, destination)) = next(tx, claim, now)? {
        if needs_person(tx, entry, now)? {
            claimed.needs_person = true;
            continue;
        }
        claimed.lease = Some(lease(tx, claim, entry, destination, now)?);
        break;
    }
    Ok(claimed)
}

fn is_paused(tx: &Transaction<'_>, now: &Now) -> rusqlite::Result<bool> {
    tx.prepare_cached("SELECT paused = 1 AND coalesce(paused_until_ms > :wall, 1) FROM meta")?
        .query_row(named_params! {":wall": now.wall_ms}, |row| row.get(0))
}

/// Opens the gates whose time has come. From then on an entry stands in its lane's line, first in, first out.
///
/// The index is named, here and wherever a gate is looked for: without statistics SQLite takes the one on `state`, and
/// walks through all that wait.
fn open_gates(tx: &Transaction<'_>, now: &Now) -> rusqlite::Result<()> {
    // Asked first, since an update that finds nothing still opens every index of the table.
    let any_has_come: bool = tx
        .prepare_cached(
            "SELECT EXISTS (SELECT 1 FROM entry INDEXED BY entry_gated
                     WHERE state = 'waiting' AND due = 0 AND not_before_ms <= :boot)
                 OR EXISTS (SELECT 1 FROM entry INDEXED BY entry_later
                     WHERE state = 'waiting' AND due = 0 AND send_at_ms <= :wall)",
        )?
        .query_row(named_params! {":wall": now.wall_ms, ":boot": now.boot_ms}, |row| row.get(0))?;
    if !any_has_come {
        return Ok(());
    }
    tx.prepare_cached(
        "UPDATE entry INDEXED BY entry_gated
         SET not_before_ms = NULL, not_before_boot_id = NULL, not_before_wall_ms = NULL,
                due = coalesce(send_at_ms <= :wall, 1)
         WHERE state = 'waiting' AND due = 0 AND not_before_ms <= :boot",
    )?
    .execute(named_params! {":wall": now.wall_ms, ":boot": now.boot_ms})?;
    tx.prepare_cached(
        "UPDATE entry INDEXED BY entry_later SET due = 1
         WHERE state = 'waiting' AND due = 0 AND send_at_ms <= :wall AND not_before_ms IS NULL",
    )?
    .execute(named_params! {":wall": now.wall_ms})?;
    Ok(())
}

/// Walks the lanes, least recently served first. A lane that already has its share of this process's workers is taken
/// only when no other is due.
fn next(tx: &Transaction<'_>, claim: &Claim<'_>, now: &Now) -> rusqlite::Result<Option<(i64, i64)>> {
    let mut lanes = tx.prepare_cached(
        "SELECT lane.destination, streak, unreachable, destination.name, destination.tracker, credential_rev
         FROM lane CROSS JOIN destination ON destination.id = lane.destination
         WHERE waiting > 0
           AND (held IS NULL OR (held <> 'sign_in' AND held_until_ms <= :boot))
           AND (paused = 0 OR paused_until_ms <= :wall)
         ORDER BY served, lane.destination",
    )?;
    let mut lanes = lanes.query(named_params! {":boot": now.boot_ms, ":wall": now.wall_ms})?;
    let mut fallback = None;
    while let Some(lane) = lanes.next()? {
        let destination: i64 = lane.get(0)?;
        let failing = lane.get::<_, i64>(1)? > 0 || lane.get(2)?;
        let Some(entry) = oldest(tx, claim, destination, now)? else { continue };
        if !(claim.serves)(&WaitingLane {
            destination,
            name: lane.get(3)?,
            tracker: super::rows::tracker(lane, 4)?,
            credential_rev: lane.get(5)?,
        }) {
            continue;
        }
        let mine = if mistake("ignore_lane_cap") { 0 } else { in_hand(tx, claim.owner, destination, now)? };
        let most = if failing { 1 } else { claim.workers };
        let share = if failing { 1 } else { claim.workers.saturating_sub(1).max(1) };
        if mine < share {
            return Ok(Some((entry, destination)));
        }
        if mine < most && fallback.is_none() {
            fallback = Some((entry, destination));
        }
    }
    Ok(fallback)
}

/// The oldest due entry of a lane. One under an expired or dead lease is due like any other.
fn oldest(
    tx: &Transaction<'_>,
    claim: &Claim<'_>,
    destination: i64,
    now: &Now,
) -> rusqlite::Result<Option<i64>> {
    let late;
    let now = if mistake("claim_live_leases") {
        late = Now { boot_ms: i64::MAX, ..now.clone() };
        &late
    } else {
        now
    };
    tx.prepare_cached(
        "SELECT min(id) FROM (
           SELECT id FROM (SELECT id FROM entry INDEXED BY entry_ready
             WHERE destination = :destination AND state = 'waiting' AND due = 1 AND claim_token IS NULL
               AND id <= :horizon
             ORDER BY id LIMIT 1)
           UNION ALL
           SELECT id FROM entry INDEXED BY entry_leased
             WHERE claim_token IS NOT NULL AND destination = :destination AND id <= :horizon
               AND (lease_boot_id <> :boot_id OR lease_until_ms <= :boot))",
    )?
    .query_row(
        named_params! {
            ":destination": destination, ":horizon": claim.horizon, ":boot_id": &*now.boot_id, ":boot": now.boot_ms,
        },
        |row| row.get(0),
    )
}

fn in_hand(tx: &Transaction<'_>, owner: &str, destination: i64, now: &Now) -> rusqlite::Result<u32> {
    tx.prepare_cached(
        "SELECT count(*) FROM entry INDEXED BY entry_leased
         WHERE claim_token IS NOT NULL AND lease_owner = :owner AND destination = :destination
           AND lease_boot_id = :boot_id AND lease_until_ms > :boot",
    )?
    .query_row(
        named_params! {
            ":owner": owner, ":destination": destination, ":boot_id": &*now.boot_id, ":boot": now.boot_ms,
        },
        |row| row.get(0),
    )
}

/// An entry beyond its budget goes to the person instead. One in doubt still gets its look.
fn needs_person(tx: &Transaction<'_>, entry: i64, now: &Now) -> rusqlite::Result<bool> {
    let within: bool = tx
        .prepare_cached(
            "SELECT crashes < :crashes AND budget_used < :tries AND coalesce(trying_since_ms > :boot - :span, 1)
             FROM entry WHERE id = :entry",
        )?
        .query_row(
            named_params! {
                ":entry": entry, ":boot": now.boot_ms, ":crashes": BUDGET_CRASHES, ":tries": BUDGET_TRIES,
                ":span": BUDGET_MS,
            },
            |row| row.get(0),
        )?;
    if within {
        return Ok(false);
    }
    let beyond = tx
        .prepare_cached(
            "UPDATE entry SET state = 'attention', reason = 'budget', changed_at_ms = :wall,
                    words = CASE WHEN crashes >= :crashes THEN 'Outtray itself stumbled over it three times.'
                                 ELSE coalesce(words, 'It has been tried for a day.') END,
                    claim_token = NULL, lease_owner = NULL, lease_until_ms = NULL, lease_boot_id = NULL
             WHERE id = :entry
               AND (crashes >= :crashes OR budget_used >= :tries OR trying_since_ms <= :boot - :span)
               AND NOT (receipt IS NULL AND EXISTS (SELECT 1 FROM sighting WHERE sighting.entry = :entry))
               AND (crashes >= :crashes OR NOT EXISTS
                 (SELECT 1 FROM stage WHERE stage.entry = :entry AND stage.state IN ('sent', 'doubt')))
               -- A takeover goes on with the try of the one before, which was within the budget.
               AND (crashes >= :crashes OR NOT EXISTS
                 (SELECT 1 FROM attempt WHERE attempt.entry = :entry AND ended_at_ms IS NULL))",
        )?
        .execute(named_params! {
            ":entry": entry, ":wall": now.wall_ms, ":boot": now.boot_ms, ":crashes": BUDGET_CRASHES,
            ":tries": BUDGET_TRIES, ":span": BUDGET_MS,
        })?;
    if one(beyond) {
        tx.prepare_cached(
            "UPDATE attempt SET ended_at_ms = :wall, outcome = 'lost', number = NULL, words = 'Its worker lost the lease.'
             WHERE entry = :entry AND ended_at_ms IS NULL",
        )?
        .execute(named_params! {":entry": entry, ":wall": now.wall_ms})?;
    }
    Ok(one(beyond))
}

fn lease(
    tx: &Transaction<'_>,
    claim: &Claim<'_>,
    entry: i64,
    destination: i64,
    now: &Now,
) -> rusqlite::Result<Lease> {
    let fence = next_fence(tx)?;
    // A takeover: the try of the one before does not count, so the number of tries stays what it was.
    let taken_over = tx
        .prepare_cached(
            "UPDATE attempt SET ended_at_ms = :wall, outcome = 'lost', number = NULL,
                    words = 'Its worker lost the lease.'
             WHERE entry = :entry AND ended_at_ms IS NULL",
        )?
        .execute(named_params! {":entry": entry, ":wall": now.wall_ms})?;
    let counts = i64::from(taken_over == 0 || mistake("count_takeovers"));
    let until_ms = now.boot_ms + claim.lease_ms;
    let number: i64 = tx
        .prepare_cached(
            "UPDATE entry SET claim_token = :token, fence = :fence, lease_owner = :owner, lease_until_ms = :until,
                    lease_boot_id = :boot_id, attempts = attempts + :counts, budget_used = budget_used + :counts,
                    trying_since_ms = coalesce(trying_since_ms, :boot), trying_boot_id = :boot_id,
                    changed_at_ms = :wall
             WHERE id = :entry RETURNING attempts",
        )?
        .query_row(
            named_params! {
                ":token": claim.token, ":fence": fence, ":owner": claim.owner, ":until": until_ms,
                ":boot_id": &*now.boot_id, ":counts": counts, ":boot": now.boot_ms, ":wall": now.wall_ms,
                ":entry": entry,
            },
            |row| row.get(0),
        )?;
    let served = if mistake("forget_who_was_served") { 0 } else { fence };
    tx.prepare_cached("UPDATE lane SET served = :served WHERE destination = :destination")?
        .execute(named_params! {":served": served, ":destination": destination})?;
    tx.prepare_cached(
        "INSERT INTO attempt (entry, fence, number, started_at_ms) VALUES (:entry, :fence, :number, :wall)",
    )?
    .execute(named_params! {":entry": entry, ":number": number, ":fence": fence, ":wall": now.wall_ms})?;
    Ok(Lease {
        entry,
        token: claim.token.to_owned(),
        fence,
        until_ms,
        trusted_until_ms: Lease::trust(now, claim.lease_ms),
        length_ms: claim.lease_ms,
    })
}

/// Renews a lease that has not expired. `now` is from before the asking.
pub fn renew(tx: &Transaction<'_>, lease: &Lease, now: &Now) -> rusqlite::Result<Fenced<Lease>> {
    let until_ms = now.boot_ms + lease.length_ms;
    let (early, owner);
    let asked = if mistake("renew_expired") {
        early = Now { boot_ms: i64::MIN, ..now.clone() };
        &early
    } else {
        now
    };
    let lease = if mistake("renew_unfenced") {
        owner = owner_of(tx, lease)?;
        &owner
    } else {
        lease
    };
    let changed = tx
        .prepare_cached(
            "UPDATE entry SET lease_until_ms = :until
             WHERE id = :entry AND claim_token = :token AND fence = :fence
               AND lease_boot_id = :boot_id AND lease_until_ms > :boot",
        )?
        .execute(named_params! {
            ":until": until_ms, ":entry": lease.entry, ":token": lease.token, ":fence": lease.fence,
            ":boot_id": &*asked.boot_id, ":boot": asked.boot_ms,
        })?;
    if !one(changed) {
        return Ok(Fenced::Lost);
    }
    Ok(Fenced::Held(Lease {
        until_ms,
        trusted_until_ms: Lease::trust(now, lease.length_ms),
        ..lease.clone()
    }))
}

/// The leases of a process whose fences are not among those `held`.
pub fn strays(tx: &Transaction<'_>, owner: &str, held: &[i64]) -> rusqlite::Result<Vec<Lease>> {
    let leases = tx
        .prepare_cached(
            "SELECT id, claim_token, fence, lease_until_ms
             FROM entry INDEXED BY entry_leased WHERE claim_token IS NOT NULL AND lease_owner = :owner",
        )?
        .query_map(named_params! {":owner": owner}, |row| {
            Ok(Lease {
                entry: row.get(0)?,
                token: row.get(1)?,
                fence: row.get(2)?,
                until_ms: row.get(3)?,
                trusted_until_ms: row.get(3)?,
                length_ms: 0,
            })
        })?
        .collect::<rusqlite::Result<Vec<_>>>()?;
    Ok(leases.into_iter().filter(|lease| !held.contains(&lease.fence)).collect())
}

/// The newest entry there is: what a drain that begins now takes as its horizon.
pub fn newest(tx: &Transaction<'_>) -> rusqlite::Result<i64> {
    tx.prepare_cached("SELECT coalesce(max(id), 0) FROM entry")?.query_row([], |row| row.get(0))
}

/// The earliest moment, on the boot clock, at which something may become claimable by itself.
pub fn next_deadline(tx: &Transaction<'_>, now: &Now) -> rusqlite::Result<Option<i64>> {
    tx.prepare_cached(
        "SELECT min(at) FROM (
           SELECT min(not_before_ms) AS at FROM entry INDEXED BY entry_gated
             WHERE state = 'waiting' AND due = 0 AND not_before_ms > :boot
           UNION ALL
           SELECT min(send_at_ms) - :wall + :boot FROM entry INDEXED BY entry_later
             WHERE state = 'waiting' AND due = 0 AND send_at_ms > :wall
           UNION ALL
           SELECT min(held_until_ms) FROM lane WHERE waiting > 0 AND held_until_ms > :boot
           UNION ALL
           SELECT min(paused_until_ms) - :wall + :boot FROM lane WHERE waiting > 0 AND paused_until_ms > :wall
           UNION ALL
           SELECT paused_until_ms - :wall + :boot FROM meta WHERE paused_until_ms > :wall
           UNION ALL
           SELECT min(lease_until_ms) FROM entry WHERE claim_token IS NOT NULL AND lease_until_ms > :boot
           UNION ALL
           SELECT min(due_ms) FROM late_look WHERE due_ms > :boot)",
    )?
    .query_row(named_params! {":wall": now.wall_ms, ":boot": now.boot_ms}, |row| row.get(0))
    .optional()
    .map(Option::flatten)
}

/// The earliest moment to come at which a backoff, a look, a quiet time or a rate limit ends. Pauses and sign-ins are not
/// waited for. What another process is sending may come back at any moment.
pub fn next_wait(tx: &Transaction<'_>, owner: &str, now: &Now) -> rusqlite::Result<Option<i64>> {
    tx.prepare_cached(
        "SELECT min(at) FROM (
           SELECT :boot + 1 AS at FROM entry INDEXED BY entry_leased
           WHERE claim_token IS NOT NULL AND lease_owner <> :owner AND lease_boot_id = :boot_id
             AND lease_until_ms > :boot
           UNION ALL
           SELECT max(coalesce(not_before_ms, 0), coalesce(lane.held_until_ms, 0)) AS at
           FROM entry JOIN lane ON lane.destination = entry.destination
           WHERE entry.state = 'waiting' AND (entry.send_at_ms IS NULL OR entry.send_at_ms <= :wall)
             AND (lane.held IS NULL OR lane.held <> 'sign_in')
             AND (lane.paused = 0 OR lane.paused_until_ms <= :wall)
             AND NOT (SELECT paused = 1 AND coalesce(paused_until_ms > :wall, 1) FROM meta))
         WHERE at > :boot",
    )?
    .query_row(
        named_params! {
            ":wall": now.wall_ms, ":boot": now.boot_ms, ":boot_id": &*now.boot_id, ":owner": owner,
        },
        |row| row.get(0),
    )
}

/// Whether anything may be due at all: asked on the reading connection, so that an idle turn writes nothing.
pub fn may_be_due(tx: &Transaction<'_>, now: &Now) -> rusqlite::Result<bool> {
    tx.prepare_cached(
        "SELECT EXISTS (SELECT 1 FROM entry INDEXED BY entry_ready
                   WHERE state = 'waiting' AND due = 1 AND claim_token IS NULL)
             OR EXISTS (SELECT 1 FROM entry INDEXED BY entry_gated
                   WHERE state = 'waiting' AND due = 0 AND not_before_ms <= :boot)
             OR EXISTS (SELECT 1 FROM entry INDEXED BY entry_later
                   WHERE state = 'waiting' AND due = 0 AND send_at_ms <= :wall)
             OR EXISTS (SELECT 1 FROM entry INDEXED BY entry_leased WHERE claim_token IS NOT NULL
                   AND (lease_boot_id <> :boot_id OR lease_until_ms <= :boot))",
    )?
    .query_row(named_params! {":boot": now.boot_ms, ":wall": now.wall_ms, ":boot_id": &*now.boot_id}, |row| {
        row.get(0)
    })
}
