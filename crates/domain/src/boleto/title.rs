use std::fmt;

use super::{BankCode, Barcode, DueFactor, FreeField};
use crate::calendar::Date;
use crate::digits::Digits;
use crate::money::Centavos;

/// What a bank puts into the barcode of a new boleto.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Title {
    /// The bank that issues it.
    pub bank: BankCode,
    /// The digits the bank finds the title again by.
    pub free_field: FreeField,
    /// The amount; `None` leaves it to the payer or to the register of titles.
    pub amount: Option<Centavos>,
    /// The due date; `None` for a boleto payable whenever it is shown.
    pub due_date: Option<Date>,
}

impl Title {
    /// The largest amount that leaves room for a due date: R$ 99.999.999,99.
    pub const LARGEST_WITH_DUE_DATE: Centavos = Centavos::new(9_999_999_999);
    /// The largest amount a barcode holds.
    pub const LARGEST: Centavos = Centavos::new(9_999_999_999_999);

    /// The barcode of this title.
    ///
    /// An amount above [`Title::LARGEST_WITH_DUE_DATE`] takes the place of the due date: the code then holds none, and
    /// only print and register tell it (Banco do Brasil, "Confecção de Boleto").
    ///
    /// # Errors
    /// [`TitleError`] when a barcode cannot hold the amount or the date.
    pub fn barcode(&self) -> Result<Barcode, TitleError> {
        let amount = self.amount.map_or(Ok(0), |amount| match amount.get() {
            1..=9_999_999_999_999 => Ok(amount.get()),
            _ => Err(TitleError::Amount),
        })?;
        let factor = match self.due_date {
            None => Digits::join([b"0000"]),
            Some(date) => DueFactor::of(date).ok_or(TitleError::DueDate)?.digits(),
        };
        let field = match Digits::<10>::of_number(amount) {
            Some(amount) => Digits::join([factor.as_bytes(), amount.as_bytes()]),
            None => Digits::of_number(amount).ok_or(TitleError::Amount)?,
        };
        Ok(Barcode::build(self.bank, field, self.free_field))
    }
}

/// Why a title has no barcode.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TitleError {
    /// The amount is not from 1 to [`Title::LARGEST`] centavos.
    Amount,
    /// The due date is before 2000-07-03.
    DueDate,
}

impl fmt::Display for TitleError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Amount => write!(f, "amount must be from 1 to {} centavos", Title::LARGEST),
            Self::DueDate => f.write_str("due date must be 2000-07-03 or later"),
        }
    }
}

impl std::error::Error for TitleError {}
