//! How long and how much.

use std::time::Duration;

/// What a run takes its time for.
pub(crate) struct Plan {
    /// How long one load lasts.
    pub(crate) slice: Duration,
    /// How many loads the median is of.
    pub(crate) runs: usize,
    /// How many accounts "many" is.
    pub(crate) accounts: usize,
    /// Connections of a closed loop.
    pub(crate) connections: usize,
    /// Charges in the small and in the large database.
    pub(crate) sizes: [usize; 2],
}

impl Plan {
    /// All of it, in less than eight minutes.
    pub(crate) const FULL: Self = Self {
        slice: Duration::from_secs(4),
        runs: 3,
        accounts: 100,
        connections: 64,
        sizes: [10_000, 1_000_000],
    };

    /// A look, in about a minute.
    pub(crate) const QUICK: Self = Self {
        slice: Duration::from_secs(1),
        runs: 1,
        accounts: 10,
        connections: 64,
        sizes: [1_000, 100_000],
    };

    /// How long each of several measurements of one row lasts that need less time than a load.
    pub(crate) fn window(&self) -> Duration {
        self.slice / 2
    }
}
