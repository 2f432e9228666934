//! Making the issue.

use std::time::Duration;

use serde_json::json;

use super::pictures::Place;
use super::{GitHub, shapes};
use crate::issue::{Attachment, Issue};
use crate::tracker::chosen::choose;
use crate::tracker::http::{Body, Call};
use crate::tracker::label::{Found, match_up, missing};
use crate::tracker::text::{Fitted, markdown};
use crate::tracker::{CauseKind, Done, Reply, pace, text};

/// The longest text that GitHub takes, in characters.
const LONGEST_BODY: usize = 65_536;
/// Between two creations, as GitHub asks.
const BETWEEN: Duration = Duration::from_secs(1);
const LABELS: usize = 100;
const MOST_PAGES: usize = 20;

/// Room for the link to the whole of a text that is cut.
const ROOM: usize = 600;

/// The body, cut where that has to be, whatever the addresses of the files are.
pub(super) fn fit(issue: &Issue, text: &str, added: &[String]) -> Fitted {
    let room = ROOM + issue.attachments.iter().map(text::room).sum::<usize>();
    text::fit(text, &added.join("\n\n"), room, issue.key, LONGEST_BODY)
}

/// The link to the whole of a text that is cut.
pub(super) fn whole_text(url: &str) -> String {
    format!("[The whole text]({url})")
}

impl GitHub {
    pub(super) async fn create(
        &self,
        issue: &Issue,
        uploaded: &[(&Attachment, &str)],
    ) -> Result<Done, Reply> {
        let labels = self.labels(&issue.labels).await?;
        let mut chosen = choose(issue, self.open_milestones(), self.known_people(&issue.assignees)).await?;
        let show = |(attachment, url): &(&Attachment, &str)| markdown(attachment, url);
        let (mut added, mut lacks): (Vec<String>, _) = (uploaded.iter().map(show).collect(), Vec::new());
        let (title, text) = text::title(&issue.title, &issue.body);
        let mut told = Vec::new();
        let mut fitted = fit(issue, &text, &added);
        if !fitted.is_whole {
            match self.whole_text(issue, &text).await? {
                Some(url) => {
                    added.insert(0, whole_text(&url));
                    fitted = fit(issue, &text, &added);
                    told.push(
                        "Its text is longer than GitHub takes: the whole of it is on the branch.".to_owned(),
                    );
                }
                None => {
                    lacks.push("the end of its text (it is longer than GitHub takes)".to_owned());
                    told.push("The whole of it is kept here: save the issue as files.".to_owned());
                }
            }
        }
        let mut body = json!({ "title": title, "body": fitted.body, "labels": labels.names });
        if let Some(milestone) = &chosen.milestone {
            body["milestone"] = json!(milestone.number);
        }
        if !chosen.assignees.is_empty() {
            body["assignees"] = json!(chosen.logins());
        }
        pace::turn(self.http.base().authority(), &self.attachments, BETWEEN).await;
        let answer = self.ask(&["issues"], |url| Call::post(url, Body::Json(body.clone()))).await?;
        let created: shapes::Issue = self.read(&answer, &[201])?;
        let Some(receipt) = self.receipt(&created) else {
            let words = format!("{} answered with a link to somewhere else.", answer.host);
            return Err(Reply::Doubt(answer.cause(CauseKind::NotTheTracker, words)));
        };
        let set =
            created.labels.map(|labels| labels.into_iter().map(|label| label.name).collect::<Vec<String>>());
        lacks.extend(missing(&labels, set.as_deref()));
        lacks.append(&mut chosen.lacks);
        let milestone = created.milestone.as_ref().map(|milestone| milestone.title.as_str());
        let assignees: Option<Vec<String>> =
            created.assignees.map(|people| people.into_iter().map(|user| user.login).collect());
        lacks.extend(chosen.dropped(milestone, assignees.as_deref()));
        if !lacks.is_empty() {
            told.insert(0, format!("Filed without {}.", text::list(&lacks)));
        }
        Ok(Done {
            reference: None,
            receipt: Some(receipt),
            login: created.user.map(|user| user.login),
            told: (!told.is_empty()).then(|| told.join(" ")),
        })
    }

    /// Commits a text that is too long for an issue, where there is a branch for it; nothing of the create has left.
    async fn whole_text(&self, issue: &Issue, text: &str) -> Result<Option<String>, Reply> {
        let Some(branch) = &self.branch else { return Ok(None) };
        match self.to_branch(branch, issue.key, "whole-text.md", text.as_bytes()).await {
            Ok(Place::At(url)) => Ok(Some(url)),
            Ok(Place::Nowhere(_)) => Ok(None),
            Err(Reply::Doubt(cause)) => Err(Reply::NotSent(cause)),
            Err(reply) => Err(reply),
        }
    }

    /// The labels that the repository has. Left to itself GitHub would make the others, or drop them in silence.
    async fn labels(&self, names: &[String]) -> Result<Found, Reply> {
        let mut known = Vec::new();
        for page in 1..=MOST_PAGES {
            if names.is_empty() {
                break;
            }
            let paged = |mut url: url::Url| {
                url.query_pairs_mut()
                    .append_pair("per_page", &LABELS.to_string())
                    .append_pair("page", &page.to_string());
                Call::get(url)
            };
            let read = match self.ask(&["labels"], paged).await {
                Ok(answer) => self.read::<Vec<shapes::Label>>(&answer, &[200]),
                Err(reply) => Err(reply),
            };
            match read {
                Ok(labels) => {
                    let shown = labels.len();
                    known.extend(labels.into_iter().map(|label| label.name));
                    if shown < LABELS {
                        break;
                    }
                }
                Err(Reply::Doubt(cause)) => return Err(Reply::NotSent(cause)),
                Err(Reply::Refused(cause))
                    if !matches!(cause.kind, CauseKind::Redirect | CauseKind::Setup) =>
                {
                    break;
                }
                Err(reply) => return Err(reply),
            }
        }
        Ok(match_up(names, &known))
    }
}
