//! Real time.

use std::time::{SystemTime, UNIX_EPOCH};

use vintem_domain::Time;
use vintem_domain::ports::Clock;

/// The machine's clock.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SystemClock;

impl Clock for SystemClock {
    fn now(&self) -> Time {
        #[expect(
            clippy::disallowed_methods,
            reason = "this is the adapter that owns the clock"
        )]
        let now = SystemTime::now();
        let since = now.duration_since(UNIX_EPOCH).unwrap_or_default();
        Time::from_millis(i64::try_from(since.as_millis()).unwrap_or(i64::MAX))
    }
}
