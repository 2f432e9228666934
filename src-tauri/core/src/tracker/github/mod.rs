//! GitHub, and GitHub Enterprise.
//!
//! Pictures go first, where the token may send any: to GitHub's own place for them, or as commits to a branch that the
//! person has named. One that goes nowhere does not hold up its issue; the person is told which it is, and once it has a
//! place it is put into the text. The create has no
//! idempotency key, so a lost answer is settled by looking for the marker in the list of issues, never by search, whose
//! index lags behind. GitHub asks for a second between creations, and gets it.
//!
//! A repository that was renamed is followed: GitHub answers with its number, on the same origin, and nothing else is.

mod account;
mod catalogue;
mod create;
mod look;
mod pictures;
mod preview;
mod shapes;
mod sort;

pub(super) use preview::preview;

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

/// What every request says. Without the version GitHub may answer in another shape one day.
const HEADERS: &[(&str, &str)] =
    &[("accept", "application/vnd.github+json"), ("x-github-api-version", "2022-11-28")];

/// A repository at GitHub.
pub(super) struct GitHub {
    /// Its API.
    http: Http,
    /// Where its pages are.
    web: Url,
    /// Where it takes pictures.
    uploads: Url,
    owner: String,
    name: String,
    /// The branch that takes pictures otherwise.
    branch: Option<String>,
    /// Where the attachments' files are.
    attachments: PathBuf,
}

impl GitHub {
    pub(super) fn open(
        destination: &Destination,
        token: Option<SecretString>,
        attachments: &Path,
        limits: Limits,
    ) -> Result<Self, Cause> {
        let (web, project) = set_up(destination)?;
        let (owner, name) = project.split_once('/').unwrap_or((project.as_str(), ""));
        let (api, uploads) = places(&web);
        let access = Access { headers: HEADERS, ..Access::token("Bearer", token, destination) };
        Ok(Self {
            http: Http::open(api, &access, limits)?,
            web,
            uploads,
            owner: owner.to_owned(),
            name: name.to_owned(),
            branch: destination.branch.clone(),
            attachments: attachments.to_owned(),
        })
    }

    fn project(&self) -> String {
        format!("{}/{}", self.owner, self.name)
    }

    /// Asks below the repository: by its name, and where that has changed, once more by the number that GitHub gives.
    /// What was answered with a redirect has surely not happened.
    async fn ask(&self, segments: &[&str], call: impl Fn(Url) -> Call) -> Result<Answer, Reply> {
        let named = [&["repos", self.owner.as_str(), self.name.as_str()], segments].concat();
        let answer = self.http.ask(call(self.http.url(&named))).await?;
        let Some(number) = self.renamed(&answer) else { return Ok(answer) };
        let numbered = [&["repositories", number.as_str()], segments].concat();
        self.http.ask(call(self.http.url(&numbered))).await
    }

    /// The number of the repository that a redirect on our origin leads to.
    fn renamed(&self, answer: &Answer) -> Option<String> {
        let to = answer.moved_here()?;
        let shape = self.http.url(&["repositories", "0"]);
        let below = to.path().strip_prefix(shape.path().strip_suffix('0')?)?;
        let number = below.split('/').next()?;
        let is_number = !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit());
        is_number.then(|| number.to_owned())
    }

    /// The receipt of an issue, when its link lies where GitHub's pages are.
    fn receipt(&self, issue: &shapes::Issue) -> Option<Receipt> {
        let is_one = issue.number > 0 && address::is_on(&issue.html_url, &self.web);
        is_one.then(|| Receipt { number: issue.number.to_string(), url: issue.html_url.clone() })
    }

    /// The receipt of an issue whose link leads elsewhere: that of a server which does not know its own address.
    fn usual(&self, number: u64) -> Receipt {
        let number = number.to_string();
        let url = address::join(&self.web, &[&self.owner, &self.name, "issues", &number]).to_string();
        Receipt { number, url }
    }

    /// The number of the issue that a link names, when it lies in this repository. Case does not count in names here.
    fn number_in(&self, link: &Url) -> Option<String> {
        let shape = address::join(&self.web, &[&self.owner, &self.name, "issues", "0"]);
        let (shape, link_path) = (shape.path().to_lowercase(), link.path().to_lowercase());
        let number = link_path.strip_prefix(shape.strip_suffix('0')?)?.trim_end_matches('/');
        let is_number = !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit());
        (address::is_on(link.as_str(), &self.web) && is_number).then(|| number.to_owned())
    }
}

/// Where the API and the place for pictures are, for pages that are at `web`.
fn places(web: &Url) -> (Url, Url) {
    let host = web.host_str().unwrap_or_default();
    let beside = |part: &str| {
        let mut url = web.clone();
        // A host with a word before it is a host.
        let _ = url.set_host(Some(&format!("{part}.{host}")));
        url
    };
    if host == "github.com" || host.ends_with(".ghe.com") {
        return (beside("api"), beside("uploads"));
    }
    (address::join(web, &["api", "v3"]), address::join(web, &["api", "uploads"]))
}

#[async_trait]
impl Tracker for GitHub {
    async fn account(&self) -> Result<Account, Reply> {
        self.ask_account().await
    }

    async fn send(&self, issue: &Issue, step: Step<'_>) -> Reply {
        let sent = match step {
            Step::Create { uploaded } => self.create(issue, uploaded).await,
            Step::Upload { attachment, .. } => self.upload(issue.key, attachment).await,
            // Most came with the create.
            Step::Embed { receipt, pictures } => self.embed(issue.key, receipt, pictures).await,
        };
        sent.map_or_else(|reply| reply, Reply::Done)
    }

    async fn recognise(&self, issue: &Issue, link: &Url) -> Result<Option<Receipt>, Reply> {
        let elsewhere = || {
            let host = self.web.host_str().unwrap_or_default();
            let words = format!("That is not the address of an issue in {} on {host}.", self.project());
            Reply::Refused(Cause { kind: CauseKind::Setup, words, detail: "a link to somewhere else".into() })
        };
        let number = self.number_in(link).ok_or_else(elsewhere)?;
        let answer = self.ask(&["issues", &number], Call::get).await?;
        let found: shapes::Issue = self.read(&answer, &[200])?;
        let receipt = self.receipt(&found).unwrap_or_else(|| self.usual(found.number));
        Ok(marker::is_in(&found.body, issue.key).then_some(receipt))
    }

    async fn look(&self, _issue: &Issue, look: Look<'_>) -> Result<Seen, Reply> {
        match look.step {
            Step::Create { .. } => self.find_issues(look.key, look.since_ms).await,
            // A picture that no issue shows is nothing.
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_api_is_beside_the_pages_or_below_them() {
        for (web, api, uploads) in [
            ("https://github.com/", "https://api.github.com/", "https://uploads.github.com/"),
            ("https://ada.ghe.com/", "https://api.ada.ghe.com/", "https://uploads.ada.ghe.com/"),
            (
                "https://git.example.org/",
                "https://git.example.org/api/v3",
                "https://git.example.org/api/uploads",
            ),
        ] {
            let web = Url::parse(web).unwrap_or_else(|why| unreachable!("{why}"));
            let (found, place) = places(&web);
            assert_eq!((found.as_str(), place.as_str()), (api, uploads), "{web}");
        }
    }
}
