//! Whether a manifest says what an outbox can say. It may have been written by anybody: what is not exactly right is
//! refused before a byte of it is kept.

use std::collections::HashSet;

use super::{Attachment, Draft, Entry, FORMAT, Manifest, Stage, Stub, Wish};
use crate::capture::{LARGEST, clean_name};
use crate::issue::{Key, StageKind, TrackerKind};
use crate::problem::{Code, Problem, Result};
use crate::view::{EntryState, StageState};

/// The most entries, and the most drafts.
pub const MOST_ENTRIES: usize = 100_000;
/// The most labels, attachments or tries of one entry; it may have twice as many steps.
pub(super) const MOST_PARTS: usize = 1_000;
/// The most destinations.
pub(super) const MOST_PLACES: usize = 10_000;
/// The most files.
pub const MOST_FILES: usize = 99_999;
/// The most bytes of all files together: 8 GiB.
pub const MOST_BYTES: u64 = 8 * 1024 * 1024 * 1024;
/// The last millisecond of the year 9999.
const LATEST_MS: i64 = 253_402_300_799_999;

/// What is wrong with a manifest, in a few words for the person who may mend it.
type Wrong = std::result::Result<(), String>;

/// Refuses a manifest that says something impossible.
///
/// # Errors
/// `TooNew` for another format, `Invalid` for everything else, with what is wrong.
pub fn check(manifest: &Manifest) -> Result<()> {
    if manifest.format != FORMAT {
        return Err(another_format(manifest.format));
    }
    whole(manifest).map_err(|wrong| {
        Problem::new(Code::Invalid, format!("This archive is not right: {wrong}."))
            .hint("Nothing was imported. Export it anew, and copy the file once more.")
    })
}

/// Refuses an outbox whose archive could not be read again.
///
/// # Errors
/// `Refused`, with what stands in the way.
pub(super) fn fits(manifest: &Manifest) -> Result<()> {
    whole(manifest).map_err(|wrong| {
        Problem::new(Code::Refused, format!("This outbox fits into no archive: {wrong}."))
            .hint("Nothing was changed. File or withdraw what stands in the way first.")
    })
}

pub(super) fn another_format(format: u32) -> Problem {
    Problem::new(
        Code::TooNew,
        format!("This archive has the format {format}, and this Outtray reads format {FORMAT}."),
    )
    .hint("Nothing was imported. Update Outtray here, or export anew with a version that is as old.")
}

fn whole(manifest: &Manifest) -> Wrong {
    time(Some(manifest.made_at_ms))?;
    text("the id of its store", &manifest.store, 100)?;
    that(manifest.destinations.len() <= MOST_PLACES, || {
        format!("it has more than {MOST_PLACES} destinations")
    })?;
    let most = manifest.entries.len().max(manifest.drafts.len());
    that(most <= MOST_ENTRIES, || format!("it holds more than {MOST_ENTRIES} issues"))?;
    for place in &manifest.destinations {
        let is_folder = place.tracker == TrackerKind::Folder;
        let is_odd =
            if is_folder { place.url.is_some() } else { place.path.is_some() || place.url.is_none() };
        that(!is_odd, || format!("{} has the place of another tracker", short(&place.name)))?;
    }
    let mut keys = HashSet::new();
    for entry in &manifest.entries {
        once(&mut keys, entry.key)?;
        self::entry(entry, manifest).map_err(|wrong| format!("{wrong} ({})", short(&entry.title)))?;
    }
    for draft in &manifest.drafts {
        once(&mut keys, draft.key)?;
        self::draft(draft, manifest).map_err(|wrong| format!("{wrong} (a draft)"))?;
    }
    let (mut number, mut bytes) = (0_u32, 0_u64);
    for attachment in manifest.attachments() {
        attached(attachment)?;
        if let Some(file) = attachment.file {
            number += 1;
            bytes = bytes.saturating_add(attachment.size);
            that(file == number, || "its files are not in order".to_owned())?;
        }
    }
    that(number as usize <= MOST_FILES, || format!("it holds more than {MOST_FILES} files"))?;
    that(bytes <= MOST_BYTES, || "its files are larger than 8 GiB together".to_owned())
}

