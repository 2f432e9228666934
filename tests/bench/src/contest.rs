//! Side by side: each contender in turn, round after round, so that a slow minute of the machine is everybody's.

use std::path::Path;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

use tempfile::TempDir;

use crate::Result;
use crate::figures::{Figures, per_second};
use crate::floor::{App, Intents, Queue, Raw};
use crate::outbox::{Ours, Spent};
use crate::peers::Peer;

/// Who takes part.
#[derive(Debug, Clone)]
pub enum Contender {
    /// A bare loop.
    Raw,
    /// A loop with key, lane, cap and fence.
    App(Intents),
    /// Our outbox.
    Ours,
    /// A queue that somebody else built.
    Peer(Peer),
}

/// One line of the table.
#[derive(Debug, Clone)]
pub struct Line {
    /// Who.
    pub contender: Contender,
    /// `FULL` or `NORMAL`.
    pub synchronous: &'static str,
    /// Entries saved in a second.
    pub enqueue: Figures,
    /// Of ours: the last step alone, *File issue* on a draft that is saved already.
    pub file: Figures,
    /// Entries claimed and completed in a second, by one worker.
    pub by_one: Figures,
    /// By three.
    pub by_three: Figures,
    /// Of ours, with three: where the time of one delivery went, the last round.
    pub spent: Spent,
}

impl Line {
    /// A line that nothing is written on yet.
    pub fn new(contender: Contender, synchronous: &'static str) -> Self {
        Self {
            contender,
            synchronous,
            enqueue: Figures::default(),
            file: Figures::default(),
            by_one: Figures::default(),
            by_three: Figures::default(),
            spent: Spent::default(),
        }
    }

    /// Who, in words.
    pub fn name(&self) -> &str {
        match &self.contender {
            Contender::Raw => "floor-raw",
            Contender::App(Intents::Without) => "floor-app",
            Contender::App(Intents::With) => "floor-app, with intents",
            Contender::Ours => "outtray",
            Contender::Peer(peer) => peer.name,
        }
    }

    fn run(&mut self, place: &Path, entries: u32) -> Result<()> {
        for workers in [1, 3] {
            let folder = TempDir::new_in(place)?;
            let took = match &self.contender {
                Contender::Raw => {
                    drive(&Raw::open(&folder.path().join("raw.db"), self.synchronous)?, entries, workers)?
                }
                Contender::App(intents) => {
                    let app = App::open(&folder.path().join("app.db"), self.synchronous, *intents)?;
                    drive(&app, entries, workers)?
                }
                Contender::Ours => {
                    let ours = Ours::open(&folder.path().join("outtray"), crate::floor::LANES)?;
                    let took = drive(&ours, entries, workers)?;
                    self.spent = ours.spent();
                    self.file.add(per_second(entries, file(&ours, entries)?));
                    took
                }
                Contender::Peer(peer) => peer.run(folder.path(), self.synchronous, entries, workers)?,
            };
            self.enqueue.add(per_second(entries, took.enqueue));
            let delivered = per_second(entries, took.deliver);
            if workers == 1 { self.by_one.add(delivered) } else { self.by_three.add(delivered) }
        }
        Ok(())
    }
}

/// How long one contender took.
#[derive(Debug, Clone, Copy)]
pub struct Took {
    /// To save all entries, one after the other.
    pub enqueue: Duration,
    /// To claim and complete them all.
    pub deliver: Duration,
}

/// Runs `rounds` rounds of all `lines` in turn. The first round warms up and is not counted.
///
/// # Errors
/// What a contender says.
pub fn run(lines: &mut [Line], place: &Path, entries: u32, rounds: u32) -> Result<()> {
    for line in lines.iter() {
        Line::new(line.contender.clone(), line.synchronous).run(place, entries.min(100))?;
    }
    for _ in 0..rounds {
        for line in &mut *lines {
            line.run(place, entries)?;
        }
    }
    Ok(())
}

fn drive(queue: &impl Queue, entries: u32, workers: u32) -> Result<Took> {
    let payload = "x".repeat(1024);
    let began = Instant::now();
    for number in 0..entries {
        queue.enqueue(number, &payload)?;
    }
    let enqueue = began.elapsed();
    let left = AtomicU32::new(entries);
    let began = Instant::now();
    std::thread::scope(|scope| {
        let work = || -> Result<()> {
            while left.load(Ordering::Relaxed) > 0 {
                // A lane that has its share is free again in a moment.
                if queue.deliver(workers)? {
                    left.fetch_sub(1, Ordering::Relaxed);
                }
            }
            Ok(())
        };
        let working: Vec<_> = (0..workers).map(|_| scope.spawn(work)).collect();
        working
            .into_iter()
            .try_for_each(|worker| worker.join().unwrap_or_else(|_| Err("a worker panicked".into())))
    })?;
    Ok(Took { enqueue, deliver: began.elapsed() })
}

fn file(ours: &Ours, entries: u32) -> Result<Duration> {
    let payload = "x".repeat(1024);
    let drafts =
        (0..entries.min(500)).map(|number| ours.draft(number, &payload)).collect::<Result<Vec<_>>>()?;
    let began = Instant::now();
    for draft in &drafts {
        ours.file(draft)?;
    }
    Ok(began.elapsed().mul_f64(f64::from(entries) / f64::from(entries.min(500))))
}
