//! Lanes: what holds them, and what they have learnt.

use rusqlite::named_params;

use super::one;
use crate::clock::Now;
use crate::issue::TrackerKind;
use crate::outbox::fate::LaneMark;
use crate::store::Transaction;

/// Records what a lane learnt from an attempt.
pub fn mark(
    tx: &Transaction<'_>,
    destination: i64,
    mark: &LaneMark,
    credential_rev: i64,
    now: &Now,
) -> rusqlite::Result<()> {
    match mark {
        LaneMark::Untouched => Ok(()),
        LaneMark::Reached => {
            tx.prepare_cached(
                "UPDATE lane SET unreachable = 0, streak = 0,
                        held = CASE WHEN held = 'trouble' THEN NULL ELSE held END,
                        held_words = CASE WHEN held = 'trouble' THEN NULL ELSE held_words END,
                        held_until_ms = CASE WHEN held = 'trouble' THEN NULL ELSE held_until_ms END,
                        held_boot_id = CASE WHEN held = 'trouble' THEN NULL ELSE held_boot_id END,
                        held_until_wall_ms = CASE WHEN held = 'trouble' THEN NULL ELSE held_until_wall_ms END
                 WHERE destination = :destination AND (unreachable = 1 OR streak > 0 OR held = 'trouble')",
            )?
            .execute(named_params! {":destination": destination})?;
            Ok(())
        }
        LaneMark::Unreachable { until_ms, words } => {
            tx.prepare_cached(
                "UPDATE lane SET unreachable = 1, streak = streak + 1 WHERE destination = :destination",
            )?
            .execute(named_params! {":destination": destination})?;
            hold(tx, destination, "trouble", words, Some(*until_ms), now)
        }
        LaneMark::Trouble { until_ms, words } => {
            tx.prepare_cached(
                "UPDATE lane SET unreachable = 0, streak = streak + 1 WHERE destination = :destination",
            )?
            .execute(named_params! {":destination": destination})?;
            match until_ms {
                Some(until_ms) => hold(tx, destination, "trouble", words, Some(*until_ms), now),
                None => Ok(()),
            }
        }
        LaneMark::RateLimit { until_ms, words } => {
            hold(tx, destination, "rate_limit", words, Some(*until_ms), now)
        }
        // A late refusal of an old token must not hold a lane that has just been signed in.
        LaneMark::SignIn { words } => {
            let current: bool = tx
                .prepare_cached("SELECT credential_rev = :rev FROM lane WHERE destination = :destination")?
                .query_row(named_params! {":destination": destination, ":rev": credential_rev}, |row| {
                    row.get(0)
                })?;
            if current { hold(tx, destination, "sign_in", words, None, now) } else { Ok(()) }
        }
    }
}

fn hold(
    tx: &Transaction<'_>,
    destination: i64,
    why: &str,
    words: &str,
    until_ms: Option<i64>,
    now: &Now,
) -> rusqlite::Result<()> {
    // A sign-in is stronger than a pause between probes: the one must not end the other.
    tx.prepare_cached(
        "UPDATE lane SET held = :why, held_words = :words, held_until_ms = :until, held_boot_id = :boot_id,
                held_until_wall_ms = :wall
         WHERE destination = :destination AND (held IS NULL OR held <> 'sign_in' OR :why = 'sign_in')",
    )?
    .execute(named_params! {
        ":why": why, ":words": words, ":until": until_ms, ":boot_id": until_ms.map(|_| &*now.boot_id),
        ":wall": until_ms.map(|at| now.wall_of_boot(at)), ":destination": destination,
    })?;
    Ok(())
}

/// Ends the hold of a lane, when it is one of `kinds`. Returns whether there was one.
pub fn free(tx: &Transaction<'_>, destination: i64, kinds: &[&str]) -> rusqlite::Result<bool> {
    let mut freed = false;
    for kind in kinds {
        freed |= one(tx
            .prepare_cached(
                "UPDATE lane SET held = NULL, held_words = NULL, held_until_ms = NULL, held_boot_id = NULL,
                        held_until_wall_ms = NULL
                 WHERE destination = :destination AND held = :kind",
            )?
            .execute(named_params! {":destination": destination, ":kind": kind})?);
    }
    Ok(freed)
}

