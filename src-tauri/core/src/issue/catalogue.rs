//! What a destination offers to choose from: labels, milestones, people, templates, and the titles that are there already.

use serde::{Deserialize, Serialize};
use ts_rs::TS;

use super::TrackerKind;

/// One kind of thing to choose from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
#[ts(export_to = "issue.ts")]
pub enum Part {
    /// Labels.
    Labels,
    /// Open milestones.
    Milestones,
    /// Who can be asked to see to it.
    Assignees,
    /// Issue templates and forms.
    Templates,
    /// Titles of issues, those that changed last.
    Titles,
}

impl Part {
    /// All of them.
    pub const ALL: [Self; 5] =
        [Self::Labels, Self::Milestones, Self::Assignees, Self::Templates, Self::Titles];

    /// The word that is stored.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Labels => "labels",
            Self::Milestones => "milestones",
            Self::Assignees => "assignees",
            Self::Templates => "templates",
            Self::Titles => "titles",
        }
    }

    /// Reads the word that is stored.
    pub fn from_word(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|part| part.word() == word)
    }
}

impl TrackerKind {
    /// What projects there have at all.
    pub const fn parts(self) -> &'static [Part] {
        match self {
            Self::Gitea | Self::Forgejo | Self::GitHub | Self::GitLab => &Part::ALL,
            Self::Redmine => &[Part::Milestones, Part::Assignees, Part::Titles],
            Self::Webhook | Self::Folder => &[],
        }
    }
}

/// What one part holds.
#[derive(Debug, Clone, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum Offer {
    Labels(Vec<Label>),
    Milestones(Vec<Milestone>),
    Assignees(Vec<Assignee>),
    Templates(Vec<Template>),
    Titles(Vec<Title>),
}

/// A label.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
#[ts(export_to = "issue.ts")]
pub struct Label {
    /// Its name.
    pub name: String,
    /// `#d73a4a`, where it has one.
    pub color: Option<String>,
    /// What it is for, where that is written down.
    pub description: Option<String>,
}

/// A milestone that is open. Where a tracker has versions, those are its milestones.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
#[ts(export_to = "issue.ts")]
pub struct Milestone {
    /// The number by which the tracker is told.
    #[ts(type = "number")]
    pub number: i64,
    /// What people call it.
    pub title: String,
}

/// Somebody who can be asked to see to an issue.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
#[ts(export_to = "issue.ts")]
pub struct Assignee {
    /// The login; at Redmine, which does not tell it, the name.
    pub login: String,
    /// The name, where it is another.
    pub name: Option<String>,
}

/// An issue template. A form has become text: its fields are headings.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
#[ts(export_to = "issue.ts")]
pub struct Template {
    /// What people call it.
    pub name: String,
    /// What it is for.
    pub about: Option<String>,
    /// What the title begins with.
    pub title: String,
    /// Names of labels.
    pub labels: Vec<String>,
    /// Logins.
    pub assignees: Vec<String>,
    /// Markdown.
    pub body: String,
}

/// An issue that is there already.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
#[ts(export_to = "issue.ts")]
pub struct Title {
    /// As the tracker writes it.
    pub number: String,
    /// Its title.
    pub title: String,
    /// Where a person can open it.
    pub url: String,
    /// Whether it is open.
    pub open: bool,
}

/// A project that the token may file in.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
#[ts(export_to = "issue.ts")]
pub struct Project {
    /// As a destination names it: `owner/name`, or an identifier.
    pub project: String,
    /// What people call it, where that is something else.
    pub name: Option<String>,
}
