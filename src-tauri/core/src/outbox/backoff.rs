//! How long to wait before the next try. The schedule and the jitter are two functions, so that each can be read alone.

/// Returns the longest wait after `failures` failures in a row: doubling from `base_ms`, never above `cap_ms`.
pub fn schedule(failures: u32, base_ms: i64, cap_ms: i64) -> i64 {
    let doublings = failures.saturating_sub(1).min(40);
    base_ms.saturating_mul(1_i64.checked_shl(doublings).unwrap_or(i64::MAX)).min(cap_ms)
}

/// Returns a wait anywhere between nothing and `longest_ms`, by `chance` in 0..1: full jitter, so that many
/// computers that failed together do not come back together.
#[allow(clippy::cast_possible_truncation, clippy::cast_precision_loss)]
pub fn jitter(longest_ms: i64, chance: f64) -> i64 {
    (longest_ms as f64 * chance.clamp(0.0, 1.0)).round() as i64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn waits_double_up_to_the_cap() {
        let waits: Vec<i64> = (1..=12).map(|n| schedule(n, 5_000, 900_000)).collect();
        assert_eq!(waits[..4], [5_000, 10_000, 20_000, 40_000]);
        assert_eq!(waits[11], 900_000, "never above the cap");
        assert_eq!(schedule(u32::MAX, 5_000, 900_000), 900_000, "however often it failed");
    }

    #[test]
    fn jitter_spreads_over_the_whole_wait() {
        assert_eq!(jitter(1_000, 0.0), 0);
        assert_eq!(jitter(1_000, 0.5), 500);
        assert_eq!(jitter(1_000, 1.0), 1_000);
    }
}
