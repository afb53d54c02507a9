//! Measures how long it takes to read the code of a bill: a million lines, each another.
//!
//! ```text
//! cargo run --release -p vintem-domain --example parse_speed
//! ```

use std::hint::black_box;
use std::io::Write;
use std::time::Instant;

use vintem_domain::bill::{BillCode, CollectionBarcode};
use vintem_domain::boleto::{BankCode, FreeField, Title};
use vintem_domain::calendar::Date;
use vintem_domain::money::Centavos;

const LINES: u64 = 1_000_000;

fn main() -> std::io::Result<()> {
    let boletos: Vec<String> = (0..LINES).filter_map(boleto).collect();
    let bills = |value_id: char| -> Vec<String> {
        (0..LINES)
            .filter_map(|number| collection(value_id, number))
            .collect()
    };
    measure("bank boleto, 47 digits as printed", &boletos)?;
    measure("collection document modulo 10, 48 digits", &bills('6'))?;
    measure("collection document modulo 11, 48 digits", &bills('8'))
}

fn measure(what: &str, lines: &[String]) -> std::io::Result<()> {
    let began = Instant::now();
    let read = lines
        .iter()
        .filter(|line| black_box(BillCode::parse(line)).is_ok())
        .count();
    let each_ns = began.elapsed().as_nanos() / u128::from(LINES);
    writeln!(
        std::io::stdout(),
        "{what}: {read} of {LINES} lines read, {each_ns} ns each"
    )
}

/// Digits that differ from line to line.
fn scattered(number: u64, count: usize) -> String {
    let digits = u128::from(number.wrapping_mul(0x9E37_79B9_7F4A_7C15)).wrapping_mul(0x1_0001_0001);
    format!("{digits:0count$}").chars().take(count).collect()
}

fn boleto(number: u64) -> Option<String> {
    let title = Title {
        bank: BankCode::parse("001")?,
        free_field: FreeField::parse(&scattered(number, 25))?,
        amount: Some(Centavos::new(i64::try_from(number + 1).ok()?)),
        due_date: Some(Date::from_unix_days(
            i64::try_from(12_000 + number % 20_000).ok()?,
        )),
    };
    Some(title.barcode().ok()?.line().printed())
}

fn collection(value_id: char, number: u64) -> Option<String> {
    let rest = scattered(number, 40);
    (0..10)
        .find_map(|digit| CollectionBarcode::parse(&format!("84{value_id}{digit}{rest}")).ok())
        .map(|barcode| barcode.line().to_string())
}
