//! Lanes: fairness, order, holds, and what a person pauses.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod desk;

use desk::{Desk, claim, doubt, filed, refused, settle};
use outtray_core::outbox::fate::{End, LaneMark, Outcome, Settlement, StageMark};
use outtray_core::outbox::lease::{Fenced, Lease};

fn lane_of(desk: &Desk, lease: &Lease) -> String {
    desk.entry(lease.entry).entry.destination
}

fn end(lane: LaneMark) -> Settlement {
    let end = End::Release { outcome: Outcome::NotSent, words: "No.".into() };
    Settlement { stage: StageMark::Open, end: Some(end), lane }
}

#[test]
fn within_a_lane_first_in_is_first_out() {
    let desk = Desk::new();
    let saved: Vec<i64> = (0..4).map(|n| desk.file("work", &format!("Issue {n}")).id).collect();
    let claimed: Vec<i64> = (0..4)
        .map(|_| {
            let lease = desk.claim().unwrap();
            assert_eq!(
                settle(&desk.outbox, &lease, &filed(u32::try_from(lease.entry).unwrap()), &desk.now()),
                Fenced::Held(())
            );
            lease.entry
        })
        .collect();
    assert_eq!(claimed, saved);
}

#[test]
fn the_least_recently_served_lane_comes_next() {
    let desk = Desk::new();
    desk.lane("client");
    for n in 0..10 {
        desk.file("work", &format!("Work {n}"));
    }
    desk.file("client", "Client");
    let lanes: Vec<String> = (0..3).map(|_| lane_of(&desk, &desk.claim().unwrap())).collect();
    assert!(lanes[..2].contains(&"client".to_owned()), "a long line does not starve a short one: {lanes:?}");
}

#[test]
fn one_lane_takes_two_of_three_workers_while_another_is_due_and_all_when_alone() {
    let desk = Desk::new();
    let client = desk.lane("client");
    for n in 0..5 {
        desk.file("work", &format!("Work {n}"));
    }
    let alone: Vec<_> = (0..3).map(|_| desk.claim().unwrap()).collect();
    assert!(alone.iter().all(|lease| lane_of(&desk, lease) == "work"), "nobody else is due");
    for lease in &alone {
        let _given_back = desk.outbox.release(lease, "", &desk.now()).unwrap();
    }
    for n in 0..5 {
        desk.file("client", &format!("Client {n}"));
    }
    let lanes: Vec<_> = (0..3).map(|_| lane_of(&desk, &desk.claim().unwrap())).collect();
    let clients = lanes.iter().filter(|lane| *lane == "client").count();
    assert!((1..=2).contains(&clients), "{lanes:?}");
    assert!(client.id > 0);
}

#[test]
fn a_lane_without_a_credential_here_is_not_admitted_and_holds_nobody_up() {
    let desk = Desk::new();
    let client = desk.lane("client");
    desk.file("client", "First");
    desk.file("work", "Second");
    let lease = claim(&desk.outbox, "drain", 3, &[client.id], &desk.now()).unwrap();
    assert_eq!(lane_of(&desk, &lease), "work");
    assert_eq!(claim(&desk.outbox, "drain", 3, &[client.id], &desk.now()), None);
}

#[test]
fn an_entry_that_waits_for_its_backoff_never_holds_up_those_behind_it() {
    let desk = Desk::new();
    let first = desk.file("work", "First");
    let second = desk.file("work", "Second");
    let lease = desk.claim().unwrap();
    assert_eq!(lease.entry, first.id);
    let later = desk.now().boot_ms + 60_000;
    assert_eq!(settle(&desk.outbox, &lease, &doubt(later), &desk.now()), Fenced::Held(()));
    assert_eq!(desk.claim().unwrap().entry, second.id);
    desk.pass(60_000);
    assert_eq!(desk.claim().unwrap().entry, first.id, "and it comes back by itself");
}

