//! Drawing the QR code of a charge.

use std::time::Instant;

use anyhow::Result;
use vintem_domain::brcode::qr_png;

use crate::figures::{millis, percentile};
use crate::table::{Goal, Row};

/// What a drawing should take less than, milliseconds.
const GOAL: f64 = 0.1;

/// How many are drawn.
const DRAWINGS: usize = 3_000;

/// As long as the product's own codes are.
const CODE: &str = "00020101021226770014br.gov.bcb.pix2555pix.vintem.example/qr/v2/0123456789abcdef0123456789abcdef\
    520400005303986540549.905802BR5912CAFE DO JOAO6009SAO PAULO62070503***6304A13D";

pub(crate) fn measure() -> Result<Vec<Row>> {
    let mut samples = Vec::with_capacity(DRAWINGS);
    let mut size = 0;
    for _ in 0..DRAWINGS {
        let before = Instant::now();
        let image =
            qr_png(std::hint::black_box(CODE)).map_err(|error| anyhow::anyhow!("{error}"))?;
        samples.push(before.elapsed());
        size = image.len();
    }
    let samples = millis(&samples);
    let p50 = percentile(&samples, 50);
    Ok(vec![Row {
        what: "QR code and PNG of a charge".to_owned(),
        figure: format!("{p50:.3} ms"),
        goal: Some(Goal::below(p50, GOAL, "ms")),
        processors: String::new(),
        how: format!(
            "median of {DRAWINGS} calls of `qr_png` with a code of {} characters (p99 {:.3} ms), {size} bytes each",
            CODE.len(),
            percentile(&samples, 99)
        ),
    }])
}
