//! A process that has nothing to do with Outtray and brings a database's log into the database, again and again, as a
//! backup program or a curious person might: `checkpoint DATABASE`.
#![allow(clippy::print_stdout, clippy::print_stderr, reason = "its output is what it is for")]

use std::time::Duration;

use rusqlite::Connection;

fn main() -> rusqlite::Result<()> {
    let database = std::env::args().nth(1).unwrap_or_default();
    let connection = Connection::open(database)?;
    connection.busy_timeout(Duration::from_millis(200))?;
    let mut whole = 0_u64;
    for how in ["PASSIVE", "FULL", "RESTART", "TRUNCATE"].iter().cycle() {
        let asked =
            connection.query_row(&format!("PRAGMA wal_checkpoint({how})"), [], |row| row.get::<_, i64>(0));
        // One that is busy is fine: others are at work.
        whole += u64::from(asked == Ok(0));
        println!("{whole}");
        std::thread::sleep(Duration::from_millis(30));
    }
    Ok(())
}
