//! Counters for the metrics page.

use std::sync::atomic::{AtomicU64, Ordering};

use crate::failure::{Failure, Kind};

/// The upper bounds of the buckets in [`Stats::batch_sizes`].
pub const BATCH_BUCKETS: [u64; 9] = [1, 2, 4, 8, 16, 32, 64, 128, 256];

/// What the database has done since the start. All counters only grow.
#[derive(Debug, Default)]
pub struct Stats {
    /// Units of work that ran, whatever their answer.
    pub units: AtomicU64,
    /// Units of work rolled back: refused by a rule, by the database, or cut by a panic.
    pub units_rolled_back: AtomicU64,
    /// Units of work run again: after a conflict with another one (PostgreSQL), or because one they shared a transaction with failed.
    pub units_retried: AtomicU64,
    /// Statements and commits that failed because the disk is full, or fails.
    pub disk_full: AtomicU64,
    /// Commits. On SQLite one commit, and its fsync, carries a batch of units of work.
    pub batches: AtomicU64,
    /// Commits that failed.
    pub batches_failed: AtomicU64,
    /// Number of commits by batch size: entry `n` counts those of at most `BATCH_BUCKETS[n]` units that fit no smaller bucket.
    pub batch_sizes: [AtomicU64; BATCH_BUCKETS.len()],
}

impl Stats {
    /// Takes note of a failed statement or commit.
    pub(crate) fn failed(&self, failure: &Failure) {
        if failure.kind() == Kind::Full {
            add(&self.disk_full);
        }
    }

    pub(crate) fn batch(&self, units: u64, committed: bool) {
        add(&self.batches);
        if !committed {
            add(&self.batches_failed);
        }
        let bucket = BATCH_BUCKETS.iter().position(|bound| units <= *bound);
        if let Some(counter) = self
            .batch_sizes
            .get(bucket.unwrap_or(BATCH_BUCKETS.len() - 1))
        {
            add(counter);
        }
    }
}

pub(crate) fn add(counter: &AtomicU64) {
    counter.fetch_add(1, Ordering::Relaxed);
}

/// Connections of a pool, now.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PoolUse {
    /// Connections somebody is using.
    pub busy: u32,
    /// Connections waiting to be used.
    pub idle: u32,
    /// The most connections the pool may open.
    pub limit: u32,
}
