//! What holds for every boleto: random titles, wrong digits, swapped digits.

use proptest::prelude::*;

use super::*;
use crate::calendar::Date;
use crate::money::Centavos;

fn day(text: &str) -> Date {
    Date::parse(text).unwrap()
}

/// The check digits as the manuals word them, weights written out: a second opinion on the implementation.
mod second_opinion {
    fn value(digit: char) -> usize {
        usize::try_from(digit.to_digit(10).unwrap()).unwrap()
    }

    pub(super) fn modulo_10(block: &str) -> char {
        let weights = if block.len() == 9 {
            "212121212"
        } else {
            "1212121212"
        };
        let sum: usize = block
            .chars()
            .zip(weights.chars())
            .map(|(digit, weight)| {
                (value(digit) * value(weight))
                    .to_string()
                    .chars()
                    .map(value)
                    .sum::<usize>()
            })
            .sum();
        char::from(b"0987654321"[sum % 10])
    }

    pub(super) fn modulo_11(digits: &str) -> char {
        let weights = "4329876543298765432987654329876543298765432";
        let sum: usize = digits
            .chars()
            .zip(weights.chars())
            .map(|(digit, weight)| value(digit) * value(weight))
            .sum();
        // 11 less the remainder; 0, 10 and 11 become 1.
        char::from(b"11987654321"[sum % 11])
    }

    /// Whether all four check digits of a line follow from the others.
    pub(super) fn is_right(line: &str) -> bool {
        let digit = |position: usize| line[position - 1..].chars().next().unwrap();
        let block = |first: usize, last: usize| &line[first - 1..last];
        let rest = [
            block(1, 4),
            block(34, 47),
            block(5, 9),
            block(11, 20),
            block(22, 31),
        ]
        .concat();
        digit(10) == modulo_10(block(1, 9))
            && digit(21) == modulo_10(block(11, 20))
            && digit(32) == modulo_10(block(22, 31))
            && digit(33) == modulo_11(&rest)
    }
}

