//! Doubt: what was sent without an answer, who may end it, and what comes to light late.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod desk;

use desk::{Desk, doubt, filed, receipt, refused, settle};
use outtray_core::Code;
use outtray_core::issue::{Destination, TrackerKind};
use outtray_core::outbox::fate::{End, LaneMark, Outcome, Settlement, StageMark};
use outtray_core::outbox::lease::{Fenced, Lease};
use outtray_core::outbox::{Closed, Intend, Intended, Outbox};
use outtray_core::view::{EntryState, Row};

const QUIET_MS: u64 = 60_000;

/// An entry whose create was sent and whose answer was lost; its sender is gone.
fn in_doubt(desk: &Desk) -> i64 {
    let saved = desk.file("work", "One");
    let lease = desk.claim().unwrap();
    assert_eq!(desk.intend(&lease), Fenced::Held(Intended::Noted));
    assert_eq!(settle(&desk.outbox, &lease, &doubt(0), &desk.now()), Fenced::Held(()));
    saved.id
}

/// The intent to send once more what a look has just cleared.
fn send_once_more(outbox: &Outbox, lease: &Lease, desk: &Desk) -> Fenced<Intended> {
    let work = outbox.work(lease).unwrap();
    let intend = Intend {
        ordinal: 1,
        sender: outbox.store().presence().id(),
        destination: work.destination.id,
        login: Some("ada"),
        revision: work.revision,
        body_hash: "hash",
        cleared: work.stages[0].intent.as_ref().map(|intent| intent.attempt),
    };
    outbox.intend(lease, &intend, &desk.now()).unwrap()
}

/// "A look found nothing, and the time for anything to arrive is over."
fn cleared() -> Settlement {
    Settlement {
        stage: StageMark::Open,
        end: Some(End::Release { outcome: Outcome::Looked, words: "Not there.".into() }),
        lane: LaneMark::Reached,
    }
}

#[test]
fn what_a_person_did_not_find_too_early_is_looked_for_when_nothing_can_arrive_any_more() {
    let desk = Desk::new();
    let entry = in_doubt(&desk);
    desk.pass(20_000);
    let acted = desk.outbox.resolve_send_again(entry, &desk.now()).unwrap();
    assert!(acted.wish);
    let words =
        "The first one may still arrive for 40 s. Then it is looked for, and sent again if it is not there.";
    assert_eq!(acted.words, words);
    assert_eq!(desk.claim(), None, "not yet");
    desk.pass(40_000);
    let lease = desk.claim().expect("now nothing can arrive any more");
    let work = desk.outbox.work(&lease).unwrap();
    assert!(
        !work.stages[0].send_again,
        "what was not there then may be there now: that is for a look to say"
    );
    assert!(work.stages[0].intent.is_some(), "and it is a doubt still");
}

#[test]
fn what_an_asked_person_did_not_find_is_as_good_as_a_look() {
    let desk = Desk::new();
    let entry = in_doubt(&desk);
    desk.pass(QUIET_MS);
    desk.outbox.retry(entry, &desk.now()).unwrap();
    let lease = desk.claim().expect("at once");
    let words = "Looking for it does not work.".into();
    let asked = End::Attention { outcome: Outcome::Looked, reason: "in_doubt", words };
    let asked = Settlement { stage: StageMark::Untouched, end: Some(asked), lane: LaneMark::Untouched };
    assert_eq!(settle(&desk.outbox, &lease, &asked, &desk.now()), Fenced::Held(()));

    let acted = desk.outbox.resolve_send_again(entry, &desk.now()).unwrap();
    assert_eq!((acted.wish, acted.words.as_str()), (false, "It is sent again."));
    let lease = desk.claim().expect("at once");
    let work = desk.outbox.work(&lease).unwrap();
    assert!(work.stages[0].send_again, "the worker knows that the person has looked");
    assert!(work.stages[0].intent.is_some(), "and looks once more itself");
}

