//! Dated, additive migrations, each whole or not at all. `user_version` counts those that have run.

use rusqlite::{Connection, TransactionBehavior, params};

use super::Adoption;
use super::{Transaction, WRITER};
use crate::clock::{Now, machine_id};
use crate::problem::{Code, Problem, Result};

const MIGRATIONS: &[&str] = &[
    include_str!("migrations/2026-11-30-first.sql"),
    include_str!("migrations/2026-11-30-late-news.sql"),
    include_str!("migrations/2026-11-30-lean.sql"),
    include_str!("migrations/2026-11-30-trackers.sql"),
    include_str!("migrations/2026-11-30-elsewhere.sql"),
    include_str!("migrations/2026-11-30-missing.sql"),
    include_str!("migrations/2026-11-30-ca.sql"),
    include_str!("migrations/2026-11-30-catalogue.sql"),
];

/// Brings the schema up to this program's, and makes the one row of `meta`.
pub(super) fn migrate(connection: &mut Connection, adoption: Adoption, now: &Now) -> Result<()> {
    // A table that is written anew is missing for a moment. What refers to it is looked at before COMMIT.
    connection.pragma_update(None, "foreign_keys", false)?;
    let migrated = migrate_unchecked(connection, adoption, now);
    connection.pragma_update(None, "foreign_keys", true)?;
    migrated
}

fn migrate_unchecked(connection: &mut Connection, adoption: Adoption, now: &Now) -> Result<()> {
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    let ran: i64 = transaction.query_row("PRAGMA user_version", [], |row| row.get(0))?;
    let Some(missing) = usize::try_from(ran).ok().and_then(|ran| MIGRATIONS.get(ran..)) else {
        // Made by a newer program. `min_writer` says whether this one may write; what it can still read, it shows.
        return Ok(());
    };
    for (migration, count) in missing.iter().zip(ran + 1..) {
        transaction.execute_batch(migration)?;
        transaction.pragma_update(None, "user_version", count)?;
    }
    if !missing.is_empty() {
        refers_to_what_is_there(&transaction)?;
    }
    if ran == 0 {
        transaction.execute(
            "INSERT INTO meta (one, store_id, machine_id, generation, min_writer, fence, live_entries, live_bytes)
             VALUES (1, :store_id, :machine_id, 1, :writer, 0, 0, 0)",
            rusqlite::named_params! {
                ":writer": WRITER,
                ":store_id": uuid::Uuid::now_v7().to_string(),
                ":machine_id": machine_id(),
            },
        )?;
    }
    rebase(&transaction, now)?;
    let machine: String = transaction.query_row("SELECT machine_id FROM meta", [], |row| row.get(0))?;
    let here = machine_id();
    if machine != here {
        if adoption == Adoption::No {
            return Err(Problem::new(Code::OtherMachine, "This outbox belongs to another computer.").hint(
                "Use it here if that computer no longer does; then Outtray first looks what it has sent.",
            ));
        }
        transaction.execute("UPDATE meta SET machine_id = ?1", params![here])?;
        super::generation::begin(&Transaction::on(&transaction), now)?;
    }
    transaction.commit()?;
    Ok(())
}

fn refers_to_what_is_there(transaction: &rusqlite::Transaction<'_>) -> Result<()> {
    let broken: i64 =
        transaction.query_row("SELECT count(*) FROM pragma_foreign_key_check", [], |row| row.get(0))?;
    if broken == 0 {
        return Ok(());
    }
    Err(Problem::new(Code::Internal, "The outbox’s database could not be brought up to date.")
        .hint("Nothing of it was changed; the Outtray that was here before still reads it."))
}

/// After a reboot the boot clock starts over: times of another boot are written anew by the wall clock, never
/// further away than they were allowed to be.
fn rebase(transaction: &rusqlite::Transaction<'_>, now: &Now) -> Result<()> {
    const LONGEST_MS: i64 = 86_400_000;
    let boot = &*now.boot_id;
    transaction.execute(
        "UPDATE entry SET not_before_ms = ?1 + min(max(not_before_wall_ms - ?2, 0), ?3), not_before_boot_id = ?4
         WHERE not_before_boot_id <> ?4",
        params![now.boot_ms, now.wall_ms, LONGEST_MS, boot],
    )?;
    // A day of trying is counted within one boot; twenty tries are counted across all.
    transaction.execute(
        "UPDATE entry SET trying_since_ms = NULL, trying_boot_id = NULL WHERE trying_boot_id <> ?1",
        params![boot],
    )?;
    transaction.execute(
        "UPDATE lane SET held_until_ms = ?1 + min(max(held_until_wall_ms - ?2, 0), ?3), held_boot_id = ?4
         WHERE held_boot_id <> ?4",
        params![now.boot_ms, now.wall_ms, LONGEST_MS, boot],
    )?;
    transaction.execute(
        "UPDATE late_look SET due_ms = ?1 + min(max(due_wall_ms - ?2, 0), ?3), due_boot_id = ?4 WHERE due_boot_id <> ?4",
        params![now.boot_ms, now.wall_ms, LONGEST_MS, boot],
    )?;
    Ok(())
}
