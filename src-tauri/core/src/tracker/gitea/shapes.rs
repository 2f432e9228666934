//! What Gitea and Forgejo answer, as far as it is used. Everything may be missing but what makes the thing itself.

use serde::{Deserialize, Deserializer};

#[derive(Deserialize)]
pub(super) struct Version {
    pub(super) version: String,
}

#[derive(Deserialize)]
pub(super) struct User {
    #[serde(default)]
    pub(super) id: i64,
    pub(super) login: String,
    pub(super) full_name: Option<String>,
}

#[derive(Deserialize)]
pub(super) struct Repository {
    pub(super) full_name: String,
    #[serde(default = "yes")]
    pub(super) has_issues: bool,
    #[serde(default)]
    pub(super) archived: bool,
    pub(super) permissions: Option<Permissions>,
}

#[derive(Deserialize)]
pub(super) struct Permissions {
    #[serde(default = "yes")]
    pub(super) pull: bool,
    #[serde(default = "yes")]
    pub(super) push: bool,
}

/// What the server takes as an attachment.
#[derive(Deserialize)]
pub(super) struct Limits {
    #[serde(default = "yes")]
    pub(super) enabled: bool,
    /// Endings and types, such as `.png,image/*`; empty for all.
    #[serde(default, deserialize_with = "or_empty")]
    pub(super) allowed_types: String,
    /// In MB.
    pub(super) max_size: Option<u64>,
}

#[derive(Clone, Deserialize)]
pub(super) struct Label {
    pub(super) id: i64,
    pub(super) name: String,
    pub(super) color: Option<String>,
    pub(super) description: Option<String>,
    /// Kept for old issues, and not to be set on new ones.
    #[serde(default)]
    pub(super) is_archived: bool,
}

#[derive(Deserialize)]
pub(super) struct Milestone {
    pub(super) id: i64,
    #[serde(default, deserialize_with = "or_empty")]
    pub(super) title: String,
}

#[derive(Deserialize)]
pub(super) struct Template {
    #[serde(default, deserialize_with = "or_empty")]
    pub(super) file_name: String,
    /// Of Markdown: the text below the head.
    #[serde(default, deserialize_with = "or_empty")]
    pub(super) content: String,
    /// Of a form: its fields.
    pub(super) body: Option<Vec<serde_json::Value>>,
    /// What both say of themselves.
    #[serde(flatten)]
    pub(super) head: serde_json::Value,
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
    /// Nothing where an answer leaves them out; none is null.
    #[serde(default, deserialize_with = "told")]
    pub(super) assignees: Option<Vec<User>>,
    pub(super) title: Option<String>,
    pub(super) state: Option<String>,
    pub(super) pull_request: Option<serde_json::Value>,
}

#[derive(Deserialize)]
pub(super) struct Asset {
    pub(super) id: i64,
    pub(super) uuid: String,
    #[serde(default, deserialize_with = "or_empty")]
    pub(super) name: String,
    #[serde(default)]
    pub(super) size: u64,
    #[serde(default, deserialize_with = "or_empty")]
    pub(super) browser_download_url: String,
}

fn yes() -> bool {
    true
}

/// A list that is there: null is an empty one.
fn told<'de, D: Deserializer<'de>>(from: D) -> Result<Option<Vec<User>>, D::Error> {
    Option::<Vec<User>>::deserialize(from).map(|list| Some(list.unwrap_or_default()))
}

fn or_empty<'de, D: Deserializer<'de>>(from: D) -> Result<String, D::Error> {
    Option::<String>::deserialize(from).map(Option::unwrap_or_default)
}
