//! Making the issue, with the tokens of the files that went ahead.

use serde_json::{Value, json};

use super::files::named;
use super::{Redmine, shapes};
use crate::issue::{Attachment, Issue};
use crate::tracker::answer::Answer;
use crate::tracker::http::{Body, Call};
use crate::tracker::preview::{Preview, whole};
use crate::tracker::{CauseKind, Done, Reply, text};

/// Looks go back as far as tokens do, and further: Redmine keeps one for a day.
const TOKENS_LAST_MS: i64 = 3 * 24 * 3_600_000;

/// What leaves, before it does.
pub(in crate::tracker) fn preview(issue: &Issue) -> Preview {
    let mut preview = whole(text::plain(issue), issue);
    let labels = std::mem::take(&mut preview.labels);
    if !labels.is_empty() {
        preview.notes.push(format!("Redmine has no labels, so these are left out: {}.", text::list(&labels)));
    }
    preview
}

impl Redmine {
    pub(super) async fn create(
        &self,
        issue: &Issue,
        uploaded: &[(&Attachment, &str)],
    ) -> Result<Done, Reply> {
        let files: Vec<(&Attachment, String)> =
            uploaded.iter().map(|(attachment, token)| (*attachment, (*token).to_owned())).collect();
        let answer = self.post(issue, &files).await?;
        if answer.head.status != 422 || files.is_empty() {
            return self.made(issue, &answer);
        }
        // Either the issue is there with its files, or their tokens are forgotten, or it is about something else.
        let since_ms = asked_at_ms(&answer) - TOKENS_LAST_MS;
        let seen = self.find_issues(issue.key, since_ms).await.map_err(unsent)?;
        if let Some(receipt) = seen.issues.into_iter().next() {
            return Ok(Done { reference: None, receipt: Some(receipt), login: None, told: told(issue) });
        }
        if !self.any_is_forgotten(&files).await.map_err(unsent)? {
            return self.made(issue, &answer);
        }
        let mut anew = Vec::new();
        for (attachment, _) in files {
            let done = self.upload(attachment).await.map_err(unsent)?;
            anew.push((attachment, done.reference.unwrap_or_default()));
        }
        self.made(issue, &self.post(issue, &anew).await?)
    }

    async fn post(&self, issue: &Issue, files: &[(&Attachment, String)]) -> Result<Answer, Reply> {
        let (subject, text) = text::plain(issue);
        let uploads: Vec<Value> = files.iter().map(named).collect();
        let body = json!({ "issue": {
            "project_id": self.project,
            "subject": subject,
            "description": text,
            "uploads": uploads,
        }});
        self.http.ask(Call::post(self.http.url(&["issues.json"]), Body::Json(body))).await
    }

    fn made(&self, issue: &Issue, answer: &Answer) -> Result<Done, Reply> {
        match answer.success::<shapes::One>(&[201]) {
            Ok(shapes::One { issue: made }) if made.id > 0 => Ok(Done {
                reference: None,
                receipt: Some(self.receipt(made.id)),
                login: None,
                told: told(issue),
            }),
            Ok(_) => {
                let words = format!("{} answered without a number.", answer.host);
                Err(Reply::Doubt(answer.cause(CauseKind::NotTheTracker, words)))
            }
            Err(Reply::Refused(cause)) if answer.head.status == 422 && answer.is_json() => {
                // Of a project that is unknown, private, closed or without issues it says the same.
                let hint = format!(" Check that {} takes issues from this account.", self.project);
                let words = format!("{}{hint}", cause.words);
                Err(Reply::Refused(crate::tracker::Cause { words, ..cause }))
            }
            Err(Reply::Refused(_) | Reply::Doubt(_)) => Err(self.refused(answer)),
            Err(reply) => Err(reply),
        }
    }

    /// Whether Redmine does not know one of these files any more.
    async fn any_is_forgotten(&self, files: &[(&Attachment, String)]) -> Result<bool, Reply> {
        for (_, token) in files {
            let Some((id, _)) = token.split_once('.') else { return Ok(true) };
            let answer = self.http.get(self.http.url(&["attachments", &format!("{id}.json")])).await?;
            match answer.head.status {
                200 if answer.is_json() => {}
                403 | 404 => return Ok(true),
                _ => return Err(answer.sorted()),
            }
        }
        Ok(false)
    }
}

/// When the tracker answered, by its own clock; long ago where it does not say.
fn asked_at_ms(answer: &Answer) -> i64 {
    answer.date().map_or(TOKENS_LAST_MS, |at| at * 1_000)
}

/// Nothing of the create has left, so what else was asked leaves no doubt.
fn unsent(reply: Reply) -> Reply {
    match reply {
        Reply::Doubt(cause) => Reply::NotSent(cause),
        reply => reply,
    }
}

/// Redmine has no labels.
fn told(issue: &Issue) -> Option<String> {
    (!issue.labels.is_empty()).then(|| {
        format!("Filed without its labels, which Redmine does not have: {}.", text::list(&issue.labels))
    })
}
