//! Where pictures and files go: to GitHub's own place, else to a branch, else nowhere, which is told.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::GitHub;
use super::shapes::{Asset, Committed, Content, Repository};
use crate::issue::{Attachment, Key};
use crate::tracker::http::{Body, Call};
use crate::tracker::text::{alt, encode};
use crate::tracker::{Cause, CauseKind, Done, Reply, address, file};

/// What GitHub's own place takes, and the ending that goes with each.
const TAKEN: &[(&str, &str)] = &[
    ("image/png", "png"),
    ("image/jpeg", "jpg"),
    ("image/gif", "gif"),
    ("image/webp", "webp"),
    ("image/svg+xml", "svg"),
    ("video/mp4", "mp4"),
    ("video/quicktime", "mov"),
    ("video/webm", "webm"),
];
pub(super) const MOST_BYTES: u64 = 10 * 1024 * 1024;
pub(super) const ONLY_PICTURES: &str = "GitHub takes pictures and films only";
pub(super) const TOO_LARGE: &str = "it is larger than the 10 MiB that GitHub takes";

/// What an upload leaves for the create, kept as JSON on the stage's row.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Reference {
    /// It is there.
    Url(String),
    /// It went nowhere.
    Missing(String),
}

impl Reference {
    /// Reads it back; what is not ours names nothing.
    pub(super) fn read(text: &str) -> Self {
        serde_json::from_str(text).unwrap_or_else(|_| Self::Missing("it was not uploaded".to_owned()))
    }
}

/// A file as Markdown: shown where it is a picture, else linked.
pub(super) fn markdown(attachment: &Attachment, url: &str) -> String {
    let shown = if attachment.is_picture() { "!" } else { "" };
    format!("{shown}[{}]({url})", alt(&attachment.name))
}

impl GitHub {
    /// Finds a place for a file. That there is none is an answer, too: its issue is filed without it.
    pub(super) async fn upload(&self, key: Key, attachment: &Attachment) -> Result<Done, Reply> {
        let bytes = file::bytes(&self.attachments, attachment).await?;
        let mut reference = self.to_its_own_place(attachment, &bytes).await?;
        if let (Reference::Missing(_), Some(branch)) = (&reference, &self.branch) {
            reference = self.to_branch(branch, key, &on_branch(attachment), &bytes).await?;
        }
        // Told here as well: when the create's answer gets lost, nobody is left to tell it.
        let told = match &reference {
            Reference::Missing(why) => Some(format!("Filed without {} ({why}).", attachment.name)),
            Reference::Url(_) => None,
        };
        Ok(Done { reference: serde_json::to_string(&reference).ok(), receipt: None, login: None, told })
    }

    async fn to_its_own_place(&self, attachment: &Attachment, bytes: &[u8]) -> Result<Reference, Reply> {
        let missing = |why: &str| Ok(Reference::Missing(why.to_owned()));
        let Some((media_type, ending)) = taken(attachment) else {
            return missing(ONLY_PICTURES);
        };
        if attachment.size > MOST_BYTES {
            return missing(TOO_LARGE);
        }
        let answer = self.ask(&[], Call::get).await?;
        let repository: Repository = self.read(&answer, &[200])?;
        if !repository.may_push() {
            return missing("this account may not write there");
        }
        let mut url = address::join(&self.uploads, &["user-attachments", "assets"]);
        url.set_query(Some(&format!(
            "name={}&content_type={}&repository_id={}",
            encode(&ending_in(&attachment.name, ending)),
            encode(media_type),
            repository.id
        )));
        let body = Body::Bytes { media_type: "application/octet-stream".to_owned(), bytes: bytes.to_vec() };
        let answer = self.http.ask(Call::post(url, body)).await?;
        match self.read::<Asset>(&answer, &[200, 201]) {
            Ok(asset) if address::is_on(&asset.url, &self.web) => Ok(Reference::Url(asset.url)),
            Ok(_) => {
                let words = format!("{} answered with a link to somewhere else.", answer.host);
                Err(Reply::Doubt(answer.cause(CauseKind::NotTheTracker, words)))
            }
            Err(Reply::SignIn(_) | Reply::Refused(_)) if answer.head.status != 401 => {
                tracing::info!(
                    status = answer.head.status,
                    "GitHub's own place for pictures is not open to us"
                );
                missing("this token may not upload files there")
            }
            Err(reply) => Err(reply),
        }
    }

