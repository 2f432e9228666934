//! Leases: claims just in time, renewals, and writes that only the owner can make.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod desk;

use desk::{Desk, LEASE_MS, doubt, filed, intend, made_and_intend, refused, settle};
use outtray_core::outbox::lease::Fenced;
use outtray_core::outbox::{Closed, Intended};
use outtray_core::view::{EntryState, Row, StageState};

#[test]
fn an_entry_has_one_owner() {
    let desk = Desk::new();
    desk.file("work", "One");
    let lease = desk.claim().expect("it is due");
    assert_eq!(desk.claim(), None, "it is in hand");
    assert_eq!(desk.peer().claim(&desk.now()), None, "for another process too");
    assert_eq!(desk.entry(lease.entry).entry.row, Row::Sending);
}

#[test]
fn what_is_in_hand_is_passed_over_for_what_is_due() {
    let desk = Desk::new();
    desk.file("work", "One");
    desk.file("work", "Two");
    let (first, second) = (desk.claim().unwrap(), desk.peer().claim(&desk.now()).unwrap());
    assert_ne!(first.entry, second.entry);
    assert!(second.fence > first.fence);
}

#[test]
fn nobody_creates_what_somebody_has_seen() {
    let desk = Desk::new();
    let saved = desk.file("work", "One");
    let lease = desk.claim().unwrap();
    let destination = desk.outbox.work(&lease).unwrap().destination.id;
    desk.outbox.sight(saved.id, destination, &desk::receipt(9), &desk.now()).unwrap();
    assert_eq!(desk.intend(&lease), Fenced::Held(Intended::StandAside));
}

#[test]
fn an_expired_lease_is_claimable_by_itself_under_a_higher_fence() {
    let desk = Desk::new();
    desk.file("work", "One");
    let first = desk.claim().unwrap();
    let peer = desk.peer();
    desk.pass(LEASE_MS as u64 - 1);
    assert_eq!(peer.claim(&desk.now()), None, "the lease still runs");
    desk.pass(1);
    let second = peer.claim(&desk.now()).expect("the lease is over");
    assert_eq!(second.entry, first.entry);
    assert!(second.fence > first.fence, "fences rise");
}

#[test]
fn a_renewed_lease_is_not_taken_over() {
    let desk = Desk::new();
    desk.file("work", "One");
    let lease = desk.claim().unwrap();
    desk.pass(20_000);
    let Fenced::Held(lease) = desk.outbox.renew(&lease, &desk.now()).unwrap() else { panic!("it is ours") };
    desk.pass(20_000);
    assert_eq!(desk.peer().claim(&desk.now()), None);
    assert!(!lease.is_trusted(&desk.now()), "but its holder must have renewed by now");
}

#[test]
fn an_expired_lease_cannot_be_renewed_even_if_nobody_took_it() {
    let desk = Desk::new();
    desk.file("work", "One");
    let lease = desk.claim().unwrap();
    desk.pass(LEASE_MS as u64);
    assert_eq!(desk.outbox.renew(&lease, &desk.now()).unwrap(), Fenced::Lost);
}

#[test]
fn sleep_counts_towards_a_lease_and_a_wall_clock_jump_does_not() {
    let desk = Desk::new();
    desk.file("work", "One");
    let lease = desk.claim().unwrap();
    desk.clock.set_wall(desk.now().wall_ms + 10 * 365 * 86_400_000);
    assert_eq!(desk.peer().claim(&desk.now()), None, "the wall clock says nothing about leases");
    desk.clock.suspend(std::time::Duration::from_secs(31));
    assert_eq!(desk.outbox.renew(&lease, &desk.now()).unwrap(), Fenced::Lost);
    assert!(desk.peer().claim(&desk.now()).is_some());
}

#[test]
fn a_reboot_frees_every_lease_at_once() {
    let desk = Desk::new();
    desk.file("work", "One");
    let lease = desk.claim().unwrap();
    desk.clock.reboot("boot-2");
    assert!(desk.peer().claim(&desk.now()).is_some());
    assert_eq!(desk.outbox.renew(&lease, &desk.now()).unwrap(), Fenced::Lost);
}

