//! The end that units of work share when they share a transaction.

use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

/// The commit that the members of a batch wait for. `T` is how it ended.
pub(crate) struct Commit<T> {
    outcome: Mutex<Option<T>>,
    done: Condvar,
}

impl<T> Default for Commit<T> {
    fn default() -> Self {
        Self {
            outcome: Mutex::new(None),
            done: Condvar::new(),
        }
    }
}

impl<T: Clone> Commit<T> {
    /// Tells every member how it ended. What was told first stays.
    pub(crate) fn finish(&self, outcome: T) {
        lock(&self.outcome).get_or_insert(outcome);
        self.done.notify_all();
    }

    /// Waits until the batch has ended.
    pub(crate) fn wait(&self) -> T {
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
pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
