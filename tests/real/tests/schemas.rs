//! Every request that is sent to a Gitea, a Forgejo or a GitHub is one that its own specification describes.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

#[path = "../../support/tracker_case.rs"]
mod case;

use std::path::PathBuf;

use case::Case;
use outtray_core::issue::TrackerKind;
use outtray_real::brought;
use outtray_real::specification::{Asked, Specification};
use outtray_support::{Dialect, Logged, PracticeTracker};
use serde_json::{Value, json};

/// Everything that an adapter asks: of the account, what there is to choose from, for labels, a milestone, people,
/// files, pictures, an issue, and looking for it.
async fn everything(tracker: TrackerKind, dialect: Dialect) -> Vec<Logged> {
    let server = PracticeTracker::start_as(dialect).await.unwrap();
    server.change(|project| project.may_upload = false);
    let mut case = Case::new();
    case.branch = Some("main".into());
    case.issue.labels = vec!["bug".into(), "no such label".into()];
    case.issue.milestone = Some("2.0".into());
    case.issue.assignees = vec!["ada".into(), "no such login".into()];
    case.attach("shot é.png", "image/png", b"picture").attach("log.txt", "text/plain", b"log");
    let adapter = case.at(tracker, &server.url());
    adapter.account().await.unwrap();
    for (part, read) in adapter.catalogue().await {
        read.unwrap_or_else(|cause| panic!("{part:?}: {cause:?}"));
    }
    adapter.projects().await.unwrap();
    let receipt = case.deliver(tracker, &*adapter).await.unwrap().receipt.unwrap();
    case.find(&*adapter).await.unwrap();
    adapter.recognise(&case.issue, &receipt.url.parse().unwrap()).await.unwrap();
    // Once more, so that what is there already is looked at.
    case.deliver(tracker, &*adapter).await.unwrap();
    let upload = outtray_core::tracker::Step::Upload {
        receipt: Some(&receipt),
        attachment: &case.issue.attachments[0],
    };
    adapter.look(&case.issue, case.look(upload)).await.unwrap();
    server.requests()
}

fn asked<'a>(logged: &'a Logged, api: &str) -> Asked<'a> {
    let (path, query) = logged.target.split_once('?').unwrap_or((&logged.target, ""));
    Asked {
        method: &logged.method,
        path: path.strip_prefix(api).unwrap_or(path),
        query,
        json: logged.json.as_ref(),
    }
}

fn specifications(names: &[&str]) -> Vec<Specification> {
    let path = |name: &&str| match *name {
        "api.github.com.json" | "ghes-3.17.json" => {
            brought().join("npm/node_modules/@octokit/openapi/generated").join(name)
        }
        name => brought().join("specs").join(name),
    };
    names.iter().map(path).filter_map(|path: PathBuf| Specification::read(&path)).collect()
}

#[tokio::test]
async fn requests_to_gitea_and_forgejo_are_described_by_both() {
    let requests = everything(TrackerKind::Gitea, Dialect::Gitea).await;
    assert!(requests.len() > 10, "{}", requests.len());
    for specification in specifications(&["forgejo.json", "gitea.json"]) {
        let wrong: Vec<String> =
            requests.iter().flat_map(|logged| specification.wrong(asked(logged, "/api/v1"))).collect();
        assert!(wrong.is_empty(), "{wrong:#?}");
    }
}

#[tokio::test]
async fn requests_to_github_are_described_by_it_and_its_enterprise_server() {
    let requests = everything(TrackerKind::GitHub, Dialect::GitHub).await;
    // The one place that no specification describes yet: github.com has it since 2026, and whoever has it not says 404.
    let (described, uploads): (Vec<&Logged>, Vec<&Logged>) = requests
        .iter()
        .partition(|logged| !logged.target.starts_with("/api/uploads/user-attachments/assets?"));
    assert!(!uploads.is_empty() && described.len() > 10);
    for specification in specifications(&["api.github.com.json", "ghes-3.17.json"]) {
        let wrong: Vec<String> =
            described.iter().flat_map(|logged| specification.wrong(asked(logged, "/api/v3"))).collect();
        assert!(wrong.is_empty(), "{wrong:#?}");
    }
}

#[test]
fn a_request_that_is_not_described_is_noticed() {
    let issue = json!({ "title": "x", "body": "y", "labels": [1] });
    let create = |json: &'static Value| Asked {
        method: "POST",
        path: "/repos/ada/demo/issues",
        query: "",
        json: Some(json),
    };
    let leaked = |value: Value| -> &'static Value { Box::leak(Box::new(value)) };
    for specification in specifications(&["forgejo.json", "gitea.json"]) {
        assert!(specification.wrong(create(leaked(issue.clone()))).is_empty());
        for wrong in [
            json!({ "title": "x", "labels": ["bug"] }),
            json!({ "body": "no title" }),
            json!({ "title": 7 }),
            json!({ "title": "x", "assignee_ids": [1] }),
        ] {
            assert!(!specification.wrong(create(leaked(wrong.clone()))).is_empty(), "{wrong}");
        }
        for (path, query) in [
            ("/repos/ada/demo/issues", "state=any"),
            ("/repos/ada/demo/issues", "per_page=50"),
            ("/repos/ada/demo/issues", "page=first"),
            ("/repos/ada/demo/issue", ""),
        ] {
            assert!(
                !specification.wrong(Asked { method: "GET", path, query, json: None }).is_empty(),
                "{path}?{query}"
            );
        }
    }
}
