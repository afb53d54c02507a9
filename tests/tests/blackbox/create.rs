//! `POST /v1/pixQrCode/create`

use serde_json::{Value, json};
use vintem_tests::Backend;
use vintem_tests::client::Client;
use vintem_tests::site::merchant;

use crate::charge::{assert_fields, assert_id};
use crate::instant::{millis, now};

const CREATE: &str = "/v1/pixQrCode/create";

vintem_tests::on_both!(
    a_charge_has_the_documented_fields,
    a_wrong_field_is_named,
    money_is_an_integer_of_centavos,
    amounts_have_bounds,
    the_fee_can_be_passed_to_the_payer,
    validity_has_bounds,
    a_customer_is_validated,
    texts_and_metadata_have_limits,
    null_is_absent_and_unknown_fields_are_ignored,
    a_field_given_twice_is_refused,
    what_is_not_json_is_refused,
);

fn a_charge_has_the_documented_fields(on: Backend) {
    let merchant = merchant(on);
    for (client, sandbox) in [(&merchant.test, true), (&merchant.live, false)] {
        let before = now();
        let charge = client.charge(4990);
        assert_fields(
            &charge,
            &[
                "id",
                "kind",
                "status",
                "amount",
                "netAmount",
                "brCode",
                "brCodeBase64",
                "expiresAt",
                "createdAt",
                "devMode",
            ],
        );
        assert_id(&charge["id"], "chg_");
        assert_eq!(charge["kind"], "pixQrCode");
        assert_eq!(charge["status"], "PENDING");
        assert_eq!(charge["amount"], 4990);
        assert_eq!(charge["netAmount"], 4910);
        assert_eq!(charge["devMode"], sandbox);
        let created = millis(charge["createdAt"].as_str().unwrap());
        assert!((before..=now()).contains(&created), "{charge}");
        assert_eq!(
            millis(charge["expiresAt"].as_str().unwrap()) - created,
            86_400_000
        );
    }
}

/// The charge is refused with a message that names the field.
#[track_caller]
fn check_refused(client: &Client, body: &str, field: &str) -> String {
    let message = client
        .request("POST", CREATE)
        .json_text(body)
        .send()
        .error(400);
    assert!(
        message.contains(field),
        "{body}: the message does not name {field}: {message}"
    );
    message
}

