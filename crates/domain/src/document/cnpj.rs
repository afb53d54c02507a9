use std::fmt;

use super::{DocumentError, Layout, without_punctuation};

const LAYOUT: Layout = Layout {
    length: Cnpj::LENGTH,
    length_in_words: "14",
    body_allowed: "digits and upper-case letters",
    is_body: |character| character.is_ascii_digit() || character.is_ascii_uppercase(),
    highest_weight: 9,
};

/// The tax id of a company: 12 digits or, since July 2026, upper-case letters, then two check digits.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Cnpj(String);

impl Cnpj {
    /// How many characters a CNPJ has.
    pub const LENGTH: usize = 14;

    /// Reads 14 characters without punctuation, letters in upper case.
    pub fn parse(text: &str) -> Result<Self, DocumentError> {
        LAYOUT.check(text)?;
        Ok(Self(text.to_owned()))
    }

    /// Like [`Cnpj::parse`], after leaving out `.`, `/`, `-` and spaces and turning letters to upper case.
    pub fn parse_lenient(text: &str) -> Result<Self, DocumentError> {
        Self::parse(&without_punctuation(text))
    }

    /// The 14 characters.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The form for logs and screens: `**.345.678/****-**`.
    pub fn masked(&self) -> String {
        let characters = |range| self.0.get(range).unwrap_or_default();
        format!("**.{}.{}/****-**", characters(2..5), characters(5..8))
    }
}

impl fmt::Display for Cnpj {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl fmt::Debug for Cnpj {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Cnpj({})", self.masked())
    }
}
