//! What Redmine answers, as far as it is used. Everything may be missing but what makes the thing itself.

use serde::{Deserialize, Deserializer};

#[derive(Deserialize)]
pub(super) struct Current {
    pub(super) user: User,
}

#[derive(Deserialize)]
pub(super) struct User {
    pub(super) login: String,
}

#[derive(Deserialize)]
pub(super) struct Found {
    pub(super) project: Project,
}

#[derive(Deserialize)]
pub(super) struct Project {
    pub(super) name: String,
    /// 1 is active, 5 closed, 9 archived.
    #[serde(default = "active")]
    pub(super) status: u8,
    /// Told since 2.6.
    pub(super) enabled_modules: Option<Vec<Module>>,
}

#[derive(Deserialize)]
pub(super) struct Module {
    pub(super) name: String,
}

#[derive(Deserialize)]
pub(super) struct Uploaded {
    pub(super) upload: Upload,
}

#[derive(Deserialize)]
pub(super) struct Upload {
    pub(super) token: String,
}

#[derive(Deserialize)]
pub(super) struct One {
    pub(super) issue: Issue,
}

#[derive(Deserialize)]
pub(super) struct Page {
    pub(super) issues: Vec<Issue>,
    pub(super) total_count: usize,
}

#[derive(Deserialize)]
pub(super) struct Versions {
    pub(super) versions: Vec<Version>,
}

#[derive(Deserialize)]
pub(super) struct Version {
    pub(super) id: i64,
    #[serde(default, deserialize_with = "or_empty")]
    pub(super) name: String,
    /// `open`, `locked` or `closed`.
    pub(super) status: Option<String>,
}

#[derive(Deserialize)]
pub(super) struct Memberships {
    pub(super) memberships: Vec<Membership>,
    pub(super) total_count: usize,
}

/// Of a person, or of a group.
#[derive(Deserialize)]
pub(super) struct Membership {
    pub(super) user: Option<Named>,
}

#[derive(Deserialize)]
pub(super) struct Projects {
    pub(super) projects: Vec<Listed>,
    pub(super) total_count: usize,
}

#[derive(Deserialize)]
pub(super) struct Listed {
    pub(super) identifier: String,
    pub(super) name: Option<String>,
    #[serde(default = "active")]
    pub(super) status: u8,
}

/// Something with a number and a name.
#[derive(Deserialize)]
pub(super) struct Named {
    pub(super) id: i64,
    #[serde(default, deserialize_with = "or_empty")]
    pub(super) name: String,
}

/// A state of issues; whether it is one of those that end them is told since 5.0.
#[derive(Deserialize)]
pub(super) struct Status {
    pub(super) is_closed: Option<bool>,
}

#[derive(Deserialize)]
pub(super) struct Issue {
    pub(super) id: u64,
    pub(super) subject: Option<String>,
    pub(super) status: Option<Status>,
    pub(super) closed_on: Option<String>,
    pub(super) fixed_version: Option<Named>,
    pub(super) assigned_to: Option<Named>,
    #[serde(default, deserialize_with = "or_empty")]
    pub(super) description: String,
    pub(super) created_on: Option<String>,
    /// Where they were asked for.
    #[serde(default)]
    pub(super) attachments: Vec<File>,
}

#[derive(Deserialize)]
pub(super) struct File {
    #[serde(default)]
    pub(super) filename: String,
    #[serde(default)]
    pub(super) filesize: u64,
}

fn active() -> u8 {
    1
}

fn or_empty<'de, D: Deserializer<'de>>(from: D) -> Result<String, D::Error> {
    Option::<String>::deserialize(from).map(Option::unwrap_or_default)
}
