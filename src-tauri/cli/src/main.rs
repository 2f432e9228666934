//! outtrayctl: Outtray's engine without a desktop, for scripts, SSH and tests.
//!
//! A verb is one run: the engine opens, does it, and stops; leases are given back whether the verb ends by itself or by
//! a signal. What a verb prints and how it exits is a contract with scripts: see `interface` and `output`.

mod archive;
mod catalogue;
mod desk;
mod destination;
mod doctor;
mod entries;
mod file;
mod interface;
mod output;
mod settings;
mod work;

use std::pin::pin;
use std::process::ExitCode;
use std::time::Duration;

use clap::{CommandFactory, Parser};
use outtray_core::problem::Result;
use outtray_core::{Code, Problem};
use tokio::signal::unix::{SignalKind, signal};

use desk::Desk;
use interface::{Act, Interface, Verb};
use output::Output;

/// How a verb ended, when it was not by a problem.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum End {
    /// It is done.
    Done,
    /// It was done, and the answer, which has been told, is no.
    No,
    /// It is under way, and not through.
    NotYet,
    /// A signal of this number ended it.
    Stopped(u8),
}

/// How long what is in flight may take to end once a verb is over.
const STOP: Duration = Duration::from_millis(2_500);
/// How long what was cut off then may take to say so; dropped before, its lease would have to end by itself.
const LAST_WORDS: Duration = Duration::from_millis(1_500);

fn main() -> ExitCode {
    // What is written is for this person alone.
    rustix::process::umask(rustix::fs::Mode::RWXG | rustix::fs::Mode::RWXO);
    log();
    let Interface { json, verb } = Interface::try_parse().unwrap_or_else(|error| misunderstood(&error));
    let output = Output::new(json);
    let is_filing = matches!(verb, Verb::Act(Act::File(_)));
    let ended = match verb {
        Verb::Act(act) => run(perform(act, &output)),
        Verb::Doctor => run(doctor::run(&output)),
        Verb::Completions { shell } => {
            let mut script = Vec::new();
            clap_complete::generate(shell, &mut Interface::command(), "outtrayctl", &mut script);
            output.write(&script);
            Ok(End::Done)
        }
    };
    match ended {
        // A saved issue is saved, whether it could be told or not: a 1 would invite to file it again.
        Ok(End::Done) if output.is_lost() && !is_filing => ExitCode::from(1),
        Ok(End::Done) => ExitCode::SUCCESS,
        Ok(End::No) => ExitCode::from(1),
        Ok(End::NotYet) => ExitCode::from(3),
        // As a shell reports a program that a signal ended.
        Ok(End::Stopped(number)) => ExitCode::from(128 + number),
        Err(problem) => {
            output.problem(&problem);
            ExitCode::from(1)
        }
    }
}

/// Says what was not understood, in the language that was asked for, and exits with 2; help and version are no mistake.
fn misunderstood(error: &clap::Error) -> ! {
    if error.use_stderr() && std::env::args_os().any(|word| word == "--json") {
        let text = error.to_string();
        let (message, hint) = text.split_once("\n\n").unwrap_or((&text, ""));
        let problem =
            Problem::new(Code::Invalid, message.trim_start_matches("error: ").trim()).hint(hint.trim());
        Output::new(true).problem(&problem);
        std::process::exit(error.exit_code());
    }
    error.exit()
}

/// Runs a verb on a runtime of its own.
fn run(verb: impl Future<Output = Result<End>>) -> Result<End> {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()
        .map_err(|error| Problem::new(Code::Internal, "outtrayctl could not start.").because(error))?;
    let ended = runtime.block_on(verb);
    // The engine goes with its last task, and says goodbye to its peers; what blocks, such as a read, must not hold us.
    runtime.shutdown_timeout(Duration::from_millis(500));
    ended
}

/// Opens the engine, performs one act, and stops the engine again. At a signal, what is being sent may still end: a
/// connection that is dropped would leave everybody in doubt.
async fn perform(act: Act, output: &Output) -> Result<End> {
    let desk = Desk::open(output)?;
    let mut performed = pin!(on(act, &desk));
    let ended = tokio::select! {
        // Signals first, so that they are heard before anything is sent.
        biased;
        number = stopped() => {
            let stop = desk.engine.stop(STOP);
            // What listens to nobody, such as a read from a pipe, is left behind.
            let _left = tokio::join!(stop, tokio::time::timeout(STOP + LAST_WORDS, &mut performed));
            Ok(End::Stopped(number))
        }
        ended = &mut performed => ended,
    };
    desk.engine.stop(STOP).await;
    ended
}

async fn on(act: Act, desk: &Desk<'_>) -> Result<End> {
    match act {
        Act::Destination { verb } => destination::run(verb, desk).await,
        Act::File(issue) => file::run(*issue, desk).await,
        Act::Catalogue(catalogue) => catalogue::run(&catalogue, desk).await,
        Act::List(list) => entries::list(&list, desk),
        Act::Show(show) => entries::show(&show, desk),
        Act::Save(save) => entries::save(&save, desk),
        Act::Drain(drain) => work::drain(&drain, desk).await,
        Act::Status => work::status(desk),
        Act::Retry(retry) => entries::retry(&retry, desk),
        Act::Withdraw { id } => entries::acted(&desk.engine.withdraw(id)?, desk),
        Act::Restore { id } => entries::acted(&desk.engine.restore(id)?, desk),
        Act::Edit(edit) => file::edit(*edit, desk).await,
        Act::Resolve(resolve) => entries::resolve(&resolve, desk).await,
        Act::Move { id, to } => entries::acted(&desk.engine.move_to(id, &to)?, desk),
        Act::Export(export) => archive::export(&export, desk),
        Act::Import { file } => archive::import(&file, desk),
        Act::Pause(pause) => work::pause(&pause, desk),
        Act::Resume { name } => work::resume(name.as_deref(), desk),
        Act::Settings { verb } => settings::run(&verb, desk),
    }
}

/// Returns the number of the signal that asks us to stop.
async fn stopped() -> u8 {
    let wait = async |kind: SignalKind| match signal(kind) {
        Ok(mut signal) => {
            signal.recv().await;
            u8::try_from(kind.as_raw_value()).unwrap_or_default()
        }
        // Without a handler the signal ends us by itself.
        Err(_) => std::future::pending().await,
    };
    tokio::select! {
        number = wait(SignalKind::interrupt()) => number,
        number = wait(SignalKind::terminate()) => number,
        number = wait(SignalKind::hangup()) => number,
    }
}

/// Writes the log to standard error, when `OUTTRAY_LOG` asks for one.
fn log() {
    if let Ok(filter) = tracing_subscriber::EnvFilter::try_from_env("OUTTRAY_LOG") {
        tracing_subscriber::fmt().with_env_filter(filter).with_writer(std::io::stderr).init();
    }
}
