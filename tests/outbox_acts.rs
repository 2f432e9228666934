//! What a person does to an entry, at whatever moment.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod desk;

use desk::{Desk, doubt, filed, kept, refused, settle};
use outtray_core::Code;
use outtray_core::capture::Kept;
use outtray_core::outbox::Intended;
use outtray_core::outbox::fate::{End, LaneMark, Outcome, Settlement, StageMark};
use outtray_core::outbox::lease::Fenced;
use outtray_core::view::{Act, EntryEdit, EntryState, NewIssue, Row};

#[test]
fn a_withdrawn_issue_is_not_sent_and_can_be_put_back_with_the_same_key() {
    let desk = Desk::new();
    let saved = desk.file("work", "One");
    assert!(!desk.outbox.withdraw(saved.id, &desk.now()).unwrap().wish);
    assert_eq!(desk.claim(), None);
    desk.outbox.restore(saved.id, &desk.now()).unwrap();
    let entry = desk.entry(desk.claim().unwrap().entry).entry;
    assert_eq!(entry.key, saved.key);
}

#[test]
fn a_withdrawal_of_what_a_worker_holds_is_a_wish_that_stops_the_intent() {
    let desk = Desk::new();
    let saved = desk.file("work", "One");
    let lease = desk.claim().unwrap();
    assert!(desk.outbox.withdraw(saved.id, &desk.now()).unwrap().wish);
    assert_eq!(desk.intend(&lease), Fenced::Held(Intended::StandAside), "nothing leaves any more");
    assert_eq!(desk.outbox.release(&lease, "", &desk.now()).unwrap(), Fenced::Held(()));
    assert_eq!(desk.entry(saved.id).entry.state, EntryState::Withdrawn);
}

#[test]
fn a_wish_that_came_too_late_is_dropped_and_told() {
    let desk = Desk::new();
    let saved = desk.file("work", "One");
    let lease = desk.claim().unwrap();
    assert_eq!(desk.intend(&lease), Fenced::Held(Intended::Noted));
    assert!(desk.outbox.withdraw(saved.id, &desk.now()).unwrap().wish);
    assert_eq!(settle(&desk.outbox, &lease, &filed(12), &desk.now()), Fenced::Held(()));
    let entry = desk.entry(saved.id).entry;
    assert_eq!((entry.state, entry.wish), (EntryState::Filed, None));
    assert_eq!(entry.reason.unwrap(), "It had already been filed as #12.");
}

#[test]
fn a_wish_waits_until_the_doubt_is_resolved() {
    let desk = Desk::new();
    let saved = desk.file("work", "One");
    let lease = desk.claim().unwrap();
    assert_eq!(desk.intend(&lease), Fenced::Held(Intended::Noted));
    assert_eq!(settle(&desk.outbox, &lease, &doubt(0), &desk.now()), Fenced::Held(()));
    assert!(desk.outbox.withdraw(saved.id, &desk.now()).unwrap().wish, "it may be there already");
    assert_eq!(desk.entry(saved.id).entry.row, Row::Doubt);
    let lease = desk.claim().expect("for the sake of the wish it is looked for at once");
    let cleared = Settlement {
        stage: StageMark::Open,
        end: Some(End::Release { outcome: Outcome::Looked, words: "Not there.".into() }),
        lane: LaneMark::Reached,
    };
    assert_eq!(settle(&desk.outbox, &lease, &cleared, &desk.now()), Fenced::Held(()));
    assert_eq!(desk.entry(saved.id).entry.state, EntryState::Withdrawn);
}

#[test]
fn what_a_person_found_at_the_tracker_counts_as_filed() {
    let desk = Desk::new();
    let saved = desk.file("work", "One");
    let lease = desk.claim().unwrap();
    assert_eq!(desk.intend(&lease), Fenced::Held(Intended::Noted));
    assert_eq!(settle(&desk.outbox, &lease, &doubt(0), &desk.now()), Fenced::Held(()));
    desk.outbox.resolve_there(saved.id, &desk::receipt(31), &desk.now()).unwrap();
    let entry = desk.entry(saved.id).entry;
    assert_eq!(entry.state, EntryState::Filed);
    assert_eq!(entry.receipt.unwrap().number, "31");
}

#[test]
fn what_has_been_filed_cannot_be_taken_back_or_moved() {
    let desk = Desk::new();
    desk.lane("client");
    let saved = desk.file("work", "One");
    let lease = desk.claim().unwrap();
    assert_eq!(settle(&desk.outbox, &lease, &filed(12), &desk.now()), Fenced::Held(()));
    for problem in [
        desk.outbox.withdraw(saved.id, &desk.now()).unwrap_err(),
        desk.outbox.move_to(saved.id, "client", &desk.now()).unwrap_err(),
        desk.outbox.retry(saved.id, &desk.now()).unwrap_err(),
    ] {
        assert_eq!(problem.code, Code::Refused);
        assert_eq!(problem.message, "It has already been filed as #12.");
    }
}

