//! Mistakes that show in histories only. Each test runs seeds until something does not hold, and says so by failing:
//! without the mistake of its name in `OUTTRAY_MISTAKE` it passes. `tests/mistakes.sh` runs them with it.
#![allow(clippy::panic)]

use outtray_simulator::{Size, run};

const SEEDS: u64 = 400;

/// Passes when nothing goes wrong in any of the first histories; without a mistake there is nothing to be seen here.
fn notice() {
    if std::env::var_os("OUTTRAY_MISTAKE").is_none() {
        return;
    }
    for seed in 0..SEEDS {
        if let Err(told) = run(seed, Size { steps: 80 }, None) {
            panic!("seed {seed}: {told}");
        }
    }
}

#[test]
fn a_failed_look_found_nothing() {
    notice();
}

#[test]
fn claim_without_a_free_worker() {
    notice();
}

#[test]
fn close_before_the_end() {
    notice();
}

#[test]
fn forget_doubt() {
    notice();
}

#[test]
fn honour_wishes_in_doubt() {
    notice();
}

#[test]
fn quiet_time_counts_sleep() {
    notice();
}

#[test]
fn quiet_time_from_the_send() {
    notice();
}

#[test]
fn resend_beside_a_living_sender() {
    notice();
}

#[test]
fn resend_without_quiet_time() {
    notice();
}
