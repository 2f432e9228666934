//! Measures recovery: `measure [--rounds N] [OUTTRAYCTL]` kills senders in the middle of a create and tells, for a living
//! peer and for one who starts alone afterwards, how long it took until the entry was claimed again.
#![allow(clippy::print_stdout, clippy::print_stderr, reason = "its output is what it is for")]

use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

use outtray_chaos::recovery::{Heir, recover};

#[tokio::main(flavor = "multi_thread", worker_threads = 2)]
async fn main() -> ExitCode {
    let mut words = std::env::args().skip(1);
    let (mut rounds, mut program) = (200, beside_us("outtrayctl"));
    while let Some(word) = words.next() {
        match word.as_str() {
            "--rounds" => rounds = words.next().and_then(|count| count.parse().ok()).unwrap_or(rounds),
            path if !path.starts_with('-') => program = PathBuf::from(path),
            _ => {
                eprintln!("measure [--rounds N] [OUTTRAYCTL]");
                return ExitCode::from(2);
            }
        }
    }
    if !program.exists() {
        eprintln!("{} is not built: cargo build --package outtray-cli", program.display());
        return ExitCode::from(2);
    }
    for (heir, said) in
        [(Heir::Peer, "a peer alive, from the kill"), (Heir::Newcomer, "alone, from the start")]
    {
        let mut took = Vec::new();
        for round in 0..rounds {
            match recover(&program.to_string_lossy(), heir).await {
                Ok(done) => took.push(done.took),
                Err(words) => eprintln!("round {round}: {words}"),
            }
        }
        took.sort_unstable();
        let at = |percent: usize| took.get((took.len() * percent / 100).min(took.len().max(1) - 1));
        let ms = |took: Option<&Duration>| took.map_or(f64::NAN, |took| took.as_secs_f64() * 1_000.0);
        println!(
            "claimed again, {said}: p50 {:.1} ms, p99 {:.1} ms, worst {:.1} ms, of {} kills",
            ms(at(50)),
            ms(at(99)),
            ms(took.last()),
            took.len()
        );
    }
    ExitCode::SUCCESS
}

/// A program that was built beside this one.
fn beside_us(name: &str) -> PathBuf {
    std::env::current_exe().map(|path| path.with_file_name(name)).unwrap_or_default()
}