#[test]
fn a_displaced_worker_cannot_settle() {
    let desk = Desk::new();
    desk.file("work", "One");
    let stale = desk.claim().unwrap();
    desk.pass(LEASE_MS as u64);
    let peer = desk.peer();
    let owner = peer.claim(&desk.now()).unwrap();
    for settlement in [filed(7), refused(), doubt(0)] {
        assert_eq!(settle(&desk.outbox, &stale, &settlement, &desk.now()), Fenced::Lost);
    }
    assert_eq!(desk.outbox.release(&stale, "", &desk.now()).unwrap(), Fenced::Lost);
    assert_eq!(desk.outbox.renew(&stale, &desk.now()).unwrap(), Fenced::Lost);
    assert_eq!(desk.intend(&stale), Fenced::Lost);
    let entry = desk.entry(stale.entry).entry;
    assert_eq!((entry.state, entry.row), (EntryState::Waiting, Row::Sending), "nothing of it was written");
    assert_eq!(settle(&peer.outbox, &owner, &filed(8), &desk.now()), Fenced::Held(()));
    assert_eq!(desk.entry(stale.entry).entry.receipt.unwrap().number, "8");
}

#[test]
fn a_stage_that_is_done_is_settled_together_with_the_intent_of_the_next() {
    let desk = Desk::new();
    desk.file_with_attachment("work", "One");
    let lease = desk.claim().unwrap();
    assert_eq!(desk.intend(&lease), Fenced::Held(Intended::Noted));
    assert_eq!(made_and_intend(&desk.outbox, &lease, 7, &desk.now()), Fenced::Held(Intended::Noted));
    let work = desk.outbox.work(&lease).unwrap();
    assert_eq!(work.receipt.map(|receipt| receipt.number), Some("7".to_owned()));
    let states: Vec<_> = work.stages.iter().map(|stage| stage.state).collect();
    assert_eq!(states, [StageState::Done, StageState::Sent]);
    assert!(work.stages[0].gone.is_some() && work.stages[1].gone.is_none(), "one sender is gone, one is not");
}

#[test]
fn a_displaced_worker_settles_nothing_and_intends_nothing() {
    let desk = Desk::new();
    desk.file_with_attachment("work", "One");
    let stale = desk.claim().unwrap();
    assert_eq!(desk.intend(&stale), Fenced::Held(Intended::Noted));
    desk.pass(LEASE_MS as u64);
    let owner = desk.peer().claim(&desk.now()).unwrap();
    assert_eq!(made_and_intend(&desk.outbox, &stale, 7, &desk.now()), Fenced::Lost);
    let work = desk.outbox.work(&owner).unwrap();
    let states: Vec<_> = work.stages.iter().map(|stage| stage.state).collect();
    assert_eq!(states, [StageState::Sent, StageState::Open]);
    assert!(
        work.receipt.is_none() && work.stages[0].gone.is_some(),
        "it only says that its connection is gone"
    );
}

#[test]
fn a_stage_that_ends_after_the_lease_is_settled_and_nothing_more_is_sent() {
    let desk = Desk::new();
    desk.file_with_attachment("work", "One");
    let lease = desk.claim().unwrap();
    assert_eq!(desk.intend(&lease), Fenced::Held(Intended::Noted));
    desk.pass(LEASE_MS as u64);
    assert_eq!(made_and_intend(&desk.outbox, &lease, 7, &desk.now()), Fenced::Held(Intended::StandAside));
    let work = desk.outbox.work(&lease).unwrap();
    let states: Vec<_> = work.stages.iter().map(|stage| stage.state).collect();
    assert_eq!(states, [StageState::Done, StageState::Open], "a known success is taken late");
}

#[test]
fn the_token_alone_is_not_enough() {
    let desk = Desk::new();
    desk.file("work", "One");
    let first = desk.claim().unwrap();
    desk.pass(LEASE_MS as u64);
    let second = desk.claim().expect("the same drain claims it again");
    assert_eq!(first.token, second.token, "three workers share a token");
    assert_eq!(
        settle(&desk.outbox, &first, &filed(7), &desk.now()),
        Fenced::Lost,
        "the fence tells them apart"
    );
}

