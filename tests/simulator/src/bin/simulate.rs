//! Runs histories: `--seed N` one, telling everything in it, `--seeds A..B` many; tells what did not hold, with the seed that shows it.
#![allow(clippy::print_stdout, clippy::print_stderr, reason = "its output is what it is for")]

use std::process::ExitCode;

use outtray_simulator::{Size, replay};

fn main() -> ExitCode {
    let mut words = std::env::args().skip(1);
    let (mut seeds, mut size, mut mistake) = (0..2_000, Size { steps: 120 }, None);
    while let Some(word) = words.next() {
        let value = words.next().unwrap_or_default();
        let number = |text: &str| text.parse::<u64>().ok();
        match (word.as_str(), number(&value)) {
            ("--seed", Some(seed)) => seeds = seed..seed + 1,
            ("--steps", Some(steps)) => size.steps = u32::try_from(steps).unwrap_or(u32::MAX),
            ("--mistake", _) => mistake = Some(value),
            ("--seeds", _) => match value.split_once("..").map(|(from, to)| (number(from), number(to))) {
                Some((Some(from), Some(to))) => seeds = from..to,
                _ => return usage(),
            },
            _ => return usage(),
        }
    }
    let count = seeds.end - seeds.start;
    let told = (count == 1).then_some((|line| println!("{line}")) as fn(&str));
    let mut wrong = 0;
    for seed in seeds {
        if let Err(told) = replay(seed, size, mistake.as_deref(), told) {
            wrong += 1;
            println!("seed {seed}: {told}");
        }
    }
    println!("{count} histories, {wrong} in which something did not hold");
    if wrong == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

fn usage() -> ExitCode {
    eprintln!("simulate [--seed N | --seeds A..B] [--steps N] [--mistake NAME]");
    ExitCode::from(2)
}
