//! The fate that the units of work of one SQLite transaction share.

use std::sync::Arc;

use crate::commit::Commit;
use crate::failure::{Failure, Kind};

/// The end of one SQLite transaction.
pub(super) type End = Commit<Fate>;

/// How a transaction ended.
#[derive(Clone)]
pub(super) enum Fate {
    /// It is on the disk; or it was its only member's, which wanted nothing written.
    Over,
    /// Nothing was written because one member failed, and each may run again.
    Undone,
    /// Nothing of it is acknowledged.
    Lost(Failure),
}

/// An open transaction: how many units of work ran in it, and the end they wait for.
#[derive(Default)]
pub(super) struct Batch {
    pub(super) commit: Arc<End>,
    pub(super) units: u64,
}

/// Whoever still waits when it is dropped is told.
impl Drop for Batch {
    fn drop(&mut self) {
        let lost = Failure::new(Kind::Broken, "a shared transaction was never ended");
        self.commit.finish(Fate::Lost(lost));
    }
}
