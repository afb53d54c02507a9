//! What is kept of a receiver's answer.

use std::time::{Duration, UNIX_EPOCH};

use http_body_util::BodyExt;
use hyper::body::{Body, Incoming};
use hyper::header::{HeaderMap, RETRY_AFTER};
use tokio::time::{Instant, timeout_at};

use crate::signature::Signer;

/// Bodies are read this far, so that a connection whose answer is short can be used again.
const READ_AT_MOST: usize = 64 * 1024;
/// This much of a body is kept for the delivery log.
const KEPT_AT_MOST: usize = 4 * 1024;

/// Reads the body as far as it is worth it. What arrived before an error, the time limit or the size limit counts: the
/// status has been received, and that decides.
pub(crate) async fn read(mut body: Incoming, deadline: Instant, signer: &Signer) -> String {
    if body.is_end_stream() {
        return String::new();
    }
    // A secret that straddles the edge must be seen whole to be taken out.
    let wanted = KEPT_AT_MOST + signer.longest_spelling();
    let mut kept = Vec::new();
    let mut total = 0;
    while let Ok(Some(Ok(frame))) = timeout_at(deadline, body.frame()).await {
        let Ok(data) = frame.into_data() else {
            continue;
        };
        let room = wanted.saturating_sub(kept.len()).min(data.len());
        kept.extend_from_slice(&data[..room]);
        total += data.len();
        if total > READ_AT_MOST {
            break;
        }
    }
    text(&kept, signer)
}

fn text(bytes: &[u8], signer: &Signer) -> String {
    let mut text = signer.redact(String::from_utf8_lossy(bytes).into_owned());
    if text.len() > KEPT_AT_MOST {
        let mut edge = KEPT_AT_MOST;
        while !text.is_char_boundary(edge) {
            edge -= 1;
        }
        text.truncate(edge);
    }
    // PostgreSQL has no place for this one character in a text.
    if text.contains('\0') {
        text = text.replace('\0', "\u{fffd}");
    }
    text
}

/// How long the receiver asks to be left alone, in either form of the header. A moment that has passed is 0.
pub(crate) fn retry_after_seconds(headers: &HeaderMap, unix_seconds: i64) -> Option<i64> {
    let value = headers.get(RETRY_AFTER)?.to_str().ok()?.trim();
    if value.bytes().all(|byte| byte.is_ascii_digit()) && !value.is_empty() {
        return Some(value.parse().unwrap_or(i64::MAX));
    }
    let moment = httpdate::parse_http_date(value).ok()?;
    let now = UNIX_EPOCH + Duration::from_secs(u64::try_from(unix_seconds).ok()?);
    let wait = moment.duration_since(now).unwrap_or_default();
    Some(i64::try_from(wait.as_secs()).unwrap_or(i64::MAX))
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECRET: &str = "whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=";

    fn kept(bytes: &[u8]) -> String {
        text(bytes, &Signer::parse(SECRET, None).unwrap())
    }

    #[test]
    fn retry_after_is_read_in_both_forms() {
        // 2026-09-21T14:13:20Z.
        let now = 1_790_000_000;
        let table = [
            ("120", Some(120)),
            (" 0 ", Some(0)),
            ("Mon, 21 Sep 2026 14:14:20 GMT", Some(60)),
            ("Monday, 21-Sep-26 14:14:20 GMT", Some(60)),
            ("Mon, 01 Jan 2024 00:00:00 GMT", Some(0)),
            ("soon", None),
            ("99999999999999999999", Some(i64::MAX)),
            ("-1", None),
            ("1.5", None),
            ("", None),
        ];
        for (value, expected) in table {
            let mut headers = HeaderMap::new();
            headers.insert(RETRY_AFTER, value.parse().unwrap());
            assert_eq!(retry_after_seconds(&headers, now), expected, "{value:?}");
        }
        assert_eq!(retry_after_seconds(&HeaderMap::new(), now), None);
    }

    #[test]
    fn four_kibibytes_are_kept_at_most() {
        assert_eq!(kept(&[b'x'; 5000]), "x".repeat(4096));
        // Two bytes each, after one: the edge would cut one in two.
        let accents = format!("x{}", "é".repeat(3000));
        assert_eq!(kept(accents.as_bytes()).len(), 4095);
    }

    #[test]
    fn a_secret_across_the_edge_is_redacted() {
        let answer = format!("{}{SECRET}", "x".repeat(4090));
        assert_eq!(
            kept(answer.as_bytes()),
            format!("{}whsec_", "x".repeat(4090))
        );
    }

    #[test]
    fn what_no_database_holds_is_replaced() {
        assert_eq!(kept(b"a\0b\xffc"), "a\u{fffd}b\u{fffd}c");
    }
}
