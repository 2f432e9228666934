//! GitLab, and one that somebody runs themselves.
//!
//! Files go first, and the issue's text shows them. The create has no idempotency key, so a lost answer is settled by
//! looking for the marker in the list of issues. A project that has moved is found by its old path and from then on used
//! by its number. The token goes as `Authorization: Bearer`, which nobody carries to another host.

mod account;
mod catalogue;
mod create;
mod look;
mod quick;
mod shapes;
mod uploads;

pub(super) use create::preview;

use std::path::{Path, PathBuf};

use async_trait::async_trait;
use secrecy::SecretString;
use url::Url;

use super::answer::Answer;
use super::http::{Access, Call, Http};
use super::{
    Account, Cause, CauseKind, Limits, Look, Read, Reply, Seen, Step, Tracker, address, marker, set_up,
};
use crate::issue::{Destination, Issue, Project, Receipt};

/// A project at a GitLab.
pub(super) struct GitLab {
    http: Http,
    /// Its path, or its number.
    project: String,
    /// Where the attachments' files are.
    attachments: PathBuf,
}

impl GitLab {
    pub(super) fn open(
        destination: &Destination,
        token: Option<SecretString>,
        attachments: &Path,
        limits: Limits,
    ) -> Result<Self, Cause> {
        let (base, project) = set_up(destination)?;
        let http = Http::open(base, &Access::token("Bearer", token, destination), limits)?;
        Ok(Self { http, project, attachments: attachments.to_owned() })
    }

    /// An address of the API.
    fn api(&self, segments: &[&str]) -> Url {
        self.http.url(&[&["api", "v4"], segments].concat())
    }

    /// Asks below the project: by its path, and where the project has moved, once more by its number. What was answered
    /// with a redirect, or with a 405 because only questions are redirected, has surely not happened.
    async fn ask(&self, segments: &[&str], call: impl Fn(Url) -> Call) -> Result<Answer, Reply> {
        let by_path = [&["projects", self.project.as_str()], segments].concat();
        let answer = self.http.ask(call(self.api(&by_path))).await?;
        if !matches!(answer.head.status, 300..=399 | 405) {
            return Ok(answer);
        }
        let asked = self.http.get(self.api(&["projects", &self.project])).await.map_err(unsent)?;
        let Some(number) = self.moved(&asked) else { return Ok(answer) };
        let by_number = [&["projects", number.as_str()], segments].concat();
        self.http.ask(call(self.api(&by_number))).await
    }

    /// The number of the project that a redirect on our origin leads to.
    fn moved(&self, answer: &Answer) -> Option<String> {
        let to = answer.moved_here()?;
        let shape = self.api(&["projects", "0"]);
        let below = to.path().strip_prefix(shape.path().strip_suffix('0')?)?;
        let number = below.split('/').next()?;
        let is_number = !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit());
        is_number.then(|| number.to_owned())
    }

    /// Returns what a success says.
    ///
    /// # Errors
    /// Any other answer, sorted with the words of somebody who knows what was asked for.
    fn read<T: serde::de::DeserializeOwned>(&self, answer: &Answer, codes: &[u16]) -> Result<T, Reply> {
        answer.success(codes).map_err(|reply| match (reply, answer.head.status) {
            (Reply::Refused(cause), 404) if cause.kind == CauseKind::Refused => Reply::Refused(answer.cause(
                CauseKind::Setup,
                format!("{} is not there, or this account may not see it.", self.project),
            )),
            (Reply::Refused(cause) | Reply::SignIn(cause), 403)
                if cause.words.contains("insufficient_scope") =>
            {
                let words = "The token may not do that: it needs the scope “api”.".to_owned();
                Reply::SignIn(answer.cause(CauseKind::SignIn, words))
            }
            (Reply::Refused(_), 403) => Reply::Refused(answer.cause(
                CauseKind::Setup,
                format!(
                    "This account may not file in {}, or it is archived, or its issues are switched off.",
                    self.project
                ),
            )),
            (reply, _) => reply,
        })
    }

    /// The receipt of an issue, when its link lies on the configured origin.
    fn receipt(&self, issue: &shapes::Issue) -> Option<Receipt> {
        let is_one = issue.iid > 0 && self.http.is_here(&issue.web_url);
        is_one.then(|| Receipt { number: issue.iid.to_string(), url: issue.web_url.clone() })
    }

    /// The receipt of an issue whose link leads elsewhere: that of a server which does not know its own address.
    fn usual(&self, iid: u64) -> Receipt {
        let number = iid.to_string();
        let path: Vec<&str> = self.project.split('/').chain(["-", "issues", &number]).collect();
        let url = address::join(self.http.base(), &path).to_string();
        Receipt { number, url }
    }

    /// The number of the issue that a link names, when it lies in this project. Case does not count in paths here.
    fn number_in(&self, link: &Url) -> Option<String> {
        let parts: Vec<&str> = self.project.split('/').collect();
        let link_path = link.path().to_lowercase();
        let below = |end: &[&str]| {
            let shape = address::join(self.http.base(), &[&parts[..], end].concat()).path().to_lowercase();
            link_path.strip_prefix(shape.strip_suffix('0')?).map(str::to_owned)
        };
        let number = below(&["-", "issues", "0"])
            .or_else(|| below(&["-", "work_items", "0"]))
            .or_else(|| below(&["issues", "0"]))?;
        let number = number.trim_end_matches('/');
        let is_number = !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit());
        (self.http.is_here(link.as_str()) && is_number).then(|| number.to_owned())
    }
}

/// What is asked beside a create leaves no doubt about it.
fn unsent(reply: Reply) -> Reply {
    match reply {
        Reply::Doubt(cause) => Reply::NotSent(cause),
        reply => reply,
    }
}

#[async_trait]
impl Tracker for GitLab {
    async fn account(&self) -> Result<Account, Reply> {
        self.ask_account().await
    }

    async fn send(&self, issue: &Issue, step: Step<'_>) -> Reply {
        let sent = match step {
            Step::Create { uploaded } => self.create(issue, uploaded).await,
            Step::Upload { attachment, .. } => self.upload(attachment).await,
            // Most came with the create.
            Step::Embed { receipt, pictures } => self.embed(issue.key, receipt, pictures).await,
        };
        sent.map_or_else(|reply| reply, Reply::Done)
    }

    async fn recognise(&self, issue: &Issue, link: &Url) -> Result<Option<Receipt>, Reply> {
        let elsewhere = || {
            let host = self.http.base().host_str().unwrap_or_default();
            let words = format!("That is not the address of an issue in {} on {host}.", self.project);
            Reply::Refused(Cause { kind: CauseKind::Setup, words, detail: "a link to somewhere else".into() })
        };
        let number = self.number_in(link).ok_or_else(elsewhere)?;
        let answer = self.ask(&["issues", &number], Call::get).await?;
        let found: shapes::Issue = self.read(&answer, &[200])?;
        let receipt = self.receipt(&found).unwrap_or_else(|| self.usual(found.iid));
        Ok(marker::is_in(&found.description, issue.key).then_some(receipt))
    }

    async fn look(&self, _issue: &Issue, look: Look<'_>) -> Result<Seen, Reply> {
        match look.step {
            Step::Create { .. } => self.find_issues(look.key, look.since_ms).await,
            // A file that no issue shows is nothing.
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