fn entry(entry: &Entry, manifest: &Manifest) -> Wrong {
    let place = manifest.destinations.get(entry.destination).ok_or("it goes to no destination")?;
    let is_live = matches!(entry.state, EntryState::Waiting | EntryState::Attention);
    that(!(is_live && place.removed), || "it is to go to a destination that was removed".to_owned())?;
    that(!entry.title.trim().is_empty(), || "it has no title".to_owned())?;
    that(entry.revision >= 1 && entry.revision < 1 << 40, || "it has an impossible revision".to_owned())?;
    for at in [Some(entry.saved_at_ms), entry.filed_at_ms, entry.send_at_ms] {
        time(at)?;
    }
    let is_filed = entry.state == EntryState::Filed;
    that(!is_filed || (entry.filed_at_ms.is_some() && entry.receipt.is_some()), || {
        "it is filed, and has no receipt".to_owned()
    })?;
    that(entry.state != EntryState::Attention || (entry.reason.is_some() && entry.words.is_some()), || {
        "it needs somebody, and does not say why".to_owned()
    })?;
    that(entry.reason.as_deref().is_none_or(is_word), || "its reason is no word of ours".to_owned())?;
    let wished = entry.edit.as_ref().and_then(|edit| edit.milestone.as_ref());
    for title in entry.milestone.iter().chain(wished) {
        text("its milestone", title, 1_000)?;
    }
    for words in [&entry.words, &entry.told].into_iter().flatten() {
        text("what it says", words, 10_000)?;
    }
    let words = entry.edit.as_ref().map_or(0, |edit| edit.labels.len().max(edit.assignees.len()));
    let lists = [
        entry.labels.len(),
        entry.assignees.len(),
        words,
        entry.attachments.len(),
        entry.stages.len() / 2,
        entry.tries.len(),
    ];
    let longest = lists.into_iter().chain([entry.sightings.len(), entry.owed.len()]).max();
    that(longest <= Some(MOST_PARTS), || format!("it has more than {MOST_PARTS} of something"))?;
    if let Some(Wish::Move(to)) = entry.wish {
        that(to < manifest.destinations.len(), || "it is to be moved nowhere".to_owned())?;
    }
    for stub in entry.receipt.iter().chain(&entry.sightings) {
        self::stub(stub, manifest)?;
    }
    for owed in &entry.owed {
        time(Some(owed.since_ms))?;
        that(owed.destination < manifest.destinations.len(), || "it is to be looked for nowhere".to_owned())?;
    }
    for attempt in &entry.tries {
        time(Some(attempt.started_at_ms))?;
        time(attempt.ended_at_ms)?;
        that(attempt.ended_at_ms.is_none() == attempt.outcome.is_none(), || {
            "a try of it ended without an outcome".to_owned()
        })?;
    }
    stages(&entry.stages, entry.attachments.len())
}

fn stages(stages: &[Stage], attachments: usize) -> Wrong {
    let mut uploaded = HashSet::new();
    for stage in stages {
        let of_upload = match (stage.kind, stage.attachment) {
            (StageKind::Upload, Some(at)) => at < attachments && uploaded.insert(at),
            (StageKind::Upload, None) => false,
            (StageKind::Create | StageKind::Embed, at) => at.is_none(),
        };
        that(of_upload, || "a step of it sends no file, or one twice".to_owned())?;
        that((stage.state == StageState::Done) == stage.done_at_ms.is_some(), || {
            "a step of it is done at no time".to_owned()
        })?;
        let may_miss = stage.kind == StageKind::Upload && stage.state == StageState::Done;
        that(stage.missing.is_none() || may_miss, || {
            "a step of it lacks a file that it does not send".to_owned()
        })?;
        if let Some(words) = &stage.missing {
            text("what it says of a file", words, 10_000)?;
        }
        time(stage.done_at_ms)?;
        time(stage.first_sent_at_ms)?;
    }
    let creates = stages.iter().filter(|stage| stage.kind == StageKind::Create).count();
    that(creates == 1, || format!("it is to be made {creates} times"))
}

fn draft(draft: &Draft, manifest: &Manifest) -> Wrong {
    time(Some(draft.edited_at_ms))?;
    time(draft.elsewhere_since_ms)?;
    if let Some(title) = &draft.milestone {
        text("its milestone", title, 1_000)?;
    }
    let longest = draft.labels.len().max(draft.assignees.len()).max(draft.attachments.len());
    that(longest <= MOST_PARTS, || format!("it has more than {MOST_PARTS} of something"))?;
    let goes_somewhere = draft.destination.is_none_or(|at| at < manifest.destinations.len());
    that(goes_somewhere, || "it goes to no destination".to_owned())
}

fn attached(attachment: &Attachment) -> Wrong {
    let name = &attachment.name;
    that(*name == clean_name(name), || format!("“{}” is no name of an attachment", short(name)))?;
    let is_digest = attachment.sha256.len() == 64
        && attachment.sha256.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'));
    that(is_digest, || format!("“{}” has no digest", short(name)))?;
    that((1..=LARGEST).contains(&attachment.size), || {
        format!("“{}” is empty, or larger than 100 MiB", short(name))
    })
}

/// A link is something that a person may click on.
fn stub(stub: &Stub, manifest: &Manifest) -> Wrong {
    time(Some(stub.at_ms))?;
    let place = manifest.destinations.get(stub.destination).ok_or("it was filed at no destination")?;
    let scheme = url::Url::parse(&stub.receipt.url).map(|url| url.scheme().to_owned()).unwrap_or_default();
    let is_link = match place.tracker {
        TrackerKind::Folder => scheme == "file",
        _ => matches!(&*scheme, "http" | "https"),
    };
    that(is_link, || "its link is no page of a tracker".to_owned())?;
    text("its number", &stub.receipt.number, 500)
}

fn once(keys: &mut HashSet<Key>, key: Key) -> Wrong {
    that(keys.insert(key), || format!("two issues have the key {key}"))
}

fn time(at_ms: Option<i64>) -> Wrong {
    that(at_ms.is_none_or(|at| (0..=LATEST_MS).contains(&at)), || "a time is none of any calendar".to_owned())
}

fn text(what: &str, text: &str, most: usize) -> Wrong {
    that(!text.is_empty() && text.chars().count() <= most, || format!("{what} is empty or too long"))
}

fn is_word(word: &str) -> bool {
    (1..=40).contains(&word.len()) && word.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'_')
}

fn that(holds: bool, wrong: impl FnOnce() -> String) -> Wrong {
    if holds { Ok(()) } else { Err(wrong()) }
}

/// As much of somebody else's words as a sentence has room for.
fn short(text: &str) -> String {
    text.chars().filter(|c| !c.is_control()).take(60).collect()
}
