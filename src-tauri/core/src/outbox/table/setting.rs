//! Settings, as rows.

use rusqlite::named_params;

use crate::store::Transaction;

/// Every setting that has a value of its own.
pub fn all(tx: &Transaction<'_>) -> rusqlite::Result<Vec<(String, String)>> {
    tx.prepare_cached("SELECT key, value FROM setting")?
        .query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?
        .collect()
}

/// Sets one, or takes its value away.
pub fn set(tx: &Transaction<'_>, key: &str, value: Option<&str>) -> rusqlite::Result<()> {
    match value {
        Some(value) => tx
            .prepare_cached(
                "INSERT INTO setting (key, value) VALUES (:key, :value)
                 ON CONFLICT (key) DO UPDATE SET value = excluded.value",
            )?
            .execute(named_params! {":key": key, ":value": value})?,
        None => {
            tx.prepare_cached("DELETE FROM setting WHERE key = :key")?.execute(named_params! {":key": key})?
        }
    };
    Ok(())
}
