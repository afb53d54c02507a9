use std::fmt;

use super::{CollectionLine, Segment, ValueId};
use crate::calendar::Date;
use crate::digits::{CodeError, Digits, Typed, number};
use crate::money::Centavos;

/// What every collection document begins with.
const PRODUCT: u8 = 8;
/// The years in which eight digits are believed to be a due date.
const YEARS_OF_DUE_DATES: std::ops::RangeInclusive<u16> = 2000..=2099;

/// The barcode of a collection document: 44 digits.
///
/// | Positions | Content |
/// |---|---|
/// | 1 | product, 8 |
/// | 2 | [`Segment`] |
/// | 3 | [`ValueId`] |
/// | 4 | general check digit |
/// | 5-15 | amount in centavos, or a quantity |
/// | 16-19 | who collects; 16-23 in segment 6 |
/// | 20-44 | free field; 24-44 in segment 6 |
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct CollectionBarcode(Digits<44>);

/// The value a collection document carries.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CollectionValue {
    /// What is to be paid; 0 when the document leaves it open.
    Amount(Centavos),
    /// A quantity of something, or an amount that only its issuer can bring up to date: not what is to be paid.
    Reference(i64),
}

/// Who collects with a document.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Issuer {
    /// A company or public body, by the number FEBRABAN gave it.
    Febraban(Digits<4>),
    /// A company, by the first eight digits of its CNPJ (segment 6).
    CnpjRoot(Digits<8>),
    /// The bank that wrote the document for itself (segment 9).
    Bank(Digits<4>),
}

impl Issuer {
    /// The digits.
    pub fn as_str(&self) -> &str {
        match self {
            Self::Febraban(digits) | Self::Bank(digits) => digits.as_str(),
            Self::CnpjRoot(digits) => digits.as_str(),
        }
    }
}

impl CollectionBarcode {
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

    /// Accepts digits whose product, segment, value identifier and general check digit are right.
    pub(super) fn check(digits: Digits<44>) -> Result<Self, CodeError> {
        let (_segment, value_id) = check_head(digits.positions(1, 3))?;
        let found = digits.position(4);
        let expected = value_id.check_digit(digits.positions(1, 3), digits.positions(5, 44));
        if found == expected {
            Ok(Self(digits))
        } else {
            Err(CodeError::GeneralDigit { found, expected })
        }
    }

    /// Takes digits that were checked before.
    pub(super) fn unchecked(digits: Digits<44>) -> Self {
        Self(digits)
    }

    /// The 44 digits.
    pub fn as_str(&self) -> &str {
        self.0.as_str()
    }

    pub(super) fn digits(&self) -> &Digits<44> {
        &self.0
    }

    /// The same document as people type it.
    pub fn line(&self) -> CollectionLine {
        CollectionLine::of(self)
    }

    /// Who collects, by trade.
    pub fn segment(&self) -> Segment {
        // The digit was checked when the value was made.
        Segment::from_digit(self.0.position(2)).unwrap_or(Segment::Bank)
    }

    /// What kind of value it carries.
    pub fn value_id(&self) -> ValueId {
        ValueId::from_digit(self.0.position(3)).unwrap_or(ValueId::ReferenceModulo11)
    }

    /// The value it carries.
    pub fn value(&self) -> CollectionValue {
        let value = number(self.0.positions(5, 15));
        if self.value_id().is_amount() {
            CollectionValue::Amount(Centavos::new(value))
        } else {
            CollectionValue::Reference(value)
        }
    }

    /// What is to be paid; `None` when the document leaves it open or carries a reference only.
    pub fn amount(&self) -> Option<Centavos> {
        match self.value() {
            CollectionValue::Amount(amount) if amount > Centavos::ZERO => Some(amount),
            CollectionValue::Amount(_) | CollectionValue::Reference(_) => None,
        }
    }

    /// Who collects, by number.
    pub fn issuer(&self) -> Issuer {
        match self.segment() {
            Segment::Company => Issuer::CnpjRoot(Digits::join([self.0.positions(16, 23)])),
            Segment::Bank => Issuer::Bank(Digits::join([self.0.positions(16, 19)])),
            _ => Issuer::Febraban(Digits::join([self.0.positions(16, 19)])),
        }
    }

    /// The digits that belong to who collects: 21 in segment 6, 25 in the others.
    pub fn free_field(&self) -> &str {
        std::str::from_utf8(self.free_digits()).unwrap_or_default()
    }

    fn free_digits(&self) -> &[u8] {
        let first = match self.segment() {
            Segment::Company => 24,
            _ => 20,
        };
        self.0.positions(first, 44)
    }

    /// The due date, when the free field begins with one, `YYYYMMDD`.
    ///
    /// The layout asks for that form without marking it, so the digits of other things can look like a day: only days of
    /// the years 2000 to 2099 are taken for due dates.
    pub fn due_date(&self) -> Option<Date> {
        let digits = self.free_digits().first_chunk::<8>()?;
        Date::from_digits(*digits).filter(|date| YEARS_OF_DUE_DATES.contains(&date.year()))
    }
}

/// Reads the first three digits, which barcode and line begin with alike.
pub(super) fn check_head(head: &[u8]) -> Result<(Segment, ValueId), CodeError> {
    let head: Digits<3> = Digits::join([head]);
    if head.position(1) != PRODUCT {
        return Err(CodeError::NotACollection {
            found: head.position(1),
        });
    }
    let segment = Segment::from_digit(head.position(2)).ok_or(CodeError::Segment {
        found: head.position(2),
    })?;
    let value_id = ValueId::from_digit(head.position(3)).ok_or(CodeError::ValueId {
        found: head.position(3),
    })?;
    Ok((segment, value_id))
}

impl fmt::Display for CollectionBarcode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl fmt::Debug for CollectionBarcode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "CollectionBarcode({self})")
    }
}
