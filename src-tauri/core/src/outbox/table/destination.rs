//! Destinations, as a person set them up, each with its lane.

use rusqlite::{OptionalExtension, Row, named_params};

use super::rows;
use crate::clock::Now;
use crate::issue::Destination;
use crate::store::Transaction;

const COLUMNS: &str = "id, name, tracker, url, project, path, branch, honours_key, ca";

fn read(row: &Row<'_>) -> rusqlite::Result<Destination> {
    Ok(Destination {
        id: row.get(0)?,
        name: row.get(1)?,
        tracker: rows::tracker(row, 2)?,
        url: row.get(3)?,
        project: row.get(4)?,
        path: row.get(5)?,
        branch: row.get(6)?,
        honours_key: row.get(7)?,
        ca: row.get(8)?,
    })
}

/// Adds one with its lane; the first is the default. Returns its number.
pub fn insert(tx: &Transaction<'_>, new: &Destination, now: &Now) -> rusqlite::Result<i64> {
    tx.prepare_cached(
        "INSERT INTO destination (name, tracker, url, project, path, branch, honours_key, ca, is_default, added_at_ms)
         SELECT :name, :tracker, :url, :project, :path, :branch, :honours_key, :ca,
                NOT EXISTS (SELECT 1 FROM destination WHERE removed_at_ms IS NULL), :wall",
    )?
    .execute(named_params! {
        ":name": new.name, ":tracker": new.tracker.word(), ":url": new.url, ":project": new.project,
        ":path": new.path, ":branch": new.branch, ":honours_key": new.honours_key, ":ca": new.ca,
        ":wall": now.wall_ms,
    })?;
    let id = tx.last_insert_rowid();
    tx.prepare_cached("INSERT INTO lane (destination) VALUES (:id)")?.execute(named_params! {":id": id})?;
    Ok(id)
}

/// Whether there has ever been one.
pub fn any(tx: &Transaction<'_>) -> rusqlite::Result<bool> {
    tx.query_row("SELECT EXISTS (SELECT 1 FROM destination)", [], |row| row.get(0))
}

/// The one called `name`, in whatever case.
pub fn by_name(tx: &Transaction<'_>, name: &str) -> rusqlite::Result<Option<Destination>> {
    tx.prepare_cached(&format!(
        "SELECT {COLUMNS} FROM destination WHERE name = :name COLLATE NOCASE AND removed_at_ms IS NULL"
    ))?
    .query_row(named_params! {":name": name}, read)
    .optional()
}

/// The one with this number, removed or not.
pub fn by_id(tx: &Transaction<'_>, id: i64) -> rusqlite::Result<Destination> {
    tx.prepare_cached(&format!("SELECT {COLUMNS} FROM destination WHERE id = :id"))?
        .query_row(named_params! {":id": id}, read)
}

/// Makes one the default.
pub fn set_default(tx: &Transaction<'_>, id: i64) -> rusqlite::Result<()> {
    tx.prepare_cached("UPDATE destination SET is_default = (id = :id) WHERE removed_at_ms IS NULL")?
        .execute(named_params! {":id": id})?;
    Ok(())
}

/// Names its file of certificates, or none.
pub fn set_ca(tx: &Transaction<'_>, id: i64, ca: Option<&str>) -> rusqlite::Result<()> {
    tx.prepare_cached("UPDATE destination SET ca = :ca WHERE id = :id")?
        .execute(named_params! {":ca": ca, ":id": id})?;
    Ok(())
}

/// Every one but `but`, removed or not.
pub fn others(tx: &Transaction<'_>, but: i64) -> rusqlite::Result<Vec<Destination>> {
    tx.prepare_cached(&format!("SELECT {COLUMNS} FROM destination WHERE id <> :but ORDER BY id"))?
        .query_map(named_params! {":but": but}, read)?
        .collect()
}

/// The default one.
pub fn default(tx: &Transaction<'_>) -> rusqlite::Result<Option<Destination>> {
    tx.prepare_cached(&format!(
        "SELECT {COLUMNS} FROM destination WHERE removed_at_ms IS NULL ORDER BY is_default DESC, id LIMIT 1"
    ))?
    .query_row([], read)
    .optional()
}

/// How many entries are to be filed there, or wait for the person.
pub fn live(tx: &Transaction<'_>, id: i64) -> rusqlite::Result<u32> {
    tx.prepare_cached(
        "SELECT count(*) FROM entry WHERE destination = :id AND state IN ('waiting', 'attention')",
    )?
    .query_row(named_params! {":id": id}, |row| row.get(0))
}

/// Takes it out of sight; what was filed there keeps its name. Another one becomes the default.
pub fn remove(tx: &Transaction<'_>, id: i64, now: &Now) -> rusqlite::Result<()> {
    tx.prepare_cached("UPDATE destination SET removed_at_ms = :wall, is_default = 0 WHERE id = :id")?
        .execute(named_params! {":wall": now.wall_ms, ":id": id})?;
    tx.execute(
        "UPDATE destination SET is_default = 1
         WHERE id = (SELECT min(id) FROM destination WHERE removed_at_ms IS NULL)
           AND NOT EXISTS (SELECT 1 FROM destination WHERE is_default = 1)",
        [],
    )?;
    tx.prepare_cached("UPDATE draft SET destination = NULL WHERE destination = :id")?
        .execute(named_params! {":id": id})?;
    tx.prepare_cached("DELETE FROM catalogue WHERE destination = :id")?.execute(named_params! {":id": id})?;
    Ok(())
}

/// A destination with what its lane knows.
#[derive(Debug, Clone)]
pub struct Listed {
    /// The destination.
    pub destination: Destination,
    /// Whether it is the default.
    pub is_default: bool,
    /// How many wait.
    pub waiting: u32,
    /// What holds the lane now: the kind and the words.
    pub held: Option<(String, String)>,
    /// Why the app has no token for it.
    pub no_token: Option<String>,
    /// Whether a person paused it.
    pub paused: bool,
}

/// All that are in sight, the default first.
pub fn list(tx: &Transaction<'_>, now: &Now) -> rusqlite::Result<Vec<Listed>> {
    tx.prepare_cached(
        "SELECT id, name, tracker, url, project, path, branch, honours_key, ca, is_default, lane.waiting,
                CASE WHEN held = 'sign_in' OR held_until_ms > :boot THEN held END, held_words,
                paused = 1 AND coalesce(paused_until_ms > :wall, 1), no_token
         FROM destination JOIN lane ON lane.destination = destination.id
         WHERE removed_at_ms IS NULL ORDER BY is_default DESC, id",
    )?
    .query_map(named_params! {":boot": now.boot_ms, ":wall": now.wall_ms}, |row| {
        let held: Option<String> = row.get(11)?;
        let words: Option<String> = row.get(12)?;
        Ok(Listed {
            destination: read(row)?,
            is_default: row.get(9)?,
            waiting: row.get(10)?,
            held: held.zip(words),
            no_token: row.get(14)?,
            paused: row.get(13)?,
        })
    })?
    .collect()
}
