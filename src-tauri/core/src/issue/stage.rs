//! The network steps of filing, and in which order a tracker takes them.

use serde::{Deserialize, Serialize};
use ts_rs::TS;

use super::{Attachment, TrackerKind};

/// One network step of filing. Finished for good once recorded.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
#[ts(export_to = "issue.ts")]
pub enum StageKind {
    /// Makes the issue.
    Create,
    /// Sends one attachment to the issue.
    Upload,
    /// Puts the pictures into the body.
    Embed,
}

impl StageKind {
    /// The word that is stored.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Create => "create",
            Self::Upload => "upload",
            Self::Embed => "embed",
        }
    }

    /// Reads the word that is stored.
    pub fn from_word(word: &str) -> Option<Self> {
        [Self::Create, Self::Upload, Self::Embed].into_iter().find(|kind| kind.word() == word)
    }

    /// Whether sending it twice changes nothing more than sending it once: a file that no issue names is nothing.
    pub const fn is_harmless_to_repeat(self, tracker: TrackerKind) -> bool {
        match self {
            Self::Create => false,
            Self::Upload => tracker.uploads_first(),
            Self::Embed => true,
        }
    }
}

/// Returns the stages of filing an issue with `attachments` at a tracker, in order; an upload carries the
/// id of its attachment.
pub fn plan(tracker: TrackerKind, attachments: &[Attachment]) -> Vec<(StageKind, Option<i64>)> {
    let create = (StageKind::Create, None);
    let uploads = attachments.iter().map(|attachment| (StageKind::Upload, Some(attachment.id)));
    match tracker {
        // The directory appears under its name in one rename, with everything in it; a webhook is one request.
        TrackerKind::Folder | TrackerKind::Webhook => vec![create],
        TrackerKind::GitHub | TrackerKind::GitLab | TrackerKind::Redmine => uploads.chain([create]).collect(),
        TrackerKind::Gitea | TrackerKind::Forgejo => {
            let embed = attachments.iter().any(Attachment::is_picture).then_some((StageKind::Embed, None));
            std::iter::once(create).chain(uploads).chain(embed).collect()
        }
    }
}
