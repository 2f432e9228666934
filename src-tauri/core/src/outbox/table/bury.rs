//! What a process that is proven dead leaves to be put in order.

use rusqlite::named_params;

use crate::clock::Now;
use crate::store::Transaction;

/// Writes a dated close for each of its open intents (quiet time counts from there), frees its leases, ends its
/// attempts and takes its row away. Returns how many leases that freed.
pub fn bury(tx: &Transaction<'_>, peer: &str, now: &Now) -> rusqlite::Result<usize> {
    tx.prepare_cached(
        "INSERT INTO close (entry, ordinal, attempt, how, gone_at_ms, gone_awake_ms, gone_boot_id)
         SELECT entry, ordinal, attempt, 'died', :wall, :awake, :boot_id FROM stage
         WHERE entry IN (SELECT id FROM entry WHERE entry.state IN ('waiting', 'attention', 'withdrawn'))
           AND state IN ('sent', 'doubt') AND sender = :peer
         ON CONFLICT DO NOTHING",
    )?
    .execute(named_params! {
        ":wall": now.wall_ms, ":awake": now.awake_ms, ":boot_id": &*now.boot_id, ":peer": peer,
    })?;
    tx.prepare_cached(
        "UPDATE attempt SET ended_at_ms = :wall, outcome = 'died', words = 'Outtray ended in the middle of it.'
         WHERE ended_at_ms IS NULL AND entry IN
           (SELECT id FROM entry WHERE claim_token IS NOT NULL AND lease_owner = :peer)",
    )?
    .execute(named_params! {":wall": now.wall_ms, ":peer": peer})?;
    let freed = tx
        .prepare_cached(
            "UPDATE entry SET claim_token = NULL, lease_owner = NULL, lease_until_ms = NULL, lease_boot_id = NULL
             WHERE claim_token IS NOT NULL AND lease_owner = :peer",
        )?
        .execute(named_params! {":peer": peer})?;
    crate::store::leave(tx, peer)?;
    Ok(freed)
}