#[test]
fn a_known_success_is_accepted_late_while_nobody_has_claimed_since() {
    let desk = Desk::new();
    desk.file("work", "One");
    let lease = desk.claim().unwrap();
    assert_eq!(desk.intend(&lease), Fenced::Held(Intended::Noted));
    desk.pass(LEASE_MS as u64 * 3);
    assert_eq!(settle(&desk.outbox, &lease, &filed(7), &desk.now()), Fenced::Held(()));
}

#[test]
fn an_entry_is_settled_once() {
    let desk = Desk::new();
    desk.file("work", "One");
    let lease = desk.claim().unwrap();
    assert_eq!(settle(&desk.outbox, &lease, &filed(7), &desk.now()), Fenced::Held(()));
    assert_eq!(settle(&desk.outbox, &lease, &filed(8), &desk.now()), Fenced::Lost);
    assert_eq!(desk.entry(lease.entry).entry.receipt.unwrap().number, "7");
}

#[test]
fn no_intent_is_noted_without_a_live_lease() {
    let desk = Desk::new();
    desk.file("work", "One");
    let lease = desk.claim().unwrap();
    desk.pass(LEASE_MS as u64);
    assert_eq!(desk.intend(&lease), Fenced::Lost);
}

#[test]
fn a_takeover_never_raises_attention_and_never_counts_twice() {
    let desk = Desk::new();
    desk.file("work", "One");
    let first = desk.claim().unwrap();
    desk.pass(LEASE_MS as u64);
    let peer = desk.peer();
    let second = peer.claim(&desk.now()).unwrap();
    let entry = desk.entry(first.entry);
    assert_eq!(entry.entry.attempts, 1);
    assert_eq!(entry.entry.state, EntryState::Waiting);
    assert_eq!(entry.tries[1].number, None, "the lost try does not count");
    assert_eq!(settle(&desk.outbox, &first, &refused(), &desk.now()), Fenced::Lost);
    assert_eq!(desk.outbox.facts(&desk.now()).unwrap().attention, 0);
    assert_eq!(settle(&peer.outbox, &second, &filed(1), &desk.now()), Fenced::Held(()));
}

#[test]
fn a_release_gives_the_try_back() {
    let desk = Desk::new();
    desk.file("work", "One");
    let lease = desk.claim().unwrap();
    assert_eq!(desk.outbox.release(&lease, "Not now.", &desk.now()).unwrap(), Fenced::Held(()));
    let entry = desk.entry(lease.entry).entry;
    assert_eq!((entry.attempts, entry.row), (0, Row::Waiting));
    assert!(desk.claim().is_some(), "and the entry is due again at once");
}

#[test]
fn a_late_sender_may_say_that_the_issue_exists_and_the_owner_takes_it() {
    let desk = Desk::new();
    let saved = desk.file("work", "One");
    let stale = desk.claim().unwrap();
    assert_eq!(desk.intend(&stale), Fenced::Held(Intended::Noted));
    desk.pass(LEASE_MS as u64);
    let peer = desk.peer();
    let owner = peer.claim(&desk.now()).unwrap();
    let work = desk.outbox.work(&owner).unwrap();
    desk.outbox.sight(saved.id, work.destination.id, &desk::receipt(9), &desk.now()).unwrap();
    assert_eq!(
        intend(&peer.outbox, &owner, &desk.now()),
        Fenced::Held(Intended::StandAside),
        "nobody creates what somebody has seen"
    );
    assert_eq!(peer.outbox.work(&owner).unwrap().sighting.map(|seen| seen.receipt), Some(desk::receipt(9)));
}

#[test]
fn a_close_needs_no_fence_and_is_kept_once() {
    let desk = Desk::new();
    desk.file("work", "One");
    let stale = desk.claim().unwrap();
    assert_eq!(desk.intend(&stale), Fenced::Held(Intended::Noted));
    desk.pass(LEASE_MS as u64);
    let owner = desk.peer().claim(&desk.now()).unwrap();
    assert!(desk.outbox.work(&owner).unwrap().stages[0].gone.is_none(), "its sender may still live");
    desk.outbox.close(&stale, 1, Closed::Cancelled, &desk.now()).unwrap();
    let gone = desk.outbox.work(&owner).unwrap().stages[0].gone.clone().unwrap();
    desk.pass(5_000);
    desk.outbox.close(&stale, 1, Closed::Cancelled, &desk.now()).unwrap();
    assert_eq!(
        desk.outbox.work(&owner).unwrap().stages[0].gone.clone().unwrap(),
        gone,
        "the first moment stands"
    );
}

