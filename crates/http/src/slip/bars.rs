//! The barcode under a slip: interleaved 2 of 5, as narrow and wide bars (Banco do Brasil, "Confecção de Boleto";
//! FEBRABAN: 103 mm × 13 mm).

/// Width of the whole symbol, millimetres.
pub(super) const WIDTH_MM: f32 = 103.0;
/// Height of the bars, millimetres.
pub(super) const HEIGHT_MM: f32 = 13.0;

/// How much wider a wide element is than a narrow one; the norm allows 2 to 3, and readers like the middle.
const WIDE: f32 = 2.5;

/// The five elements of each digit, `true` for a wide one.
const DIGITS: [[bool; 5]; 10] = [
    [false, false, true, true, false],
    [true, false, false, false, true],
    [false, true, false, false, true],
    [true, true, false, false, false],
    [false, false, true, false, true],
    [true, false, true, false, false],
    [false, true, true, false, false],
    [false, false, false, true, true],
    [true, false, false, true, false],
    [false, true, false, true, false],
];

/// A bar: where it begins and how wide it is, in millimetres from the left edge of the symbol.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Bar {
    pub(super) left: f32,
    pub(super) width: f32,
}

/// The bars of an even number of digits; other characters are left out.
pub(super) fn bars(digits: &str) -> Vec<Bar> {
    let elements = elements(digits);
    let width = |wide: bool| if wide { WIDE } else { 1.0 };
    let modules: f32 = elements.iter().map(|wide| width(*wide)).sum();
    let module = WIDTH_MM / modules;
    let mut left = 0.0;
    let mut bars = Vec::with_capacity(elements.len() / 2 + 1);
    for (place, wide) in elements.into_iter().enumerate() {
        let width = width(wide) * module;
        if place % 2 == 0 {
            bars.push(Bar { left, width });
        }
        left += width;
    }
    bars
}

/// Bars and spaces in turn: start, each pair of digits (the first in the bars, the second in the spaces), stop.
fn elements(digits: &str) -> Vec<bool> {
    let patterns: Vec<[bool; 5]> = digits
        .chars()
        .filter_map(|digit| digit.to_digit(10))
        .filter_map(|digit| DIGITS.get(digit as usize).copied())
        .collect();
    let mut elements = vec![false; 4];
    for pair in patterns.chunks_exact(2) {
        let [bars, spaces] = pair else { continue };
        elements.extend(
            bars.iter()
                .zip(spaces)
                .flat_map(|(bar, space)| [*bar, *space]),
        );
    }
    elements.extend([true, false, false]);
    elements
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn forty_four_digits_fill_the_width_with_bars() {
        let bars = bars(&"0123456789".repeat(5)[..44]);
        // Start has two bars, each pair of digits five, stop two.
        assert_eq!(bars.len(), 2 + 22 * 5 + 2);
        let last = bars.last().unwrap();
        assert!((last.left + last.width - WIDTH_MM).abs() < 0.01);
        assert!(
            bars.windows(2)
                .all(|pair| pair[0].left + pair[0].width < pair[1].left)
        );
    }

    #[test]
    fn start_and_stop_are_as_the_norm_says() {
        let elements = elements("00");
        assert_eq!(elements[..4], [false; 4]);
        assert_eq!(elements[14..], [true, false, false]);
        assert_eq!(
            elements[4..14],
            [
                false, false, false, false, true, true, true, true, false, false
            ]
        );
    }
}
