//! Whom the practice tracker answers like. The wire, the log and the faults are the same for all.

use std::time::Duration;

use serde_json::{Value, json};
use tokio::time::Instant;

use crate::fault::Route;
use crate::state::{Issue, Project, State};
use crate::wire::{Answer, Head};
use crate::{gitea, github, gitlab, redmine, webhook};

/// A tracker's shape of requests and answers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Dialect {
    /// Gitea and Forgejo.
    #[default]
    Gitea,
    /// GitHub Enterprise: the API is below the pages, as on github.com it is beside them.
    GitHub,
    /// GitLab.
    GitLab,
    /// Redmine.
    Redmine,
    /// A receiver of a webhook.
    Webhook,
}

impl Dialect {
    /// Reads the word by which a tracker is called.
    pub fn from_word(word: &str) -> Option<Self> {
        match word {
            "gitea" | "forgejo" => Some(Self::Gitea),
            "github" => Some(Self::GitHub),
            "gitlab" => Some(Self::GitLab),
            "redmine" => Some(Self::Redmine),
            "webhook" => Some(Self::Webhook),
            _ => None,
        }
    }

    pub(crate) fn route(self, project: &Project, head: &Head) -> Route {
        match self {
            Self::Gitea => gitea::route(project, head),
            Self::GitHub => github::route(project, head),
            Self::GitLab => gitlab::route(project, head),
            Self::Redmine => redmine::route(project, head),
            Self::Webhook => webhook::route(head),
        }
    }

    pub(crate) fn act(self, state: &mut State, head: &Head, body: &[u8], lag: Duration) -> Answer {
        match self {
            Self::Gitea => gitea::act(state, head, body, lag),
            Self::GitHub => github::act(state, head, body, lag),
            Self::GitLab => gitlab::act(state, head, body, lag),
            Self::Redmine => redmine::act(state, head, body, lag),
            Self::Webhook => webhook::act(state, head, body, lag),
        }
    }

    /// Whether the request carries the token, in a header that this tracker reads.
    pub(crate) fn is_signed_in(self, project: &Project, head: &Head) -> bool {
        let token = project.token.as_str();
        let is_bearer =
            || head.header("authorization").and_then(|given| given.strip_prefix("Bearer ")) == Some(token);
        match self {
            Self::Gitea => gitea::is_signed_in(project, head),
            Self::Redmine => head.header("x-redmine-api-key") == Some(token),
            Self::GitHub | Self::GitLab | Self::Webhook => is_bearer(),
        }
    }

    /// A refusal in the tracker's shape.
    pub(crate) fn told(self, status: u16, message: &str) -> Answer {
        match self {
            Self::Gitea => gitea::told(status, message),
            // An empty body and no type, whatever was asked.
            Self::Redmine if matches!(status, 401 | 403 | 404) && message.is_empty() => bare(status),
            Self::Redmine if status == 401 => bare(status),
            Self::Redmine => Answer::json(status, &json!({ "errors": [message] })),
            Self::GitHub | Self::GitLab | Self::Webhook => {
                Answer::json(status, &json!({ "message": message }))
            }
        }
    }
}

/// An answer without a body.
pub(crate) fn bare(status: u16) -> Answer {
    Answer { status, headers: Vec::new(), body: Vec::new() }
}

/// The parts of a path below the sub-path.
pub(crate) fn parts(project: &Project, head: &Head) -> Option<Vec<String>> {
    let below = head.path().strip_prefix(project.sub_path.as_str())?;
    let decode = |part: &str| {
        url::form_urlencoded::parse(part.replace('+', "%2B").as_bytes())
            .next()
            .map(|(name, _)| name.into_owned())
            .unwrap_or_default()
    };
    Some(below.split('/').skip(1).map(decode).collect())
}

/// The address that links begin with.
pub(crate) fn root(project: &Project, head: &Head) -> String {
    let own = || format!("http://{}{}", head.header("host").unwrap_or_default(), project.sub_path);
    project.root_url.clone().unwrap_or_else(own)
}

/// Issues as a list shows them now, newest first.
pub(crate) fn listed(state: &State, is_in: impl Fn(&Issue) -> bool) -> Vec<&Issue> {
    let now = Instant::now();
    let mut found: Vec<&Issue> =
        state.issues.iter().filter(|issue| issue.listed_from <= now && is_in(issue)).collect();
    found.sort_by_key(|issue| std::cmp::Reverse((issue.created_ms, issue.number)));
    found
}

/// One page of a list by `page` and `per_page`, with `Link` unless there is but one.
pub(crate) fn paged(project: &Project, head: &Head, all: Vec<Value>) -> Answer {
    let number = |name: &str| head.query(name).and_then(|text| text.parse::<usize>().ok());
    let limit = number("per_page").unwrap_or(30).clamp(1, project.most_on_page);
    let page = number("page").unwrap_or(1).max(1);
    let last = all.len().div_ceil(limit).max(1);
    let shown: Vec<Value> = all.into_iter().skip((page - 1) * limit).take(limit).collect();
    let answer = Answer::json(200, &Value::Array(shown));
    let link =
        |page: usize, rel: &str| format!("<{}?page={page}&per_page={limit}>; rel=\"{rel}\"", head.path());
    match page {
        _ if last == 1 => answer,
        page if page < last => {
            answer.with("Link", format!("{}, {}", link(page + 1, "next"), link(last, "last")))
        }
        page => answer.with("Link", link(page.saturating_sub(1).max(1), "prev")),
    }
}