#[test]
fn retry_refreshes_the_budget_and_keeps_the_key() {
    let desk = Desk::new();
    let saved = desk.file("work", "One");
    let lease = desk.claim().unwrap();
    assert_eq!(settle(&desk.outbox, &lease, &refused(), &desk.now()), Fenced::Held(()));
    let entry = desk.entry(saved.id).entry;
    assert_eq!((entry.row, entry.acts[0]), (Row::NeedsYou, Act::Retry));
    assert_eq!(desk.claim(), None, "only the person can move it");
    desk.outbox.retry_all(&desk.now()).unwrap();
    let entry = desk.entry(desk.claim().unwrap().entry).entry;
    assert_eq!((entry.key, entry.attempts), (saved.key, 2));
}

#[test]
fn a_retry_while_a_worker_has_it_is_honoured_when_the_try_ends() {
    let desk = Desk::new();
    let saved = desk.file("work", "One");
    let lease = desk.claim().unwrap();
    assert!(desk.outbox.retry(saved.id, &desk.now()).unwrap().wish);
    assert_eq!(settle(&desk.outbox, &lease, &refused(), &desk.now()), Fenced::Held(()));
    assert_eq!(desk.entry(saved.id).entry.state, EntryState::Waiting);
    assert!(desk.claim().is_some());
}

#[test]
fn an_issue_that_was_never_sent_can_go_elsewhere() {
    let desk = Desk::new();
    desk.lane("client");
    let saved = desk.file("work", "One");
    desk.outbox.move_to(saved.id, "CLIENT", &desk.now()).unwrap();
    let entry = desk.entry(saved.id).entry;
    assert_eq!((entry.destination.as_str(), entry.key), ("client", saved.key));
    assert_eq!(desk.outbox.move_to(saved.id, "nowhere", &desk.now()).unwrap_err().code, Code::NotFound);
}

#[test]
fn a_second_press_of_file_gives_the_same_entry() {
    let desk = Desk::new();
    let draft = desk.outbox.new_draft(&desk.now()).unwrap();
    let edit = outtray_core::view::DraftEdit {
        id: draft.id,
        revision: draft.revision,
        destination: None,
        title: "Once\nonly".into(),
        body: String::new(),
        labels: vec![" bug ".into(), "bug".into(), String::new()],
        milestone: None,
        assignees: Vec::new(),
    };
    let draft = desk.outbox.save_draft(&edit, &desk.now()).unwrap();
    assert_eq!((draft.title.as_str(), draft.labels.as_slice()), ("Once only", &["bug".to_owned()][..]));
    let first = desk.outbox.file_draft(draft.id, draft.revision, &desk.now()).unwrap();
    let second = desk.outbox.file_draft(draft.id, draft.revision, &desk.now()).unwrap();
    assert_eq!(first, second);
    assert_eq!(first.key, draft.key, "the key was born with the draft");
    let other = desk.outbox.file_draft(draft.id, draft.revision + 1, &desk.now()).unwrap_err();
    assert_eq!(other.code, Code::AlreadyFiled);
}

#[test]
fn a_whole_issue_is_filed_in_one_go_or_not_at_all() {
    let desk = Desk::new();
    let new = |destination: &str, title: &str| NewIssue {
        destination: destination.into(),
        title: title.into(),
        body: "The words".into(),
        labels: vec!["bug".into(), " bug".into()],
        milestone: None,
        assignees: Vec::new(),
    };
    let files = [kept("a.txt"), Kept { file: "another".into(), ..kept("a.txt") }];
    let file = |new: NewIssue| desk.outbox.file_new(&new, &files, &desk.now());
    assert_eq!(file(new("work", " ")).unwrap_err().code, Code::Invalid);
    assert_eq!(file(new("gone", "One")).unwrap_err().code, Code::NotFound);
    assert_eq!(desk.outbox.files().unwrap(), Vec::<String>::new(), "nothing of it is there");
    let saved = file(new("Work", "One")).unwrap();
    let details = desk.outbox.entry(saved.id, &desk.now()).unwrap();
    assert_eq!((details.entry.title.as_str(), details.body.as_str()), ("One", "The words"));
    assert_eq!((saved.key, details.labels), (details.entry.key, vec!["bug".to_owned()]));
    let attachments = desk.outbox.work(&desk.claim().unwrap()).unwrap().issue.attachments;
    let names: Vec<_> = attachments.iter().map(|attachment| attachment.name.as_str()).collect();
    assert_eq!(names.len(), 2);
    assert_ne!(names[0], names[1], "names are unique within an issue");
}

