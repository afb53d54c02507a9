use super::{DAY_MS, Date, HOUR_MS, SECOND_MS, Time};

/// What is added to UTC for the clock on the wall in Sao Paulo. It has been constant since daylight saving was
/// abolished (Decree 9.772/2019); a law that brings it back makes this one number a table of moments.
const OFFSET_MS: i64 = -3 * HOUR_MS;

/// What calendar and clock on the wall show in Sao Paulo.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct SaoPauloTime {
    /// The day.
    pub date: Date,
    /// Milliseconds since midnight, below [`DAY_MS`].
    pub since_midnight_ms: i64,
}

impl Time {
    /// Day and hour in Sao Paulo at this moment (`America/Sao_Paulo`, UTC-3).
    pub fn in_sao_paulo(self) -> SaoPauloTime {
        let local_ms = self.millis().saturating_add(OFFSET_MS);
        SaoPauloTime {
            date: Date::from_unix_days(local_ms.div_euclid(DAY_MS)),
            since_midnight_ms: local_ms.rem_euclid(DAY_MS),
        }
    }
}

impl Date {
    /// The moment this day begins in Sao Paulo. [`Time`] begins with 1970 in UTC and ends with 9999; so does this.
    pub fn start_in_sao_paulo(self) -> Time {
        let midnight_ms = self.unix_days().saturating_mul(DAY_MS);
        Time::from_millis(midnight_ms.saturating_sub(OFFSET_MS))
    }

    /// The last second of this day in Sao Paulo, 23:59:59.
    pub fn last_second_in_sao_paulo(self) -> Time {
        self.start_in_sao_paulo()
            .plus_millis(DAY_MS)
            .plus_millis(-SECOND_MS)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::calendar::MINUTE_MS;

    #[test]
    fn the_day_changes_three_hours_after_utc() {
        let before = Time::parse("2026-11-21T02:59:59.999Z")
            .unwrap()
            .in_sao_paulo();
        assert_eq!(before.date.to_string(), "2026-11-20");
        assert_eq!(before.since_midnight_ms, DAY_MS - 1);
        let midnight = Time::parse("2026-11-21T03:00:00Z").unwrap();
        let after = midnight.in_sao_paulo();
        assert_eq!(
            (after.date.to_string().as_str(), after.since_midnight_ms),
            ("2026-11-21", 0)
        );
        assert_eq!(after.date.start_in_sao_paulo(), midnight);
    }

    #[test]
    fn a_day_ends_with_its_last_second() {
        let date = Date::parse("2026-06-26").unwrap();
        assert_eq!(
            date.last_second_in_sao_paulo().to_string(),
            "2026-06-27T02:59:59.000Z"
        );
    }

    #[test]
    fn a_morning_in_utc_is_the_same_day_in_sao_paulo() {
        let local = Time::parse("2026-01-15T12:30:00Z").unwrap().in_sao_paulo();
        assert_eq!(local.since_midnight_ms, 9 * HOUR_MS + 30 * MINUTE_MS);
    }

    proptest! {
        #[test]
        fn every_moment_lies_in_its_day(millis in 0_i64..253_402_300_799_999) {
            let moment = Time::from_millis(millis);
            let local = moment.in_sao_paulo();
            prop_assert!((0..DAY_MS).contains(&local.since_midnight_ms));
            if local.date.unix_days() >= 0 {
                let start = local.date.start_in_sao_paulo();
                prop_assert_eq!(start.plus_millis(local.since_midnight_ms), moment);
            }
        }
    }
}
