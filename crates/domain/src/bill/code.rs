use std::fmt;

use super::{CollectionBarcode, CollectionLine};
use crate::boleto::{Barcode, DigitableLine};
use crate::calendar::{Date, PaymentHours};
use crate::digits::{CodeError, Digits, Typed};
use crate::money::Centavos;

/// The code of a bill, whichever of the four forms it was sent in. Equal codes are the same bill.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum BillCode {
    /// A bank boleto.
    Boleto(Barcode),
    /// A tax or utility bill.
    Collection(CollectionBarcode),
}

impl BillCode {
    /// Reads a barcode of 44 digits or a digitable line of 47 or 48; spaces, dots and hyphens between them are left out.
    /// Every check digit is checked.
    ///
    /// # Errors
    /// [`CodeError`].
    pub fn parse(text: &str) -> Result<Self, CodeError> {
        let typed = Typed::read(text)?;
        if let Some(digits) = typed.exactly::<{ Barcode::LENGTH }>() {
            return Self::check(digits);
        }
        if let Some(digits) = typed.exactly::<{ DigitableLine::LENGTH }>() {
            return DigitableLine::check(digits).map(|line| Self::Boleto(line.barcode()));
        }
        if let Some(digits) = typed.exactly::<{ CollectionLine::LENGTH }>() {
            return CollectionLine::check(digits).map(|line| Self::Collection(line.barcode()));
        }
        Err(CodeError::Length {
            allowed: "44, 47 or 48",
            found: typed.count(),
        })
    }

    fn check(digits: Digits<44>) -> Result<Self, CodeError> {
        match Barcode::check(digits) {
            Err(CodeError::NotABoleto) => CollectionBarcode::check(digits).map(Self::Collection),
            checked => checked.map(Self::Boleto),
        }
    }

    /// The 44 digits of the barcode: the name of the bill.
    pub fn as_str(&self) -> &str {
        match self {
            Self::Boleto(barcode) => barcode.as_str(),
            Self::Collection(barcode) => barcode.as_str(),
        }
    }

    /// The digitable line as it is printed.
    pub fn printed_line(&self) -> String {
        match self {
            Self::Boleto(barcode) => barcode.line().printed(),
            Self::Collection(barcode) => barcode.line().printed(),
        }
    }

    /// What is to be paid before charges; `None` when the code does not say.
    pub fn amount(&self) -> Option<Centavos> {
        match self {
            Self::Boleto(barcode) => barcode.amount(),
            Self::Collection(barcode) => barcode.amount(),
        }
    }

    /// The hours in which such bills are paid.
    pub fn payment_hours(&self) -> PaymentHours {
        match self {
            Self::Boleto(_) => PaymentHours::BOLETO,
            Self::Collection(_) => PaymentHours::COLLECTION,
        }
    }

    /// The due date, as somebody reads it who looks at the code on `reference`; `None` when the code does not say.
    pub fn due_date(&self, reference: Date) -> Option<Date> {
        match self {
            Self::Boleto(barcode) => barcode.due_date(reference),
            Self::Collection(barcode) => barcode.due_date(),
        }
    }
}

impl fmt::Display for BillCode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}
