//! Moments, days and bank holidays: time as banks in Brazil count it.
//!
//! [`Time`] is a moment, [`Date`] a day. Which day it is depends on the place: a due date, a limit per day or the hours
//! in which bills are paid are those of Sao Paulo ([`Time::in_sao_paulo`]). Which days banks work is a
//! [`BankCalendar`]; whether one may pay right now, [`PaymentHours`].
//!
//! Nothing here reads a clock or a time-zone database.

mod bank;
mod date;
mod holiday;
mod hours;
mod sao_paulo;

use std::fmt;

pub use bank::BankCalendar;
pub use date::{Date, NotADate};
pub use holiday::{Holiday, HolidayRule, NATIONAL, NotAHoliday};
pub use hours::{Closure, PaymentHours, PaymentWindow};
pub use sao_paulo::SaoPauloTime;

use time::format_description::well_known::Rfc3339;
use time::{OffsetDateTime, UtcDateTime};

/// A moment, in milliseconds since 1970-01-01T00:00:00Z.
///
/// Written `YYYY-MM-DDTHH:MM:SS.mmmZ`. It never reads a clock: the [`Clock`](crate::ports::Clock) port does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Time(i64);

/// Milliseconds of one second.
pub const SECOND_MS: i64 = 1_000;
/// Milliseconds of one minute.
pub const MINUTE_MS: i64 = 60 * SECOND_MS;
/// Milliseconds of one hour.
pub const HOUR_MS: i64 = 60 * MINUTE_MS;
/// Milliseconds of one day of 24 hours.
pub const DAY_MS: i64 = 24 * HOUR_MS;

/// 9999-12-31T23:59:59.999Z, the last moment four digits of a year can write.
const LAST_MS: i64 = 253_402_300_799_999;

impl Time {
    /// 1970-01-01T00:00:00Z.
    pub const EPOCH: Self = Self(0);

    /// The moment so many milliseconds after 1970-01-01T00:00:00Z, held inside the years 1970 to 9999.
    pub fn from_millis(millis: i64) -> Self {
        Self(millis.clamp(0, LAST_MS))
    }

    /// Milliseconds since 1970-01-01T00:00:00Z.
    pub fn millis(self) -> i64 {
        self.0
    }

    /// Whole seconds since 1970-01-01T00:00:00Z.
    pub fn unix_seconds(self) -> i64 {
        self.0.div_euclid(SECOND_MS)
    }

    /// The moment so many milliseconds later (earlier, when negative).
    #[must_use]
    pub fn plus_millis(self, millis: i64) -> Self {
        Self::from_millis(self.0.saturating_add(millis))
    }

    /// The moment so many seconds later (earlier, when negative).
    #[must_use]
    pub fn plus_seconds(self, seconds: i64) -> Self {
        self.plus_millis(seconds.saturating_mul(SECOND_MS))
    }

    /// Milliseconds from `earlier` to this moment; negative when it is the later one.
    pub fn millis_since(self, earlier: Self) -> i64 {
        self.0.saturating_sub(earlier.0)
    }

    /// Reads an RFC 3339 timestamp such as `2026-11-20T12:00:00Z`; other offsets are converted to UTC, digits below
    /// the millisecond are cut.
    ///
    /// # Errors
    /// [`NotATime`] when the text is no such timestamp or lies outside the years 1970 to 9999.
    pub fn parse(text: &str) -> Result<Self, NotATime> {
        let moment = OffsetDateTime::parse(text, &Rfc3339).map_err(|_malformed| NotATime)?;
        let millis = moment.unix_timestamp_nanos().div_euclid(1_000_000);
        match i64::try_from(millis) {
            Ok(millis) if (0..=LAST_MS).contains(&millis) => Ok(Self(millis)),
            _ => Err(NotATime),
        }
    }
}

impl fmt::Display for Time {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let moment =
            UtcDateTime::from_unix_timestamp(self.unix_seconds()).map_err(|_never| fmt::Error)?;
        let millis = self.0.rem_euclid(SECOND_MS);
        let (year, month, day) = moment.to_calendar_date_parts();
        let (hour, minute, second) = moment.as_hms();
        write!(
            f,
            "{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}.{millis:03}Z"
        )
    }
}

/// The year, month and day numbers of a date and time.
trait DateParts {
    fn to_calendar_date_parts(&self) -> (i32, u8, u8);
}

impl DateParts for UtcDateTime {
    fn to_calendar_date_parts(&self) -> (i32, u8, u8) {
        let (year, month, day) = self.to_calendar_date();
        (year, u8::from(month), day)
    }
}

/// The text is not an RFC 3339 timestamp of the years 1970 to 9999.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NotATime;

impl fmt::Display for NotATime {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("must be a timestamp such as 2026-11-20T12:00:00Z")
    }
}

impl std::error::Error for NotATime {}

#[cfg(test)]
mod bank_tests;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_moment_is_written_with_milliseconds_in_utc() {
        assert_eq!(Time::from_millis(0).to_string(), "1970-01-01T00:00:00.000Z");
        assert_eq!(
            Time::from_millis(1_790_000_000_007).to_string(),
            "2026-09-21T14:13:20.007Z"
        );
        assert_eq!(
            Time::from_millis(i64::MAX).to_string(),
            "9999-12-31T23:59:59.999Z"
        );
    }

    #[test]
    fn a_written_moment_reads_back_the_same() {
        for millis in [0, 1, 999, 951_782_400_000, 1_790_000_000_007, LAST_MS] {
            let moment = Time::from_millis(millis);
            assert_eq!(Time::parse(&moment.to_string()), Ok(moment));
        }
    }

    #[test]
    fn other_offsets_are_converted_and_nonsense_is_refused() {
        assert_eq!(
            Time::parse("2026-11-20T09:00:00-03:00"),
            Time::parse("2026-11-20T12:00:00Z")
        );
        for text in [
            "",
            "2026-11-20",
            "2026-13-01T00:00:00Z",
            "1969-12-31T23:59:59Z",
            "now",
        ] {
            assert_eq!(Time::parse(text), Err(NotATime), "{text}");
        }
    }
}
