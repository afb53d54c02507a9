use std::sync::atomic::Ordering::Relaxed;

use actix_web::http::Method;
use serde_json::{Value, json};
use vintem_domain::Centavos;
use vintem_domain::boleto::{BankCode, FreeField, Title};
use vintem_domain::calendar::Date;
use vintem_domain::error::ProviderFailure;

use crate::fixture::{Answer, World, by, json as with_json};

const QUERY: &str = "/v1/boleto/query";
const PAY: &str = "/v1/boleto/pay";
/// A water bill of 2461 centavos.
const WATER: &str = "846100000005246100291102005460339004695895061080";
const HOUR_MS: i64 = 3_600_000;
/// What a sandbox begins with.
const PLAY_MONEY: i64 = 10_000_000;

fn text(value: &Value) -> &str {
    value.as_str().unwrap()
}

/// The line of a title of a third party.
fn title(centavos: i64, due: &str) -> String {
    let title = Title {
        bank: BankCode::parse("237").unwrap(),
        free_field: FreeField::parse("1234567890123456789012345").unwrap(),
        amount: (centavos > 0).then_some(Centavos::new(centavos)),
        due_date: Some(Date::parse(due).unwrap()),
    };
    title.barcode().unwrap().line().to_string()
}

async fn query(world: &World, code: &str) -> Answer {
    world
        .post(QUERY, &json!({ "barcode": code }).to_string())
        .await
}

/// The id of a new quote.
async fn quote(world: &World, code: &str) -> Value {
    query(world, code).await.data()["quoteId"].clone()
}

async fn pay(world: &World, quote: &Value, external_id: &str) -> Answer {
    let body = json!({ "quoteId": quote, "externalId": external_id });
    world.post(PAY, &body.to_string()).await
}

#[actix_web::test]
async fn a_quote_shows_every_documented_field() {
    let world = World::new();
    let quote = query(&world, &title(100_000, "2026-09-11")).await.data();
    assert!(text(&quote["quoteId"]).starts_with("bq_"));
    assert_eq!(
        quote,
        json!({
            "quoteId": quote["quoteId"], "type": "boleto", "bank": "Play Bank", "beneficiary": "Play Beneficiary",
            "dueDate": "2026-09-11T03:00:00.000Z", "payable": true, "paymentWindow": { "open": true },
            "amounts": {
                "original": 100_000, "interest": 333, "fine": 2_000, "discount": 0, "rebate": 0, "final": 102_333,
            },
            "fees": { "providerCents": 60, "svcCents": 90, "totalCents": 150 },
            "totalDebitCents": 102_483, "quoteExpiresInSeconds": 300,
        })
    );
    let tax = query(&world, WATER).await.data();
    assert_eq!(
        tax,
        json!({
            "quoteId": tax["quoteId"], "type": "tributo", "bank": null, "beneficiary": null,
            "dueDate": tax["dueDate"], "payable": true, "paymentWindow": { "open": true },
            "amounts": {
                "original": 2_461, "interest": 0, "fine": 0, "discount": 0, "rebate": 0, "final": 2_461,
            },
            "fees": { "providerCents": 60, "svcCents": 90, "totalCents": 150 },
            "totalDebitCents": 2_611, "quoteExpiresInSeconds": 300,
        })
    );
    assert_eq!(world.available(&world.test_key).await, PLAY_MONEY);
    assert_eq!(world.get("/v1/transaction/list").await.data(), json!([]));
}

#[actix_web::test]
async fn a_closed_window_says_when_it_reopens() {
    let world = World::new();
    // 18:13 on a Monday in Sao Paulo: too late for taxes, not for boletos.
    world.move_sandbox(7 * HOUR_MS);
    let window = |quote: Value| quote["paymentWindow"].clone();
    assert_eq!(
        window(query(&world, WATER).await.data()),
        json!({ "open": false, "reason": "closed after 18:00 in Sao Paulo; reopens at 2026-09-22T03:00:00.000Z" })
    );
    let line = title(100, "2026-12-01");
    assert_eq!(
        window(query(&world, &line).await.data()),
        json!({ "open": true })
    );
    world.move_sandbox(4 * HOUR_MS);
    assert_eq!(
        window(query(&world, &line).await.data()),
        json!({ "open": false, "reason": "closed after 22:00 in Sao Paulo; reopens at 2026-09-22T03:00:00.000Z" })
    );
    world.move_sandbox(13 * 24 * HOUR_MS);
    let weekend = window(query(&world, &line).await.data());
    assert_eq!(
        weekend["reason"],
        "closed at weekends; reopens at 2026-10-05T03:00:00.000Z"
    );
}

