use super::*;

fn fields(body: &Body) -> Fields<'_> {
    body.fields().unwrap()
}

fn message<T>(read: Result<T, Problem>) -> String {
    match read {
        Ok(_) => "read".to_owned(),
        Err(problem) => problem.to_string(),
    }
}

#[test]
fn whole_numbers_of_64_bits_are_integers_and_nothing_else_is() {
    for (json, expected) in [
        (r#"{"n":4990}"#, Some(4990)),
        (r#"{"n": -1 }"#, Some(-1)),
        (r#"{"n":-0}"#, Some(0)),
        (r#"{"n":9223372036854775807}"#, Some(i64::MAX)),
        (r#"{"\u006e":7}"#, Some(7)),
        (r#"{"n":null}"#, None),
        (r#"{"m":1}"#, None),
        ("{}", None),
    ] {
        assert_eq!(
            fields(&Body::of(json)).integer("n").unwrap(),
            expected,
            "{json}"
        );
    }
    for json in [
        r#"{"n":4990.0}"#,
        r#"{"n":"4990"}"#,
        r#"{"n":1e3}"#,
        r#"{"n":1E3}"#,
        r#"{"n":9223372036854775808}"#,
        r#"{"n":-9223372036854775809}"#,
        r#"{"n":1e400}"#,
        r#"{"n":true}"#,
        r#"{"n":[1]}"#,
        r#"{"n":{}}"#,
        r#"{"n":""}"#,
    ] {
        assert_eq!(
            message(fields(&Body::of(json)).integer("n")),
            "n must be an integer",
            "{json}"
        );
    }
}

#[test]
fn texts_are_texts_and_empty_ones_are_not_absent() {
    for (json, expected) in [
        (r#"{"t":"a\u00e7\n"}"#, Some("aç\n")),
        (r#"{"t":""}"#, Some("")),
        (r#"{"t":" \u0000\t"}"#, Some(" \0\t")),
        (r#"{"t":null}"#, None),
    ] {
        assert_eq!(
            fields(&Body::of(json)).text("t").unwrap().as_deref(),
            expected,
            "{json}"
        );
    }
    for json in [r#"{"t":1}"#, r#"{"t":["a"]}"#, r#"{"t":"\ud800"}"#] {
        assert_eq!(
            message(fields(&Body::of(json)).text("t")),
            "t must be a text",
            "{json}"
        );
    }
}

#[test]
fn a_needed_text_has_something_to_be_seen() {
    let read = |json| fields(&Body::of(json)).id("id");
    assert_eq!(read(r#"{"id":" x"}"#).unwrap(), " x");
    for json in [
        "{}",
        r#"{"id":null}"#,
        r#"{"id":""}"#,
        r#"{"id":" \u0000\t"}"#,
    ] {
        assert_eq!(message(read(json)), "id is required", "{json}");
    }
    assert_eq!(message(read(r#"{"id":7}"#)), "id must be a text");
}

#[test]
fn booleans_are_true_or_false() {
    let read = |json| message(fields(&Body::of(json)).boolean("b"));
    assert!(
        fields(&Body::of(r#"{"b":true}"#))
            .boolean("b")
            .unwrap()
            .unwrap()
    );
    assert!(
        !fields(&Body::of(r#"{"b":false}"#))
            .boolean("b")
            .unwrap()
            .unwrap()
    );
    for json in [r#"{"b":1}"#, r#"{"b":"true"}"#, r#"{"b":[]}"#] {
        assert_eq!(read(json), "b must be true or false", "{json}");
    }
}

#[test]
fn fields_of_objects_are_named_by_their_path() {
    let body = Body::of(r#"{"customer":{"name":1,"email":"a","email":"b"}}"#);
    let customer = fields(&body).object("customer").unwrap().unwrap();
    assert_eq!(
        message(customer.text("name")),
        "customer.name must be a text"
    );
    assert_eq!(
        message(customer.text("email")),
        "customer.email must be given once"
    );
    assert_eq!(
        customer.required("taxId").to_string(),
        "customer.taxId is required"
    );
    for json in [
        r#"{"customer":"Ana"}"#,
        r#"{"customer":[]}"#,
        r#"{"customer":7}"#,
    ] {
        assert_eq!(
            message(fields(&Body::of(json)).object("customer")),
            "customer must be an object",
            "{json}"
        );
    }
    assert!(
        fields(&Body::of(r#"{"customer":null}"#))
            .object("customer")
            .unwrap()
            .is_none()
    );
}

#[test]
fn only_fields_that_are_asked_for_must_be_given_once() {
    let body = Body::of(r#"{"a":1,"x":1,"x":2,"\u0061":1}"#);
    assert_eq!(message(fields(&body).raw("a")), "a must be given once");
    assert_eq!(message(fields(&body).raw("b")), "read");
}

#[test]
fn raw_fields_keep_their_text() {
    let body = Body::of(r#"{"metadata": {"a" : 1.50, "b":[ 1e400 ]} }"#);
    assert_eq!(
        fields(&body).raw("metadata").unwrap(),
        Some(r#"{"a" : 1.50, "b":[ 1e400 ]}"#)
    );
}

#[test]
fn only_an_object_is_a_body() {
    for json in [
        "",
        "null",
        "[]",
        "1",
        "\"x\"",
        "{",
        "{\"a\":1",
        "{\"a\":1}}",
        "{\"a\":1} x",
        "{'a':1}",
        "{\"a\":NaN}",
        "{\"a\":01}",
        "{a:1}",
        "{\"a\":1,}",
        "\u{0}",
    ] {
        let problem = Body::of(json).fields().err().unwrap();
        assert_eq!(problem.code(), "malformed_json", "{json}");
    }
}
