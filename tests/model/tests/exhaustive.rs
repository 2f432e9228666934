//! The whole protocol, every state of it within bounds, each invariant in each. A run that visits fewer states than are
//! written down has lost something; one that visits more has got something new, and its number is to be written anew.
//!
//! The runs of every day take a minute. The long ones go further the same way, and are for a night; their numbers were
//! seen on two cores.

use outtray_model::{Ask, Bounds, Fault, Machine, visit};

const TWO: Bounds = Bounds::new(2, 1, 1);
const TWO_LANES: Bounds = Bounds { lanes: 2, ..TWO };
/// Two processes of three workers, which share their drain's token.
const CROWD: Bounds = Bounds { prompt: true, ..Bounds::new(2, 3, 2) };
const ACTS: &[Ask] =
    &[Ask::Edit, Ask::Withdraw, Ask::Move, Ask::Retry, Ask::Restore, Ask::ItsThere, Ask::SendAgain];

fn holds(bounds: Bounds, states: usize) {
    let seen = visit(Machine::new(bounds));
    assert!(seen.broken.is_empty(), "{seen}");
    assert_eq!(seen.states, states, "{seen}");
}

macro_rules! runs {
    ($($(#[$words:meta])* $name:ident: $bounds:expr, $states:expr;)*) => {
        $($(#[$words])* #[test]
        fn $name() {
            holds($bounds, $states);
        })*
    };
}

runs! {
    a_stopped_process_and_a_list_that_lags: Bounds { lag: true, ..TWO }.with(Fault::Stop, 1).with(Fault::AnswerLost, 1), 33_281;
    a_killed_and_a_stopped_process: TWO.with(Fault::Stop, 1).with(Fault::Kill, 1), 103_807;
    looks_that_fail: TWO.with(Fault::Stop, 1).with(Fault::LookFails, 2), 69_606;
    every_answer: TWO.with(Fault::Refused, 1).with(Fault::NotSent, 1).with(Fault::AnswerLost, 1), 28_538;
    late_refusals_and_a_sign_in: TWO.with(Fault::Stop, 1).with(Fault::SignInRefused, 2).with(Fault::SignIn, 1), 159_580;
    a_power_cut_and_a_sleep: TWO.with(Fault::Cut, 1).with(Fault::Sleep, 1), 76_306;
    dropped_workers_panics_and_farewells: TWO.with(Fault::Drop, 1).with(Fault::Panic, 1).with(Fault::Leave, 1), 108_410;
    a_person_against_a_live_lease: TWO_LANES.acting(ACTS, 2), 174_185;
    a_person_against_a_stopped_process: TWO_LANES.with(Fault::Stop, 1).acting(ACTS, 1), 158_714;
    a_person_and_a_power_cut: TWO.with(Fault::Cut, 1).acting(ACTS, 1), 287_141;
    a_person_and_an_upload: Bounds { stages: 2, ..TWO_LANES }.acting(ACTS, 1), 156_378;
    a_restore_after_a_kill: Bounds::new(1, 1, 1).with(Fault::Backup, 1).with(Fault::Leave, 1).with(Fault::Kill, 1), 73_313;
    a_restore_after_a_person:
        Bounds { lanes: 2, ..Bounds::new(1, 1, 1) }.with(Fault::Backup, 1).with(Fault::Leave, 1).acting(ACTS, 1), 113_291;
    answers_that_come_late: Bounds { slow: true, lease: 3, trust: 2, ..TWO }.with(Fault::Stop, 1), 41_640;
    two_lanes_three_entries: Bounds { prompt: true, tries: 1, lanes: 2, lane_of: [0, 0, 1], ..Bounds::new(1, 2, 3) }, 60_693;
    two_lanes_and_a_process_without_a_credential:
        Bounds { prompt: true, lanes: 2, lane_of: [0, 1, 1], without_credential: 1, ..Bounds::new(2, 1, 2) }
            .with(Fault::SignInRefused, 1).with(Fault::SignIn, 1), 187_949;
    drains_of_one_claim: Bounds { admission: 1, later: 1, ..Bounds::new(1, 1, 1) }, 4_014;
    a_crowd: CROWD, 47_485;
    a_crowd_over_one_entry: Bounds { entries: 1, ..CROWD }.with(Fault::Stop, 1).with(Fault::Sleep, 2), 124_193;
    a_crowd_and_a_kill: Bounds { tries: 1, ..CROWD }.with(Fault::Kill, 1), 234_749;
}

runs! {
    #[ignore = "long: for a night"]
    long_every_fault_at_once:
        TWO.with(Fault::Stop, 1).with(Fault::Kill, 1).with(Fault::AnswerLost, 1).with(Fault::Sleep, 1), 460_752;
    #[ignore = "long: for a night"]
    long_a_list_that_lags: Bounds { lag: true, ..TWO }.with(Fault::Stop, 1).with(Fault::Kill, 1).with(Fault::LookFails, 1), 305_268;
    #[ignore = "long: for a night"]
    long_power_cuts: TWO.with(Fault::Cut, 2).with(Fault::Sleep, 1).with(Fault::Stop, 1), 1_469_229;
    #[ignore = "long: for a night"]
    long_a_person_with_three_acts: TWO_LANES.with(Fault::Stop, 1).acting(ACTS, 3), 2_343_825;
    #[ignore = "long: for a night"]
    long_a_restore_among_two_processes: TWO.with(Fault::Backup, 1).with(Fault::Leave, 2), 2_517_157;
    #[ignore = "long: for a night"]
    long_a_smaller_crowd_and_a_stop: Bounds { tries: 1, workers: 2, ..CROWD }.with(Fault::Stop, 1), 896_894;
    #[ignore = "long: for a night"]
    long_a_crowd_and_a_stop: Bounds { tries: 1, ..CROWD }.with(Fault::Stop, 1), 1_257_841;
    #[ignore = "long: for a night"]
    long_a_crowd_of_two_tries_and_a_kill: CROWD.with(Fault::Kill, 1), 900_519;
    #[ignore = "long: for a night"]
    long_a_crowd_over_three_entries: Bounds { tries: 1, entries: 3, ..CROWD }, 1_738_482;
}
