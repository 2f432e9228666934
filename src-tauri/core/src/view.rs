//! What windows and `outtrayctl` show. These shapes are the contract with the UI (`ts-rs` writes its types)
//! and with scripts (`--json`), so a field is added, never renamed.

mod catalogue;

pub use catalogue::{CatalogueView, PartView, SimilarView, Standing};

use serde::{Deserialize, Serialize};
use ts_rs::TS;

use crate::issue::{Key, Receipt, StageKind, TrackerKind};

/// The states of an entry.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, TS)]
#[serde(rename_all = "lowercase")]
#[ts(export_to = "view.ts")]
pub enum EntryState {
    /// To be filed.
    Waiting,
    /// Filed.
    Filed,
    /// Only a person can move it.
    Attention,
    /// Taken back; can be restored.
    Withdrawn,
}

/// What a row looks like: one silhouette each.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, TS)]
#[serde(rename_all = "snake_case")]
#[ts(export_to = "view.ts")]
pub enum Row {
    /// Saved, to be sent at a time (`until`).
    Held,
    /// Its turn will come.
    Waiting,
    /// Backed off; tried again at `until`.
    BackedOff,
    /// No network to its tracker.
    Offline,
    /// Held by a pause, a sign-in or the tracker's wish.
    Paused,
    /// Under a live lease.
    Sending,
    /// Sent, waiting to confirm; looks again at `until`.
    Doubt,
    /// Sent, and only the person can tell.
    DoubtAsk,
    /// Only a person can move it.
    NeedsYou,
    /// Filed.
    Filed,
    /// Taken back.
    Withdrawn,
}

/// What a person may do with an entry now. The first is the one next step.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, TS)]
#[serde(rename_all = "snake_case")]
#[ts(export_to = "view.ts")]
pub enum Act {
    /// Try now, with a fresh budget and the same key.
    Retry,
    /// Look at once (an entry in doubt).
    LookNow,
    /// It has been filed: tell where.
    ItsThere,
    /// It has not: send it.
    SendAgain,
    /// Take it back.
    Withdraw,
    /// Put it back.
    Restore,
    /// Show the files that the tracker did not take.
    ShowFiles,
    /// Leave it filed without them.
    Leave,
    /// Open the filed issue.
    Open,
    /// Copy its link.
    CopyLink,
    /// Send it to another destination.
    MoveTo,
}

/// One entry, as a row.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, TS)]
#[ts(export_to = "view.ts")]
pub struct EntryView {
    /// Its number in this outbox.
    pub id: i64,
    /// Its idempotency key.
    pub key: Key,
    /// The destination's name.
    pub destination: String,
    /// The project there, or the folder.
    pub project: String,
    /// Which service.
    pub tracker: TrackerKind,
    /// The title.
    pub title: String,
    /// Its state.
    pub state: EntryState,
    /// What its row looks like.
    pub row: Row,
    /// Tries that counted.
    pub attempts: u32,
    /// The stage that is open, in doubt or being sent: `create`, `upload` or `embed`.
    pub stage: Option<StageKind>,
    /// The stage in words: "Uploading picture 2 of 3".
    pub stage_words: Option<String>,
    /// When it is tried, looked up or released next (RFC 3339, UTC).
    pub not_before: Option<String>,
    /// What holds it or what came of the last try, in words.
    pub reason: Option<String>,
    /// What a person asked for while a worker had it: `withdraw`, `retry` or `move`.
    pub wish: Option<String>,
    /// Number and link.
    pub receipt: Option<Receipt>,
    /// When it was saved (RFC 3339, UTC).
    pub saved_at: String,
    /// When it was filed (RFC 3339, UTC).
    pub filed_at: Option<String>,
    /// How many attachments travel with it.
    pub attachments: u32,
    /// Whether it came as a copy and is held: another computer may file it.
    pub is_held_copy: bool,
    /// What the person can do now; the first is the one next step.
    pub acts: Vec<Act>,
}

/// The states of a stage.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, TS)]
#[serde(rename_all = "lowercase")]
#[ts(export_to = "view.ts")]
pub enum StageState {
    /// Not sent yet.
    Open,
    /// About to be sent, or being sent.
    Sent,
    /// Finished for good.
    Done,
    /// Sent without a usable answer.
    Doubt,
}

/// One stage, in the details.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, TS)]
#[ts(export_to = "view.ts")]
pub struct StageView {
    /// Which step.
    pub kind: StageKind,
    /// "Create issue", "Upload picture 1".
    pub words: String,
    /// Where it stands.
    pub state: StageState,
    /// When that was recorded (RFC 3339, UTC).
    pub at: Option<String>,
    /// Of a file that its tracker did not take: why. The stage is settled without it.
    pub missing: Option<String>,
}

