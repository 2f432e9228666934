//! The protocol without one of its rules, rule by rule: each has to be seen breaking what the rule is for, by the kind of
//! step that is named. A rule whose mutant nothing sees is either not needed, or the model is too weak to need it; the
//! last tests say which, and why.

#![allow(clippy::panic, reason = "a mutant that lives has to be told with what was seen instead")]

use outtray_model::{Action, Ask, Bounds, Fault, Invariant, Machine, Rule, Rules, look_for, visit};

const RESTORES: Bounds = Bounds::new(1, 1, 1).with(Fault::Backup, 1);
const TWO: Bounds = Bounds::new(2, 1, 1);
const TWO_LANES: Bounds = Bounds { lanes: 2, ..TWO };

/// Entries in both lanes, two in the first.
const fn lanes(workers: u8, entries: u8) -> Bounds {
    Bounds { lanes: 2, lane_of: [0, 0, 1], ..Bounds::new(1, workers, entries) }
}

fn without(rules: &[Rule]) -> Rules {
    rules.iter().fold(Rules::all(), |all, rule| all.without(*rule))
}

/// Looks for the invariant broken, and returns the step that broke it.
fn broken(rules: &[Rule], invariant: Invariant, bounds: Bounds) -> Action {
    let seen = look_for(Machine { bounds, rules: without(rules) }, invariant);
    match seen.way_to(invariant).and_then(<[Action]>::last) {
        Some(last) => *last,
        None => panic!("without {rules:?}, {} holds: {seen}", invariant.name()),
    }
}

