//! What is read to be shown: entries with what holds them, and the counts that attention is folded from.

use rusqlite::{OptionalExtension, Row, named_params};

use super::edit::Text;
use super::rows;
use crate::attention::{Facts, LaneFacts};
use crate::clock::{Now, Stamp};
use crate::issue::{Key, Receipt, StageKind, TrackerKind};
use crate::store::Transaction;
use crate::view::{AttemptView, EntryState, StageState};

/// An entry as it stands, before words are found for it.
#[derive(Debug, Clone)]
#[allow(missing_docs)]
pub struct EntryFacts {
    pub id: i64,
    pub key: Key,
    pub destination: String,
    pub project: Option<String>,
    pub path: Option<String>,
    pub tracker: TrackerKind,
    pub title: String,
    pub state: EntryState,
    pub attempts: u32,
    pub words: Option<String>,
    pub wish: Option<String>,
    pub saved_at_ms: i64,
    pub filed_at_ms: Option<i64>,
    pub send_at_ms: Option<i64>,
    pub not_before_ms: Option<i64>,
    pub leased: bool,
    pub all_paused: bool,
    pub lane_paused: bool,
    pub lane_held: Option<(String, String)>,
    pub lane_held_until_ms: Option<i64>,
    pub unreachable: bool,
    pub receipt: Option<Receipt>,
    pub attachments: u32,
    pub stage: Option<StageFacts>,
    /// Why the app has no token for the lane.
    pub no_token: Option<String>,
    /// Whether it came as a copy, and is held.
    pub is_held_copy: bool,
    /// Whether it is filed without some of its files, and waits for the person to say what now.
    pub is_incomplete: bool,
}

/// The stage an entry has come to.
#[derive(Debug, Clone)]
#[allow(missing_docs)]
pub struct StageFacts {
    pub kind: StageKind,
    pub state: StageState,
    /// Which upload of how many, from one.
    pub upload: u32,
    pub uploads: u32,
}

const ENTRIES: &str = "
  SELECT entry.id, entry.key, destination.name, destination.project, destination.path, destination.tracker, title,
         entry.state, attempts, words,
         coalesce(wish, (SELECT 'edit' FROM edit WHERE edit.entry = entry.id)), saved_at_ms, filed_at_ms,
         CASE WHEN send_at_ms > :wall THEN send_at_ms END,
         CASE WHEN not_before_ms > :boot THEN not_before_ms - :boot + :wall END,
         claim_token IS NOT NULL AND lease_boot_id = :boot_id AND lease_until_ms > :boot,
         (SELECT paused = 1 AND coalesce(paused_until_ms > :wall, 1) FROM meta),
         lane.paused = 1 AND coalesce(lane.paused_until_ms > :wall, 1),
         CASE WHEN held = 'sign_in' OR held_until_ms > :boot THEN held END, held_words,
         CASE WHEN held_until_ms > :boot THEN held_until_ms - :boot + :wall END, unreachable,
         receipt.number, receipt.url,
         (SELECT count(*) FROM attachment WHERE attachment.entry = entry.id),
         stage.kind, stage.state,
         (SELECT count(*) FROM stage AS s WHERE s.entry = entry.id AND s.kind = 'upload' AND s.ordinal <= stage.ordinal),
         (SELECT count(*) FROM stage AS s WHERE s.entry = entry.id AND s.kind = 'upload'),
         lane.no_token, entry.state = 'attention' AND entry.reason = 'copy',
         entry.state = 'attention' AND entry.reason = 'incomplete'
  FROM entry
  JOIN destination ON destination.id = entry.destination
  JOIN lane ON lane.destination = entry.destination
  LEFT JOIN receipt ON receipt.entry = entry.id
  LEFT JOIN stage ON stage.entry = entry.id AND stage.ordinal =
    (SELECT min(ordinal) FROM stage AS open WHERE open.entry = entry.id AND open.state <> 'done')";

