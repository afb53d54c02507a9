//! What makes a charge a boleto.

use std::fmt;

use crate::boleto::issue::SlipPayer;
use crate::boleto::{Barcode, DigitableLine};
use crate::calendar::Date;

/// The title a charge is payable by, beside its PIX code.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Slip {
    /// Who has to pay.
    pub payer: SlipPayer,
    /// The wallet (carteira) it was issued in.
    pub wallet: String,
    /// The title's number in that wallet (nosso número), as the provider gave it.
    pub our_number: String,
    /// The barcode.
    pub barcode: Barcode,
    /// The due date.
    pub due_date: Date,
    /// Whoever has this may see the slip: 128 random bits, unrelated to the id.
    pub pdf_token: String,
}

impl Slip {
    /// The digitable line.
    pub fn line(&self) -> DigitableLine {
        self.barcode.line()
    }
}

/// A postal code: 8 digits.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cep(String);

impl Cep {
    /// Reads 8 digits.
    ///
    /// # Errors
    /// [`NotACep`].
    pub fn parse(text: &str) -> Result<Self, NotACep> {
        let fits = text.len() == 8 && text.bytes().all(|byte| byte.is_ascii_digit());
        fits.then(|| Self(text.to_owned())).ok_or(NotACep)
    }

    /// The digits.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// Not 8 digits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NotACep;

impl fmt::Display for NotACep {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("must have 8 digits")
    }
}

impl std::error::Error for NotACep {}