#[actix_web::test]
async fn what_cannot_be_paid_is_quoted_as_such() {
    let world = World::new();
    for (code, total) in [
        (title(0, "2026-12-01"), 0),
        (title(3_000_001, "2026-12-01"), 3_000_001),
        // Value identifiers 7 and 9.
        ("81780000000100000552026102000000000000456000".to_owned(), 0),
        ("84910000000010010422023123100000000000054321".to_owned(), 0),
    ] {
        let quote = query(&world, &code).await.data();
        assert_eq!(quote["payable"], false, "{code}");
        assert_eq!(quote["amounts"]["final"], total, "{code}");
        let refused = pay(&world, &quote["quoteId"], "a").await;
        let code = if total > 3_000_000 {
            "above_bill_maximum"
        } else {
            "title_not_payable"
        };
        refused.is(400, code);
    }
    let largest = query(&world, &title(3_000_000, "2026-12-01")).await.data();
    assert_eq!(largest["payable"], true);
}

#[actix_web::test]
async fn a_wrong_code_is_told_with_its_place() {
    let world = World::new();
    let line = title(100, "2026-12-01");
    let digit = |at: usize| u8::from(line.as_bytes()[at] == b'0');
    let second_block = format!("{}{}{}", &line[..20], digit(20), &line[21..]);
    for (body, start) in [
        (json!({}), "barcode is required"),
        (json!({ "barcode": 7 }), "barcode must be a text"),
        (
            json!({ "barcode": "1" }),
            "barcode must have 44, 47 or 48 digits, not 1",
        ),
        (
            json!({ "barcode": second_block }),
            "barcode block 2 check digit is ",
        ),
        (
            json!({ "barcode": "84610000000-0 24610029110-2 00546033900-4 69589506108-0" }),
            "barcode block 1 check digit is 0, expected 5",
        ),
        (
            json!({ "barcode": "abc" }),
            "barcode has a wrong character at position 1",
        ),
    ] {
        let (code, message) = world.post(QUERY, &body.to_string()).await.error(400);
        assert_eq!(code, "invalid_field");
        assert!(message.starts_with(start), "{message}");
    }
    assert_eq!(world.provider.calls.load(Relaxed), 0);
}

#[actix_web::test]
async fn a_payment_debits_at_once_and_settles_later() {
    let world = World::new();
    let id = quote(&world, &title(10_000, "2026-12-01")).await;
    let paid = pay(&world, &id, "bill 1").await.data();
    assert!(text(&paid["id"]).starts_with("bp_"));
    assert_eq!(
        paid,
        json!({
            "id": paid["id"], "status": "PENDING", "method": "BOLETO", "amountCents": 10_000, "feeCents": 150,
            "totalDebitCents": 10_150,
        })
    );
    assert_eq!(world.available(&world.test_key).await, PLAY_MONEY - 10_150);
    let list = || async { world.get("/v1/transaction/list").await.data() };
    let mut line = json!({ "id": paid["id"], "kind": "boletoPayment", "status": "PENDING", "amount": 10_000,
        "paidAt": null });
    assert_eq!(list().await, json!([line]));
    world.work();
    line["status"] = json!("PAID");
    let listed = list().await;
    line["paidAt"] = listed[0]["paidAt"].clone();
    assert!(line["paidAt"].is_string());
    assert_eq!(listed, json!([line]));
    // A repeat answers the payment as it was made.
    let again = pay(&world, &id, "bill 1").await;
    assert_eq!(again.header("Idempotent-Replayed"), Some("true"));
    assert_eq!(again.data(), paid);
    assert_eq!(world.available(&world.test_key).await, PLAY_MONEY - 10_150);
}

#[actix_web::test]
async fn a_failed_payment_is_refunded_in_full() {
    let world = World::new();
    let line = title(10_000, "2026-12-01");
    let id = quote(&world, &line).await;
    let paid = pay(&world, &id, "bill 1").await.data();
    *world.provider.refusal.lock().unwrap() = Some("already paid elsewhere");
    world.work();
    let list = world.get("/v1/transaction/list").await.data();
    assert_eq!(
        list,
        json!([{ "id": paid["id"], "kind": "boletoPayment", "status": "FAILED", "amount": 10_000,
            "paidAt": null }])
    );
    assert_eq!(world.available(&world.test_key).await, PLAY_MONEY);
    // Its name stays its own; the title may be paid under another.
    assert_eq!(pay(&world, &id, "bill 1").await.data(), paid);
    let id = quote(&world, &line).await;
    assert_ne!(pay(&world, &id, "bill 2").await.data()["id"], paid["id"]);
}

