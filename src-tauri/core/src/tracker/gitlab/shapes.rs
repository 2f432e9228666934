//! What GitLab answers, as far as it is used. Everything may be missing but what makes the thing itself.

use serde::{Deserialize, Deserializer};

#[derive(Deserialize)]
pub(super) struct User {
    #[serde(default)]
    pub(super) id: i64,
    pub(super) username: String,
    pub(super) name: Option<String>,
    /// `active`, or why not.
    pub(super) state: Option<String>,
}

#[derive(Deserialize)]
pub(super) struct Token {
    pub(super) scopes: Option<Vec<String>>,
}

#[derive(Deserialize)]
pub(super) struct Project {
    pub(super) path_with_namespace: String,
    #[serde(default)]
    pub(super) archived: bool,
    pub(super) issues_enabled: Option<bool>,
    pub(super) issues_access_level: Option<String>,
}

#[derive(Deserialize)]
pub(super) struct Label {
    pub(super) name: String,
    pub(super) color: Option<String>,
    pub(super) description: Option<String>,
}

#[derive(Deserialize)]
pub(super) struct Milestone {
    pub(super) id: i64,
    #[serde(default, deserialize_with = "or_empty")]
    pub(super) title: String,
}

/// A template in a list of them, or whole.
#[derive(Deserialize)]
pub(super) struct Template {
    pub(super) name: String,
    /// What it is asked for by.
    pub(super) key: Option<String>,
    pub(super) content: Option<String>,
}

#[derive(Deserialize)]
pub(super) struct Uploaded {
    pub(super) url: String,
}

#[derive(Deserialize)]
pub(super) struct Issue {
    pub(super) iid: u64,
    #[serde(default, deserialize_with = "or_empty")]
    pub(super) web_url: String,
    #[serde(default, deserialize_with = "or_empty")]
    pub(super) description: String,
    pub(super) created_at: Option<String>,
    pub(super) author: Option<User>,
    pub(super) labels: Option<Vec<String>>,
    pub(super) milestone: Option<Milestone>,
    pub(super) assignees: Option<Vec<User>>,
    pub(super) title: Option<String>,
    pub(super) state: Option<String>,
}

fn or_empty<'de, D: Deserializer<'de>>(from: D) -> Result<String, D::Error> {
    Option::<String>::deserialize(from).map(Option::unwrap_or_default)
}
