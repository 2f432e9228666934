//! After a kill: how soon another process claims what the dead one held, in the middle of a request.

use std::path::Path;
use std::time::{Duration, Instant};

use tempfile::TempDir;

use crate::Result;
use crate::child::Process;
use crate::figures::{Figures, micros};
use crate::outbox::Ours;
use crate::tracker::Answers;
use crate::wake::Watcher;

const SOON: Duration = Duration::from_secs(20);

/// Microseconds from SIGKILL to the claim by a process that was there.
///
/// # Errors
/// What the store says, or when nobody claims.
pub fn beside_a_peer(program: &Path, rounds: u32) -> Result<Figures> {
    each_round(program, rounds, |home, watcher, entry, mut victim| {
        let peer = Process::serve(program, home, Answers::After(Duration::ZERO))?;
        let others = "(SELECT count(*) FROM presence) >= 3";
        watcher.until(entry, others, SOON)?.ok_or("the peer did not come")?;
        // It has a look around, and goes to sleep.
        std::thread::sleep(Duration::from_millis(20));
        let killed = Instant::now();
        victim.kill()?;
        Ok((killed, peer))
    })
}

/// Microseconds from the start of the next process, after SIGKILL, to its claim: its own start included.
///
/// # Errors
/// What the store says, or when nobody claims.
pub fn alone(program: &Path, rounds: u32) -> Result<Figures> {
    each_round(program, rounds, |home, _watcher, _entry, mut victim| {
        victim.kill()?;
        let started = Instant::now();
        Ok((started, Process::serve(program, home, Answers::After(Duration::ZERO))?))
    })
}

fn each_round(
    program: &Path,
    rounds: u32,
    kill: impl Fn(&Path, &Watcher, i64, Process) -> Result<(Instant, Process)>,
) -> Result<Figures> {
    let folder = TempDir::new()?;
    let home = folder.path().join("outtray");
    // This process only watches: it claims nothing and buries nobody.
    let ours = Ours::open(&home, 1)?;
    let watcher = Watcher::open(&home)?;
    let mut took = Figures::default();
    for _ in 0..rounds {
        let victim = Process::serve(program, &home, Answers::Never)?;
        let entry = ours.seed(1, 1)?;
        ours.outbox.store().ring();
        let is_sent = "EXISTS (SELECT 1 FROM stage WHERE entry = entry.id AND stage.state = 'sent')";
        watcher.until(entry, is_sent, SOON)?.ok_or("the first process did not send")?;
        let dead = watcher.owner(entry)?;
        let (since, next) = kill(&home, &watcher, entry, victim)?;
        let taken_over = format!("state = 'filed' OR (lease_owner IS NOT NULL AND lease_owner <> '{dead}')");
        let claimed =
            watcher.until(entry, &taken_over, SOON)?.ok_or("nobody claimed what the dead one held")?;
        took.add(micros(claimed - since));
        watcher.until(entry, "state = 'filed'", SOON)?.ok_or("what was claimed again was not filed")?;
        next.quit()?;
    }
    Ok(took)
}
