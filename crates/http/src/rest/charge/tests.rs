use std::sync::atomic::Ordering::Relaxed;

use actix_web::http::Method;
use serde_json::{Value, json};
use vintem_domain::account::{ClockMove, move_clock};
use vintem_domain::brcode::qr_data_uri;
use vintem_domain::error::ProviderFailure;

use crate::fixture::{Answer, STUB_SECRET, World, by, json as with_json};

const CREATE: &str = "/v1/pixQrCode/create";
const SIMULATE: &str = "/v1/pixQrCode/simulate-payment";
const UNKNOWN: &str = "chg_01ARZ3NDEKTSV4RRFFQ69G5FAV";

fn text(value: &Value) -> &str {
    value.as_str().unwrap()
}

async fn check(world: &World, charge: &Value) -> Value {
    let id = text(&charge["id"]);
    world
        .get(&format!("/v1/pixQrCode/check?id={id}"))
        .await
        .data()
}

async fn create_with(world: &World, key: &str, body: &str) -> Answer {
    let request = with_json(world.request(Method::POST, CREATE), body);
    world
        .send(request.insert_header(("Idempotency-Key", key)))
        .await
}

#[actix_web::test]
async fn a_new_charge_shows_every_documented_field() {
    let world = World::new();
    for (key, sandbox) in [(&world.test_key, true), (&world.live_key, false)] {
        let charge = world.charge(key).await;
        let code = text(&charge["brCode"]);
        assert!(code.contains("pix.vintem.example/qr/v2/"), "{code}");
        assert_eq!(
            charge,
            json!({
                "id": charge["id"], "kind": "pixQrCode", "status": "PENDING", "amount": 4990, "netAmount": 4910,
                "brCode": code, "brCodeBase64": qr_data_uri(code).unwrap(),
                "expiresAt": "2026-09-22T14:13:20.007Z", "createdAt": "2026-09-21T14:13:20.007Z", "devMode": sandbox,
            })
        );
        assert!(text(&charge["id"]).starts_with("chg_"));
    }
}

#[actix_web::test]
async fn fee_and_validity_are_as_asked() {
    let world = World::new();
    let body = r#"{"amountCents":1000,"passFee":true,"expiresIn":60}"#;
    let charge = world.post(CREATE, body).await.data();
    assert_eq!(charge["amount"], 1080);
    assert_eq!(charge["netAmount"], 1000);
    assert_eq!(charge["expiresAt"], "2026-09-21T14:14:20.007Z");
}

