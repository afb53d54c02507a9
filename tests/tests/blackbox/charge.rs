//! What the tests about charges share.

use serde_json::Value;

/// Asserts that an object has exactly these fields.
#[track_caller]
pub(crate) fn assert_fields(object: &Value, expected: &[&str]) {
    let mut actual: Vec<&str> = object
        .as_object()
        .unwrap()
        .keys()
        .map(String::as_str)
        .collect();
    let mut expected = expected.to_vec();
    actual.sort_unstable();
    expected.sort_unstable();
    assert_eq!(actual, expected, "{object}");
}

/// Asserts that an id is this prefix and a ULID.
#[track_caller]
pub(crate) fn assert_id(id: &Value, prefix: &str) {
    let id = id.as_str().unwrap();
    let ulid = id
        .strip_prefix(prefix)
        .unwrap_or_else(|| panic!("{id} does not begin with {prefix}"));
    assert_eq!(ulid.len(), 26, "{id}");
    let crockford = |byte: u8| b"0123456789ABCDEFGHJKMNPQRSTVWXYZ".contains(&byte);
    assert!(ulid.bytes().all(crockford), "{id}");
}

/// Asserts that a text is a well-formed `endToEndId`.
#[track_caller]
pub(crate) fn assert_end_to_end_id(id: &Value) {
    let id = id.as_str().unwrap();
    assert_eq!(id.len(), 32, "{id}");
    assert!(id.starts_with('E'), "{id}");
    assert!(
        id[1..9]
            .bytes()
            .all(|byte| byte.is_ascii_digit() || byte.is_ascii_uppercase()),
        "{id}"
    );
    assert!(id[9..21].bytes().all(|byte| byte.is_ascii_digit()), "{id}");
    assert!(
        id[21..].bytes().all(|byte| byte.is_ascii_alphanumeric()),
        "{id}"
    );
}