fn read(row: &Row<'_>) -> rusqlite::Result<EntryFacts> {
    let held: Option<String> = row.get(18)?;
    let stage = match row.get::<_, Option<String>>(25)? {
        Some(_) => Some(StageFacts {
            kind: rows::stage_kind(row, 25)?,
            state: rows::stage_state(row, 26)?,
            upload: row.get(27)?,
            uploads: row.get(28)?,
        }),
        None => None,
    };
    Ok(EntryFacts {
        id: row.get(0)?,
        key: rows::key(row, 1)?,
        destination: row.get(2)?,
        project: row.get(3)?,
        path: row.get(4)?,
        tracker: rows::tracker(row, 5)?,
        title: row.get(6)?,
        state: rows::state(row, 7)?,
        attempts: row.get(8)?,
        words: row.get(9)?,
        wish: row.get(10)?,
        saved_at_ms: row.get(11)?,
        filed_at_ms: row.get(12)?,
        send_at_ms: row.get(13)?,
        not_before_ms: row.get(14)?,
        leased: row.get(15)?,
        all_paused: row.get(16)?,
        lane_paused: row.get(17)?,
        lane_held: held.zip(row.get(19)?),
        lane_held_until_ms: row.get(20)?,
        unreachable: row.get(21)?,
        receipt: rows::receipt(row, 22)?,
        attachments: row.get(24)?,
        stage,
        no_token: row.get(29)?,
        is_held_copy: row.get(30)?,
        is_incomplete: row.get(31)?,
    })
}

/// The newest of those in `state`, or of all.
pub fn list(tx: &Transaction<'_>, state: Option<EntryState>, now: &Now) -> rusqlite::Result<Vec<EntryFacts>> {
    let filter = match state {
        None => "",
        Some(EntryState::Waiting) => "WHERE entry.state = 'waiting'",
        Some(EntryState::Filed) => "WHERE entry.state = 'filed'",
        Some(EntryState::Attention) => "WHERE entry.state = 'attention'",
        Some(EntryState::Withdrawn) => "WHERE entry.state = 'withdrawn'",
    };
    tx.prepare_cached(&format!("{ENTRIES} {filter} ORDER BY entry.id DESC"))?
        .query_map(
            named_params! {":wall": now.wall_ms, ":boot": now.boot_ms, ":boot_id": &*now.boot_id},
            read,
        )?
        .collect()
}

/// One entry.
pub fn get(tx: &Transaction<'_>, id: i64, now: &Now) -> rusqlite::Result<Option<EntryFacts>> {
    tx.prepare_cached(&format!("{ENTRIES} WHERE entry.id = :id"))?
        .query_row(
            named_params! {
                ":id": id, ":wall": now.wall_ms, ":boot": now.boot_ms, ":boot_id": &*now.boot_id,
            },
            read,
        )
        .optional()
}

/// What somebody wrote, and which version of it that is.
pub fn text(tx: &Transaction<'_>, id: i64) -> rusqlite::Result<(Text, i64)> {
    tx.prepare_cached(
        "SELECT title, text, labels, milestone, assignees, revision FROM entry JOIN body ON body.entry = entry.id
         WHERE id = :id",
    )?
    .query_row(named_params! {":id": id}, |row| {
        let text = Text {
            title: row.get(0)?,
            body: row.get(1)?,
            labels: rows::labels(row, 2)?,
            milestone: row.get(3)?,
            assignees: rows::assignees(row, 4)?,
        };
        Ok((text, row.get(5)?))
    })
}

/// A stage as it is shown.
#[derive(Debug)]
#[allow(missing_docs)]
pub struct Shown {
    pub kind: StageKind,
    pub state: StageState,
    /// When that was recorded.
    pub at_ms: Option<i64>,
    /// Of a file that is not there, though nothing is sent any more: why.
    pub missing: Option<String>,
}

/// The stages of an entry, in order.
pub fn stages(tx: &Transaction<'_>, id: i64) -> rusqlite::Result<Vec<Shown>> {
    tx.prepare_cached(
        "SELECT kind, state, coalesce(done_at_ms, CASE WHEN state <> 'open' THEN sent_at_ms END), missing
         FROM stage WHERE entry = :id ORDER BY ordinal",
    )?
    .query_map(named_params! {":id": id}, |row| {
        Ok(Shown {
            kind: rows::stage_kind(row, 0)?,
            state: rows::stage_state(row, 1)?,
            at_ms: row.get(2)?,
            missing: row.get(3)?,
        })
    })?
    .collect()
}

