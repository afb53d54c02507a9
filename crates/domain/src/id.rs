//! Identifiers: a prefix that says what it is, and a ULID.

use std::fmt;

pub use ulid::Ulid;

/// The text is not an identifier of the kind asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NotAnId {
    /// The prefix such an identifier starts with.
    pub prefix: &'static str,
}

impl fmt::Display for NotAnId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "must be {} followed by a ULID", self.prefix)
    }
}

impl std::error::Error for NotAnId {}

/// Reads a ULID written in its canonical form: 26 upper-case characters of Crockford's base 32.
pub fn parse_ulid(text: &str) -> Option<Ulid> {
    let ulid = Ulid::from_string(text).ok()?;
    // The crate also reads lower case and 130-bit overflows; one object has one name.
    (ulid.to_string() == text).then_some(ulid)
}

/// Declares an identifier: a newtype over a ULID, written with its prefix.
macro_rules! id {
    ($(#[$doc:meta])* $name:ident, $prefix:literal) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name(pub $crate::id::Ulid);

        impl $name {
            /// What every identifier of this kind starts with.
            pub const PREFIX: &'static str = $prefix;

            /// Reads the identifier as it is written in the API.
            ///
            /// # Errors
            /// [`NotAnId`](crate::id::NotAnId) when the prefix is another or the rest is no ULID.
            pub fn parse(text: &str) -> Result<Self, $crate::id::NotAnId> {
                text.strip_prefix(Self::PREFIX)
                    .and_then($crate::id::parse_ulid)
                    .map(Self)
                    .ok_or($crate::id::NotAnId { prefix: Self::PREFIX })
            }
        }

        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                write!(f, "{}{}", Self::PREFIX, self.0)
            }
        }
    };
}
pub(crate) use id;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::event::EventId;

    #[test]
    fn an_id_reads_back_as_it_was_written() {
        let id = EventId(Ulid::from_parts(1_790_000_000_007, 42));
        assert_eq!(EventId::parse(&id.to_string()), Ok(id));
    }

    #[test]
    fn another_prefix_lower_case_or_overflow_is_refused() {
        let written = EventId(Ulid::from_parts(1, 42)).to_string();
        let longer = format!("{written}0");
        let lower = written.to_lowercase();
        for text in [
            "",
            "evt_",
            "chg_00000000010000000000000000",
            &longer,
            "evt_8ZZZZZZZZZZZZZZZZZZZZZZZZZ",
            "evt_ÀÀ",
            &lower,
        ] {
            assert!(EventId::parse(text).is_err(), "{text}");
        }
    }
}
