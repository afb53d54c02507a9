//! Money in integer centavos of BRL, and the fees taken from it.

use std::fmt;

/// A sum of money in centavos of BRL; negative where a ledger column is debited.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Centavos(i64);

/// The largest amount a caller may send: R$ 99.999.999,99.
pub const LARGEST_AMOUNT: Centavos = Centavos(9_999_999_999);

impl Centavos {
    /// No money.
    pub const ZERO: Self = Self(0);

    /// So many centavos.
    pub const fn new(centavos: i64) -> Self {
        Self(centavos)
    }

    /// The number of centavos.
    pub const fn get(self) -> i64 {
        self.0
    }

    /// The sum, unless it leaves 64 bits.
    ///
    /// # Errors
    /// [`Overflow`].
    pub fn plus(self, other: Self) -> Result<Self, Overflow> {
        self.0.checked_add(other.0).map(Self).ok_or(Overflow)
    }

    /// The difference, unless it leaves 64 bits.
    ///
    /// # Errors
    /// [`Overflow`].
    pub fn minus(self, other: Self) -> Result<Self, Overflow> {
        self.0.checked_sub(other.0).map(Self).ok_or(Overflow)
    }

    /// The same sum on the other side of a posting.
    ///
    /// # Errors
    /// [`Overflow`] for the one number without an opposite.
    pub fn negated(self) -> Result<Self, Overflow> {
        self.0.checked_neg().map(Self).ok_or(Overflow)
    }
}

impl fmt::Display for Centavos {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// A sum left the 64 bits it is kept in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Overflow;

impl fmt::Display for Overflow {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a sum of money is too large")
    }
}

impl std::error::Error for Overflow {}

/// The fee of one operation: a fixed part and a part in basis points (hundredths of a percent) of the amount.
///
/// The variable part is rounded half-up to the centavo; no float is ever involved.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fee {
    fixed: i64,
    basis_points: i64,
}

impl Fee {
    /// The largest variable part: below 100 %, or nothing would ever be left.
    pub const LARGEST_BASIS_POINTS: i64 = 9_999;

    /// A fee of `fixed` centavos plus `basis_points` hundredths of a percent.
    ///
    /// # Errors
    /// [`BadFee`] when a part is negative, the fixed one above R$ 99.999.999,99 or the variable one 100 % or more.
    pub fn new(fixed: i64, basis_points: i64) -> Result<Self, BadFee> {
        let fits = (0..=LARGEST_AMOUNT.0).contains(&fixed)
            && (0..=Self::LARGEST_BASIS_POINTS).contains(&basis_points);
        fits.then_some(Self {
            fixed,
            basis_points,
        })
        .ok_or(BadFee)
    }

    /// A fee of `fixed` centavos; for the built-in schedule.
    pub(crate) const fn of_centavos(fixed: u32) -> Self {
        #[expect(clippy::as_conversions, reason = "widening; `From` is not const")]
        Self {
            fixed: fixed as i64,
            basis_points: 0,
        }
    }

    /// The fixed part in centavos.
    pub fn fixed(self) -> i64 {
        self.fixed
    }

    /// The variable part in basis points.
    pub fn basis_points(self) -> i64 {
        self.basis_points
    }

    /// What an operation of this amount costs.
    ///
    /// # Errors
    /// [`Overflow`].
    pub fn on(self, amount: Centavos) -> Result<Centavos, Overflow> {
        let variable = i128::from(amount.0)
            .checked_mul(i128::from(self.basis_points))
            .and_then(|product| product.checked_add(5_000))
            .ok_or(Overflow)?
            .div_euclid(10_000);
        let fee = variable
            .checked_add(i128::from(self.fixed))
            .ok_or(Overflow)?;
        i64::try_from(fee)
            .map(Centavos)
            .map_err(|_too_large| Overflow)
    }

    /// What is left of the amount after the fee.
    ///
    /// # Errors
    /// [`Overflow`].
    pub fn net_of(self, amount: Centavos) -> Result<Centavos, Overflow> {
        amount.minus(self.on(amount)?)
    }

    /// The smallest amount that leaves exactly `net` after the fee (`passFee`).
    ///
    /// One exists for every `net` above zero: one centavo more raises the rounded fee by one centavo at most, so the
    /// net grows by 0 or 1 at each step and skips nothing.
    ///
    /// # Errors
    /// [`Overflow`].
    pub fn gross_up(self, net: Centavos) -> Result<Centavos, Overflow> {
        let mut enough = net.plus(Centavos(self.fixed))?;
        while self.net_of(enough)? < net {
            let missing = net.minus(self.net_of(enough)?)?;
            enough = enough.plus(missing)?.plus(missing)?;
        }
        let mut too_little = net.minus(Centavos(1))?;
        while enough.minus(too_little)? > Centavos(1) {
            let half = enough.minus(too_little)?.0.div_euclid(2);
            let middle = too_little.plus(Centavos(half))?;
            if self.net_of(middle)? < net {
                too_little = middle;
            } else {
                enough = middle;
            }
        }
        Ok(enough)
    }
}

/// A fee with a negative part, or one that eats the whole amount.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BadFee;

impl fmt::Display for BadFee {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("must have a fixed part of 0 to 9999999999 centavos and 0 to 9999 basis points")
    }
}

