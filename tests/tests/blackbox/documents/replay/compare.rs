//! What is shown and what is: the same, but for what differs each time.

use serde_json::Value;

use crate::instant::millis;

/// How far apart the times of a page and of its replay may be, beside what the page does not say.
const WHILE: i64 = 5 * 60_000;

/// When the page was written, seen from the replay.
#[derive(Default)]
pub(super) struct Times {
    /// The page has set the sandbox's clock: its times are the real ones from then on.
    is_set: bool,
    /// What has passed since the page was written, milliseconds, once the answer has told.
    since: Option<i64>,
}

impl Times {
    /// Looks whether a command sets the clock.
    pub(super) fn hear_of(&mut self, code: &str) {
        if code.contains("vintem clock set") {
            self.is_set = (self.is_set || code.contains("--to")) && !code.contains("--reset");
        }
    }

    fn are_alike(&mut self, shown: &str, real: &str) -> bool {
        let (shown, real) = (millis(shown), millis(real));
        let since = if self.is_set {
            0
        } else {
            *self.since.get_or_insert(real - shown)
        };
        (real - shown - since).abs() < WHILE
    }
}

/// Whether the real value is what is shown; where not, where they differ.
///
/// Alike are ids of one kind, times that lie as far from each other, end-to-end ids of one length, and a text in which
/// `…` stands for what is left out.
pub(super) fn alike(shown: &Value, real: &Value, times: &mut Times) -> Result<(), String> {
    times.since = None;
    values("", shown, real, times)
}

fn values(at: &str, shown: &Value, real: &Value, times: &mut Times) -> Result<(), String> {
    match (shown, real) {
        (Value::Object(one), Value::Object(other)) => {
            let (names, others): (Vec<_>, Vec<_>) = (one.keys().collect(), other.keys().collect());
            if names != others {
                return Err(format!("{at} shows {names:?}, and has {others:?}"));
            }
            one.iter().try_for_each(|(name, value)| {
                values(&format!("{at}.{name}"), value, &other[name], times)
            })
        }
        (Value::Array(one), Value::Array(other)) if one.len() == other.len() => {
            let pairs = one.iter().zip(other).enumerate();
            pairs.into_iter().try_for_each(|(index, (one, other))| {
                values(&format!("{at}[{index}]"), one, other, times)
            })
        }
        (Value::String(one), Value::String(other)) if is_text_alike(at, one, other, times) => {
            Ok(())
        }
        _ if shown == real => Ok(()),
        _ => Err(format!("{at} shows {shown}, and is {real}")),
    }
}

fn is_text_alike(at: &str, shown: &str, real: &str, times: &mut Times) -> bool {
    if let Some((begin, end)) = shown.split_once('…') {
        return real.starts_with(begin) && real.ends_with(end);
    }
    if at.ends_with(".endToEndId") {
        let is_one = |text: &str| text.bytes().all(|byte| byte.is_ascii_alphanumeric());
        return shown.len() == real.len() && is_one(shown) && is_one(real);
    }
    if let (Some(one), Some(other)) = (kind_of_id(shown), kind_of_id(real)) {
        return one == other;
    }
    if is_time(shown) && is_time(real) {
        return times.are_alike(shown, real);
    }
    shown == real
}

/// What stands before the ULID of an id.
fn kind_of_id(text: &str) -> Option<&str> {
    let (kind, ulid) = text.rsplit_once('_')?;
    let is_ulid = ulid.len() == 26 && ulid.bytes().all(|byte| byte.is_ascii_alphanumeric());
    is_ulid.then_some(kind)
}

fn is_time(text: &str) -> bool {
    text.len() == 24 && text.ends_with('Z') && text.as_bytes()[10] == b'T'
}

/// All texts in a value, in their order.
pub(super) fn texts(value: &Value, into: &mut Vec<String>) {
    match value {
        Value::String(text) => into.push(text.clone()),
        Value::Array(values) => values.iter().for_each(|value| texts(value, into)),
        Value::Object(fields) => fields.values().for_each(|value| texts(value, into)),
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

#[test]
fn only_what_differs_each_time_may_differ() {
    use serde_json::json;
    let mut times = Times::default();
    let mut check = |shown: Value, real: Value, expected: bool| {
        assert_eq!(
            alike(&shown, &real, &mut times).is_ok(),
            expected,
            "{shown} {real}"
        );
    };
    check(json!({ "a": 1 }), json!({ "a": 1 }), true);
    check(json!({ "a": 1 }), json!({ "a": 2 }), false);
    check(json!({ "a": 1 }), json!({ "a": 1, "b": null }), false);
    check(json!([1]), json!([1, 1]), false);
    let (one, other) = (
        "chg_01KAFZ5T1T8D6W3N2P5S7F9G4K",
        "chg_01M7YY35461AQKRGGZV46K12YT",
    );
    check(json!(one), json!(other), true);
    check(json!(one), json!(other.replace("chg", "bol")), false);
    check(json!("data:…"), json!("data:image"), true);
    check(json!("http://…/x.pdf"), json!("http://a/x.png"), false);
    let (early, late) = ("2026-11-20T12:00:00.000Z", "2026-11-21T12:00:00.000Z");
    check(
        json!([early, late]),
        json!([late, "2026-11-22T12:00:09.000Z"]),
        true,
    );
    check(
        json!([early, late]),
        json!([late, "2026-11-22T13:00:00.000Z"]),
        false,
    );
    times.hear_of("vintem clock set --account x --to 2026-11-20T12:00:00Z");
    assert!(
        alike(
            &json!(early),
            &json!("2026-11-20T12:01:00.000Z"),
            &mut times
        )
        .is_ok()
    );
    assert!(alike(&json!(early), &json!(late), &mut times).is_err());
}
