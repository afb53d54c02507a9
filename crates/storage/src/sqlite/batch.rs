//! The fate that the units of work of one SQLite transaction share.

use std::sync::Arc;

use crate::commit::Commit;
use crate::failure::Failure;

/// The commit of one SQLite transaction.
pub(super) type End = Commit<Result<(), Failure>>;

/// An open transaction: how many units of work ran in it, and the commit they wait for.
#[derive(Default)]
pub(super) struct Batch {
    pub(super) commit: Arc<End>,
    pub(super) units: u64,
}
