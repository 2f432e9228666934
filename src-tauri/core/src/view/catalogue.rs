//! What windows and `outtrayctl` show of a catalogue.

use serde::Serialize;
use ts_rs::TS;

use crate::issue::{Assignee, Label, Milestone, Part, Template, Title};

/// What a destination offers to choose from, as it was last read. What it does not have at all is empty, and not among the
/// parts.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, TS)]
#[ts(export_to = "view.ts")]
pub struct CatalogueView {
    /// The destination's name.
    pub destination: String,
    /// Labels.
    pub labels: Vec<Label>,
    /// Open milestones.
    pub milestones: Vec<Milestone>,
    /// Who can be asked to see to an issue.
    pub assignees: Vec<Assignee>,
    /// Issue templates and forms.
    pub templates: Vec<Template>,
    /// Titles of issues that are there, those that changed last.
    pub titles: Vec<Title>,
    /// What there is at all, and how old it is.
    pub parts: Vec<PartView>,
    /// Whether it is being read anew at this moment.
    pub refreshing: bool,
}

/// How old one part is.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, TS)]
#[ts(export_to = "view.ts")]
pub struct PartView {
    /// Which.
    pub part: Part,
    /// When it was read (RFC 3339, UTC); nothing while it has not been.
    pub fetched_at: Option<String>,
    /// Why the last try did not work, in words.
    pub failure: Option<String>,
}

/// Where an issue that is like another one stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, TS)]
#[serde(rename_all = "snake_case")]
#[ts(export_to = "view.ts")]
pub enum Standing {
    /// Open at the tracker.
    Open,
    /// Closed at the tracker.
    Closed,
    /// Filed from here; how it stands there is not known.
    Filed,
    /// Still to be filed from here.
    Waiting,
}

/// An issue that is like the one being written.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, TS)]
#[ts(export_to = "view.ts")]
pub struct SimilarView {
    /// Its title.
    pub title: String,
    /// Its number, once it is filed.
    pub number: Option<String>,
    /// Where a person can open it.
    pub url: Option<String>,
    /// How it stands.
    pub standing: Standing,
}
