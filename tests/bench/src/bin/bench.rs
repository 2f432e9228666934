//! Measures, and prints what it measured as tables: `bench [--peers FOLDER] [--scripts FOLDER] [--place FOLDER] [--rounds N]
//! [--only feel|counts|speed|drains]`.
#![allow(clippy::print_stdout, clippy::print_stderr, reason = "its output is what it is for")]

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;

use outtray_bench::Result;
use outtray_bench::child::{self, PICTURE};
use outtray_bench::contest::{self, Contender, Line};
use outtray_bench::drain::{self, Drained};
use outtray_bench::figures::{Figures, told};
use outtray_bench::floor::Intents;
use outtray_bench::{peers, person, recovery, steps, syncs, wake};

struct Asked {
    peers: PathBuf,
    scripts: PathBuf,
    place: PathBuf,
    rounds: u32,
    entries: u32,
    only: Option<String>,
}

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let ran = match words.split_first() {
        Some((first, rest)) if first == child::WORD => child::act(rest),
        _ => asked(&words).and_then(|asked| run(&asked)),
    };
    match ran {
        Ok(()) => ExitCode::SUCCESS,
        Err(problem) => {
            eprintln!("{problem}");
            ExitCode::FAILURE
        }
    }
}

fn asked(words: &[String]) -> Result<Asked> {
    let mut asked = Asked {
        peers: PathBuf::new(),
        scripts: PathBuf::from("tests/bench/peers"),
        place: std::env::temp_dir(),
        rounds: 5,
        entries: 1_000,
        only: None,
    };
    for pair in words.chunks(2) {
        let [word, value] = pair else { return Err("each word takes a value".into()) };
        match word.as_str() {
            "--peers" => asked.peers = PathBuf::from(value),
            "--scripts" => asked.scripts = PathBuf::from(value),
            "--place" => asked.place = PathBuf::from(value),
            "--rounds" => asked.rounds = value.parse()?,
            "--only" => asked.only = Some(value.clone()),
            "--entries" => asked.entries = value.parse()?,
            _ => return Err(format!("{word} is nothing that can be asked for").into()),
        }
    }
    Ok(asked)
}

fn run(asked: &Asked) -> Result<()> {
    let program = std::env::current_exe()?;
    machine();
    let is_asked = |part: &str| asked.only.as_deref().is_none_or(|only| only == part);
    if is_asked("feel") {
        feel(asked, &program)?;
    }
    if is_asked("counts") {
        counts(&program)?;
    }
    if is_asked("speed") {
        speed(asked)?;
    }
    if is_asked("drains") {
        drains(asked)?;
    }
    Ok(())
}

/// A figure means little without the machine, and nothing when something else was at work on it.
fn machine() {
    let cores = std::thread::available_parallelism().map_or(0, std::num::NonZero::get);
    let load = std::fs::read_to_string("/proc/loadavg").unwrap_or_default();
    let load = load.split(' ').next().unwrap_or_default();
    println!("{cores} cores, with a load of {load} when this began. SQLite {}.\n", rusqlite::version());
}

fn feel(asked: &Asked, program: &Path) -> Result<()> {
    println!("## What a person feels\n\n| what | p50 | p99 | goal |\n|---|---|---|---|");
    let saves = person::saves(&asked.place, 500)?;
    row("*File issue*, until *Saved*", &saves.file, "");
    row("words kept while somebody types (draft made and saved)", &saves.words, "");
    row("a picture of 200 kB kept", &saves.picture, "");
    let wakes = wake::measure(program, 10_000)?;
    row("COMMIT in one process to the claim in another", &wakes.took, "p50 ≤ 150 µs, p99 ≤ 1 ms");
    let peer = recovery::beside_a_peer(program, 40 * asked.rounds)?;
    row("SIGKILL to the next claim, a peer alive", &peer, "p99 ≤ 100 ms");
    let alone = recovery::alone(program, 40 * asked.rounds)?;
    row("start after SIGKILL to the claim, alone", &alone, "p99 ≤ 200 ms");
    println!(
        "\nWake-ups missed: {} of {} (goal 0).",
        wakes.missed,
        wakes.missed as usize + wakes.took.count()
    );
    if syncs::can_count() {
        let idle = person::idle(program, Duration::from_secs(60))?;
        println!(
            "Idle for 60 s: {} system calls, {} of them on the database (goal 0).",
            idle.calls, idle.of_the_database
        );
    } else {
        println!("Idle was not watched: strace is not here.");
    }
    Ok(())
}

fn row(what: &str, figures: &Figures, goal: &str) {
    println!("| {what} | {} | {} | {goal} |", told(figures.median()), told(figures.percentile(99)));
}

