use super::{Layout, tax_id};

tax_id!(
    /// The tax id of a person: 11 digits, the last two of them check digits.
    Cpf,
    Layout {
        length: 11,
        length_in_words: "11",
        body_allowed: "digits",
        is_body: |character| character.is_ascii_digit(),
        highest_weight: 11,
    }
);

impl Cpf {
    /// The form for logs and screens: `***.456.789-**`.
    pub fn masked(&self) -> String {
        let digits = |range| self.0.get(range).unwrap_or_default();
        format!("***.{}.{}-**", digits(3..6), digits(6..9))
    }
}
