//! `list`, `show` and the acts on entries.

use outtray_core::problem::Result;
use outtray_core::view::{Act, Acted, EntryDetails, EntryState, EntryView, Preview, Row, StageState};
use outtray_core::{Code, Problem};

use crate::End;
use crate::desk::Desk;
use crate::interface::{ListArgs, ResolveArgs, RetryArgs, SaveArgs, ShowArgs};
use crate::output::{columns, local, size};

pub(crate) fn list(list: &ListArgs, desk: &Desk<'_>) -> Result<End> {
    let state = list.state.map(EntryState::from);
    let entries = desk.engine.entries(state)?;
    // What a lane needs is no entry of its own, and is what the person asked for all the same.
    let mut lanes = desk.engine.status()?.items;
    lanes.retain(|item| item.entry.is_none() && matches!(state, None | Some(EntryState::Attention)));
    desk.output.show(&entries, || {
        let mut text: Vec<String> =
            lanes.iter().map(|lane| format!("{}. {} {}.", lane.title, lane.words, lane.step)).collect();
        if !entries.is_empty() {
            text.push(table(&entries));
        }
        if text.is_empty() { "Nothing there.".to_owned() } else { text.join("\n") }
    });
    Ok(End::Done)
}

pub(crate) fn show(show: &ShowArgs, desk: &Desk<'_>) -> Result<End> {
    if show.preview {
        let preview = desk.engine.preview_entry(show.id)?;
        desk.output.show(&preview, || leaves(&preview));
        return Ok(End::Done);
    }
    let details = desk.engine.entry(show.id)?;
    desk.output.show(&details, || in_full(&details));
    Ok(End::Done)
}

/// Saves an entry as files.
pub(crate) fn save(save: &SaveArgs, desk: &Desk<'_>) -> Result<End> {
    let folder = std::path::absolute(&save.to)
        .map_err(|error| Problem::new(Code::Invalid, "The folder you are in is gone.").because(error))?;
    let saved = desk.engine.save_as_files(save.id, &folder)?;
    desk.output.show(&saved, || format!("Saved in {}.", saved.path));
    if !saved.missing.is_empty() {
        let names = saved.missing.join(", ");
        desk.output.remark(&format!("Not on this computer any more, so not saved: {names}."));
    }
    Ok(End::Done)
}

/// What leaves, for people: the text as it is, and around it what goes beside it.
fn leaves(preview: &Preview) -> String {
    let mut facts = vec![
        ["To".to_owned(), format!("{} ({})", preview.destination, preview.place)],
        ["Title".to_owned(), preview.title.clone()],
    ];
    if !preview.labels.is_empty() {
        facts.push(["Labels".to_owned(), preview.labels.join(", ")]);
    }
    if let Some(milestone) = &preview.milestone {
        facts.push(["Milestone".to_owned(), milestone.clone()]);
    }
    if !preview.assignees.is_empty() {
        facts.push(["Assignees".to_owned(), preview.assignees.join(", ")]);
    }
    let files: Vec<_> = preview
        .files
        .iter()
        .map(|file| [format!("  {}", size(file.size)), file.media_type.clone(), file.name.clone()])
        .collect();
    let mut text = columns(&facts);
    text.extend([String::new(), preview.text.clone()]);
    if !files.is_empty() {
        text.extend([String::new(), "Files".to_owned()]);
        text.extend(columns(&files));
    }
    if !preview.notes.is_empty() {
        text.push(String::new());
        text.extend(preview.notes.iter().cloned());
    }
    text.join("\n")
}

pub(crate) fn retry(retry: &RetryArgs, desk: &Desk<'_>) -> Result<End> {
    match retry.id {
        Some(id) => acted(&desk.engine.retry(id)?, desk),
        None => {
            let all = if retry.copies { desk.engine.release_copies()? } else { desk.engine.retry_all()? };
            desk.output.show(&all, || match all.len() {
                0 => "Nothing waits to be tried again.".to_owned(),
                _ => all.iter().map(told).collect::<Vec<_>>().join("\n"),
            });
            Ok(End::Done)
        }
    }
}

pub(crate) async fn resolve(resolve: &ResolveArgs, desk: &Desk<'_>) -> Result<End> {
    let done = match &resolve.there {
        Some(url) => desk.engine.resolve_there(resolve.id, url).await?,
        None if resolve.leave => desk.engine.leave_at_that(resolve.id)?,
        None => desk.engine.resolve_send_again(resolve.id)?,
    };
    acted(&done, desk)
}

/// Tells what came of an act. A wish is a success: it is honoured at the next safe moment.
pub(crate) fn acted(done: &Acted, desk: &Desk<'_>) -> Result<End> {
    desk.output.show(done, || told(done));
    Ok(End::Done)
}

fn told(done: &Acted) -> String {
    format!("{}: {}", done.id, done.words)
}

fn table(entries: &[EntryView]) -> String {
    let row = |entry: &EntryView| {
        let when =
            entry.filed_at.as_ref().or(entry.not_before.as_ref()).map(|at| local(at)).unwrap_or_default();
        [
            entry.id.to_string(),
            word(entry.row).to_owned(),
            entry.destination.clone(),
            when,
            short(&entry.title),
        ]
    };
    let head = ["ID", "STATE", "DESTINATION", "WHEN", "TITLE"].map(str::to_owned);
    let rows: Vec<_> = std::iter::once(head).chain(entries.iter().map(row)).collect();
    let mut lines = columns(&rows).into_iter();
    let mut text: Vec<String> = lines.next().into_iter().collect();
    for (entry, line) in entries.iter().zip(lines) {
        text.push(line);
        text.extend(below(entry).map(|words| format!("      {words}")));
    }
    text.join("\n")
}

