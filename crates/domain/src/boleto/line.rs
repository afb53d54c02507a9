use std::fmt;

use super::Barcode;
use crate::digits::{CodeError, Digits, Typed, ascii, modulo_10};

/// The digitable line of a bank boleto: 47 digits.
///
/// | Block | Digits | Barcode positions |
/// |---|---|---|
/// | 1 | 9 and a check digit | 1-4, 20-24 |
/// | 2 | 10 and a check digit | 25-34 |
/// | 3 | 10 and a check digit | 35-44 |
/// | 4 | 1 | 5, the general check digit |
/// | 5 | 14 | 6-19 |
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct DigitableLine(Digits<47>);

impl DigitableLine {
    /// How many digits it has.
    pub const LENGTH: usize = 47;

    /// Reads 47 digits; spaces, dots and hyphens between them are left out. All four check digits are checked.
    ///
    /// # Errors
    /// [`CodeError`].
    pub fn parse(text: &str) -> Result<Self, CodeError> {
        let typed = Typed::read(text)?;
        let digits = typed.exactly().ok_or(CodeError::Length {
            allowed: "47",
            found: typed.count(),
        })?;
        Self::check(digits)
    }

    /// Accepts digits of which all four check digits and the currency are right.
    pub(crate) fn check(digits: Digits<47>) -> Result<Self, CodeError> {
        if digits.position(1) == 8 {
            return Err(CodeError::NotABoleto);
        }
        for (block, first, last, digit) in [(1, 1, 9, 10), (2, 11, 20, 21), (3, 22, 31, 32)] {
            let found = digits.position(digit);
            let expected = modulo_10(digits.positions(first, last).iter());
            if found != expected {
                return Err(CodeError::BlockDigit {
                    block,
                    found,
                    expected,
                });
            }
        }
        Barcode::check(in_barcode_order(&digits))?;
        Ok(Self(digits))
    }

    /// The line of a barcode.
    pub(super) fn of(barcode: &Barcode) -> Self {
        let code = barcode.digits();
        let block_1 = Digits::<9>::join([code.positions(1, 4), code.positions(20, 24)]);
        let digit_of = |block: &[u8]| [ascii(modulo_10(block.iter()))];
        Self(Digits::join([
            block_1.as_bytes(),
            &digit_of(block_1.as_bytes()),
            code.positions(25, 34),
            &digit_of(code.positions(25, 34)),
            code.positions(35, 44),
            &digit_of(code.positions(35, 44)),
            code.positions(5, 5),
            code.positions(6, 19),
        ]))
    }

    /// The same boleto as machines read it.
    pub fn barcode(&self) -> Barcode {
        Barcode::unchecked(in_barcode_order(&self.0))
    }

    /// The 47 digits.
    pub fn as_str(&self) -> &str {
        self.0.as_str()
    }

    /// The line as it is printed: `00190.50095 40144.816069 06809.350314 3 37370000000100`.
    pub fn printed(&self) -> String {
        let mut printed = String::with_capacity(54);
        for (position, digit) in (1..).zip(self.as_str().chars()) {
            match position {
                6 | 16 | 27 => printed.push('.'),
                11 | 22 | 33 | 34 => printed.push(' '),
                _ => {}
            }
            printed.push(digit);
        }
        printed
    }
}

fn in_barcode_order(line: &Digits<47>) -> Digits<44> {
    Digits::join([
        line.positions(1, 4),
        line.positions(33, 47),
        line.positions(5, 9),
        line.positions(11, 20),
        line.positions(22, 31),
    ])
}

impl fmt::Display for DigitableLine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl fmt::Debug for DigitableLine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "DigitableLine({self})")
    }
}
