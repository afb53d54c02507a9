//! The `Idempotency-Key` header, and what two bodies must have in common to be the same.

use actix_web::HttpRequest;
use actix_web::http::header::{HeaderName, HeaderValue};
use serde_json::Value;
use sha2::{Digest, Sha256};
use vintem_domain::idempotency::{Attempt, BadIdempotencyKey, IdempotencyKey};

use crate::body::Body;
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

/// SHA-256 of JSON in one canonical form, so that white space, escapes and the order of members do not count. JSON with
/// a number beyond any type, or too deep, is taken as it was sent.
fn digest(json: &[u8]) -> [u8; 32] {
    let Ok(value) = serde_json::from_slice::<Value>(json) else {
        return Sha256::digest(json).into();
    };
    let mut canonical = String::with_capacity(json.len());
    write(&value, &mut canonical);
    Sha256::digest(canonical.as_bytes()).into()
}

fn write(value: &Value, to: &mut String) {
    match value {
        Value::Object(members) => {
            let mut members: Vec<_> = members.iter().collect();
            members.sort_unstable_by_key(|(name, _)| *name);
            to.push('{');
            for (name, value) in members {
                to.push_str(&Value::from(name.as_str()).to_string());
                to.push(':');
                write(value, to);
                to.push(',');
            }
            to.push('}');
        }
        Value::Array(items) => {
            to.push('[');
            for item in items {
                write(item, to);
                to.push(',');
            }
            to.push(']');
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {
            to.push_str(&value.to_string());
        }
    }
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
    fn json_no_type_can_hold_is_taken_as_it_was_sent() {
        let huge = br#"{"a":1e999}"#;
        assert_eq!(digest(huge), digest(huge));
        assert_ne!(digest(huge), digest(br#"{"a": 1e999}"#));
    }
}
