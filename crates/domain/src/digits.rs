//! Rows of decimal digits with check digits among them, as they are printed under barcodes: what bank boletos
//! ([`boleto`](crate::boleto)) and collection documents ([`bill`](crate::bill)) have in common.
//!
//! Everything here works on arrays of fixed size; nothing is allocated but the words of an error.

mod check;
mod error;
mod typed;

use std::fmt;

pub(crate) use check::{modulo_10, modulo_11_remainder};
pub use error::CodeError;
pub(crate) use typed::Typed;

/// Exactly `N` decimal digits, kept as ASCII.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Digits<const N: usize>([u8; N]);

impl<const N: usize> Digits<N> {
    /// Reads `N` ASCII digits and nothing else.
    pub fn parse(text: &str) -> Option<Self> {
        let digits: [u8; N] = text.as_bytes().try_into().ok()?;
        digits
            .iter()
            .all(u8::is_ascii_digit)
            .then_some(Self(digits))
    }

    /// The digits as text.
    pub fn as_str(&self) -> &str {
        // ASCII always is UTF-8.
        std::str::from_utf8(&self.0).unwrap_or_default()
    }

    /// The number they make; `i64::MAX` for one that has no room in 64 bits.
    pub fn number(&self) -> i64 {
        number(&self.0)
    }

    /// The `N` lowest digits of a number, filled up with zeros on the left; `None` when it is negative or longer.
    pub fn of_number(number: i64) -> Option<Self> {
        let mut rest = u64::try_from(number).ok()?;
        let mut digits = [b'0'; N];
        for digit in digits.iter_mut().rev() {
            *digit |= u8::try_from(rest % 10).unwrap_or_default();
            rest /= 10;
        }
        (rest == 0).then_some(Self(digits))
    }

    /// The digits from one position to another, both included and counted from 1, as the official layouts count.
    pub(crate) fn positions(&self, first: usize, last: usize) -> &[u8] {
        self.0
            .get(first.saturating_sub(1)..last)
            .unwrap_or_default()
    }

    /// The digit at a position counted from 1.
    pub(crate) fn position(&self, position: usize) -> u8 {
        self.positions(position, position)
            .first()
            .map_or(0, |digit| digit & 0x0F)
    }

    /// The digits of several rows one after another. The rows together have `N`.
    pub(crate) fn join<const ROWS: usize>(rows: [&[u8]; ROWS]) -> Self {
        let mut digits = [b'0'; N];
        let mut rest = digits.as_mut_slice();
        for row in rows {
            let length = row.len().min(rest.len());
            let Some((places, after)) = std::mem::take(&mut rest).split_at_mut_checked(length)
            else {
                break;
            };
            for (to, from) in places.iter_mut().zip(row) {
                *to = *from;
            }
            rest = after;
        }
        Self(digits)
    }

    pub(crate) fn as_bytes(&self) -> &[u8] {
        &self.0
    }
}

impl<const N: usize> fmt::Display for Digits<N> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl<const N: usize> fmt::Debug for Digits<N> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// The number that ASCII digits make.
pub(crate) fn number(digits: &[u8]) -> i64 {
    digits.iter().fold(0, |number: i64, digit| {
        number
            .saturating_mul(10)
            .saturating_add(i64::from(digit & 0x0F))
    })
}

/// The ASCII digit of a check digit.
pub(crate) fn ascii(digit: u8) -> u8 {
    b'0' | digit
}

#[cfg(test)]
mod tests;
