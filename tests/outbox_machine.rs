//! The store against a reference: any order of claims, settles, acts and time, compared after every step, with the
//! invariants asked by SQL.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod desk;
#[path = "machine/reference.rs"]
mod reference;

use desk::{Desk, Peer, doubt, filed, receipt, refused, settle};
use outtray_core::outbox::lease::{Fenced, Lease};
use outtray_core::outbox::{Intended, Outbox};
use outtray_core::view::{EntryState, Row};
use outtray_core::{Code, Problem};
use proptest::prelude::*;
use proptest_state_machine::{ReferenceStateMachine, StateMachineTest, prop_state_machine};
use reference::{Acted, BACKOFF_MS, End, Reference, State, Wish};

const LANES: [&str; 2] = ["work", "client"];

#[derive(Debug, Clone)]
enum Step {
    File(usize),
    Claim(usize),
    Renew(usize),
    Intend(usize),
    Settle(usize, End),
    Sight(usize, u32),
    Act(usize, Wish),
    Restore(usize),
    Pass(i64),
}

struct Machine;

impl ReferenceStateMachine for Machine {
    type State = Reference;
    type Transition = Step;

    fn init_state() -> BoxedStrategy<Reference> {
        Just(Reference::new(LANES.len())).boxed()
    }

    fn transitions(state: &Reference) -> BoxedStrategy<Step> {
        let file = (0..LANES.len()).prop_map(Step::File);
        let claim = (0..2_usize).prop_map(Step::Claim);
        let pass = prop_oneof![Just(1_000), Just(6_000), Just(31_000)].prop_map(Step::Pass);
        if state.entries.is_empty() {
            return file.boxed();
        }
        let entries = state.entries.len();
        let act = (
            0..entries,
            prop_oneof![Just(Wish::Retry), Just(Wish::Withdraw), (0..LANES.len()).prop_map(Wish::Move),],
        )
            .prop_map(|(entry, wish)| Step::Act(entry, wish));
        let sight = (0..entries, 100..110_u32).prop_map(|(entry, number)| Step::Sight(entry, number));
        let restore = (0..entries).prop_map(Step::Restore);
        if state.claims.is_empty() {
            return prop_oneof![3 => file, 4 => claim, 1 => pass, 1 => act, 1 => restore].boxed();
        }
        // Mostly the latest claims, and sometimes those that were displaced long ago.
        let count = state.claims.len();
        let some = || prop_oneof![3 => count.saturating_sub(3)..count, 1 => 0..count];
        let end = prop_oneof![
            2 => (1..50_u32).prop_map(End::Done),
            1 => Just(End::Refused),
            3 => Just(End::Doubt),
            2 => Just(End::Released),
        ];
        prop_oneof![
            3 => file,
            6 => claim,
            3 => some().prop_map(Step::Renew),
            5 => some().prop_map(Step::Intend),
            6 => (some(), end).prop_map(|(claim, end)| Step::Settle(claim, end)),
            1 => sight,
            4 => act,
            2 => restore,
            4 => pass,
        ]
        .boxed()
    }

    fn apply(mut state: Reference, step: &Step) -> Reference {
        match *step {
            Step::File(lane) => state.file(lane),
            Step::Claim(process) => drop(state.claim(process)),
            Step::Renew(claim) => drop(state.renew(claim)),
            Step::Intend(claim) => drop(state.intend(claim)),
            Step::Settle(claim, end) => drop(state.settle(claim, end)),
            Step::Sight(entry, number) => state.sight(entry, number),
            Step::Act(entry, wish) => drop(state.act(entry, wish)),
            Step::Restore(entry) => drop(state.restore(entry)),
            Step::Pass(ms) => state.now += ms,
        }
        state
    }

    fn preconditions(state: &Reference, step: &Step) -> bool {
        match *step {
            Step::Renew(claim) | Step::Intend(claim) | Step::Settle(claim, _) => claim < state.claims.len(),
            Step::Sight(entry, _) | Step::Act(entry, _) | Step::Restore(entry) => entry < state.entries.len(),
            Step::File(_) | Step::Claim(_) | Step::Pass(_) => true,
        }
    }
}

/// The real thing: one store, two processes, and every lease that was ever given.
struct Real {
    desk: Desk,
    peer: Peer,
    leases: Vec<Lease>,
    /// As it was before the step.
    before: Reference,
}

impl Real {
    fn outbox(&self, process: usize) -> &Outbox {
        if process == 0 { &self.desk.outbox } else { &self.peer.outbox }
    }

    fn of(&self, claim: usize) -> (&Outbox, &Lease) {
        (self.outbox(self.before.claims[claim].process), &self.leases[claim])
    }
}

impl StateMachineTest for Machine {
    type SystemUnderTest = Real;
    type Reference = Self;

    fn init_test(state: &Reference) -> Real {
        let desk = Desk::new();
        desk.lane(LANES[1]);
        let peer = desk.peer();
        Real { desk, peer, leases: Vec::new(), before: state.clone() }
    }

