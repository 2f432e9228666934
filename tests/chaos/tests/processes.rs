//! Chaos: four processes on one store, stopped past their leases and killed at any moment, beside one that meddles with
//! the database's log, and a tracker that answers late, commits late and loses answers. As many issues as entries.
//!
//! The seed is told; `OUTTRAY_SEED` plays the same schedule again.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]
#![allow(clippy::print_stdout, reason = "the seed and the sums are for whoever reads a failure")]

use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use fastrand::Rng;
use outtray_chaos::{Home, Process, Wanted, Watch, judge, judge_store};
use outtray_support::{PracticeTracker, Route, What};
use tokio::sync::watch;

const PROGRAM: &str = env!("CARGO_BIN_EXE_outtrayctl-faults");
const CHECKPOINT: &str = env!("CARGO_BIN_EXE_checkpoint");
/// How many processes drain at a time.
const PROCESSES: usize = 4;
/// How many leases one of them may hold at most.
const WORKERS: usize = 3;
const LEASE_MS: u64 = 1_000;
/// The latest that the tracker commits after a sender is gone.
const LATEST_MS: u64 = 900;
const SETTINGS: &[(&str, &str)] = &[
    ("drain.lease_ms", "1000"),
    ("drain.quiet_ms", "3000"),
    ("drain.backoff_base_ms", "50"),
    ("drain.backoff_cap_ms", "400"),
    ("drain.stage_timeout_ms", "2000"),
];

/// How much is asked for.
#[derive(Debug, Clone, Copy)]
struct Size {
    /// In the end. Half are there at the start, the others come as it goes on, so that there is work all the time.
    entries: usize,
    stops: usize,
    kills: usize,
    /// Between two events, at most.
    gap_ms: u64,
    longest: Duration,
}

/// What happens to one of the processes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Event {
    /// It stands still for so long.
    Stop {
        ms: u64,
    },
    Kill,
}

/// What happens, to which process, how long after the one before.
fn schedule(rng: &mut Rng, size: Size) -> Vec<(Duration, usize, Event)> {
    let mut events: Vec<Event> = (0..size.stops)
        .map(|_| Event::Stop { ms: rng.u64(LEASE_MS + 200..LEASE_MS * 5 / 2) })
        .chain((0..size.kills).map(|_| Event::Kill))
        .collect();
    rng.shuffle(&mut events);
    let mut at = |event| {
        let gap = Duration::from_millis(rng.u64(size.gap_ms / 4..size.gap_ms));
        (gap, rng.usize(..PROCESSES), event)
    };
    events.into_iter().map(&mut at).collect()
}

/// What goes wrong at the tracker: slow mostly, and now and then an answer is lost.
fn misbehave(tracker: &PracticeTracker, rng: &mut Rng, entries: usize) {
    for route in [Route::Create, Route::Upload, Route::Embed] {
        for _ in 0..entries * 2 {
            let what = match rng.u32(..100) {
                0..=3 => What::CutAfterBody,
                4..=6 => What::CommitLate { ms: rng.u64(200..LATEST_MS) },
                7..=8 => What::TroubleAfter { status: 500 },
                9 => What::HtmlAfter { status: 502 },
                10 => What::CutAfterAnswer { bytes: rng.usize(1..150) },
                11 => What::CutAfterHead,
                12..=55 => What::DelayBefore { ms: rng.u64(50..600) },
                _ => What::DelayAfter { ms: rng.u64(50..600) },
            };
            tracker.fault(route, what);
        }
    }
}

/// One of the four places for processes: whoever is there, and until when it stands still.
struct Place {
    process: Process,
    still_until: Option<Instant>,
}

struct Sums {
    stops: usize,
    kills: usize,
    /// Stops and kills of a process that held an entry.
    in_hand: usize,
    starts: usize,
    most_leases: usize,
    attention: u32,
    wanted: Vec<Wanted>,
    wrong: Vec<String>,
}

fn start(home: &Home) -> Place {
    Place { process: home.drain(600, ""), still_until: None }
}

/// Saves entries beside everything else, as many as are asked for so far, until nobody asks any more.
async fn supply(home: Arc<Home>, mut asked: watch::Receiver<usize>) -> Vec<Wanted> {
    // One in three has a picture, one in twelve two.
    let pictures = |n: usize| usize::from(n.is_multiple_of(3)) + usize::from(n.is_multiple_of(12));
    let mut wanted = Vec::new();
    loop {
        let new = wanted.len()..*asked.borrow_and_update();
        wanted.extend(home.save(new.map(|n| (format!("Issue {n}"), pictures(n)))).await);
        if asked.changed().await.is_err() {
            return wanted;
        }
    }
}

