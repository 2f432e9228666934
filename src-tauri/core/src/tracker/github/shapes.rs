//! What GitHub answers, as far as it is used. Everything may be missing but what makes the thing itself.

use serde::{Deserialize, Deserializer};

#[derive(Deserialize)]
pub(super) struct User {
    pub(super) login: String,
}

#[derive(Deserialize)]
pub(super) struct Repository {
    pub(super) id: u64,
    pub(super) full_name: String,
    #[serde(default = "yes")]
    pub(super) has_issues: bool,
    #[serde(default)]
    pub(super) archived: bool,
    #[serde(default)]
    pub(super) disabled: bool,
    pub(super) permissions: Option<Permissions>,
}

impl Repository {
    /// Whether the account may write there, as far as GitHub says.
    pub(super) fn may_push(&self) -> bool {
        self.permissions.as_ref().is_none_or(|may| may.push)
    }
}

#[derive(Deserialize)]
pub(super) struct Permissions {
    #[serde(default)]
    pub(super) push: bool,
}

#[derive(Deserialize)]
pub(super) struct Label {
    pub(super) name: String,
    pub(super) color: Option<String>,
    pub(super) description: Option<String>,
}

#[derive(Deserialize)]
pub(super) struct Milestone {
    pub(super) number: i64,
    #[serde(default, deserialize_with = "or_empty")]
    pub(super) title: String,
}

/// A file of the repository, in a list of them or with what it holds.
#[derive(Deserialize)]
pub(super) struct File {
    pub(super) name: String,
    #[serde(default)]
    pub(super) size: u64,
    pub(super) content: Option<String>,
}

#[derive(Deserialize)]
pub(super) struct Issue {
    pub(super) number: u64,
    #[serde(default, deserialize_with = "or_empty")]
    pub(super) html_url: String,
    #[serde(default, deserialize_with = "or_empty")]
    pub(super) body: String,
    pub(super) created_at: Option<String>,
    pub(super) user: Option<User>,
    pub(super) labels: Option<Vec<Label>>,
    pub(super) milestone: Option<Milestone>,
    pub(super) assignees: Option<Vec<User>>,
    pub(super) title: Option<String>,
    pub(super) state: Option<String>,
    pub(super) pull_request: Option<serde_json::Value>,
}

#[derive(Deserialize)]
pub(super) struct Asset {
    pub(super) url: String,
}

#[derive(Deserialize)]
pub(super) struct Committed {
    pub(super) content: Content,
}

#[derive(Deserialize)]
pub(super) struct Content {
    #[serde(default)]
    pub(super) size: u64,
    pub(super) html_url: String,
}

fn yes() -> bool {
    true
}

fn or_empty<'de, D: Deserializer<'de>>(from: D) -> Result<String, D::Error> {
    Option::<String>::deserialize(from).map(Option::unwrap_or_default)
}
