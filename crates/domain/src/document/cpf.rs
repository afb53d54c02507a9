use std::fmt;

use super::{DocumentError, Layout, without_punctuation};

const LAYOUT: Layout = Layout {
    length: Cpf::LENGTH,
    length_in_words: "11",
    body_allowed: "digits",
    is_body: |character| character.is_ascii_digit(),
    highest_weight: 11,
};

/// The tax id of a person: 11 digits, the last two of them check digits.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Cpf(String);

impl Cpf {
    /// How many digits a CPF has.
    pub const LENGTH: usize = 11;

    /// Reads 11 digits without punctuation.
    pub fn parse(text: &str) -> Result<Self, DocumentError> {
        LAYOUT.check(text)?;
        Ok(Self(text.to_owned()))
    }

    /// Like [`Cpf::parse`], after leaving out `.`, `/`, `-` and spaces.
    pub fn parse_lenient(text: &str) -> Result<Self, DocumentError> {
        Self::parse(&without_punctuation(text))
    }

    /// The 11 digits.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The form for logs and screens: `***.456.789-**`.
    pub fn masked(&self) -> String {
        let digits = |range| self.0.get(range).unwrap_or_default();
        format!("***.{}.{}-**", digits(3..6), digits(6..9))
    }
}

impl fmt::Display for Cpf {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl fmt::Debug for Cpf {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Cpf({})", self.masked())
    }
}
