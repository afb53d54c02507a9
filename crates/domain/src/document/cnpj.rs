use super::{Layout, tax_id};

tax_id!(
    /// The tax id of a company: 12 digits or, since July 2026, upper-case letters, then two check digits.
    Cnpj,
    Layout {
        length: 14,
        length_in_words: "14",
        body_allowed: "digits and upper-case letters",
        is_body: |character| character.is_ascii_digit() || character.is_ascii_uppercase(),
        highest_weight: 9,
    }
);

impl Cnpj {
    /// The form for logs and screens: `**.345.678/****-**`.
    pub fn masked(&self) -> String {
        let characters = |range| self.0.get(range).unwrap_or_default();
        format!("**.{}.{}/****-**", characters(2..5), characters(5..8))
    }
}
