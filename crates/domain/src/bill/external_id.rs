//! The caller's own name for a payment.

use std::fmt;

/// The most characters such a name has.
const LONGEST: usize = 255;

/// The caller's own name for a payment: 1 to 255 characters, compared as they were sent and kept for ever.
///
/// What would be lost on the way through some program is refused rather than cleaned: two names are the same only if
/// every character is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExternalId(String);

impl ExternalId {
    /// Reads a name.
    ///
    /// # Errors
    /// [`BadExternalId`].
    pub fn parse(text: &str) -> Result<Self, BadExternalId> {
        if text.chars().any(char::is_control) {
            Err(BadExternalId::ControlCharacter)
        } else if text.trim().len() != text.len() {
            Err(BadExternalId::OuterBlanks)
        } else if (1..=LONGEST).contains(&text.chars().count()) {
            Ok(Self(text.to_owned()))
        } else {
            Err(BadExternalId::Length)
        }
    }

    /// The name.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for ExternalId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// Why a text names no payment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BadExternalId {
    /// It is empty or too long.
    Length,
    /// It begins or ends with a blank.
    OuterBlanks,
    /// It holds a control character: a line break, a tab, a NUL.
    ControlCharacter,
}

impl fmt::Display for BadExternalId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Length => write!(f, "must have 1 to {LONGEST} characters"),
            Self::OuterBlanks => f.write_str("must not begin or end with a blank"),
            Self::ControlCharacter => f.write_str("must not hold control characters"),
        }
    }
}

impl std::error::Error for BadExternalId {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_kept_as_it_was_sent_or_refused() {
        let longest = "é".repeat(LONGEST);
        for text in ["a", "conta 7 – ção", "a  b", "\"{}\\", &longest] {
            assert_eq!(ExternalId::parse(text).unwrap().as_str(), text);
        }
        let longer = format!("{longest}é");
        for (text, error) in [
            ("", BadExternalId::Length),
            (longer.as_str(), BadExternalId::Length),
            (" a", BadExternalId::OuterBlanks),
            ("a ", BadExternalId::OuterBlanks),
            ("\u{a0}a", BadExternalId::OuterBlanks),
            (" ", BadExternalId::OuterBlanks),
            ("a\n", BadExternalId::ControlCharacter),
            ("a\tb", BadExternalId::ControlCharacter),
            ("a\u{0}b", BadExternalId::ControlCharacter),
        ] {
            assert_eq!(ExternalId::parse(text), Err(error), "{text:?}");
        }
    }
}
