use super::{Date, Holiday, NATIONAL};

/// The longest a [`BankCalendar`] looks ahead for a day on which banks work.
const LONGEST_CLOSURE_DAYS: i64 = 366;

/// The days on which banks work: all but weekends, [`NATIONAL`] holidays and what an operator adds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BankCalendar {
    holidays: Vec<Holiday>,
}

impl Default for BankCalendar {
    fn default() -> Self {
        Self::national()
    }
}

impl BankCalendar {
    /// The calendar of the whole country.
    pub fn national() -> Self {
        Self {
            holidays: NATIONAL.to_vec(),
        }
    }

    /// The same calendar with more holidays.
    #[must_use]
    pub fn with(mut self, more: impl IntoIterator<Item = Holiday>) -> Self {
        self.holidays.extend(more);
        self
    }

    /// The holiday on this day, whether or not banks would work without it.
    pub fn holiday(&self, date: Date) -> Option<&Holiday> {
        self.holidays.iter().find(|holiday| holiday.is_on(date))
    }

    /// Whether banks work on this day.
    pub fn is_business_day(&self, date: Date) -> bool {
        !date.is_weekend() && self.holiday(date).is_none()
    }

    /// This day when banks work on it, else the next on which they do. Added holidays that leave no business day in a
    /// year are ignored.
    #[must_use]
    pub fn next_business_day(&self, date: Date) -> Date {
        (0..=LONGEST_CLOSURE_DAYS)
            .map(|days| date.plus_days(days))
            .find(|day| self.is_business_day(*day))
            .unwrap_or(date)
    }

    /// The last day a title may be paid that stays valid so many calendar days after its due date: both the due date
    /// and the end of the validity move to the next business day (API Pix, `validadeAposVencimento`). With 0 days it is
    /// the last day to pay without charges.
    pub fn last_payable_day(&self, due: Date, valid_days_after: i64) -> Date {
        let due = self.next_business_day(due);
        self.next_business_day(due.plus_days(valid_days_after))
    }
}
