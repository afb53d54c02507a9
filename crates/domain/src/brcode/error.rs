use std::fmt;

/// Why a text is no BR Code of PIX. It reads well after the name of a field: `brCode ends inside field 26`.
///
/// Tags are named as `26`, or as `26/25` when they are inside the template 26.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum BrCodeError {
    /// More than the 512 characters the central bank allows.
    TooLong,
    /// No tag and length where a field should begin.
    Header {
        /// The character it should begin at, counted from 1 within the template.
        position: usize,
        /// The template, `None` for the code itself.
        template: Option<String>,
    },
    /// A field is longer than what is left.
    Truncated {
        /// The field.
        tag: String,
    },
    /// The first field is not 00, or the last is not 63.
    Frame,
    /// A field is there twice.
    Duplicate {
        /// The field.
        tag: String,
    },
    /// A field that every code has is not there.
    Missing {
        /// The field.
        tag: String,
    },
    /// A field has a value it must not have.
    Value {
        /// The field.
        tag: String,
        /// What it must be, in words.
        must: &'static str,
    },
    /// The checksum does not belong to the text: it was cut, changed or mistyped.
    Checksum {
        /// The checksum of the text.
        expected: u16,
    },
    /// None of the merchant accounts 26 to 51 is one of PIX, or it names neither key nor location nor recurrence.
    NoAccount,
    /// More than one account of PIX, or one with a key and a location: nobody can say which is meant.
    Ambiguous,
}

impl fmt::Display for BrCodeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::TooLong => f.write_str("must have at most 512 characters"),
            Self::Header {
                position,
                template: None,
            } => write!(f, "has no tag and length at position {position}"),
            Self::Header {
                position,
                template: Some(tag),
            } => {
                write!(
                    f,
                    "has no tag and length at position {position} of field {tag}"
                )
            }
            Self::Truncated { tag } => write!(f, "ends inside field {tag}"),
            Self::Frame => f.write_str("must begin with field 00 and end with field 63"),
            Self::Duplicate { tag } => write!(f, "has field {tag} twice"),
            Self::Missing { tag } => write!(f, "has no field {tag}"),
            Self::Value { tag, must } => write!(f, "has a wrong field {tag}: it must be {must}"),
            Self::Checksum { expected } => write!(
                f,
                "has a wrong checksum: {expected:04X} belongs to this text"
            ),
            Self::NoAccount => f.write_str("names no PIX account"),
            Self::Ambiguous => f.write_str("names more than one PIX account"),
        }
    }
}

impl std::error::Error for BrCodeError {}