/// Plays the schedule, and goes on until nothing waits.
async fn play(home: &Arc<Home>, schedule: Vec<(Duration, usize, Event)>, size: Size) -> Sums {
    let (ask, asked) = watch::channel(size.entries / 2);
    let supply = tokio::spawn(supply(Arc::clone(home), asked));
    let mut ask = Some(ask);
    let begun = Instant::now();
    let view = Watch::new(&home.data());
    let mut places: Vec<Place> = (0..PROCESSES).map(|_| start(home)).collect();
    let mut sums = Sums {
        stops: 0,
        kills: 0,
        in_hand: 0,
        starts: PROCESSES,
        most_leases: 0,
        attention: 0,
        wanted: Vec::new(),
        wrong: Vec::new(),
    };
    let events = schedule.len();
    let mut schedule = schedule.into_iter();
    let mut next = schedule.next().map(|(gap, place, event)| (begun + gap, place, event));
    while view.waiting() > 0 || next.is_some() || !supply.is_finished() {
        let now = Instant::now();
        if now.duration_since(begun) > size.longest {
            sums.wrong.push(format!("{} still wait after {:?}", view.waiting(), size.longest));
            break;
        }
        for place in &mut places {
            if place.still_until.is_some_and(|until| until <= now) {
                place.process.go_on();
                place.still_until = None;
            }
            if place.process.ended().is_some() {
                *place = start(home);
                sums.starts += 1;
            }
        }
        if let Some((at, place, event)) = next
            && at <= now
        {
            let place = &mut places[place];
            sums.in_hand += usize::from(view.leases_of(place.process.id()) > 0);
            match event {
                // Whoever stands still already is killed, or stands still for longer.
                Event::Stop { ms } => {
                    place.process.stop();
                    place.still_until = Some(now + Duration::from_millis(ms));
                    sums.stops += 1;
                }
                Event::Kill => {
                    place.process.kill();
                    sums.kills += 1;
                }
            }
            next = schedule.next().map(|(gap, place, event)| (now + gap, place, event));
            let played = size.entries / 2 * (sums.stops + sums.kills) / events;
            if let Some(ask) = &ask {
                ask.send_replace(size.entries / 2 + played);
            }
            if next.is_none() {
                ask = None;
            }
        }
        sums.most_leases = view.leases().into_values().fold(sums.most_leases, usize::max);
        sums.attention = sums.attention.max(view.attention());
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    for place in &mut places {
        place.process.go_on();
    }
    sums.wanted = supply.await.unwrap();
    for mut place in places {
        let ended = place.process.end(Duration::from_secs(30)).await;
        if ended.code != Some(0) && ended.signal.is_none() {
            sums.wrong.push(format!("a process did not end well: {ended:?}"));
        }
    }
    sums
}

async fn chaos(size: Size) {
    let seed = std::env::var("OUTTRAY_SEED").ok().and_then(|seed| seed.parse().ok());
    let seed = seed.unwrap_or_else(|| fastrand::u64(..));
    println!("OUTTRAY_SEED={seed}");
    let mut rng = Rng::with_seed(seed);
    let tracker = PracticeTracker::start().await.unwrap();
    misbehave(&tracker, &mut rng, size.entries);
    let home = Arc::new(Home::new(PROGRAM, &tracker, SETTINGS).await);
    let mut meddling = home.command(Path::new(CHECKPOINT));
    meddling.arg(home.data().join("outtray.db"));
    let mut meddling = Process::start(meddling, &home.told());
    let begun = Instant::now();
    let sums = play(&home, schedule(&mut rng, size), size).await;
    let took = begun.elapsed();
    let checkpoints = meddling.told().lines().last().unwrap_or("0").to_owned();
    let meddled = meddling.ended().is_none();
    meddling.kill();
    // What the tracker still has in hand is there by then.
    tokio::time::sleep(Duration::from_millis(2 * LATEST_MS)).await;
    println!(
        "{} entries in {took:.1?}: {} stops, {} kills, {} of them with an entry in hand, {} starts, {} leases in a process at most, {checkpoints} whole \
         checkpoints, {} requests",
        size.entries,
        sums.stops,
        sums.kills,
        sums.in_hand,
        sums.starts,
        sums.most_leases,
        tracker.requests().len()
    );
    let wanted = sums.wanted;
    let mut wrong = sums.wrong;
    wrong.extend(judge(&tracker, &wanted));
    wrong.extend(judge_store(&home, &tracker, &wanted).await);
    if sums.attention > 0 {
        wrong.push(format!("{} attention items, and the tracker refused nothing", sums.attention));
    }
    if sums.most_leases > WORKERS {
        wrong.push(format!("{} live leases in one process", sums.most_leases));
    }
    if (sums.stops, sums.kills) != (size.stops, size.kills) {
        wrong.push(format!("{} stops and {} kills only", sums.stops, sums.kills));
    }
    if wanted.len() != size.entries || sums.in_hand == 0 {
        wrong.push(format!("{} saved, {} events hit somebody at work", wanted.len(), sums.in_hand));
    }
    if !meddled || checkpoints == "0" {
        wrong.push(format!("nobody meddled with the log: {checkpoints} checkpoints"));
    }
    assert!(wrong.is_empty(), "OUTTRAY_SEED={seed}\n{}\n", wrong.join("\n"));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn as_many_issues_as_entries_whoever_is_stopped_or_killed() {
    chaos(Size { entries: 200, stops: 20, kills: 20, gap_ms: 900, longest: Duration::from_secs(180) }).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "long: ./dev chaos"]
async fn as_many_issues_as_entries_for_long() {
    chaos(Size { entries: 2_000, stops: 200, kills: 200, gap_ms: 900, longest: Duration::from_secs(1_800) })
        .await;
}
