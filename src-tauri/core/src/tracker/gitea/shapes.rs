//! What Gitea and Forgejo answer, as far as it is used. Everything may be missing but what makes the thing itself.

use serde::{Deserialize, Deserializer};

#[derive(Deserialize)]
pub(super) struct Version {
    pub(super) version: String,
}

#[derive(Deserialize)]
pub(super) struct User {
    pub(super) login: String,
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

fn or_empty<'de, D: Deserializer<'de>>(from: D) -> Result<String, D::Error> {
    Option::<String>::deserialize(from).map(Option::unwrap_or_default)
}
