//! Files go first: each leaves a token of its number and its digest.

use super::shapes::Uploaded;
use super::{Redmine, is_bare};
use crate::issue::Attachment;
use crate::tracker::http::{Body, Call};
use crate::tracker::text::encode;
use crate::tracker::{Cause, CauseKind, Done, Reply, file};

impl Redmine {
    pub(super) async fn upload(&self, attachment: &Attachment) -> Result<Done, Reply> {
        let bytes = file::bytes(&self.attachments, attachment).await?;
        let token = self.upload_bytes(&attachment.name, bytes, Some(&attachment.sha256)).await?;
        Ok(Done { reference: Some(token), receipt: None, login: None, told: None })
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