impl std::error::Error for BadFee {}

/// What an amount becomes: what the payer pays, what the account receives, what the fee takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Price {
    /// What the payer pays, centavos.
    pub amount: Centavos,
    /// What the account receives, centavos.
    pub net: Centavos,
}

impl Price {
    /// The price of an amount asked: with `pass_fee` the payer bears the fee, without it the account does.
    ///
    /// # Errors
    /// [`Overflow`].
    pub fn of(asked: Centavos, fee: Fee, pass_fee: bool) -> Result<Self, Overflow> {
        if pass_fee {
            Ok(Self {
                amount: fee.gross_up(asked)?,
                net: asked,
            })
        } else {
            Ok(Self {
                amount: asked,
                net: fee.net_of(asked)?,
            })
        }
    }

    /// What the fee takes, centavos.
    ///
    /// # Errors
    /// [`Overflow`].
    pub fn fee(self) -> Result<Centavos, Overflow> {
        self.amount.minus(self.net)
    }
}

/// The fees of every operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FeeSchedule {
    /// A paid PIX charge.
    pub pix: Fee,
    /// A paid checkout.
    pub checkout: Fee,
    /// A paid boleto.
    pub boleto: Fee,
    /// A PIX withdrawal.
    pub withdrawal: Fee,
    /// A third-party payment: the provider's part.
    pub bill_provider: Fee,
    /// A third-party payment: the service's part.
    pub bill_service: Fee,
}

impl FeeSchedule {
    /// The schedule of decisions §3.
    pub const DEFAULT: Self = Self {
        pix: Fee::of_centavos(80),
        checkout: Fee::of_centavos(80),
        boleto: Fee::of_centavos(199),
        withdrawal: Fee::of_centavos(100),
        bill_provider: Fee::of_centavos(60),
        bill_service: Fee::of_centavos(90),
    };

    /// Refuses a schedule under which an operation at its minimum amount would leave nothing.
    ///
    /// # Errors
    /// The name of the first such operation.
    pub fn check(&self) -> Result<(), NothingLeft> {
        let minimums = [
            ("pix", self.pix, 200),
            ("checkout", self.checkout, 200),
            ("boleto", self.boleto, 500),
        ];
        for (operation, fee, minimum) in minimums {
            if fee
                .net_of(Centavos(minimum))
                .map_or(true, |net| net <= Centavos::ZERO)
            {
                return Err(NothingLeft { operation, minimum });
            }
        }
        Ok(())
    }
}

/// A fee that leaves nothing of the smallest amount of its operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NothingLeft {
    /// The operation, as the schedule names it.
    pub operation: &'static str,
    /// Its smallest amount, centavos.
    pub minimum: i64,
}

impl fmt::Display for NothingLeft {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "the fee for {} leaves nothing of its minimum amount {}",
            self.operation, self.minimum
        )
    }
}

impl std::error::Error for NothingLeft {}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn fee(fixed: i64, basis_points: i64) -> Fee {
        Fee::new(fixed, basis_points).unwrap()
    }

    #[test]
    fn fees_round_half_up() {
        assert_eq!(fee(0, 100).on(Centavos(49)).unwrap(), Centavos(0));
        assert_eq!(fee(0, 100).on(Centavos(50)).unwrap(), Centavos(1));
        assert_eq!(fee(80, 99).on(Centavos(4990)).unwrap(), Centavos(129));
    }

    #[test]
    fn a_passed_fee_leaves_exactly_what_was_asked() {
        let price = Price::of(Centavos(4990), fee(80, 0), true).unwrap();
        assert_eq!(
            price,
            Price {
                amount: Centavos(5070),
                net: Centavos(4990)
            }
        );
        assert_eq!(price.fee().unwrap(), Centavos(80));
    }

    #[test]
    fn a_fee_that_eats_the_minimum_is_refused() {
        let schedule = FeeSchedule {
            pix: fee(200, 0),
            ..FeeSchedule::DEFAULT
        };
        assert_eq!(
            schedule.check(),
            Err(NothingLeft {
                operation: "pix",
                minimum: 200
            })
        );
        assert_eq!(FeeSchedule::DEFAULT.check(), Ok(()));
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(1_000_000))]

        #[test]
        fn the_smallest_gross_amount_is_found(
            net in 1_i64..=9_999_999_999,
            fixed in 0_i64..=10_000,
            basis_points in 0_i64..=Fee::LARGEST_BASIS_POINTS,
        ) {
            let fee = fee(fixed, basis_points);
            let gross = fee.gross_up(Centavos(net)).unwrap();
            prop_assert_eq!(fee.net_of(gross).unwrap(), Centavos(net));
            let one_less = gross.minus(Centavos(1)).unwrap();
            prop_assert!(fee.net_of(one_less).unwrap() < Centavos(net));
        }

        #[test]
        fn amount_is_always_net_plus_fee(
            asked in 1_i64..=9_999_999_999,
            fixed in 0_i64..=10_000,
            basis_points in 0_i64..=2_000,
            pass_fee: bool,
        ) {
            let fee = fee(fixed, basis_points);
            let price = Price::of(Centavos(asked), fee, pass_fee).unwrap();
            prop_assert_eq!(price.amount, price.net.plus(fee.on(price.amount).unwrap()).unwrap());
        }
    }
}
