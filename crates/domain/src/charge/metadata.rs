//! The merchant's own data.

use std::fmt;

/// Free key/value pairs: a JSON object of at most 16 KiB, kept as it was sent (but for spaces between its parts).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Metadata(String);

impl Metadata {
    /// The most bytes it may have.
    pub const LARGEST: usize = 16 * 1024;

    /// Reads JSON text.
    ///
    /// # Errors
    /// [`BadMetadata`].
    pub fn parse(json: &str) -> Result<Self, BadMetadata> {
        if json.len() > Self::LARGEST {
            return Err(BadMetadata::TooLarge);
        }
        match serde_json::from_str::<serde_json::Value>(json) {
            Ok(serde_json::Value::Object(_)) => Ok(Self(compact(json))),
            Ok(_) | Err(_) => Err(BadMetadata::NotAnObject),
        }
    }

    /// The compact JSON text.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Takes back what was stored.
    pub fn restore(stored: String) -> Self {
        Self(stored)
    }
}

/// Drops the white space between the tokens of valid JSON.
fn compact(json: &str) -> String {
    let mut compact = String::with_capacity(json.len());
    let (mut in_string, mut escaped) = (false, false);
    for c in json.chars() {
        if in_string {
            compact.push(c);
            in_string = escaped || c != '"';
            escaped = !escaped && c == '\\';
        } else if !c.is_ascii_whitespace() {
            compact.push(c);
            in_string = c == '"';
        }
    }
    compact
}

/// Text that cannot be metadata.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BadMetadata {
    /// More than 16 KiB.
    TooLarge,
    /// No JSON object, or one that holds a number or text no parser can read.
    NotAnObject,
}

impl fmt::Display for BadMetadata {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::TooLarge => write!(f, "must have at most {} bytes", Metadata::LARGEST),
            Self::NotAnObject => f.write_str("must be a JSON object"),
        }
    }
}

impl std::error::Error for BadMetadata {}
