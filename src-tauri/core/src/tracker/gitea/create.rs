//! Making the issue.

use serde_json::json;
use url::Url;

use super::{Gitea, shapes};
use crate::issue::Issue;
use crate::tracker::answer::Answer;
use crate::tracker::http::{Body, Call};
use crate::tracker::{CauseKind, Done, Reply, text};

const PAGE: usize = 50;
const MOST_PAGES: usize = 20;

impl Gitea {
    pub(super) async fn create(&self, issue: &Issue) -> Result<Done, Reply> {
        let (labels, missing) = self.labels(&issue.labels).await?;
        let ids: Vec<i64> = labels.iter().map(|label| label.id).collect();
        let (title, text) = text::plain(issue);
        let body = json!({ "title": title, "body": text, "labels": ids });
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
        if !missing.is_empty() {
            told.push(format!(
                "Filed without what {} does not have: {}.",
                self.project(),
                missing.join(", ")
            ));
        }
        // Who may not set labels is not told so: they are dropped in silence.
        if let Some(set) = &created.labels {
            let is_dropped = |label: &&shapes::Label| !set.iter().any(|set| set.id == label.id);
            let names: Vec<String> =
                labels.iter().filter(is_dropped).map(|label| format!("“{}”", label.name)).collect();
            if !names.is_empty() {
                told.push(format!("This account may not set labels, so {} is not set.", text::list(&names)));
            }
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
                None => missing.push(format!("the label “{name}”")),
            }
        }
        Ok((found, missing))
    }

    async fn list_labels(&self, url: Url) -> Result<Vec<shapes::Label>, Reply> {
        let mut all = Vec::new();
        for page in 1..=MOST_PAGES {
            let mut url = url.clone();
            url.query_pairs_mut()
                .append_pair("page", &page.to_string())
                .append_pair("limit", &PAGE.to_string());
            let read = match self.get(url).await {
                Ok(answer) => read_labels(&answer).map(|labels| (labels, answer)),
                Err(reply) => Err(reply),
            };
            match read {
                Ok((labels, answer)) => {
                    let shown = labels.len();
                    all.extend(labels);
                    if answer.ends(shown, PAGE, all.len()) {
                        break;
                    }
                }
                Err(Reply::Doubt(cause)) => return Err(Reply::NotSent(cause)),
                Err(Reply::Refused(cause)) if cause.kind != CauseKind::Redirect => {
                    tracing::info!(detail = cause.detail, "labels cannot be listed, and are left out");
                    break;
                }
                // A scoped token may file issues and not list labels: then the create itself tells.
                Err(Reply::SignIn(cause)) if cause.detail.contains("answered 403") => break,
                Err(reply) => return Err(reply),
            }
        }
        Ok(all)
    }
}

fn read_labels(answer: &Answer) -> Result<Vec<shapes::Label>, Reply> {
    answer.success(&[200])
}

fn find<'a>(known: &'a [shapes::Label], name: &str) -> Option<&'a shapes::Label> {
    let exact = known.iter().find(|label| label.name == name);
    let alike = || known.iter().find(|label| label.name.to_lowercase() == name.to_lowercase());
    exact.or_else(alike)
}
