//! Looking whether an issue is there: by the list, closed ones included, read to its end.

use std::collections::BTreeMap;

use url::Url;

use super::{Redmine, shapes};
use crate::issue::Key;
use crate::tracker::listing::{MOST_PAGES, PAGE, endless, is_past, since};
use crate::tracker::{Cause, CauseKind, Reply, Seen, marker};

impl Redmine {
    /// Every issue with the marker, oldest first; whoever made it, because an account can change its name.
    pub(super) async fn find_issues(&self, key: Key, since_ms: i64) -> Result<Seen, Reply> {
        let since = since(since_ms);
        let (mut found, mut read) = (BTreeMap::new(), 0);
        for _ in 0..MOST_PAGES {
            let answer = self.http.get(self.listing(since, read)).await?;
            let page: shapes::Page = match answer.success(&[200]) {
                Ok(page) => page,
                Err(Reply::Refused(_) | Reply::Doubt(_)) => return Err(self.refused(&answer)),
                Err(reply) => return Err(reply),
            };
            read += page.issues.len();
            let created = page.issues.iter().map(|issue| issue.created_on.as_deref());
            let is_last = page.issues.is_empty() || read >= page.total_count || is_past(created, since);
            let matches = page.issues.iter().filter(|issue| marker::is_in(&issue.description, key));
            found.extend(matches.map(|issue| (issue.id, self.receipt(issue.id))));
            if is_last {
                return Ok(Seen { issues: found.into_values().collect(), references: Vec::new() });
            }
        }
        Err(endless(&self.project))
    }

    fn listing(&self, since: jiff::Timestamp, offset: usize) -> Url {
        // A day is counted where the account lives, so one more is read.
        let day = since.to_zoned_datetime(jiff::tz::TimeZone::UTC).date();
        let day = day.yesterday().unwrap_or(day);
        let mut url = self.http.url(&["issues.json"]);
        url.query_pairs_mut()
            .append_pair("project_id", &self.project)
            .append_pair("status_id", "*")
            .append_pair("created_on", &format!(">={day}"))
            .append_pair("sort", "created_on:desc")
            .append_pair("limit", &PAGE.to_string())
            .append_pair("offset", &offset.to_string());
        url
    }

    pub(super) async fn read_issue(&self, number: &str) -> Result<shapes::Issue, Reply> {
        let mut url = self.http.url(&["issues", &format!("{number}.json")]);
        url.set_query(Some("include=attachments"));
        let answer = self.http.get(url).await?;
        match answer.success::<shapes::One>(&[200]) {
            Ok(one) => Ok(one.issue),
            Err(Reply::Refused(cause)) if answer.head.status == 404 => Err(Reply::Refused(Cause {
                kind: CauseKind::Refused,
                words: format!("#{number} is not there, or this account may not see it."),
                ..cause
            })),
            Err(reply) => Err(reply),
        }
    }
}