#[actix_web::test]
async fn errors_of_a_payment_come_in_their_order() {
    let world = World::new();
    let unknown = json!("bq_01ARZ3NDEKTSV4RRFFQ69G5FAV");
    for (body, message) in [
        (json!({}), "quoteId is required"),
        (json!({ "quoteId": 7 }), "quoteId must be a text"),
        (json!({ "quoteId": "x" }), "externalId is required"),
        (json!({ "quoteId": unknown }), "externalId is required"),
        (
            json!({ "quoteId": unknown, "externalId": " " }),
            "externalId is required",
        ),
        (
            json!({ "quoteId": unknown, "externalId": "x".repeat(256) }),
            "externalId must have 1 to 255 characters",
        ),
        (
            json!({ "quoteId": unknown, "externalId": " a" }),
            "externalId must not begin or end with a blank",
        ),
        (
            json!({ "quoteId": unknown, "externalId": "a\u{0}b" }),
            "externalId must not hold control characters",
        ),
    ] {
        let answer = world.post(PAY, &body.to_string()).await;
        assert_eq!(
            answer.error(400),
            ("invalid_field".to_owned(), message.to_owned())
        );
    }
    let (one, other) = (title(10_000, "2026-12-01"), title(20_000, "2026-12-01"));
    let first = quote(&world, &one).await;
    pay(&world, &first, "a").await.data();
    let (second, twin) = (quote(&world, &other).await, quote(&world, &one).await);
    pay(&world, &second, "a")
        .await
        .is(409, "external_id_reused");
    for named in [
        &unknown,
        &json!("x"),
        &json!("bol_01ARZ3NDEKTSV4RRFFQ69G5FAV"),
    ] {
        pay(&world, named, "b").await.is(404, "quote_not_found");
        // A known name answers its payment, whatever the quote.
        pay(&world, named, "a").await.data();
    }
    pay(&world, &twin, "b").await.is(409, "title_taken");
    world.move_sandbox(300_000);
    pay(&world, &twin, "b").await.is(409, "title_taken");
    pay(&world, &second, "b").await.is(400, "quote_expired");
    pay(&world, &first, "a").await.data();
    world.move_sandbox(11 * HOUR_MS);
    let late = quote(&world, &other).await;
    let (code, message) = pay(&world, &late, "b").await.error(400);
    assert_eq!(code, "outside_payment_hours");
    assert!(message.contains("2026-09-22T03:00:00.000Z"), "{message}");
    let body = json!({ "quoteId": late, "externalId": "c" }).to_string();
    let stranger = with_json(by(&world.live_key, Method::POST, PAY), &body);
    world.send(stranger).await.is(404, "quote_not_found");
}

#[actix_web::test]
async fn without_the_money_nothing_is_paid() {
    let world = World::new();
    for count in 0..3 {
        let id = quote(&world, &title(3_000_000 - count, "2026-12-01")).await;
        pay(&world, &id, &format!("bill {count}")).await.data();
    }
    let id = quote(&world, &title(2_000_000, "2026-12-01")).await;
    pay(&world, &id, "too much")
        .await
        .is(400, "insufficient_balance");
    assert_eq!(
        world
            .get("/v1/transaction/list")
            .await
            .data()
            .as_array()
            .unwrap()
            .len(),
        3
    );
}

#[actix_web::test]
async fn an_outage_is_502_and_nothing_is_debited() {
    let world = World::new();
    let id = quote(&world, &title(10_000, "2026-12-01")).await;
    *world.provider.failure.lock().unwrap() = Some(ProviderFailure::Down);
    query(&world, WATER).await.is(502, "provider_down");
    pay(&world, &id, "a").await.is(502, "provider_down");
    assert_eq!(world.available(&world.test_key).await, PLAY_MONEY);
    *world.provider.failure.lock().unwrap() = None;
    pay(&world, &id, "a").await.data();
}

#[actix_web::test]
async fn an_idempotency_key_works_here_too() {
    let world = World::new();
    let id = quote(&world, &title(10_000, "2026-12-01")).await;
    let send = |body: Value| {
        let request = with_json(world.request(Method::POST, PAY), &body.to_string());
        world.send(request.insert_header(("Idempotency-Key", "k")))
    };
    let body = json!({ "quoteId": id, "externalId": "a" });
    let first = send(body.clone()).await;
    assert_eq!(first.header("Idempotent-Replayed"), None);
    let repeat = send(body).await;
    assert_eq!(repeat.header("Idempotent-Replayed"), Some("true"));
    assert_eq!(repeat.text, first.text);
    send(json!({})).await.is(409, "idempotency_key_reused");
}