/// A process has seen this credential for the lane. Another one than before ends a sign-in hold, whoever brought it, and
/// may be another account's. Returns the revision to use it under, and whether it was another one.
pub fn credential_seen(tx: &Transaction<'_>, destination: i64, mark: &str) -> rusqlite::Result<(i64, bool)> {
    let other = one(tx
        .prepare_cached(
            "UPDATE lane SET credential_mark = :mark, credential_rev = credential_rev + 1, login = NULL
             WHERE destination = :destination AND credential_mark IS NOT :mark",
        )?
        .execute(named_params! {":destination": destination, ":mark": mark})?);
    if other {
        free(tx, destination, &["sign_in"])?;
    }
    set_no_token(tx, destination, None)?;
    let rev = tx
        .prepare_cached("SELECT credential_rev FROM lane WHERE destination = :destination")?
        .query_row(named_params! {":destination": destination}, |row| row.get(0))?;
    Ok((rev, other))
}

/// What holds an entry's lane whatever the person says of that entry, in words.
pub fn still_held(tx: &Transaction<'_>, entry: i64, now: &Now) -> rusqlite::Result<Option<String>> {
    tx.prepare_cached(
        "SELECT meta.paused = 1 AND coalesce(meta.paused_until_ms > :wall, 1),
                lane.paused = 1 AND coalesce(lane.paused_until_ms > :wall, 1), destination.name, no_token IS NOT NULL,
                CASE WHEN held = 'rate_limit' AND held_boot_id = :boot_id AND held_until_ms > :boot
                  THEN held_until_ms - :boot END
         FROM meta, entry JOIN lane ON lane.destination = entry.destination
         JOIN destination ON destination.id = entry.destination
         WHERE entry.id = :entry",
    )?
    .query_row(
        named_params! {
            ":wall": now.wall_ms, ":boot": now.boot_ms, ":boot_id": &*now.boot_id, ":entry": entry,
        },
        |row| {
            let name: String = row.get(2)?;
            let left_ms: Option<i64> = row.get(4)?;
            Ok(if row.get(0)? {
                Some("It goes once work is resumed.".to_owned())
            } else if row.get(1)? {
                Some(format!("It goes once {name} is resumed."))
            } else if row.get(3)? {
                Some(format!("It goes once you have signed in to {name}."))
            } else {
                left_ms.map(|left| format!("It goes in {}: {name} asked to wait.", spell(left)))
            })
        },
    )
}

/// So long, as somebody says it.
fn spell(ms: i64) -> String {
    let (seconds, minutes) = ((ms + 999) / 1_000, (ms + 59_999) / 60_000);
    match (seconds, minutes) {
        (..=90, _) => format!("{seconds} s"),
        (_, minutes) => format!("{minutes} minutes"),
    }
}

/// Notes why the app cannot serve a lane, or that it can. Returns whether that is news.
pub fn set_no_token(tx: &Transaction<'_>, destination: i64, words: Option<&str>) -> rusqlite::Result<bool> {
    let changed = tx
        .prepare_cached(
            "UPDATE lane SET no_token = :words WHERE destination = :destination AND no_token IS NOT :words",
        )?
        .execute(named_params! {":words": words, ":destination": destination})?;
    Ok(one(changed))
}

/// What is known of the credential of a lane.
#[derive(Debug, Clone)]
pub struct Credential {
    /// The mark of the one last seen.
    pub mark: Option<String>,
    /// Its revision.
    pub rev: i64,
    /// Why the app has none.
    pub no_token: Option<String>,
}

