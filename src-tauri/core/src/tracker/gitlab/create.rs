//! Making the issue.

use serde_json::json;

use super::{GitLab, quick, shapes, unsent};
use crate::issue::{Attachment, Issue};
use crate::tracker::chosen::choose;
use crate::tracker::http::{Body, Call};
use crate::tracker::label::{Found, match_up, missing};
use crate::tracker::preview::{LATER, Preview, whole};
use crate::tracker::text::{Fitted, markdown};
use crate::tracker::{CauseKind, Done, Reply, text};

/// The longest text that GitLab takes, in characters.
const LONGEST_BODY: usize = 1024 * 1024;
const LABELS: usize = 100;
const MOST_PAGES: usize = 20;
/// Room for the link to the whole of a text that is cut.
const ROOM: usize = 600;

/// Title and text, of which GitLab carries nothing out.
fn words(issue: &Issue) -> (String, String) {
    let (title, text) = text::title(&issue.title, &issue.body);
    (title, quick::escape(&text))
}

/// The body, cut where that has to be, whatever the addresses of the files are.
fn fit(issue: &Issue, text: &str, added: &[String]) -> Fitted {
    let room = ROOM + issue.attachments.iter().map(text::room).sum::<usize>();
    text::fit(text, &added.join("\n\n"), room, issue.key, LONGEST_BODY)
}

fn whole_text(url: &str) -> String {
    format!("[The whole text]({url})")
}

/// What leaves, before it does.
pub(in crate::tracker) fn preview(issue: &Issue) -> Preview {
    let (title, text) = words(issue);
    let mut added: Vec<String> =
        issue.attachments.iter().map(|attachment| markdown(attachment, LATER)).collect();
    let mut fitted = fit(issue, &text, &added);
    let is_cut = !fitted.is_whole;
    if is_cut {
        added.insert(0, whole_text(LATER));
        fitted = fit(issue, &text, &added);
    }
    let mut preview = whole((title, fitted.body), issue);
    for (file, attachment) in preview.files.iter_mut().zip(&issue.attachments) {
        file.name = text::ascii(&attachment.name);
    }
    if is_cut {
        preview.notes.push(
            "The text is longer than GitLab takes, so it is cut, and the whole of it goes along as a file."
                .to_owned(),
        );
    }
    preview
}

impl GitLab {
    pub(super) async fn create(
        &self,
        issue: &Issue,
        uploaded: &[(&Attachment, &str)],
    ) -> Result<Done, Reply> {
        let labels = self.labels(&issue.labels).await?;
        let mut chosen = choose(issue, self.open_milestones(), self.known_people(&issue.assignees)).await?;
        let (title, text) = words(issue);
        let mut added: Vec<String> =
            uploaded.iter().map(|(attachment, url)| markdown(attachment, url)).collect();
        let mut fitted = fit(issue, &text, &added);
        let is_cut = !fitted.is_whole;
        if is_cut {
            let url =
                self.upload_bytes("whole-text.md", "text/markdown", text.as_bytes()).await.map_err(unsent)?;
            added.insert(0, whole_text(&url));
            fitted = fit(issue, &text, &added);
        }
        let mut body =
            json!({ "title": title, "description": fitted.body, "labels": labels.names.join(",") });
        if let Some(milestone) = &chosen.milestone {
            body["milestone_id"] = json!(milestone.number);
        }
        if !chosen.assignees.is_empty() {
            let ids: Vec<i64> = chosen.assignees.iter().map(|person| person.number).collect();
            body["assignee_ids"] = json!(ids);
        }
        let answer = self.ask(&["issues"], |url| Call::post(url, Body::Json(body.clone()))).await?;
        let created: shapes::Issue = self.read(&answer, &[201])?;
        let Some(receipt) = self.receipt(&created) else {
            // Most likely a server that does not know its own address. The look finds the issue by its marker.
            let words = format!("{} answered with a link to somewhere else.", answer.host);
            return Err(Reply::Doubt(answer.cause(CauseKind::NotTheTracker, words)));
        };
        let mut lacks = missing(&labels, created.labels.as_deref());
        lacks.append(&mut chosen.lacks);
        // Some editions take one assignee, and drop the others in silence.
        let milestone = created.milestone.as_ref().map(|milestone| milestone.title.as_str());
        let assignees: Option<Vec<String>> =
            created.assignees.map(|people| people.into_iter().map(|user| user.username).collect());
        lacks.extend(chosen.dropped(milestone, assignees.as_deref()));
        let mut told = Vec::new();
        if !lacks.is_empty() {
            told.push(format!("Filed without {}.", text::list(&lacks)));
        }
        if is_cut {
            told.push("Its text is longer than GitLab takes: the whole of it is attached.".to_owned());
        }
        Ok(Done {
            reference: None,
            receipt: Some(receipt),
            login: created.author.map(|author| author.username),
            told: (!told.is_empty()).then(|| told.join(" ")),
        })
    }

    /// The labels that the project has, its groups' included. Left to itself GitLab would make the others.
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
            let answer = self.ask(&["labels"], paged).await.map_err(unsent)?;
            match self.read::<Vec<shapes::Label>>(&answer, &[200]).map_err(unsent) {
                Ok(labels) => {
                    let shown = labels.len();
                    known.extend(labels.into_iter().map(|label| label.name));
                    if answer.ends(shown, LABELS, known.len()) {
                        break;
                    }
                }
                Err(Reply::Refused(cause)) if cause.kind == CauseKind::Refused => break,
                Err(reply) => return Err(reply),
            }
        }
        Ok(match_up(names, &known))
    }
}
