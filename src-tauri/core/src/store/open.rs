//! Opening the store: the directory, the lock that lets one process at a time do this, the pragmas.

use std::fs::{DirBuilder, File, OpenOptions};
use std::os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt};
use std::path::Path;
use std::sync::Mutex;

use rusqlite::config::DbConfig;
use rusqlite::{Connection, OpenFlags};
use rustix::fs::{FlockOperation, flock};
use tokio::sync::watch;

use super::doorbell::{self, Doorbell};
use super::failure::disk;
use super::{Adoption, Durability, PATIENCE, Ring, Store, migrate::migrate, presence, writer::Writer};
use crate::clock::Now;
use crate::problem::{Code, Problem, Result};

/// The first SQLite without the WAL-reset corruption (`EngineFloor`).
const ENGINE_FLOOR: i32 = 3_051_003;
const DATABASE: &str = "outtray.db";
/// A new database's pages are small: a delivery changes a few bytes in each of twenty, and every page that it touches is
/// written to the log whole. A store made with larger ones keeps them.
const PAGE_BYTES: i64 = 1_024;
/// The log goes into the database when it has grown so long.
const LOG_BYTES: i64 = 4_096_000;

pub(super) fn open(home: &Path, adoption: Adoption, now: &Now) -> Result<Store> {
    if rusqlite::version_number() < ENGINE_FLOOR {
        return Err(Problem::new(
            Code::Internal,
            format!("SQLite {} can lose commits.", rusqlite::version()),
        )
        .hint("Build Outtray with its own, bundled SQLite."));
    }
    directory(home)?;
    let _opening = opening(home)?;
    make_private(&home.join(DATABASE))?;

    let mut connection = connect(home, Durability::Full.pragma())?;
    migrate(&mut connection, adoption, now)?;
    let reader = connect(home, Durability::Normal.pragma())?;
    reader.pragma_update(None, "query_only", true)?;
    let id: String = connection.query_row("SELECT store_id FROM meta", [], |row| row.get(0))?;

    let presence = presence::Presence::register(home)?;
    let doorbell = Doorbell::hang(presence.directory(), presence.id())?;
    let store = Store {
        writer: Writer::new(home, connection),
        reader: Mutex::new(reader),
        home: home.to_owned(),
        id,
        changes: watch::Sender::new(0),
        peers: watch::Sender::new(0),
        doorbell,
        presence,
    };
    // One that demands a newer writer can still be looked at.
    if !store.is_too_new()? {
        store.write("enter", Durability::Full, Ring::Nobody, |tx| {
            Ok(presence::enter(tx, store.presence.id(), now)?)
        })?;
        store.doorbell.ring_others(doorbell::PEERS);
    }
    Ok(store)
}

/// One process at a time opens, migrates and buries, so that none meets a half-made store.
fn opening(home: &Path) -> Result<File> {
    let lock = OpenOptions::new()
        .create(true)
        .truncate(false)
        .write(true)
        .mode(0o600)
        .custom_flags(rustix::fs::OFlags::NOFOLLOW.bits().cast_signed())
        .open(home.join("open.lock"))
        .map_err(|error| disk("Outtray’s data folder", error))?;
    flock(&lock, FlockOperation::LockExclusive)
        .map_err(|error| disk("Outtray’s data folder", error.into()))?;
    Ok(lock)
}

/// Makes the data directory for this person alone; refuses one that belongs to somebody else.
fn directory(home: &Path) -> Result<()> {
    DirBuilder::new()
        .recursive(true)
        .mode(0o700)
        .create(home)
        .map_err(|error| disk("Outtray’s data folder", error))?;
    let found = std::fs::metadata(home).map_err(|error| disk("Outtray’s data folder", error))?;
    if found.uid() != rustix::process::geteuid().as_raw() {
        return Err(Problem::new(Code::ReadOnly, format!("{} belongs to another person.", home.display()))
            .hint("Set OUTTRAY_HOME to a folder of your own."));
    }
    Ok(())
}

/// Makes an empty database file with the right rights before SQLite ever sees it, since it must not be touched later.
fn make_private(path: &Path) -> Result<()> {
    match OpenOptions::new().create_new(true).write(true).mode(0o600).open(path) {
        Ok(_made) => Ok(()),
        Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => Ok(()),
        Err(error) => Err(disk("The outbox’s database", error)),
    }
}

pub(super) fn connect(home: &Path, synchronous: &str) -> Result<Connection> {
    let connection = Connection::open_with_flags(
        home.join(DATABASE),
        OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX | OpenFlags::SQLITE_OPEN_NOFOLLOW,
    )?;
    connection.busy_timeout(PATIENCE)?;
    connection.set_prepared_statement_cache_capacity(128);
    // A plan that depended on the values bound would be made anew with each of them.
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_QPSG, true)?;
    connection.pragma_update(None, "page_size", PAGE_BYTES)?;
    let mode: String = connection.query_row("PRAGMA journal_mode = WAL", [], |row| row.get(0))?;
    if mode != "wal" {
        return Err(Problem::new(
            Code::Internal,
            "The outbox’s database cannot use write-ahead logging here.",
        )
        .hint("Move Outtray’s data folder to a local disk."));
    }
    for (pragma, value) in [
        ("synchronous", synchronous),
        ("foreign_keys", "ON"),
        ("secure_delete", "ON"),
        ("trusted_schema", "OFF"),
        ("cell_size_check", "ON"),
        ("mmap_size", "0"),
        ("temp_store", "MEMORY"),
    ] {
        // Some answer with their value and some do not, so both are read.
        connection.execute_batch(&format!("PRAGMA {pragma} = {value}"))?;
    }
    let page_bytes: i64 = connection.query_row("PRAGMA page_size", [], |row| row.get(0))?;
    connection
        .query_row(&format!("PRAGMA wal_autocheckpoint = {}", LOG_BYTES / page_bytes), [], |_| Ok(()))?;
    Ok(connection)
}