/// Reads what is known of the credential of a lane.
pub fn credential(tx: &Transaction<'_>, destination: i64) -> rusqlite::Result<Credential> {
    tx.prepare_cached(
        "SELECT credential_mark, credential_rev, no_token FROM lane WHERE destination = :destination",
    )?
    .query_row(named_params! {":destination": destination}, |row| {
        Ok(Credential { mark: row.get(0)?, rev: row.get(1)?, no_token: row.get(2)? })
    })
}

/// Keeps the login that an answer told.
pub fn learn_login(tx: &Transaction<'_>, destination: i64, login: &str) -> rusqlite::Result<()> {
    tx.prepare_cached(
        "UPDATE lane SET login = :login WHERE destination = :destination AND login IS NOT :login",
    )?
    .execute(named_params! {":login": login, ":destination": destination})?;
    Ok(())
}

/// Whether a lane waits for its next probe.
pub fn any_unreachable(tx: &Transaction<'_>) -> rusqlite::Result<bool> {
    tx.prepare_cached("SELECT EXISTS (SELECT 1 FROM lane WHERE unreachable = 1 AND held = 'trouble')")?
        .query_row([], |row| row.get(0))
}

/// Ends the pause between probes of every unreachable lane.
pub fn probe_unreachable(tx: &Transaction<'_>) -> rusqlite::Result<()> {
    tx.prepare_cached(
        "UPDATE lane SET held = NULL, held_words = NULL, held_until_ms = NULL, held_boot_id = NULL,
                held_until_wall_ms = NULL
         WHERE unreachable = 1 AND held = 'trouble'",
    )?
    .execute([])?;
    Ok(())
}

/// A lane in which something waits.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WaitingLane {
    /// Its destination.
    pub destination: i64,
    /// The destination's name.
    pub name: String,
    /// What kind of tracker that is.
    pub tracker: TrackerKind,
    /// The revision of the credential last seen for it.
    pub credential_rev: i64,
}

/// The lanes in which something waits until somebody signs in.
pub fn signed_out(tx: &Transaction<'_>) -> rusqlite::Result<Vec<WaitingLane>> {
    tx.prepare_cached(
        "SELECT lane.destination, destination.name, destination.tracker, lane.credential_rev
         FROM lane INDEXED BY lane_signed_out CROSS JOIN destination ON destination.id = lane.destination
         WHERE waiting > 0 AND held = 'sign_in'",
    )?
    .query_map([], |row| {
        Ok(WaitingLane {
            destination: row.get(0)?,
            name: row.get(1)?,
            tracker: super::rows::tracker(row, 2)?,
            credential_rev: row.get(3)?,
        })
    })?
    .collect()
}

/// Pauses one lane, or all work.
pub fn pause(tx: &Transaction<'_>, destination: Option<i64>, until_ms: Option<i64>) -> rusqlite::Result<()> {
    match destination {
        Some(destination) => tx
            .prepare_cached(
                "UPDATE lane SET paused = 1, paused_until_ms = :until WHERE destination = :destination",
            )?
            .execute(named_params! {":until": until_ms, ":destination": destination})?,
        None => tx
            .prepare_cached("UPDATE meta SET paused = 1, paused_until_ms = :until")?
            .execute(named_params! {":until": until_ms})?,
    };
    Ok(())
}

/// Resumes one lane, or all work. Resuming all work resumes every lane.
pub fn resume(tx: &Transaction<'_>, destination: Option<i64>) -> rusqlite::Result<()> {
    match destination {
        Some(destination) => tx
            .prepare_cached(
                "UPDATE lane SET paused = 0, paused_until_ms = NULL WHERE destination = :destination",
            )?
            .execute(named_params! {":destination": destination})?,
        None => {
            tx.execute("UPDATE lane SET paused = 0, paused_until_ms = NULL WHERE paused = 1", [])?;
            resume_work(tx)?
        }
    };
    Ok(())
}

/// Resumes work as a whole; a lane that is paused stays so.
pub fn resume_work(tx: &Transaction<'_>) -> rusqlite::Result<usize> {
    tx.execute("UPDATE meta SET paused = 0, paused_until_ms = NULL", [])
}
