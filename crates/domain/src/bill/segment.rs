use crate::digits::{modulo_10, modulo_11_remainder};

/// Who collects with a document: the second digit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Segment {
    /// 1: a municipality (IPTU, ISS).
    Municipality,
    /// 2: water and sanitation.
    Water,
    /// 3: electricity and gas.
    Energy,
    /// 4: telephone and internet.
    Telecom,
    /// 5: federal and state government (DARF, DAS, GPS, FGTS, IPVA).
    Government,
    /// 6: any company, told by its CNPJ.
    Company,
    /// 7: traffic fines.
    TrafficFine,
    /// 9: the bank that wrote it, for itself.
    Bank,
}

impl Segment {
    /// The segment of a digit, when there is one.
    pub fn from_digit(digit: u8) -> Option<Self> {
        match digit {
            1 => Some(Self::Municipality),
            2 => Some(Self::Water),
            3 => Some(Self::Energy),
            4 => Some(Self::Telecom),
            5 => Some(Self::Government),
            6 => Some(Self::Company),
            7 => Some(Self::TrafficFine),
            9 => Some(Self::Bank),
            _ => None,
        }
    }
}

/// What the amount of a document is and how its check digits are made: the third digit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ValueId {
    /// 6: an amount in reais, check digits modulo 10.
    AmountModulo10,
    /// 7: a quantity of something, or an amount to be updated; check digits modulo 10.
    ReferenceModulo10,
    /// 8: an amount in reais, check digits modulo 11.
    AmountModulo11,
    /// 9: a quantity of something, or an amount to be updated; check digits modulo 11.
    ReferenceModulo11,
}

impl ValueId {
    /// The kind of a digit, when there is one.
    pub fn from_digit(digit: u8) -> Option<Self> {
        match digit {
            6 => Some(Self::AmountModulo10),
            7 => Some(Self::ReferenceModulo10),
            8 => Some(Self::AmountModulo11),
            9 => Some(Self::ReferenceModulo11),
            _ => None,
        }
    }

    /// Whether the document says what is to be paid.
    pub fn is_amount(self) -> bool {
        matches!(self, Self::AmountModulo10 | Self::AmountModulo11)
    }

    /// The check digit of digits, as documents of this kind make it. Where modulo 11 leaves no digit of its own it is 0;
    /// bank boletos, whose general digit is modulo 11 too, have 1 there.
    pub(super) fn check_digit(self, before: &[u8], after: &[u8]) -> u8 {
        match self {
            Self::AmountModulo10 | Self::ReferenceModulo10 => modulo_10(before.iter().chain(after)),
            Self::AmountModulo11 | Self::ReferenceModulo11 => {
                match modulo_11_remainder(before.iter().chain(after)) {
                    0 | 1 => 0,
                    remainder => 11_u8.saturating_sub(remainder),
                }
            }
        }
    }
}