#[test]
fn two_windows_on_one_draft_cannot_overwrite_each_other() {
    let desk = Desk::new();
    let draft = desk.outbox.new_draft(&desk.now()).unwrap();
    let edit = outtray_core::view::DraftEdit {
        id: draft.id,
        revision: draft.revision,
        destination: None,
        title: "Mine".into(),
        body: String::new(),
        labels: Vec::new(),
        milestone: None,
        assignees: Vec::new(),
    };
    desk.outbox.save_draft(&edit, &desk.now()).unwrap();
    let stale = desk.outbox.save_draft(&edit, &desk.now()).unwrap_err();
    assert_eq!(stale.code, Code::Stale);
    assert_eq!(desk.outbox.draft(draft.id).unwrap().title, "Mine");
}

#[test]
fn only_a_blank_draft_goes_with_its_window() {
    let desk = Desk::new();
    let edited = |title: &str, body: &str, labels: &[&str]| {
        let draft = desk.outbox.new_draft(&desk.now()).unwrap();
        let edit = outtray_core::view::DraftEdit {
            id: draft.id,
            revision: draft.revision,
            destination: Some("work".into()),
            title: title.into(),
            body: body.into(),
            labels: labels.iter().map(|label| (*label).to_owned()).collect(),
            milestone: None,
            assignees: Vec::new(),
        };
        desk.outbox.save_draft(&edit, &desk.now()).unwrap().id
    };
    for kept in [edited("T", "", &[]), edited("", "b", &[]), edited("", "", &["bug"])] {
        assert_eq!(desk.outbox.discard_blank(kept).unwrap(), None);
        assert!(desk.outbox.draft(kept).is_ok());
    }
    let attached = edited("", " ", &[]);
    let attachment = desk.outbox.attach(attached, &kept("a.txt"), &desk.now()).unwrap();
    assert_eq!(desk.outbox.discard_blank(attached).unwrap(), None);
    desk.outbox.set_removed(attached, attachment.id, true, &desk.now()).unwrap();
    assert_eq!(desk.outbox.discard_blank(attached).unwrap(), Some(vec!["the file of a.txt".to_owned()]));
    assert_eq!(desk.outbox.draft(attached).unwrap_err().code, Code::NotFound);
    assert_eq!(desk.outbox.discard_blank(attached).unwrap(), None, "it is gone already");
}

#[test]
fn an_empty_title_is_refused_and_the_draft_stays() {
    let desk = Desk::new();
    let draft = desk.outbox.new_draft(&desk.now()).unwrap();
    let problem = desk.outbox.file_draft(draft.id, draft.revision, &desk.now()).unwrap_err();
    assert_eq!((problem.code, problem.message.as_str()), (Code::Invalid, "An issue needs a title."));
    assert!(desk.outbox.draft(draft.id).is_ok());
}

#[test]
fn a_full_outbox_says_so_and_the_draft_stays() {
    let desk = Desk::new();
    desk.outbox.set_setting("outbox.max_entries", "1").unwrap();
    desk.file("work", "One");
    let draft = desk.outbox.new_draft(&desk.now()).unwrap();
    let edit = outtray_core::view::DraftEdit {
        id: draft.id,
        revision: draft.revision,
        destination: None,
        title: "Two".into(),
        body: String::new(),
        labels: Vec::new(),
        milestone: None,
        assignees: Vec::new(),
    };
    let draft = desk.outbox.save_draft(&edit, &desk.now()).unwrap();
    let full = desk.outbox.file_draft(draft.id, draft.revision, &desk.now()).unwrap_err();
    assert_eq!(full.code, Code::OutboxFull);
    assert_eq!(desk.outbox.draft(draft.id).unwrap().title, "Two");
}

#[test]
fn a_destination_with_issues_to_be_filed_is_not_removed() {
    let desk = Desk::new();
    let saved = desk.file("work", "One");
    assert_eq!(desk.outbox.remove_destination("work", &desk.now()).unwrap_err().code, Code::Refused);
    desk.outbox.withdraw(saved.id, &desk.now()).unwrap();
    desk.outbox.remove_destination("work", &desk.now()).unwrap();
    assert_eq!(desk.entry(saved.id).entry.destination, "work", "its name stays with what went there");
}

#[test]
fn an_act_ends_the_attempt_of_whoever_it_displaces() {
    type Act = fn(&Desk, i64);
    let acts: [Act; 3] = [
        |desk, entry| drop(desk.outbox.retry(entry, &desk.now()).unwrap()),
        |desk, entry| drop(desk.outbox.move_to(entry, "client", &desk.now()).unwrap()),
        |desk, entry| {
            desk.outbox.withdraw(entry, &desk.now()).unwrap();
            desk.outbox.restore(entry, &desk.now()).unwrap();
        },
    ];
    for act in acts {
        let desk = Desk::new();
        desk.lane("client");
        let saved = desk.file("work", "One");
        let stale = desk.claim().unwrap();
        desk.pass(desk::LEASE_MS as u64);
        act(&desk, saved.id);
        assert_eq!(desk.entry(saved.id).tries[0].number, None, "its try does not count");
        let lease = desk.claim().unwrap();
        assert_eq!(
            desk.outbox.release(&lease, "", &desk.now()).unwrap(),
            Fenced::Held(()),
            "and the next one can end"
        );
        assert_eq!(settle(&desk.outbox, &stale, &refused(), &desk.now()), Fenced::Lost);
    }
}