#[test]
fn an_unreachable_tracker_gets_one_probe_a_pause_not_one_failure_an_entry() {
    let desk = Desk::new();
    desk.file("work", "First");
    desk.file("work", "Second");
    let lease = desk.claim().unwrap();
    let until_ms = desk.now().boot_ms + 5_000;
    let settlement = end(LaneMark::Unreachable { until_ms, words: "It does not answer.".into() });
    assert_eq!(settle(&desk.outbox, &lease, &settlement, &desk.now()), Fenced::Held(()));
    assert_eq!(desk.claim(), None, "the lane waits as a whole");
    desk.pass(5_000);
    assert!(desk.claim().is_some(), "one probe");
    assert_eq!(desk.claim(), None, "and only one, while it is failing");
}

#[test]
fn a_signed_out_lane_waits_until_a_credential_changes() {
    let desk = Desk::new();
    let saved = desk.file("work", "First");
    let lane = desk.outbox.destination("work").unwrap().id;
    let rev = desk.outbox.credential_seen(lane, "old").unwrap();
    let lease = desk.claim().unwrap();
    let settlement = end(LaneMark::SignIn { words: "Gitea did not accept the sign-in.".into() });
    let settled = desk.outbox.settle(&lease, Some((1, None)), &settlement, rev, &desk.now()).unwrap();
    assert_eq!(settled, Fenced::Held(()));
    desk.pass(86_400_000);
    assert_eq!(desk.claim(), None, "time does not sign anybody in");
    assert!(desk.outbox.facts(&desk.now()).unwrap().lanes[0].signed_out);
    desk.outbox.credential_seen(lane, "old").unwrap();
    assert_eq!(desk.claim(), None, "the same credential changes nothing");
    desk.outbox.credential_seen(lane, "new").unwrap();
    assert_eq!(desk.claim().unwrap().entry, saved.id);
}

#[test]
fn a_late_refusal_of_an_old_token_does_not_hold_a_lane_that_was_just_signed_in() {
    let desk = Desk::new();
    desk.file("work", "First");
    let lane = desk.outbox.destination("work").unwrap().id;
    let old = desk.outbox.credential_seen(lane, "old").unwrap();
    let lease = desk.claim().unwrap();
    desk.outbox.credential_seen(lane, "new").unwrap();
    let settlement = end(LaneMark::SignIn { words: "No.".into() });
    let settled = desk.outbox.settle(&lease, Some((1, None)), &settlement, old, &desk.now()).unwrap();
    assert_eq!(settled, Fenced::Held(()));
    assert!(desk.claim().is_some(), "the lane is open");
}

#[test]
fn a_pause_holds_a_lane_or_everything_until_it_is_over() {
    let desk = Desk::new();
    desk.lane("client");
    desk.file("work", "First");
    desk.outbox.pause(Some("work"), Some(10), &desk.now()).unwrap();
    assert_eq!(desk.claim(), None);
    desk.file("client", "Second");
    assert_eq!(lane_of(&desk, &desk.claim().unwrap()), "client");
    desk.pass(600_000);
    assert_eq!(lane_of(&desk, &desk.claim().unwrap()), "work", "ten minutes are over");
    desk.file("client", "Third");
    desk.outbox.pause(None, None, &desk.now()).unwrap();
    assert_eq!(desk.claim(), None);
    desk.outbox.resume(None).unwrap();
    assert!(desk.claim().is_some());
}

#[test]
fn retry_overrides_the_pause_between_probes_but_not_what_the_tracker_or_the_person_imposed() {
    let desk = Desk::new();
    let saved = desk.file("work", "First");
    let far = desk.now().boot_ms + 3_600_000;
    let lease = desk.claim().unwrap();
    let _ = settle(
        &desk.outbox,
        &lease,
        &end(LaneMark::Unreachable { until_ms: far, words: "No.".into() }),
        &desk.now(),
    );
    desk.outbox.retry(saved.id, &desk.now()).unwrap();
    let lease = desk.claim().expect("a retry always works");
    let _ = settle(
        &desk.outbox,
        &lease,
        &end(LaneMark::RateLimit { until_ms: far, words: "Wait.".into() }),
        &desk.now(),
    );
    let acted = desk.outbox.retry(saved.id, &desk.now()).unwrap();
    assert_eq!(acted.words, "It goes in 60 minutes: work asked to wait.");
    assert_eq!(desk.claim(), None, "the tracker asked to wait");
    desk.pass(3_600_000 - 89_000);
    assert_eq!(
        desk.outbox.retry(saved.id, &desk.now()).unwrap().words,
        "It goes in 89 s: work asked to wait."
    );
    for paused in [Some("work"), None] {
        desk.outbox.pause(paused, None, &desk.now()).unwrap();
        let acted = desk.outbox.retry(saved.id, &desk.now()).unwrap();
        assert_eq!(acted.words, "It goes once work is resumed.");
    }
    desk.outbox.resume(None).unwrap();
    desk.pass(89_000);
    assert_eq!(desk.outbox.retry(saved.id, &desk.now()).unwrap().words, "It is tried now.");
    assert!(desk.claim().is_some());
}

