//! The verbs that save and change an issue, as a person types them, and their manual.

use std::path::PathBuf;

use clap::Args;

/// Save an issue; it is filed from then on by itself
///
/// Returns as soon as the issue and copies of its attachments are safe on this computer. It is delivered by the Outtray
/// app when that is running, or by “outtrayctl drain”; --wait delivers it here. When anything about it cannot be taken,
/// nothing is saved at all. A label, milestone or assignee that is gone when it is filed is left out, and told.
#[derive(Debug, Args)]
#[command(after_long_help = "\
EXAMPLES:
  outtrayctl file --to work --title \"Crash on start\" --attach crash.png --attach app.log
  make 2>&1 | outtrayctl file --to work --title \"The build broke\" --body-file -
  outtrayctl file --to work --title Nightly --label ci --milestone 2.0 --assignee ada
  outtrayctl file --to work --title Nightly --wait --deadline 60 --json

EXIT STATUS:
  0  Saved; with --wait: filed.
  1  Nothing was saved.
  2  The command line was not understood.
  3  With --wait: saved, but not filed by the deadline, or it needs you first
     (“state” in --json tells the two apart). Do not file it again: see
     “outtrayctl show ID”.

With --json at least: id, key, state. After --wait also: reason and receipt.")]
pub(crate) struct FileArgs {
    /// The destination, as “destination list” names it
    #[arg(long, value_name = "NAME")]
    pub(crate) to: String,
    /// The title, one line
    #[arg(long, value_name = "TITLE", allow_hyphen_values = true)]
    pub(crate) title: String,
    /// The text, in Markdown
    #[arg(long, value_name = "TEXT", conflicts_with = "body_file", allow_hyphen_values = true)]
    pub(crate) body: Option<String>,
    /// Read the text from a file in UTF-8, or with “-” from standard input
    #[arg(long, value_name = "FILE")]
    pub(crate) body_file: Option<PathBuf>,
    /// Attach a copy of a file as it is now; may be given several times
    #[arg(long, value_name = "PATH", allow_hyphen_values = true)]
    pub(crate) attach: Vec<PathBuf>,
    /// Put a label on it; may be given several times
    #[arg(long = "label", value_name = "LABEL", allow_hyphen_values = true)]
    pub(crate) labels: Vec<String>,
    /// Put it into an open milestone, by its title; at Redmine into a version
    #[arg(long, value_name = "MILESTONE", allow_hyphen_values = true)]
    pub(crate) milestone: Option<String>,
    /// Assign it to somebody, by login, at Redmine by name; may be given several times
    #[arg(long = "assignee", value_name = "LOGIN")]
    pub(crate) assignees: Vec<String>,
    /// Deliver it here, and return when it is filed or needs you
    #[arg(long)]
    pub(crate) wait: bool,
    /// With --wait: return after so many seconds at the latest
    #[arg(long, value_name = "SECS", requires = "wait")]
    pub(crate) deadline: Option<u64>,
}

/// Change the words of an entry before it is filed
///
/// What is not given stays as it is. It keeps its key and is sent again at once. While it is being sent, or may have been
/// filed, this is recorded as a wish (--json says “wish”: true, exit status 0); what has been filed is refused in words.
#[derive(Debug, Args)]
#[command(after_long_help = "\
EXAMPLES:
  outtrayctl edit 12 --label bug
  outtrayctl edit 12 --title \"Crash on start\" --body-file report.md")]
pub(crate) struct EditArgs {
    /// The entry's number
    #[arg(value_name = "ID")]
    pub(crate) id: i64,
    /// The title, one line
    #[arg(long, value_name = "TITLE", allow_hyphen_values = true)]
    pub(crate) title: Option<String>,
    /// The text, in Markdown
    #[arg(long, value_name = "TEXT", conflicts_with = "body_file", allow_hyphen_values = true)]
    pub(crate) body: Option<String>,
    /// Read the text from a file in UTF-8, or with “-” from standard input
    #[arg(long, value_name = "FILE")]
    pub(crate) body_file: Option<PathBuf>,
    /// The labels, instead of those it has; may be given several times
    #[arg(long = "label", value_name = "LABEL", allow_hyphen_values = true)]
    pub(crate) labels: Vec<String>,
    /// Take all labels off
    #[arg(long, conflicts_with = "labels")]
    pub(crate) no_labels: bool,
    /// The milestone, instead of the one it has
    #[arg(long, value_name = "MILESTONE", allow_hyphen_values = true)]
    pub(crate) milestone: Option<String>,
    /// Take it out of its milestone
    #[arg(long, conflicts_with = "milestone")]
    pub(crate) no_milestone: bool,
    /// Whom it is assigned to, instead of those it has; may be given several times
    #[arg(long = "assignee", value_name = "LOGIN")]
    pub(crate) assignees: Vec<String>,
    /// Assign it to nobody
    #[arg(long, conflicts_with = "assignees")]
    pub(crate) no_assignees: bool,
}