#[test]
fn what_a_person_says_unasked_has_it_looked_for_at_once_and_is_no_look() {
    let desk = Desk::new();
    let entry = in_doubt(&desk);
    desk.pass(QUIET_MS);
    let acted = desk.outbox.resolve_send_again(entry, &desk.now()).unwrap();
    let words = "It is looked for, and sent again if it is not there.";
    assert_eq!((acted.wish, acted.words.as_str()), (false, words));
    let lease = desk.claim().expect("at once");
    let work = desk.outbox.work(&lease).unwrap();
    assert!(!work.stages[0].send_again, "looking can still tell");
    assert!(work.stages[0].intent.is_some(), "and it is a doubt still");
}

#[test]
fn where_nobody_can_look_a_persons_word_counts_unasked() {
    let desk = Desk::new();
    let work = desk.outbox.destination("work").unwrap();
    let hook =
        Destination { id: 0, name: "hook".into(), tracker: TrackerKind::Webhook, project: None, ..work };
    desk.outbox.add_destination(&hook, &desk.now()).unwrap();
    let saved = desk.file("hook", "One");
    let lease = desk.claim().unwrap();
    assert_eq!(desk.intend(&lease), Fenced::Held(Intended::Noted));
    assert_eq!(settle(&desk.outbox, &lease, &doubt(0), &desk.now()), Fenced::Held(()));
    desk.pass(QUIET_MS);
    assert_eq!(desk.outbox.resolve_send_again(saved.id, &desk.now()).unwrap().words, "It is sent again.");
    let lease = desk.claim().unwrap();
    assert!(desk.outbox.work(&lease).unwrap().stages[0].send_again);
}

#[test]
fn nothing_is_sent_again_while_its_sender_may_live() {
    let desk = Desk::new();
    let saved = desk.file("work", "One");
    let silent = desk.peer();
    let lease = silent.claim(&desk.now()).unwrap();
    assert_eq!(desk::intend(&silent.outbox, &lease, &desk.now()), Fenced::Held(Intended::Noted));
    desk.pass(24 * 3_600_000);
    let problem = desk.outbox.resolve_send_again(saved.id, &desk.now()).unwrap_err();
    assert_eq!(problem.code, Code::Refused);
    assert_eq!(problem.message, "Another Outtray process may still be sending it.");
    drop(silent);
    desk.outbox.bury(&desk.now()).unwrap();
}

#[test]
fn a_sighting_outweighs_whatever_the_owner_brings_back() {
    for end in [refused(), doubt(i64::MAX)] {
        let desk = Desk::new();
        let saved = desk.file("work", "One");
        let stale = desk.claim().unwrap();
        assert_eq!(desk.intend(&stale), Fenced::Held(Intended::Noted));
        desk.pass(desk::LEASE_MS as u64);
        let peer = desk.peer();
        let owner = peer.claim(&desk.now()).unwrap();
        let destination = desk.outbox.work(&owner).unwrap().destination.id;
        desk.outbox.sight(saved.id, destination, &receipt(9), &desk.now()).unwrap();
        assert_eq!(settle(&peer.outbox, &owner, &end, &desk.now()), Fenced::Held(()));
        let entry = desk.entry(saved.id).entry;
        assert_eq!(entry.state, EntryState::Waiting, "it needs nobody");
        assert!(desk.claim().is_some(), "and is due now, to be told as filed");
    }
}