#[test]
fn what_a_person_found_counts_also_under_a_lease_that_has_run_out() {
    let desk = Desk::new();
    let saved = desk.file("work", "One");
    let lease = desk.claim().unwrap();
    assert_eq!(desk.intend(&lease), Fenced::Held(Intended::Noted));
    desk.pass(desk::LEASE_MS as u64);
    desk.outbox.resolve_there(saved.id, &desk::receipt(31), &desk.now()).unwrap();
    assert_eq!(desk.entry(saved.id).entry.state, EntryState::Filed);
    assert_eq!(settle(&desk.outbox, &lease, &filed(32), &desk.now()), Fenced::Lost);
}

fn edit(desk: &Desk, entry: i64, title: &str) -> EntryEdit {
    let details = desk.entry(entry);
    EntryEdit {
        id: entry,
        revision: details.revision,
        title: title.into(),
        body: "New.".into(),
        labels: vec![],
        milestone: None,
        assignees: Vec::new(),
    }
}

#[test]
fn a_refused_issue_is_changed_and_sent_again_under_its_key() {
    let desk = Desk::new();
    let saved = desk.file("work", "One");
    let lease = desk.claim().unwrap();
    assert_eq!(settle(&desk.outbox, &lease, &refused(), &desk.now()), Fenced::Held(()));
    let stale = edit(&desk, saved.id, "Too late");
    assert!(!desk.outbox.edit(&edit(&desk, saved.id, "Two\nlines"), &desk.now()).unwrap().wish);
    assert_eq!(desk.outbox.edit(&stale, &desk.now()).unwrap_err().code, Code::Stale);
    let untitled = edit(&desk, saved.id, " ");
    assert_eq!(desk.outbox.edit(&untitled, &desk.now()).unwrap_err().code, Code::Invalid);
    let lease = desk.claim().expect("it is due");
    let issue = desk.outbox.work(&lease).unwrap().issue;
    assert_eq!((issue.title.as_str(), issue.body.as_str(), issue.key), ("Two lines", "New.", saved.key));
}

#[test]
fn an_edit_of_what_a_worker_holds_is_a_wish_that_stops_the_intent_and_is_honoured() {
    let desk = Desk::new();
    let saved = desk.file("work", "One");
    let lease = desk.claim().unwrap();
    assert!(desk.outbox.edit(&edit(&desk, saved.id, "Two"), &desk.now()).unwrap().wish);
    assert_eq!(desk.entry(saved.id).entry.wish.as_deref(), Some("edit"));
    assert_eq!(desk.intend(&lease), Fenced::Held(Intended::StandAside), "BodyFrozenAtIntent");
    assert_eq!(desk.outbox.release(&lease, "", &desk.now()).unwrap(), Fenced::Held(()));
    assert_eq!(desk.entry(saved.id).entry.title, "Two");
    let lease = desk.claim().unwrap();
    assert_eq!(desk.intend(&lease), Fenced::Held(Intended::Noted), "and it is sent with its new words");
}

#[test]
fn an_edit_waits_for_the_doubt_and_is_dropped_and_told_when_the_issue_is_there() {
    let desk = Desk::new();
    let saved = desk.file("work", "One");
    let lease = desk.claim().unwrap();
    assert_eq!(desk.intend(&lease), Fenced::Held(Intended::Noted));
    assert_eq!(settle(&desk.outbox, &lease, &doubt(0), &desk.now()), Fenced::Held(()));
    assert!(desk.outbox.edit(&edit(&desk, saved.id, "Two"), &desk.now()).unwrap().wish);
    assert_eq!(desk.entry(saved.id).entry.title, "One", "what may be there keeps its words");
    let lease = desk.claim().expect("it is looked for at once");
    assert!(desk.outbox.work(&lease).unwrap().is_wished_away);
    assert_eq!(settle(&desk.outbox, &lease, &filed(12), &desk.now()), Fenced::Held(()));
    let entry = desk.entry(saved.id).entry;
    assert_eq!((entry.title.as_str(), entry.wish), ("One", None));
    assert_eq!(entry.reason.unwrap(), "It had already been filed as #12.");
    assert_eq!(
        desk.outbox.edit(&edit(&desk, saved.id, "Three"), &desk.now()).unwrap_err().code,
        Code::Refused
    );
}
