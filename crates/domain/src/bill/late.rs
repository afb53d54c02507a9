use crate::calendar::{BankCalendar, Date};
use crate::money::{Centavos, Overflow};

/// Basis points of a whole.
const WHOLE: i128 = 10_000;
/// The days of a month, where interest is counted.
const MONTH_DAYS: i128 = 30;

/// What an overdue title costs: a fine once, and simple interest by calendar days on the original amount.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LateTerms {
    /// The fine, in basis points of the amount.
    pub fine_basis_points: u16,
    /// The interest of 30 days, in basis points of the amount.
    pub monthly_interest_basis_points: u16,
}

/// What is added to the amount of an overdue title.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LateCharges {
    /// The fine.
    pub fine: Centavos,
    /// The interest up to the day of payment.
    pub interest: Centavos,
}

impl LateTerms {
    /// What is usual, and for the fine the most consumers may be asked (Consumer Code, art. 52 §1): 2 % and 1 % a month.
    pub const USUAL: Self = Self {
        fine_basis_points: 200,
        monthly_interest_basis_points: 100,
    };

    /// The charges of an amount due on one day and paid on another, each cut to the centavo.
    ///
    /// A title due when banks are closed is paid without charges on their next business day; after that the days count
    /// from the date it bears.
    ///
    /// # Errors
    /// [`Overflow`].
    pub fn charges(
        self,
        amount: Centavos,
        due: Date,
        paid: Date,
        calendar: &BankCalendar,
    ) -> Result<LateCharges, Overflow> {
        if paid <= calendar.next_business_day(due) {
            return Ok(LateCharges::default());
        }
        let share = |basis_points: u16, parts: i128, whole: i128| {
            i128::from(amount.get())
                .checked_mul(i128::from(basis_points))
                .and_then(|product| product.checked_mul(parts))
                .and_then(|product| product.checked_div(whole))
                .and_then(|centavos| i64::try_from(centavos).ok())
                .map(Centavos::new)
                .ok_or(Overflow)
        };
        let days = i128::from(paid.days_since(due));
        Ok(LateCharges {
            fine: share(self.fine_basis_points, 1, WHOLE)?,
            interest: share(
                self.monthly_interest_basis_points,
                days,
                WHOLE.saturating_mul(MONTH_DAYS),
            )?,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn day(text: &str) -> Date {
        Date::parse(text).unwrap()
    }

    fn usual(amount: i64, due: &str, paid: &str) -> (i64, i64) {
        let charges = LateTerms::USUAL
            .charges(
                Centavos::new(amount),
                day(due),
                day(paid),
                &BankCalendar::national(),
            )
            .unwrap();
        (charges.fine.get(), charges.interest.get())
    }

    #[test]
    fn the_published_examples_come_out() {
        let file: serde_json::Value =
            serde_json::from_str(include_str!("../../../../tests/vectors/late_charges.json"))
                .unwrap();
        let terms = |fine: &str, interest: &str| match (fine, interest) {
            ("2%", "1% per month /30" | "0.033% per day (1%/30)") => LateTerms::USUAL,
            ("3%", "1% per day") => LateTerms {
                fine_basis_points: 300,
                monthly_interest_basis_points: 3_000,
            },
            other => panic!("{other:?}"),
        };
        let mut checked = 0;
        for case in file["vectors"].as_array().unwrap() {
            let Some(days) = case["daysLate"].as_i64() else {
                continue;
            };
            let terms = terms(
                case["fine"].as_str().unwrap(),
                case["interest"].as_str().unwrap(),
            );
            let due = day("2026-11-09");
            let charges = terms
                .charges(
                    Centavos::new(case["amountCents"].as_i64().unwrap()),
                    due,
                    due.plus_days(days),
                    &BankCalendar::national(),
                )
                .unwrap();
            assert_eq!(Some(charges.fine.get()), case["expectedFineCents"].as_i64());
            assert_eq!(
                Some(charges.interest.get()),
                case["expectedInterestCents"].as_i64()
            );
            checked += 1;
        }
        assert_eq!(checked, 3);
    }

    #[test]
    fn nothing_is_added_until_the_next_business_day() {
        // Friday, November 20 is a holiday: Monday is free of charges, Tuesday is four days late.
        assert_eq!(usual(100_000, "2026-11-20", "2026-11-01"), (0, 0));
        assert_eq!(usual(100_000, "2026-11-20", "2026-11-23"), (0, 0));
        assert_eq!(usual(100_000, "2026-11-20", "2026-11-24"), (2_000, 133));
        // A Wednesday is not moved.
        assert_eq!(usual(100_000, "2026-11-18", "2026-11-18"), (0, 0));
        assert_eq!(usual(100_000, "2026-11-18", "2026-11-19"), (2_000, 33));
    }

    #[test]
    fn charges_are_cut_to_the_centavo() {
        assert_eq!(usual(10_000, "2026-11-09", "2026-11-14"), (200, 16));
        assert_eq!(usual(49, "2026-11-09", "2026-11-14"), (0, 0));
        assert_eq!(usual(10_000, "2025-11-10", "2026-11-10"), (200, 1_216));
    }

    #[test]
    fn the_largest_amounts_overflow_instead_of_wrapping() {
        let terms = LateTerms {
            fine_basis_points: u16::MAX,
            monthly_interest_basis_points: u16::MAX,
        };
        let charges = terms.charges(
            Centavos::new(i64::MAX),
            day("0001-01-01"),
            day("9999-12-31"),
            &BankCalendar::national(),
        );
        assert_eq!(charges, Err(Overflow));
    }
}
