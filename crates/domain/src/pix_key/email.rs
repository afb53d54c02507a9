use std::fmt;

use super::PixKeyError;

/// An e-mail address as the directory takes it: ASCII, lower case, at most 77 characters.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct EmailKey(String);

impl EmailKey {
    /// The longest key of any kind.
    pub const LONGEST: usize = 77;

    /// Reads an address and turns it to lower case.
    pub(super) fn parse(text: &str) -> Result<Self, PixKeyError> {
        let address = text.trim();
        let (local, domain) = address.split_once('@').ok_or(PixKeyError::Email)?;
        let fits = address.len() <= Self::LONGEST
            && !local.is_empty()
            && local.bytes().all(is_local)
            && domain.split('.').all(is_label);
        fits.then(|| Self(address.to_ascii_lowercase()))
            .ok_or(PixKeyError::Email)
    }

    /// The address.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The form for logs and screens: `j***@example.com`.
    pub fn masked(&self) -> String {
        let (local, domain) = self.0.split_once('@').unwrap_or_default();
        format!("{}***@{domain}", local.get(..1).unwrap_or_default())
    }
}

/// What may stand before the `@`.
fn is_local(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b".!#$%&'*+/=?^_`{|}~-".contains(&byte)
}

/// A part of a domain between dots: letters, digits and hyphens, no hyphen at either end.
fn is_label(label: &str) -> bool {
    (1..=63).contains(&label.len())
        && label
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || byte == b'-')
        && !label.starts_with('-')
        && !label.ends_with('-')
}

impl fmt::Display for EmailKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl fmt::Debug for EmailKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "EmailKey({})", self.masked())
    }
}
