//! What a person typed to add a destination, read; and what a test of it found, told.

use std::path::PathBuf;

use crate::issue::{Destination, TrackerKind};
use crate::problem::{Code, Problem, Result};
use crate::tracker::{self, CauseKind, Reply, place};
use crate::view::{NewDestination, Tested};

/// Reads what a person filled in to add a destination.
pub(super) fn read(new: &NewDestination) -> Result<Destination> {
    let filled = |value: &Option<String>| {
        value.as_deref().map(str::trim).filter(|text| !text.is_empty()).map(str::to_owned)
    };
    let name = new.name.trim().to_owned();
    if name.is_empty() || name.chars().count() > 60 || name.chars().any(char::is_control) {
        return Err(Problem::new(Code::Invalid, "A destination needs a name of 1 to 60 characters.")
            .hint("Such as: work."));
    }
    let destination = Destination {
        id: 0,
        name,
        tracker: new.tracker,
        url: None,
        project: None,
        path: None,
        branch: None,
        honours_key: false,
        ca: None,
    };
    if new.tracker == TrackerKind::Folder {
        let path = filled(&new.path).ok_or_else(|| {
            Problem::new(Code::Invalid, "A folder destination needs a folder.")
                .hint("Such as: ~/Documents/Outtray.")
        })?;
        return Ok(Destination { path: Some(folder(&path)?), ..destination });
    }
    let is_known = matches!(new.tracker, TrackerKind::GitHub | TrackerKind::GitLab);
    let url = filled(&new.url).or_else(|| is_known.then(String::new)).ok_or_else(|| {
        Problem::new(Code::Invalid, format!("{} needs an address.", new.tracker.name()))
            .hint("Such as: https://git.example.org.")
    })?;
    let (url, project) = place::read(new.tracker, &url, &filled(&new.project).unwrap_or_default())?;
    let branch = filled(&new.branch).filter(|_| new.tracker == TrackerKind::GitHub);
    Ok(Destination {
        url: Some(url.to_string()),
        project,
        branch: branch.map(|name| self::branch(&name)).transpose()?,
        honours_key: new.honours_key && new.tracker == TrackerKind::Webhook,
        ca: filled(&new.ca).map(|path| ca(&path)).transpose()?,
        ..destination
    })
}

/// Reads where a destination is to lie that may not have a project yet, to ask which there are.
pub(super) fn place_of(new: &NewDestination) -> Result<Destination> {
    let named = NewDestination { name: "new".to_owned(), branch: None, ..new.clone() };
    read(&named).or_else(|problem| {
        // Any project will do: only what lies beside it is asked for.
        let project = match new.tracker {
            TrackerKind::Redmine => "any",
            _ => "any/any",
        };
        read(&NewDestination { project: Some(project.to_owned()), ..named }).map_err(|_| problem)
    })
}

/// Reads the name of a branch as typed.
fn branch(typed: &str) -> Result<String> {
    let is_wrong = |c: char| c.is_whitespace() || c.is_control() || "~^:?*[\\".contains(c);
    if typed.contains(is_wrong)
        || typed.contains("..")
        || typed.starts_with(['/', '-'])
        || typed.ends_with('/')
    {
        return Err(Problem::new(Code::Invalid, format!("“{typed}” is not the name of a branch."))
            .hint("Such as: issue-pictures."));
    }
    Ok(typed.to_owned())
}

/// Reads a folder as typed.
fn folder(typed: &str) -> Result<String> {
    whole(typed).ok_or_else(|| {
        Problem::new(Code::Invalid, format!("“{typed}” does not say where that folder is."))
            .hint("Give the whole path, such as /home/ada/Reports or ~/Reports.")
    })
}

/// Reads the name of a file with certificates as typed.
pub(super) fn ca(typed: &str) -> Result<String> {
    whole(typed.trim()).ok_or_else(|| {
        Problem::new(Code::Invalid, format!("“{typed}” does not say where that file is."))
            .hint("Give the whole path, such as /home/ada/intranet-ca.pem.")
    })
}

/// A path as typed: absolute, or below the home directory with `~`.
fn whole(typed: &str) -> Option<String> {
    let path = match typed.strip_prefix("~/").or_else(|| (typed == "~").then_some("")) {
        Some(below) => PathBuf::from(std::env::var_os("HOME").unwrap_or_default()).join(below),
        None => PathBuf::from(typed),
    };
    (path.is_absolute() && !typed.contains('\0')).then(|| path.to_string_lossy().into_owned())
}

/// Tells what a test of a destination found, which is there already or still to be added.
pub(super) fn tested(
    answer: std::result::Result<tracker::Account, Reply>,
    destination: &Destination,
    is_added: bool,
) -> Tested {
    let waits = if is_added {
        "Issues wait until it answers."
    } else {
        "Add it anyway: issues wait until it answers."
    };
    let (words, hint) = match answer {
        Ok(account) => return Tested { works: true, words: account.words, hint: None },
        Err(Reply::Done(_)) => return Tested { works: true, words: "It answers.".to_owned(), hint: None },
        Err(Reply::SignIn(cause)) => (cause.words, "Sign in with another token."),
        Err(Reply::NotSent(cause)) if cause.kind == CauseKind::Local => {
            (cause.words, "Put that right on this computer, then test again.")
        }
        Err(Reply::NotSent(cause)) => (cause.words, waits),
        Err(Reply::RateLimited { cause, .. }) => (cause.words, "Try again later."),
        Err(Reply::Refused(cause)) if destination.tracker == TrackerKind::Folder => {
            (cause.words, "Choose another folder, or put that right and test again.")
        }
        Err(Reply::Refused(cause)) if cause.kind == CauseKind::SignIn => {
            (cause.words, "Paste the token alone.")
        }
        // It says what to do itself.
        Err(Reply::Refused(cause)) if cause.words.contains("Check the address") => {
            return Tested { works: false, words: cause.words, hint: None };
        }
        Err(Reply::Refused(cause)) if cause.words.contains("certificate file") => {
            (cause.words, "Test it again then.")
        }
        Err(Reply::Refused(cause)) => (cause.words, "Check the address and the project."),
        Err(Reply::Doubt(cause)) => (cause.words, "Check the address, or try again in a moment."),
    };
    Tested { works: false, words, hint: Some(hint.to_owned()) }
}
