//! Everything a worker needs to know about the entry it holds.

use rusqlite::{OptionalExtension, named_params};

use super::rows;
use crate::issue::{Attachment, Destination, Issue, Receipt, StageKind};
use crate::outbox::doubt::{Gone, Intent};
use crate::store::Transaction;
use crate::view::StageState;

/// An entry in a worker's hands.
#[derive(Debug, Clone)]
pub struct Work {
    /// What travels.
    pub issue: Issue,
    /// Where to.
    pub destination: Destination,
    /// The account there, where known.
    pub login: Option<String>,
    /// The stages, in order.
    pub stages: Vec<Stage>,
    /// Number and link, once it exists.
    pub receipt: Option<Receipt>,
    /// Somebody saw that it exists.
    pub sighting: Option<Sighting>,
    /// Whether the person asked to take it back, to send it elsewhere or to change it.
    pub is_wished_away: bool,
    /// The revision read.
    pub revision: i64,
    /// Tries since the budget was refreshed, this one included.
    pub tries: u32,
    /// When trying began, on the boot clock.
    pub trying_since_ms: Option<i64>,
    /// Ends in a row at which something was wrong in the lane.
    pub streak: u32,
}

/// "This issue exists."
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sighting {
    /// At this destination.
    pub destination: i64,
    /// Number and link.
    pub receipt: Receipt,
}

/// One stage, with its intent.
#[derive(Debug, Clone)]
pub struct Stage {
    /// Its place in the order.
    pub ordinal: i64,
    /// Which step.
    pub kind: StageKind,
    /// Of an upload: what is sent.
    pub attachment: Option<i64>,
    /// Where it stands.
    pub state: StageState,
    /// The last intent.
    pub intent: Option<Intent>,
    /// When its sender was gone.
    pub gone: Option<Gone>,
    /// The tracker's own reference.
    pub reference: Option<String>,
    /// The person looked, and it is not there.
    pub send_again: bool,
    /// It is a file that its tracker did not take.
    pub is_missing: bool,
    /// How often it was sent, as far as that is noted.
    pub sends: u32,
}

impl Work {
    /// The attachment with this number.
    pub fn attachment(&self, id: i64) -> Option<&Attachment> {
        self.issue.attachments.iter().find(|attachment| attachment.id == id)
    }
}

/// Reads an entry for its worker.
pub fn load(tx: &Transaction<'_>, entry: i64) -> rusqlite::Result<Work> {
    let destination = super::destination::by_id(tx, super::act::destination(tx, entry)?)?;
    let attachments = rows::attachments(tx, "entry", entry)?;
    let stages = stages(tx, entry)?;
    let sighting = tx
        .prepare_cached(
            "SELECT sighting.destination, number, url FROM sighting JOIN entry ON entry.id = sighting.entry
             WHERE entry = :entry
             ORDER BY sighting.destination <> entry.destination, seen_at_ms, number LIMIT 1",
        )?
        .query_row(named_params! {":entry": entry}, |row| {
            Ok(Sighting {
                destination: row.get(0)?,
                receipt: Receipt { number: row.get(1)?, url: row.get(2)? },
            })
        })
        .optional()?;
    tx.prepare_cached(
        "SELECT entry.key, title, body.text, labels, login, revision, budget_used, trying_since_ms, streak,
                receipt.number, receipt.url, coalesce(wish IN ('withdraw', 'move'), 0) OR EXISTS (SELECT 1 FROM edit WHERE edit.entry = entry.id),
                milestone, assignees
         FROM entry JOIN body ON body.entry = entry.id JOIN lane ON lane.destination = entry.destination
         LEFT JOIN receipt ON receipt.entry = entry.id
         WHERE entry.id = :entry",
    )?
    .query_row(named_params! {":entry": entry}, |row| {
        Ok(Work {
            issue: Issue {
                key: rows::key(row, 0)?,
                title: row.get(1)?,
                body: row.get(2)?,
                labels: rows::labels(row, 3)?,
                milestone: row.get(12)?,
                assignees: rows::assignees(row, 13)?,
                attachments,
            },
            destination,
            login: row.get(4)?,
            stages,
            receipt: rows::receipt(row, 9)?,
            sighting,
            is_wished_away: row.get(11)?,
            revision: row.get(5)?,
            tries: row.get(6)?,
            trying_since_ms: row.get(7)?,
            streak: row.get(8)?,
        })
    })
}

/// The issue of an entry, and the destination to look for it at.
pub fn issue_for(
    tx: &Transaction<'_>,
    entry: i64,
    destination: i64,
) -> rusqlite::Result<(Issue, Destination)> {
    let attachments = rows::attachments(tx, "entry", entry)?;
    let issue = tx
        .prepare_cached(
            "SELECT key, title, text, labels, milestone, assignees FROM entry JOIN body ON body.entry = entry.id
             WHERE id = :entry",
        )?
        .query_row(named_params! {":entry": entry}, |row| {
            Ok(Issue {
                key: rows::key(row, 0)?,
                title: row.get(1)?,
                body: row.get(2)?,
                labels: rows::labels(row, 3)?,
                milestone: row.get(4)?,
                assignees: rows::assignees(row, 5)?,
                attachments,
            })
        })?;
    Ok((issue, super::destination::by_id(tx, destination)?))
}

/// The stage in doubt that comes first: what was sent, and when its sender was gone.
pub fn doubt(tx: &Transaction<'_>, entry: i64) -> rusqlite::Result<Option<(Intent, Option<Gone>)>> {
    let in_doubt = |stage: &Stage| matches!(stage.state, StageState::Sent | StageState::Doubt);
    let stage = stages(tx, entry)?.into_iter().find(in_doubt);
    Ok(stage.and_then(|stage| Some((stage.intent?, stage.gone))))
}

fn stages(tx: &Transaction<'_>, entry: i64) -> rusqlite::Result<Vec<Stage>> {
    tx.prepare_cached(
        "SELECT stage.ordinal, kind, attachment, state, stage.attempt, sender, sent_boot_id, sent_login, sent_at_ms,
                first_sent_at_ms, gone_awake_ms, gone_boot_id, remote_ref, send_again, missing IS NOT NULL, sends
         FROM stage LEFT JOIN close
           ON close.entry = stage.entry AND close.ordinal = stage.ordinal AND close.attempt = stage.attempt
         WHERE stage.entry = :entry ORDER BY stage.ordinal",
    )?
    .query_map(named_params! {":entry": entry}, |row| {
        let attempt: Option<i64> = row.get(4)?;
        let intent = match attempt {
            Some(attempt) => Some(Intent {
                attempt,
                sender: row.get(5)?,
                boot_id: row.get(6)?,
                login: row.get(7)?,
                sent_at_ms: row.get(8)?,
                first_sent_at_ms: row.get(9)?,
            }),
            None => None,
        };
        let gone: Option<i64> = row.get(10)?;
        let gone = match gone {
            Some(awake_ms) => Some(Gone { awake_ms, boot_id: row.get(11)? }),
            None => None,
        };
        Ok(Stage {
            ordinal: row.get(0)?,
            kind: rows::stage_kind(row, 1)?,
            attachment: row.get(2)?,
            state: rows::stage_state(row, 3)?,
            intent,
            gone,
            reference: row.get(12)?,
            send_again: row.get(13)?,
            is_missing: row.get(14)?,
            sends: row.get(15)?,
        })
    })?
    .collect()
}
