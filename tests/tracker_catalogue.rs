//! What trackers offer to choose from: every part, to its end and within bounds; and what stands in no other part's way.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

#[path = "support/tracker_case.rs"]
mod case;

use std::time::Duration;

use case::{Case, cause, kind};
use outtray_core::issue::{Offer, Part, TrackerKind};
use outtray_core::tracker::{Read, Tracker};
use outtray_support::{Dialect, PracticeTracker, Route, What};

const ALL: [(TrackerKind, Dialect); 5] = [
    (TrackerKind::Gitea, Dialect::Gitea),
    (TrackerKind::Forgejo, Dialect::Gitea),
    (TrackerKind::GitHub, Dialect::GitHub),
    (TrackerKind::GitLab, Dialect::GitLab),
    (TrackerKind::Redmine, Dialect::Redmine),
];

async fn scene((tracker, dialect): (TrackerKind, Dialect)) -> (PracticeTracker, Box<dyn Tracker>) {
    let server = PracticeTracker::start_as(dialect).await.unwrap();
    let mut case = Case::new();
    case.timeout = Duration::from_millis(1_500);
    let adapter = case.at(tracker, &server.url());
    (server, adapter)
}

fn part(read: &[Read], part: Part) -> Offer {
    let (_, found) = read.iter().find(|(one, _)| *one == part).unwrap_or_else(|| panic!("{part:?} is read"));
    found.clone().unwrap_or_else(|why| panic!("{part:?}: {why:?}"))
}

#[tokio::test]
async fn every_part_is_read_and_no_other() {
    for at in ALL {
        let (server, adapter) = scene(at).await;
        server.add_issue("Open one", "text");
        let closed = server.add_issue("Closed one", "text");
        server.edit_issue(closed, |issue| issue.is_closed = true);
        let read = adapter.catalogue().await;
        let parts: Vec<Part> = read.iter().map(|(part, _)| *part).collect();
        assert_eq!(parts, at.0.parts(), "{at:?}");
        for expected in at.0.parts() {
            match part(&read, *expected) {
                Offer::Labels(labels) => {
                    let found: Vec<_> =
                        labels.iter().map(|label| (label.name.as_str(), label.color.as_deref())).collect();
                    assert_eq!(found, [("bug", Some("#d73a4a")), ("ui", Some("#d73a4a"))], "{at:?}");
                }
                Offer::Milestones(all) => {
                    let titles: Vec<&str> = all.iter().map(|one| one.title.as_str()).collect();
                    assert_eq!(titles, ["2.0", "Later"], "{at:?}");
                }
                Offer::Assignees(all) => {
                    let logins: Vec<&str> = all.iter().map(|one| one.login.as_str()).collect();
                    // Redmine tells names and no logins.
                    let names = ["Ada Lovelace", "Grace Hopper"];
                    assert_eq!(
                        logins,
                        if at.1 == Dialect::Redmine { names } else { ["ada", "grace"] },
                        "{at:?}"
                    );
                }
                Offer::Templates(all) => {
                    let names: Vec<&str> = all.iter().map(|one| one.name.as_str()).collect();
                    if at.1 == Dialect::GitLab {
                        assert_eq!(names, ["bug"], "{at:?}");
                        continue;
                    }
                    assert_eq!(names, ["Bug report", "Wish"], "{at:?}");
                    assert_eq!(
                        (all[0].title.as_str(), all[0].labels.as_slice()),
                        ("[bug] ", &["bug".to_owned()][..])
                    );
                    assert_eq!(all[0].assignees, ["ada"], "{at:?}");
                    assert_eq!(all[0].body, "**What happened**\n\n**What should have happened**", "{at:?}");
                    assert_eq!(
                        all[1].body, "### What is missing\n\n<!-- Required.\nSuch as: A button -->",
                        "{at:?}: a form is text"
                    );
                }
                Offer::Titles(all) => {
                    let found: Vec<_> =
                        all.iter().map(|one| (one.number.as_str(), one.title.as_str(), one.open)).collect();
                    assert_eq!(found, [("2", "Closed one", false), ("1", "Open one", true)], "{at:?}");
                    assert!(all.iter().all(|one| one.url.starts_with(&server.url())), "{at:?}: {all:?}");
                }
            }
        }
        let requests = server.requests();
        assert!(
            requests.iter().all(|request| request.method == "GET" && request.is_signed_in),
            "{requests:?}"
        );
    }
}

