//! An entry in words: which silhouette its row has, what holds it, what the person can do. A pure function of its facts.

use super::table::facts::{EntryFacts, StageFacts};
use crate::clock::Stamp;
use crate::issue::{StageKind, TrackerKind};
use crate::view::{Act, EntryState, EntryView, Row, StageState};

/// Finds the words.
pub fn view(facts: EntryFacts) -> EntryView {
    let (row, until_ms, reason) = standing(&facts);
    let acts = acts(&facts, row);
    let is_held_copy = facts.is_held_copy;
    let project = facts.project.clone().or_else(|| facts.path.clone()).unwrap_or_default();
    let stage_words = match row {
        Row::Sending => facts.stage.as_ref().map(|stage| doing(stage, facts.tracker)),
        _ => None,
    };
    EntryView {
        id: facts.id,
        key: facts.key,
        destination: facts.destination,
        project,
        tracker: facts.tracker,
        title: facts.title,
        state: facts.state,
        row,
        attempts: facts.attempts,
        stage: facts.stage.map(|stage| stage.kind),
        stage_words,
        not_before: until_ms.map(|at| Stamp::of(at).0),
        reason,
        wish: facts.wish,
        receipt: facts.receipt,
        saved_at: Stamp::of(facts.saved_at_ms).0,
        filed_at: facts.filed_at_ms.map(|at| Stamp::of(at).0),
        attachments: facts.attachments,
        is_held_copy,
        acts,
    }
}

fn in_doubt(facts: &EntryFacts) -> bool {
    facts.stage.as_ref().is_some_and(|stage| matches!(stage.state, StageState::Sent | StageState::Doubt))
}

/// The silhouette, until when, and why.
fn standing(facts: &EntryFacts) -> (Row, Option<i64>, Option<String>) {
    let said = facts.words.clone();
    match facts.state {
        EntryState::Filed => (Row::Filed, None, said),
        EntryState::Withdrawn => (Row::Withdrawn, None, said),
        EntryState::Attention if in_doubt(facts) && !facts.is_held_copy => {
            (Row::DoubtAsk, None, Some(said.unwrap_or_else(|| "Sent, but no answer came.".to_owned())))
        }
        EntryState::Attention => (Row::NeedsYou, None, said),
        EntryState::Waiting => waiting(facts, said),
    }
}

fn waiting(facts: &EntryFacts, said: Option<String>) -> (Row, Option<i64>, Option<String>) {
    if facts.leased {
        return (Row::Sending, None, None);
    }
    if facts.all_paused {
        return (Row::Paused, None, Some("Held: work is paused.".to_owned()));
    }
    if facts.lane_paused {
        return (Row::Paused, None, Some(format!("Held: {} is paused.", facts.destination)));
    }
    if let Some(words) = &facts.no_token {
        return (Row::Paused, None, Some(no_token(words)));
    }
    let until = facts.not_before_ms;
    match facts.lane_held.as_ref().map(|(kind, words)| (kind.as_str(), words)) {
        Some(("sign_in", words)) => {
            return (Row::Paused, None, Some(format!("Held until you sign in. {words}")));
        }
        Some(("rate_limit", words)) => return (Row::Paused, facts.lane_held_until_ms, Some(words.clone())),
        Some((_, words)) if facts.unreachable && !in_doubt(facts) => {
            return (Row::Offline, facts.lane_held_until_ms, Some(words.clone()));
        }
        Some((_, words)) if !in_doubt(facts) => {
            return (Row::BackedOff, facts.lane_held_until_ms.max(until), Some(words.clone()));
        }
        Some(_) | None => {}
    }
    if in_doubt(facts) {
        let words = said.unwrap_or_else(|| "No answer came.".to_owned());
        return (
            Row::Doubt,
            until.or(facts.lane_held_until_ms),
            Some(format!("Sent, waiting to confirm. {words}")),
        );
    }
    if facts.send_at_ms.is_some() {
        return (Row::Held, facts.send_at_ms, None);
    }
    if facts.unreachable {
        return (Row::Offline, until, said);
    }
    match until {
        Some(_) => (Row::BackedOff, until, said),
        None => (Row::Waiting, None, None),
    }
}

/// Why a lane is not served: only a sign-in on this computer changes that.
pub fn no_token(words: &str) -> String {
    format!("Held until you sign in. {words}")
}

/// What the person can do now; the first is the one next step.
fn acts(facts: &EntryFacts, row: Row) -> Vec<Act> {
    let exists = facts.receipt.is_some();
    let mut acts = match row {
        Row::Filed => return vec![Act::Open, Act::CopyLink],
        Row::Withdrawn => return vec![Act::Restore],
        Row::DoubtAsk => vec![Act::ItsThere, Act::SendAgain, Act::LookNow],
        Row::Doubt => vec![Act::LookNow],
        Row::NeedsYou if facts.is_incomplete => vec![Act::Retry, Act::ShowFiles, Act::Leave],
        Row::NeedsYou | Row::BackedOff | Row::Offline => vec![Act::Retry],
        Row::Held | Row::Waiting | Row::Paused | Row::Sending => Vec::new(),
    };
    if exists {
        acts.extend([Act::Open, Act::CopyLink]);
    } else if facts.wish.as_deref() != Some("withdraw") {
        acts.extend([Act::Withdraw, Act::MoveTo]);
    }
    acts
}

/// The stage being sent, in words.
fn doing(stage: &StageFacts, tracker: TrackerKind) -> String {
    let looking = matches!(stage.state, StageState::Doubt);
    match stage.kind {
        StageKind::Create if looking => format!("Looking for it at {}", tracker.name()),
        StageKind::Create if tracker == TrackerKind::Folder => "Writing it down".to_owned(),
        StageKind::Create => "Creating the issue".to_owned(),
        StageKind::Upload if looking => "Looking whether the file arrived".to_owned(),
        StageKind::Upload => format!("Uploading file {} of {}", stage.upload, stage.uploads),
        StageKind::Embed => "Putting the pictures in".to_owned(),
    }
}

/// A stage in the details, in words; `upload` counts from one.
pub fn stage_words(kind: StageKind, upload: u32, tracker: TrackerKind) -> String {
    match kind {
        StageKind::Create if tracker == TrackerKind::Folder => "Write it down".to_owned(),
        StageKind::Create => "Create issue".to_owned(),
        StageKind::Upload => format!("Upload file {upload}"),
        StageKind::Embed => "Embed pictures".to_owned(),
    }
}
