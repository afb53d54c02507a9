//! Short texts that people write: trimmed, without control characters, limited.

use std::fmt;

/// A text of 1 to `MAX` characters, trimmed, without control characters (line breaks and tabs stay).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Text<const MAX: usize>(String);

/// A title or a name.
pub type Name = Text<200>;
/// A description.
pub type Description = Text<2_000>;

impl<const MAX: usize> Text<MAX> {
    /// Cleans the text; one without any visible character is no text at all (`None`).
    ///
    /// # Errors
    /// [`TooLong`] when more than `MAX` characters are left.
    pub fn parse(text: &str) -> Result<Option<Self>, TooLong> {
        let clean: String = text
            .chars()
            .filter(|&c| !c.is_control() || c == '\n' || c == '\t')
            .collect();
        let clean = clean.trim();
        if clean.chars().count() > MAX {
            return Err(TooLong { most: MAX });
        }
        Ok((!clean.is_empty()).then(|| Self(clean.to_owned())))
    }

    /// The text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl<const MAX: usize> fmt::Display for Text<MAX> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// A text has more characters than it may.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TooLong {
    /// How many it may have.
    pub most: usize,
}

impl fmt::Display for TooLong {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "must have at most {} characters", self.most)
    }
}

impl std::error::Error for TooLong {}

/// An e-mail address: what a mail server would take for one, in lower case, at most 254 characters.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Email(String);

impl Email {
    /// Reads an address; only its shape is checked.
    ///
    /// # Errors
    /// [`NotAnEmail`].
    pub fn parse(text: &str) -> Result<Self, NotAnEmail> {
        // Lower case first: it can lengthen an address.
        let address = text.trim().to_lowercase();
        let (local, domain) = address.rsplit_once('@').ok_or(NotAnEmail)?;
        let plain = |c: char| !c.is_whitespace() && !c.is_control() && !"<>,;\"()[]\\".contains(c);
        let fits = !local.is_empty()
            && local.len() <= 64
            && address.len() <= 254
            && !domain.starts_with('.')
            && !domain.ends_with('.')
            && !domain.contains("..")
            && !domain.is_empty()
            && !local.contains('@')
            && address.chars().all(plain);
        if fits {
            Ok(Self(address))
        } else {
            Err(NotAnEmail)
        }
    }

    /// The address.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for Email {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// The text is no e-mail address.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NotAnEmail;

impl fmt::Display for NotAnEmail {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("must be an e-mail address")
    }
}

impl std::error::Error for NotAnEmail {}

/// A phone number as somebody wrote it: 8 to 15 digits, with `+ ( ) - .` and spaces between them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Phone(String);

impl Phone {
    /// Reads a number.
    ///
    /// # Errors
    /// [`NotAPhone`].
    pub fn parse(text: &str) -> Result<Self, NotAPhone> {
        let number = text.trim();
        let digits = number.chars().filter(char::is_ascii_digit).count();
        let fits = (8..=15).contains(&digits)
            && number.len() <= 30
            && number
                .chars()
                .all(|c| c.is_ascii_digit() || "+()-. ".contains(c));
        fits.then(|| Self(number.to_owned())).ok_or(NotAPhone)
    }

    /// The number as it was written.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// The text is no phone number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NotAPhone;

impl fmt::Display for NotAPhone {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("must be a phone number of 8 to 15 digits")
    }
}

impl std::error::Error for NotAPhone {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_is_trimmed_and_loses_control_characters() {
        let text = Text::<20>::parse(" a\u{0}b\u{7f}\nc ").unwrap().unwrap();
        assert_eq!(text.as_str(), "ab\nc");
        assert_eq!(Text::<20>::parse(" \u{1} "), Ok(None));
    }

    #[test]
    fn characters_are_counted_not_bytes() {
        assert!(Text::<3>::parse("ção").unwrap().is_some());
        assert_eq!(Text::<3>::parse("ções"), Err(TooLong { most: 3 }));
    }

    #[test]
    fn addresses_and_numbers_are_told_from_nonsense() {
        assert_eq!(
            Email::parse(" Ana@Example.COM ").unwrap().as_str(),
            "ana@example.com"
        );
        for text in [
            "", "ana", "@b", "a@", "a b@c.d", "a@b@c", "a@.b", "a@b..c", "a@b\n.c",
        ] {
            assert!(Email::parse(text).is_err(), "{text}");
        }
        assert!(Phone::parse("+55 (11) 91234-5678").is_ok());
        for text in ["", "1234567", "123456789a", "1234567890123456"] {
            assert!(Phone::parse(text).is_err(), "{text}");
        }
    }
}
