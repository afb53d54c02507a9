//! How a worker's thread is woken and told to stop.

use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::time::Duration;

/// A bell that one worker waits for. Clones ring the same one.
#[derive(Clone, Debug, Default)]
pub(super) struct Bell(Arc<(Mutex<State>, Condvar)>);

#[derive(Debug, Default)]
struct State {
    rung: bool,
    stopped: bool,
}

/// Why a wait ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Woken {
    /// Somebody rang, or the time is over: look for work.
    Look,
    /// The server stops.
    Stop,
}

impl Bell {
    /// A bell that nobody has rung.
    pub(super) fn new() -> Self {
        Self::default()
    }

    /// There is work. It is not lost when the worker is busy.
    pub(super) fn ring(&self) {
        self.change(|state| state.rung = true);
    }

    /// The server stops.
    pub(super) fn stop(&self) {
        self.change(|state| state.stopped = true);
    }

    /// Whether the server stops.
    pub(super) fn is_stopped(&self) -> bool {
        let (state, _) = &*self.0;
        state.lock().unwrap_or_else(PoisonError::into_inner).stopped
    }

    /// Waits for a ring, a stop, or until the time is over.
    pub(super) fn wait(&self, longest: Duration) -> Woken {
        let (state, changed) = &*self.0;
        let state = state.lock().unwrap_or_else(PoisonError::into_inner);
        let (mut state, _) = changed
            .wait_timeout_while(state, longest, |state| !state.rung && !state.stopped)
            .unwrap_or_else(PoisonError::into_inner);
        state.rung = false;
        if state.stopped {
            Woken::Stop
        } else {
            Woken::Look
        }
    }

    fn change(&self, by: impl FnOnce(&mut State)) {
        let (state, changed) = &*self.0;
        by(&mut state.lock().unwrap_or_else(PoisonError::into_inner));
        changed.notify_all();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LONG: Duration = Duration::from_mins(1);

    #[test]
    fn a_ring_before_the_wait_is_heard() {
        let bell = Bell::new();
        bell.ring();
        assert_eq!(bell.wait(LONG), Woken::Look);
        assert_eq!(bell.wait(Duration::ZERO), Woken::Look);
    }

    #[test]
    fn a_stop_ends_every_wait() {
        let bell = Bell::new();
        let waiting = bell.clone();
        let worker = std::thread::spawn(move || waiting.wait(LONG));
        bell.stop();
        assert_eq!(worker.join().unwrap(), Woken::Stop);
        assert_eq!(bell.wait(LONG), Woken::Stop);
        assert!(bell.is_stopped());
    }
}
