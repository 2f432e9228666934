//! What the practice tracker knows: its project, its issues, the script of faults, and what it was asked.

use std::time::Duration;

use serde::{Deserialize, Serialize};
use serde_json::json;
use tokio::time::Instant;

use crate::dialect::Dialect;
use crate::fault::Fault;

/// The token that is taken, unless another one is set.
pub const TOKEN: &str = "practice-token";

/// The one project, and how it is set up.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Project {
    /// Whoever has this is signed in.
    pub token: String,
    /// As whom.
    pub login: String,
    /// Others who are signed in here: token and login (Gitea).
    pub others: Vec<(String, String)>,
    /// Whose project it is.
    pub owner: String,
    /// Its name.
    pub name: String,
    /// Where the server lies below its host: empty, or such as `/git`.
    pub sub_path: String,
    /// As `GET /version` says it.
    pub version: String,
    /// Whether the token may ask whose it is.
    pub may_read_user: bool,
    /// Whether the account may set labels.
    pub may_push: bool,
    /// Whether issues are switched on.
    pub has_issues: bool,
    /// Whether nothing may change any more.
    pub is_archived: bool,
    /// Labels by id.
    pub labels: Vec<(i64, String)>,
    /// Open milestones by id.
    pub milestones: Vec<(i64, String)>,
    /// Who can be assigned to: id, login and name.
    pub people: Vec<(i64, String, String)>,
    /// Whether a Redmine takes nobody as an assignee, though they are members.
    pub assigns_nobody: bool,
    /// Issue templates.
    pub templates: Vec<Template>,
    /// The most entries on a page.
    pub most_on_page: usize,
    /// Whether lists have `Link` and `X-Total-Count`.
    pub has_paging_headers: bool,
    /// The origin that links name; the server's own address when nothing.
    pub root_url: Option<String>,
    /// What the project was called before, `owner/name`: whoever uses that is told its number.
    pub former: Option<String>,
    /// Whether GitHub's own place takes files from this token.
    pub may_upload: bool,
    /// The branches there are.
    pub branches: Vec<String>,
    /// The largest file, in bytes.
    pub most_bytes: usize,
    /// The kinds of files that are taken; empty for all.
    pub allowed_types: String,
    /// Whether a key that was seen is recognised (webhook).
    pub honours_key: bool,
}

impl Default for Project {
    fn default() -> Self {
        Self {
            token: TOKEN.to_owned(),
            login: "ada".to_owned(),
            others: Vec::new(),
            owner: "ada".to_owned(),
            name: "demo".to_owned(),
            sub_path: String::new(),
            version: "1.22.6".to_owned(),
            may_read_user: true,
            may_push: true,
            has_issues: true,
            is_archived: false,
            labels: vec![(1, "bug".to_owned()), (2, "ui".to_owned())],
            milestones: vec![(3, "2.0".to_owned()), (4, "Later".to_owned())],
            people: [(1, "ada", "Ada Lovelace"), (2, "grace", "Grace Hopper")]
                .map(|(id, login, name)| (id, login.to_owned(), name.to_owned()))
                .into(),
            assigns_nobody: false,
            templates: vec![Template::bug(), Template::wish()],
            most_on_page: 50,
            has_paging_headers: true,
            root_url: None,
            former: None,
            may_upload: true,
            branches: vec!["main".to_owned()],
            most_bytes: 2048 * 1024 * 1024,
            allowed_types: String::new(),
            honours_key: false,
        }
    }
}

/// An issue template, as a file of the project, and as a tracker that reads it tells it.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Template {
    /// Its file's name.
    pub file: String,
    /// What the file holds.
    pub text: String,
    /// As Gitea tells it.
    pub told: serde_json::Value,
}

