//! Gitea and Forgejo, which answer alike.
//!
//! Filing takes one create, one upload for each attachment, and one embed that puts the pictures into the body. None
//! of them has an idempotency key, so a lost answer is settled by looking: for the marker in the list of issues, for
//! name and size in the list of assets. Never by search, whose index lags behind.

mod account;
mod catalogue;
mod create;
mod limits;
mod look;
mod pictures;
mod shapes;

pub(super) use pictures::preview;

use std::path::{Path, PathBuf};

use async_trait::async_trait;
use secrecy::SecretString;
use url::Url;

use super::answer::Answer;
use super::http::{Access, Http};
use super::{Account, Cause, CauseKind, Limits, Look, Read, Reply, Seen, Step, Tracker, marker, set_up};
use crate::issue::{Attachment, Destination, Issue, Project, Receipt};

/// A project at a Gitea or Forgejo.
pub(super) struct Gitea {
    http: Http,
    owner: String,
    name: String,
    /// Where the attachments' files are.
    attachments: PathBuf,
}

impl Gitea {
    pub(super) fn open(
        destination: &Destination,
        token: Option<SecretString>,
        attachments: &Path,
        limits: Limits,
    ) -> Result<Self, Cause> {
        let (base, project) = set_up(destination)?;
        let (owner, name) = project.split_once('/').unwrap_or((project.as_str(), ""));
        let http = Http::open(base, &Access::token("token", token, destination), limits)?;
        Ok(Self { http, owner: owner.to_owned(), name: name.to_owned(), attachments: attachments.to_owned() })
    }

    fn project(&self) -> String {
        format!("{}/{}", self.owner, self.name)
    }

    /// An address of the API.
    fn api(&self, segments: &[&str]) -> Url {
        self.http.url(&[&["api", "v1"], segments].concat())
    }

    /// An address of the API below the project.
    fn in_project(&self, segments: &[&str]) -> Url {
        self.api(&[&["repos", self.owner.as_str(), self.name.as_str()], segments].concat())
    }

    async fn get(&self, url: Url) -> Result<Answer, Reply> {
        self.http.get(url).await
    }

    /// Sorts a refusal with the words of somebody who knows what was asked for.
    fn refused(&self, answer: &Answer) -> Reply {
        let project = self.project();
        match (answer.sorted(), answer.head.status) {
            (Reply::Refused(cause), 404) if cause.kind == CauseKind::Refused => Reply::Refused(answer.cause(
                CauseKind::Setup,
                format!(
                    "{project} is not there, or this account may not see it, or its issues are switched off."
                ),
            )),
            (Reply::Refused(_), 423) => Reply::Refused(
                answer.cause(CauseKind::Setup, format!("{project} is archived and takes no changes.")),
            ),
            (reply, _) => reply,
        }
    }

    /// The same, where a reply is there already: other replies stay as they are.
    fn known_refusal(&self, reply: Reply, answer: &Answer) -> Reply {
        if matches!(reply, Reply::Refused(_)) { self.refused(answer) } else { reply }
    }

    /// The receipt of an issue. Its link is the tracker's own where that lies on the configured origin; a server that
    /// does not know its own address gets the link it should have given.
    fn receipt(&self, issue: &shapes::Issue) -> Receipt {
        let number = issue.number.to_string();
        let url = if self.http.is_here(&issue.html_url) {
            issue.html_url.clone()
        } else {
            self.http.url(&[&self.owner, &self.name, "issues", &number]).to_string()
        };
        Receipt { number, url }
    }

    /// The number of the issue that a link names, when it lies in this project. Case does not count in names here.
    fn number_in(&self, link: &Url) -> Option<String> {
        let shape = self.http.url(&[&self.owner, &self.name, "issues", "0"]);
        let (shape, link_path) = (shape.path().to_lowercase(), link.path().to_lowercase());
        let number = link_path.strip_prefix(shape.strip_suffix('0')?)?.trim_end_matches('/');
        let is_number = !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit());
        (self.http.is_here(link.as_str()) && is_number).then(|| number.to_owned())
    }
}

#[async_trait]
impl Tracker for Gitea {
    async fn account(&self) -> Result<Account, Reply> {
        self.ask_account().await
    }

    async fn send(&self, issue: &Issue, step: Step<'_>) -> Reply {
        let sent = match step {
            Step::Create { .. } => self.create(issue).await,
            Step::Upload { receipt: Some(receipt), attachment } => self.upload(receipt, attachment).await,
            Step::Upload { receipt: None, attachment } => Err(no_issue_yet(attachment)),
            Step::Embed { receipt, pictures } => self.embed(issue.key, receipt, pictures).await,
        };
        sent.map_or_else(|reply| reply, Reply::Done)
    }

    async fn recognise(&self, issue: &Issue, link: &Url) -> Result<Option<Receipt>, Reply> {
        let elsewhere = || {
            let words = format!(
                "That is not the address of an issue in {} on {}.",
                self.project(),
                self.http.base().host_str().unwrap_or_default()
            );
            Reply::Refused(Cause { kind: CauseKind::Setup, words, detail: "a link to somewhere else".into() })
        };
        let number = self.number_in(link).ok_or_else(elsewhere)?;
        let url = self.http.url(&[&self.owner, &self.name, "issues", &number]).to_string();
        let found = self.read_issue(&Receipt { number, url }).await?;
        Ok(marker::is_in(&found.body, issue.key).then(|| self.receipt(&found)))
    }

    async fn look(&self, _issue: &Issue, look: Look<'_>) -> Result<Seen, Reply> {
        match look.step {
            Step::Create { .. } => self.find_issues(look.key, look.login, look.since_ms).await,
            Step::Upload { receipt: Some(receipt), attachment } => {
                self.find_assets(receipt, attachment).await
            }
            Step::Upload { receipt: None, .. } => Ok(Seen::default()),
            Step::Embed { receipt, pictures } => self.find_embedded(receipt, pictures).await,
        }
    }

    async fn catalogue(&self) -> Vec<Read> {
        self.read_catalogue().await
    }

    async fn projects(&self) -> Result<Vec<Project>, Reply> {
        self.read_projects().await
    }
}

/// Files follow the issue here; one that comes before it has nowhere to go.
fn no_issue_yet(attachment: &Attachment) -> Reply {
    let words = format!("{} was not sent: there is no issue to attach it to yet.", attachment.name);
    Reply::Refused(Cause { kind: CauseKind::Setup, words, detail: "an upload before the create".to_owned() })
}
