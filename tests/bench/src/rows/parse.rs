//! Reading digitable lines.

use std::fmt::Write as _;
use std::hint::black_box;
use std::time::Instant;

use anyhow::{Context, Result};
use vintem_domain::Centavos;
use vintem_domain::bill::BillCode;
use vintem_domain::boleto::{BankCode, DigitableLine, FreeField, Title};

use crate::figures::{grouped, percentile};
use crate::table::{Goal, Row};

/// What a line should take less than, nanoseconds.
const GOAL: f64 = 1_000.0;

/// How many lines are read.
const LINES: u32 = 1_000_000;

/// How many are read between two looks at the clock.
const AT_ONCE: u32 = 1_000;

pub(crate) fn measure() -> Result<Vec<Row>> {
    let lines = lines()?;
    let mut samples = Vec::new();
    let mut read = lines.as_str();
    while !read.is_empty() {
        let (now, later) = read.split_at(DigitableLine::LENGTH * usize::try_from(AT_ONCE)?);
        let before = Instant::now();
        for line in now.as_bytes().chunks(DigitableLine::LENGTH) {
            let line = std::str::from_utf8(black_box(line))?;
            black_box(BillCode::parse(line)?);
        }
        let nanos = before.elapsed().as_secs_f64() * 1_000_000_000.0;
        samples.push(nanos / f64::from(AT_ONCE));
        read = later;
    }
    let p50 = percentile(&samples, 50);
    Ok(vec![Row {
        what: "Digitable line of a boleto, read and checked".to_owned(),
        figure: format!("{p50:.0} ns"),
        goal: Some(Goal::below(p50, GOAL, "ns")),
        processors: String::new(),
        how: format!(
            "`BillCode::parse` of {} random lines, each other than the rest; median of the means of {} (p99 {:.0} ns). It allocates \
             nothing, which a test of the domain counts",
            grouped(f64::from(LINES)),
            grouped(f64::from(AT_ONCE)),
            percentile(&samples, 99)
        ),
    }])
}

/// Lines of random titles, one after the other.
fn lines() -> Result<String> {
    let bank = BankCode::parse("001").context("a bank")?;
    let mut lines = String::with_capacity(DigitableLine::LENGTH * usize::try_from(LINES)?);
    let mut state = 1_u64;
    let mut random = || {
        // Knuth's linear congruential generator: its high bits are random enough for digits.
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        state >> 24
    };
    for _ in 0..LINES {
        let free = format!("{:013}{:012}", random(), random() % 1_000_000_000_000);
        let title = Title {
            bank,
            free_field: FreeField::parse(&free).context("a free field")?,
            amount: Some(Centavos::new(i64::try_from(1 + random() % 9_999_999)?)),
            due_date: None,
        };
        let line = title
            .barcode()
            .map_err(|error| anyhow::anyhow!("{error}"))?;
        write!(lines, "{}", line.line())?;
    }
    Ok(lines)
}
