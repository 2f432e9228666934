//! A sender that is killed: its entry goes on at once, and nobody waits for its lease.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use outtray_chaos::recovery::{Heir, LEASE, recover};
use outtray_chaos::{each, judge, judge_store};

const PROGRAM: &str = env!("CARGO_BIN_EXE_outtrayctl-faults");

async fn play(heir: Heir) -> Result<(), String> {
    let done = recover(PROGRAM, heir).await.map_err(|words| format!("{heir:?}: {words}"))?;
    let mut wrong = judge(&done.tracker, &done.wanted);
    wrong.extend(judge_store(&done.home, &done.tracker, &done.wanted).await);
    // Not how fast: only that it was not the lease that ended.
    if done.took >= LEASE || done.heir.code != Some(0) {
        wrong.push(format!("taken over after {:?}; {:?}", done.took, done.heir));
    }
    if wrong.is_empty() { Ok(()) } else { Err(format!("{heir:?}: {}", wrong.join("; "))) }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_living_peer_takes_over_from_the_dead_at_once() {
    each(vec![Heir::Peer; 16], play).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn whoever_starts_next_takes_over_from_the_dead_at_once() {
    each(vec![Heir::Newcomer; 16], play).await;
}