/// As much of a title as a line has room for.
fn short(title: &str) -> String {
    const LONGEST: usize = 100;
    match title.char_indices().nth(LONGEST) {
        Some((at, _)) => format!("{}…", &title[..at]),
        None => title.to_owned(),
    }
}

/// What a row has to say beyond its columns.
fn below(entry: &EntryView) -> Option<String> {
    match &entry.receipt {
        Some(receipt) if entry.state == EntryState::Filed => Some(receipt.url.clone()),
        _ => entry.stage_words.clone().or_else(|| entry.reason.clone()),
    }
}

fn in_full(details: &EntryDetails) -> String {
    let entry = &details.entry;
    let mut facts: Vec<[String; 2]> = Vec::new();
    let mut fact = |name: &str, value: Option<String>| {
        if let Some(value) = value {
            facts.push([name.to_owned(), value]);
        }
    };
    fact("Title", Some(entry.title.clone()));
    fact("State", Some(word(entry.row).to_owned()));
    fact("Reason", entry.reason.clone());
    fact("Now", entry.stage_words.clone());
    fact("Next try", entry.not_before.as_ref().map(|at| local(at)));
    fact("Wish", entry.wish.clone());
    fact(
        "Filed as",
        entry.receipt.as_ref().map(|receipt| format!("{}, {}", numbered(&receipt.number), receipt.url)),
    );
    fact("Destination", Some(format!("{} ({}, {})", entry.destination, entry.tracker.name(), entry.project)));
    fact("Labels", (!details.labels.is_empty()).then(|| details.labels.join(", ")));
    fact("Milestone", details.milestone.clone());
    fact("Assignees", (!details.assignees.is_empty()).then(|| details.assignees.join(", ")));
    fact("Saved", Some(local(&entry.saved_at)));
    fact("Filed", entry.filed_at.as_ref().map(|at| local(at)));
    fact("Attempts", Some(entry.attempts.to_string()));
    fact("Key", Some(entry.key.to_string()));
    fact("You can", commands(entry));

    let stages: Vec<_> = details
        .stages
        .iter()
        .map(|stage| {
            let at = stage.at.as_ref().map(|at| local(at)).unwrap_or_default();
            let word = if stage.missing.is_some() { "missing" } else { stage_word(stage.state) };
            [format!("  {word}"), at, stage.words.clone()]
        })
        .collect();
    let tries: Vec<_> = details
        .tries
        .iter()
        .map(|attempt| {
            let number = attempt.number.map_or_else(|| "-".to_owned(), |number| number.to_string());
            [format!("  {number}"), local(&attempt.started), attempt.words.clone()]
        })
        .collect();
    let files: Vec<_> = details
        .files
        .iter()
        .map(|file| [format!("  {}", size(file.size)), file.media_type.clone(), file.name.clone()])
        .collect();

    let mut text = columns(&facts);
    for (head, lines) in [
        ("Stages", columns(&stages)),
        ("Attempts, newest first", columns(&tries)),
        ("Attachments", columns(&files)),
    ] {
        if !lines.is_empty() {
            text.extend([String::new(), head.to_owned()]);
            text.extend(lines);
        }
    }
    if !details.body.is_empty() {
        text.extend([String::new(), details.body.clone()]);
    }
    text.join("\n")
}

/// A tracker's number is a number, a folder's a name.
fn numbered(number: &str) -> String {
    if number.bytes().all(|byte| byte.is_ascii_digit()) { format!("#{number}") } else { number.to_owned() }
}

/// The commands for what a person can do with it now.
fn commands(entry: &EntryView) -> Option<String> {
    let id = entry.id;
    let command = |act: &Act| match act {
        Act::Retry | Act::LookNow => Some(format!("retry {id}")),
        Act::ItsThere => Some(format!("resolve {id} --there URL")),
        Act::SendAgain => Some(format!("resolve {id} --send-again")),
        Act::Withdraw => Some(format!("withdraw {id}")),
        Act::Restore => Some(format!("restore {id}")),
        Act::Leave => Some(format!("resolve {id} --leave")),
        Act::MoveTo => Some(format!("move {id} --to NAME")),
        Act::ShowFiles | Act::Open | Act::CopyLink => None,
    };
    let commands: Vec<_> = entry.acts.iter().filter_map(command).collect();
    (!commands.is_empty()).then(|| commands.join(" · "))
}

const fn word(row: Row) -> &'static str {
    match row {
        Row::Held => "held",
        Row::Waiting => "waiting",
        Row::BackedOff => "waiting to retry",
        Row::Offline => "offline",
        Row::Paused => "paused",
        Row::Sending => "sending",
        Row::Doubt => "sent, no answer yet",
        Row::DoubtAsk => "is it there?",
        Row::NeedsYou => "needs you",
        Row::Filed => "filed",
        Row::Withdrawn => "withdrawn",
    }
}

const fn stage_word(state: StageState) -> &'static str {
    match state {
        StageState::Open => "to do",
        StageState::Sent => "sending",
        StageState::Done => "done",
        StageState::Doubt => "no answer",
    }
}
