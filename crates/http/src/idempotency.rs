//! The `Idempotency-Key` header, and what two bodies must have in common to be the same.

use actix_web::HttpRequest;
use actix_web::http::header::{HeaderName, HeaderValue};
use serde_json::Value;
use serde_json::value::RawValue;
use sha2::{Digest, Sha256};
use vintem_domain::idempotency::{Attempt, BadIdempotencyKey, IdempotencyKey};

use crate::body::{Body, Members};
use crate::error::Problem;

const HEADER: &str = "Idempotency-Key";

/// Says that an answer is a repeat.
pub(crate) const REPLAYED: (HeaderName, HeaderValue) = (
    HeaderName::from_static("idempotent-replayed"),
    HeaderValue::from_static("true"),
);

/// The key of a request together with its body; nothing when it has none.
pub(crate) fn attempt(request: &HttpRequest, body: &Body) -> Result<Option<Attempt>, Problem> {
    let mut values = request.headers().get_all(HEADER);
    let Some(value) = values.next() else {
        return Ok(None);
    };
    if values.next().is_some() {
        return Err(Problem::invalid(HEADER, "must be given once"));
    }
    let key = value
        .to_str()
        .map_err(|_binary| BadIdempotencyKey)
        .and_then(IdempotencyKey::parse)
        .map_err(|bad| Problem::invalid(HEADER, bad))?;
    Ok(Some(Attempt {
        key,
        body_digest: digest(body.bytes()),
    }))
}

/// SHA-256 of JSON in one canonical form, so that white space, escapes and the order of members do not count. Numbers
/// are taken as they are spelled: no type holds them all, and two that differ must not become one.
fn digest(json: &[u8]) -> [u8; 32] {
    let Ok(json) = std::str::from_utf8(json) else {
        return Sha256::digest(json).into();
    };
    let mut canonical = String::with_capacity(json.len());
    write(json.trim_ascii(), DEEPEST, &mut canonical);
    Sha256::digest(canonical.as_bytes()).into()
}

/// So many levels are brought into canonical form; each is read once more than the one around it. What lies deeper is
/// taken as it was sent.
const DEEPEST: u32 = 32;

fn write(json: &str, levels: u32, to: &mut String) {
    let inner = levels.checked_sub(1);
    let written = match (json.as_bytes().first(), inner) {
        (Some(b'{'), Some(inner)) => write_object(json, inner, to),
        (Some(b'['), Some(inner)) => write_array(json, inner, to),
        (Some(b'"'), _) => write_text(json, to),
        _ => None,
    };
    if written.is_none() {
        to.push_str(json);
    }
}

/// Nothing is written when the JSON is none.
fn write_object(json: &str, levels: u32, to: &mut String) -> Option<()> {
    let Members(mut members) = serde_json::from_str(json).ok()?;
    members.sort_by(|(one, _), (other, _)| one.cmp(other));
    to.push('{');
    for (name, value) in members {
        to.push_str(&Value::from(name).to_string());
        to.push(':');
        write(value.get(), levels, to);
        to.push(',');
    }
    to.push('}');
    Some(())
}

/// As [`write_object`].
fn write_array(json: &str, levels: u32, to: &mut String) -> Option<()> {
    let items: Vec<&RawValue> = serde_json::from_str(json).ok()?;
    to.push('[');
    for item in items {
        write(item.get(), levels, to);
        to.push(',');
    }
    to.push(']');
    Some(())
}

/// As [`write_object`].
fn write_text(json: &str, to: &mut String) -> Option<()> {
    let text: String = serde_json::from_str(json).ok()?;
    to.push_str(&Value::from(text).to_string());
    Some(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_json_written_otherwise_has_the_same_digest() {
        let first = digest(r#"{"a":1,"b":{"x":"é","y":[1,2]}}"#.as_bytes());
        for same in [
            r#"{ "b" : {"y":[1, 2],"x":"\u00e9"}, "a":1 }"#,
            "{\"a\":1,\n\"b\":{\"x\":\"é\",\"y\":[1,2]}}\n",
        ] {
            assert_eq!(digest(same.as_bytes()), first, "{same}");
        }
        for other in [
            r#"{"a":1,"b":{"x":"é","y":[2,1]}}"#,
            r#"{"a":"1","b":{"x":"é","y":[1,2]}}"#,
            r#"{"a":1,"b":{"x":"é","y":[1,2]},"c":null}"#,
            r#"{"a":1}"#,
        ] {
            assert_ne!(digest(other.as_bytes()), first, "{other}");
        }
    }

    #[test]
    fn numbers_that_are_spelled_differently_differ() {
        let of = |number: &str| digest(format!(r#"{{"a":{{"b":[{number}]}}}}"#).as_bytes());
        for (one, other) in [
            ("1e999", "2e999"),
            ("1e400", "-1e400"),
            ("9007199254740993.0", "9007199254740992.0"),
            ("100000000000000000001", "100000000000000000002"),
            ("4990", "4990.0"),
            ("0.1", "0.10"),
            ("1e2", "100"),
        ] {
            assert_ne!(of(one), of(other), "{one} {other}");
            assert_eq!(of(one), of(&format!(" {one}\n")), "{one}");
        }
    }

    #[test]
    fn what_lies_very_deep_is_taken_as_it_was_sent() {
        let nested = |levels: usize, inner: &str| {
            let (open, close) = ("[".repeat(levels), "]".repeat(levels));
            digest(format!(r#"{{"a":{open}{inner}{close}}}"#).as_bytes())
        };
        assert_eq!(nested(8, "{ }"), nested(8, "{}"));
        assert_ne!(nested(8, "1"), nested(8, "2"));
        assert_eq!(nested(100_000, "1"), nested(100_000, "1"));
        assert_ne!(nested(100_000, "1"), nested(100_000, "2"));
    }

    #[test]
    fn a_name_given_twice_counts_twice() {
        assert_ne!(digest(br#"{"a":1,"a":2}"#), digest(br#"{"a":2}"#));
        assert_ne!(digest(br#"{"a":1,"a":2}"#), digest(br#"{"a":2,"a":1}"#));
    }
}
