use std::fmt;

use super::PixKeyError;

/// A Brazilian phone number: `+55`, an area code of two digits, and nine digits of a mobile or eight of a fixed line.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct PhoneKey(String);

/// The country code of Brazil.
const BRAZIL: &str = "55";

impl PhoneKey {
    /// Reads a number with or without `+55`; spaces, parentheses, dots and hyphens are left out.
    pub(super) fn parse(text: &str) -> Result<Self, PixKeyError> {
        let text = text.trim();
        let international = text.strip_prefix('+');
        let mut digits = String::with_capacity(13);
        for character in international.unwrap_or(text).chars() {
            match character {
                '0'..='9' if digits.len() < 13 => digits.push(character),
                ' ' | '(' | ')' | '.' | '-' => {}
                _ => return Err(PixKeyError::Phone),
            }
        }
        // 55 also is an area code: without a plus only the length says whether it is the country.
        let is_whole = international.is_some() || digits.len() > 11;
        let national = if is_whole {
            digits.strip_prefix(BRAZIL)
        } else {
            Some(digits.as_str())
        };
        match national {
            Some(national) if is_national(national) => Ok(Self(format!("+{BRAZIL}{national}"))),
            _ => Err(PixKeyError::Phone),
        }
    }

    /// The number: `+5511912345678`.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The form for logs and screens: `+5511*****5678`.
    pub fn masked(&self) -> String {
        let area = self.0.get(..5).unwrap_or_default();
        let number = self.0.get(5..).unwrap_or_default();
        let last = number.len().saturating_sub(4);
        format!(
            "{area}{}{}",
            "*".repeat(last),
            number.get(last..).unwrap_or_default()
        )
    }
}

/// Area codes have no zero. Mobile numbers begin with 9, and numbers of fixed lines do not.
fn is_national(digits: &str) -> bool {
    let (area, number) = digits.split_at_checked(2).unwrap_or_default();
    let is_number = match number.len() {
        9 => number.starts_with('9'),
        8 => number.starts_with(|first| ('2'..='8').contains(&first)),
        _ => false,
    };
    is_number && !area.contains('0')
}

impl fmt::Display for PhoneKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl fmt::Debug for PhoneKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "PhoneKey({})", self.masked())
    }
}
