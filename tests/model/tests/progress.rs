//! From every state work alone leads to an end: every entry filed, taken back, or a person's. Without the rules below it
//! does not, though nothing false is ever done.

use outtray_model::{Action, Ask, Bounds, Fault, Machine, Rule, Rules, walk};

const TWO: Bounds = Bounds::new(2, 1, 1);
const ACTS: &[Ask] =
    &[Ask::Edit, Ask::Withdraw, Ask::Move, Ask::Retry, Ask::Restore, Ask::ItsThere, Ask::SendAgain];

/// The way to a state from which work leads nowhere.
fn stuck(rules: Rules, bounds: Bounds) -> Option<Vec<Action>> {
    walk(&Machine { bounds, rules }, Action::is_work).stuck
}

macro_rules! get_there {
    ($($name:ident: in $bounds:expr;)*) => {
        $(#[test]
        fn $name() {
            assert_eq!(stuck(Rules::all(), $bounds), None, "the last state of this way leads nowhere");
        })*
    };
}

get_there! {
    an_entry_gets_there_after_a_kill_and_a_lost_answer: in TWO.with(Fault::Kill, 1).with(Fault::AnswerLost, 1);
    an_entry_gets_there_after_a_stop: in TWO.with(Fault::Stop, 1);
    an_entry_gets_there_after_dropped_and_panicking_workers: in TWO.with(Fault::Drop, 1).with(Fault::Panic, 1);
    an_entry_gets_there_after_a_power_cut: in TWO.with(Fault::Cut, 1);
    an_entry_gets_there_after_a_farewell: in TWO.with(Fault::Leave, 1);
    an_entry_gets_there_after_a_restore: in Bounds::new(1, 1, 1).with(Fault::Backup, 1).with(Fault::Leave, 1);
    an_entry_gets_there_after_every_answer:
        in TWO.with(Fault::SignInRefused, 1).with(Fault::NotSent, 1).with(Fault::Refused, 1);
    an_entry_gets_there_after_an_act_and_a_lost_answer:
        in Bounds { lanes: 2, prompt: true, ..TWO }.with(Fault::AnswerLost, 1).with(Fault::Kill, 1).acting(ACTS, 1);
}

macro_rules! get_stuck {
    ($($(#[$words:meta])* $name:ident: without $rule:ident after $last:pat, in $bounds:expr;)*) => {
        $($(#[$words])* #[test]
        fn $name() {
            let way = stuck(Rules::all().without(Rule::$rule), $bounds);
            let last = way.as_deref().and_then(<[Action]>::last);
            assert!(matches!(last, Some($last)), "it gets there, or is stuck elsewhere: {way:?}");
        })*
    };
}

get_stuck! {
    a_burial_that_closes_nothing_is_waited_for_for_ever:
        without BuryCloses after Action::Kill(_) | Action::Bury(..), in TWO.with(Fault::Kill, 1);
    a_close_under_the_fence_is_waited_for_for_ever:
        without CloseNeedsNoFence after Action::Claim(..), in TWO.with(Fault::Stop, 1);
    a_dropped_worker_that_is_not_closed_is_waited_for_for_ever:
        without DroppedWorkerIsClosed after Action::Drop(_), in TWO.with(Fault::Drop, 1);
    a_wish_that_a_clear_look_does_not_free_is_looked_for_for_ever:
        without ClearedLookEndsDoubt after Action::Act(..),
        in Bounds { prompt: true, ..TWO }.with(Fault::Kill, 1).acting(&[Ask::Withdraw], 1);
}

/// A process that drops its workers, and later leaves in peace, leaves nobody whose lock could be won.
#[test]
fn a_farewell_that_closes_nothing_is_waited_for_past_the_end_of_its_process() {
    let rules = Rules::all().without(Rule::DroppedWorkerIsClosed);
    let bounds = Bounds { prompt: true, ..Bounds::new(1, 1, 1) }.with(Fault::Drop, 1).with(Fault::Leave, 1);
    let ends = |action: Action| action.is_work() || matches!(action, Action::Leave(_));
    let left = |rules: Rules| {
        let way = walk(&Machine { bounds: bounds.clone(), rules }, ends).stuck.unwrap_or_default();
        way.iter().any(|action| matches!(action, Action::Leave(_)))
    };
    assert!(!left(rules.without(Rule::LeaveCloses)), "after the drop, not even a farewell helps");
    assert!(left(rules), "where a farewell closes, only one that has been and gone is missed");
}
