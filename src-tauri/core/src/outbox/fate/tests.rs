//! What becomes of an entry, cause by cause.

use super::*;

fn facts() -> Facts {
    Facts {
        tries: 1,
        trying_since_ms: None,
        streak: 0,
        base_ms: 5_000,
        cap_ms: 900_000,
        chance: 1.0,
        now: Now { wall_ms: 0, boot_ms: 100_000, awake_ms: 100_000, boot_id: "one".into() },
    }
}

const STAGE: Sent = Sent { harmless: false, last: false, is_file: false };

fn cause(kind: CauseKind) -> Cause {
    Cause { kind, words: "Why.".into(), detail: String::new() }
}

#[test]
fn what_was_not_sent_counts_as_no_try_and_holds_the_lane() {
    let settlement = after_send(STAGE, Reply::NotSent(cause(CauseKind::Unreachable)), &facts());
    assert_eq!(settlement.stage, StageMark::Open);
    assert!(matches!(settlement.end, Some(End::Release { outcome: Outcome::NotSent, .. })));
    assert_eq!(settlement.lane, LaneMark::Unreachable { until_ms: 105_000, words: "Why.".into() });
}

#[test]
fn a_refusal_is_the_persons() {
    let settlement = after_send(STAGE, Reply::Refused(cause(CauseKind::Refused)), &facts());
    assert!(matches!(settlement.end, Some(End::Attention { reason: "refused", .. })));
    assert_eq!(settlement.stage, StageMark::Open, "it may be sent anew after a change");
}

#[test]
fn an_issue_is_filed_without_a_file_that_is_refused() {
    let file = Sent { is_file: true, ..STAGE };
    let refused = |kind| Reply::Refused(cause(kind));
    let missing = StageMark::Missing { words: "Why.".into() };
    let settlement = after_send(file, refused(CauseKind::Refused), &facts());
    assert_eq!((settlement.stage, settlement.end), (missing.clone(), None));
    let settlement = after_send(Sent { last: true, ..file }, refused(CauseKind::Local), &facts());
    assert_eq!((settlement.stage, settlement.end), (missing, Some(End::Complete)));
    let settlement = after_send(file, refused(CauseKind::Setup), &facts());
    assert!(matches!(settlement.end, Some(End::Attention { reason: "setup", .. })));
}

#[test]
fn a_lost_answer_is_never_simply_sent_again() {
    let settlement = after_send(STAGE, Reply::Doubt(cause(CauseKind::Timeout)), &facts());
    assert_eq!(settlement.stage, StageMark::Doubt);
    assert!(matches!(settlement.end, Some(End::Defer { counts: true, .. })));
}

#[test]
fn what_is_harmless_to_repeat_is_simply_sent_again() {
    let settlement = after_send(
        Sent { harmless: true, last: true, ..STAGE },
        Reply::Doubt(cause(CauseKind::Cut)),
        &facts(),
    );
    assert_eq!(settlement.stage, StageMark::Open);
}

#[test]
fn one_trouble_holds_nothing_and_the_second_in_a_row_trips_the_lane() {
    let doubt = || Reply::Doubt(cause(CauseKind::Trouble));
    let first = after_send(STAGE, doubt(), &facts());
    assert!(matches!(first.lane, LaneMark::Trouble { until_ms: None, .. }));
    let second = after_send(STAGE, doubt(), &Facts { streak: 1, ..facts() });
    assert!(matches!(second.lane, LaneMark::Trouble { until_ms: Some(105_000), .. }));
}

#[test]
fn a_used_up_budget_is_the_persons() {
    let facts = Facts { tries: BUDGET_TRIES, ..facts() };
    let settlement = after_send(
        Sent { harmless: true, last: true, ..STAGE },
        Reply::Doubt(cause(CauseKind::Trouble)),
        &facts,
    );
    assert!(matches!(settlement.end, Some(End::Attention { reason: "budget", .. })));
}

#[test]
fn a_sender_that_is_silent_for_long_is_the_persons() {
    let facts = facts();
    let soon = after_nothing_yet(Readiness::SenderMayLive, facts.now.wall_ms - SILENT_MS, &facts);
    assert!(matches!(soon.end, Some(End::Defer { counts: false, .. })));
    let late = after_nothing_yet(Readiness::SenderMayLive, facts.now.wall_ms - SILENT_MS - 1, &facts);
    assert!(matches!(late.end, Some(End::Attention { reason: "silent", .. })));
    assert_eq!(late.stage, StageMark::Untouched, "the doubt stays");
}

#[test]
fn where_nobody_can_look_the_person_is_asked_at_once() {
    let settlement = after_failed_look(Reply::Refused(cause(CauseKind::CannotLook)), &facts());
    assert_eq!(settlement.stage, StageMark::Untouched, "the doubt stays");
    assert!(matches!(settlement.end, Some(End::Attention { reason: "in_doubt", .. })));
}

#[test]
fn a_failed_look_is_no_look() {
    let settlement = after_failed_look(Reply::Doubt(cause(CauseKind::Cut)), &facts());
    assert_eq!(settlement.stage, StageMark::Untouched, "the doubt stays");
}

#[test]
fn looks_in_vain_are_the_persons_after_many_over_a_day() {
    let often = Facts { tries: 10 * BUDGET_TRIES, trying_since_ms: Some(0), ..facts() };
    let look = |facts: &Facts| after_failed_look(Reply::Doubt(cause(CauseKind::Timeout)), facts);
    assert!(matches!(look(&often).end, Some(End::Defer { .. })));
    let long = Facts { now: Now { boot_ms: BUDGET_MS, ..often.now.clone() }, ..often };
    assert!(matches!(look(&long).end, Some(End::Attention { reason: "in_doubt", .. })));
    let asleep = Facts { tries: 1, ..long };
    assert!(matches!(look(&asleep).end, Some(End::Defer { .. })), "it slept for most of it");
}
