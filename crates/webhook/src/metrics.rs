//! What the dispatcher counts.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use crate::attempt::Ended;

/// Counters since the start, for `/metrics`. Reading them disturbs nobody.
#[derive(Debug, Default)]
pub struct Metrics {
    /// Attempts answered with a 2xx.
    pub delivered: AtomicU64,
    /// Attempts answered with another status.
    pub refused: AtomicU64,
    /// Attempts without an answer.
    pub unanswered: AtomicU64,
    /// Deliveries that failed for good: their last attempt failed too.
    pub failed: AtomicU64,
    /// Attempts given back unsent: their lease was about to end, or the server was stopping.
    pub given_up: AtomicU64,
    /// Attempts under way.
    pub in_flight: AtomicU64,
    /// Units of work the database did not do: they are tried again.
    pub store_failures: AtomicU64,
    /// How long attempts took.
    pub durations: Histogram,
    /// From the moment a delivery was due to the start of its attempt. The clock behind it counts whole milliseconds.
    pub delays: Histogram,
}

impl Metrics {
    pub(crate) fn started(&self, delay_ms: i64) {
        let delay = Duration::from_millis(u64::try_from(delay_ms).unwrap_or(0));
        self.delays.observe(delay);
        self.in_flight.fetch_add(1, Ordering::Relaxed);
    }

    pub(crate) fn ended(&self, attempt: &Ended) {
        let counter = match attempt.status {
            Some(_) if attempt.accepted => &self.delivered,
            Some(_) => &self.refused,
            None => &self.unanswered,
        };
        counter.fetch_add(1, Ordering::Relaxed);
        self.durations.observe(attempt.duration);
        self.in_flight.fetch_sub(1, Ordering::Relaxed);
    }

    pub(crate) fn add(counter: &AtomicU64, count: usize) {
        counter.fetch_add(u64::try_from(count).unwrap_or(u64::MAX), Ordering::Relaxed);
    }
}

/// Durations, counted by size.
#[derive(Debug, Default)]
pub struct Histogram {
    /// One for each bound, and one for what is longer than the last.
    counts: [AtomicU64; BOUNDS_MS.len() + 1],
    sum_micros: AtomicU64,
}

/// Upper bounds, each included in its bucket.
const BOUNDS_MS: [u32; 12] = [1, 2, 5, 10, 25, 50, 100, 250, 1_000, 2_500, 5_000, 15_000];

/// What a [`Histogram`] held at one moment.
#[derive(Debug, Clone, PartialEq)]
pub struct HistogramSnapshot {
    /// Upper bound in seconds (the last is infinite) and how many fell between the one before and this, not cumulated.
    pub buckets: Vec<(f64, u64)>,
    /// All durations together, in seconds.
    pub sum_seconds: f64,
    /// How many there were.
    pub count: u64,
}

impl Histogram {
    fn observe(&self, duration: Duration) {
        let fits = |bound: &u32| duration <= Duration::from_millis(u64::from(*bound));
        let place = BOUNDS_MS.iter().position(fits);
        if let Some(count) = self.counts.get(place.unwrap_or(BOUNDS_MS.len())) {
            count.fetch_add(1, Ordering::Relaxed);
        }
        let micros = u64::try_from(duration.as_micros()).unwrap_or(u64::MAX);
        self.sum_micros.fetch_add(micros, Ordering::Relaxed);
    }

    /// What it holds now.
    pub fn snapshot(&self) -> HistogramSnapshot {
        let bounds = BOUNDS_MS.iter().map(|bound| f64::from(*bound) / 1_000.0);
        let counts = self
            .counts
            .iter()
            .map(|count| count.load(Ordering::Relaxed));
        let buckets: Vec<_> = bounds.chain([f64::INFINITY]).zip(counts).collect();
        let sum = Duration::from_micros(self.sum_micros.load(Ordering::Relaxed));
        HistogramSnapshot {
            count: buckets.iter().map(|(_, count)| count).sum(),
            buckets,
            sum_seconds: sum.as_secs_f64(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_fall_into_the_bucket_whose_bound_holds_them() {
        let histogram = Histogram::default();
        for micros in [0, 1_000, 1_001, 15_000_000, 15_000_001] {
            histogram.observe(Duration::from_micros(micros));
        }
        let snapshot = histogram.snapshot();
        let filled: Vec<_> = snapshot
            .buckets
            .iter()
            .filter(|(_, count)| *count > 0)
            .collect();
        assert_eq!(
            filled,
            [&(0.001, 2), &(0.002, 1), &(15.0, 1), &(f64::INFINITY, 1)]
        );
        assert_eq!(snapshot.count, 5);
        assert!((snapshot.sum_seconds - 30.002_002).abs() < 1e-9);
    }
}
