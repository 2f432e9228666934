//! `doctor`: looks whether everything is in order here, and says what to do where it is not.

use std::fs::Metadata;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::Path;

use outtray_core::problem::Result;
use outtray_core::secrets::{Secrets, from_environment, variable};
use outtray_core::{Engine, Problem};
use serde::Serialize;
use serde_json::json;

use crate::output::{Output, size};
use crate::{End, STOP, desk};

/// Less than this, in bytes, and saving may soon fail.
const LITTLE_SPACE: u64 = 100 * 1000 * 1000;

/// What looking at one thing found.
#[derive(Debug, Serialize)]
struct Finding {
    /// Which thing.
    check: &'static str,
    /// Whether it is in order.
    ok: bool,
    /// What was found.
    words: String,
    /// What to do, where it is not.
    hint: Option<String>,
}

impl Finding {
    fn good(check: &'static str, words: impl Into<String>) -> Self {
        Self { check, ok: true, words: words.into(), hint: None }
    }

    fn bad(check: &'static str, words: impl Into<String>, hint: impl Into<String>) -> Self {
        Self { check, ok: false, words: words.into(), hint: Some(hint.into()) }
    }
}

fn bad(check: &'static str, problem: Problem) -> Finding {
    let chain = problem.chain();
    Finding::bad(check, chain, problem.hint.unwrap_or_default())
}

pub(crate) async fn run(output: &Output) -> Result<End> {
    let options = desk::options();
    let (home, secrets) = (options.home.clone(), options.secrets.clone());
    let mut findings = Vec::new();
    // Opening makes a data folder where there is none yet, so it comes first.
    match Engine::open(options) {
        Ok(engine) => {
            findings.push(store(&engine));
            findings.extend(tokens(&engine, secrets.as_ref()).await);
            engine.stop(STOP).await;
        }
        Err(problem) => findings.push(bad("store", problem)),
    }
    findings.insert(0, folder(&home));
    findings.extend(space(&home));

    let ok = findings.iter().all(|finding| finding.ok);
    output.show(&json!({ "ok": ok, "checks": findings }), || {
        findings.iter().map(line).collect::<Vec<_>>().join("\n")
    });
    Ok(if ok { End::Done } else { End::No })
}

fn line(finding: &Finding) -> String {
    let mark = if finding.ok { "ok   " } else { "FIX  " };
    let hint = finding.hint.as_deref().map(|hint| format!("\n     {hint}")).unwrap_or_default();
    format!("{mark}{}{hint}", finding.words)
}

fn store(engine: &Engine) -> Finding {
    match engine.store_facts() {
        Ok(facts) => {
            let words = format!("The outbox opens (SQLite {}, {}).", facts.sqlite, facts.journal_mode);
            Finding::good("store", words)
        }
        Err(problem) => bad("store", problem),
    }
}

/// Whether there is a token for each destination that needs one.
async fn tokens(engine: &Engine, secrets: &dyn Secrets) -> Vec<Finding> {
    let destinations = match engine.destinations() {
        Ok(destinations) => destinations,
        Err(problem) => return vec![bad("destinations", problem)],
    };
    let mut findings = Vec::new();
    for destination in destinations {
        let (name, variable) = (&destination.name, variable(&destination.name));
        if destination.needs_sign_in {
            let words = destination.held.unwrap_or_else(|| format!("{name} is signed out."));
            findings.push(Finding::bad(
                "sign-in",
                words,
                format!("Sign in in Settings, or set {variable} anew."),
            ));
        }
        if !destination.tracker.needs_token() {
            continue;
        }
        findings.push(if from_environment(name).is_some() {
            Finding::good("token", format!("The token for {name} is in {variable}."))
        } else {
            match secrets.token(name).await {
                Ok(Some(_)) => Finding::good("token", format!("The token for {name} is in the keyring.")),
                Ok(None) => Finding::bad(
                    "token",
                    format!("There is no token for {name}."),
                    format!(
                        "Set {variable}, or pipe one into “outtrayctl destination test {name} --token-stdin”."
                    ),
                ),
                Err(problem) => Finding::bad(
                    "token",
                    format!("There is no token for {name} in the environment. {}", problem.message),
                    problem.hint.unwrap_or_default(),
                ),
            }
        });
    }
    findings
}

/// Whether the data folder and what lies in it are the person's alone. The database is looked at, never opened.
fn folder(home: &Path) -> Finding {
    let mut wide = Vec::new();
    match std::fs::symlink_metadata(home) {
        Ok(facts) if is_wide(&facts) => wide.push(home.display().to_string()),
        Ok(_) => {}
        Err(error) => {
            let words = format!("There is no data folder at {}: {error}.", home.display());
            return Finding::bad("folder", words, "Check who may write there, or set OUTTRAY_HOME.");
        }
    }
    for dir in [home.to_owned(), home.join("attachments")] {
        let files = std::fs::read_dir(dir).into_iter().flatten().flatten();
        let of_ours =
            files.filter(|found| found.metadata().is_ok_and(|facts| facts.is_file() && is_wide(&facts)));
        wide.extend(of_ours.map(|found| found.path().display().to_string()));
    }
    if wide.is_empty() {
        Finding::good("folder", format!("{} is yours alone.", home.display()))
    } else {
        Finding::bad(
            "folder",
            format!("Others can look into {}.", wide.join(", ")),
            format!("chmod -R go= {}", home.display()),
        )
    }
}

fn is_wide(facts: &Metadata) -> bool {
    facts.permissions().mode() & 0o077 != 0 || facts.uid() != rustix::process::geteuid().as_raw()
}

fn space(home: &Path) -> Option<Finding> {
    let disk = rustix::fs::statvfs(home).ok()?;
    let free = disk.f_bavail.saturating_mul(disk.f_frsize);
    let words = format!("{} are free.", size(free));
    Some(if free < LITTLE_SPACE {
        Finding::bad("space", words, "Free some space, or move the data folder with OUTTRAY_HOME.")
    } else {
        Finding::good("space", words)
    })
}
