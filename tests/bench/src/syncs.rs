//! How often an entry makes the disk write: counted by strace, from `outtrayctl file` to *filed*. What a window saves while
//! somebody types comes before, once for each pause.

use std::path::Path;
use std::process::Command;

use tempfile::TempDir;

use crate::Result;
use crate::child::WORD;

/// Syncs for one entry, by what is synced.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Syncs {
    /// Of the log: one for each commit that must survive a power cut.
    pub log: f64,
    /// Of the database file: a checkpoint, every thousand pages or so.
    pub database: f64,
    /// Of a picture's file and its directory.
    pub files: f64,
}

impl Syncs {
    /// Everything included.
    pub fn all(&self) -> f64 {
        self.log + self.database + self.files
    }
}

/// Whether strace is here.
pub fn can_count() -> bool {
    Command::new("strace").arg("-V").output().is_ok_and(|output| output.status.success())
}

/// Counts for entries with a picture of `bytes`, or none for zero. What opening and closing cost is left out by the
/// difference of a long and a short run. `program` is the bench itself.
///
/// # Errors
/// When strace is not here, or the run does not file everything.
pub fn per_entry(program: &Path, bytes: usize) -> Result<Syncs> {
    let (few, many) = (4, 44);
    let [short, long] = [run(program, few, bytes)?, run(program, many, bytes)?];
    let each = |count: fn(&Syncs) -> f64| (count(&long) - count(&short)) / f64::from(many - few);
    Ok(Syncs {
        log: each(|syncs| syncs.log),
        database: each(|syncs| syncs.database),
        files: each(|syncs| syncs.files),
    })
}

fn run(program: &Path, entries: u32, bytes: usize) -> Result<Syncs> {
    let folder = TempDir::new()?;
    let traced = folder.path().join("traced");
    let status = Command::new("strace")
        .args(["-f", "-y", "-e", "trace=fsync,fdatasync,sync_file_range,msync,sync,syncfs", "-o"])
        .arg(&traced)
        .arg(program)
        .args([WORD, "file"])
        .arg(folder.path().join("outtray"))
        .args([entries.to_string(), bytes.to_string()])
        .status()?;
    if !status.success() {
        return Err("the traced run did not file everything".into());
    }
    let traced = std::fs::read_to_string(traced)?;
    // A call that is taken up again later has no bracket on its second line.
    let calls: Vec<&str> =
        traced.lines().filter(|line| line.contains("sync(") || line.contains("sync_")).collect();
    let of = |what: &dyn Fn(&str) -> bool| -> f64 {
        let count = calls.iter().filter(|line| what(line)).count();
        f64::from(u32::try_from(count).unwrap_or(u32::MAX))
    };
    let log = of(&|line| line.contains("outtray.db-wal"));
    let database = of(&|line| line.contains("outtray.db>"));
    Ok(Syncs { log, database, files: of(&|_| true) - log - database })
}
