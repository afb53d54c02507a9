use std::fmt;

use super::fold_text;

/// The merchant's name as a BR Code can carry it: 1 to 25 characters of ASCII that every bank accepts.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct MerchantName(String);

impl MerchantName {
    /// The most characters of a name.
    pub const MAX_LENGTH: usize = 25;
    /// What stands in the code of a merchant whose name leaves nothing to print: `receiver`.
    pub const FALLBACK: &str = "RECEBEDOR";

    /// Folds any text to a name, by [`fold_text`]; [`MerchantName::FALLBACK`] where nothing is left.
    pub fn fold(text: &str) -> Self {
        Self(fold_text(text, Self::MAX_LENGTH).unwrap_or_else(|| Self::FALLBACK.to_owned()))
    }

    /// The name.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for MerchantName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// The merchant's city as a BR Code can carry it: 1 to 15 characters of ASCII that every bank accepts.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct MerchantCity(String);

impl MerchantCity {
    /// The most characters of a city.
    pub const MAX_LENGTH: usize = 15;
    /// What stands in the code of a merchant whose city leaves nothing to print.
    pub const FALLBACK: &str = "SAO PAULO";

    /// Folds any text to a city, by [`fold_text`]; [`MerchantCity::FALLBACK`] where nothing is left.
    pub fn fold(text: &str) -> Self {
        Self(fold_text(text, Self::MAX_LENGTH).unwrap_or_else(|| Self::FALLBACK.to_owned()))
    }

    /// The city.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for MerchantCity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_merchant_always_has_a_name_and_a_city() {
        assert_eq!(
            MerchantName::fold("Padaria São João & Irmãos Ltda").as_str(),
            "Padaria Sao Joao Irmaos L"
        );
        assert_eq!(
            MerchantCity::fold("São Miguel do Oeste").as_str(),
            "Sao Miguel do O"
        );
        assert_eq!(MerchantName::fold("東京").as_str(), MerchantName::FALLBACK);
        assert_eq!(MerchantCity::fold(" ").as_str(), MerchantCity::FALLBACK);
        assert_eq!(
            MerchantName::fold(MerchantName::FALLBACK).as_str(),
            MerchantName::FALLBACK
        );
        assert_eq!(
            MerchantCity::fold(MerchantCity::FALLBACK).as_str(),
            MerchantCity::FALLBACK
        );
    }
}
