use actix_web::http::Method;
use actix_web::test::TestRequest;
use serde_json::{Value, json};

use crate::fixture::{Answer, World, by, json as with_json};

const PIX: &str = "/psp/stub/pix";
const REMOVE: &str = "/psp/stub/remove";
const STATE: &str = "/psp/stub/state";
const E2E: &str = "E12345678202601011200abcdefghijk";

async fn pay(world: &World, notice: Value) -> Answer {
    world.bank(PIX, &notice.to_string()).await
}

async fn check(world: &World, key: &str, charge: &Value) -> Value {
    let id = charge["id"].as_str().unwrap();
    let uri = format!("/v1/pixQrCode/check?id={id}");
    world.send(by(key, Method::GET, &uri)).await.data()
}

#[actix_web::test]
async fn the_bank_asks_for_its_secret() {
    let world = World::new();
    for path in [PIX, REMOVE, STATE] {
        for token in ["wrong", &world.live_key, "", "stub-secret2"] {
            let answer = world
                .send(with_json(by(token, Method::POST, path), "{"))
                .await;
            answer.is(401, "stub_secret_invalid");
            assert_eq!(answer.header("WWW-Authenticate"), Some("Bearer"));
        }
        let nobody = TestRequest::with_uri(path).method(Method::POST);
        world.send(nobody).await.is(401, "stub_secret_invalid");
        world.bank(path, "{").await.is(400, "malformed_json");
    }
}

#[actix_web::test]
async fn a_payment_is_played_as_told() {
    let world = World::new();
    let charge = world.charge(&world.live_key).await;
    world.clock.advance(10_000);
    let payer = json!({ "name": "Ana Souza", "document": "***982247**", "bank": null });
    let notice = json!({
        "chargeId": charge["id"], "amountCents": 4990, "endToEndId": E2E, "paidAt": "2026-09-21T11:13:25-03:00",
        "payer": payer,
    });
    let told = pay(&world, notice.clone()).await.data();
    assert_eq!(told, json!({ "endToEndId": E2E, "outcome": "paid" }));
    assert_eq!(pay(&world, notice).await.data()["outcome"], "already");
    assert_eq!(
        check(&world, &world.live_key, &charge).await,
        json!({
            "id": charge["id"], "status": "PAID", "amount": 4990, "paidAt": "2026-09-21T14:13:25.000Z", "payer": payer,
            "endToEndId": E2E,
        })
    );
    let other = world.charge(&world.live_key).await;
    pay(
        &world,
        json!({ "chargeId": other["id"], "endToEndId": E2E }),
    )
    .await
    .is(409, "end_to_end_id_reused");
}

#[actix_web::test]
async fn an_end_to_end_id_says_when_it_was_paid() {
    let world = World::new();
    let charge = world.charge(&world.live_key).await;
    world.clock.advance(3_600_000);
    let paid_at = "2026-09-21T14:43:20Z";
    let notice = json!({ "chargeId": charge["id"], "paidAt": paid_at });
    let told = pay(&world, notice).await.data();
    let id = told["endToEndId"].as_str().unwrap();
    assert_eq!(&id[9..21], "202609211443");
}

#[actix_web::test]
async fn what_is_not_told_is_made_up() {
    let world = World::new();
    for (key, name) in [
        (&world.test_key, "Sandbox Payer"),
        (&world.live_key, "Play Payer"),
    ] {
        let charge = world.charge(key).await;
        let told = pay(&world, json!({ "brCode": charge["brCode"] }))
            .await
            .data();
        assert_eq!(told["outcome"], "paid");
        let checked = check(&world, key, &charge).await;
        assert_eq!(checked["endToEndId"], told["endToEndId"]);
        assert_eq!(checked["paidAt"], "2026-09-21T14:13:20.007Z");
        assert_eq!(checked["payer"]["name"], name);
        let again = pay(&world, json!({ "chargeId": charge["id"] }))
            .await
            .data();
        assert_eq!(again["outcome"], "returned");
        assert_ne!(again["endToEndId"], told["endToEndId"]);
    }
}

#[actix_web::test]
async fn a_wrong_amount_goes_back() {
    let world = World::new();
    let charge = world.charge(&world.live_key).await;
    let told = pay(
        &world,
        json!({ "chargeId": charge["id"], "amountCents": 1 }),
    )
    .await;
    assert_eq!(told.data()["outcome"], "returned");
    assert_eq!(
        check(&world, &world.live_key, &charge).await["status"],
        "PENDING"
    );
}

