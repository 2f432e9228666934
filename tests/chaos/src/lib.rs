//! What the tests with real processes lean on: a home that several of them share, processes that can be stopped and
//! killed, and a judge who reads the tracker's books.
//!
//! What a test may ask: was everything filed, once, whole, and was nobody bothered? It never asks how fast.
#![allow(
    clippy::expect_used,
    clippy::panic,
    reason = "this is for tests, which end where something is not there"
)]

mod home;
mod judge;
mod process;
pub mod recovery;
mod watch;

pub use home::{Home, PICTURE, QUICK, Wanted};
pub use judge::{judge, judge_store};
pub use process::{Ended, Process};
pub use watch::Watch;

use std::future::Future;
use std::sync::Arc;
use std::time::Duration;

use tokio::sync::Semaphore;
use tokio::task::JoinSet;

/// How many cases run beside each other: nearly all of their time is waiting.
const BESIDE_EACH_OTHER: usize = 8;

/// Runs every case, and fails with the words of all that went wrong.
pub async fn each<C, F>(cases: Vec<C>, run: impl Fn(C) -> F)
where
    F: Future<Output = Result<(), String>> + Send + 'static,
{
    let count = cases.len();
    let places = Arc::new(Semaphore::new(BESIDE_EACH_OTHER));
    let mut running = JoinSet::new();
    for case in cases {
        let (places, case) = (Arc::clone(&places), run(case));
        running.spawn(async move {
            let _place = places.acquire().await;
            case.await
        });
    }
    let mut wrong = Vec::new();
    while let Some(ended) = running.join_next().await {
        match ended {
            Ok(Ok(())) => {}
            Ok(Err(words)) => wrong.push(words),
            Err(error) => wrong.push(error.to_string()),
        }
    }
    wrong.sort();
    assert!(wrong.is_empty(), "{} of {count}:\n{}\n", wrong.len(), wrong.join("\n"));
}

/// Waits until `is_so`, at most so long. Says whether it came about.
pub async fn until(longest: Duration, mut is_so: impl FnMut() -> bool) -> bool {
    let begun = std::time::Instant::now();
    while !is_so() {
        if begun.elapsed() > longest {
            return false;
        }
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    true
}