fn a_wrong_field_is_named(on: Backend) {
    let client = &merchant(on).test;
    for (body, field) in [
        ("{}", "amountCents"),
        (r#"{"amountCents":null}"#, "amountCents"),
        (r#"{"amountCents":true}"#, "amountCents"),
        (r#"{"amountCents":[4990]}"#, "amountCents"),
        (r#"{"amountCents":4990,"description":7}"#, "description"),
        (r#"{"amountCents":4990,"expiresIn":"60"}"#, "expiresIn"),
        (r#"{"amountCents":4990,"expiresIn":60.5}"#, "expiresIn"),
        (r#"{"amountCents":4990,"passFee":"yes"}"#, "passFee"),
        (r#"{"amountCents":4990,"passFee":1}"#, "passFee"),
        (r#"{"amountCents":4990,"customer":"Ana"}"#, "customer"),
        (r#"{"amountCents":4990,"customer":{"name":1}}"#, "name"),
        (
            r#"{"amountCents":4990,"customer":{"taxId":12345678909}}"#,
            "taxId",
        ),
        (r#"{"amountCents":4990,"metadata":[]}"#, "metadata"),
        (r#"{"amountCents":4990,"metadata":"x"}"#, "metadata"),
    ] {
        check_refused(client, body, field);
    }
}

fn money_is_an_integer_of_centavos(on: Backend) {
    let client = &merchant(on).test;
    for amount in [
        "4990.0",
        "\"4990\"",
        "1e3",
        "4.99e3",
        "1E4",
        "49.9",
        "-4990",
        "9223372036854775807",
        "9223372036854775808",
        "18446744073709551616",
        "-9223372036854775809",
        "100000000000000000000000000000000000000000",
        "1e400",
    ] {
        check_refused(
            client,
            &format!(r#"{{"amountCents":{amount}}}"#),
            "amountCents",
        );
    }
}

fn amounts_have_bounds(on: Backend) {
    let client = &merchant(on).test;
    assert_eq!(
        check_refused(client, r#"{"amountCents":199}"#, "amountCents"),
        "amountCents must be at least 200"
    );
    assert_eq!(
        check_refused(client, r#"{"amountCents":0}"#, "amountCents"),
        "amountCents must be at least 200"
    );
    check_refused(client, r#"{"amountCents":10000000000}"#, "amountCents");
    check_refused(client, r#"{"amountCents":5000001}"#, "amountCents");
    assert_eq!(client.charge(200)["netAmount"], 120);
    assert_eq!(client.charge(5_000_000)["netAmount"], 4_999_920);
}

fn the_fee_can_be_passed_to_the_payer(on: Backend) {
    let client = &merchant(on).test;
    for asked in [200, 4990, 5_000_000] {
        let charge = client
            .create(&json!({ "amountCents": asked, "passFee": true }))
            .data();
        assert_eq!(charge["amount"], asked + 80);
        assert_eq!(charge["netAmount"], asked);
    }
    let charge = client
        .create(&json!({ "amountCents": 4990, "passFee": false }))
        .data();
    assert_eq!(charge["amount"], 4990);
    let beyond = client.create(&json!({ "amountCents": 5_000_001, "passFee": true }));
    assert!(beyond.error(400).contains("amountCents"));
}

fn validity_has_bounds(on: Backend) {
    let client = &merchant(on).test;
    for seconds in [60, 7_776_000] {
        let charge = client
            .create(&json!({ "amountCents": 4990, "expiresIn": seconds }))
            .data();
        let validity = millis(charge["expiresAt"].as_str().unwrap())
            - millis(charge["createdAt"].as_str().unwrap());
        assert_eq!(validity, seconds * 1000);
    }
    for seconds in [59, 0, -60, 7_776_001] {
        check_refused(
            client,
            &format!(r#"{{"amountCents":4990,"expiresIn":{seconds}}}"#),
            "expiresIn",
        );
    }
}

fn a_customer_is_validated(on: Backend) {
    let client = &merchant(on).test;
    let with = |customer: Value| json!({ "amountCents": 4990, "customer": customer });
    for customer in [
        json!({}),
        json!({ "name": "Ana Souza", "email": "ana@example.com", "cellphone": "+5511999990000", "taxId": "52998224725" }),
        json!({ "taxId": "11222333000181" }),
        // The alphanumeric CNPJ of the tax office's own example.
        json!({ "taxId": "12ABC34501DE35" }),
        json!({ "name": null, "email": null, "cellphone": null, "taxId": null }),
        json!({ "nickname": "Nana" }),
    ] {
        assert_eq!(client.create(&with(customer)).data()["status"], "PENDING");
    }
    for (tax_id, why) in [
        ("52998224724", "a wrong check digit"),
        ("11222333000180", "a wrong check digit of a CNPJ"),
        (
            "12ABC34501DE36",
            "a wrong check digit of an alphanumeric CNPJ",
        ),
        ("11111111111", "a repeated digit"),
        ("5299822472", "too short"),
    ] {
        let message = client.create(&with(json!({ "taxId": tax_id }))).error(400);
        assert!(message.contains("customer.taxId"), "{why}: {message}");
        assert!(
            !message.contains(tax_id),
            "a message repeats a document: {message}"
        );
    }
    // An empty text is not the same as none.
    for field in ["taxId", "email", "cellphone"] {
        let message = client.create(&with(json!({ field: "" }))).error(400);
        assert!(
            message.starts_with(&format!("customer.{field} must")),
            "{message}"
        );
    }
    let message = client
        .create(&with(json!({ "name": "é".repeat(201) })))
        .error(400);
    assert!(message.contains("customer.name"), "{message}");
    assert_eq!(
        client
            .create(&with(json!({ "name": "é".repeat(200) })))
            .status,
        200
    );
}

fn texts_and_metadata_have_limits(on: Backend) {
    let client = &merchant(on).test;
    let described = |length| json!({ "amountCents": 4990, "description": "ç".repeat(length) });
    assert_eq!(client.create(&described(2000)).status, 200);
    assert!(
        client
            .create(&described(2001))
            .error(400)
            .contains("description")
    );
    let noted = |length| json!({ "amountCents": 4990, "metadata": { "note": "x".repeat(length) } });
    assert_eq!(client.create(&noted(16_000)).status, 200);
    assert!(
        client
            .create(&noted(16_500))
            .error(400)
            .contains("metadata")
    );
}

fn null_is_absent_and_unknown_fields_are_ignored(on: Backend) {
    let client = &merchant(on).test;
    let charge = client
        .create(&json!({
            "amountCents": 4990, "description": null, "expiresIn": null, "customer": null, "metadata": null,
            "passFee": null, "status": "PAID", "amount": 1, "anything": { "else": [1, 2.5, "x"] },
        }))
        .data();
    assert_eq!(charge["status"], "PENDING");
    assert_eq!(charge["amount"], 4990);
}

fn a_field_given_twice_is_refused(on: Backend) {
    let client = &merchant(on).test;
    check_refused(
        client,
        r#"{"amountCents":4990,"amountCents":4990}"#,
        "amountCents",
    );
    check_refused(
        client,
        r#"{"amountCents":4990,"customer":{"name":"Ana","name":"Eva"}}"#,
        "name",
    );
}

fn what_is_not_json_is_refused(on: Backend) {
    let client = &merchant(on).test;
    let deep = format!(
        r#"{{"amountCents":4990,"metadata":{{"a":{}{}}}}}"#,
        "[".repeat(20_000),
        "]".repeat(20_000)
    );
    for body in [
        &b""[..],
        b"null",
        b"[]",
        b"4990",
        b"\"x\"",
        b"{",
        b"{\"amountCents\":4990",
        b"{\"amountCents\":4990}}",
        b"{\"amountCents\":4990} x",
        b"{'amountCents':4990}",
        b"{\"amountCents\":4990,\"description\":\"\xff\xfe\"}",
        b"{\"amountCents\":4990,\"description\":\"\\ud800\"}",
        b"{\"amountCents\":NaN}",
        b"\x00",
        b"amountCents=4990",
        deep.as_bytes(),
    ] {
        client
            .request("POST", CREATE)
            .json_text(body)
            .send()
            .error(400);
    }
    // A text with a NUL is JSON; PostgreSQL cannot store one. Either is fine, as long as it is no failure of ours.
    for body in [
        r#"{"amountCents":4990,"description":"a\u0000b"}"#,
        r#"{"amountCents":4990,"metadata":{"a":"\u0000"}}"#,
    ] {
        let status = client.request("POST", CREATE).json_text(body).send().status;
        assert!(matches!(status, 200 | 400), "{status}: {body}");
    }
}