/// One attempt, in the details; newest first.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, TS)]
#[ts(export_to = "view.ts")]
pub struct AttemptView {
    /// Its number, or nothing for a try that did not count.
    pub number: Option<u32>,
    /// When it started (RFC 3339, UTC).
    pub started: String,
    /// When it ended; nothing while it runs.
    pub ended: Option<String>,
    /// What came of it, in words.
    pub words: String,
}

/// One attachment.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, TS)]
#[ts(export_to = "view.ts")]
pub struct AttachmentView {
    /// Its number.
    pub id: i64,
    /// The name it is sent under.
    pub name: String,
    /// Such as `image/png`.
    pub media_type: String,
    /// In bytes.
    #[ts(type = "number")]
    pub size: u64,
    /// Whether a thumbnail can be had.
    pub is_picture: bool,
}

/// An entry with everything about it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, TS)]
#[ts(export_to = "view.ts")]
pub struct EntryDetails {
    /// The row.
    #[serde(flatten)]
    #[ts(flatten)]
    pub entry: EntryView,
    /// Which version of the words that is; an edit says which one it is of.
    #[ts(type = "number")]
    pub revision: i64,
    /// The words that travel.
    pub body: String,
    /// Names of labels.
    pub labels: Vec<String>,
    /// The title of a milestone.
    pub milestone: Option<String>,
    /// Logins of those it is assigned to.
    pub assignees: Vec<String>,
    /// In order.
    pub stages: Vec<StageView>,
    /// Newest first.
    pub tries: Vec<AttemptView>,
    /// In order.
    pub files: Vec<AttachmentView>,
}

/// What leaves of an issue, as its tracker will get it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, TS)]
#[ts(export_to = "view.ts")]
pub struct Preview {
    /// The destination's name.
    pub destination: String,
    /// "Gitea, ada/demo on git.example.org".
    pub place: String,
    /// Which service.
    pub tracker: TrackerKind,
    /// The title, as cut.
    pub title: String,
    /// The text, marker included. `…` stands for the address of a file, which the tracker gives.
    pub text: String,
    /// The labels that are asked for there.
    pub labels: Vec<String>,
    /// The milestone that is asked for there.
    pub milestone: Option<String>,
    /// Who is to be assigned there.
    pub assignees: Vec<String>,
    /// The files that travel, each under the name it gets.
    pub files: Vec<PreviewFile>,
    /// What the person should know besides, in sentences.
    pub notes: Vec<String>,
}

/// A file that travels.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, TS)]
#[ts(export_to = "view.ts")]
pub struct PreviewFile {
    /// The name it gets.
    pub name: String,
    /// Such as `image/png`.
    pub media_type: String,
    /// In bytes.
    #[ts(type = "number")]
    pub size: u64,
}

/// An issue that was saved as files.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, TS)]
#[ts(export_to = "view.ts")]
pub struct SavedFiles {
    /// The directory with `issue.md` and the files.
    pub path: String,
    /// How many files lie beside the page.
    pub files: u32,
    /// Attachments that are not on this computer any more.
    pub missing: Vec<String>,
}

/// New words for an entry that has not been filed.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, TS)]
#[ts(export_to = "view.ts")]
pub struct EntryEdit {
    /// The entry.
    pub id: i64,
    /// The version of its words that was edited.
    #[ts(type = "number")]
    pub revision: i64,
    /// One line.
    pub title: String,
    /// Markdown.
    pub body: String,
    /// Names of labels.
    pub labels: Vec<String>,
    /// The title of a milestone.
    #[serde(default)]
    pub milestone: Option<String>,
    /// Logins of those it is assigned to.
    #[serde(default)]
    pub assignees: Vec<String>,
}

/// A draft.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, TS)]
#[ts(export_to = "view.ts")]
pub struct DraftView {
    /// Its number.
    pub id: i64,
    /// Its idempotency key, for good.
    pub key: Key,
    /// Rises with each save.
    pub revision: i64,
    /// The destination's name; nothing = the default one.
    pub destination: Option<String>,
    /// May be empty while it is a draft.
    pub title: String,
    /// Markdown.
    pub body: String,
    /// Names of labels.
    pub labels: Vec<String>,
    /// The title of a milestone.
    pub milestone: Option<String>,
    /// Logins of those it is assigned to.
    pub assignees: Vec<String>,
    /// In order.
    pub attachments: Vec<AttachmentView>,
    /// When it was last changed (RFC 3339, UTC).
    pub edited_at: String,
}

