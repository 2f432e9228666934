//! A whole drain: entries with one picture each, three workers, a tracker that takes 50 ms for everything.
//!
//! The ideal schedule has three workers that only ever wait for the tracker: round trips × latency ÷ workers.

use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use outtray_core::tracker::{Known, Trackers};
use outtray_support::{PracticeTracker, Route, What};
use tempfile::TempDir;

use crate::Result;
use crate::child::{PICTURE, add_lane, file, open, picture_file};
use crate::tracker::{Answers, Scripted};

const LATENCY: Duration = Duration::from_millis(50);
const WORKERS: f64 = 3.0;
/// Create, upload, embed.
const STAGES: f64 = 3.0;

/// One drain.
#[derive(Debug, Clone, Copy)]
pub struct Drained {
    /// How long it took.
    pub took: Duration,
    /// What three workers need who only wait.
    pub ideal: Duration,
    /// Requests to the tracker.
    pub requests: u32,
}

impl Drained {
    /// How many times the ideal it took.
    pub fn ratio(&self) -> f64 {
        self.took.as_secs_f64() / self.ideal.as_secs_f64()
    }
}

/// Drains `entries` to a tracker inside the process: one round trip a stage.
///
/// # Errors
/// What the engine says.
pub async fn by_stage(place: &Path, entries: u32) -> Result<Drained> {
    let took =
        run(place, entries, Arc::new(Scripted(Answers::After(LATENCY))), "http://127.0.0.1:1/").await?;
    let ideal = LATENCY.mul_f64(f64::from(entries) * STAGES / WORKERS);
    Ok(Drained { took, ideal, requests: entries * 3 })
}

/// Drains `entries` over HTTP on the loopback: as many round trips as the adapter makes, each on a connection of its own.
///
/// # Errors
/// What the engine says.
pub async fn over_http(place: &Path, entries: u32) -> Result<Drained> {
    let tracker = PracticeTracker::start().await?;
    let latency_ms = u64::try_from(LATENCY.as_millis())?;
    tracker.faults(Route::Any, What::DelayAfter { ms: latency_ms }, u32::MAX);
    let took = run(place, entries, Arc::new(Known), &tracker.url()).await?;
    let requests = u32::try_from(tracker.requests().len())?;
    Ok(Drained { took, ideal: LATENCY.mul_f64(f64::from(requests) / WORKERS), requests })
}

async fn run(place: &Path, entries: u32, trackers: Arc<dyn Trackers>, url: &str) -> Result<Duration> {
    let folder = TempDir::new_in(place)?;
    let engine = open(&folder.path().join("outtray"), trackers)?;
    add_lane(&engine, url).await?;
    let picture = picture_file(&folder.path().join("screenshot.png"), PICTURE)?;
    for number in 0..entries {
        file(&engine, u64::from(number), Some(&picture))?;
    }
    let began = Instant::now();
    let report = engine.drain(true, Some(Duration::from_secs(300))).await?;
    let took = began.elapsed();
    engine.stop(Duration::ZERO).await;
    if report.filed == entries { Ok(took) } else { Err("not everything was filed".into()) }
}
