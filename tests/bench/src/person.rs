//! What a person feels: how long *File issue* takes, and what an idle Outtray does to the machine.

use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use tempfile::TempDir;

use crate::Result;
use crate::child::{PICTURE, WORD, picture};
use crate::figures::{Figures, micros};
use crate::outbox::Ours;

/// What a person waits for.
#[derive(Debug, Clone, Default)]
pub struct Saves {
    /// *File issue*, until it says *Saved*: microseconds.
    pub file: Figures,
    /// The words of a window, kept while somebody types.
    pub words: Figures,
    /// A picture of 200 kB, copied beside the store and attached.
    pub picture: Figures,
}

/// Saves `count` issues with a picture each, with nobody at work.
///
/// # Errors
/// What the store says.
pub fn saves(place: &Path, count: u32) -> Result<Saves> {
    let folder = TempDir::new_in(place)?;
    let home = folder.path().join("outtray");
    let ours = Ours::open(&home, 1)?;
    let files = outtray_core::capture::Files::open(&home)?;
    let mut saves = Saves::default();
    for number in 0..count {
        let bytes = picture(u64::from(number), PICTURE);
        let began = Instant::now();
        let draft = ours.draft(number * crate::floor::LANES, &"x".repeat(1024))?;
        let typed = Instant::now();
        let kept = files.keep("screenshot.png", &bytes)?;
        ours.outbox.attach(draft.id, &kept, &ours.now())?;
        let attached = Instant::now();
        ours.file(&draft)?;
        saves.file.add(micros(attached.elapsed()));
        saves.words.add(micros(typed - began));
        saves.picture.add(micros(attached - typed));
    }
    Ok(saves)
}

/// What an engine with nothing to do asked of the kernel.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Idle {
    /// All calls.
    pub calls: usize,
    /// Those that touch the database's files.
    pub of_the_database: usize,
}

/// Watches an engine that delivers, and has nothing to deliver, for `span`. `program` is the bench itself.
///
/// # Errors
/// When strace is not here.
pub fn idle(program: &Path, span: Duration) -> Result<Idle> {
    let folder = TempDir::new()?;
    let traced = folder.path().join("traced");
    let mut watched = Command::new("strace")
        .args(["-f", "-y", "-ttt", "-o"])
        .arg(&traced)
        .arg(program)
        .args([WORD, "serve"])
        .arg(folder.path().join("outtray"))
        .stdin(Stdio::piped())
        .spawn()?;
    // It starts, looks around, and goes to sleep; ten seconds later threads that were of use then are given back.
    std::thread::sleep(if span > Duration::from_secs(10) {
        Duration::from_secs(20)
    } else {
        Duration::from_secs(4)
    });
    let from = SystemTime::now().duration_since(UNIX_EPOCH)?.as_secs_f64();
    std::thread::sleep(span);
    let until = SystemTime::now().duration_since(UNIX_EPOCH)?.as_secs_f64();
    drop(watched.stdin.take());
    watched.wait()?;
    let traced = std::fs::read_to_string(traced)?;
    let meanwhile: Vec<&str> = traced
        .lines()
        .filter(|line| {
            let at = line.split_whitespace().nth(1).and_then(|at| at.parse::<f64>().ok());
            at.is_some_and(|at| (from..until).contains(&at))
        })
        .collect();
    let of_the_database = meanwhile.iter().filter(|line| line.contains("outtray.db")).count();
    Ok(Idle { calls: meanwhile.len(), of_the_database })
}
