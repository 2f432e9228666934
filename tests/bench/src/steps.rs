//! What a claim costs in steps of SQLite's machine: the same number everywhere, so that it can be asserted.
//!
//! SQLite counts the steps of each prepared statement, and a store keeps its statements prepared. They are asked for by
//! their text, which is read from the source that prepares them.

use std::cell::Cell;

use outtray_core::Problem;
use outtray_core::store::{Durability, Ring, Transaction};
use rusqlite::StatementStatus;
use tempfile::TempDir;

use crate::Result;
use crate::outbox::Ours;

const SOURCES: [&str; 5] = [
    include_str!("../../../src-tauri/core/src/outbox/table/claim.rs"),
    include_str!("../../../src-tauri/core/src/outbox/table/lane.rs"),
    include_str!("../../../src-tauri/core/src/outbox/table/setting.rs"),
    include_str!("../../../src-tauri/core/src/outbox/table/mod.rs"),
    include_str!("../../../src-tauri/core/src/store/mod.rs"),
];

/// So many claims are looked at; each entry is given back before the next.
const CLAIMS: i64 = 24;

/// Steps of one claim and of the looks around it, with `waiting` entries spread over `lanes` lanes.
///
/// # Errors
/// What the store says.
pub fn per_claim(waiting: u32, lanes: u32) -> Result<i64> {
    let folder = TempDir::new()?;
    let ours = Ours::open(&folder.path().join("outtray"), lanes)?;
    ours.seed(waiting, lanes)?;
    let mut steps = 0;
    for turn in 0..CLAIMS + 2 {
        let overhead = taken(&ours)?;
        let overhead = taken(&ours)? - overhead;
        let before = taken(&ours)?;
        // As a drainer does: it looks whether anything is due, and once more when it has claimed.
        let _due = ours.outbox.glance(&ours.now())?;
        let lease = ours.claim(3)?.ok_or("nothing was due")?;
        let _more = ours.outbox.glance(&ours.now())?;
        let claimed = taken(&ours)? - before - overhead;
        // The first ones prepare their statements.
        steps += if turn < 2 { 0 } else { claimed };
        let _given_back = ours.outbox.release(&lease, "", &ours.now())?;
    }
    Ok(steps / CLAIMS)
}

/// Steps taken so far on the connections that a claim uses.
fn taken(ours: &Ours) -> Result<i64> {
    let store = ours.outbox.store();
    let sum = Cell::new(0);
    let count = |tx: &Transaction<'_>| -> std::result::Result<(), Problem> {
        for text in statements() {
            // One that this connection never prepared has taken no step; one that it cannot is none of its own.
            if let Ok(statement) = tx.prepare_cached(text) {
                sum.set(sum.get() + i64::from(statement.get_status(StatementStatus::VmStep)));
            }
        }
        Ok(())
    };
    store.read(count)?;
    store.write("steps", Durability::Normal, Ring::Nobody, count)?;
    Ok(sum.get())
}

/// The statements in the sources: what stands between quotes after `prepare_cached(`.
fn statements() -> impl Iterator<Item = &'static str> {
    SOURCES.into_iter().flat_map(|source| {
        source.split("prepare_cached(").skip(1).filter_map(|after| {
            let quoted = after.trim_start().strip_prefix('"')?;
            quoted.split('"').next()
        })
    })
}
