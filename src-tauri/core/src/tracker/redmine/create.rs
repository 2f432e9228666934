//! Making the issue, with the tokens of the files that went ahead.

use serde_json::{Value, json};

use super::files::named;
use super::{Redmine, shapes};
use crate::issue::{Attachment, Issue};
use crate::tracker::answer::Answer;
use crate::tracker::chosen::{Chosen, choose};
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
        let mut files: Vec<(&Attachment, String)> =
            uploaded.iter().map(|(attachment, token)| (*attachment, (*token).to_owned())).collect();
        let mut asked = Asked { issue, chosen: choose(issue, self.open_versions(), self.members()).await? };
        asked.take_one();
        let mut answer = self.post(&asked, &files).await?;
        if answer.head.status == 422 && !files.is_empty() {
            // Either the issue is there with its files, or their tokens are forgotten, or it is about something else.
            let since_ms = asked_at_ms(&answer) - TOKENS_LAST_MS;
            let seen = self.find_issues(issue.key, since_ms).await.map_err(unsent)?;
            if let Some(receipt) = seen.issues.into_iter().next() {
                let told = asked.told(None);
                return Ok(Done { reference: None, receipt: Some(receipt), login: None, told });
            }
            if self.any_is_forgotten(&files).await.map_err(unsent)? {
                for (attachment, token) in &mut files {
                    let done = self.upload(attachment).await.map_err(unsent)?;
                    *token = done.reference.unwrap_or_default();
                }
                answer = self.post(&asked, &files).await?;
            }
        }
        if answer.head.status == 422 && answer.is_json() && !asked.chosen.is_empty() {
            // Not every member can be given issues, and Redmine does not tell who can. Nothing was made by what it refused,
            // and what it refuses for another reason it refuses again.
            asked.do_without();
            answer = self.post(&asked, &files).await?;
        }
        self.made(&asked, &answer)
    }

    async fn post(&self, asked: &Asked<'_>, files: &[(&Attachment, String)]) -> Result<Answer, Reply> {
        let Asked { issue, chosen } = asked;
        let (subject, text) = text::plain(issue);
        let uploads: Vec<Value> = files.iter().map(named).collect();
        let mut body = json!({ "issue": {
            "project_id": self.project,
            "subject": subject,
            "description": text,
            "uploads": uploads,
        }});
        if let Some(version) = &chosen.milestone {
            body["issue"]["fixed_version_id"] = json!(version.number);
        }
        if let Some(person) = chosen.assignees.first() {
            body["issue"]["assigned_to_id"] = json!(person.number);
        }
        self.http.ask(Call::post(self.http.url(&["issues.json"]), Body::Json(body))).await
    }

    fn made(&self, asked: &Asked<'_>, answer: &Answer) -> Result<Done, Reply> {
        match answer.success::<shapes::One>(&[201]) {
            Ok(shapes::One { issue: made }) if made.id > 0 => Ok(Done {
                reference: None,
                receipt: Some(self.receipt(made.id)),
                login: None,
                told: asked.told(Some(&made)),
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

/// An issue, and what of it Redmine can take.
struct Asked<'a> {
    issue: &'a Issue,
    chosen: Chosen,
}

impl Asked<'_> {
    /// Redmine gives an issue to one person: the first.
    fn take_one(&mut self) {
        let most = self.chosen.assignees.len().min(1);
        let others = Chosen { assignees: self.chosen.assignees.split_off(most), ..Chosen::default() };
        self.chosen.lacks.extend(others.words());
    }

    fn do_without(&mut self) {
        let mut chosen = Chosen { lacks: self.chosen.words(), ..Chosen::default() };
        chosen.lacks.append(&mut self.chosen.lacks);
        self.chosen = chosen;
    }

    /// What the person should know of it. Redmine has no labels, and drops in silence what an account may not set.
    fn told(&self, made: Option<&shapes::Issue>) -> Option<String> {
        let mut told = Vec::new();
        let labels = &self.issue.labels;
        if !labels.is_empty() {
            told.push(format!(
                "Filed without its labels, which Redmine does not have: {}.",
                text::list(labels)
            ));
        }
        let mut lacks = self.chosen.lacks.clone();
        if let Some(made) = made {
            let milestone = made.fixed_version.as_ref().map(|version| version.name.as_str());
            let people: Vec<String> = made.assigned_to.iter().map(|person| person.name.clone()).collect();
            lacks.extend(self.chosen.dropped(milestone, Some(&people)));
        }
        if !lacks.is_empty() {
            told.push(format!("Filed without {}.", text::list(&lacks)));
        }
        (!told.is_empty()).then(|| told.join(" "))
    }
}
