//! What stands between a sent stage and a second send. A pure decision.
//!
//! After a lost answer anyone may look. Nobody sends again until the earlier sender is *provably gone* and the
//! tracker's *quiet time* has passed since then, because bytes that a stopped or even a killed process had handed to
//! the kernel still arrive. Quiet time counts in awake time: while the machine sleeps, its kernel holds those bytes.
//! And the look that sets an entry free must have *begun* after all that.

use crate::clock::Now;
use crate::fault::mistake;

/// The durable note "about to send".
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Intent {
    /// The attempt that sent.
    pub attempt: i64,
    /// The process that sent.
    pub sender: String,
    /// The boot it lived in.
    pub boot_id: String,
    /// The account it sent as, where known.
    pub login: Option<String>,
    /// When it was last sent, wall.
    pub sent_at_ms: i64,
    /// When it was first sent, wall: look-ups go back that far.
    pub first_sent_at_ms: i64,
}

impl Intent {
    /// Whether it stands for whatever a store that has begun anew may have forgotten.
    pub const fn is_of_another_generation(&self) -> bool {
        self.attempt < 0
    }
}

/// When a sender was known to be gone.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Gone {
    /// On the awake clock.
    pub awake_ms: i64,
    /// Of this boot.
    pub boot_id: String,
}

/// What the time says about sending again, should a look that begins now find nothing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Readiness {
    /// The sender is gone and its bytes have had their time.
    Quiet,
    /// The sender is gone; its bytes may arrive for so much longer.
    QuietIn {
        /// In awake time.
        left_ms: i64,
    },
    /// The sender may still be alive.
    SenderMayLive,
}

/// Decides what the time says.
pub fn readiness(intent: &Intent, gone: Option<&Gone>, now: &Now, quiet_ms: i64) -> Readiness {
    let awake_ms = if mistake("quiet_time_counts_sleep") { now.boot_ms } else { now.awake_ms };
    let passed = match gone {
        Some(_) if mistake("quiet_time_from_the_send") => now.wall_ms.saturating_sub(intent.sent_at_ms),
        Some(gone) if gone.boot_id == *now.boot_id => awake_ms.saturating_sub(gone.awake_ms),
        // A boot that is over took its processes and its socket buffers with it; its end was at the latest our start.
        Some(_) => awake_ms,
        None if intent.boot_id != *now.boot_id => awake_ms,
        None if mistake("resend_beside_a_living_sender") => i64::MAX,
        None => return Readiness::SenderMayLive,
    };
    let quiet_ms = if mistake("resend_without_quiet_time") { 0 } else { quiet_ms };
    if passed >= quiet_ms { Readiness::Quiet } else { Readiness::QuietIn { left_ms: quiet_ms - passed } }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn now(awake_ms: i64, boot_id: &str) -> Now {
        Now { wall_ms: 0, boot_ms: awake_ms, awake_ms, boot_id: boot_id.into() }
    }

    fn intent() -> Intent {
        Intent {
            attempt: 1,
            sender: "a".into(),
            boot_id: "one".into(),
            login: None,
            sent_at_ms: 0,
            first_sent_at_ms: 0,
        }
    }

    #[test]
    fn nobody_sends_again_while_the_sender_may_live() {
        assert_eq!(readiness(&intent(), None, &now(i64::MAX, "one"), 0), Readiness::SenderMayLive);
    }

    #[test]
    fn quiet_time_counts_from_the_moment_the_sender_was_gone() {
        let gone = Gone { awake_ms: 1_000, boot_id: "one".into() };
        assert_eq!(
            readiness(&intent(), Some(&gone), &now(31_000, "one"), 60_000),
            Readiness::QuietIn { left_ms: 30_000 }
        );
        assert_eq!(readiness(&intent(), Some(&gone), &now(61_000, "one"), 60_000), Readiness::Quiet);
    }

    #[test]
    fn a_reboot_is_the_end_of_every_sender_before_it() {
        assert_eq!(
            readiness(&intent(), None, &now(10_000, "two"), 60_000),
            Readiness::QuietIn { left_ms: 50_000 }
        );
        assert_eq!(readiness(&intent(), None, &now(60_000, "two"), 60_000), Readiness::Quiet);
    }
}
