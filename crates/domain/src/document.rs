//! CPF and CNPJ, the numbers people and companies of Brazil are known by to the tax office.
//!
//! A value of these types always has right check digits.
//! Their `Debug` form is masked, so that a whole number never slips into a log.

mod cnpj;
mod cpf;

use std::fmt;

pub use cnpj::Cnpj;
pub use cpf::Cpf;

/// The tax id of a person or of a company.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Document {
    /// A person.
    Cpf(Cpf),
    /// A company.
    Cnpj(Cnpj),
}

impl Document {
    /// Reads the canonical form: 11 digits are a CPF, 14 digits or upper-case letters are a CNPJ.
    /// Punctuation and spaces are refused.
    pub fn parse(text: &str) -> Result<Self, DocumentError> {
        match text.chars().count() {
            Cpf::LENGTH => Cpf::parse(text).map(Self::Cpf),
            Cnpj::LENGTH => Cnpj::parse(text).map(Self::Cnpj),
            found => Err(DocumentError::Length {
                allowed: "11 or 14",
                found,
            }),
        }
    }

    /// Like [`Document::parse`], after leaving out `.`, `/`, `-` and spaces and turning letters to upper case,
    /// for what people type.
    pub fn parse_lenient(text: &str) -> Result<Self, DocumentError> {
        Self::parse(&without_punctuation(text))
    }

    /// The canonical form, without punctuation.
    pub fn as_str(&self) -> &str {
        match self {
            Self::Cpf(cpf) => cpf.as_str(),
            Self::Cnpj(cnpj) => cnpj.as_str(),
        }
    }

    /// The form for logs and screens, with only the middle readable.
    pub fn masked(&self) -> String {
        match self {
            Self::Cpf(cpf) => cpf.masked(),
            Self::Cnpj(cnpj) => cnpj.masked(),
        }
    }
}

impl fmt::Display for Document {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// Why a text is no CPF or CNPJ.
/// It reads well after the name of a field: `customer.taxId has check digits 34, expected 35`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DocumentError {
    /// Too many characters or too few.
    Length {
        /// The lengths that would do, in words.
        allowed: &'static str,
        /// How many characters there are.
        found: usize,
    },
    /// A character that has no place there.
    Character {
        /// Which one, counted from 1.
        position: usize,
        /// What may stand there, in words.
        allowed: &'static str,
    },
    /// The last two digits do not follow from the others.
    CheckDigits {
        /// The two digits there are.
        found: [u8; 2],
        /// The two digits there should be.
        expected: [u8; 2],
    },
    /// One character from end to end: some pass the arithmetic, none was ever issued.
    Repeated,
}

impl fmt::Display for DocumentError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Length { allowed, found } => {
                write!(f, "must have {allowed} characters, not {found}")
            }
            Self::Character { position, allowed } => {
                write!(
                    f,
                    "has a wrong character at position {position}: only {allowed} may stand there"
                )
            }
            Self::CheckDigits { found, expected } => {
                let digits = |[first, second]: &[u8; 2]| format!("{first}{second}");
                write!(
                    f,
                    "has check digits {}, expected {}",
                    digits(found),
                    digits(expected)
                )
            }
            Self::Repeated => f.write_str("must not be one character repeated"),
        }
    }
}

impl std::error::Error for DocumentError {}

/// What both kinds of number have in common: a body, then two check digits modulo 11.
struct Layout {
    length: usize,
    length_in_words: &'static str,
    body_allowed: &'static str,
    is_body: fn(char) -> bool,
    /// The highest weight: weights grow from 2 at the right end and start over above it.
    highest_weight: u32,
}

impl Layout {
    fn check(&self, text: &str) -> Result<(), DocumentError> {
        let found = text.chars().count();
        if found != self.length {
            return Err(DocumentError::Length {
                allowed: self.length_in_words,
                found,
            });
        }
        let body_length = self.length.saturating_sub(2);
        for (position, character) in (1..).zip(text.chars()) {
            if position > body_length && !character.is_ascii_digit() {
                return Err(DocumentError::Character {
                    position,
                    allowed: "digits",
                });
            }
            if !(self.is_body)(character) {
                return Err(DocumentError::Character {
                    position,
                    allowed: self.body_allowed,
                });
            }
        }
        let bytes = text.as_bytes();
        if bytes.iter().all(|byte| bytes.first() == Some(byte)) {
            return Err(DocumentError::Repeated);
        }
        // Letters count too: a character is worth its ASCII code less 48, so `A` is 17 (IN RFB 2.229/2024).
        let mut values: Vec<u8> = bytes.iter().map(|byte| byte.saturating_sub(b'0')).collect();
        let &[.., first_found, second_found] = values.as_slice() else {
            return Err(DocumentError::Length {
                allowed: self.length_in_words,
                found,
            });
        };
        values.truncate(body_length);
        let first = self.check_digit(&values);
        values.push(first);
        let second = self.check_digit(&values);
        if [first_found, second_found] == [first, second] {
            return Ok(());
        }
        Err(DocumentError::CheckDigits {
            found: [first_found, second_found],
            expected: [first, second],
        })
    }

    fn check_digit(&self, values: &[u8]) -> u8 {
        let weights = (2..=self.highest_weight).cycle();
        let sum = values
            .iter()
            .rev()
            .zip(weights)
            .fold(0_u32, |sum, (value, weight)| {
                sum.saturating_add(u32::from(*value).saturating_mul(weight))
            });
        match sum % 11 {
            0 | 1 => 0,
            remainder => u8::try_from(11_u32.saturating_sub(remainder)).unwrap_or_default(),
        }
    }
}

/// Declares a tax id: a text that fits its [`Layout`], and whose `Debug` form is masked.
macro_rules! tax_id {
    ($(#[$doc:meta])* $name:ident, $layout:expr) => {
        $(#[$doc])*
        #[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub struct $name(String);

        impl $name {
            /// How many characters it has.
            pub const LENGTH: usize = LAYOUT.length;

            /// Reads the canonical form: no punctuation, letters in upper case.
            pub fn parse(text: &str) -> Result<Self, $crate::document::DocumentError> {
                LAYOUT.check(text)?;
                Ok(Self(text.to_owned()))
            }

            /// Like [`Self::parse`], after leaving out `.`, `/`, `-` and spaces and turning letters to upper case.
            pub fn parse_lenient(text: &str) -> Result<Self, $crate::document::DocumentError> {
                Self::parse(&$crate::document::without_punctuation(text))
            }

            /// The canonical form.
            pub fn as_str(&self) -> &str {
                &self.0
            }
        }

        const LAYOUT: $crate::document::Layout = $layout;

        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str(&self.0)
            }
        }

        impl std::fmt::Debug for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                write!(f, concat!(stringify!($name), "({})"), self.masked())
            }
        }
    };
}
use tax_id;

fn without_punctuation(text: &str) -> String {
    text.chars()
        .filter(|character| !matches!(character, '.' | '/' | '-') && !character.is_whitespace())
        .map(|character| character.to_ascii_uppercase())
        .collect()
}

#[cfg(test)]
mod tests;