    fn apply(mut real: Real, after: &Reference, step: Step) -> Real {
        let now = real.desk.now();
        let mut expected = real.before.clone();
        let id = |entry: usize| i64::try_from(entry).unwrap() + 1;
        match step {
            Step::File(lane) => drop(real.desk.file(LANES[lane], "One")),
            Step::Claim(process) => {
                let lease = if process == 0 { real.desk.claim() } else { real.peer.claim(&now) };
                let claimed = lease.as_ref().map(|lease| lease.entry);
                assert_eq!(claimed, expected.claim(process).map(id), "which entry comes next");
                real.leases.extend(lease);
            }
            Step::Renew(claim) => {
                let (outbox, lease) = real.of(claim);
                let renewed = outbox.renew(lease, &now).unwrap();
                assert_eq!(matches!(renewed, Fenced::Held(_)), expected.renew(claim), "OneOwner");
            }
            Step::Intend(claim) => {
                let (outbox, lease) = real.of(claim);
                let noted = match desk::intend_first(outbox, lease, &now) {
                    Fenced::Held(intended) => Some(intended == Intended::Noted),
                    Fenced::Lost => None,
                };
                assert_eq!(noted, expected.intend(claim), "NoStageWithoutLease");
            }
            Step::Settle(claim, end) => {
                let (outbox, lease) = real.of(claim);
                let settled = match end {
                    End::Done(number) => settle(outbox, lease, &filed(number), &now),
                    End::Refused => settle(outbox, lease, &refused(), &now),
                    End::Doubt => settle(outbox, lease, &doubt(now.boot_ms + BACKOFF_MS), &now),
                    End::Released => outbox.release(lease, "", &now).unwrap(),
                };
                assert_eq!(settled == Fenced::Held(()), expected.settle(claim, end), "OnlyOwnerSettles");
            }
            Step::Sight(entry, number) => {
                let number = expected.entries[entry].sighting.unwrap_or(number);
                let lane = LANES[expected.entries[entry].lane];
                let destination = real.desk.outbox.destination(lane).unwrap().id;
                real.desk.outbox.sight(id(entry), destination, &receipt(number), &now).unwrap();
            }
            Step::Act(entry, wish) => {
                let acted = match wish {
                    Wish::Retry => real.peer.outbox.retry(id(entry), &now),
                    Wish::Withdraw => real.peer.outbox.withdraw(id(entry), &now),
                    Wish::Move(lane) => real.peer.outbox.move_to(id(entry), LANES[lane], &now),
                };
                assert_eq!(
                    told(acted.map(|acted| acted.wish)),
                    expected.act(entry, wish),
                    "what an act may do"
                );
            }
            Step::Restore(entry) => {
                let acted = real.desk.outbox.restore(id(entry), &now);
                assert_eq!(told(acted.map(|acted| acted.wish)), expected.restore(entry));
            }
            Step::Pass(ms) => real.desk.pass(ms.unsigned_abs()),
        }
        real.before = after.clone();
        real
    }

    fn check_invariants(real: &Real, state: &Reference) {
        let now = real.desk.now();
        for (at, expected) in state.entries.iter().enumerate() {
            let entry = real.desk.entry(i64::try_from(at).unwrap() + 1).entry;
            let shown = match entry.state {
                EntryState::Waiting => State::Waiting,
                EntryState::Filed => State::Filed,
                EntryState::Attention => State::Attention,
                EntryState::Withdrawn => State::Withdrawn,
            };
            assert_eq!(shown, expected.state, "entry {at}: {entry:?}");
            let lives = expected.held.is_some_and(|(_, until)| until > state.now);
            assert_eq!(entry.row == Row::Sending, lives, "entry {at}: {entry:?}");
            assert_eq!(entry.destination, LANES[expected.lane]);
            let number = entry.receipt.map(|receipt| receipt.number);
            assert_eq!(number, expected.receipt.map(|number| number.to_string()));
            let wish = expected.wish.map(|wish| match wish {
                Wish::Withdraw => "withdraw",
                Wish::Retry => "retry",
                Wish::Move(_) => "move",
            });
            assert_eq!(entry.wish.as_deref(), wish, "entry {at}");
        }
        let count = |wanted: State| state.entries.iter().filter(|entry| entry.state == wanted).count();
        let facts = real.desk.outbox.facts(&now).unwrap();
        assert_eq!(facts.waiting as usize, count(State::Waiting));
        assert_eq!(facts.attention as usize, count(State::Attention));
        for (name, sql) in INVARIANTS {
            let broken: i64 = real.desk.database().query_row(sql, [], |row| row.get(0)).unwrap();
            assert_eq!(broken, 0, "{name}");
        }
    }
}

/// Each counts what breaks it.
const INVARIANTS: &[(&str, &str)] = &[
    ("TokenAndFenceUnique", "SELECT count(*) - count(DISTINCT fence) FROM attempt"),
    (
        "OneOwner",
        "SELECT count(*) FROM (SELECT 1 FROM attempt WHERE ended_at_ms IS NULL GROUP BY entry HAVING count(*) > 1)",
    ),
    (
        "NoStageWithoutLease",
        "SELECT count(*) FROM attempt JOIN entry ON entry.id = attempt.entry
         WHERE ended_at_ms IS NULL AND claim_token IS NULL",
    ),
    ("SettleOnce", "SELECT count(*) FROM entry WHERE state = 'filed' AND receipt IS NULL"),
    (
        "the count of what waits",
        "SELECT count(*) FROM lane WHERE waiting <>
           (SELECT count(*) FROM entry WHERE entry.destination = lane.destination AND state = 'waiting')",
    ),
    (
        "the count of what is live",
        "SELECT abs(live_entries - (SELECT count(*) FROM entry WHERE state IN ('waiting', 'attention'))) FROM meta",
    ),
    (
        "AttemptsBounded",
        "SELECT count(*) FROM entry WHERE attempts < 0 OR budget_used < 0 OR budget_used > attempts",
    ),
];

fn told(acted: Result<bool, Problem>) -> Acted {
    match acted {
        Ok(false) => Acted::Done,
        Ok(true) => Acted::Wished,
        Err(problem) => {
            assert_eq!(problem.code, Code::Refused, "{problem}");
            Acted::Refused
        }
    }
}

prop_state_machine! {
    #![proptest_config(ProptestConfig { cases: 64, max_shrink_iters: 4_000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn the_store_does_as_the_reference_does(sequential 1..60 => Machine);
}
