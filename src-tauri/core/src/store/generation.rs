//! A store that may not know everything its own past did: restored from a copy, recovered row by row, or come from
//! another computer. A sender of the lost future may still be alive, so whatever is not filed is in doubt, whatever its
//! rows say, and quiet time counts from now.

use rusqlite::named_params;

use super::Transaction;
use crate::clock::Now;

/// Begins a new generation of the store. The intent that is noted stands for any that the rows have forgotten: it goes
/// back as far as the entry does, and its sender is nobody that could be asked.
pub(crate) fn begin(transaction: &Transaction<'_>, now: &Now) -> rusqlite::Result<()> {
    let generation: i64 = transaction.query_row(
        "UPDATE meta SET generation = generation + 1, fence = fence + 1 RETURNING generation",
        [],
        |row| row.get(0),
    )?;
    transaction.execute(
        "UPDATE attempt SET ended_at_ms = :wall, outcome = 'lost', number = NULL, words = 'The outbox began anew.'
         WHERE ended_at_ms IS NULL",
        named_params! {":wall": now.wall_ms},
    )?;
    transaction.execute(
        "UPDATE entry SET fence = (SELECT fence FROM meta), changed_at_ms = :wall,
                claim_token = NULL, lease_owner = NULL, lease_until_ms = NULL, lease_boot_id = NULL
         WHERE state <> 'filed'",
        named_params! {":wall": now.wall_ms},
    )?;
    // No attempt of this store has a number below one: it names the generation instead.
    transaction.execute(
        "UPDATE stage SET state = 'doubt', attempt = -:generation, sender = 'an earlier generation',
                sent_destination = entry.destination, sent_login = coalesce(sent_login, lane.login),
                sent_at_ms = :wall, sent_boot_id = :boot_id,
                first_sent_at_ms = min(coalesce(first_sent_at_ms, entry.saved_at_ms), entry.saved_at_ms)
         FROM entry JOIN lane ON lane.destination = entry.destination
         WHERE entry.id = stage.entry AND entry.state <> 'filed' AND stage.state <> 'done' AND kind <> 'embed'",
        named_params! {":generation": generation, ":wall": now.wall_ms, ":boot_id": &*now.boot_id},
    )?;
    transaction.execute(
        "INSERT INTO close (entry, ordinal, attempt, how, gone_at_ms, gone_awake_ms, gone_boot_id)
         SELECT entry, ordinal, attempt, 'died', :wall, :awake, :boot_id FROM stage WHERE attempt = -:generation",
        named_params! {
            ":generation": generation, ":wall": now.wall_ms, ":awake": now.awake_ms, ":boot_id": &*now.boot_id,
        },
    )?;
    // Whoever had it open then cannot be asked either.
    transaction.execute("DELETE FROM presence", [])?;
    Ok(())
}
