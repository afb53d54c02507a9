use std::fmt;

use data_encoding::BASE32_DNSSEC;
use time::{Date, Month, OffsetDateTime, Time};

/// The identifier of a charge at the bank, chosen by the receiver: 26 to 35 letters and digits, upper and lower case apart.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct TxId(String);

impl TxId {
    /// Reads 26 to 35 ASCII letters and digits.
    pub fn parse(text: &str) -> Result<Self, IdentifierError> {
        check_length(text, "26 to 35", 26, 35)?;
        check_characters(text, |character| character.is_ascii_alphanumeric())?;
        Ok(Self(text.to_owned()))
    }

    /// The identifier that belongs to a digest: 32 small letters and digits, the first 160 bits of it.
    /// Equal digests give equal identifiers, so that a repeat reaches the same charge at the bank.
    pub fn from_bytes(digest: &[u8; 32]) -> Self {
        Self(base32(digest, 32))
    }

    /// An identifier made at `millis` (Unix milliseconds): 32 small letters and digits, the time and then 112 random bits.
    /// Those made one after the other lie side by side in an index, so that each new one costs the same however many there are.
    pub fn at(millis: i64, random: &[u8; 32]) -> Self {
        let [_, _, time @ ..] = millis.to_be_bytes();
        let mut bytes = [0; 32];
        for (byte, value) in bytes.iter_mut().zip(time.iter().chain(random)) {
            *byte = *value;
        }
        Self::from_bytes(&bytes)
    }

    /// The identifier.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for TxId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// The number of an institution in the central bank's system: eight digits or, since its root may be an alphanumeric CNPJ, upper-case letters.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Ispb(String);

impl Ispb {
    /// Reads eight digits and upper-case letters.
    pub fn parse(text: &str) -> Result<Self, IdentifierError> {
        check_length(text, "8", 8, 8)?;
        check_characters(text, is_ispb_character)?;
        Ok(Self(text.to_owned()))
    }

    /// The eight characters.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for Ispb {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// The identifier of one PIX payment from end to end: `E`, the payer's institution, the UTC minute, and 11 letters and digits.
///
/// The minute is that of the order at the payer's bank, never a time of settlement.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct EndToEndId(String);

impl EndToEndId {
    /// Reads 32 characters as described above; upper and lower case are told apart.
    pub fn parse(text: &str) -> Result<Self, IdentifierError> {
        check_payment(text, 'E')?;
        Ok(Self(text.to_owned()))
    }

    /// Builds one for a payment ordered at `unix_ms` at the institution `ispb`. `random` makes it unique within the minute;
    /// its first 55 bits are used. Fails when the time is not within the years 0 to 9999.
    pub fn build(ispb: &Ispb, unix_ms: i64, random: [u8; 8]) -> Result<Self, IdentifierError> {
        build_payment('E', ispb, unix_ms, random).map(Self)
    }

    /// The 32 characters.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for EndToEndId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// The identifier of money returned to its payer (`rtrId`): like an [`EndToEndId`], with `D` in front.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ReturnId(String);

impl ReturnId {
    /// Reads 32 characters as described above; upper and lower case are told apart.
    pub fn parse(text: &str) -> Result<Self, IdentifierError> {
        check_payment(text, 'D')?;
        Ok(Self(text.to_owned()))
    }

    /// Builds one for a return made at `unix_ms` by the institution `ispb`, like [`EndToEndId::build`].
    pub fn build(ispb: &Ispb, unix_ms: i64, random: [u8; 8]) -> Result<Self, IdentifierError> {
        build_payment('D', ispb, unix_ms, random).map(Self)
    }

    /// The 32 characters.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for ReturnId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// Why a text is no such identifier. It reads well after the name of a field: `endToEndId must begin with E`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum IdentifierError {
    /// Too many characters or too few.
    Length {
        /// The lengths that would do, in words.
        allowed: &'static str,
        /// How many characters there are.
        found: usize,
    },
    /// A character that has no place there.
    Character {
        /// Which one, counted from 1.
        position: usize,
    },
    /// The first letter says that it is something else.
    Prefix {
        /// The letter it must begin with.
        expected: char,
    },
    /// There is no such minute, or its year has not four digits.
    Time,
}

impl fmt::Display for IdentifierError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Length { allowed, found } => {
                write!(f, "must have {allowed} characters, not {found}")
            }
            Self::Character { position } => {
                write!(f, "has a wrong character at position {position}")
            }
            Self::Prefix { expected } => write!(f, "must begin with {expected}"),
            Self::Time => f.write_str("has no valid date and time at position 10"),
        }
    }
}

impl std::error::Error for IdentifierError {}

fn check_length(
    text: &str,
    allowed: &'static str,
    min: usize,
    max: usize,
) -> Result<(), IdentifierError> {
    let found = text.chars().count();
    if (min..=max).contains(&found) {
        Ok(())
    } else {
        Err(IdentifierError::Length { allowed, found })
    }
}

fn check_characters(text: &str, is_allowed: impl Fn(char) -> bool) -> Result<(), IdentifierError> {
    match (1..)
        .zip(text.chars())
        .find(|(_, character)| !is_allowed(*character))
    {
        Some((position, _)) => Err(IdentifierError::Character { position }),
        None => Ok(()),
    }
}

fn is_ispb_character(character: char) -> bool {
    character.is_ascii_digit() || character.is_ascii_uppercase()
}

fn check_payment(text: &str, prefix: char) -> Result<(), IdentifierError> {
    check_length(text, "32", 32, 32)?;
    if !text.starts_with(prefix) {
        return Err(IdentifierError::Prefix { expected: prefix });
    }
    for (position, character) in (1..).zip(text.chars()) {
        let is_allowed = match position {
            2..=9 => is_ispb_character(character),
            10..=21 => character.is_ascii_digit(),
            _ => character.is_ascii_alphanumeric(),
        };
        if !is_allowed {
            return Err(IdentifierError::Character { position });
        }
    }
    minute(text).ok_or(IdentifierError::Time)
}

/// Whether `yyyyMMddHHmm` at its place is a minute of the calendar.
fn minute(text: &str) -> Option<()> {
    let month = text
        .get(13..15)?
        .parse()
        .ok()
        .and_then(|month: u8| Month::try_from(month).ok())?;
    Date::from_calendar_date(
        text.get(9..13)?.parse().ok()?,
        month,
        text.get(15..17)?.parse().ok()?,
    )
    .ok()?;
    Time::from_hms(
        text.get(17..19)?.parse().ok()?,
        text.get(19..21)?.parse().ok()?,
        0,
    )
    .ok()?;
    Some(())
}

fn build_payment(
    prefix: char,
    ispb: &Ispb,
    unix_ms: i64,
    random: [u8; 8],
) -> Result<String, IdentifierError> {
    let at = OffsetDateTime::from_unix_timestamp(unix_ms.div_euclid(1000))
        .ok()
        .filter(|at| at.year() >= 0)
        .ok_or(IdentifierError::Time)?;
    let (year, month, day) = (at.year(), u8::from(at.month()), at.day());
    let (hour, minute) = (at.hour(), at.minute());
    Ok(format!(
        "{prefix}{ispb}{year:04}{month:02}{day:02}{hour:02}{minute:02}{}",
        base32(&random, 11)
    ))
}

/// The first `length` characters of the bytes in base 32, small letters and digits: five bits each.
fn base32(bytes: &[u8], length: usize) -> String {
    let mut text = BASE32_DNSSEC.encode(bytes);
    text.truncate(length);
    text
}

#[cfg(test)]
mod tests;
