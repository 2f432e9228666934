//! Attachments: sending them, and putting the pictures into the body.

use serde::{Deserialize, Serialize};
use serde_json::json;

use super::{Gitea, shapes};
use crate::issue::{Attachment, Issue, Key, Receipt};
use crate::tracker::http::{Body, Call};
use crate::tracker::preview::{LATER, Preview, whole};
use crate::tracker::text::{self, alt, ascii, encode};
use crate::tracker::{Cause, CauseKind, Done, Reply, file, marker};

/// What an upload leaves for the embed, kept as JSON on the stage's row.
#[derive(Serialize, Deserialize)]
pub(super) struct Reference {
    pub(super) uuid: String,
    pub(super) url: String,
}

impl Reference {
    /// Reads it back; what is not ours is taken for the asset's uuid.
    pub(super) fn read(text: &str) -> Self {
        serde_json::from_str(text).unwrap_or_else(|_| Self { uuid: text.to_owned(), url: String::new() })
    }
}

/// A picture as Markdown.
fn shown(picture: &Attachment, url: &str) -> String {
    format!("![{}]({url})", alt(&picture.name))
}

/// What leaves: the issue as it is made, with the pictures in it as they are put there afterwards.
pub(in crate::tracker) fn preview(issue: &Issue) -> Preview {
    let (title, text) = text::plain(issue);
    let pictures = issue.attachments.iter().filter(|attachment| attachment.is_picture());
    let shown: Vec<String> = pictures.map(|picture| shown(picture, LATER)).collect();
    let text =
        if shown.is_empty() { text } else { marker::insert_before(&text, issue.key, &shown.join("\n\n")) };
    whole((title, text), issue)
}

/// Whether every picture is in the body.
pub(super) fn holds_all(body: &str, references: &[Reference]) -> bool {
    references.iter().all(|reference| body.contains(&reference.uuid))
}

impl Gitea {
    pub(super) async fn upload(&self, receipt: &Receipt, attachment: &Attachment) -> Result<Done, Reply> {
        let bytes = file::bytes(&self.attachments, attachment).await?;
        self.check_limits(attachment).await?;
        let mut url = self.in_project(&["issues", &receipt.number, "assets"]);
        url.set_query(Some(&format!("name={}", encode(&attachment.name))));
        let body = Body::File {
            part: "attachment",
            // The name proper goes into the query, where there is one way to write it.
            name: ascii(&attachment.name),
            media_type: attachment.media_type.clone(),
            bytes,
        };
        let answer = self.http.ask(Call::post(url, body)).await?;
        match answer.success::<shapes::Asset>(&[201]) {
            Ok(asset) if !asset.uuid.is_empty() => {
                Ok(Done { reference: Some(self.reference(&asset)), receipt: None, login: None, told: None })
            }
            Ok(_) => {
                let words = format!("{} answered without saying where the file is.", answer.host);
                Err(Reply::Doubt(answer.cause(CauseKind::NotTheTracker, words)))
            }
            Err(Reply::Refused(cause)) => {
                Err(Reply::Refused(self.not_taken(cause, answer.head.status, receipt, attachment)))
            }
            Err(reply) => Err(reply),
        }
    }

    pub(super) async fn embed(
        &self,
        key: Key,
        receipt: &Receipt,
        pictures: &[(&Attachment, &str)],
    ) -> Result<Done, Reply> {
        let done = Done { reference: None, receipt: None, login: None, told: None };
        let issue = self.read_issue(receipt).await?;
        let missing: Vec<String> = pictures
            .iter()
            .map(|(attachment, reference)| (attachment, Reference::read(reference)))
            .filter(|(_, reference)| !issue.body.contains(&reference.uuid))
            .map(|(attachment, reference)| shown(attachment, &self.link(&reference)))
            .collect();
        if missing.is_empty() {
            return Ok(done);
        }
        // The body as it is now, not as it was sent: somebody may have edited it meanwhile.
        let body = marker::insert_before(&issue.body, key, &missing.join("\n\n"));
        let url = self.in_project(&["issues", &receipt.number]);
        let answer = self.http.ask(Call::patch(url, Body::Json(json!({ "body": body })))).await?;
        match answer.success::<shapes::Issue>(&[200, 201]) {
            Ok(_) => Ok(done),
            Err(Reply::Refused(_)) => Err(self.refused(&answer)),
            Err(reply) => Err(reply),
        }
    }

    pub(super) async fn read_issue(&self, receipt: &Receipt) -> Result<shapes::Issue, Reply> {
        let answer = self.get(self.in_project(&["issues", &receipt.number])).await?;
        match answer.success(&[200]) {
            Err(Reply::Refused(cause)) if answer.head.status == 404 => Err(Reply::Refused(Cause {
                words: format!("#{} is not in {} any more.", receipt.number, self.project()),
                ..cause
            })),
            read => read,
        }
    }

    pub(super) fn reference(&self, asset: &shapes::Asset) -> String {
        let reference = Reference { uuid: asset.uuid.clone(), url: asset.browser_download_url.clone() };
        serde_json::to_string(&reference).unwrap_or_else(|_| asset.uuid.clone())
    }

    /// The picture's address in the body: whole, because a path alone does not render below a sub-path; and on our
    /// origin, because a server that does not know its own address names one that nobody can open.
    fn link(&self, reference: &Reference) -> String {
        if self.http.is_here(&reference.url) {
            return reference.url.clone();
        }
        self.http.url(&["attachments", &reference.uuid]).to_string()
    }

    fn not_taken(&self, cause: Cause, status: u16, receipt: &Receipt, attachment: &Attachment) -> Cause {
        let (name, number) = (&attachment.name, &receipt.number);
        let words = match status {
            300..=399 => return cause,
            403 => format!("This account may not attach {name} to #{number}."),
            404 => format!(
                "{name} was not taken: #{number} is gone from {}, or attachments are switched off.",
                self.project()
            ),
            413 => format!("{name} is too large for {}.", self.http.base().host_str().unwrap_or_default()),
            _ => format!("{name} was not taken. {}", cause.words),
        };
        Cause { words, ..cause }
    }
}
