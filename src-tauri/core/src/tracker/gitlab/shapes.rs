//! What GitLab answers, as far as it is used. Everything may be missing but what makes the thing itself.

use serde::{Deserialize, Deserializer};

#[derive(Deserialize)]
pub(super) struct User {
    pub(super) username: String,
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
}

fn or_empty<'de, D: Deserializer<'de>>(from: D) -> Result<String, D::Error> {
    Option::<String>::deserialize(from).map(Option::unwrap_or_default)
}
