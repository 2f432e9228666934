//! One file that an outbox travels in: a plain tar with `outbox.json`, the attachments as `file-00001` and so on, and
//! `SHA256SUMS` at the end.
//!
//! *Nothing is unpacked*: members come in one order, under names that follow from their place, and anything else is
//! refused. Nothing is compressed, so nothing is larger inside than it is outside, and how long the file has to be
//! follows from its first member. What is written is held against the same bounds as what is read.
//!
//! Values and bytes only: the database is not known here, nor where the attachments are kept.

mod bounds;
mod check;
mod read;
mod write;

pub use check::{MOST_BYTES, MOST_ENTRIES, MOST_FILES, check};
pub use read::Reader;
pub use write::{Target, Writer};

use serde::{Deserialize, Serialize};
use ts_rs::TS;

use crate::issue::{Key, Receipt, StageKind, TrackerKind};
use crate::view::{EntryState, StageState};
use bounds::few;
use check::{MOST_PARTS, MOST_PLACES};

/// The format that this program writes, and the only one that it reads.
pub const FORMAT: u32 = 1;
/// The first member.
const MANIFEST: &str = "outbox.json";
/// The last one.
const SUMS: &str = "SHA256SUMS";
/// A tar counts in blocks, and ends with two empty ones.
const BLOCK: u64 = 512;

/// What becomes of the outbox that it was made of.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "lowercase")]
#[ts(export_to = "archive.ts", rename = "ArchiveKind")]
pub enum Kind {
    /// It goes on: what arrives is held.
    Copy,
    /// It has given everything away: what arrives goes on.
    Move,
}

/// An outbox. Never a token.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Manifest {
    /// [`FORMAT`].
    pub format: u32,
    /// Copy or move.
    pub kind: Kind,
    /// The store it was made of.
    pub store: String,
    /// When, wall.
    pub made_at_ms: i64,
    /// Where its issues go. Entries and drafts name them by their place in this list.
    #[serde(deserialize_with = "few::<_, _, MOST_PLACES>")]
    pub destinations: Vec<Place>,
    /// In the order in which they were saved.
    #[serde(deserialize_with = "few::<_, _, MOST_ENTRIES>")]
    pub entries: Vec<Entry>,
    /// In the order in which they were begun.
    #[serde(deserialize_with = "few::<_, _, MOST_ENTRIES>")]
    pub drafts: Vec<Draft>,
}

/// A destination, as a person set it up.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[allow(missing_docs)]
pub struct Place {
    pub name: String,
    pub tracker: TrackerKind,
    pub url: Option<String>,
    pub project: Option<String>,
    /// Of a folder; nothing for the one that every outbox begins with, wherever that is.
    pub path: Option<String>,
    pub branch: Option<String>,
    pub honours_key: bool,
    pub removed: bool,
}

/// An entry with everything that is to be known about it elsewhere. Leases, budgets and backoffs stay behind.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[allow(missing_docs)]
pub struct Entry {
    pub key: Key,
    pub destination: usize,
    pub title: String,
    pub body: String,
    #[serde(deserialize_with = "few::<_, _, MOST_PARTS>")]
    pub labels: Vec<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub milestone: Option<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty", deserialize_with = "few::<_, _, MOST_PARTS>")]
    pub assignees: Vec<String>,
    pub revision: i64,
    pub state: EntryState,
    pub saved_at_ms: i64,
    pub filed_at_ms: Option<i64>,
    pub send_at_ms: Option<i64>,
    pub attempts: u32,
    pub reason: Option<String>,
    pub words: Option<String>,
    pub told: Option<String>,
    pub wish: Option<Wish>,
    pub edit: Option<Words>,
    pub receipt: Option<Stub>,
    #[serde(deserialize_with = "few::<_, _, MOST_PARTS>")]
    pub attachments: Vec<Attachment>,
    #[serde(deserialize_with = "few::<_, _, { 2 * MOST_PARTS }>")]
    pub stages: Vec<Stage>,
    #[serde(deserialize_with = "few::<_, _, MOST_PARTS>")]
    pub tries: Vec<Try>,
    #[serde(deserialize_with = "few::<_, _, MOST_PARTS>")]
    pub sightings: Vec<Stub>,
    #[serde(deserialize_with = "few::<_, _, MOST_PARTS>")]
    pub owed: Vec<Owed>,
}

/// What a person asked for and could not have at once.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[allow(missing_docs)]
pub enum Wish {
    Withdraw,
    Retry,
    Move(usize),
}