#[test]
fn a_gate_that_opened_during_a_pause_is_no_deadline_any_more() {
    let desk = Desk::new();
    desk.file("work", "First");
    let lease = desk.claim().unwrap();
    let later = desk.now().boot_ms + 1_000;
    assert_eq!(settle(&desk.outbox, &lease, &doubt(later), &desk.now()), Fenced::Held(()));
    assert_eq!(desk.outbox.next_deadline(&desk.now()).unwrap(), Some(later));
    desk.outbox.pause(None, None, &desk.now()).unwrap();
    desk.pass(1_000);
    assert_eq!(desk.claim(), None);
    assert_eq!(desk.outbox.next_deadline(&desk.now()).unwrap(), None, "or the drainer would wake for ever");
}

#[test]
fn a_lane_with_its_share_of_the_workers_waits_even_when_it_is_the_least_recently_served() {
    let desk = Desk::new();
    desk.lane("client");
    for title in ["One", "Two", "Three"] {
        desk.file("work", title);
    }
    let ours = [desk.claim().unwrap(), desk.claim().unwrap()];
    assert!(ours.iter().all(|lease| lane_of(&desk, lease) == "work"));
    desk.file("client", "Theirs");
    let peer = desk.peer();
    assert_eq!(lane_of(&desk, &peer.claim(&desk.now()).unwrap()), "client", "and so it was served last");
    desk.file("client", "Ours");
    assert_eq!(lane_of(&desk, &desk.claim().unwrap()), "client", "the third worker is for another lane");
}

#[test]
fn a_lane_without_a_token_is_told_only_while_something_waits_for_it_and_promises_no_next_try() {
    let desk = Desk::new();
    let work = desk.outbox.destination("work").unwrap().id;
    let held = |desk: &Desk| {
        let listed = desk.outbox.destinations(&desk.now()).unwrap();
        listed.iter().any(|lane| lane.needs_sign_in)
    };
    desk.outbox.no_token(work, "No token for work.").unwrap();
    assert!(!held(&desk));
    let saved = desk.file("work", "One");
    let lease = desk.claim().unwrap();
    assert_eq!(
        settle(&desk.outbox, &lease, &desk::doubt(desk.now().boot_ms + 5_000), &desk.now()),
        Fenced::Held(())
    );
    assert!(held(&desk));
    assert_eq!(desk.outbox.facts(&desk.now()).unwrap().next_try_ms, None, "only a sign-in moves it");
    desk.outbox.signed_in(work, None).unwrap();
    assert!(!held(&desk) && desk.outbox.facts(&desk.now()).unwrap().next_try_ms.is_some());
    desk.outbox.withdraw(saved.id, &desk.now()).unwrap();
}

