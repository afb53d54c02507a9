use std::fmt;

/// Why a text is no barcode or digitable line. It reads well after the name of a field:
/// `barcode block 2 check digit is 7, expected 3`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CodeError {
    /// Too many digits or too few.
    Length {
        /// The numbers of digits that would do, in words.
        allowed: &'static str,
        /// How many there are.
        found: usize,
    },
    /// Neither a digit nor a space, dot or hyphen.
    Character {
        /// Which character, counted from 1.
        position: usize,
    },
    /// A check digit of the digitable line does not follow from the digits of its block.
    BlockDigit {
        /// The block, counted from 1.
        block: u8,
        /// The digit there is.
        found: u8,
        /// The digit there should be.
        expected: u8,
    },
    /// The check digit of the whole code does not follow from the other digits.
    GeneralDigit {
        /// The digit there is.
        found: u8,
        /// The digit there should be.
        expected: u8,
    },
    /// A bank boleto was expected, and this begins with 8, the mark of collection documents.
    NotABoleto,
    /// A collection document was expected, and this does not begin with 8.
    NotACollection {
        /// What it begins with.
        found: u8,
    },
    /// A bank boleto in another currency than real.
    Currency {
        /// The digit of the currency.
        found: u8,
    },
    /// A collection document of a segment that does not exist.
    Segment {
        /// The digit of the segment.
        found: u8,
    },
    /// A collection document whose amount is of a kind that does not exist.
    ValueId {
        /// The digit of the kind.
        found: u8,
    },
}

impl fmt::Display for CodeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Length { allowed, found } => {
                write!(f, "must have {allowed} digits, not {found}")
            }
            Self::Character { position } => write!(
                f,
                "has a wrong character at position {position}: only digits, spaces, dots and hyphens may stand there"
            ),
            Self::BlockDigit {
                block,
                found,
                expected,
            } => write!(f, "block {block} check digit is {found}, expected {expected}"),
            Self::GeneralDigit { found, expected } => {
                write!(f, "general check digit is {found}, expected {expected}")
            }
            Self::NotABoleto => f.write_str(
                "begins with 8, the mark of taxes and utility bills, which have 44 digits in the barcode or 48 in the line",
            ),
            Self::NotACollection { found } => write!(
                f,
                "begins with {found}, but 48 digits are the line of a tax or utility bill and begin with 8"
            ),
            Self::Currency { found } => {
                write!(f, "has currency {found} at digit 4, expected 9, the real")
            }
            Self::Segment { found } => {
                write!(f, "has segment {found} at digit 2, expected 1 to 7 or 9")
            }
            Self::ValueId { found } => write!(
                f,
                "has value identifier {found} at digit 3, expected 6, 7, 8 or 9"
            ),
        }
    }
}

impl std::error::Error for CodeError {}
