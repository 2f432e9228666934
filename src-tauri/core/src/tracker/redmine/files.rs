//! Files go first: each leaves a token of its number and its digest.

use serde_json::{Value, json};

use super::shapes::Uploaded;
use super::{Redmine, is_bare};
use crate::issue::{Attachment, Receipt};
use crate::tracker::answer::Answer;
use crate::tracker::http::{Body, Call};
use crate::tracker::text::encode;
use crate::tracker::{Cause, CauseKind, Done, Reply, file};

impl Redmine {
    pub(super) async fn upload(&self, attachment: &Attachment) -> Result<Done, Reply> {
        let bytes = file::bytes(&self.attachments, attachment).await?;
        let token = self.upload_bytes(&attachment.name, bytes, Some(&attachment.sha256)).await?;
        Ok(Done { reference: Some(token), receipt: None, login: None, told: None })
    }

    /// Hangs files that came late onto their issue, those that it does not have yet.
    pub(super) async fn add(&self, receipt: &Receipt, files: &[(&Attachment, &str)]) -> Result<Done, Reply> {
        let late = self.late(receipt, files).await?;
        let mut answer = None;
        if !late.is_empty() {
            let put = self.put(receipt, &late).await?;
            if put.head.status == 422 {
                // Redmine forgets a token that nobody used for a day.
                let mut anew = Vec::new();
                for (attachment, _) in late {
                    anew.push((attachment, self.upload(attachment).await?.reference.unwrap_or_default()));
                }
                answer = Some(self.put(receipt, &anew).await?);
            } else {
                answer = Some(put);
            }
        }
        let Some(answer) = answer else {
            return Ok(Done { reference: None, receipt: None, login: None, told: None });
        };
        if !matches!(answer.head.status, 200 | 204) {
            return Err(self.refused(&answer));
        }
        // Its success has no body, so anybody could have answered: what counts is what hangs there.
        if self.late(receipt, files).await?.is_empty() {
            return Ok(Done { reference: None, receipt: None, login: None, told: None });
        }
        let words = format!("{} took the files, and #{} does not have them.", answer.host, receipt.number);
        Err(Reply::Doubt(answer.cause(CauseKind::NotTheTracker, words)))
    }

    async fn put(&self, receipt: &Receipt, files: &[(&Attachment, String)]) -> Result<Answer, Reply> {
        let url = self.http.url(&["issues", &format!("{}.json", receipt.number)]);
        let uploads: Vec<Value> = files.iter().map(named).collect();
        self.http.ask(Call::put(url, Body::Json(json!({ "issue": { "uploads": uploads } })))).await
    }

    /// Those of the files that the issue does not have, by name and size.
    async fn late<'a>(
        &self,
        receipt: &Receipt,
        files: &[(&'a Attachment, &str)],
    ) -> Result<Vec<(&'a Attachment, String)>, Reply> {
        let there = self.read_issue(&receipt.number).await?.attachments;
        let is_late = |attachment: &Attachment| {
            there.iter().all(|file| file.filename != attachment.name || file.filesize != attachment.size)
        };
        Ok(files
            .iter()
            .filter(|(attachment, _)| is_late(attachment))
            .map(|(attachment, token)| (*attachment, (*token).to_owned()))
            .collect())
    }

    /// Sends bytes under a name and returns the token for them. Its digest says that all of them arrived.
    pub(super) async fn upload_bytes(
        &self,
        name: &str,
        bytes: Vec<u8>,
        sha256: Option<&str>,
    ) -> Result<String, Reply> {
        let mut url = self.http.url(&["uploads.json"]);
        url.set_query(Some(&format!("filename={}", encode(name))));
        // Any other type is answered with 406.
        let body = Body::Bytes { media_type: "application/octet-stream".to_owned(), bytes };
        let answer = self.http.ask(Call::post(url, body)).await?;
        let uploaded = match answer.success::<Uploaded>(&[201]) {
            Ok(uploaded) => uploaded.upload,
            Err(Reply::Refused(cause)) => {
                let words = match answer.head.status {
                    300..=399 => cause.words,
                    413 => format!("{name} is too large for {}.", answer.host),
                    404 if is_bare(&answer) => format!("{} takes no files.", answer.host),
                    _ => format!("{name} was not taken. {}", cause.words),
                };
                return Err(Reply::Refused(Cause { words, ..cause }));
            }
            Err(reply) => return Err(reply),
        };
        let digest =
            uploaded.token.split_once('.').map(|(_, digest)| digest).filter(|digest| digest.len() == 64);
        let is_ours = digest.zip(sha256).is_none_or(|(digest, ours)| digest.eq_ignore_ascii_case(ours));
        if is_ours && !uploaded.token.is_empty() {
            return Ok(uploaded.token);
        }
        let words = format!("{name} did not arrive whole at {}.", answer.host);
        Err(Reply::Doubt(answer.cause(CauseKind::Cut, words)))
    }
}

/// A file that went ahead, as an issue names it.
pub(super) fn named((attachment, token): &(&Attachment, String)) -> Value {
    json!({ "token": token, "filename": attachment.name, "content_type": attachment.media_type })
}
