//! The fate that the units of work of one SQLite transaction share.

use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

use crate::failure::Failure;

/// The commit that the members of a batch wait for.
#[derive(Default)]
pub(super) struct Commit {
    outcome: Mutex<Option<Result<(), Failure>>>,
    done: Condvar,
}

/// An open transaction: how many units of work ran in it, and the commit they wait for.
#[derive(Default)]
pub(super) struct Batch {
    pub(super) commit: Arc<Commit>,
    pub(super) units: u64,
}

impl Commit {
    /// Tells every member how it ended.
    pub(super) fn finish(&self, outcome: Result<(), Failure>) {
        *lock(&self.outcome) = Some(outcome);
        self.done.notify_all();
    }

    /// Waits until the batch has ended.
    pub(super) fn wait(&self) -> Result<(), Failure> {
        let mut outcome = lock(&self.outcome);
        loop {
            if let Some(outcome) = &*outcome {
                return outcome.clone();
            }
            outcome = self
                .done
                .wait(outcome)
                .unwrap_or_else(PoisonError::into_inner);
        }
    }
}

/// Locks `mutex`. Nothing panics while it holds one of this crate's locks (closures are caught), so poison means nothing.
pub(super) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