/// Any title, and a day on which somebody reads its code for certain.
fn title() -> impl Strategy<Value = (Title, Date)> {
    let parts = (
        0_u16..1_000,
        any::<(u64, u64)>(),
        0_i64..=9_999_999_999_999,
        0_u8..8,
        -1_000_i64..30_000,
        -5_500_i64..=3_000,
    );
    parts.prop_map(|(bank, (high, low), amount, size, due, read)| {
        let bank = if bank / 100 == 8 { bank - 100 } else { bank };
        let free = format!(
            "{:025}",
            (u128::from(high) << 64 | u128::from(low)) % 10_u128.pow(25)
        );
        // Amounts of every length, and now and then none.
        let amount = amount % 10_i64.pow(u32::from(size) * 2);
        let due_date = (due >= 0).then(|| day("2000-07-03").plus_days(due));
        let title = Title {
            bank: BankCode::parse(&format!("{bank:03}")).unwrap(),
            free_field: FreeField::parse(&free).unwrap(),
            amount: (amount > 0).then(|| Centavos::new(amount)),
            due_date,
        };
        let reference = due_date.unwrap_or(day("2026-11-20")).plus_days(read);
        (title, reference)
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1_000_000))]

    #[test]
    fn a_title_reads_back_from_its_barcode_and_its_line((title, reference) in title()) {
        let barcode = title.barcode().unwrap();
        let line = DigitableLine::parse(barcode.line().as_str()).unwrap();
        let read = Barcode::parse(line.barcode().as_str()).unwrap();
        prop_assert_eq!(read, barcode);
        prop_assert_eq!(read.line(), line);
        let fits = title.amount <= Some(Title::LARGEST_WITH_DUE_DATE);
        let read_title = Title {
            bank: read.bank(),
            free_field: read.free_field(),
            amount: read.amount(),
            due_date: read.due_date(reference),
        };
        prop_assert_eq!(read_title, Title { due_date: title.due_date.filter(|_| fits), ..title });
        if let Some(factor) = read.due_factor() {
            prop_assert!(factor.near(reference).certain);
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(20_000))]

    #[test]
    fn check_digits_are_those_of_the_manuals((title, _) in title()) {
        let line = title.barcode().unwrap().line();
        prop_assert!(second_opinion::is_right(line.as_str()), "{line}");
    }

    #[test]
    fn any_wrong_digit_is_refused((title, _) in title(), position in 0_usize..47, added in 1_u8..10) {
        let line = title.barcode().unwrap().line();
        let mut wrong = line.as_str().as_bytes().to_vec();
        wrong[position] = b'0' + (wrong[position] - b'0' + added) % 10;
        let wrong = String::from_utf8(wrong).unwrap();
        let refused = DigitableLine::parse(&wrong).is_err();
        // Blocks 1 to 3 and the general digit catch every one. What block 5 holds is guarded by the general digit alone,
        // where three sums share the digit 1.
        prop_assert!(refused || (position > 32 && second_opinion::is_right(&wrong)), "{line} {wrong}");
        prop_assert!(!refused || !second_opinion::is_right(&wrong) || wrong.starts_with('8'));
    }

    #[test]
    fn any_swap_that_the_digits_can_catch_is_refused(
        (title, _) in title(), first in 0_usize..47, second in 0_usize..47,
    ) {
        let line = title.barcode().unwrap().line();
        let mut swapped = line.as_str().as_bytes().to_vec();
        swapped.swap(first, second);
        let swapped = String::from_utf8(swapped).unwrap();
        let is_right = second_opinion::is_right(&swapped) && swapped.as_bytes()[3] == b'9';
        prop_assert_eq!(
            DigitableLine::parse(&swapped).is_ok(),
            is_right && !swapped.starts_with('8'),
            "{} {}", line, swapped
        );
    }

    #[test]
    fn neighbours_swapped_are_refused_but_for_9_and_0((title, _) in title(), first in 0_usize..31) {
        let line = title.barcode().unwrap().line();
        let mut swapped = line.as_str().as_bytes().to_vec();
        let pair = [swapped[first], swapped[first + 1]];
        swapped.swap(first, first + 1);
        let swapped = String::from_utf8(swapped).unwrap();
        let is_blind = pair[0] == pair[1] || pair == *b"90" || pair == *b"09";
        prop_assert!(is_blind || DigitableLine::parse(&swapped).is_err(), "{line} {swapped}");
    }

    #[test]
    fn a_wrong_digit_in_a_barcode_is_refused_when_its_sum_has_another_digit(
        (title, _) in title(), position in 0_usize..44, added in 1_u8..10,
    ) {
        let barcode = title.barcode().unwrap();
        let mut wrong = barcode.as_str().as_bytes().to_vec();
        wrong[position] = b'0' + (wrong[position] - b'0' + added) % 10;
        let wrong = String::from_utf8(wrong).unwrap();
        let expected = second_opinion::modulo_11(&[&wrong[..4], &wrong[5..]].concat());
        let is_right = wrong[4..].starts_with(expected) && &wrong[3..4] == "9";
        prop_assert_eq!(
            Barcode::parse(&wrong).is_ok(),
            is_right && !wrong.starts_with('8'),
            "{} {}", barcode, wrong
        );
    }

    #[test]
    fn any_text_gets_an_answer(text in any::<String>()) {
        let _ = Barcode::parse(&text);
        let _ = DigitableLine::parse(&text);
    }

    #[test]
    fn any_digits_get_an_answer(text in "[0-9 .-]{40,70}") {
        if let Ok(barcode) = Barcode::parse(&text) {
            prop_assert_eq!(Barcode::parse(barcode.as_str()), Ok(barcode));
        }
        let _ = DigitableLine::parse(&text);
    }
}
