//! Medians, percentiles, and how figures are written.

use std::time::Duration;

/// The middle one; 0 of none.
pub(crate) fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied().unwrap_or_default()
}

/// Below which so many of a hundred lie; the samples are raw, nothing is estimated. 0 of none.
pub(crate) fn percentile(samples: &[f64], percent: usize) -> f64 {
    let mut sorted = samples.to_vec();
    sorted.sort_by(f64::total_cmp);
    let rank = (sorted.len() * percent).div_ceil(100).max(1);
    sorted.get(rank - 1).copied().unwrap_or_default()
}

/// The samples in milliseconds.
pub(crate) fn millis(samples: &[Duration]) -> Vec<f64> {
    samples
        .iter()
        .map(|sample| sample.as_secs_f64() * 1_000.0)
        .collect()
}

/// `12,345`
pub(crate) fn grouped(value: f64) -> String {
    let digits = format!("{value:.0}");
    let mut text = String::new();
    for (index, digit) in digits.char_indices() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn percentiles_are_samples() {
        let samples: Vec<f64> = (1..=100).rev().map(f64::from).collect();
        assert_eq!(percentile(&samples, 50).to_string(), "50");
        assert_eq!(percentile(&samples, 99).to_string(), "99");
        assert_eq!(percentile(&samples[..1], 99).to_string(), "100");
        assert_eq!(percentile(&[], 99).to_string(), "0");
        assert_eq!(median(vec![3.0, 1.0, 2.0]).to_string(), "2");
    }

    #[test]
    fn thousands_are_set_apart() {
        assert_eq!(grouped(1_234_567.4), "1,234,567");
        assert_eq!(grouped(999.0), "999");
        assert_eq!(grouped(0.0), "0");
    }
}
