//! Where pictures and files go: to GitHub's own place, else to a branch, else nowhere, which is told.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::json;

use super::GitHub;
use super::shapes::{self, Asset, Committed, Content, Repository};
use crate::issue::{Attachment, Key, Receipt};
use crate::tracker::http::{Body, Call};
use crate::tracker::text::{encode, with_late};
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

/// What came of looking for a place.
pub(super) enum Place {
    /// It is there, at this address.
    At(String),
    /// There is none: why.
    Nowhere(String),
}

impl GitHub {
    /// Finds a place for a file. Where there is none it is refused, in words.
    pub(super) async fn upload(&self, key: Key, attachment: &Attachment) -> Result<Done, Reply> {
        let bytes = file::bytes(&self.attachments, attachment).await?;
        let mut place = self.to_its_own_place(attachment, &bytes).await?;
        if let (Place::Nowhere(_), Some(branch)) = (&place, &self.branch) {
            place = self.to_branch(branch, key, &on_branch(attachment), &bytes).await?;
        }
        match place {
            Place::At(url) => Ok(Done { reference: Some(url), receipt: None, login: None, told: None }),
            Place::Nowhere(why) => {
                let words = format!("{} has no place there: {why}.", attachment.name);
                let detail = format!("no place for a file: {why}");
                Err(Reply::Refused(Cause { kind: CauseKind::Refused, words, detail }))
            }
        }
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
        let Some(text) = with_late(&issue.body, key, files) else { return Ok(done) };
        let body = json!({ "body": text });
        let patch = |url| Call::patch(url, Body::Json(body.clone()));
        let answer = self.ask(&["issues", &receipt.number], patch).await?;
        self.read::<shapes::Issue>(&answer, &[200])?;
        Ok(done)
    }

    async fn to_its_own_place(&self, attachment: &Attachment, bytes: &[u8]) -> Result<Place, Reply> {
        let missing = |why: &str| Ok(Place::Nowhere(why.to_owned()));
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
            Ok(asset) if address::is_on(&asset.url, &self.web) => Ok(Place::At(asset.url)),
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
    ) -> Result<Place, Reply> {
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
                    None => return Ok(Place::Nowhere(format!("the branch {branch} did not take it"))),
                }
            }
            Err(Reply::Refused(cause)) if status == 409 => {
                // Somebody else committed at that moment. Doing it again is harmless.
                return Err(Reply::Doubt(Cause { kind: CauseKind::Trouble, ..cause }));
            }
            Err(Reply::Refused(_) | Reply::SignIn(_)) if status != 401 => {
                let why = format!("the branch {branch} is not there, or this token may not write to it");
                return Ok(Place::Nowhere(why));
            }
            Err(reply) => return Err(reply),
        };
        if !address::is_on(&there.html_url, &self.web) {
            let words = format!("{} answered with a link to somewhere else.", answer.host);
            return Err(Reply::Doubt(answer.cause(CauseKind::NotTheTracker, words)));
        }
        // The page shows the file in a frame; with this it is the file, for whoever may see the repository.
        Ok(Place::At(format!("{}?raw=true", there.html_url)))
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