impl Template {
    fn bug() -> Self {
        let body = "**What happened**\n\n**What should have happened**";
        Self {
            file: "bug.md".to_owned(),
            text: format!(
                "---\nname: Bug report\nabout: Something does not work\ntitle: \"[bug] \"\nlabels: bug\nassignees: ada\n---\n\n{body}\n"
            ),
            told: json!({
                "name": "Bug report", "about": "Something does not work", "title": "[bug] ", "labels": ["bug"],
                "assignees": ["ada"], "ref": "", "content": format!("\n{body}\n"), "body": null,
                "file_name": ".gitea/issue_template/bug.md",
            }),
        }
    }

    fn wish() -> Self {
        Self {
            file: "wish.yml".to_owned(),
            text: "name: Wish\ndescription: Something is missing\nbody:\n- type: textarea\n  id: what\n  attributes:\n    \
                   label: What is missing\n    placeholder: A button\n  validations:\n    required: true\n"
                .to_owned(),
            told: json!({
                "name": "Wish", "about": "Something is missing", "title": "", "labels": null, "assignees": null, "ref": "",
                "content": "", "file_name": ".gitea/issue_template/wish.yml",
                "body": [{ "type": "textarea", "id": "what", "validations": { "required": true },
                    "attributes": { "label": "What is missing", "placeholder": "A button" } }],
            }),
        }
    }
}

/// One issue.
#[derive(Debug, Clone)]
pub struct Issue {
    /// Its number.
    pub number: u64,
    /// Its title.
    pub title: String,
    /// Its body.
    pub body: String,
    /// Ids of its labels.
    pub labels: Vec<i64>,
    /// Id of its milestone.
    pub milestone: Option<i64>,
    /// Ids of those it is assigned to.
    pub assignees: Vec<i64>,
    /// Who made it.
    pub login: String,
    /// When, in wall milliseconds.
    pub created_ms: i64,
    /// When it last changed.
    pub updated_ms: i64,
    /// `open` or `closed`.
    pub is_closed: bool,
    /// What is attached.
    pub assets: Vec<Asset>,
    /// From when on lists show it.
    pub listed_from: Instant,
}

/// One attachment.
#[derive(Debug, Clone)]
pub struct Asset {
    /// Its number.
    pub id: i64,
    /// Names it for ever.
    pub uuid: String,
    /// As it was sent.
    pub name: String,
    /// As the part said.
    pub media_type: String,
    /// The file.
    pub bytes: Vec<u8>,
    /// From when on lists show it.
    pub listed_from: Instant,
}

/// A file that went ahead of its issue.
#[derive(Debug, Clone)]
pub struct Stored {
    /// Its number.
    pub id: i64,
    /// What names it: a token, an address or a path.
    pub reference: String,
    /// As it was sent.
    pub name: String,
    /// The file.
    pub bytes: Vec<u8>,
    /// Whether an issue has used it up.
    pub is_used: bool,
}

/// One request that was asked, as far as it was read.
#[derive(Debug, Clone, Serialize)]
pub struct Logged {
    /// `GET`, `POST`, `PATCH`.
    pub method: String,
    /// Path and query.
    pub target: String,
    /// Names in lower case; the token's value is not among them.
    pub headers: Vec<(String, String)>,
    /// Whether the token was right.
    pub is_signed_in: bool,
    /// Of the body, as far as it was read.
    pub body_bytes: usize,
    /// The body, where it is JSON.
    #[serde(skip)]
    pub json: Option<serde_json::Value>,
    /// What was answered; nothing where the connection was cut.
    pub status: Option<u16>,
    /// Whether the client was seen to go before it had an answer.
    pub client_went: bool,
}

#[derive(Debug, Default)]
pub(crate) struct State {
    pub(crate) project: Project,
    pub(crate) issues: Vec<Issue>,
    pub(crate) faults: Vec<Fault>,
    pub(crate) log: Vec<Logged>,
    pub(crate) last_asset: i64,
    pub(crate) dialect: Dialect,
    pub(crate) files: Vec<Stored>,
    /// Keys that a webhook has seen.
    pub(crate) keys: Vec<(String, u64)>,
}

