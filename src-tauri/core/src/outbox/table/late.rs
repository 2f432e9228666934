//! Looks that are still owed: after a create was sent twice, the first one may have arrived after all.

use rusqlite::{OptionalExtension, named_params};

use crate::clock::Now;
use crate::settings::Settings;
use crate::store::Transaction;

/// After so many tries a late look is given up.
const TRIES: i64 = 5;
/// A look that was begun and not ended is begun again after so long.
const AGAIN_MS: i64 = 15 * 60_000;

/// A look that is owed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LateLook {
    /// The entry.
    pub entry: i64,
    /// Where.
    pub destination: i64,
    /// The account that sent.
    pub login: Option<String>,
    /// How far back, wall.
    pub since_ms: i64,
}

/// Owes a look when the stage that is done now is a create that was sent more than once.
pub fn owe(tx: &Transaction<'_>, entry: i64, ordinal: i64, now: &Now) -> rusqlite::Result<()> {
    let sent_twice = tx
        .prepare_cached(
            "SELECT kind = 'create' AND sends > 1 FROM stage WHERE entry = :entry AND ordinal = :ordinal",
        )?
        .query_row(named_params! {":entry": entry, ":ordinal": ordinal}, |row| row.get(0))
        .optional()?;
    if sent_twice != Some(true) {
        return Ok(());
    }
    let settings = Settings::from_rows(super::setting::all(tx)?);
    let quiet_ms = tx
        .prepare_cached(
            "SELECT destination.tracker FROM entry JOIN destination ON destination.id = entry.destination
             WHERE entry.id = :entry",
        )?
        .query_row(named_params! {":entry": entry}, |row| super::rows::tracker(row, 0))
        .map(|tracker| settings.quiet_ms.unwrap_or_else(|| tracker.quiet_ms()))?;
    let due_ms = now.boot_ms + quiet_ms;
    tx.prepare_cached(
        "INSERT INTO late_look (entry, destination, login, since_ms, due_ms, due_boot_id, due_wall_ms)
         SELECT entry, sent_destination, sent_login, first_sent_at_ms, :due, :boot_id, :wall FROM stage
         WHERE entry = :entry AND ordinal = :ordinal
         ON CONFLICT DO NOTHING",
    )?
    .execute(named_params! {
        ":entry": entry, ":ordinal": ordinal, ":due": due_ms, ":boot_id": &*now.boot_id,
        ":wall": now.wall_of_boot(due_ms),
    })?;
    Ok(())
}

/// Whether one may be due.
pub fn may_be_due(tx: &Transaction<'_>, now: &Now) -> rusqlite::Result<bool> {
    tx.prepare_cached("SELECT EXISTS (SELECT 1 FROM late_look WHERE due_ms <= :boot)")?
        .query_row(named_params! {":boot": now.boot_ms}, |row| row.get(0))
}

/// Takes the next one that is due, of a lane that is not held and that this process can serve. It is nobody else's for a
/// while; two looks would do no harm.
pub fn take(tx: &Transaction<'_>, except: &[i64], now: &Now) -> rusqlite::Result<Option<LateLook>> {
    tx.prepare_cached("DELETE FROM late_look WHERE tries >= :tries AND due_ms <= :boot")?
        .execute(named_params! {":tries": TRIES, ":boot": now.boot_ms})?;
    let except = serde_json::to_string(except).unwrap_or_else(|_| "[]".to_owned());
    let due_ms = now.boot_ms + AGAIN_MS;
    tx.prepare_cached(
        "UPDATE late_look SET tries = tries + 1, due_ms = :again, due_boot_id = :boot_id, due_wall_ms = :again_wall
         WHERE (entry, destination) IN (
           SELECT entry, late_look.destination FROM late_look JOIN lane ON lane.destination = late_look.destination
           WHERE due_ms <= :boot AND late_look.destination NOT IN (SELECT value FROM json_each(:except))
             AND (held IS NULL OR (held <> 'sign_in' AND held_until_ms <= :boot))
             AND (lane.paused = 0 OR lane.paused_until_ms <= :wall)
             AND NOT (SELECT paused = 1 AND coalesce(paused_until_ms > :wall, 1) FROM meta)
           ORDER BY due_ms LIMIT 1)
         RETURNING entry, destination, login, since_ms",
    )?
    .query_row(
        named_params! {
            ":again": due_ms, ":boot_id": &*now.boot_id, ":again_wall": now.wall_of_boot(due_ms),
            ":boot": now.boot_ms, ":wall": now.wall_ms, ":except": except,
        },
        |row| {
            Ok(LateLook {
                entry: row.get(0)?,
                destination: row.get(1)?,
                login: row.get(2)?,
                since_ms: row.get(3)?,
            })
        },
    )
    .optional()
}

/// It has been looked: nothing more is owed.
pub fn done(tx: &Transaction<'_>, look: &LateLook) -> rusqlite::Result<()> {
    tx.prepare_cached("DELETE FROM late_look WHERE entry = :entry AND destination = :destination")?
        .execute(named_params! {":entry": look.entry, ":destination": look.destination})?;
    Ok(())
}
