//! Waiting for something to become true, with a deadline instead of a lucky sleep.

use std::time::{Duration, Instant};

/// How long a test waits for something that should happen at once.
pub const SOON: Duration = Duration::from_secs(20);

/// How often a condition is looked at.
const PERIOD: Duration = Duration::from_millis(10);

/// Asks until there is an answer; panics, naming what was waited for, when the deadline passes first.
pub fn until<T>(what: &str, deadline: Duration, ask: impl FnMut() -> Option<T>) -> T {
    attempt(deadline, ask).unwrap_or_else(|| panic!("not within {deadline:?}: {what}"))
}

/// Asks until there is an answer or the deadline passes.
pub fn attempt<T>(deadline: Duration, mut ask: impl FnMut() -> Option<T>) -> Option<T> {
    let end = Instant::now() + deadline;
    loop {
        if let Some(answer) = ask() {
            return Some(answer);
        }
        if Instant::now() >= end {
            return None;
        }
        std::thread::sleep(PERIOD);
    }
}
