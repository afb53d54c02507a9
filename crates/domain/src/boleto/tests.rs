use serde_json::Value;

use super::*;
use crate::bill::BillCode;
use crate::calendar::Date;
use crate::digits::CodeError;
use crate::money::Centavos;

fn vectors() -> Vec<Value> {
    let file: Value =
        serde_json::from_str(include_str!("../../../../tests/vectors/boleto.json")).unwrap();
    file["vectors"].as_array().unwrap().clone()
}

fn day(text: &str) -> Date {
    Date::parse(text).unwrap()
}

#[test]
fn every_published_boleto_is_read_as_published() {
    let mut checked = 0;
    for vector in vectors().iter().filter(|vector| vector["valid"] == true) {
        let text = |name: &str| vector[name].as_str().unwrap();
        let barcode = Barcode::parse(text("barcode")).unwrap();
        let line = DigitableLine::parse(text("digitableLine")).unwrap();
        assert_eq!(line.barcode(), barcode);
        assert_eq!(barcode.line(), line);
        assert_eq!(DigitableLine::parse(&line.printed()), Ok(line));
        assert_eq!(
            BillCode::parse(text("input")),
            Ok(BillCode::Boleto(barcode))
        );
        assert_eq!(barcode.bank().as_str(), text("bank"));
        assert_eq!(barcode.free_field().as_str(), text("freeField"));
        let amount = barcode.amount().map_or(0, Centavos::get);
        assert_eq!(Some(amount), vector["amountCents"].as_i64());
        let due = barcode.due_date(day("2026-11-20"));
        assert_eq!(
            due.map(|due| due.to_string()).as_deref(),
            vector["dueDateAsOf2026-11-20"].as_str(),
            "{line}"
        );
        let candidates: Vec<&str> = vector["dueDateCandidates"]
            .as_array()
            .unwrap()
            .iter()
            .map(|candidate| candidate.as_str().unwrap())
            .collect();
        for candidate in &candidates {
            // Read on the day it is due, each candidate is the answer.
            assert_eq!(barcode.due_date(day(candidate)), Some(day(candidate)));
        }
        if let Some(stated) = vector["dueDate"].as_str() {
            assert!(candidates.contains(&stated));
        }
        checked += 1;
    }
    assert!(checked >= 38, "{checked}");
}

#[test]
fn every_bad_boleto_is_refused_at_its_first_error() {
    let mut checked = 0;
    for vector in vectors().iter().filter(|vector| vector["valid"] == false) {
        let error = BillCode::parse(vector["input"].as_str().unwrap()).unwrap_err();
        let named = match error {
            CodeError::Length { found, .. } => {
                assert_eq!(found, 46);
                "len".to_owned()
            }
            CodeError::BlockDigit { block, .. } => format!("field{block}-dv"),
            CodeError::GeneralDigit { .. } => "barcode-dv".to_owned(),
            other => panic!("{vector}: {other}"),
        };
        assert_eq!(
            Some(named.as_str()),
            vector["errors"][0].as_str(),
            "{vector}"
        );
        checked += 1;
    }
    assert!(checked >= 20, "{checked}");
}

#[test]
fn the_banks_own_example_is_printed_as_in_its_manual() {
    let title = Title {
        bank: BankCode::parse("001").unwrap(),
        free_field: FreeField::parse("0500940144816060680935031").unwrap(),
        amount: Some(Centavos::new(100)),
        due_date: Some(day("2007-12-31")),
    };
    let barcode = title.barcode().unwrap();
    assert_eq!(
        barcode.as_str(),
        "00193373700000001000500940144816060680935031"
    );
    assert_eq!(
        barcode.line().printed(),
        "00190.50095 40144.816069 06809.350314 3 37370000000100"
    );
}

#[test]
fn an_error_says_what_is_wrong_and_where() {
    for (text, message) in [
        ("", "must have 44, 47 or 48 digits, not 0"),
        (
            "0019050095401448160690680935031433737000000010",
            "must have 44, 47 or 48 digits, not 46",
        ),
        (
            "00190.50095 40144.816069 06809.350314 3 3737000000010O",
            "has a wrong character at position 54: only digits, spaces, dots and hyphens may stand there",
        ),
        (
            "00190.50094 40144.816069 06809.350314 3 37370000000100",
            "block 1 check digit is 4, expected 5",
        ),
        (
            "00190.50095 40144.816067 06809.350314 3 37370000000100",
            "block 2 check digit is 7, expected 9",
        ),
        (
            "00190.50095 40144.816069 06809.350310 3 37370000000100",
            "block 3 check digit is 0, expected 4",
        ),
        (
            "00190.50095 40144.816069 06809.350314 3 37370000000101",
            "general check digit is 3, expected 1",
        ),
        (
            "00100373700000001000500940144816060680935031",
            "general check digit is 0, expected 7",
        ),
        (
            "00107373700000001000500940144816060680935031",
            "has currency 0 at digit 4, expected 9, the real",
        ),
        (
            "81290001192110001210904475617405975870000002000",
            "begins with 8, the mark of taxes and utility bills, which have 44 digits in the barcode or 48 in the line",
        ),
    ] {
        let error = BillCode::parse(text).unwrap_err();
        assert_eq!(error.to_string(), message, "{text}");
    }
    assert_eq!(
        Barcode::parse("1").unwrap_err().to_string(),
        "must have 44 digits, not 1"
    );
    assert_eq!(
        DigitableLine::parse("1").unwrap_err().to_string(),
        "must have 47 digits, not 1"
    );
}

