//! Reading boletos, bills and taxes allocates nothing: neither what is right nor what is refused.

#![expect(clippy::unwrap_used, reason = "tests may unwrap")]

use std::hint::black_box;

use allocation_counter::{AllocationInfo, measure};
use vintem_domain::Centavos;
use vintem_domain::bill::{BillCode, CollectionBarcode};
use vintem_domain::boleto::{BankCode, DigitableLine, FreeField, Title};
use vintem_domain::digits::CodeError;

/// How many random lines are read.
const LINES: u64 = 1_000_000;

/// A title that is another for each number: the numbers times a large prime, so that all digits change.
fn title(number: u64) -> Title {
    let digits = u128::from(number) * 9_876_543_210_987_654_321_098_763;
    Title {
        bank: BankCode::parse("237").unwrap(),
        free_field: FreeField::parse(&format!("{:025}", digits % 10_u128.pow(25))).unwrap(),
        amount: Some(Centavos::new(
            i64::try_from(1 + digits % 9_999_999).unwrap(),
        )),
        due_date: None,
    }
}

/// What reading all of them cost, and how many were right.
fn read(lines: &[String]) -> (AllocationInfo, usize) {
    let mut right = 0;
    let cost = measure(|| {
        right = lines
            .iter()
            .filter(|line| BillCode::parse(black_box(line)).is_ok())
            .count();
    });
    (cost, right)
}

#[test]
fn the_counter_counts() {
    let cost = measure(|| {
        black_box(String::from(black_box("0")));
    });
    assert_eq!(cost.count_total, 1);
}

#[test]
fn a_million_lines_are_read_without_an_allocation() {
    let lines: Vec<String> = (1..=LINES)
        .map(|number| title(number).barcode().unwrap().line().to_string())
        .collect();
    let (cost, right) = read(&lines);
    assert_eq!((cost.count_total, right), (0, lines.len()));
}

#[test]
fn every_form_is_read_without_an_allocation() {
    let boleto = title(7).barcode().unwrap();
    let tax = CollectionBarcode::parse("84610000000246100291100054603390069589506108").unwrap();
    let texts = [
        boleto.to_string(),
        boleto.line().to_string(),
        boleto.line().printed(),
        tax.to_string(),
        tax.line().to_string(),
        tax.line().printed(),
    ];
    let (cost, right) = read(&texts);
    assert_eq!((cost.count_total, right), (0, texts.len()));
}

#[test]
fn nothing_is_allocated_for_what_is_refused() {
    let line = title(7).barcode().unwrap().line().to_string();
    let mut wrong: Vec<String> = (0..DigitableLine::LENGTH)
        .map(|position| {
            let mut bytes = line.clone().into_bytes();
            bytes[position] = b'0' + (bytes[position] - b'0' + 1) % 10;
            String::from_utf8(bytes).unwrap()
        })
        .collect();
    wrong.extend([String::new(), "é".to_owned(), "1".repeat(10_000)]);
    let (cost, right) = read(&wrong);
    assert_eq!((cost.count_total, right), (0, 0));
    let error: CodeError = BillCode::parse(&wrong[9]).unwrap_err();
    assert!(error.to_string().starts_with("block 1 check digit is "));
}
