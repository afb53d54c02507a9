use std::fmt;

use super::PixKeyError;

/// A random key: a UUID of 36 characters, in lower case with its hyphens.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct RandomKey(String);

impl RandomKey {
    /// How many characters it has.
    pub const LENGTH: usize = 36;

    /// Reads a UUID and turns it to lower case. Which version it is does not matter: the central bank's own examples
    /// differ.
    pub(super) fn parse(text: &str) -> Result<Self, PixKeyError> {
        let key = text.trim();
        let fits = key.len() == Self::LENGTH
            && (1..)
                .zip(key.bytes())
                .all(|(position, byte)| match position {
                    9 | 14 | 19 | 24 => byte == b'-',
                    _ => byte.is_ascii_hexdigit(),
                });
        fits.then(|| Self(key.to_ascii_lowercase()))
            .ok_or(PixKeyError::Evp)
    }

    /// The key.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The form for logs and screens: `123e4567-****-****-****-********0000`.
    pub fn masked(&self) -> String {
        let (first, last) = (self.0.get(..8), self.0.get(32..));
        format!(
            "{}-****-****-****-********{}",
            first.unwrap_or_default(),
            last.unwrap_or_default()
        )
    }
}

impl fmt::Display for RandomKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl fmt::Debug for RandomKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "RandomKey({})", self.masked())
    }
}
