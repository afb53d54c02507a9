// Sums of a few dozen digits are far from the ends of 16 bits: nothing wraps here.

/// The check digit modulo 10 of ASCII digits: weights 2, 1, 2, ... from the right, the digits of each product added,
/// and what is missing to the next ten (FEBRABAN "Layout Padrão de Arrecadação" §07, Banco do Brasil "Confecção de
/// Boleto" 2019, annex V).
pub(crate) fn modulo_10<'a>(digits: impl DoubleEndedIterator<Item = &'a u8>) -> u8 {
    let (sum, _) = digits.rev().fold((0_u16, 2), |(sum, weight), digit| {
        let product = u16::from(digit & 0x0F).wrapping_mul(weight);
        // The digits of a product of at most 18 add up to it, less 9 when there are two of them.
        let digits = if product > 9 {
            product.wrapping_sub(9)
        } else {
            product
        };
        (sum.wrapping_add(digits), 3_u16.wrapping_sub(weight))
    });
    u8::try_from(10_u16.wrapping_sub(sum % 10) % 10).unwrap_or_default()
}

/// The sum modulo 11 of ASCII digits with weights 2 to 9 from the right, starting over above 9
/// (the same places, §09 and annex VI). What digit a remainder makes differs between boletos and collection documents.
pub(crate) fn modulo_11_remainder<'a>(digits: impl DoubleEndedIterator<Item = &'a u8>) -> u8 {
    let (sum, _) = digits.rev().fold((0_u16, 2), |(sum, weight), digit| {
        let product = u16::from(digit & 0x0F).wrapping_mul(weight);
        let next = if weight == 9 {
            2
        } else {
            weight.wrapping_add(1)
        };
        (sum.wrapping_add(product), next)
    });
    u8::try_from(sum % 11).unwrap_or_default()
}
