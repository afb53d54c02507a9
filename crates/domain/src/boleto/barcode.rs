use std::fmt;

use super::{DigitableLine, DueFactor};
use crate::calendar::Date;
use crate::digits::{CodeError, Digits, Typed, ascii, modulo_11_remainder, number};
use crate::money::Centavos;

/// The digit of the only currency boletos are written in.
const REAL: u8 = 9;
/// What collection documents begin with, and no bank code.
const COLLECTION: u8 = 8;

/// The barcode of a bank boleto: 44 digits.
///
/// | Positions | Content |
/// |---|---|
/// | 1-3 | bank |
/// | 4 | currency, 9 |
/// | 5 | general check digit |
/// | 6-9 | due-date factor |
/// | 10-19 | amount in centavos |
/// | 20-44 | free field of the bank |
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Barcode(Digits<44>);

impl Barcode {
    /// How many digits it has.
    pub const LENGTH: usize = 44;

    /// Reads 44 digits; spaces, dots and hyphens between them are left out.
    ///
    /// # Errors
    /// [`CodeError`].
    pub fn parse(text: &str) -> Result<Self, CodeError> {
        let typed = Typed::read(text)?;
        let digits = typed.exactly().ok_or(CodeError::Length {
            allowed: "44",
            found: typed.count(),
        })?;
        Self::check(digits)
    }

    /// Accepts digits of which the general check digit and the currency are right.
    pub(crate) fn check(digits: Digits<44>) -> Result<Self, CodeError> {
        if digits.position(1) == COLLECTION {
            return Err(CodeError::NotABoleto);
        }
        let (found, expected) = (digits.position(5), general_digit(&digits));
        if found != expected {
            return Err(CodeError::GeneralDigit { found, expected });
        }
        match digits.position(4) {
            REAL => Ok(Self(digits)),
            found => Err(CodeError::Currency { found }),
        }
    }

    /// Takes digits that were checked before.
    pub(super) fn unchecked(digits: Digits<44>) -> Self {
        Self(digits)
    }

    /// Puts a barcode together and computes its check digit.
    pub(super) fn build(bank: BankCode, factor_and_amount: Digits<14>, free: FreeField) -> Self {
        let with_digit = |digit| {
            Digits::join([
                bank.0.as_bytes(),
                &[ascii(REAL), ascii(digit)],
                factor_and_amount.as_bytes(),
                free.0.as_bytes(),
            ])
        };
        Self(with_digit(general_digit(&with_digit(0))))
    }

    /// The 44 digits.
    pub fn as_str(&self) -> &str {
        self.0.as_str()
    }

    pub(super) fn digits(&self) -> &Digits<44> {
        &self.0
    }

    /// The same boleto as people type it.
    pub fn line(&self) -> DigitableLine {
        DigitableLine::of(self)
    }

    /// The bank that issued it.
    pub fn bank(&self) -> BankCode {
        BankCode(Digits::join([self.0.positions(1, 3)]))
    }

    /// The 25 digits each bank uses as it likes: branch, account, its own number of the title. They mean nothing to others.
    pub fn free_field(&self) -> FreeField {
        FreeField(Digits::join([self.0.positions(20, 44)]))
    }

    /// The amount; `None` when the code holds none and the payer, or the register of titles, decides.
    ///
    /// Ten digits hold up to R$ 99.999.999,99. A larger amount takes the place of the due-date factor too, which then
    /// begins with 0 as no factor does.
    pub fn amount(&self) -> Option<Centavos> {
        let field = if self.due_factor().is_some() {
            self.0.positions(10, 19)
        } else {
            self.0.positions(6, 19)
        };
        match number(field) {
            0 => None,
            centavos => Some(Centavos::new(centavos)),
        }
    }

    /// The due date as a number of days; `None` when the code holds none.
    pub fn due_factor(&self) -> Option<DueFactor> {
        DueFactor::from_number(number(self.0.positions(6, 9)))
    }

    /// The due date, as somebody reads it who looks at the code on `reference`: see [`DueFactor::near`].
    pub fn due_date(&self, reference: Date) -> Option<Date> {
        self.due_factor().map(|factor| factor.near(reference).date)
    }
}

/// Modulo 11 over all digits but the general one; where the sum leaves no digit of its own it is 1, never 0.
fn general_digit(digits: &Digits<44>) -> u8 {
    let (before, after) = (digits.positions(1, 4), digits.positions(6, 44));
    match modulo_11_remainder(before.iter().chain(after)) {
        0 | 1 => 1,
        remainder => 11_u8.saturating_sub(remainder),
    }
}

impl fmt::Display for Barcode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl fmt::Debug for Barcode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Barcode({self})")
    }
}

/// The number of a bank among those that clear boletos (COMPE): three digits, the first of them not 8, which would mark
/// a collection document.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct BankCode(Digits<3>);

impl BankCode {
    /// Reads three digits.
    pub fn parse(text: &str) -> Option<Self> {
        Digits::parse(text)
            .filter(|digits| digits.position(1) != COLLECTION)
            .map(Self)
    }

    /// The three digits.
    pub fn as_str(&self) -> &str {
        self.0.as_str()
    }
}

impl fmt::Display for BankCode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// The 25 digits of a boleto that belong to its bank.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct FreeField(Digits<25>);

impl FreeField {
    /// Reads 25 digits.
    pub fn parse(text: &str) -> Option<Self> {
        Digits::parse(text).map(Self)
    }

    /// The 25 digits.
    pub fn as_str(&self) -> &str {
        self.0.as_str()
    }
}

impl fmt::Display for FreeField {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}
