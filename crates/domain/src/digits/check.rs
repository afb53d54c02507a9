/// The check digit modulo 10 of ASCII digits: weights 2, 1, 2, ... from the right, the digits of each product added,
/// and what is missing to the next ten (FEBRABAN "Layout Padrão de Arrecadação" §07, Banco do Brasil "Confecção de
/// Boleto" 2019, annex V).
pub(crate) fn modulo_10<'a>(digits: impl DoubleEndedIterator<Item = &'a u8>) -> u8 {
    let sum: u8 = digits
        .rev()
        .zip([2_u8, 1].into_iter().cycle())
        .map(|(digit, weight)| {
            let product = (digit & 0x0F).saturating_mul(weight);
            (product / 10).saturating_add(product % 10)
        })
        .fold(0, |sum: u8, part| sum.saturating_add(part) % 10);
    10_u8.saturating_sub(sum) % 10
}

/// The sum modulo 11 of ASCII digits with weights 2 to 9 from the right, starting over above 9
/// (the same places, §09 and annex VI). What digit a remainder makes differs between boletos and collection documents.
pub(crate) fn modulo_11_remainder<'a>(digits: impl DoubleEndedIterator<Item = &'a u8>) -> u8 {
    let sum = digits
        .rev()
        .zip([2_u16, 3, 4, 5, 6, 7, 8, 9].into_iter().cycle())
        .fold(0, |sum: u16, (digit, weight)| {
            sum.saturating_add(u16::from(digit & 0x0F).saturating_mul(weight))
        });
    u8::try_from(sum % 11).unwrap_or_default()
}
