//! Making the issue.

use serde_json::json;
use url::Url;

use super::{Gitea, shapes};
use crate::issue::Issue;
use crate::tracker::catalogue::MOST;
use crate::tracker::chosen::{choose, lenient};
use crate::tracker::http::{Body, Call};
use crate::tracker::{CauseKind, Done, Reply, text};

/// Labels on a page.
const PAGE: usize = 50;

impl Gitea {
    pub(super) async fn create(&self, issue: &Issue) -> Result<Done, Reply> {
        let (labels, mut lacks) = self.labels(&issue.labels).await?;
        let mut chosen = choose(issue, self.open_milestones(), self.known_people()).await?;
        lacks.append(&mut chosen.lacks);
        let ids: Vec<i64> = labels.iter().map(|label| label.id).collect();
        let (title, text) = text::plain(issue);
        let mut body = json!({ "title": title, "body": text, "labels": ids });
        if let Some(milestone) = &chosen.milestone {
            body["milestone"] = json!(milestone.number);
        }
        if !chosen.assignees.is_empty() {
            body["assignees"] = json!(chosen.logins());
        }
        let answer = self.http.ask(Call::post(self.in_project(&["issues"]), Body::Json(body))).await?;
        let created = match answer.success::<shapes::Issue>(&[201]) {
            Ok(created) => created,
            Err(Reply::Refused(_)) => return Err(self.refused(&answer)),
            Err(reply) => return Err(reply),
        };
        if created.number == 0 || !self.http.is_here(&created.html_url) {
            // Most likely a server that does not know its own address. The look finds the issue by its marker.
            let words = format!("{} answered with a link to somewhere else.", answer.host);
            return Err(Reply::Doubt(answer.cause(CauseKind::NotTheTracker, words)));
        }
        let mut told = Vec::new();
        if !lacks.is_empty() {
            told.push(format!("Filed without {}.", text::list(&lacks)));
        }
        // Who may not set labels is not told so: they are dropped in silence, and what else was chosen with them.
        let is_dropped = |label: &&shapes::Label| {
            created.labels.as_ref().is_some_and(|set| !set.iter().any(|set| set.id == label.id))
        };
        let mut dropped: Vec<String> =
            labels.iter().filter(is_dropped).map(|dropped| label(&dropped.name)).collect();
        let milestone = created.milestone.as_ref().map(|milestone| milestone.title.as_str());
        let assignees: Option<Vec<String>> =
            created.assignees.as_ref().map(|people| people.iter().map(|user| user.login.clone()).collect());
        dropped.extend(chosen.dropped(milestone, assignees.as_deref()));
        if !dropped.is_empty() {
            told.push(format!("This account may not set {}.", text::list(&dropped)));
        }
        Ok(Done {
            reference: None,
            receipt: Some(self.receipt(&created)),
            login: created.user.map(|user| user.login),
            told: (!told.is_empty()).then(|| told.join(" ")),
        })
    }

    /// The labels that exist, and those that do not. A label that is not there is left out: an issue without it
    /// is better than none. While this asks, nothing of the create has left, so nothing here is doubt.
    async fn labels(&self, names: &[String]) -> Result<(Vec<shapes::Label>, Vec<String>), Reply> {
        if names.is_empty() {
            return Ok((Vec::new(), Vec::new()));
        }
        let mut known = self.list_labels(self.in_project(&["labels"])).await?;
        if names.iter().any(|name| find(&known, name).is_none()) {
            // An owner that is no organisation has none, and answers so.
            known.extend(self.list_labels(self.api(&["orgs", &self.owner, "labels"])).await?);
        }
        let (mut found, mut missing) = (Vec::<shapes::Label>::new(), Vec::new());
        for name in names {
            match find(&known, name) {
                Some(label) if found.iter().all(|found| found.id != label.id) => found.push(label.clone()),
                Some(_) => {}
                None => missing.push(label(name)),
            }
        }
        Ok((found, missing))
    }

    /// A scoped token may file issues and not list labels: then the create itself tells.
    async fn list_labels(&self, url: Url) -> Result<Vec<shapes::Label>, Reply> {
        lenient(self.list(url, PAGE, MOST).await)
    }
}

fn label(name: &str) -> String {
    format!("the label “{name}”")
}

fn find<'a>(known: &'a [shapes::Label], name: &str) -> Option<&'a shapes::Label> {
    let exact = known.iter().find(|label| label.name == name);
    let alike = || known.iter().find(|label| label.name.to_lowercase() == name.to_lowercase());
    exact.or_else(alike)
}
