use proptest::prelude::*;
use serde_json::Value;

use super::*;
use crate::calendar::{Date, PaymentHours};
use crate::digits::CodeError;
use crate::money::Centavos;

fn vectors() -> Vec<Value> {
    let file: Value =
        serde_json::from_str(include_str!("../../../../tests/vectors/arrecadacao.json")).unwrap();
    file["vectors"].as_array().unwrap().clone()
}

fn collection(text: &str) -> CollectionBarcode {
    match BillCode::parse(text) {
        Ok(BillCode::Collection(barcode)) => barcode,
        other => panic!("{text}: {other:?}"),
    }
}

#[test]
fn every_published_document_is_read_as_published() {
    let mut checked = 0;
    for vector in vectors().iter().filter(|vector| vector["valid"] == true) {
        let text = |name: &str| vector[name].as_str().unwrap();
        let barcode = collection(text("input"));
        assert_eq!(barcode.as_str(), text("barcode"));
        let line = CollectionLine::parse(text("digitableLine")).unwrap();
        assert_eq!(line.barcode(), barcode);
        assert_eq!(barcode.line(), line);
        assert_eq!(CollectionLine::parse(&line.printed()), Ok(line));
        assert_eq!(CollectionBarcode::parse(text("barcode")), Ok(barcode));
        let digit = |text: &str| text.parse().unwrap();
        assert_eq!(
            Segment::from_digit(digit(text("segment"))),
            Some(barcode.segment())
        );
        assert_eq!(
            ValueId::from_digit(digit(text("valueId"))),
            Some(barcode.value_id())
        );
        assert_eq!(
            Some(barcode.value_id().is_amount()),
            vector["effectiveValue"].as_bool()
        );
        assert_eq!(
            barcode.amount().map(Centavos::get),
            vector["amountCents"].as_i64()
        );
        if let CollectionValue::Reference(value) = barcode.value() {
            assert_eq!(format!("{value:011}"), text("valueField"));
        }
        assert_eq!(barcode.issuer().as_str(), text("companyId"));
        assert_eq!(barcode.free_field(), text("freeField"));
        checked += 1;
    }
    assert!(checked >= 22, "{checked}");
}

#[test]
fn every_bad_document_is_refused_at_its_first_error() {
    let mut checked = 0;
    for vector in vectors().iter().filter(|vector| vector["valid"] == false) {
        let text = vector["input"].as_str().unwrap();
        let error = BillCode::parse(text).unwrap_err();
        let named = match error {
            CodeError::BlockDigit { block, .. } => format!("field{block}-dv"),
            CodeError::GeneralDigit { .. } => "general-dv".to_owned(),
            CodeError::NotACollection { .. } => "product-not-8".to_owned(),
            CodeError::Segment { .. } => "segment".to_owned(),
            CodeError::ValueId { .. } => "value-id".to_owned(),
            other => panic!("{text}: {other}"),
        };
        // 44 digits that do not begin with 8 are the barcode of a bank boleto, and a wrong one.
        let expected = match (text.len(), vector["errors"][0].as_str()) {
            (44, Some("product-not-8")) => Some("general-dv"),
            (_, expected) => expected,
        };
        assert_eq!(Some(named.as_str()), expected, "{text}");
        checked += 1;
    }
    assert!(checked >= 18, "{checked}");
}

