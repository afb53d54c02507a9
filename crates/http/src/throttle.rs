//! Counting what somebody does in a minute.

use std::collections::HashMap;
use std::hash::Hash;
use std::sync::{Mutex, PoisonError};

use vintem_domain::Time;
use vintem_domain::calendar::{MINUTE_MS, SECOND_MS};

/// How many are watched at once; more would be a way to fill the memory.
const CAPACITY: usize = 100_000;

/// Allows everybody so many of something in a minute.
pub(crate) struct Throttle<K> {
    limit: u32,
    windows: Mutex<Windows<K>>,
}

struct Windows<K> {
    of: HashMap<K, Window>,
    swept: Time,
}

/// A minute that begins with the first one counted.
struct Window {
    since: Time,
    count: u32,
}

impl Window {
    fn is_over(&self, now: Time) -> bool {
        !(0..MINUTE_MS).contains(&now.millis_since(self.since))
    }
}

/// It was one too many: the seconds until the next is welcome, 1 to 60.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct TooMany {
    pub(crate) retry_after: u32,
}

impl<K: Eq + Hash> Throttle<K> {
    /// So many a minute; 0: any number.
    pub(crate) fn new(limit: u32) -> Self {
        let windows = Windows {
            of: HashMap::new(),
            swept: Time::EPOCH,
        };
        Self {
            limit,
            windows: Mutex::new(windows),
        }
    }

    /// Counts one.
    pub(crate) fn count(&self, whose: K, now: Time) -> Result<(), TooMany> {
        if self.limit == 0 {
            return Ok(());
        }
        let mut windows = self.windows.lock().unwrap_or_else(PoisonError::into_inner);
        if windows.of.len() >= CAPACITY && !windows.of.contains_key(&whose) && !windows.sweep(now) {
            // Watching nobody new is better than forgetting who already did too much.
            return Ok(());
        }
        let window = windows.of.entry(whose).or_insert(Window {
            since: now,
            count: 0,
        });
        if window.is_over(now) {
            *window = Window {
                since: now,
                count: 0,
            };
        }
        if window.count < self.limit {
            window.count += 1;
            return Ok(());
        }
        let left = MINUTE_MS - now.millis_since(window.since);
        Err(TooMany {
            retry_after: u32::try_from((left + SECOND_MS - 1) / SECOND_MS).unwrap_or(60),
        })
    }
}

impl<K: Eq + Hash> Windows<K> {
    /// Makes room, at most once a second; says whether there is some.
    fn sweep(&mut self, now: Time) -> bool {
        if now.millis_since(self.swept).abs() >= SECOND_MS {
            self.swept = now;
            self.of.retain(|_, window| !window.is_over(now));
        }
        self.of.len() < CAPACITY
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(seconds: i64) -> Time {
        Time::from_millis(1_000_000_000 + seconds * SECOND_MS)
    }

    #[test]
    fn one_more_than_the_limit_is_too_many_until_the_minute_is_over() {
        let throttle = Throttle::new(2);
        assert_eq!(throttle.count("a", at(0)), Ok(()));
        assert_eq!(throttle.count("a", at(10)), Ok(()));
        let refused = |retry_after| Err(TooMany { retry_after });
        assert_eq!(throttle.count("a", at(20)), refused(40));
        assert_eq!(throttle.count("a", at(59)), refused(1));
        assert_eq!(throttle.count("b", at(59)), Ok(()), "somebody else");
        assert_eq!(throttle.count("a", at(60)), Ok(()));
        assert_eq!(throttle.count("a", at(60)), Ok(()));
        assert_eq!(throttle.count("a", at(60)), refused(60));
        assert_eq!(
            throttle.count("a", at(0)),
            Ok(()),
            "a clock set back locks nobody out"
        );
    }

    #[test]
    fn no_limit_counts_nothing() {
        let throttle = Throttle::new(0);
        for _ in 0..1_000 {
            assert_eq!(throttle.count((), at(0)), Ok(()));
        }
    }

    #[test]
    fn the_memory_is_bounded_and_swept() {
        let throttle = Throttle::new(1);
        for whose in 0..=CAPACITY {
            assert_eq!(throttle.count(whose, at(0)), Ok(()));
        }
        assert_eq!(throttle.windows.lock().unwrap().of.len(), CAPACITY);
        assert!(
            throttle.count(0, at(1)).is_err(),
            "the old ones stay watched"
        );
        assert_eq!(throttle.count(CAPACITY, at(61)), Ok(()));
        assert_eq!(throttle.windows.lock().unwrap().of.len(), 1);
    }
}
