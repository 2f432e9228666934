//! Files go first: each leaves a path that the project's texts may show.

use serde_json::json;

use super::GitLab;
use super::shapes::{self, Uploaded};
use crate::issue::{Attachment, Key, Receipt};
use crate::tracker::http::{Body, Call};
use crate::tracker::text::{ascii, with_late};
use crate::tracker::{Cause, CauseKind, Done, Reply, file};

impl GitLab {
    pub(super) async fn upload(&self, attachment: &Attachment) -> Result<Done, Reply> {
        let bytes = file::bytes(&self.attachments, attachment).await?;
        let url = self.upload_bytes(&attachment.name, &attachment.media_type, &bytes).await?;
        Ok(Done { reference: Some(url), receipt: None, login: None, told: None })
    }

    /// Puts files that came late into the text of their issue, those that are not in it yet.
    pub(super) async fn embed(
        &self,
        key: Key,
        receipt: &Receipt,
        files: &[(&Attachment, &str)],
    ) -> Result<Done, Reply> {
        let done = Done { reference: None, receipt: None, login: None, told: None };
        let answer = self.ask(&["issues", &receipt.number], Call::get).await?;
        let issue: shapes::Issue = self.read(&answer, &[200])?;
        let Some(text) = with_late(&issue.description, key, files) else { return Ok(done) };
        let body = json!({ "description": text });
        let put = |url| Call::put(url, Body::Json(body.clone()));
        let answer = self.ask(&["issues", &receipt.number], put).await?;
        self.read::<shapes::Issue>(&answer, &[200])?;
        Ok(done)
    }

    /// Sends bytes under a name, and returns the path that shows them in this project.
    pub(super) async fn upload_bytes(
        &self,
        name: &str,
        media_type: &str,
        bytes: &[u8],
    ) -> Result<String, Reply> {
        let form = |url| {
            let (name, media_type) = (ascii(name), media_type.to_owned());
            Call::post(url, Body::File { part: "file", name, media_type, bytes: bytes.to_vec() })
        };
        let answer = self.ask(&["uploads"], form).await?;
        match self.read::<Uploaded>(&answer, &[201]) {
            Ok(Uploaded { url }) if is_upload(&url) => Ok(url),
            Ok(_) => {
                let words = format!("{} answered without saying where the file is.", answer.host);
                Err(Reply::Doubt(answer.cause(CauseKind::NotTheTracker, words)))
            }
            Err(Reply::Refused(cause)) => {
                let words = match answer.head.status {
                    300..=399 | 403 | 404 => cause.words,
                    413 => format!("{name} is too large for {}.", answer.host),
                    _ => format!("{name} was not taken. {}", cause.words),
                };
                Err(Reply::Refused(Cause { words, ..cause }))
            }
            Err(reply) => Err(reply),
        }
    }
}

/// Whether it is a path as GitLab gives them, and nothing that would end a link early.
fn is_upload(url: &str) -> bool {
    url.starts_with("/uploads/")
        && !url.contains(|c: char| c.is_whitespace() || c.is_control() || "()<>".contains(c))
}
