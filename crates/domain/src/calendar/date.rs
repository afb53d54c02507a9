use std::fmt;

/// A day of the calendar in the years 1 to 9999, without an hour or a place.
///
/// Written `YYYY-MM-DD`. Which day a moment belongs to depends on the place: see
/// [`Time::in_sao_paulo`](super::Time::in_sao_paulo).
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Date(time::Date);

/// The Julian day number of 1970-01-01.
const UNIX_EPOCH: i64 = 2_440_588;
/// 0001-01-01 and 9999-12-31.
const FIRST: i64 = 1_721_426;
const LAST: i64 = 5_373_484;

impl Date {
    /// The day of these numbers; `None` when the calendar has no such day.
    pub fn from_parts(year: u16, month: u8, day: u8) -> Option<Self> {
        let month = time::Month::try_from(month).ok()?;
        let date = time::Date::from_calendar_date(i32::from(year), month, day).ok()?;
        (1..=9999).contains(&year).then_some(Self(date))
    }

    /// Reads `YYYY-MM-DD`.
    ///
    /// # Errors
    /// [`NotADate`] for another form, and for a day the calendar does not have.
    pub fn parse(text: &str) -> Result<Self, NotADate> {
        let &[y1, y2, y3, y4, b'-', m1, m2, b'-', d1, d2] = text.as_bytes() else {
            return Err(NotADate);
        };
        Self::from_digits([y1, y2, y3, y4, m1, m2, d1, d2]).ok_or(NotADate)
    }

    /// The day of eight ASCII digits `YYYYMMDD`.
    pub(crate) fn from_digits(digits: [u8; 8]) -> Option<Self> {
        if !digits.iter().all(u8::is_ascii_digit) {
            return None;
        }
        let text = std::str::from_utf8(&digits).ok()?;
        Self::from_parts(
            text.get(..4)?.parse().ok()?,
            text.get(4..6)?.parse().ok()?,
            text.get(6..)?.parse().ok()?,
        )
    }

    /// The day so many days after 1970-01-01, held inside the years 1 to 9999.
    pub fn from_unix_days(days: i64) -> Self {
        let julian = days.saturating_add(UNIX_EPOCH).clamp(FIRST, LAST);
        let date = i32::try_from(julian)
            .ok()
            .and_then(|julian| time::Date::from_julian_day(julian).ok());
        // The clamped number always is a day.
        Self(date.unwrap_or(time::Date::MIN))
    }

    /// Days since 1970-01-01.
    pub fn unix_days(self) -> i64 {
        i64::from(self.0.to_julian_day()).saturating_sub(UNIX_EPOCH)
    }

    /// The day so many days later (earlier, when negative), held inside the years 1 to 9999.
    #[must_use]
    pub fn plus_days(self, days: i64) -> Self {
        Self::from_unix_days(self.unix_days().saturating_add(days))
    }

    /// Days from `earlier` to this day; negative when it is the later one.
    pub fn days_since(self, earlier: Self) -> i64 {
        self.unix_days().saturating_sub(earlier.unix_days())
    }

    /// The year.
    pub fn year(self) -> u16 {
        u16::try_from(self.0.year()).unwrap_or_default()
    }

    /// The month, January is 1.
    pub fn month(self) -> u8 {
        u8::from(self.0.month())
    }

    /// The day of the month.
    pub fn day(self) -> u8 {
        self.0.day()
    }

    /// Whether it is a Saturday or a Sunday.
    pub fn is_weekend(self) -> bool {
        matches!(
            self.0.weekday(),
            time::Weekday::Saturday | time::Weekday::Sunday
        )
    }

    /// The first Sunday after this day.
    pub(super) fn sunday_after(self) -> Self {
        let from_sunday = i64::from(self.0.weekday().number_days_from_sunday());
        self.plus_days(7_i64.saturating_sub(from_sunday))
    }
}

impl fmt::Display for Date {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{:04}-{:02}-{:02}",
            self.year(),
            self.month(),
            self.day()
        )
    }
}

impl fmt::Debug for Date {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// The text is not a day of the calendar written `YYYY-MM-DD`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NotADate;

impl fmt::Display for NotADate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("must be a date such as 2026-11-20")
    }
}

impl std::error::Error for NotADate {}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_written_day_reads_back_the_same() {
        for text in [
            "0001-01-01",
            "1969-12-31",
            "2000-02-29",
            "2026-11-20",
            "9999-12-31",
        ] {
            let date = Date::parse(text).unwrap();
            assert_eq!(date.to_string(), text);
            assert_eq!(Date::from_unix_days(date.unix_days()), date);
        }
        assert_eq!(Date::parse("1970-01-01").unwrap().unix_days(), 0);
    }

    #[test]
    fn what_the_calendar_does_not_have_is_refused() {
        for text in [
            "",
            "2026-11-2",
            "20261120",
            "2026-13-01",
            "2026-00-01",
            "2026-02-29",
            "2026-11-00",
            "0000-01-01",
            "+026-01-01",
            "2026/11/20",
            "2026-11-20T",
            "２026-11-2",
        ] {
            assert_eq!(Date::parse(text), Err(NotADate), "{text}");
        }
    }

    #[test]
    fn counting_stops_at_the_ends_of_the_calendar() {
        let date = Date::from_unix_days(0);
        assert_eq!(date.plus_days(i64::MAX).to_string(), "9999-12-31");
        assert_eq!(date.plus_days(i64::MIN).to_string(), "0001-01-01");
    }

    proptest! {
        #[test]
        fn days_later_are_days_between(start in -700_000_i64..2_900_000, days in -10_000_i64..10_000) {
            let date = Date::from_unix_days(start);
            let later = date.plus_days(days);
            prop_assert_eq!(later.days_since(date), days);
            prop_assert_eq!(Date::parse(&later.to_string()), Ok(later));
            let sunday = date.sunday_after();
            prop_assert!(sunday.is_weekend() && (1..=7).contains(&sunday.days_since(date)));
        }
    }
}