#[actix_web::test]
async fn a_malformed_notice_names_its_field() {
    let world = World::new();
    let charge = world.charge(&world.live_key).await;
    let id = charge["id"].as_str().unwrap();
    for (notice, message) in [
        (json!({}), "chargeId or brCode is required"),
        (
            json!({ "chargeId": id, "brCode": "x" }),
            "chargeId must not be given together with brCode",
        ),
        (json!({ "chargeId": "" }), "chargeId must not be empty"),
        (
            json!({ "chargeId": "x", "amountCents": 0 }),
            "amountCents must be from 1 to 9999999999",
        ),
        (
            json!({ "chargeId": id, "amountCents": 0 }),
            "amountCents must be from 1 to 9999999999",
        ),
        (
            json!({ "chargeId": id, "amountCents": 10_000_000_000_i64 }),
            "amountCents must be from 1 to 9999999999",
        ),
        (
            json!({ "chargeId": id, "amountCents": "1" }),
            "amountCents must be an integer",
        ),
        (
            json!({ "chargeId": id, "endToEndId": "E1" }),
            "endToEndId must have 32 characters, not 2",
        ),
        (
            json!({ "chargeId": id, "paidAt": "now" }),
            "paidAt must be a timestamp such as 2026-11-20T12:00:00Z",
        ),
        (
            json!({ "chargeId": id, "paidAt": "2026-09-21T14:13:20.008Z" }),
            "paidAt must not be in the future",
        ),
        (
            json!({ "chargeId": id, "paidAt": "2026-09-21T14:13:19.999Z" }),
            "paidAt must not be before 2026-09-21T14:13:20.007Z, when it was issued",
        ),
        (
            json!({ "chargeId": id, "payer": "Ana" }),
            "payer must be an object",
        ),
        (
            json!({ "chargeId": id, "payer": { "name": 1 } }),
            "payer.name must be a text",
        ),
    ] {
        let answer = pay(&world, notice.clone()).await;
        assert_eq!(
            answer.error(400),
            ("invalid_field".to_owned(), message.to_owned()),
            "{notice}"
        );
    }
    assert!(
        pay(&world, json!({ "brCode": "x" }))
            .await
            .error(400)
            .1
            .starts_with("brCode ")
    );
    for unknown in ["chg_01ARZ3NDEKTSV4RRFFQ69G5FAV", "x"] {
        let nobodys = json!({ "chargeId": unknown });
        pay(&world, nobodys).await.is(404, "charge_not_found");
    }
    assert_eq!(
        check(&world, &world.live_key, &charge).await["status"],
        "PENDING"
    );
}

#[actix_web::test]
async fn a_removed_charge_has_failed() {
    let world = World::new();
    let charge = world.charge(&world.live_key).await;
    let remove = |charge: &Value| {
        let body = json!({ "chargeId": charge["id"], "reason": "conta encerrada" });
        let body = body.to_string();
        let world = &world;
        async move { world.bank(REMOVE, &body).await }
    };
    for _ in 0..2 {
        assert_eq!(
            remove(&charge).await.data(),
            json!({ "id": charge["id"], "status": "FAILED" })
        );
    }
    assert_eq!(
        check(&world, &world.live_key, &charge).await["status"],
        "FAILED"
    );
    let paid = world.charge(&world.live_key).await;
    pay(&world, json!({ "chargeId": paid["id"] })).await.data();
    remove(&paid).await.is(409, "charge_not_pending");
    for (body, message) in [
        ("{}", "chargeId is required"),
        (
            r#"{"chargeId":"chg_01ARZ3NDEKTSV4RRFFQ69G5FAV"}"#,
            "reason is required",
        ),
        (
            r#"{"chargeId":"chg_01ARZ3NDEKTSV4RRFFQ69G5FAV","reason":" "}"#,
            "reason is required",
        ),
    ] {
        assert_eq!(world.bank(REMOVE, body).await.error(400).1, message);
    }
}

#[actix_web::test]
async fn the_bank_behaves_as_told_until_told_otherwise() {
    let world = World::new();
    let usual = json!({ "up": true, "latencyMs": 0, "withdrawals": "settle", "bills": "settle", "refunds": "settle" });
    assert_eq!(world.bank(STATE, "{}").await.data(), usual);
    let body =
        r#"{"up":false,"latencyMs":60000,"withdrawals":"fail","bills":"unknown","refunds":"fail"}"#;
    let told = json!({ "up": false, "latencyMs": 60000, "withdrawals": "fail", "bills": "unknown", "refunds": "fail" });
    assert_eq!(world.bank(STATE, body).await.data(), told);
    assert_eq!(world.bank(STATE, r#"{"up":null}"#).await.data(), told);
    for (body, message) in [
        (r#"{"up":1}"#, "up must be true or false"),
        (r#"{"latencyMs":-1}"#, "latencyMs must be from 0 to 60000"),
        (
            r#"{"latencyMs":60001}"#,
            "latencyMs must be from 0 to 60000",
        ),
        (r#"{"latencyMs":1.5}"#, "latencyMs must be an integer"),
        (r#"{"bills":"x"}"#, "bills must be settle, fail or unknown"),
        (
            r#"{"refunds":"x"}"#,
            "refunds must be settle, fail or unknown",
        ),
        (r#"{"withdrawals":1}"#, "withdrawals must be a text"),
    ] {
        assert_eq!(world.bank(STATE, body).await.error(400).1, message);
    }
    assert_eq!(world.bank(STATE, "{}").await.data(), told);
}