/// Words that wait for a safe moment.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[allow(missing_docs)]
pub struct Words {
    pub title: String,
    pub body: String,
    #[serde(deserialize_with = "few::<_, _, MOST_PARTS>")]
    pub labels: Vec<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub milestone: Option<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty", deserialize_with = "few::<_, _, MOST_PARTS>")]
    pub assignees: Vec<String>,
}

/// An issue that exists, and where.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[allow(missing_docs)]
pub struct Stub {
    pub destination: usize,
    pub receipt: Receipt,
    pub at_ms: i64,
}

/// A picture or file that travels with an issue.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[allow(missing_docs)]
pub struct Attachment {
    pub name: String,
    pub media_type: String,
    pub size: u64,
    pub sha256: String,
    pub picture: Option<(u32, u32)>,
    /// Which of the archive's files it is, from one; nothing when it is not on the disk any more.
    pub file: Option<u32>,
}

/// One network step, with the intent that stands on it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[allow(missing_docs)]
pub struct Stage {
    pub kind: StageKind,
    /// Of an upload: which of the entry's attachments.
    pub attachment: Option<usize>,
    pub state: StageState,
    /// Whether it may have been sent to any destination, and not only to its own.
    pub anywhere: bool,
    pub login: Option<String>,
    pub first_sent_at_ms: Option<i64>,
    pub sends: u32,
    pub reference: Option<String>,
    /// Why its tracker did not take the file.
    #[serde(default)]
    pub missing: Option<String>,
    pub done_at_ms: Option<i64>,
}

/// An attempt, in the order in which they were made.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[allow(missing_docs)]
pub struct Try {
    pub number: Option<u32>,
    pub started_at_ms: i64,
    pub ended_at_ms: Option<i64>,
    pub stage: Option<u32>,
    pub outcome: Option<String>,
    pub words: Option<String>,
}

/// A look that is owed, since a create was sent twice.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[allow(missing_docs)]
pub struct Owed {
    pub destination: usize,
    pub login: Option<String>,
    pub since_ms: i64,
}

/// Still being written.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[allow(missing_docs)]
pub struct Draft {
    pub key: Key,
    pub destination: Option<usize>,
    pub title: String,
    pub body: String,
    #[serde(deserialize_with = "few::<_, _, MOST_PARTS>")]
    pub labels: Vec<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub milestone: Option<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty", deserialize_with = "few::<_, _, MOST_PARTS>")]
    pub assignees: Vec<String>,
    pub edited_at_ms: i64,
    /// Since when another computer may have filed it.
    pub elsewhere_since_ms: Option<i64>,
    #[serde(deserialize_with = "few::<_, _, MOST_PARTS>")]
    pub attachments: Vec<Attachment>,
}

impl Manifest {
    /// Every attachment there is, in the order of the archive's files.
    pub fn attachments(&self) -> impl Iterator<Item = &Attachment> {
        let of_entries = self.entries.iter().flat_map(|entry| &entry.attachments);
        of_entries.chain(self.drafts.iter().flat_map(|draft| &draft.attachments))
    }

    /// The same, to be changed.
    pub fn attachments_mut(&mut self) -> impl Iterator<Item = &mut Attachment> {
        let of_entries = self.entries.iter_mut().flat_map(|entry| &mut entry.attachments);
        of_entries.chain(self.drafts.iter_mut().flat_map(|draft| &mut draft.attachments))
    }

    /// Those whose bytes are in the archive, in the order of its files.
    pub fn files(&self) -> impl Iterator<Item = &Attachment> {
        self.attachments().filter(|attachment| attachment.file.is_some())
    }
}

/// The name of the archive's file with this number.
fn member(number: usize) -> String {
    format!("file-{number:05}")
}

/// The last member: the digests of all before it, as `sha256sum --check` reads them.
fn sums(manifest: &str, files: impl Iterator<Item = String>) -> String {
    let mut text = format!("{manifest}  {MANIFEST}\n");
    for (number, sha256) in (1..).zip(files) {
        text.push_str(&format!("{sha256}  {}\n", member(number)));
    }
    text
}

/// How long an archive of members of these sizes is.
fn length(sizes: impl Iterator<Item = u64>) -> u64 {
    let members = sizes.map(|size| BLOCK.saturating_add(size.div_ceil(BLOCK).saturating_mul(BLOCK)));
    members.fold(2 * BLOCK, u64::saturating_add)
}

fn hex(digest: &[u8]) -> String {
    digest.iter().map(|byte| format!("{byte:02x}")).collect()
}