/// The attempts of an entry, newest first.
pub fn attempts(tx: &Transaction<'_>, id: i64) -> rusqlite::Result<Vec<AttemptView>> {
    tx.prepare_cached(
        "SELECT number, started_at_ms, ended_at_ms, coalesce(words, CASE outcome WHEN 'filed' THEN 'Filed.' END,
                CASE WHEN outcome IS NULL THEN 'Sending now.' ELSE '' END)
         FROM attempt WHERE entry = :id ORDER BY fence DESC LIMIT 200",
    )?
    .query_map(named_params! {":id": id}, |row| {
        Ok(AttemptView {
            number: row.get(0)?,
            started: Stamp::of(row.get(1)?).0,
            ended: row.get::<_, Option<i64>>(2)?.map(|at| Stamp::of(at).0),
            words: row.get(3)?,
        })
    })?
    .collect()
}

/// What attention is folded from.
pub fn attention(tx: &Transaction<'_>, now: &Now) -> rusqlite::Result<Facts> {
    let mut facts = tx
        .prepare_cached(
            "SELECT (SELECT coalesce(sum(waiting), 0) FROM lane),
                    (SELECT count(*) FROM entry INDEXED BY entry_leased WHERE claim_token IS NOT NULL
                       AND lease_boot_id = :boot_id AND lease_until_ms > :boot),
                    (SELECT count(*) FROM entry WHERE state = 'attention'),
                    paused = 1 AND coalesce(paused_until_ms > :wall, 1)
             FROM meta",
        )?
        .query_row(
            named_params! {":boot_id": &*now.boot_id, ":boot": now.boot_ms, ":wall": now.wall_ms},
            |row| {
                Ok(Facts {
                    waiting: row.get(0)?,
                    sending: row.get(1)?,
                    attention: row.get(2)?,
                    paused: row.get(3)?,
                    lanes: Vec::new(),
                    items: Vec::new(),
                    next_try_ms: None,
                })
            },
        )?;
    facts.lanes = tx
        .prepare_cached(
            "SELECT destination.name, waiting, coalesce(held = 'sign_in', 0) OR no_token IS NOT NULL,
                    CASE WHEN held = 'sign_in' OR no_token IS NULL THEN held_words ELSE no_token END, unreachable,
                    lane.paused = 1 AND coalesce(lane.paused_until_ms > :wall, 1)
             FROM lane JOIN destination ON destination.id = lane.destination WHERE waiting > 0",
        )?
        .query_map(named_params! {":wall": now.wall_ms}, |row| {
            Ok(LaneFacts {
                name: row.get(0)?,
                waiting: row.get(1)?,
                signed_out: row.get(2)?,
                words: row.get(3)?,
                unreachable: row.get(4)?,
                paused: row.get(5)?,
            })
        })?
        .collect::<rusqlite::Result<_>>()?;
    facts.items = tx
        .prepare_cached(
            "SELECT entry.id, destination.name, title, coalesce(words, ''),
                    reason <> 'copy' AND EXISTS
                      (SELECT 1 FROM stage WHERE stage.entry = entry.id AND stage.state IN ('sent', 'doubt'))
             FROM entry JOIN destination ON destination.id = entry.destination
             WHERE entry.state = 'attention' ORDER BY changed_at_ms DESC, entry.id DESC LIMIT 3",
        )?
        .query_map([], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?, row.get(4)?)))?
        .collect::<rusqlite::Result<_>>()?;
    facts.next_try_ms = tx
        .prepare_cached(
            "SELECT min(at) FROM (
               SELECT min(not_before_ms) - :boot + :wall AS at FROM entry INDEXED BY entry_gated
                 JOIN lane ON lane.destination = entry.destination
                 WHERE state = 'waiting' AND due = 0 AND not_before_ms > :boot
                   AND coalesce(held <> 'sign_in', 1) AND no_token IS NULL AND paused = 0
               UNION ALL SELECT min(send_at_ms) FROM entry INDEXED BY entry_later
                 WHERE state = 'waiting' AND due = 0 AND send_at_ms > :wall
               UNION ALL SELECT min(held_until_ms) - :boot + :wall FROM lane
                 WHERE waiting > 0 AND held_until_ms > :boot AND no_token IS NULL AND paused = 0)",
        )?
        .query_row(named_params! {":boot": now.boot_ms, ":wall": now.wall_ms}, |row| row.get(0))?;
    Ok(facts)
}
