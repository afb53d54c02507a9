use crate::calendar::Date;
use crate::digits::Digits;

/// The days of one round of factors: 1000 to 9999.
const CYCLE: i64 = 9_000;
/// The lowest factor of a round.
const FIRST_FACTOR: i64 = 1_000;
/// 2000-07-03, factor 1000 of the first round, in days since 1970. The first round ended with 9999 on 2025-02-21; the
/// second began the day after.
const FIRST_ROUND: i64 = 11_141;

/// How long a title may be overdue, and how far ahead it may be due, to be read with certainty
/// (FEBRABAN, Comunicado 082/2012).
const LONGEST_OVERDUE: i64 = 3_000;
const LONGEST_AHEAD: i64 = 5_500;

/// The due date of a boleto as its barcode holds it: a number from 1000 to 9999 that grows by one each day and starts
/// over every 9000 days, last on 2025-02-22.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct DueFactor(i64);

/// A due date read from a factor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DueDate {
    /// The day.
    pub date: Date,
    /// Whether it lies where FEBRABAN's rule tells the rounds apart. An uncertain one is overdue by more than 3000 days,
    /// or is of the next round, more than 5500 days ahead.
    pub certain: bool,
}

impl DueFactor {
    /// The factor of a day; `None` before 2000-07-03, when factors had fewer than four digits.
    pub fn of(date: Date) -> Option<Self> {
        let days = date.unix_days().saturating_sub(FIRST_ROUND);
        (days >= 0).then(|| Self(FIRST_FACTOR.saturating_add(days % CYCLE)))
    }

    /// The factor of this number, when there is one.
    pub fn from_number(number: i64) -> Option<Self> {
        (1_000..=9_999).contains(&number).then_some(Self(number))
    }

    /// The number, 1000 to 9999.
    pub fn number(self) -> i64 {
        self.0
    }

    pub(super) fn digits(self) -> Digits<4> {
        Digits::of_number(self.0).unwrap_or(Digits::join([]))
    }

    /// The day this factor means to somebody who reads it on `reference`: of the days 9000 apart that it may mean, the
    /// one from 3000 days before to 5500 days after, which is FEBRABAN's rule, else the nearest. The nearest then is
    /// always the one overdue.
    pub fn near(self, reference: Date) -> DueDate {
        let into_round = self.0.saturating_sub(FIRST_FACTOR);
        let earliest = reference
            .unix_days()
            .saturating_add(LONGEST_AHEAD)
            .saturating_sub(CYCLE)
            .saturating_add(1);
        let first = FIRST_ROUND.saturating_add(into_round);
        let rounds_of_days = first.saturating_sub(earliest).rem_euclid(CYCLE);
        // Nothing was due by a factor of four digits before the first round.
        let days = earliest.saturating_add(rounds_of_days).max(first);
        let date = Date::from_unix_days(days);
        let overdue = reference.days_since(date);
        DueDate {
            date,
            certain: (LONGEST_AHEAD.saturating_neg()..=LONGEST_OVERDUE).contains(&overdue),
        }
    }
}
