//! The practice tracker as a program: for `./dev demo`, and for tests that drive other processes.

use std::io::Write as _;

use outtray_support::{Dialect, PracticeTracker};

const HELP: &str = "\
practice-tracker: a tracker on this computer only, for trying and testing Outtray

  --as KIND          what it answers like: gitea, github, gitlab, redmine or webhook (default: gitea)
  --port PORT        where it listens (default: a free port)
  --token TOKEN      the token that is taken (default: practice-token)
  --owner OWNER      whose project it is (default: ada)
  --repo NAME        the project's name (default: demo)
  --sub-path /PATH   where it lies below its host (default: nowhere)

It prints its address in one line and runs until it is ended. Issues are in memory only.
Faults and inspection: see the control interface under /_practice/ (tests/support/src/control.rs).
";

#[tokio::main]
async fn main() -> std::process::ExitCode {
    match run().await {
        Ok(()) => std::process::ExitCode::SUCCESS,
        Err(words) => {
            // Nobody is left to tell when even this cannot be written.
            let _ = writeln!(std::io::stderr(), "practice-tracker: {words}");
            std::process::ExitCode::from(2)
        }
    }
}

async fn run() -> Result<(), String> {
    let mut port = None;
    let mut dialect = Dialect::default();
    let (mut token, mut owner, mut repo, mut sub_path) = (None, None, None, None);
    let mut arguments = std::env::args().skip(1);
    while let Some(argument) = arguments.next() {
        let (name, given) = match argument.split_once('=') {
            Some((name, value)) => (name.to_owned(), Some(value.to_owned())),
            None => (argument, None),
        };
        if matches!(name.as_str(), "--help" | "-h") {
            return say(HELP);
        }
        let mut value = || given.clone().or_else(|| arguments.next()).ok_or(format!("{name} needs a value"));
        match name.as_str() {
            "--port" => port = Some(value()?.parse::<u16>().map_err(|_| "the port is no number".to_owned())?),
            "--as" => dialect = Dialect::from_word(&value()?).ok_or("no such kind; see --help")?,
            "--token" => token = Some(value()?),
            "--owner" => owner = Some(value()?),
            "--repo" => repo = Some(value()?),
            "--sub-path" => sub_path = Some(value()?),
            _ => return Err(format!("{name} is not known; see --help")),
        }
    }
    let started = match port {
        Some(port) => PracticeTracker::start_on(port).await,
        None => PracticeTracker::start().await,
    };
    let tracker = started.map_err(|error| format!("cannot listen: {error}"))?;
    tracker.answer_as(dialect);
    tracker.change(|project| {
        project.token = token.unwrap_or_else(|| project.token.clone());
        project.owner = owner.unwrap_or_else(|| project.owner.clone());
        project.name = repo.unwrap_or_else(|| project.name.clone());
        project.login.clone_from(&project.owner);
        let path = sub_path.unwrap_or_default();
        project.sub_path = if path.is_empty() { path } else { format!("/{}", path.trim_matches('/')) };
    });
    say(&format!("{}\n", tracker.url()))?;
    std::future::pending::<()>().await;
    Ok(())
}

fn say(text: &str) -> Result<(), String> {
    let mut out = std::io::stdout();
    out.write_all(text.as_bytes()).and_then(|()| out.flush()).map_err(|error| error.to_string())
}
