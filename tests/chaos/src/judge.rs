//! The judge: what is wrong with the tracker's books, and with what the outbox says of them.

use std::collections::HashMap;

use outtray_support::{Issue, PracticeTracker};
use serde_json::{Value, json};

use crate::home::{Home, PICTURE, Wanted};

/// Says what is wrong at the tracker: one issue per key, its pictures once each, each shown once.
pub fn judge(tracker: &PracticeTracker, wanted: &[Wanted]) -> Vec<String> {
    let issues = tracker.issues();
    let mut wrong = Vec::new();
    if issues.len() != wanted.len() {
        wrong.push(format!("{} issues of {}", issues.len(), wanted.len()));
    }
    for Wanted { key, title, pictures } in wanted {
        let found: Vec<&Issue> = issues.iter().filter(|issue| carries(issue, key)).collect();
        match found.as_slice() {
            [issue] => wrong.extend(
                judge_issue(issue, *pictures).into_iter().map(|words| format!("“{title}” ({key}): {words}")),
            ),
            several => wrong.push(format!("“{title}” ({key}): {} issues", several.len())),
        }
    }
    wrong
}

fn carries(issue: &Issue, key: &str) -> bool {
    issue.body.contains(&format!("outtray:{key}"))
}

fn judge_issue(issue: &Issue, pictures: usize) -> Vec<String> {
    let mut wrong = Vec::new();
    if issue.assets.len() != pictures {
        wrong.push(format!("{} pictures of {pictures}", issue.assets.len()));
    }
    let mut names: Vec<&str> = issue.assets.iter().map(|asset| asset.name.as_str()).collect();
    names.sort_unstable();
    names.dedup();
    if names.len() != issue.assets.len() {
        wrong.push(format!("a picture twice: {names:?}"));
    }
    for asset in &issue.assets {
        let shown = issue.body.matches(&asset.uuid).count();
        if shown != 1 || asset.bytes != PICTURE {
            wrong.push(format!("{} is shown {shown} times, {} bytes", asset.name, asset.bytes.len()));
        }
    }
    wrong
}

/// Says what is wrong with what the outbox tells, as anybody can ask: everything is filed under the tracker's own
/// number, and nobody is bothered.
pub async fn judge_store(home: &Home, tracker: &PracticeTracker, wanted: &[Wanted]) -> Vec<String> {
    match (home.json(&["list"]).await, home.json(&["status"]).await) {
        (Ok(list), Ok(status)) => told_wrong(&list, &status, tracker, wanted),
        (list, status) => list.err().into_iter().chain(status.err()).collect(),
    }
}

fn told_wrong(list: &Value, status: &Value, tracker: &PracticeTracker, wanted: &[Wanted]) -> Vec<String> {
    let mut wrong = Vec::new();
    let (level, attention) = (&status["level"], &status["attention"]);
    if (level, attention) != (&json!("calm"), &json!(0)) {
        wrong.push(format!("the outbox is not calm: {status}"));
    }
    let issues = tracker.issues();
    let numbers: HashMap<String, &Issue> =
        issues.iter().map(|issue| (issue.number.to_string(), issue)).collect();
    let rows: HashMap<&str, &Value> =
        list.as_array().into_iter().flatten().map(|row| (row["key"].as_str().unwrap_or(""), row)).collect();
    for Wanted { key, title, .. } in wanted {
        let Some(row) = rows.get(key.as_str()) else {
            wrong.push(format!("“{title}” ({key}) is not in the outbox"));
            continue;
        };
        let issue = row["receipt"]["number"].as_str().and_then(|number| numbers.get(number));
        let url = row["receipt"]["url"].as_str().unwrap_or_default();
        let is_right = row["state"] == json!("filed") && issue.is_some_and(|issue| carries(issue, key));
        if !is_right || !url.starts_with(&tracker.url()) {
            wrong.push(format!("“{title}”: {row}"));
        }
    }
    wrong
}
