//! Looking whether an issue is there: by the list, read to its end.

use std::collections::BTreeMap;

use super::{GitHub, shapes};
use crate::issue::Key;
use crate::tracker::http::Call;
use crate::tracker::listing::{MOST_PAGES, PAGE, endless, is_past, since};
use crate::tracker::{Reply, Seen, marker};

impl GitHub {
    /// Every issue with the marker, oldest first; whoever made it, because an account can change its name.
    pub(super) async fn find_issues(&self, key: Key, since_ms: i64) -> Result<Seen, Reply> {
        let since = since(since_ms);
        let mut found = BTreeMap::new();
        for page in 1..=MOST_PAGES {
            let listing = |mut url: url::Url| {
                // `since` goes by the last update, which is never before the creation.
                url.query_pairs_mut()
                    .append_pair("state", "all")
                    .append_pair("sort", "created")
                    .append_pair("direction", "desc")
                    .append_pair("since", &since.to_string())
                    .append_pair("per_page", &PAGE.to_string())
                    .append_pair("page", &page.to_string());
                Call::get(url)
            };
            let answer = self.ask(&["issues"], listing).await?;
            let issues: Vec<shapes::Issue> = self.read(&answer, &[200])?;
            let matches = issues
                .iter()
                .filter(|issue| issue.pull_request.is_none() && marker::is_in(&issue.body, key))
                .map(|issue| (issue.number, self.receipt(issue).unwrap_or_else(|| self.usual(issue.number))));
            found.extend(matches);
            // A list of one page has no `Link` here.
            let is_last = match answer.head.link {
                Some(_) => answer.ends(issues.len(), PAGE, 0),
                None => issues.len() < PAGE,
            };
            if is_last || is_past(issues.iter().map(|issue| issue.created_at.as_deref()), since) {
                return Ok(Seen { issues: found.into_values().collect(), references: Vec::new() });
            }
        }
        Err(endless(&self.project()))
    }
}
