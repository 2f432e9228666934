//! The queues that others have built, each in a program of its own: one program holds one SQLite, and theirs are others.
//!
//! A program is told `--folder`, `--entries`, `--workers` and `--synchronous`, and answers with two lines: `enqueue` and
//! `deliver`, each with the seconds it took.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use crate::Result;
use crate::contest::Took;

/// One of them.
#[derive(Debug, Clone)]
pub struct Peer {
    /// Its name.
    pub name: &'static str,
    /// How it commits.
    pub synchronous: &'static str,
    program: Vec<PathBuf>,
}

/// Those whose programs are there: what was built lies in `built`, what runs over node in `scripts`.
pub fn found(built: &Path, scripts: &Path) -> Vec<Peer> {
    let plainjob = scripts.join("plainjob/contend.mjs");
    let all = [
        // It sets NORMAL itself, on a connection that nobody else reaches.
        Peer { name: "effectum 0.7.0", synchronous: "NORMAL", program: vec![built.join("bench-effectum")] },
        Peer {
            name: "apalis-sqlite 1.0.0",
            synchronous: "FULL",
            program: vec![built.join("bench-apalis-sqlite")],
        },
        Peer { name: "plainjob 0.0.14", synchronous: "FULL", program: vec!["node".into(), plainjob.clone()] },
    ];
    // Its SQLite is built on the spot, where that can be done.
    let has_modules =
        plainjob.with_file_name("node_modules/better-sqlite3/build/Release/better_sqlite3.node").is_file();
    all.into_iter()
        .filter(|peer| if peer.program.len() > 1 { has_modules } else { peer.program[0].is_file() })
        .collect()
}

impl Peer {
    pub(crate) fn run(&self, folder: &Path, synchronous: &str, entries: u32, workers: u32) -> Result<Took> {
        let output = Command::new(&self.program[0])
            .args(&self.program[1..])
            .arg("--folder")
            .arg(folder)
            .args(["--entries", &entries.to_string(), "--workers", &workers.to_string()])
            .args(["--synchronous", synchronous])
            .output()?;
        let told = String::from_utf8_lossy(&output.stdout).into_owned();
        let seconds = |word: &str| -> Result<Duration> {
            let line = told.lines().find_map(|line| line.strip_prefix(word));
            let seconds = line.ok_or_else(|| {
                format!("{} said nothing of {word}: {}", self.name, String::from_utf8_lossy(&output.stderr))
            })?;
            Ok(Duration::from_secs_f64(seconds.trim().parse()?))
        };
        Ok(Took { enqueue: seconds("enqueue ")?, deliver: seconds("deliver ")? })
    }
}