#[test]
fn factors_start_over_on_2025_02_22() {
    for (date, number) in [
        ("2000-07-03", 1000),
        ("2025-02-21", 9999),
        ("2025-02-22", 1000),
        ("2025-02-23", 1001),
        ("2049-10-13", 9999),
        ("2049-10-14", 1000),
    ] {
        let factor = DueFactor::of(day(date)).unwrap();
        assert_eq!(factor.number(), number, "{date}");
        let due = factor.near(day(date));
        assert_eq!((due.date, due.certain), (day(date), true));
    }
    assert_eq!(DueFactor::of(day("2000-07-02")), None);
    for number in [-1, 0, 999, 10_000] {
        assert_eq!(DueFactor::from_number(number), None);
    }
}

#[test]
fn a_factor_is_resolved_against_the_day_it_is_read() {
    let due = |number, reference| {
        let due = DueFactor::from_number(number).unwrap().near(day(reference));
        (due.date.to_string(), due.certain)
    };
    // The last factor of the first round and the first of the second, as they were published.
    assert_eq!(due(1000, "2000-07-01"), ("2000-07-03".to_owned(), true));
    assert_eq!(due(1000, "2025-02-21"), ("2025-02-22".to_owned(), true));
    assert_eq!(due(1000, "2025-06-15"), ("2025-02-22".to_owned(), true));
    assert_eq!(due(5000, "2025-06-15"), ("2036-02-05".to_owned(), true));
    assert_eq!(due(9999, "2025-02-22"), ("2025-02-21".to_owned(), true));
    assert_eq!(due(9999, "2026-11-20"), ("2025-02-21".to_owned(), true));
    assert_eq!(due(9999, "2040-01-01"), ("2049-10-13".to_owned(), true));
    // Where one round ends and the next begins: 5500 days ahead, then the 500 days that are uncertain.
    assert_eq!(due(7136, "2026-11-20"), ("2041-12-11".to_owned(), true));
    assert_eq!(due(7137, "2026-11-20"), ("2017-04-22".to_owned(), false));
    assert_eq!(due(7635, "2026-11-20"), ("2018-09-02".to_owned(), false));
    assert_eq!(due(7636, "2026-11-20"), ("2018-09-03".to_owned(), true));
    // Before factors began there was nothing to be overdue.
    assert_eq!(due(9999, "1998-01-01").0, "2025-02-21");
}

#[test]
fn a_title_without_amount_or_date_leaves_zeros() {
    let title = Title {
        bank: BankCode::parse("739").unwrap(),
        free_field: FreeField::parse("0000000001223329012613034").unwrap(),
        amount: None,
        due_date: None,
    };
    let barcode = title.barcode().unwrap();
    assert_eq!(
        barcode.as_str(),
        "73994000000000000000000000001223329012613034"
    );
    assert_eq!(barcode.amount(), None);
    assert_eq!(barcode.due_factor(), None);
    assert_eq!(barcode.due_date(day("2026-11-20")), None);
}

#[test]
fn an_amount_too_large_for_its_field_takes_the_place_of_the_due_date() {
    let title = |amount, due_date: Option<&str>| Title {
        bank: BankCode::parse("212").unwrap(),
        free_field: FreeField::parse("0001121100012100447561740").unwrap(),
        amount: Some(Centavos::new(amount)),
        due_date: due_date.map(day),
    };
    let published = Barcode::parse("21292000100000020000001121100012100447561740").unwrap();
    assert_eq!(title(10_000_002_000, None).barcode(), Ok(published));
    assert_eq!(
        title(10_000_002_000, Some("2026-11-20")).barcode(),
        Ok(published)
    );
    for amount in [9_999_999_999, 10_000_000_000, Title::LARGEST.get()] {
        let barcode = title(amount, Some("2026-11-20")).barcode().unwrap();
        assert_eq!(barcode.amount(), Some(Centavos::new(amount)));
        let has_date = amount <= Title::LARGEST_WITH_DUE_DATE.get();
        assert_eq!(barcode.due_factor().is_some(), has_date);
    }
    for amount in [i64::MIN, -1, 0, Title::LARGEST.get() + 1, i64::MAX] {
        assert_eq!(title(amount, None).barcode(), Err(TitleError::Amount));
    }
    assert_eq!(
        title(1, Some("2000-07-02")).barcode(),
        Err(TitleError::DueDate)
    );
    assert_eq!(
        TitleError::Amount.to_string(),
        "amount must be from 1 to 9999999999999 centavos"
    );
}

#[test]
fn parts_of_a_title_are_digits_alone() {
    assert_eq!(BankCode::parse("801"), None);
    assert_eq!(BankCode::parse("1"), None);
    assert_eq!(FreeField::parse("00000000012233290126130-4"), None);
    assert_eq!(BankCode::parse("001").unwrap().to_string(), "001");
}
