//! The amount a caller asks to be charged.

use std::fmt;

use crate::money::{Centavos, LARGEST_AMOUNT};

/// The smallest PIX charge: R$ 2,00.
pub const SMALLEST_CHARGE: Centavos = Centavos::new(200);

/// The amount a caller asks to be charged: R$ 2,00 to R$ 99.999.999,99.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ChargeAmount(Centavos);

impl ChargeAmount {
    /// Reads a number of centavos.
    ///
    /// # Errors
    /// [`BadChargeAmount`].
    pub fn parse(centavos: i64) -> Result<Self, BadChargeAmount> {
        let amount = Centavos::new(centavos);
        if amount < SMALLEST_CHARGE {
            Err(BadChargeAmount::TooSmall)
        } else if amount > LARGEST_AMOUNT {
            Err(BadChargeAmount::TooLarge)
        } else {
            Ok(Self(amount))
        }
    }

    /// The amount.
    pub fn get(self) -> Centavos {
        self.0
    }
}

/// An amount no charge can have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BadChargeAmount {
    /// Below R$ 2,00.
    TooSmall,
    /// Above R$ 99.999.999,99.
    TooLarge,
}

impl fmt::Display for BadChargeAmount {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::TooSmall => write!(f, "must be at least {SMALLEST_CHARGE}"),
            Self::TooLarge => write!(f, "must be at most {LARGEST_AMOUNT}"),
        }
    }
}

impl std::error::Error for BadChargeAmount {}