#[test]
fn a_worker_that_stumbles_three_times_over_an_entry_leaves_it_to_the_person() {
    let desk = Desk::new();
    let saved = desk.file("work", "Poison");
    for _ in 0..3 {
        let lease = desk.claim().expect("it is tried again");
        desk.outbox.stumble(&lease, &desk.now()).unwrap();
    }
    assert_eq!(desk.claim(), None);
    assert_eq!(desk.entry(saved.id).entry.state, EntryState::Attention);
}

#[test]
fn everybody_hears_of_it_when_a_claim_finds_that_an_entry_needs_the_person() {
    let desk = Desk::new();
    let saved = desk.file("work", "One");
    desk.database().execute("UPDATE entry SET budget_used = 20, attempts = 20", []).unwrap();
    let mut changes = desk.outbox.store().changes();
    changes.mark_unchanged();
    assert_eq!(desk.claim(), None);
    assert_eq!(desk.entry(saved.id).entry.state, EntryState::Attention);
    assert!(changes.has_changed().unwrap(), "the tray shows what the outbox holds");
}

#[test]
fn the_store_itself_keeps_keys_fences_and_what_is_filed() {
    let desk = Desk::new();
    desk.file("work", "One");
    let lease = desk.claim().unwrap();
    let refused = |sql: &str| desk.database().execute(sql, []).unwrap_err().to_string();
    assert_eq!(refused("UPDATE entry SET key = 'another'"), "KeyFrozen");
    assert_eq!(refused("UPDATE entry SET fence = fence - 1"), "FenceRises");
    assert_eq!(settle(&desk.outbox, &lease, &filed(31), &desk.now()), Fenced::Held(()));
    assert_eq!(refused("UPDATE entry SET state = 'waiting'"), "SettleOnce");
}

#[test]
fn a_takeover_of_the_last_try_needs_nobody() {
    let desk = Desk::new();
    desk.file("work", "One");
    desk.database().execute("UPDATE entry SET budget_used = 19, attempts = 19", []).unwrap();
    let first = desk.claim().expect("the twentieth try");
    desk.pass(LEASE_MS as u64);
    let peer = desk.peer();
    let second = peer.claim(&desk.now()).expect("it is the same try still");
    assert_eq!(settle(&peer.outbox, &second, &refused(), &desk.now()), Fenced::Held(()));
    assert_eq!(desk.entry(first.entry).entry.attempts, 20);
}

#[test]
fn what_somebody_has_seen_needs_nobody_however_often_it_was_stumbled_over() {
    let desk = Desk::new();
    let saved = desk.file("work", "One");
    for _ in 0..3 {
        let lease = desk.claim().unwrap();
        desk.outbox.stumble(&lease, &desk.now()).unwrap();
    }
    let work = desk.entry(saved.id).entry.destination;
    let destination = desk.outbox.destination(&work).unwrap().id;
    desk.outbox.sight(saved.id, destination, &desk::receipt(9), &desk.now()).unwrap();
    assert!(desk.claim().is_some(), "it is only to be told as filed");
}

#[test]
fn who_leaves_closes_what_it_had_sent_and_gives_back_what_it_held() {
    let desk = Desk::new();
    desk.file("work", "One");
    let peer = desk.peer();
    let lease = peer.claim(&desk.now()).unwrap();
    assert_eq!(intend(&peer.outbox, &lease, &desk.now()), Fenced::Held(Intended::Noted));
    peer.outbox.leave(&desk.now()).unwrap();
    drop(peer);
    let lease = desk.claim().expect("at once");
    assert!(desk.outbox.work(&lease).unwrap().stages[0].gone.is_some(), "and quiet time counts from there");
}