macro_rules! mutants {
    ($($(#[$words:meta])* $name:ident: without $($rule:ident),+ breaks $invariant:ident by $last:pat, in $bounds:expr;)*) => {
        $($(#[$words])* #[test]
        fn $name() {
            let last = broken(&[$(Rule::$rule),+], Invariant::$invariant, $bounds);
            assert!(matches!(last, $last), "another step breaks it: {last:?}");
        })*
    };
}

// ---- Claim, renew, intent, settle -----------------------------------------------------------------------------------

mutants! {
    a_live_lease_taken_makes_two_owners:
        without ClaimAsksExpiry breaks OneOwner by Action::Claim(..), in TWO;
    a_fence_of_the_entrys_own_is_given_twice:
        without FenceFromStore breaks TokenAndFenceUnique by Action::Claim(..), in Bounds::new(1, 2, 2);
    a_renewal_by_anybody_makes_two_owners:
        without RenewAsksOwner breaks OneOwner by Action::Renew(_), in TWO;
    a_renewal_after_expiry_takes_more_than_the_lanes_share:
        without RenewAsksExpiry breaks LaneBound by Action::Renew(_), in lanes(2, 2).with(Fault::NotSent, 1);
    a_send_without_an_intent_is_sent_again:
        without IntentBeforeSend breaks OneIssuePerKey by Action::Commit(_), in TWO.with(Fault::Kill, 1);
    an_intent_by_anybody_needs_no_lease:
        without IntentAsksOwner breaks NoStageWithoutLease by Action::Intend(_), in TWO;
    an_intent_after_expiry_needs_no_lease:
        without IntentAsksExpiry breaks NoStageWithoutLease by Action::Intend(_), in TWO;
    /// Where the listing hides it, the sighting is all there is; hence a tracker that breaks its promise.
    an_intent_that_asks_no_sighting_sends_what_was_seen:
        without IntentAsksSighting breaks SeenIsNotSent by Action::Intend(_), in Bounds { lies: true, ..TWO };
    an_intent_that_asks_no_wish_sends_what_is_to_be_taken_back:
        without IntentAsksWish breaks NothingLost by Action::Intend(_), in TWO.acting(&[Ask::Withdraw], 1);
    an_intent_that_the_power_takes_is_sent_again:
        without IntentDurable breaks OneIssuePerKey by Action::Commit(_), in TWO.with(Fault::Cut, 1);
    a_settle_by_token_alone_is_another_workers:
        without SettleAsksFence breaks OnlyOwnerSettles by Action::Settle(_),
        in Bounds::new(1, 2, 1).with(Fault::Sleep, 2);
    a_settle_by_anybody_settles_what_is_filed:
        without SettleAsksFence, SettleAsksToken breaks SettleOnce by Action::Settle(_), in TWO.with(Fault::AnswerLost, 1);
    a_displaced_workers_refusal_needs_no_person:
        without SettleAsksFence, SettleAsksToken breaks AttentionOnlyFromOwner by Action::Settle(_),
        in TWO.with(Fault::Refused, 1);
    a_saved_entry_that_the_power_takes_is_lost:
        without EnqueueDurable breaks NothingLost by Action::Cut { forgets: true },
        in Bounds { later: 1, ..TWO }.with(Fault::Cut, 1);
}

// ---- Clock ----------------------------------------------------------------------------------------------------------

mutants! {
    trust_from_the_answer_outlives_the_lease:
        without TrustFromAsking breaks StopBeforeExpiry by Action::Tick,
        in Bounds { slow: true, lease: 3, trust: 2, ..TWO };
    an_attempt_that_is_not_cancelled_outlives_the_lease:
        without CancelAtTrustEnd breaks StopBeforeExpiry by Action::Tick, in TWO;
}

// ---- Doubt ----------------------------------------------------------------------------------------------------------

mutants! {
    what_is_not_looked_for_is_sent_again:
        without DoubtLooks breaks DoubtIsLookedUp by Action::Intend(_), in TWO;
    a_sender_that_may_live_is_not_waited_for:
        without SenderGoneFirst breaks NoResendWhileSenderMayLive by Action::Intend(_), in TWO;
    quiet_time_from_sending_is_too_short:
        without QuietFromGone breaks NoResendWhileSenderMayLive by Action::Intend(_), in TWO.with(Fault::Kill, 1);
    quiet_time_asleep_is_none:
        without QuietAwake breaks NoResendWhileSenderMayLive by Action::Intend(_), in TWO.with(Fault::Sleep, 1);
    a_reboot_is_not_yet_quiet:
        without QuietAfterBoot breaks NoResendWhileSenderMayLive by Action::Intend(_), in TWO.with(Fault::Cut, 1);
    a_look_that_began_too_early_misses_it:
        without LookBeganAfterQuiet breaks OneIssuePerKey by Action::Commit(_), in TWO.with(Fault::Kill, 1);
    a_failed_look_sets_free_what_was_not_looked_for:
        without FailedLookIsNoLook breaks DoubtIsLookedUp by Action::Intend(_), in TWO.with(Fault::LookFails, 1);
    a_close_before_the_cancel_lies:
        without CloseAfterCancel breaks NoResendWhileSenderMayLive by Action::Intend(_), in TWO;
    a_burial_without_the_lock_buries_the_living:
        without BuryNeedsLock breaks NoResendWhileSenderMayLive by Action::Intend(_), in TWO.with(Fault::Stop, 1);
    a_sighting_under_the_fence_is_not_told:
        without SightingNeedsNoFence breaks SightingIsTold by Action::Settle(_) | Action::Tell(_),
        in TWO.with(Fault::LookFails, 2);
    a_sighting_that_wakes_nobody_is_not_told:
        without SightingMakesDue breaks SightingIsTold by Action::Tell(_), in TWO.with(Fault::LookFails, 2);
    attention_after_a_sighting_is_not_told:
        without SightingBarsAttention breaks SightingIsTold by Action::Settle(_), in TWO.with(Fault::LookFails, 2);
    a_receipt_for_where_the_entry_goes_is_untrue:
        without ReceiptFromSighting breaks ReceiptIsTrue by Action::Settle(_),
        in Bounds { lanes: 2, ..RESTORES }.with(Fault::Leave, 1).acting(&[Ask::Move], 1);
}

// ---- A person's acts ------------------------------------------------------------------------------------------------

mutants! {
    a_retry_into_a_live_lease_makes_two_owners:
        without ActsWaitForLease breaks OneOwner by Action::Claim(..), in TWO.acting(&[Ask::Retry], 1);
    a_move_in_doubt_is_sent_twice:
        without ActsWaitForDoubt breaks OneIssuePerKey by Action::Commit(_), in TWO_LANES.acting(&[Ask::Move], 1);
    an_edit_in_doubt_is_sent_as_another:
        without ActsWaitForDoubt breaks BodyFrozenAtIntent by Action::Intend(_), in TWO.acting(&[Ask::Edit], 1);
    a_wish_honoured_in_doubt_is_sent_twice:
        without WishWaitsForDoubt breaks OneIssuePerKey by Action::Commit(_), in TWO_LANES.acting(&[Ask::Move], 1);
    an_act_that_displaces_nobody_is_settled_over:
        without ActsBumpFence breaks OnlyOwnerSettles by Action::Settle(_), in TWO.acting(&[Ask::Withdraw], 2);
    an_act_that_leaves_the_attempt_open_gives_a_try_away:
        without ActsEndAttempt breaks AttemptsBounded by Action::Intend(_), in TWO.acting(&[Ask::Retry], 1);
    what_exists_and_is_moved_is_sent_twice:
        without ExistenceRefusesActs breaks OneIssuePerKey by Action::Commit(_),
        in Bounds { stages: 2, ..TWO_LANES }.acting(&[Ask::Move], 1);
    a_withdrawal_that_the_power_takes_is_sent:
        without ActsDurable breaks NothingLost by Action::Intend(_),
        in TWO.with(Fault::Cut, 1).acting(&[Ask::Withdraw], 1);
    a_person_who_looked_too_early_sends_it_twice:
        without SendAgainAfterQuiet breaks OneIssuePerKey by Action::Commit(_), in TWO.acting(&[Ask::SendAgain], 1);
}

// ---- Budget ---------------------------------------------------------------------------------------------------------

mutants! {
    a_budget_that_never_ends_is_none:
        without BudgetEnds breaks AttemptsBounded by Action::Claim(..), in Bounds::new(1, 1, 1).with(Fault::Kill, 2);
    a_try_after_a_look_is_one_too_many:
        without ResendAsksBudget breaks AttemptsBounded by Action::Intend(_), in Bounds::new(1, 1, 1).with(Fault::Kill, 2);
    a_takeover_that_counts_raises_attention:
        without TakeoverCountsNothing, TakeoverEndsNothing breaks AttentionOnlyFromOwner by Action::Claim(..), in TWO;
    a_takeover_of_the_last_try_raises_attention:
        without TakeoverEndsNothing breaks AttentionOnlyFromOwner by Action::Claim(..), in TWO.with(Fault::Kill, 1);
}

// ---- Lanes and admission --------------------------------------------------------------------------------------------

mutants! {
    a_lane_without_a_share_takes_every_worker:
        without LaneShare breaks LaneBound by Action::Claim(..), in lanes(2, 3);
    a_failing_lane_without_a_share_takes_two:
        without FailingLaneShare breaks LaneBound by Action::Claim(..), in lanes(3, 3).with(Fault::NotSent, 1);
    a_lane_out_of_turn_passes_another_over:
        without LaneTurns breaks LaneBound by Action::Claim(..), in lanes(1, 3);
    a_drain_without_end_claims_too_much:
        without DrainEnds breaks AdmissionBound by Action::Claim(..), in Bounds { admission: 1, ..Bounds::new(1, 1, 2) };
    a_drain_without_horizon_takes_what_came_later:
        without DrainHorizon breaks AdmissionBound by Action::Claim(..),
        in Bounds { admission: 2, later: 1, ..Bounds::new(1, 1, 1) };
    a_process_without_the_credential_takes_the_lane:
        without CredentialAdmits breaks AdmissionBound by Action::Claim(..),
        in Bounds { lanes: 2, lane_of: [0, 1, 1], without_credential: 1, ..Bounds::new(2, 1, 2) };
    a_late_refusal_holds_a_lane_just_signed_in:
        without LateRefusalAsksRevision breaks FreshSignInIsNotHeld by Action::Settle(_),
        in TWO.with(Fault::SignInRefused, 1).with(Fault::SignIn, 1);
}

// ---- Restore --------------------------------------------------------------------------------------------------------

mutants! {
    a_restore_without_a_generation_sends_what_was_sent:
        without RestoreRaisesGeneration breaks OneIssuePerKey by Action::Commit(_), in RESTORES.with(Fault::Leave, 1);
    a_restore_beside_another_process_does_not_wait_for_it:
        without RestoreAlone breaks NoResendWhileSenderMayLive by Action::Intend(_), in TWO.with(Fault::Backup, 1);
    a_restore_without_quiet_time_does_not_wait:
        without RestoreWaitsQuiet breaks NoResendWhileSenderMayLive by Action::Intend(_), in RESTORES.with(Fault::Kill, 1);
    /// It was moved after the copy was made, and the copy knows nothing of it.
    a_restore_that_looks_in_one_place_misses_what_was_moved:
        without RestoredLooksEverywhere breaks OneIssuePerKey by Action::Commit(_),
        in Bounds { lanes: 2, ..RESTORES }.with(Fault::Leave, 1).acting(&[Ask::Move], 1);
}

// ---- Second locks: rules that another rule makes unneeded ---------------------------------------------------------------

/// Without these rules nothing is seen broken within the bounds.
fn holds(rules: &[Rule], bounds: Bounds) {
    let seen = visit(Machine { bounds, rules: without(rules) });
    assert!(seen.broken.is_empty(), "without {rules:?}: {seen}");
}

/// Fences rise across the whole store, and a power cut that takes some of them takes every process that had one. The token
/// is for a store whose counter went back under a living process, which `RestoreAlone` forbids.
#[test]
fn a_fence_alone_would_do() {
    holds(&[Rule::SettleAsksToken], TWO.with(Fault::Stop, 1).with(Fault::Cut, 1));
}

/// Nothing in doubt is moved, so an entry goes where its intent went. Whoever lets a move into doubt needs it, which the next
/// test shows.
#[test]
fn a_look_where_the_entry_goes_would_do_while_nothing_in_doubt_moves() {
    holds(&[Rule::LookAtIntentsDestination], TWO_LANES.with(Fault::Kill, 1).acting(&[Ask::Move], 1));
}

#[test]
fn a_look_where_it_was_sent_is_what_is_left_when_the_doubt_moves_along() {
    let bounds = TWO_LANES.with(Fault::Kill, 1).acting(&[Ask::MoveInDoubt], 1);
    broken(&[Rule::LookAtIntentsDestination], Invariant::OneIssuePerKey, bounds.clone());
    let seen = look_for(Machine::new(bounds), Invariant::OneIssuePerKey);
    assert!(seen.way_to(Invariant::OneIssuePerKey).is_none(), "the place is the lock: {seen}");
}

/// An edit waits for the lease, and displaces its worker: the intent finds another fence before another revision.
#[test]
fn a_revision_is_never_another_under_the_same_fence() {
    holds(&[Rule::IntentAsksRevision], TWO.with(Fault::Stop, 1).acting(&[Ask::Edit], 1));
}

#[test]
fn a_revision_is_what_is_left_when_fence_and_expiry_are_not_asked() {
    let loose = [Rule::ActsBumpFence, Rule::IntentAsksExpiry];
    let bounds = TWO.acting(&[Ask::Edit], 1);
    let loose_and_blind = [&loose[..], &[Rule::IntentAsksRevision]].concat();
    broken(&loose_and_blind, Invariant::BodyFrozenAtIntent, bounds.clone());
    let seen = look_for(Machine { bounds, rules: without(&loose) }, Invariant::BodyFrozenAtIntent);
    assert!(seen.way_to(Invariant::BodyFrozenAtIntent).is_none(), "the revision is the lock: {seen}");
}

/// The other side of `an_intent_that_asks_no_sighting_sends_what_was_seen`: with the rule, not even there.
#[test]
fn what_was_seen_is_not_sent_though_the_tracker_hides_it() {
    let bounds = Bounds { lies: true, ..TWO };
    let seen = look_for(Machine::new(bounds), Invariant::SeenIsNotSent);
    assert!(seen.way_to(Invariant::SeenIsNotSent).is_none(), "{seen}");
}
