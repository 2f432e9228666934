//! What leaves, before it does: an issue in the words that its tracker gets. Nobody is asked for that.
//!
//! Each adapter puts its title and text together in one place, for a preview and for the tracker, so that the two cannot
//! differ. What only the tracker knows, the address of a file that it has not got yet, stands as [`LATER`].

use super::{folder, gitea, github, gitlab, redmine, text, webhook};
use crate::issue::{Attachment, Destination, Issue, TrackerKind};

/// Stands for an address that the tracker gives when it takes the file.
pub const LATER: &str = "…";

/// What leaves.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Preview {
    /// The title, as cut.
    pub title: String,
    /// The text, with whatever is put around it.
    pub text: String,
    /// The labels that are asked for there.
    pub labels: Vec<String>,
    /// The milestone that is asked for there.
    pub milestone: Option<String>,
    /// Who is to be assigned there.
    pub assignees: Vec<String>,
    /// The files that travel, each under the name it gets.
    pub files: Vec<Named>,
    /// What a person should know besides, in sentences.
    pub notes: Vec<String>,
}

/// A file under the name that it gets.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Named {
    /// Its name there.
    pub name: String,
    /// Such as `image/png`.
    pub media_type: String,
    /// In bytes.
    pub size: u64,
}

/// What a destination gets of an issue.
pub fn preview(destination: &Destination, issue: &Issue) -> Preview {
    match destination.tracker {
        TrackerKind::Gitea | TrackerKind::Forgejo => gitea::preview(issue),
        TrackerKind::GitHub => github::preview(issue, destination.branch.as_deref()),
        TrackerKind::GitLab => gitlab::preview(issue),
        TrackerKind::Redmine => redmine::preview(issue),
        TrackerKind::Webhook => webhook::preview(issue),
        TrackerKind::Folder => folder::preview(issue),
    }
}

/// A preview of these words, with every label and every file under its own name.
pub(super) fn whole((title, text): (String, String), issue: &Issue) -> Preview {
    let mut notes = Vec::new();
    if text::is_too_long(&issue.title) {
        notes.push(
            "The title is longer than trackers take. It is cut, and stands whole above the text.".to_owned(),
        );
    }
    let files =
        issue.attachments.iter().map(|attachment| named(attachment, attachment.name.clone())).collect();
    Preview {
        title,
        text,
        labels: issue.labels.clone(),
        milestone: issue.milestone.clone(),
        assignees: issue.assignees.clone(),
        files,
        notes,
    }
}

/// A file under another name.
pub(super) fn named(attachment: &Attachment, name: String) -> Named {
    Named { name, media_type: attachment.media_type.clone(), size: attachment.size }
}