fn counts(program: &Path) -> Result<()> {
    println!("\n## Counts, the same on every machine\n");
    if syncs::can_count() {
        println!("| syncs for an entry | log | database | files | all | goal |\n|---|---|---|---|---|---|");
        for (what, bytes, goal) in [("text only", 0, "≤ 4"), ("one picture of 200 kB", PICTURE, "≤ 8")] {
            let syncs = syncs::per_entry(program, bytes)?;
            let (log, database, files) = (syncs.log, syncs.database, syncs.files);
            println!("| {what} | {log:.2} | {database:.2} | {files:.2} | {:.2} | {goal} |", syncs.all());
        }
    }
    println!("\n| SQLite's steps for a claim | steps | ratio | goal |\n|---|---|---|---|");
    let first = steps::per_claim(100, 4)?;
    let ratio = |steps: i64| {
        f64::from(i32::try_from(steps).unwrap_or(i32::MAX)) / f64::from(i32::try_from(first).unwrap_or(1))
    };
    println!("| 100 waiting, 4 lanes | {first} | 1 | |");
    for (waiting, lanes, goal) in
        [(1_000, 4, "≤ 1.10"), (100_000, 4, "≤ 1.10"), (10_000, 1_000, "≤ 1.25"), (100_000, 1_000, "≤ 1.25")]
    {
        let steps = steps::per_claim(waiting, lanes)?;
        println!("| {waiting} waiting, {lanes} lanes | {steps} | {:.2} | {goal} |", ratio(steps));
    }
    Ok(())
}

fn speed(asked: &Asked) -> Result<()> {
    let found = peers::found(&asked.peers, &asked.scripts);
    for at in ["FULL", "NORMAL"] {
        let mut lines = vec![
            Line::new(Contender::App(Intents::Without), at),
            Line::new(Contender::App(Intents::With), at),
            Line::new(Contender::Raw, at),
        ];
        if at == "FULL" {
            lines.push(Line::new(Contender::Ours, at));
        }
        let peers = found.iter().filter(|peer| peer.synchronous == at);
        lines.extend(peers.map(|peer| Line::new(Contender::Peer(peer.clone()), at)));
        contest::run(&mut lines, &asked.place, asked.entries, asked.rounds)?;
        println!(
            "\n## Speed, `synchronous={at}`\n\nEntries of 1 KiB a second, medians of {} rounds, {} entries each; in brackets ÷ floor-app.\n",
            asked.rounds, asked.entries
        );
        println!("| | enqueue | claim + complete, 1 worker | 3 workers |\n|---|---|---|---|");
        let app = lines[0].clone();
        for line in &lines {
            let cell = |own: &Figures, floor: &Figures| {
                format!("{:.0} ({:.2})", own.median(), own.median() / floor.median())
            };
            println!(
                "| {} | {} | {} | {} |",
                line.name(),
                cell(&line.enqueue, &app.enqueue),
                cell(&line.by_one, &app.by_one),
                cell(&line.by_three, &app.by_three)
            );
            if line.file.count() > 0 {
                println!("| outtray, *File issue* alone | {} | | |", cell(&line.file, &app.enqueue));
            }
        }
        if let Some(ours) = lines.iter().find(|line| matches!(line.contender, Contender::Ours)) {
            let each = |verb: Duration| told(verb.as_secs_f64() * 1e6 / f64::from(asked.entries));
            let spent = ours.spent;
            println!(
                "\nOne delivery of ours with three workers, waiting for each other included: claim {}, work {}, intend {}, settle {}.",
                each(spent.claim),
                each(spent.work),
                each(spent.intend),
                each(spent.settle)
            );
        }
    }
    Ok(())
}

fn drains(asked: &Asked) -> Result<()> {
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    println!(
        "\n## A whole drain\n\n300 entries with one picture of 200 kB each, three workers, 50 ms a round trip.\n"
    );
    println!("| tracker | round trips | ideal | took | ÷ ideal | goal |\n|---|---|---|---|---|---|");
    let (mut by_stage, mut over_http) = (Vec::new(), Vec::new());
    for _ in 0..asked.rounds {
        by_stage.push(runtime.block_on(drain::by_stage(&asked.place, 300))?);
        over_http.push(runtime.block_on(drain::over_http(&asked.place, 300))?);
    }
    for (what, drained) in
        [("in the process, one a stage", by_stage), ("over HTTP, as the adapter asks", over_http)]
    {
        let Some(Drained { ideal, requests, .. }) = drained.first() else { continue };
        let took: Figures = drained.iter().map(|drained| drained.took.as_secs_f64() * 1e6).collect();
        let ratio: Figures = drained.iter().map(Drained::ratio).collect();
        println!(
            "| {what} | {requests} | {:.2} s | {} | {:.3} | ≤ 1.10 |",
            ideal.as_secs_f64(),
            told(took.median()),
            ratio.median()
        );
    }
    Ok(())
}
