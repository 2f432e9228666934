//! Looks into a store while processes are at it, as an outsider: reads only.

use std::collections::HashMap;
use std::path::Path;
use std::sync::{Mutex, MutexGuard, PoisonError};

use rusqlite::{Connection, OpenFlags};
use rustix::time::{ClockId, clock_gettime};

/// An outsider's connection.
#[derive(Debug)]
pub struct Watch(Mutex<Connection>);

impl Watch {
    /// Looks into the store of this data folder.
    ///
    /// # Panics
    /// When there is none.
    pub fn new(data: &Path) -> Self {
        let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let connection =
            Connection::open_with_flags(data.join("outtray.db"), flags).expect("the store is there");
        connection.pragma_update(None, "query_only", true).expect("a connection that only reads");
        connection.busy_timeout(std::time::Duration::from_secs(5)).expect("a connection waits");
        Self(Mutex::new(connection))
    }

    /// How many live leases each process holds.
    pub fn leases(&self) -> HashMap<String, usize> {
        let sql = "SELECT lease_owner, count(*) FROM entry
                   WHERE claim_token IS NOT NULL AND lease_until_ms > ?1 GROUP BY lease_owner";
        let connection = self.connection();
        let mut ask = connection.prepare_cached(sql).expect("the store's rows");
        let rows = ask.query_map([boot_ms()], |row| Ok((row.get(0)?, row.get::<_, i64>(1)?)));
        let rows = rows.expect("the store's rows").flatten();
        rows.map(|(owner, count)| (owner, usize::try_from(count).unwrap_or(0))).collect()
    }

    /// How many entries the process with this id holds.
    pub fn leases_of(&self, id: u32) -> usize {
        let connection = self.connection();
        let sql = "SELECT count(*) FROM entry JOIN presence ON presence.id = lease_owner WHERE pid = ?1";
        let count: Option<i64> = connection
            .prepare_cached(sql)
            .ok()
            .and_then(|mut ask| ask.query_row([id], |row| row.get(0)).ok());
        count.and_then(|count| usize::try_from(count).ok()).unwrap_or(0)
    }

    /// Whose process holds the first entry, by id; nothing when nobody does.
    pub fn owner_of_the_first(&self) -> Option<u32> {
        self.number(
            "SELECT coalesce(max(pid), 0) FROM entry JOIN presence ON presence.id = lease_owner
             WHERE entry.id = (SELECT min(id) FROM entry)",
        )
        .filter(|pid| *pid != 0)
    }

    /// How many processes have the store open.
    pub fn processes(&self) -> u32 {
        self.number("SELECT count(*) FROM presence").unwrap_or(0)
    }

    /// How many entries were ever claimed.
    pub fn claimed(&self) -> u32 {
        self.number("SELECT count(*) FROM entry WHERE fence > 0").unwrap_or(0)
    }

    /// How many entries wait.
    pub fn waiting(&self) -> u32 {
        self.number("SELECT count(*) FROM entry WHERE state = 'waiting'").unwrap_or(0)
    }

    /// How many attention items there are: entries and lanes that only a person can move.
    pub fn attention(&self) -> u32 {
        self.number(
            "SELECT (SELECT count(*) FROM entry WHERE state = 'attention')
                  + (SELECT count(*) FROM lane WHERE held = 'sign_in')",
        )
        .unwrap_or(0)
    }

    fn connection(&self) -> MutexGuard<'_, Connection> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn number(&self, sql: &str) -> Option<u32> {
        self.connection().prepare_cached(sql).ok()?.query_row([], |row| row.get(0)).ok()
    }
}

fn boot_ms() -> i64 {
    let at = clock_gettime(ClockId::Boottime);
    at.tv_sec * 1000 + at.tv_nsec / 1_000_000
}
