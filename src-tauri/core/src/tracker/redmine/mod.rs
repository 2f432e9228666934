//! Redmine.
//!
//! Files go first, and each leaves a token that one issue can use, once. So the create that names them is safe to
//! repeat: whatever was lost on the way, a second issue with the same tokens is refused. That refusal is no proof by
//! itself, though, because Redmine forgets tokens that nobody used for a day; so a refusal is followed by a look. An
//! issue without files has no such fence and is looked for by its marker, as everywhere.

mod account;
mod catalogue;
mod create;
mod files;
mod look;
mod shapes;

pub(super) use create::preview;

use std::path::{Path, PathBuf};

use async_trait::async_trait;
use secrecy::SecretString;
use url::Url;

use super::answer::Answer;
use super::http::{Access, Http};
use super::{Account, Cause, CauseKind, Limits, Look, Read, Reply, Seen, Step, Tracker, marker, set_up};
use crate::issue::{Destination, Issue, Project, Receipt};

/// A project at a Redmine.
pub(super) struct Redmine {
    http: Http,
    /// Its identifier.
    project: String,
    /// Where the attachments' files are.
    attachments: PathBuf,
}

impl Redmine {
    pub(super) fn open(
        destination: &Destination,
        token: Option<SecretString>,
        attachments: &Path,
        limits: Limits,
    ) -> Result<Self, Cause> {
        let (base, project) = set_up(destination)?;
        // Redmine takes no `Authorization: Bearer`. No redirect is ever followed, so its own header is as safe.
        let access = Access {
            credential: token.map(|token| ("x-redmine-api-key", trimmed(&token))),
            ca: destination.ca.clone(),
            headers: &[],
            hides_path: false,
        };
        Ok(Self { http: Http::open(base, &access, limits)?, project, attachments: attachments.to_owned() })
    }

    /// The receipt of an issue: Redmine gives no link, and its pages are where its API is.
    fn receipt(&self, id: u64) -> Receipt {
        let number = id.to_string();
        Receipt { url: self.http.url(&["issues", &number]).to_string(), number }
    }

    /// The number of the issue that a link names.
    fn number_in(&self, link: &Url) -> Option<String> {
        let shape = self.http.url(&["issues", "0"]);
        let number = link.path().strip_prefix(shape.path().strip_suffix('0')?)?.trim_end_matches('/');
        let is_number = !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit());
        (self.http.is_here(link.as_str()) && is_number).then(|| number.to_owned())
    }

    /// Sorts a refusal with the words of somebody who knows what was asked for.
    fn refused(&self, answer: &Answer) -> Reply {
        let setup = |words| Reply::Refused(answer.cause(CauseKind::Setup, words));
        match (answer.sorted(), answer.head.status) {
            // Its 403 and 404 say nothing more, in any type.
            (Reply::Refused(_) | Reply::Doubt(_), 403) if is_bare(answer) => Reply::SignIn(
                answer.cause(CauseKind::SignIn, format!("This account may not do that in {}.", self.project)),
            ),
            (Reply::Refused(_), 404) if answer.is_json() || is_bare(answer) => {
                setup(format!("{} is not there, or this account may not see it.", self.project))
            }
            (reply, _) => reply,
        }
    }
}

/// Whether an answer has no body, as Redmine refuses.
fn is_bare(answer: &Answer) -> bool {
    answer.is_whole && answer.body.iter().all(u8::is_ascii_whitespace)
}

fn trimmed(token: &SecretString) -> SecretString {
    use secrecy::ExposeSecret;
    SecretString::from(token.expose_secret().trim())
}

#[async_trait]
impl Tracker for Redmine {
    async fn account(&self) -> Result<Account, Reply> {
        self.ask_account().await
    }

    async fn send(&self, issue: &Issue, step: Step<'_>) -> Reply {
        let sent = match step {
            Step::Create { uploaded } => self.create(issue, uploaded).await,
            Step::Upload { attachment, .. } => self.upload(attachment).await,
            // Most came with the create. Redmine shows them below the issue; which markup would show pictures in it, it does
            // not tell.
            Step::Embed { receipt, pictures } => self.add(receipt, pictures).await,
        };
        sent.map_or_else(|reply| reply, Reply::Done)
    }

    async fn recognise(&self, issue: &Issue, link: &Url) -> Result<Option<Receipt>, Reply> {
        let elsewhere = || {
            let host = self.http.base().host_str().unwrap_or_default();
            let words = format!("That is not the address of an issue on {host}.");
            Reply::Refused(Cause { kind: CauseKind::Setup, words, detail: "a link to somewhere else".into() })
        };
        let number = self.number_in(link).ok_or_else(elsewhere)?;
        let found = self.read_issue(&number).await?;
        Ok(marker::is_in(&found.description, issue.key).then(|| self.receipt(found.id)))
    }

    async fn look(&self, _issue: &Issue, look: Look<'_>) -> Result<Seen, Reply> {
        match look.step {
            Step::Create { .. } => self.find_issues(look.key, look.since_ms).await,
            // A file that no issue names is nothing, and the create says what it names.
            Step::Upload { .. } | Step::Embed { .. } => Ok(Seen::default()),
        }
    }

    async fn catalogue(&self) -> Vec<Read> {
        self.read_catalogue().await
    }

    async fn projects(&self) -> Result<Vec<Project>, Reply> {
        self.read_projects().await
    }
}
