//! The verbs that look at entries and act on them, as a person types them, and their manual.

use std::path::PathBuf;

use clap::{ArgGroup, Args, ValueEnum};
use outtray_core::view::EntryState;

/// List entries, newest first
///
/// With --json: an array, of which each element has at least id, key, destination, title, state, attempts, stage,
/// not_before, reason, receipt (number, url).
#[derive(Debug, Args)]
#[command(after_long_help = "\
EXAMPLES:
  outtrayctl list
  outtrayctl list --state attention
  outtrayctl list --json | jq -r '.[] | select(.state == \"filed\") | .receipt.url'")]
pub(crate) struct ListArgs {
    /// Only entries in this state
    #[arg(long, value_enum, value_name = "STATE")]
    pub(crate) state: Option<State>,
}

/// The states, as they are typed.
#[derive(Debug, Clone, Copy, ValueEnum)]
pub(crate) enum State {
    /// To be filed
    Waiting,
    /// Filed
    Filed,
    /// Only you can move it
    Attention,
    /// Taken back
    Withdrawn,
}

impl From<State> for EntryState {
    fn from(state: State) -> Self {
        match state {
            State::Waiting => Self::Waiting,
            State::Filed => Self::Filed,
            State::Attention => Self::Attention,
            State::Withdrawn => Self::Withdrawn,
        }
    }
}

/// Show one entry with everything about it
///
/// Shows the state, why it is there, what is tried next, the stages, every attempt, the attachments and the words.
/// With --json at least: id, key, destination, title, state, attempts, stage, not_before, reason, receipt.
///
/// With --preview: exactly what leaves, as the tracker gets it, without asking anybody. “…” stands for the address of a
/// file, which the tracker gives when it takes it. With --json then: destination, place, tracker, title, text, labels,
/// files (name, media_type, size), notes.
#[derive(Debug, Args)]
#[command(after_long_help = "\
EXAMPLES:
  outtrayctl show 12
  outtrayctl show 12 --json | jq -r .receipt.url
  outtrayctl show 12 --preview")]
pub(crate) struct ShowArgs {
    /// The entry's number
    #[arg(value_name = "ID")]
    pub(crate) id: i64,
    /// Show exactly what leaves, as the tracker gets it
    #[arg(long)]
    pub(crate) preview: bool,
}

/// Save an entry as files, whatever its tracker says
///
/// Makes a folder of its own in DIR with the text (issue.md) and the attachments, as the tracker “folder” does, whole or
/// not at all. Nothing that is there is written over, and the entry stays as it is. With --json: path, files, missing.
#[derive(Debug, Args)]
#[command(after_long_help = "\
EXAMPLES:
  outtrayctl save 12 --to ~/Reports

EXIT STATUS:
  0  It is safe on the disk.
  1  Nothing was saved: it is saved there already, or nothing can be written there.")]
pub(crate) struct SaveArgs {
    /// The entry's number
    #[arg(value_name = "ID")]
    pub(crate) id: i64,
    /// The folder; it is made where it is not there
    #[arg(long, value_name = "DIR")]
    pub(crate) to: PathBuf,
}

/// Try an entry now, whatever the waiting time says
///
/// It gets a fresh budget of tries and keeps its key, so it is still filed once. An entry that may have been filed is
/// looked for first. The Outtray app delivers it at once when that is running; otherwise follow with “outtrayctl drain”.
/// Copies that “import” holds are for --copies, or for their own number, and never for --all.
#[derive(Debug, Args)]
#[command(
    group = ArgGroup::new("which").required(true),
    after_long_help = "\
EXAMPLES:
  outtrayctl retry 12
  outtrayctl retry --all && outtrayctl drain --until-idle"
)]
pub(crate) struct RetryArgs {
    /// The entry's number
    #[arg(value_name = "ID", group = "which")]
    pub(crate) id: Option<i64>,
    /// Everything that waits for you or for a later try
    #[arg(long, group = "which")]
    pub(crate) all: bool,
    /// Everything that came as a copy and is held: it is filed here from now on
    #[arg(long, group = "which")]
    pub(crate) copies: bool,
}

/// Say what became of an entry that was sent without an answer
///
/// When a tracker cannot be searched, or looking cannot decide, only you can tell whether the issue is there. Nothing is
/// sent a second time by guess.
#[derive(Debug, Args)]
#[command(
    group = ArgGroup::new("answer").required(true),
    after_long_help = "\
EXAMPLES:
  outtrayctl resolve 12 --there https://git.example.org/ada/shop/issues/482
  outtrayctl resolve 12 --send-again"
)]
pub(crate) struct ResolveArgs {
    /// The entry's number
    #[arg(value_name = "ID")]
    pub(crate) id: i64,
    /// It is there, at this address
    #[arg(long, value_name = "URL", group = "answer")]
    pub(crate) there: Option<String>,
    /// It is not there: send it again
    #[arg(long, group = "answer")]
    pub(crate) send_again: bool,
    /// Leave it filed without the files that its tracker did not take
    #[arg(long, group = "answer")]
    pub(crate) leave: bool,
}
