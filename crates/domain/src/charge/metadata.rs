//! The merchant's own data.

use std::fmt;

use serde::de::IgnoredAny;
use serde_json::Value;

/// Free key/value pairs: a JSON object of at most 16 KiB, kept as it was sent (but for spaces between its parts).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Metadata(String);

impl Metadata {
    /// The most bytes it may have.
    pub const LARGEST: usize = 16 * 1024;
    /// The most objects and arrays inside each other, itself among them: with the two levels of an event around them, what usual readers
    /// of JSON can take.
    pub const DEEPEST: usize = 125;

    /// Reads JSON text.
    ///
    /// # Errors
    /// [`BadMetadata`].
    pub fn parse(json: &str) -> Result<Self, BadMetadata> {
        if json.len() > Self::LARGEST {
            return Err(BadMetadata::TooLarge);
        }
        if !json.trim_ascii_start().starts_with('{')
            || serde_json::from_str::<IgnoredAny>(json).is_err()
        {
            return Err(BadMetadata::NotAnObject);
        }
        let (compact, depth) = compact(json);
        if depth > Self::DEEPEST {
            return Err(BadMetadata::TooDeep);
        }
        match serde_json::from_str::<Value>(&compact) {
            Ok(_) => Ok(Self(compact)),
            Err(_) => Err(BadMetadata::Unreadable),
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

/// Valid JSON without the white space between its tokens, and how deep it is.
fn compact(json: &str) -> (String, usize) {
    let mut compact = String::with_capacity(json.len());
    let (mut in_string, mut escaped) = (false, false);
    let (mut depth, mut deepest) = (0_usize, 0_usize);
    for c in json.chars() {
        if in_string {
            compact.push(c);
            in_string = escaped || c != '"';
            escaped = !escaped && c == '\\';
        } else if !c.is_ascii_whitespace() {
            compact.push(c);
            match c {
                '"' => in_string = true,
                '{' | '[' => depth = depth.saturating_add(1),
                '}' | ']' => depth = depth.saturating_sub(1),
                _ => {}
            }
            deepest = deepest.max(depth);
        }
    }
    (compact, deepest)
}

/// Text that cannot be metadata.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BadMetadata {
    /// More than 16 KiB.
    TooLarge,
    /// No JSON object.
    NotAnObject,
    /// More than [`Metadata::DEEPEST`] levels.
    TooDeep,
    /// JSON, but with a number or a text that readers of JSON choke on; who receives the event would.
    Unreadable,
}

impl fmt::Display for BadMetadata {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::TooLarge => write!(f, "must have at most {} bytes", Metadata::LARGEST),
            Self::NotAnObject => f.write_str("must be a JSON object"),
            Self::TooDeep => write!(f, "must have at most {} levels", Metadata::DEEPEST),
            Self::Unreadable => f.write_str(
                "must not hold a number beyond 64-bit floating point (1e999) or half a surrogate pair (\\ud800)",
            ),
        }
    }
}

impl std::error::Error for BadMetadata {}