impl Project {
    /// The title of a milestone.
    pub(crate) fn milestone(&self, id: i64) -> Option<&str> {
        self.milestones.iter().find(|(known, _)| *known == id).map(|(_, title)| title.as_str())
    }

    /// The id of somebody by login.
    pub(crate) fn person(&self, login: &str) -> Option<i64> {
        self.people.iter().find(|(_, known, _)| known.eq_ignore_ascii_case(login)).map(|(id, _, _)| *id)
    }

    /// Those an issue is assigned to: id, login, name.
    pub(crate) fn assigned(&self, issue: &Issue) -> impl Iterator<Item = &(i64, String, String)> {
        issue.assignees.iter().filter_map(|id| self.people.iter().find(|(known, _, _)| known == id))
    }
}

impl State {
    pub(crate) fn issue(&self, number: u64) -> Option<&Issue> {
        self.issues.iter().find(|issue| issue.number == number)
    }

    pub(crate) fn issue_mut(&mut self, number: u64) -> Option<&mut Issue> {
        self.issues.iter_mut().find(|issue| issue.number == number)
    }

    /// Gives an issue another text.
    pub(crate) fn edit(&mut self, number: u64, text: Option<&str>) -> Option<Issue> {
        let issue = self.issue_mut(number)?;
        if let Some(text) = text {
            text.clone_into(&mut issue.body);
        }
        issue.updated_ms = now_ms();
        Some(issue.clone())
    }

    pub(crate) fn add_issue(&mut self, title: &str, body: &str, labels: Vec<i64>, lag: Duration) -> Issue {
        let now = now_ms();
        let issue = Issue {
            number: self.issues.iter().map(|issue| issue.number).max().unwrap_or(0) + 1,
            // The server cuts, it does not refuse.
            title: title.chars().take(255).collect(),
            body: body.to_owned(),
            labels,
            milestone: None,
            assignees: Vec::new(),
            login: self.project.login.clone(),
            created_ms: now,
            updated_ms: now,
            is_closed: false,
            assets: Vec::new(),
            listed_from: Instant::now() + lag,
        };
        self.issues.push(issue.clone());
        issue
    }

    /// Says of an issue which milestone it is in and whom it is assigned to.
    pub(crate) fn choose(
        &mut self,
        number: u64,
        milestone: Option<i64>,
        assignees: Vec<i64>,
    ) -> Option<Issue> {
        let issue = self.issue_mut(number)?;
        (issue.milestone, issue.assignees) = (milestone, assignees);
        Some(issue.clone())
    }

    pub(crate) fn store(
        &mut self,
        name: &str,
        bytes: &[u8],
        reference: impl FnOnce(i64) -> String,
    ) -> Stored {
        self.last_asset += 1;
        let id = self.last_asset;
        let (name, bytes) = (name.to_owned(), bytes.to_vec());
        let stored = Stored { id, reference: reference(id), name, bytes, is_used: false };
        self.files.push(stored.clone());
        stored
    }

    pub(crate) fn add_asset(
        &mut self,
        number: u64,
        name: &str,
        media_type: &str,
        bytes: Vec<u8>,
        lag: Duration,
    ) -> Option<Asset> {
        self.last_asset += 1;
        let asset = Asset {
            id: self.last_asset,
            uuid: uuid::Uuid::new_v4().to_string(),
            name: name.to_owned(),
            media_type: media_type.to_owned(),
            bytes,
            listed_from: Instant::now() + lag,
        };
        let issue = self.issue_mut(number)?;
        issue.assets.push(asset.clone());
        issue.updated_ms = now_ms();
        Some(asset)
    }
}

pub(crate) fn now_ms() -> i64 {
    jiff::Timestamp::now().as_millisecond()
}

/// As the API writes a time.
pub(crate) fn written(ms: i64) -> String {
    jiff::Timestamp::from_millisecond(ms).map(|at| at.to_string()).unwrap_or_default()
}
