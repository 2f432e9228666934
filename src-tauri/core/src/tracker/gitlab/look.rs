//! Looking whether an issue is there: by the list, read to its end.

use std::collections::BTreeMap;

use super::{GitLab, shapes};
use crate::issue::Key;
use crate::tracker::http::Call;
use crate::tracker::listing::{MOST_PAGES, PAGE, endless, is_past, since};
use crate::tracker::{Reply, Seen, marker};

impl GitLab {
    /// Every issue with the marker, oldest first; whoever made it, because an account can change its name.
    pub(super) async fn find_issues(&self, key: Key, since_ms: i64) -> Result<Seen, Reply> {
        let since = since(since_ms);
        let (mut found, mut read) = (BTreeMap::new(), 0);
        for page in 1..=MOST_PAGES {
            let listing = |mut url: url::Url| {
                url.query_pairs_mut()
                    .append_pair("scope", "all")
                    .append_pair("state", "all")
                    .append_pair("order_by", "created_at")
                    .append_pair("sort", "desc")
                    .append_pair("created_after", &since.to_string())
                    .append_pair("per_page", &PAGE.to_string())
                    .append_pair("page", &page.to_string());
                Call::get(url)
            };
            let answer = self.ask(&["issues"], listing).await?;
            let issues: Vec<shapes::Issue> = self.read(&answer, &[200])?;
            read += issues.len();
            let matches = issues.iter().filter(|issue| marker::is_in(&issue.description, key));
            found.extend(
                matches
                    .map(|issue| (issue.iid, self.receipt(issue).unwrap_or_else(|| self.usual(issue.iid)))),
            );
            let is_last = answer.ends(issues.len(), PAGE, read)
                || is_past(issues.iter().map(|issue| issue.created_at.as_deref()), since);
            if is_last {
                return Ok(Seen { issues: found.into_values().collect(), references: Vec::new() });
            }
        }
        Err(endless(&self.project))
    }
}
