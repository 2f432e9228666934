//! After a sender is killed: how long until somebody else has its entry, with a lease that nobody would want to wait for.

use std::time::{Duration, Instant};

use outtray_support::{PracticeTracker, Route, What};

use crate::home::{Home, Wanted};
use crate::process::Process;
use crate::until;
use crate::watch::Watch;

/// A minute: whoever waits for it is noticed.
pub const LEASE: Duration = Duration::from_secs(60);

const SETTINGS: &[(&str, &str)] = &[
    ("drain.lease_ms", "60000"),
    ("drain.quiet_ms", "100"),
    ("drain.backoff_base_ms", "20"),
    ("drain.backoff_cap_ms", "100"),
];
const PATIENCE: Duration = Duration::from_secs(30);

/// Who takes the entry over.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Heir {
    /// A process that was there all along: counted from the kill.
    Peer,
    /// A process that is started afterwards: counted from its start.
    Newcomer,
}

/// A sender that was killed in the middle of a create, and what became of its entry.
#[derive(Debug)]
pub struct Recovery {
    /// How long the entry stayed the dead one's.
    pub took: Duration,
    /// The tracker.
    pub tracker: PracticeTracker,
    /// The home.
    pub home: Home,
    /// What is to be at the tracker.
    pub wanted: Vec<Wanted>,
    /// The process that took over, which has ended.
    pub heir: crate::Ended,
}

/// Kills a sender in the middle of a create and lets `heir` go on.
///
/// # Errors
/// In words, when it did not come to that.
///
/// # Panics
/// When no tracker can be started.
pub async fn recover(program: &str, heir: Heir) -> Result<Recovery, String> {
    let tracker = PracticeTracker::start().await.expect("a free port");
    let home = Home::new(program, &tracker, SETTINGS).await;
    let wanted = home.save_one(0).await;
    let watch = Watch::new(&home.data());
    tracker.fault(Route::Create, What::Stall);
    let sender = home.drain(120, "");
    until(PATIENCE, || tracker.requests().iter().any(|request| request.method == "POST")).await;
    let peer = match heir {
        Heir::Peer => Some(peer(&home, &watch).await),
        Heir::Newcomer => None,
    };
    if watch.owner_of_the_first() != Some(sender.id()) {
        return Err("the sender does not have the entry".to_owned());
    }
    let mut begun = Instant::now();
    sender.kill();
    let mut heir = peer.unwrap_or_else(|| {
        drop(sender);
        begun = Instant::now();
        home.drain(120, "")
    });
    let took = taken(&watch, heir.id(), begun).await.ok_or("nobody took the entry over")?;
    let heir = heir.end(LEASE).await;
    Ok(Recovery { took, tracker, home, wanted, heir })
}

/// A process that has nothing to do but to watch the sender.
async fn peer(home: &Home, watch: &Watch) -> Process {
    let peer = home.drain(120, "");
    until(PATIENCE, || watch.processes() == 2 && is_asleep(peer.id())).await;
    peer
}

/// Whether a process watches another one (`pidfd`) and nothing of it runs.
fn is_asleep(id: u32) -> bool {
    let links = std::fs::read_dir(format!("/proc/{id}/fd")).into_iter().flatten().flatten();
    let watches = links
        .filter_map(|link| std::fs::read_link(link.path()).ok())
        .any(|link| link.to_string_lossy().contains("pidfd"));
    let threads = std::fs::read_dir(format!("/proc/{id}/task")).into_iter().flatten().flatten();
    let mut states = threads
        .filter_map(|thread| std::fs::read_to_string(thread.path().join("stat")).ok())
        .filter_map(|stat| stat.rsplit(") ").next().and_then(|rest| rest.chars().next()));
    watches && states.all(|state| state == 'S')
}

/// How long after `begun` the entry is the process's; asked ever anew, since this is what is measured.
async fn taken(watch: &Watch, id: u32, begun: Instant) -> Option<Duration> {
    while begun.elapsed() < LEASE * 2 {
        if watch.owner_of_the_first() == Some(id) || watch.waiting() == 0 {
            return Some(begun.elapsed());
        }
        tokio::time::sleep(Duration::from_micros(500)).await;
    }
    None
}