#[actix_web::test]
async fn a_wrong_field_is_named_with_the_rule_it_breaks() {
    let world = World::new();
    let long_name = format!(
        r#"{{"amountCents":200,"customer":{{"name":"{}"}}}}"#,
        "é".repeat(201)
    );
    let long_text = format!(
        r#"{{"amountCents":200,"description":"{}"}}"#,
        "é".repeat(2001)
    );
    let large = format!(
        r#"{{"amountCents":200,"metadata":{{"a":"{}"}}}}"#,
        "x".repeat(16_384)
    );
    let deep = format!(
        r#"{{"amountCents":200,"metadata":{{"a":{}{}}}}}"#,
        "[".repeat(500),
        "]".repeat(500)
    );
    for (body, message) in [
        ("{}", "amountCents is required"),
        (r#"{"amountCents":null}"#, "amountCents is required"),
        (
            r#"{"amountCents":4990.0}"#,
            "amountCents must be an integer",
        ),
        (
            r#"{"amountCents":"4990"}"#,
            "amountCents must be an integer",
        ),
        (r#"{"amountCents":1e3}"#, "amountCents must be an integer"),
        (
            r#"{"amountCents":9223372036854775808}"#,
            "amountCents must be an integer",
        ),
        (
            r#"{"amountCents":4990,"amountCents":4990}"#,
            "amountCents must be given once",
        ),
        (r#"{"amountCents":199}"#, "amountCents must be at least 200"),
        (
            r#"{"amountCents":-4990}"#,
            "amountCents must be at least 200",
        ),
        (
            r#"{"amountCents":10000000000}"#,
            "amountCents must be at most 9999999999",
        ),
        (
            r#"{"amountCents":200,"expiresIn":59}"#,
            "expiresIn must be from 60 to 7776000 seconds",
        ),
        (
            r#"{"amountCents":200,"expiresIn":60.5}"#,
            "expiresIn must be an integer",
        ),
        (
            r#"{"amountCents":200,"description":7}"#,
            "description must be a text",
        ),
        (
            r#"{"amountCents":200,"passFee":"yes"}"#,
            "passFee must be true or false",
        ),
        (
            r#"{"amountCents":200,"customer":"Ana"}"#,
            "customer must be an object",
        ),
        (
            r#"{"amountCents":200,"customer":{"name":1}}"#,
            "customer.name must be a text",
        ),
        (
            r#"{"amountCents":200,"customer":{"name":"a","name":"b"}}"#,
            "customer.name must be given once",
        ),
        (
            r#"{"amountCents":200,"customer":{"email":"ana"}}"#,
            "customer.email must be an e-mail address",
        ),
        (
            r#"{"amountCents":200,"customer":{"cellphone":"1"}}"#,
            "customer.cellphone must be a phone number of 8 to 15 digits",
        ),
        (
            r#"{"amountCents":200,"customer":{"taxId":"529"}}"#,
            "customer.taxId must have 11 or 14 characters, not 3",
        ),
        (
            r#"{"amountCents":200,"customer":{"taxId":52998224725}}"#,
            "customer.taxId must be a text",
        ),
        (
            r#"{"amountCents":200,"metadata":[]}"#,
            "metadata must be a JSON object",
        ),
        (
            r#"{"amountCents":200,"metadata":"x"}"#,
            "metadata must be a JSON object",
        ),
        (&deep, "metadata must have at most 125 levels"),
        (
            r#"{"amountCents":200,"metadata":{"a":1e999}}"#,
            r"metadata must not hold a number beyond 64-bit floating point (1e999) or half a surrogate pair (\ud800)",
        ),
        (&large, "metadata must have at most 16384 bytes"),
        (&long_name, "customer.name must have at most 200 characters"),
        (&long_text, "description must have at most 2000 characters"),
    ] {
        let answer = world.post(CREATE, body).await;
        assert_eq!(
            answer.error(400),
            ("invalid_field".to_owned(), message.to_owned()),
            "{body}"
        );
    }
    assert_eq!(
        world.provider.calls.load(Relaxed),
        0,
        "the provider was not asked"
    );
    assert_eq!(world.get("/v1/transaction/list").await.data(), json!([]));
}

#[actix_web::test]
async fn the_limit_of_the_account_is_a_refusal_of_its_own() {
    let world = World::new();
    let (code, message) = world
        .post(CREATE, r#"{"amountCents":5000001}"#)
        .await
        .error(400);
    assert_eq!(code, "above_transaction_limit");
    assert!(
        message.starts_with("amountCents must be at most 5000000"),
        "{message}"
    );
}

#[actix_web::test]
async fn what_is_null_empty_or_unknown_does_no_harm() {
    let world = World::new();
    for body in [
        r#"{"amountCents":200,"description":null,"expiresIn":null,"customer":null,"metadata":null,"passFee":null}"#,
        r#"{"amountCents":200,"description":" ","customer":{"name":"","email":null,"cellphone":null,"taxId":null}}"#,
        r#"{"amountCents":200,"customer":{"taxId":"529.982.247-25","name":"Ana","email":"a@b.c","cellphone":"+55 11 99999-0000"}}"#,
        r#"{"amountCents":200,"customer":{"taxId":"12.ABC.345/01DE-35"},"metadata":{}}"#,
        r#"{"amountCents":200,"status":"PAID","x":1,"x":2,"anything":{"else":[1,2.5,1e400]}}"#,
    ] {
        let charge = world.post(CREATE, body).await.data();
        assert_eq!(
            (&charge["status"], &charge["amount"]),
            (&json!("PENDING"), &json!(200)),
            "{body}"
        );
    }
}

#[actix_web::test]
async fn a_check_shows_what_became_of_a_charge() {
    let world = World::new();
    let charge = world.charge(&world.test_key).await;
    let id = &charge["id"];
    assert_eq!(
        check(&world, &charge).await,
        json!({ "id": id, "status": "PENDING", "amount": 4990, "paidAt": null, "payer": null, "endToEndId": null })
    );
    world.clock.advance(1_000);
    let paid = world
        .post(SIMULATE, &json!({ "id": id }).to_string())
        .await
        .data();
    assert_eq!(
        paid,
        json!({ "id": id, "status": "PAID", "paidAt": "2026-09-21T14:13:21.007Z", "devMode": true })
    );
    let checked = check(&world, &charge).await;
    assert_eq!(
        checked,
        json!({
            "id": id, "status": "PAID", "amount": 4990, "paidAt": "2026-09-21T14:13:21.007Z",
            "payer": { "name": "Sandbox Payer", "document": "00000000191", "bank": "Sandbox Bank" },
            "endToEndId": checked["endToEndId"],
        })
    );
    assert_eq!(text(&checked["endToEndId"]).len(), 32);
    let again = world.post(SIMULATE, &json!({ "id": id }).to_string()).await;
    assert_eq!(
        again.error(409),
        (
            "charge_not_pending".to_owned(),
            "the charge is PAID, not PENDING".to_owned()
        )
    );
}

#[actix_web::test]
async fn a_charge_is_expired_from_the_instant_on() {
    let world = World::new();
    let charge = world.charge(&world.test_key).await;
    let to = |millis| {
        let by = ClockMove::Advance(millis);
        move_clock(&world.ports.ports(), world.account.id, by).unwrap();
    };
    to(86_399_999);
    assert_eq!(check(&world, &charge).await["status"], "PENDING");
    to(1);
    assert_eq!(check(&world, &charge).await["status"], "EXPIRED");
}

#[actix_web::test]
async fn a_charge_of_another_owner_is_not_found() {
    let world = World::new();
    let live = world.charge(&world.live_key).await;
    let id = text(&live["id"]);
    for id in [id, UNKNOWN] {
        world
            .get(&format!("/v1/pixQrCode/check?id={id}"))
            .await
            .is(404, "charge_not_found");
        world
            .post(SIMULATE, &json!({ "id": id }).to_string())
            .await
            .is(404, "charge_not_found");
    }
}

#[actix_web::test]
async fn an_end_to_end_id_goes_by_the_clock_of_the_sandbox() {
    let world = World::new();
    let (simulated, told) = (
        world.charge(&world.test_key).await,
        world.charge(&world.test_key).await,
    );
    world.move_sandbox(3_600_000);
    let body = json!({ "id": simulated["id"] }).to_string();
    world.post(SIMULATE, &body).await.data();
    let notice = json!({ "chargeId": told["id"] }).to_string();
    let bank = by(STUB_SECRET, Method::POST, "/psp/stub/pix");
    world.send(with_json(bank, &notice)).await.data();
    for charge in [simulated, told] {
        let checked = check(&world, &charge).await;
        assert_eq!(checked["paidAt"], "2026-09-21T15:13:20.007Z");
        assert_eq!(&text(&checked["endToEndId"])[9..21], "202609211513");
    }
}

#[actix_web::test]
async fn an_id_is_opaque_and_must_be_there() {
    let world = World::new();
    for id in [
        "x",
        "chg_",
        "chg_01arz3ndektsv4rrffq69g5fav",
        "bol_01ARZ3NDEKTSV4RRFFQ69G5FAV",
        "%00",
        "%20",
    ] {
        world
            .get(&format!("/v1/pixQrCode/check?id={id}"))
            .await
            .is(404, "charge_not_found");
        world
            .post(SIMULATE, &json!({ "id": id }).to_string())
            .await
            .is(404, "charge_not_found");
    }
    for (query, message) in [
        ("", "id is required"),
        ("?id=", "id is required"),
        ("?ID=chg_01ARZ3NDEKTSV4RRFFQ69G5FAV", "id is required"),
        ("?id=%FF", "id must be percent-encoded UTF-8"),
        ("?id=a&id=b", "id must be given once"),
    ] {
        let answer = world.get(&format!("/v1/pixQrCode/check{query}")).await;
        assert_eq!(answer.error(400).1, message, "{query}");
    }
    for (body, message) in [
        ("{}", "id is required"),
        (r#"{"id":null}"#, "id is required"),
        (r#"{"id":""}"#, "id is required"),
        (r#"{"id":7}"#, "id must be a text"),
    ] {
        assert_eq!(
            world.post(SIMULATE, body).await.error(400).1,
            message,
            "{body}"
        );
    }
}

#[actix_web::test]
async fn a_repeat_gets_the_first_answer_whatever_became_of_the_charge() {
    let world = World::new();
    let first = create_with(
        &world,
        "order 7",
        r#"{"amountCents":4990,"metadata":{"a":1,"b":2}}"#,
    )
    .await;
    let charge = first.data();
    assert_eq!(first.header("Idempotent-Replayed"), None);
    world
        .post(SIMULATE, &json!({ "id": charge["id"] }).to_string())
        .await
        .data();
    *world.provider.failure.lock().unwrap() = Some(ProviderFailure::Down);
    let repeat = create_with(
        &world,
        "order 7",
        r#"{ "metadata":{"b":2,"a":1},"amountCents": 4990 }"#,
    )
    .await;
    assert_eq!(repeat.header("Idempotent-Replayed"), Some("true"));
    assert_eq!(repeat.text, first.text);
    let other = create_with(&world, "order 7", r#"{"amountCents":1}"#).await;
    other.is(409, "idempotency_key_reused");
    create_with(&world, "order 7", "{")
        .await
        .is(400, "malformed_json");
    create_with(&world, "order 8", r#"{"amountCents":4990}"#)
        .await
        .is(502, "provider_down");
    assert_eq!(world.provider.calls.load(Relaxed), 2);
}

#[actix_web::test]
async fn an_idempotency_key_has_a_form() {
    let world = World::new();
    let longer = "k".repeat(256);
    for key in ["", "tab\there", &longer] {
        let (code, message) = create_with(&world, key, r#"{"amountCents":4990}"#)
            .await
            .error(400);
        assert_eq!(code, "invalid_field");
        assert_eq!(
            message,
            "Idempotency-Key must have 1 to 255 printable characters"
        );
    }
    let twice = with_json(
        world.request(Method::POST, CREATE),
        r#"{"amountCents":4990}"#,
    )
    .append_header(("Idempotency-Key", "a"))
    .append_header(("Idempotency-Key", "a"));
    assert_eq!(
        world.send(twice).await.error(400).1,
        "Idempotency-Key must be given once"
    );
}

#[actix_web::test]
async fn a_failing_provider_is_502_and_leaves_nothing() {
    let world = World::new();
    for (failure, code) in [
        (ProviderFailure::Down, "provider_down"),
        (ProviderFailure::Unknown, "provider_timeout"),
        (ProviderFailure::Rejected, "provider_rejected"),
    ] {
        *world.provider.failure.lock().unwrap() = Some(failure);
        create_with(&world, "k", r#"{"amountCents":4990}"#)
            .await
            .is(502, code);
    }
    assert_eq!(world.get("/v1/transaction/list").await.data(), json!([]));
    *world.provider.failure.lock().unwrap() = None;
    let made = create_with(&world, "k", r#"{"amountCents":4990}"#).await;
    assert_eq!(made.header("Idempotent-Replayed"), None);
    made.data();
}
