//! The nouns: what a person writes, what travels, and where it goes. Values only, no IO.

mod catalogue;
mod key;
mod stage;

pub use catalogue::{Assignee, Label, Milestone, Offer, Part, Project, Template, Title};
pub use key::Key;
pub use stage::{StageKind, plan};

use serde::{Deserialize, Serialize};
use ts_rs::TS;

/// An issue-tracking service.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, TS)]
#[serde(rename_all = "lowercase")]
#[ts(export_to = "issue.ts")]
pub enum TrackerKind {
    /// Gitea.
    Gitea,
    /// Forgejo, which answers as Gitea does.
    Forgejo,
    /// GitHub, and GitHub Enterprise.
    #[serde(rename = "github")]
    GitHub,
    /// GitLab, and one that somebody runs themselves.
    #[serde(rename = "gitlab")]
    GitLab,
    /// Redmine.
    Redmine,
    /// Anything that takes a POST.
    Webhook,
    /// A plain folder on this computer.
    Folder,
}

impl TrackerKind {
    /// All of them, in the order in which they are offered.
    pub const ALL: [Self; 7] =
        [Self::GitHub, Self::GitLab, Self::Gitea, Self::Forgejo, Self::Redmine, Self::Webhook, Self::Folder];

    /// The word that is stored and typed.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Gitea => "gitea",
            Self::Forgejo => "forgejo",
            Self::GitHub => "github",
            Self::GitLab => "gitlab",
            Self::Redmine => "redmine",
            Self::Webhook => "webhook",
            Self::Folder => "folder",
        }
    }

    /// The name a person knows it by.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Gitea => "Gitea",
            Self::Forgejo => "Forgejo",
            Self::GitHub => "GitHub",
            Self::GitLab => "GitLab",
            Self::Redmine => "Redmine",
            Self::Webhook => "Webhook",
            Self::Folder => "Folder",
        }
    }

    /// Reads the word that is stored and typed.
    pub fn from_word(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.word() == word)
    }

    /// How long after a sender is gone its bytes may still have an effect there, unless settings say otherwise. A
    /// folder's rename has happened or not.
    pub const fn quiet_ms(self) -> i64 {
        match self {
            Self::Folder => 0,
            _ => 60_000,
        }
    }

    /// Whether filing there needs a token.
    pub const fn needs_token(self) -> bool {
        !matches!(self, Self::Folder | Self::Webhook)
    }

    /// Whether a token is sent along where there is one.
    pub const fn takes_token(self) -> bool {
        !matches!(self, Self::Folder)
    }

    /// Whether files go first and the issue names them, so that a file which nobody names is nothing.
    pub const fn uploads_first(self) -> bool {
        matches!(self, Self::GitHub | Self::GitLab | Self::Redmine)
    }
}

/// A tracker account plus a project in it, or a folder.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Destination {
    /// Its row.
    pub id: i64,
    /// What the person calls it.
    pub name: String,
    /// Which service.
    pub tracker: TrackerKind,
    /// The service's base address, tidied; nothing for a folder.
    pub url: Option<String>,
    /// The project there, as the tracker writes it (`owner/name`); nothing for a folder or a webhook.
    pub project: Option<String>,
    /// The folder; nothing for a tracker.
    pub path: Option<String>,
    /// The branch that takes pictures where a tracker has no other place for them (GitHub).
    pub branch: Option<String>,
    /// Whether the receiver of a webhook recognises an `Idempotency-Key` that it has seen.
    pub honours_key: bool,
    /// A PEM file with certificates that are trusted there besides this computer's own.
    pub ca: Option<String>,
}

/// A picture or file that travels with an issue.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Attachment {
    /// Its row.
    pub id: i64,
    /// The name it is sent under: one line, no path, unique within its issue.
    pub name: String,
    /// Such as `image/png`.
    pub media_type: String,
    /// In bytes.
    pub size: u64,
    /// Of the bytes, in hex.
    pub sha256: String,
    /// The file's name inside the store's `attachments` directory.
    pub file: String,
    /// Width and height in pixels, when it is a picture that can be shown.
    pub picture: Option<(u32, u32)>,
}

impl Attachment {
    /// Whether it is a picture that trackers and windows can show.
    pub const fn is_picture(&self) -> bool {
        self.picture.is_some()
    }
}

/// Still being written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Draft {
    /// Its row.
    pub id: i64,
    /// The idempotency key, for good.
    pub key: Key,
    /// Rises with each save.
    pub revision: i64,
    /// The destination's row; nothing = the default one.
    pub destination: Option<i64>,
    /// May be empty.
    pub title: String,
    /// Markdown.
    pub body: String,
    /// Names of labels.
    pub labels: Vec<String>,
    /// The title of a milestone.
    pub milestone: Option<String>,
    /// Logins of those it is assigned to.
    pub assignees: Vec<String>,
    /// In the order the person gave them.
    pub attachments: Vec<Attachment>,
    /// When it was last changed, wall.
    pub edited_at_ms: i64,
}

/// A finished report, as it travels. Frozen at the first intent to send it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Issue {
    /// The idempotency key.
    pub key: Key,
    /// One line, never empty.
    pub title: String,
    /// Markdown; may be empty.
    pub body: String,
    /// Names of labels.
    pub labels: Vec<String>,
    /// The title of a milestone.
    pub milestone: Option<String>,
    /// Logins of those it is assigned to.
    pub assignees: Vec<String>,
    /// In the order the person gave them.
    pub attachments: Vec<Attachment>,
}

/// The tracker's number and link.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
#[ts(export_to = "issue.ts")]
pub struct Receipt {
    /// As the tracker writes it (`482`); a folder gives the directory's name.
    pub number: String,
    /// Where a person can open it.
    pub url: String,
}