    /// Commits a file to a branch under a path of its own, so that doing it again finds it there.
    pub(super) async fn to_branch(
        &self,
        branch: &str,
        key: Key,
        name: &str,
        bytes: &[u8],
    ) -> Result<Reference, Reply> {
        let key = key.to_string();
        let path = ["contents", "outtray", &key, name];
        let body = json!({
            "message": format!("Add {name} for an issue"),
            "content": STANDARD.encode(bytes),
            "branch": branch,
        });
        let answer = self.ask(&path, |url| Call::put(url, Body::Json(body.clone()))).await?;
        let status = answer.head.status;
        let there = match self.read::<Committed>(&answer, &[200, 201]) {
            Ok(committed) => committed.content,
            // It is there already: then it is ours, or the path is somebody's.
            Err(Reply::Refused(_)) if status == 422 => {
                match self.at_branch(branch, &path, bytes.len() as u64).await? {
                    Some(there) => there,
                    None => return Ok(Reference::Missing(format!("the branch {branch} did not take it"))),
                }
            }
            Err(Reply::Refused(cause)) if status == 409 => {
                // Somebody else committed at that moment. Doing it again is harmless.
                return Err(Reply::Doubt(Cause { kind: CauseKind::Trouble, ..cause }));
            }
            Err(Reply::Refused(_) | Reply::SignIn(_)) if status != 401 => {
                let why = format!("the branch {branch} is not there, or this token may not write to it");
                return Ok(Reference::Missing(why));
            }
            Err(reply) => return Err(reply),
        };
        if !address::is_on(&there.html_url, &self.web) {
            let words = format!("{} answered with a link to somewhere else.", answer.host);
            return Err(Reply::Doubt(answer.cause(CauseKind::NotTheTracker, words)));
        }
        // The page shows the file in a frame; with this it is the file, for whoever may see the repository.
        Ok(Reference::Url(format!("{}?raw=true", there.html_url)))
    }

    /// What lies at the path on the branch, when it has the size that ours has.
    async fn at_branch(&self, branch: &str, path: &[&str], size: u64) -> Result<Option<Content>, Reply> {
        let on_branch = |mut url: url::Url| {
            url.query_pairs_mut().append_pair("ref", branch);
            Call::get(url)
        };
        let answer = self.ask(path, on_branch).await?;
        match self.read::<Content>(&answer, &[200]) {
            Ok(content) => Ok(Some(content).filter(|content| content.size == size)),
            Err(Reply::Refused(_)) => Ok(None),
            Err(reply) => Err(reply),
        }
    }
}

/// The type by which GitHub's own place takes a file, and the ending that goes with it.
pub(super) fn taken(attachment: &Attachment) -> Option<(&'static str, &'static str)> {
    TAKEN.iter().find(|(taken, _)| *taken == attachment.media_type).copied()
}

/// What a file is called on a branch: two files of the same name are two.
pub(super) fn on_branch(attachment: &Attachment) -> String {
    format!("{}-{}", &attachment.sha256[..8.min(attachment.sha256.len())], attachment.name)
}

/// The name with the ending that its type has: GitHub compares the two.
pub(super) fn ending_in(name: &str, ending: &str) -> String {
    let lower = name.to_ascii_lowercase();
    let is_fine = lower.ends_with(&format!(".{ending}")) || ending == "jpg" && lower.ends_with(".jpeg");
    if is_fine { name.to_owned() } else { format!("{name}.{ending}") }
}