/// A whole issue that was never a draft on anybody's screen.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewIssue {
    /// The destination's name.
    pub destination: String,
    /// The title as given.
    pub title: String,
    /// The body as given.
    pub body: String,
    /// Names of labels.
    pub labels: Vec<String>,
    /// The title of a milestone.
    pub milestone: Option<String>,
    /// Logins of those it is assigned to.
    pub assignees: Vec<String>,
}

/// What a window sends to save a draft.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
#[ts(export_to = "view.ts")]
pub struct DraftEdit {
    /// Which draft.
    pub id: i64,
    /// The revision the window last saw; another one is refused as `stale`.
    pub revision: i64,
    /// The destination's name; nothing = the default one.
    pub destination: Option<String>,
    /// The title as typed.
    pub title: String,
    /// The body as typed.
    pub body: String,
    /// Names of labels.
    pub labels: Vec<String>,
    /// The title of a milestone.
    #[serde(default)]
    pub milestone: Option<String>,
    /// Logins of those it is assigned to.
    #[serde(default)]
    pub assignees: Vec<String>,
}

/// A destination, in settings and pickers.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, TS)]
#[ts(export_to = "view.ts")]
pub struct DestinationView {
    /// Its name.
    pub name: String,
    /// Which service.
    pub tracker: TrackerKind,
    /// "Gitea, ada/shopdesk on git.shopdesk.example" or "Folder, ~/Documents/Outtray".
    pub words: String,
    /// The base address.
    pub url: Option<String>,
    /// The project.
    pub project: Option<String>,
    /// The folder.
    pub path: Option<String>,
    /// Whether new issues go there by themselves.
    pub is_default: bool,
    /// How many issues wait for it.
    pub waiting: u32,
    /// What holds the lane as a whole, in words: "Gitea did not accept the sign-in."
    pub held: Option<String>,
    /// Whether the hold is one that only a sign-in ends.
    pub needs_sign_in: bool,
    /// Whether a person paused it.
    pub paused: bool,
    /// The PEM file with certificates that are trusted there besides this computer's own.
    pub ca: Option<String>,
}

/// What a person fills in to add a destination.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
#[ts(export_to = "view.ts")]
pub struct NewDestination {
    /// Its name.
    pub name: String,
    /// Which service.
    pub tracker: TrackerKind,
    /// The base address, as typed.
    pub url: Option<String>,
    /// The project, as typed.
    pub project: Option<String>,
    /// The folder, as typed.
    pub path: Option<String>,
    /// The branch that takes pictures where GitHub has no other place for them, as typed.
    #[serde(default)]
    pub branch: Option<String>,
    /// Whether the receiver of a webhook recognises an `Idempotency-Key` that it has seen.
    #[serde(default)]
    pub honours_key: bool,
    /// A PEM file with certificates that are trusted there besides this computer's own, as typed.
    #[serde(default)]
    pub ca: Option<String>,
}

/// What a test of a destination found.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, TS)]
#[ts(export_to = "view.ts")]
pub struct Tested {
    /// Whether issues can be filed there now.
    pub works: bool,
    /// What was found, in one sentence.
    pub words: String,
    /// One next step, where there is one.
    pub hint: Option<String>,
}

/// What filing a draft came to: it is saved.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, TS)]
#[ts(export_to = "view.ts")]
pub struct Saved {
    /// The entry's number.
    pub id: i64,
    /// Its idempotency key.
    pub key: Key,
    /// Its state.
    pub state: EntryState,
}

/// What an act on an entry came to.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, TS)]
#[ts(export_to = "view.ts")]
pub struct Acted {
    /// The entry's number.
    pub id: i64,
    /// Its state now.
    pub state: EntryState,
    /// Whether it was recorded as a wish, to be honoured at the next safe moment.
    pub wish: bool,
    /// What happened, in one sentence.
    pub words: String,
}

/// One setting.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, TS)]
#[ts(export_to = "view.ts")]
pub struct SettingView {
    /// Such as `drain.workers`.
    pub key: String,
    /// The value in force; nothing where "unset" has a meaning.
    #[ts(type = "number | null")]
    pub value: Option<u64>,
    /// The value when nothing is set.
    #[ts(type = "number | null")]
    pub default: Option<u64>,
    /// The smallest value.
    #[ts(type = "number")]
    pub least: u64,
    /// The largest value.
    #[ts(type = "number")]
    pub most: u64,
    /// `ms`, `days`, `bytes`, `entries`, `workers`.
    pub unit: String,
    /// What it does, in one sentence.
    pub words: String,
}
