//! When the next attempt is due (decisions §8).

use crate::calendar::{DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS, Time};

/// How long an attempt may be under way before another worker takes over, milliseconds.
pub const LEASE_MS: i64 = 30 * SECOND_MS;

/// How long attempts stay in the log, milliseconds.
pub const RETENTION_MS: i64 = 30 * DAY_MS;

/// How long nothing but failures is borne before an endpoint is disabled, milliseconds.
pub(super) const PATIENCE_MS: i64 = 5 * DAY_MS;

/// How long the old secret signs too after a roll, milliseconds.
pub(super) const OVERLAP_MS: i64 = DAY_MS;

/// How much a `Retry-After` may lengthen a wait, milliseconds.
const LONGEST_RETRY_AFTER_MS: i64 = DAY_MS;

/// The waits before each attempt, since the one before. The first is sent at once.
const WAITS_MS: [i64; 10] = [
    0,
    5 * SECOND_MS,
    5 * MINUTE_MS,
    30 * MINUTE_MS,
    2 * HOUR_MS,
    5 * HOUR_MS,
    10 * HOUR_MS,
    14 * HOUR_MS,
    20 * HOUR_MS,
    24 * HOUR_MS,
];

/// After how many attempts a round is given up.
pub const MAX_TRIES: i64 = 10;

/// When the attempt after `tries` failed ones is due; `None` when there is none. `dice` spreads the waits by ±20 %:
/// all its values are equally good.
pub(super) fn next_attempt(
    tries: i64,
    now: Time,
    retry_after_seconds: Option<i64>,
    dice: u64,
) -> Option<Time> {
    let wait = usize::try_from(tries)
        .ok()
        .and_then(|tries| WAITS_MS.get(tries))
        .copied()?;
    // From 80.0 % to 120.0 % in steps of a thousandth.
    let thousandths = i64::try_from(dice.checked_rem(401)?)
        .ok()?
        .saturating_add(800);
    let wait = wait.saturating_mul(thousandths).div_euclid(1_000);
    let asked = retry_after_seconds
        .unwrap_or(0)
        .max(0)
        .saturating_mul(SECOND_MS)
        .min(LONGEST_RETRY_AFTER_MS);
    Some(now.plus_millis(wait.max(asked)))
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: Time = Time::EPOCH;

    #[test]
    fn each_wait_is_spread_by_a_fifth_and_the_tenth_failure_is_the_last() {
        for (tries, wait) in WAITS_MS.iter().enumerate() {
            let due = |dice| {
                next_attempt(i64::try_from(tries).unwrap(), NOW, None, dice)
                    .unwrap()
                    .millis()
            };
            assert_eq!(due(0), wait * 8 / 10);
            assert_eq!(due(200), *wait);
            assert_eq!(due(400), wait * 12 / 10);
            assert_eq!(due(401), due(0));
        }
        assert_eq!(next_attempt(MAX_TRIES, NOW, Some(5), 0), None);
    }

    #[test]
    fn retry_after_lengthens_a_wait_by_a_day_at_most_and_never_shortens_it() {
        let due = |seconds| next_attempt(1, NOW, Some(seconds), 200).unwrap().millis();
        assert_eq!(due(60), 60 * SECOND_MS);
        assert_eq!(due(1), 5 * SECOND_MS);
        assert_eq!(due(-7), 5 * SECOND_MS);
        assert_eq!(due(i64::MAX), DAY_MS);
    }
}