#[test]
fn an_error_says_what_is_wrong_and_where() {
    for (text, message) in [
        (
            "84610000000-5 24610029110-7 00546033900-4 69589506108-0",
            "block 2 check digit is 7, expected 2",
        ),
        (
            "84600000000246100291100054603390069589506108",
            "general check digit is 0, expected 1",
        ),
        (
            "536400000011331201380002812884627116080136181551",
            "begins with 5, but 48 digits are the line of a tax or utility bill and begin with 8",
        ),
        (
            "80610000000246100291100054603390069589506108",
            "has segment 0 at digit 2, expected 1 to 7 or 9",
        ),
        (
            "84210000000246100291100054603390069589506108",
            "has value identifier 2 at digit 3, expected 6, 7, 8 or 9",
        ),
    ] {
        let error = BillCode::parse(text).unwrap_err();
        assert_eq!(error.to_string(), message, "{text}");
    }
    assert_eq!(
        CollectionLine::parse("8").unwrap_err().to_string(),
        "must have 48 digits, not 1"
    );
    assert_eq!(
        CollectionBarcode::parse("8").unwrap_err().to_string(),
        "must have 44 digits, not 1"
    );
}

#[test]
fn a_line_is_printed_in_four_blocks() {
    let barcode = collection("84610000000246100291100054603390069589506108");
    let printed = "84610000000-5 24610029110-2 00546033900-4 69589506108-0";
    assert_eq!(barcode.line().printed(), printed);
    assert_eq!(BillCode::Collection(barcode).printed_line(), printed);
}

#[test]
fn a_due_date_is_read_where_the_free_field_begins_with_one() {
    let due = |text| collection(text).due_date().map(|due| due.to_string());
    let fine = "87600000001392758412022031152020000017967044";
    assert_eq!(due(fine).as_deref(), Some("2022-03-11"));
    // No day of the calendar, and a day nothing was due by barcode.
    assert_eq!(due("85820000000572503282035607082021053959190446"), None);
    assert_eq!(due("84680000000550000791000111939897192410154434"), None);
    let reference = Date::parse("2026-11-20").unwrap();
    let code = BillCode::parse(fine).unwrap();
    assert_eq!(code.due_date(reference).unwrap().to_string(), "2022-03-11");
}

#[test]
fn companies_of_segment_6_are_told_by_their_cnpj() {
    let digits = |general| format!("866{general}0000001234512345678202611200000000000099");
    let barcode = (0..10)
        .find_map(|general| CollectionBarcode::parse(&digits(general)).ok())
        .unwrap();
    assert_eq!(barcode.segment(), Segment::Company);
    assert_eq!(barcode.issuer().as_str(), "12345678");
    assert!(matches!(barcode.issuer(), Issuer::CnpjRoot(_)));
    assert_eq!(barcode.free_field(), "202611200000000000099");
    assert_eq!(barcode.due_date(), Date::parse("2026-11-20").ok());
}

#[test]
fn taxes_and_utilities_close_earlier_than_boletos() {
    let hours = |text| BillCode::parse(text).unwrap().payment_hours();
    let boleto = "00193373700000001000500940144816060680935031";
    assert_eq!(hours(boleto), PaymentHours::BOLETO);
    let bill = "84610000000246100291100054603390069589506108";
    assert_eq!(hours(bill), PaymentHours::COLLECTION);
}

#[test]
fn an_open_amount_is_none() {
    let zero = (0..10)
        .find_map(|general| {
            let text = format!("836{general}0000000000001380008128846271108013618155");
            CollectionBarcode::parse(&text).ok()
        })
        .unwrap();
    assert_eq!(zero.value(), CollectionValue::Amount(Centavos::ZERO));
    assert_eq!(zero.amount(), None);
}

/// The check digits as FEBRABAN words them: a second opinion on the implementation.
fn second_opinion(value_id: char, digits: &str) -> char {
    let from_right: Vec<u32> = digits
        .chars()
        .rev()
        .map(|d| d.to_digit(10).unwrap())
        .collect();
    if matches!(value_id, '6' | '7') {
        let sum: u32 = from_right
            .chunks(2)
            .map(|pair| {
                let doubled = pair[0] * 2;
                doubled / 10 + doubled % 10 + pair.get(1).unwrap_or(&0)
            })
            .sum();
        char::from_digit((10 - sum % 10) % 10, 10).unwrap()
    } else {
        let sum: u32 = from_right
            .chunks(8)
            .flat_map(|run| run.iter().zip(2..))
            .map(|(digit, weight)| digit * weight)
            .sum();
        // A remainder of 0 or 1 makes 0, of 10 makes 1, any other 11 less the remainder.
        char::from(b"00987654321"[usize::try_from(sum % 11).unwrap()])
    }
}

