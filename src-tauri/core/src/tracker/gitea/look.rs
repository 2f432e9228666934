//! Looking whether a stage has happened. Listings only, read to their end.

use std::collections::BTreeMap;

use url::Url;

use super::pictures::{Reference, holds_all};
use super::{Gitea, shapes};
use crate::issue::{Attachment, Key, Receipt};
use crate::tracker::listing::{MOST_PAGES, PAGE, endless, is_past, since};
use crate::tracker::{CauseKind, Reply, Seen, marker};

impl Gitea {
    pub(super) async fn find_issues(
        &self,
        key: Key,
        login: Option<&str>,
        since_ms: i64,
    ) -> Result<Seen, Reply> {
        let found = self.list_issues(key, login, since_ms).await;
        let found = match found {
            // The account is not called that any more: then everybody's issues are looked through.
            Err(Reply::Refused(cause)) if login.is_some() && cause.kind == CauseKind::Setup => {
                self.list_issues(key, None, since_ms).await
            }
            found => found,
        };
        Ok(Seen { issues: found?.into_values().collect(), references: Vec::new() })
    }

    /// Every issue with the marker, by number, so oldest first.
    async fn list_issues(
        &self,
        key: Key,
        login: Option<&str>,
        since_ms: i64,
    ) -> Result<BTreeMap<u64, Receipt>, Reply> {
        let since = since(since_ms);
        let (mut found, mut read) = (BTreeMap::new(), 0);
        for page in 1..=MOST_PAGES {
            let answer = self.get(self.listing(login, since, page)).await?;
            let issues: Vec<shapes::Issue> = match answer.success(&[200]) {
                Ok(issues) => issues,
                Err(Reply::Refused(_)) => return Err(self.refused(&answer)),
                Err(reply) => return Err(reply),
            };
            read += issues.len();
            let is_last = answer.ends(issues.len(), PAGE, read)
                || is_past(issues.iter().map(|issue| issue.created_at.as_deref()), since);
            let matches =
                issues.iter().filter(|issue| issue.pull_request.is_none() && marker::is_in(&issue.body, key));
            found.extend(matches.map(|issue| (issue.number, self.receipt(issue))));
            if is_last {
                return Ok(found);
            }
        }
        Err(endless(&self.project()))
    }

    fn listing(&self, login: Option<&str>, since: jiff::Timestamp, page: usize) -> Url {
        let mut url = self.in_project(&["issues"]);
        // `since` goes by the last update, which is never before the creation. Newest first is how they list by themselves.
        url.query_pairs_mut()
            .append_pair("state", "all")
            .append_pair("type", "issues")
            .append_pair("since", &since.to_string())
            .append_pair("limit", &PAGE.to_string())
            .append_pair("page", &page.to_string());
        if let Some(login) = login {
            url.query_pairs_mut().append_pair("created_by", login);
        }
        url
    }

    pub(super) async fn find_assets(
        &self,
        receipt: &Receipt,
        attachment: &Attachment,
    ) -> Result<Seen, Reply> {
        let answer = self.get(self.in_project(&["issues", &receipt.number, "assets"])).await?;
        let mut assets: Vec<shapes::Asset> = answer.success(&[200])?;
        assets.sort_by_key(|asset| asset.id);
        // There is no digest to compare: an entry's names are unique, and name and size are what there is.
        let matches =
            assets.iter().filter(|asset| asset.name == attachment.name && asset.size == attachment.size);
        Ok(Seen { issues: Vec::new(), references: matches.map(|asset| self.reference(asset)).collect() })
    }

    pub(super) async fn find_embedded(
        &self,
        receipt: &Receipt,
        pictures: &[(&Attachment, &str)],
    ) -> Result<Seen, Reply> {
        let issue = self.read_issue(receipt).await?;
        let references: Vec<Reference> =
            pictures.iter().map(|(_, reference)| Reference::read(reference)).collect();
        let is_done = holds_all(&issue.body, &references);
        Ok(Seen { issues: Vec::new(), references: is_done.then(String::new).into_iter().collect() })
    }
}