#[test]
fn an_entry_follows_a_sighting_to_where_the_issue_is() {
    let desk = Desk::new();
    let client = desk.lane("client");
    let entry = in_doubt(&desk);
    let work = desk.entry(entry).entry.destination;
    assert!(desk.outbox.move_to(entry, "client", &desk.now()).unwrap().wish);
    let lease = desk.claim().unwrap();
    let first = desk.outbox.work(&lease).unwrap().destination.id;
    assert_eq!(settle(&desk.outbox, &lease, &cleared(), &desk.now()), Fenced::Held(()));
    assert_eq!(desk.entry(entry).entry.destination, client.name, "the wish was honoured");

    desk.outbox.sight(entry, first, &receipt(9), &desk.now()).unwrap();
    let lease = desk.claim().unwrap();
    let seen = desk.outbox.work(&lease).unwrap().sighting.expect("somebody saw it");
    assert_eq!(desk.intend(&lease), Fenced::Held(Intended::StandAside), "nothing is created elsewhere");
    assert_eq!(desk.outbox.follow(&lease, &seen, &desk.now()).unwrap(), Fenced::Held(()));
    assert_eq!(settle(&desk.outbox, &lease, &filed(9), &desk.now()), Fenced::Held(()));
    let entry = desk.entry(entry).entry;
    assert_eq!((entry.destination, entry.state), (work, EntryState::Filed));
}

#[test]
fn only_the_owner_follows() {
    let desk = Desk::new();
    let client = desk.lane("client");
    let saved = desk.file("work", "One");
    let stale = desk.claim().unwrap();
    desk.outbox.sight(saved.id, client.id, &receipt(9), &desk.now()).unwrap();
    let seen = desk.outbox.work(&stale).unwrap().sighting.unwrap();
    desk.pass(desk::LEASE_MS as u64);
    let _owner = desk.peer().claim(&desk.now()).unwrap();
    assert_eq!(desk.outbox.follow(&stale, &seen, &desk.now()).unwrap(), Fenced::Lost);
    assert_eq!(desk.entry(saved.id).entry.destination, "work");
}

#[test]
fn an_issue_that_is_there_twice_is_told_and_not_multiplied() {
    let desk = Desk::new();
    let entry = in_doubt(&desk);
    desk.pass(QUIET_MS);
    let lease = desk.claim().unwrap();
    assert_eq!(send_once_more(&desk.outbox, &lease, &desk), Fenced::Held(Intended::Noted));
    assert_eq!(settle(&desk.outbox, &lease, &filed(8), &desk.now()), Fenced::Held(()));

    assert_eq!(desk.outbox.late_look(&[], &desk.now()).unwrap(), None, "not yet");
    assert_eq!(desk.outbox.next_deadline(&desk.now()).unwrap(), Some(desk.now().boot_ms + QUIET_MS as i64));
    desk.pass(QUIET_MS);
    let held = desk.outbox.work(&lease).unwrap().destination.id;
    assert_eq!(desk.outbox.late_look(&[held], &desk.now()).unwrap(), None, "not of a lane we cannot serve");
    let look = desk.outbox.late_look(&[], &desk.now()).unwrap().expect("it was sent twice: a look is owed");
    assert_eq!(desk.outbox.late_look(&[], &desk.now()).unwrap(), None, "one look at a time");
    desk.outbox.looked_late(&look, &[receipt(7), receipt(8)], &desk.now()).unwrap();
    let told = desk.entry(entry).entry;
    assert_eq!((told.state, told.receipt.unwrap().number.as_str()), (EntryState::Filed, "8"));
    assert_eq!(told.reason.unwrap(), "It is there more than once: #7, #8. Close all but one at the tracker.");
    desk.pass(24 * 3_600_000);
    assert_eq!(desk.outbox.late_look(&[], &desk.now()).unwrap(), None, "once");
}

#[test]
fn an_issue_that_was_sent_once_owes_no_look() {
    let desk = Desk::new();
    desk.file("work", "One");
    let lease = desk.claim().unwrap();
    assert_eq!(desk.intend(&lease), Fenced::Held(Intended::Noted));
    assert_eq!(settle(&desk.outbox, &lease, &filed(8), &desk.now()), Fenced::Held(()));
    assert_eq!(desk.outbox.next_deadline(&desk.now()).unwrap(), None);
}

