//! Samples, and what is told of them.

use std::time::Duration;

/// Measured values of one thing.
#[derive(Debug, Clone, Default)]
pub struct Figures(Vec<f64>);

impl Figures {
    /// Adds one.
    pub fn add(&mut self, value: f64) {
        self.0.push(value);
    }

    /// How many there are.
    pub fn count(&self) -> usize {
        self.0.len()
    }

    /// The value that half of them do not exceed; nothing measured is nothing.
    pub fn median(&self) -> f64 {
        self.percentile(50)
    }

    /// The value that `percent` of them do not exceed.
    pub fn percentile(&self, percent: usize) -> f64 {
        let mut sorted = self.0.clone();
        sorted.sort_by(f64::total_cmp);
        let at = (sorted.len() * percent).div_ceil(100).max(1) - 1;
        sorted.get(at).copied().unwrap_or(f64::NAN)
    }

    /// The largest.
    pub fn most(&self) -> f64 {
        self.percentile(100)
    }
}

impl FromIterator<f64> for Figures {
    fn from_iter<I: IntoIterator<Item = f64>>(values: I) -> Self {
        Self(values.into_iter().collect())
    }
}

/// How many of `count` happened in a second of `took`.
pub fn per_second(count: u32, took: Duration) -> f64 {
    f64::from(count) / took.as_secs_f64()
}

/// A duration in microseconds.
pub fn micros(took: Duration) -> f64 {
    took.as_secs_f64() * 1e6
}

/// A duration as a person reads it.
pub fn told(micros: f64) -> String {
    match micros {
        micros if micros.is_nan() => "–".to_owned(),
        micros if micros < 1_000.0 => format!("{micros:.0} µs"),
        micros if micros < 100_000.0 => format!("{:.2} ms", micros / 1e3),
        micros if micros < 1_000_000.0 => format!("{:.0} ms", micros / 1e3),
        micros => format!("{:.2} s", micros / 1e6),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_percentile_is_a_value_that_was_measured() {
        let figures: Figures = (1..=100).map(f64::from).collect();
        let asked = [figures.median(), figures.percentile(99), figures.most(), figures.percentile(0)];
        assert_eq!(asked, [50.0, 99.0, 100.0, 1.0]);
    }
}