#[tokio::test]
async fn long_lists_are_read_to_their_end_and_no_further_than_anybody_needs() {
    for at in ALL {
        let (server, adapter) = scene(at).await;
        server.change(|project| {
            project.labels = (1..=120).map(|id| (id, format!("label {id}"))).collect();
            project.people = (1..=2_500).map(|id| (id, format!("p{id}"), format!("Person {id}"))).collect();
        });
        for n in 0..130 {
            server.add_issue(&format!("Issue {n}"), "text");
        }
        let read = adapter.catalogue().await;
        let count = |of: Part| match part(&read, of) {
            Offer::Labels(all) => all.len(),
            Offer::Assignees(all) => all.len(),
            Offer::Titles(all) => all.len(),
            Offer::Milestones(all) => all.len(),
            Offer::Templates(all) => all.len(),
        };
        if at.1 != Dialect::Redmine {
            assert_eq!(count(Part::Labels), 120, "{at:?}");
        }
        assert_eq!(count(Part::Assignees), 1_000, "{at:?}: bounded");
        assert_eq!(count(Part::Titles), 100, "{at:?}: those that changed last");
    }
}

#[tokio::test]
async fn a_part_that_is_refused_stands_in_no_others_way() {
    for at in ALL {
        for what in [
            What::Forbidden { message: "this token may not read that".into() },
            What::Html { status: 404 },
            What::Invalid { message: "no".into() },
            What::TroubleBefore { status: 500 },
        ] {
            let (server, adapter) = scene(at).await;
            server.fault(Route::Milestones, what.clone());
            let read = adapter.catalogue().await;
            for (part, found) in &read {
                assert_eq!(found.is_err(), *part == Part::Milestones, "{at:?} {what:?} {part:?}: {found:?}");
            }
        }
    }
}

#[tokio::test]
async fn what_is_out_of_reach_is_asked_once() {
    for at in ALL {
        for what in [What::Unauthorized, What::RateLimit { retry_after: None }, What::Drop, What::LoginPage] {
            let (server, adapter) = scene(at).await;
            server.fault(Route::Any, what.clone());
            // The first question falls, and so the others are not asked.
            let read = adapter.catalogue().await;
            assert!(read.iter().all(|(_, found)| found.is_err()), "{at:?} {what:?}: {read:?}");
            assert!(server.requests().len() <= 1, "{at:?} {what:?}: {:?}", server.requests());
        }
        let (mut server, adapter) = scene(at).await;
        server.stop().await;
        let read = adapter.catalogue().await;
        assert_eq!(read.len(), at.0.parts().len(), "{at:?}");
        assert!(read.iter().all(|(_, found)| found.is_err()), "{at:?}");
    }
}

#[tokio::test]
async fn the_projects_of_a_token_are_told() {
    for at in ALL {
        let (server, adapter) = scene(at).await;
        let projects = adapter.projects().await.unwrap_or_else(|why| panic!("{at:?}: {why:?}"));
        let expected = if at.1 == Dialect::Redmine { "demo" } else { "ada/demo" };
        let found: Vec<&str> = projects.iter().map(|one| one.project.as_str()).collect();
        assert_eq!(found, [expected], "{at:?}");
        server.fault(Route::Projects, What::Unauthorized);
        let reply = adapter.projects().await.expect_err("not signed in");
        assert_eq!(kind(&reply), "sign-in", "{at:?}: {:?}", cause(&reply));
        if at.1 != Dialect::Redmine {
            server.change(|project| project.is_archived = true);
            assert_eq!(adapter.projects().await.unwrap(), [], "{at:?}: one that takes no issues");
        }
    }
}

#[tokio::test]
async fn a_webhook_and_a_folder_offer_nothing() {
    let server = PracticeTracker::start_as(Dialect::Webhook).await.unwrap();
    let home = tempfile::TempDir::new().unwrap();
    let case = Case::new();
    let folder = case.folder(home.path().to_str().unwrap()).unwrap();
    for adapter in [case.at(TrackerKind::Webhook, &server.url()), folder] {
        assert_eq!(adapter.catalogue().await, []);
        assert_eq!(adapter.projects().await.unwrap(), []);
    }
    assert!(server.requests().is_empty());
}