#[test]
fn a_wish_that_a_sighting_outran_is_told() {
    let desk = Desk::new();
    let entry = in_doubt(&desk);
    assert!(desk.outbox.withdraw(entry, &desk.now()).unwrap().wish);
    let lease = desk.claim().unwrap();
    let destination = desk.outbox.work(&lease).unwrap().destination.id;
    desk.outbox.sight(entry, destination, &receipt(9), &desk.now()).unwrap();
    assert_eq!(desk.outbox.release(&lease, "", &desk.now()).unwrap(), Fenced::Held(()));
    let lease = desk.claim().unwrap();
    assert_eq!(settle(&desk.outbox, &lease, &filed(9), &desk.now()), Fenced::Held(()));
    let entry = desk.entry(entry).entry;
    assert_eq!((entry.state, entry.wish), (EntryState::Filed, None));
    assert_eq!(entry.reason.unwrap(), "It had already been filed as #9.");
}

#[test]
fn a_new_generation_puts_everything_that_is_not_filed_in_doubt() {
    let desk = Desk::new();
    let fresh = desk.file("work", "Never sent, as far as this copy knows");
    let withdrawn = desk.file("work", "Taken back");
    desk.outbox.withdraw(withdrawn.id, &desk.now()).unwrap();
    let lease = desk.claim().unwrap();
    desk.outbox.begin_generation(&desk.now()).unwrap();
    assert_eq!(desk.outbox.renew(&lease, &desk.now()).unwrap(), Fenced::Lost, "no lease of the past holds");
    assert_eq!(desk.entry(fresh.id).entry.row, Row::Doubt);
    assert!(desk.outbox.withdraw(fresh.id, &desk.now()).unwrap().wish, "it may have been sent since");
    desk.outbox.restore(withdrawn.id, &desk.now()).unwrap();
    assert_eq!(desk.entry(withdrawn.id).entry.row, Row::Doubt, "doubt travels through withdraw and restore");
    let owner = desk.claim().unwrap();
    assert_eq!(desk.intend(&owner), Fenced::Held(Intended::StandAside), "nobody sends before a look");
    let gone = desk.outbox.work(&owner).unwrap().stages[0].gone.clone().unwrap();
    assert_eq!(gone.awake_ms, desk.now().awake_ms, "quiet time counts from here");
}

#[test]
fn a_generation_does_not_begin_beside_another_process() {
    let desk = Desk::new();
    let peer = desk.peer();
    assert_eq!(desk.outbox.begin_generation(&desk.now()).unwrap_err().code, Code::Busy);
    drop(peer);
    desk.outbox.begin_generation(&desk.now()).unwrap();
}

#[test]
fn a_claim_whose_answer_was_lost_is_found_and_given_back() {
    let desk = Desk::new();
    let saved = desk.file("work", "One");
    let held = desk.claim().unwrap();
    assert_eq!(desk.outbox.strays(&[held.fence]).unwrap(), [], "its worker has it");
    let strays = desk.outbox.strays(&[]).unwrap();
    assert_eq!(strays.iter().map(|lease| lease.entry).collect::<Vec<_>>(), [saved.id]);
    desk.outbox.abandon(&strays[0], &desk.now()).unwrap();
    assert!(desk.claim().is_some());
}

#[test]
fn the_moment_a_sender_was_gone_counts_and_not_the_moment_it_sent() {
    let desk = Desk::new();
    let saved = desk.file("work", "One");
    let lease = desk.claim().unwrap();
    assert_eq!(desk.intend(&lease), Fenced::Held(Intended::Noted));
    desk.pass(10 * QUIET_MS);
    desk.outbox.close(&lease, 1, Closed::Cancelled, &desk.now()).unwrap();
    let acted = desk.outbox.resolve_send_again(saved.id, &desk.now()).unwrap();
    assert!(acted.words.starts_with("The first one may still arrive for 60 s. "), "{}", acted.words);
}
