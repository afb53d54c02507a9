use std::fmt;

use super::CollectionBarcode;
use super::collection::check_head;
use crate::digits::{CodeError, Digits, Typed, ascii};

/// The digitable line of a collection document: 48 digits, four blocks of eleven digits of the barcode, each with a
/// check digit behind it.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct CollectionLine(Digits<48>);

impl CollectionLine {
    /// How many digits it has.
    pub const LENGTH: usize = 48;

    /// Reads 48 digits; spaces, dots and hyphens between them are left out. All five check digits are checked.
    ///
    /// # Errors
    /// [`CodeError`].
    pub fn parse(text: &str) -> Result<Self, CodeError> {
        let typed = Typed::read(text)?;
        let digits = typed.exactly().ok_or(CodeError::Length {
            allowed: "48",
            found: typed.count(),
        })?;
        Self::check(digits)
    }

    /// Accepts digits of which the head and all five check digits are right.
    pub(super) fn check(digits: Digits<48>) -> Result<Self, CodeError> {
        let (_segment, value_id) = check_head(digits.positions(1, 3))?;
        for (block, first, last, digit) in [
            (1, 1, 11, 12),
            (2, 13, 23, 24),
            (3, 25, 35, 36),
            (4, 37, 47, 48),
        ] {
            let found = digits.position(digit);
            let expected = value_id.check_digit(digits.positions(first, last), &[]);
            if found != expected {
                return Err(CodeError::BlockDigit {
                    block,
                    found,
                    expected,
                });
            }
        }
        CollectionBarcode::check(in_barcode_order(&digits))?;
        Ok(Self(digits))
    }

    /// The line of a barcode.
    pub(super) fn of(barcode: &CollectionBarcode) -> Self {
        let (code, value_id) = (barcode.digits(), barcode.value_id());
        let block = |first, last| {
            let digits = code.positions(first, last);
            Digits::<12>::join([digits, &[ascii(value_id.check_digit(digits, &[]))]])
        };
        Self(Digits::join([
            block(1, 11).as_bytes(),
            block(12, 22).as_bytes(),
            block(23, 33).as_bytes(),
            block(34, 44).as_bytes(),
        ]))
    }

    /// The same document as machines read it.
    pub fn barcode(&self) -> CollectionBarcode {
        CollectionBarcode::unchecked(in_barcode_order(&self.0))
    }

    /// The 48 digits.
    pub fn as_str(&self) -> &str {
        self.0.as_str()
    }

    /// The line as it is printed: `84610000000-5 24610029110-2 00546033900-4 69589506108-0`.
    pub fn printed(&self) -> String {
        let mut printed = String::with_capacity(55);
        for (position, digit) in (0_u8..).zip(self.as_str().chars()) {
            match position % 12 {
                11 => printed.push('-'),
                0 if position > 0 => printed.push(' '),
                _ => {}
            }
            printed.push(digit);
        }
        printed
    }
}

fn in_barcode_order(line: &Digits<48>) -> Digits<44> {
    Digits::join([
        line.positions(1, 11),
        line.positions(13, 23),
        line.positions(25, 35),
        line.positions(37, 47),
    ])
}

impl fmt::Display for CollectionLine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl fmt::Debug for CollectionLine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "CollectionLine({self})")
    }
}
