//! An engine with nothing to do does nothing: no thread of it wakes, and the database is not read.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]
#![allow(clippy::print_stdout, reason = "what is skipped says so")]

use std::path::Path;
use std::process::Command;
use std::time::Duration;

use outtray_chaos::{Home, Process, QUICK, until};
use outtray_support::PracticeTracker;

const PROGRAM: &str = env!("CARGO_BIN_EXE_outtrayctl-faults");
const RESIDENT: &str = env!("CARGO_BIN_EXE_resident");
const PATIENCE: Duration = Duration::from_secs(30);

/// What an idle engine does in so long: each line a call of the kernel that came back.
async fn calls(home: &Home, long: Duration) -> Option<Vec<String>> {
    if Command::new("strace").arg("-V").output().is_err() {
        println!("skipped: strace is not here");
        return None;
    }
    let mut resident = idle_engine(home).await;
    let seen = home.told().join("calls");
    let mut strace = Command::new("strace");
    strace.args(["-f", "-tt", "-o"]).arg(&seen).args(["-p", &resident.id().to_string()]);
    let mut strace = Process::start(strace, &home.told());
    let text = || std::fs::read_to_string(&seen).unwrap_or_default();
    let attached = until(PATIENCE, || text().contains("resumed") || text().contains("unfinished"));
    if !attached.await {
        println!("skipped: strace may not watch here: {:?}", strace.ended());
        return None;
    }
    let before = text().lines().count();
    tokio::time::sleep(long).await;
    let after = text();
    // Where somebody looks, it is seen: whoever asks it to end wakes it.
    resident.ask_to_end();
    let seen_to_end = until(PATIENCE, || text().contains("SIGTERM")).await;
    strace.ask_to_end();
    strace.end(PATIENCE).await;
    assert!(seen_to_end, "strace sees what happens");
    assert_eq!(resident.end(PATIENCE).await.code, Some(0));
    Some(after.lines().skip(before).map(str::to_owned).collect())
}

fn is_asleep(id: u32) -> bool {
    let threads = std::fs::read_dir(format!("/proc/{id}/task")).into_iter().flatten().flatten();
    let mut states = threads
        .filter_map(|thread| std::fs::read_to_string(thread.path().join("stat")).ok())
        .filter_map(|stat| stat.rsplit(") ").next().and_then(|rest| rest.chars().next()));
    states.all(|state| state == 'S')
}

async fn nothing_happens(long: Duration) {
    // One is filed, and one waits in a lane that is paused: nothing of that is due.
    let tracker = PracticeTracker::start().await.unwrap();
    let home = Home::new(PROGRAM, &tracker, QUICK).await;
    home.save_one(1).await;
    assert_eq!(home.drain(20, "").end(PATIENCE).await.code, Some(0));
    home.run(&["pause"], "").await;
    home.save_one(0).await;
    let Some(calls) = calls(&home, long).await else { return };
    assert!(calls.is_empty(), "{} calls in {long:?}:\n{}\n", calls.len(), calls.join("\n"));
}

/// Starts an engine, and waits until it has nothing left to do.
async fn idle_engine(home: &Home) -> Process {
    let mut resident = Process::start(home.command(Path::new(RESIDENT)), &home.told());
    assert!(until(PATIENCE, || resident.told().contains("started")).await, "{:?}", resident.ended());
    let mut quiet = 0;
    let settled = until(PATIENCE, || {
        quiet = if is_asleep(resident.id()) { quiet + 1 } else { 0 };
        quiet > 200
    });
    assert!(settled.await, "it never comes to rest");
    resident
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_another_process_saves_wakes_it_at_once() {
    let tracker = PracticeTracker::start().await.unwrap();
    let home = Home::new(PROGRAM, &tracker, QUICK).await;
    let _resident = idle_engine(&home).await;
    let saved = home.run(&["file", "--to", "work", "--title", "One"], "").await;
    assert_eq!(saved.code, Some(0), "{saved:?}");
    assert!(until(PATIENCE, || tracker.issues().len() == 1).await, "nobody heard of it");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn with_nothing_due_nothing_wakes_and_nothing_is_read() {
    nothing_happens(Duration::from_secs(10)).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "long: ./dev chaos"]
async fn with_nothing_due_nothing_wakes_for_a_minute() {
    nothing_happens(Duration::from_secs(60)).await;
}