/// Five lanes, one with a long line and one on a dead host: whoever is due is served within as many claims as there are
/// lanes, however long the others' lines are.
fn every_lane_is_served_within_its_bound(claims: usize, long_line: usize) {
    let desk = Desk::new();
    let lanes = ["work", "b", "c", "d", "dead"];
    for name in &lanes[1..] {
        desk.lane(name);
    }
    for n in 0..long_line {
        desk.file("work", &format!("Work {n}"));
    }
    for name in &lanes[1..] {
        desk.file(name, "One");
    }
    let mut since = std::collections::HashMap::from(lanes.map(|name| (name, 0_usize)));
    let mut worst = 0;
    for _ in 0..claims {
        let lease = desk.claim().expect("something is always due");
        let lane = lane_of(&desk, &lease);
        let mark = if lane == "dead" {
            LaneMark::Unreachable {
                until_ms: desk.now().boot_ms + 10_000,
                words: "It does not answer.".into(),
            }
        } else {
            LaneMark::Untouched
        };
        assert_eq!(settle(&desk.outbox, &lease, &end(mark), &desk.now()), Fenced::Held(()));
        desk.pass(100);
        for (name, waited) in &mut since {
            *waited = if *name == lane { 0 } else { *waited + 1 };
            if *name != "dead" {
                worst = worst.max(*waited);
            }
        }
    }
    assert!(worst < lanes.len(), "a lane waited for {worst} claims");
}

#[test]
fn every_healthy_lane_is_served_within_as_many_claims_as_there_are_lanes() {
    every_lane_is_served_within_its_bound(600, 200);
}

#[test]
#[ignore = "long: ./dev chaos"]
fn every_healthy_lane_is_served_within_its_bound_in_100_000_claims() {
    every_lane_is_served_within_its_bound(100_000, 5_000);
}

/// What a worker brings home of an entry that will never be filed.
#[derive(Debug, Clone, Copy)]
enum Poison {
    /// The tracker's no.
    Refused,
    /// No usable answer, and a pause before the next look.
    InDoubt,
    /// A worker that stumbles over it.
    Stumbled,
}

/// The titles in the order in which one worker got them, while no time passes.
fn claimed_in_order(poison: Option<Poison>) -> Vec<String> {
    let desk = Desk::new();
    desk.lane("b");
    if poison.is_some() {
        desk.file("work", "poison");
    }
    for n in 0..6 {
        desk.file("work", &format!("work {n}"));
        desk.file("b", &format!("b {n}"));
    }
    let mut order = Vec::new();
    while let Some(lease) = desk.claim() {
        let title = desk.entry(lease.entry).entry.title;
        let settlement = match poison.filter(|_| title == "poison") {
            Some(Poison::Stumbled) => None,
            Some(Poison::Refused) => Some(refused()),
            Some(Poison::InDoubt) => Some(doubt(desk.now().boot_ms + 60_000)),
            None => Some(filed(u32::try_from(lease.entry).unwrap())),
        };
        match settlement {
            Some(settlement) => {
                let held = settle(&desk.outbox, &lease, &settlement, &desk.now());
                assert_eq!(held, Fenced::Held(()), "{title}");
            }
            None => desk.outbox.stumble(&lease, &desk.now()).unwrap(),
        }
        order.push(title);
    }
    order
}

#[test]
fn a_poison_entry_delays_others_by_nothing_but_its_own_tries() {
    let usual = claimed_in_order(None);
    let of = |order: &[String], lane: &str| -> Vec<(usize, String)> {
        let at = order.iter().cloned().enumerate();
        at.filter(|(_, title)| title.starts_with(lane)).collect()
    };
    for (poison, tries) in [(Poison::Refused, 1), (Poison::InDoubt, 1), (Poison::Stumbled, 3)] {
        let order = claimed_in_order(Some(poison));
        assert_eq!(of(&order, "poison").len(), tries, "{poison:?}: {order:?}");
        assert_eq!(
            order.len(),
            usual.len() + tries,
            "{poison:?}: all others are filed, and nobody waited for it"
        );
        let own: Vec<String> = of(&order, "work").into_iter().map(|(_, title)| title).collect();
        let as_usual: Vec<String> = of(&usual, "work").into_iter().map(|(_, title)| title).collect();
        assert_eq!(own, as_usual, "{poison:?}: its own lane stays in order");
        let places = |order: &[String]| of(order, "b").into_iter().map(|(at, _)| at).collect::<Vec<_>>();
        assert_eq!(places(&order), places(&usual), "{poison:?}: the other lane has its turns as without it");
    }
}
