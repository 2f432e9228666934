//! `file`: an issue is saved, whole or not at all; and waited for, when that is wanted.

use std::io::Read;
use std::path::{Path, PathBuf};
use std::time::Duration;

use outtray_core::problem::Result;
use outtray_core::view::{EntryEdit, EntryState, EntryView, NewIssue, Saved};
use outtray_core::{Code, Problem};
use serde_json::json;

use crate::End;
use crate::desk::{Desk, blocking};
use crate::entries;
use crate::interface::{EditArgs, FileArgs};

/// The longest text that is read, in bytes: more than any tracker takes.
const LONGEST_BODY: u64 = 10 * 1024 * 1024;

pub(crate) async fn run(issue: FileArgs, desk: &Desk<'_>) -> Result<End> {
    let body = match (&issue.body, issue.body_file.clone()) {
        (Some(body), _) => body.clone(),
        (None, Some(file)) => blocking(move || read_body(&file)).await?,
        (None, None) => String::new(),
    };
    let saved = save(&issue, body, desk)?;
    desk.output.show_people(&format!("Saved as {}.", saved.id));
    if !issue.wait {
        desk.output.show_programs(&saved);
        return Ok(End::Done);
    }
    // From here on it is saved, and whatever goes wrong must not look as if it were not.
    let deadline = issue.deadline.map(Duration::from_secs);
    let waited = match desk.engine.wait_for(saved.id, deadline).await {
        Ok(_) => desk.engine.entry(saved.id).map(|details| details.entry),
        Err(problem) => Err(problem),
    };
    Ok(match waited {
        Ok(entry) => tell(&entry, desk),
        Err(problem) => {
            desk.output.show_programs(&saved);
            desk.output.problem(&problem);
            End::NotYet
        }
    })
}

/// Saves the issue. When anything about it cannot be taken, nothing is left behind.
fn save(issue: &FileArgs, body: String, desk: &Desk<'_>) -> Result<Saved> {
    if issue.title.trim().is_empty() {
        return Err(Problem::new(Code::Invalid, "An issue needs a title.").hint("Give it one with --title."));
    }
    // Names are found in whatever case they are typed, here as everywhere.
    let to = desk.engine.destination_called(&issue.to).map_err(|problem| match problem.code {
        Code::NotFound => no_destination(&issue.to),
        _ => problem,
    })?;
    let new = NewIssue {
        destination: to,
        title: issue.title.clone(),
        body,
        labels: issue.labels.clone(),
        milestone: issue.milestone.clone(),
        assignees: issue.assignees.clone(),
    };
    desk.engine.file_new(&new, &issue.attach).map_err(|problem| match problem.code {
        Code::OutboxFull => full(problem),
        _ => problem,
    })
}

/// Changes what is given of an entry's words.
pub(crate) async fn edit(edit: EditArgs, desk: &Desk<'_>) -> Result<End> {
    let body = match (edit.body, edit.body_file) {
        (Some(body), _) => Some(body),
        (None, Some(file)) => Some(blocking(move || read_body(&file)).await?),
        (None, None) => None,
    };
    let now = desk.engine.entry(edit.id)?;
    let labels = if edit.labels.is_empty() && !edit.no_labels { now.labels } else { edit.labels };
    let milestone = if edit.no_milestone { None } else { edit.milestone.or(now.milestone) };
    let is_kept = edit.assignees.is_empty() && !edit.no_assignees;
    let assignees = if is_kept { now.assignees } else { edit.assignees };
    let edit = EntryEdit {
        id: edit.id,
        revision: now.revision,
        title: edit.title.unwrap_or(now.entry.title),
        body: body.unwrap_or(now.body),
        labels,
        milestone,
        assignees,
    };
    entries::acted(&desk.engine.edit(&edit)?, desk)
}

/// Tells what waiting came to.
fn tell(entry: &EntryView, desk: &Desk<'_>) -> End {
    let EntryView { id, key, state, reason, receipt, .. } = entry;
    desk.output.show_programs(
        &json!({ "id": id, "key": key, "state": state, "reason": reason, "receipt": receipt }),
    );
    let why = reason.as_deref().map(|reason| format!(" {reason}")).unwrap_or_default();
    match state {
        EntryState::Filed => {
            let place = receipt.as_ref().map(|receipt| format!(" as {}: {}", receipt.number, receipt.url));
            desk.output.show_people(&format!("Filed{}", place.unwrap_or_else(|| ".".to_owned())));
            End::Done
        }
        EntryState::Waiting => {
            desk.output.remark(&format!(
                "Not filed yet.{why}\nIt is sent when it can be; “outtrayctl show {id}” tells."
            ));
            End::NotYet
        }
        EntryState::Attention => {
            desk.output.remark(&format!(
                "Saved, but it needs you.{why}\n“outtrayctl show {id}” tells what you can do."
            ));
            End::NotYet
        }
        EntryState::Withdrawn => {
            desk.output
                .remark(&format!("It was taken back meanwhile.\n“outtrayctl restore {id}” puts it back."));
            End::NotYet
        }
    }
}

/// Reads the text of an issue. A pipe is fine here.
fn read_body(file: &Path) -> Result<String> {
    let is_stdin = file == Path::new("-");
    let name = if is_stdin { PathBuf::from("standard input") } else { file.to_owned() };
    let unreadable = |error: std::io::Error| {
        let message = match error.kind() {
            std::io::ErrorKind::NotFound => format!("There is no file {}.", name.display()),
            std::io::ErrorKind::PermissionDenied => format!("{} may not be read by you.", name.display()),
            std::io::ErrorKind::IsADirectory => format!("{} is a folder.", name.display()),
            _ => format!("{} cannot be read.", name.display()),
        };
        Problem::new(Code::Invalid, message)
            .hint("Nothing was saved. Give another --body-file.")
            .because(error)
    };
    let mut bytes = Vec::new();
    if is_stdin {
        std::io::stdin().lock().take(LONGEST_BODY + 1).read_to_end(&mut bytes).map_err(unreadable)?;
    } else {
        let source = std::fs::File::open(file).map_err(unreadable)?;
        source.take(LONGEST_BODY + 1).read_to_end(&mut bytes).map_err(unreadable)?;
    }
    if bytes.len() as u64 > LONGEST_BODY {
        return Err(Problem::new(
            Code::Invalid,
            format!("{} is longer than 10 MiB, which no tracker takes.", name.display()),
        )
        .hint("Nothing was saved. Attach it with --attach instead."));
    }
    String::from_utf8(bytes).map_err(|error| {
        let at = error.utf8_error().valid_up_to();
        Problem::new(
            Code::Invalid,
            format!("{} is not text in UTF-8: byte {} is none.", name.display(), at + 1),
        )
        .hint("Nothing was saved. Convert it first, or attach it with --attach.")
    })
}

fn no_destination(name: &str) -> Problem {
    Problem::new(Code::NotFound, format!("There is no destination called {name}."))
        .hint("“outtrayctl destination list” shows them, “outtrayctl destination add” adds one.")
}

/// The words for a window say that the draft is safe; here there is none.
fn full(problem: Problem) -> Problem {
    let hint = problem.hint.clone().unwrap_or_else(|| "Retry or withdraw some first.".to_owned());
    Problem::new(Code::OutboxFull, "The outbox is full, so nothing was saved.").hint(hint).because(problem)
}