/// Whether all five check digits of a line follow from the others.
fn is_right(line: &str) -> bool {
    let value_id = line.chars().nth(2).unwrap();
    let blocks = (0..4).map(|n| &line[n * 12..n * 12 + 11]);
    let barcode: String = blocks.clone().collect();
    let rest = [&barcode[..3], &barcode[4..]].concat();
    blocks
        .zip([11, 23, 35, 47])
        .all(|(block, digit)| line[digit..].starts_with(second_opinion(value_id, block)))
        && barcode[3..].starts_with(second_opinion(value_id, &rest))
        && line.starts_with('8')
        && "12345679".contains(&line[1..2])
        && "6789".contains(value_id)
}

/// Any document, made without the code under test.
fn document() -> impl Strategy<Value = String> {
    let parts = (0_usize..8, 0_usize..4, any::<(u64, u64)>());
    parts.prop_map(|(segment, value_id, (high, low))| {
        let segment = &"12345679"[segment..=segment];
        let value_id = &"6789"[value_id..=value_id];
        let rest = (u128::from(high) << 64 | u128::from(low)) % 10_u128.pow(38);
        let rest = format!("{:02}{rest:038}", high % 100);
        let general = second_opinion(
            value_id.chars().next().unwrap(),
            &format!("8{segment}{value_id}{rest}"),
        );
        format!("8{segment}{value_id}{general}{rest}")
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1_000_000))]

    #[test]
    fn a_document_reads_back_from_its_line(digits in document()) {
        let barcode = CollectionBarcode::parse(&digits).unwrap();
        prop_assert_eq!(barcode.as_str(), &digits);
        let line = CollectionLine::parse(barcode.line().as_str()).unwrap();
        prop_assert_eq!(line.barcode(), barcode);
        prop_assert_eq!(BillCode::parse(line.as_str()), Ok(BillCode::Collection(barcode)));
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(20_000))]

    #[test]
    fn check_digits_are_those_of_the_layout(digits in document()) {
        let line = collection(&digits).line();
        prop_assert!(is_right(line.as_str()), "{line}");
    }

    #[test]
    fn any_wrong_digit_or_swap_that_the_digits_can_catch_is_refused(
        digits in document(), first in 0_usize..48, second in 0_usize..48, added in 0_u8..10,
    ) {
        let line = collection(&digits).line();
        let mut wrong = line.as_str().as_bytes().to_vec();
        if added == 0 {
            wrong.swap(first, second);
        } else {
            wrong[first] = b'0' + (wrong[first] - b'0' + added) % 10;
        }
        let wrong = String::from_utf8(wrong).unwrap();
        prop_assert_eq!(CollectionLine::parse(&wrong).is_ok(), is_right(&wrong), "{} {}", line, wrong);
        // Modulo 10 catches every single wrong digit that leaves the algorithm alone.
        let is_modulo_10 = matches!(digits.as_bytes()[2], b'6' | b'7');
        if added != 0 && is_modulo_10 && first != 2 {
            prop_assert!(CollectionLine::parse(&wrong).is_err(), "{line} {wrong}");
        }
    }

    #[test]
    fn any_text_gets_an_answer(text in any::<String>()) {
        let _ = CollectionBarcode::parse(&text);
        let _ = CollectionLine::parse(&text);
        let _ = BillCode::parse(&text);
    }

    #[test]
    fn any_digits_get_an_answer(text in "8[0-9 .-]{40,70}") {
        if let Ok(code) = BillCode::parse(&text) {
            prop_assert_eq!(BillCode::parse(code.as_str()), Ok(code));
        }
        let _ = CollectionLine::parse(&text);
    }
}
