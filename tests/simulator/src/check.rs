//! What must hold: at every moment, and at the end.

use std::collections::BTreeMap;

use outtray_core::clock::Clock as _;
use outtray_core::outbox::Outbox;
use outtray_core::view::EntryState;
use rusqlite::Connection;

use crate::machine::Machine;

/// Reasons for which an entry may need the person without having been refused.
const NAMED: [&str; 4] = ["budget", "in_doubt", "silent", "setup"];
/// Leases that one process may hold.
const WORKERS: i64 = 3;

/// Checks what must hold at every moment.
pub(crate) fn always(machine: &Machine) -> Result<(), String> {
    one_issue_per_key(machine)?;
    if let Some(beside) = &machine.world.books().beside {
        return Err(format!("NoResendWhileSenderMayLive: {beside}"));
    }
    let mut reader = machine.reader.borrow_mut();
    let database = match reader.take() {
        Some(database) => database,
        None => open(machine)?,
    };
    let held = lane_bound(&database, machine).and_then(|()| attention_only_from_owner(&database, machine));
    *reader = Some(database);
    held
}

/// `OneIssuePerKey`: nothing has been made twice, no issue and no file.
fn one_issue_per_key(machine: &Machine) -> Result<(), String> {
    let books = machine.world.books();
    let mut made = BTreeMap::new();
    for issue in &books.issues {
        *made.entry(issue.key.as_str()).or_insert(0) += 1;
        let mut names: Vec<_> = issue.assets.iter().map(|asset| asset.name.as_str()).collect();
        names.sort_unstable();
        if names.windows(2).any(|pair| pair[0] == pair[1]) {
            return Err(format!("OneIssuePerKey: issue {} has a file twice: {names:?}", issue.number));
        }
    }
    match made.iter().find(|(_, count)| **count > 1) {
        Some((key, count)) => Err(format!("OneIssuePerKey: {key} was made {count} times")),
        None => Ok(()),
    }
}

/// No process has more in hand than it has workers.
fn lane_bound(database: &Connection, machine: &Machine) -> Result<(), String> {
    let now = machine.clock.now();
    let most: i64 = database
        .prepare_cached(
            "SELECT coalesce(max(held), 0) FROM (SELECT count(*) AS held FROM entry
             WHERE claim_token IS NOT NULL AND lease_boot_id = ?1 AND lease_until_ms > ?2 GROUP BY lease_owner)",
        )
        .and_then(|mut most| most.query_row((&*now.boot_id, now.boot_ms), |row| row.get(0)))
        .map_err(|error| error.to_string())?;
    if most > WORKERS { Err(format!("LaneBound: one process holds {most} leases")) } else { Ok(()) }
}

/// `AttentionOnlyFromOwner`: nothing needs the person but what was refused, or what has a name.
fn attention_only_from_owner(database: &Connection, machine: &Machine) -> Result<(), String> {
    let books = machine.world.books();
    let mut rows = database
        .prepare_cached("SELECT key, reason FROM entry WHERE state = 'attention'")
        .map_err(|error| error.to_string())?;
    let rows = rows
        .query_map([], |row| Ok((row.get::<_, String>(0)?, row.get::<_, String>(1)?)))
        .map_err(|error| error.to_string())?;
    for row in rows {
        let (key, reason) = row.map_err(|error| error.to_string())?;
        let is_true = NAMED.contains(&reason.as_str())
            || (matches!(&*reason, "refused" | "incomplete") && books.refused.contains(&key));
        if !is_true {
            return Err(format!("AttentionOnlyFromOwner: {key} needs the person because of {reason:?}"));
        }
    }
    Ok(())
}

/// Checks what must hold once every fault has ceased and nothing moves any more.
pub(crate) fn finally(machine: &Machine, outbox: &Outbox, saved: &[String]) -> Result<(), String> {
    let now = machine.clock.now();
    let entries = outbox.entries(None, &now).map_err(|problem| problem.chain())?;
    let books = machine.world.books();
    for key in saved {
        let Some(entry) = entries.iter().find(|entry| entry.key.to_string() == *key) else {
            return Err(format!("NothingLost: {key} was saved and is gone"));
        };
        let made = books.issues.iter().find(|issue| issue.key == *key);
        match (entry.state, made) {
            (EntryState::Filed, Some(issue)) => {
                let number = entry.receipt.as_ref().map(|receipt| receipt.number.clone()).unwrap_or_default();
                if number != issue.number.to_string() {
                    return Err(format!(
                        "SettleOnce: {key} has receipt {number} and is issue {}",
                        issue.number
                    ));
                }
                let files = u32::try_from(issue.assets.len()).unwrap_or(u32::MAX);
                if files != entry.attachments {
                    return Err(format!("NothingLost: {key} has {files} of {} files", entry.attachments));
                }
                let pictures = issue.assets.iter().filter(|asset| asset.name.ends_with(".png"));
                if let Some(missing) =
                    pictures.map(|asset| &asset.reference).find(|one| !issue.embedded.contains(one))
                {
                    return Err(format!("NothingLost: the picture {missing} of {key} is not shown"));
                }
            }
            (EntryState::Withdrawn, None) => {}
            (state, made) => {
                let made = made.map(|issue| issue.number);
                let (row, reason) = (entry.row, entry.reason.clone().unwrap_or_default());
                return Err(format!(
                    "NothingLost: {key} ends {state:?} ({row:?}: {reason}), and is issue {made:?}"
                ));
            }
        }
    }
    Ok(())
}

/// Who has an entry in hand.
pub(crate) fn owner(machine: &Machine, entry: i64) -> Option<String> {
    open(machine)
        .ok()?
        .query_row(
            "SELECT lease_owner FROM entry WHERE id = ?1 AND claim_token IS NOT NULL",
            [entry],
            |row| row.get(0),
        )
        .ok()
}

/// What is in doubt of an entry that the person is asked about: its key, and a file's name where it is one's upload.
pub(crate) fn asked(machine: &Machine, entry: i64) -> Vec<(String, Option<String>)> {
    let read = |database: Connection| -> rusqlite::Result<Vec<_>> {
        database
            .prepare(
                "SELECT entry.key, attachment.name FROM stage JOIN entry ON entry.id = stage.entry
                 LEFT JOIN attachment ON attachment.id = stage.attachment
                 WHERE entry.id = ?1 AND entry.state = 'attention' AND stage.state IN ('sent', 'doubt')
                   AND stage.kind <> 'embed'",
            )?
            .query_map([entry], |row| Ok((row.get(0)?, row.get(1)?)))?
            .collect()
    };
    open(machine).ok().and_then(|database| read(database).ok()).unwrap_or_default()
}

/// Attempts whose process died or lost its lease.
pub(crate) fn lost_attempts(machine: &Machine) -> u32 {
    let count = open(machine).ok().and_then(|database| {
        let counted =
            database.query_row("SELECT count(*) FROM attempt WHERE outcome IN ('lost', 'died')", [], |row| {
                row.get(0)
            });
        counted.ok()
    });
    count.unwrap_or(u32::MAX)
}

fn open(machine: &Machine) -> Result<Connection, String> {
    Connection::open_with_flags(machine.database(), rusqlite::OpenFlags::SQLITE_OPEN_READ_WRITE)
        .map_err(|error| error.to_string())
}
