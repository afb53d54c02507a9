use std::sync::atomic::Ordering::Relaxed;
use std::time::Duration;

use actix_web::http::Method;
use serde_json::{Value, json};
use vintem_domain::account::{LimitOverrides, guard_duplicates, override_limits};
use vintem_domain::error::ProviderFailure;
use vintem_domain::money::Centavos;

use crate::fixture::{Answer, World, by, json as with_json};

const CREATE: &str = "/v1/withdraw/create";

async fn withdraw_with(world: &World, key: Option<&str>, body: &Value) -> Answer {
    let request = with_json(by(&world.live_key, Method::POST, CREATE), &body.to_string());
    let request = match key {
        Some(key) => request.insert_header(("Idempotency-Key", key)),
        None => request,
    };
    world.send(request).await
}

/// A live withdrawal.
async fn withdraw(world: &World, body: &Value) -> Answer {
    withdraw_with(world, None, body).await
}

fn to_cpf(centavos: i64) -> Value {
    json!({ "amountCents": centavos, "pixKey": "52998224725" })
}

async fn live_list(world: &World) -> Value {
    let list = by(&world.live_key, Method::GET, "/v1/transaction/list");
    world.send(list).await.data()
}

#[actix_web::test]
async fn a_sandbox_withdrawal_is_simulated() {
    let world = World::new();
    let before = world.available(&world.test_key).await;
    let withdrawal = world.post(CREATE, &to_cpf(1_000).to_string()).await.data();
    assert_eq!(
        withdrawal,
        json!({ "id": withdrawal["id"], "kind": "withdraw", "status": "PAID", "amount": 1_000, "devMode": true })
    );
    assert!(withdrawal["id"].as_str().unwrap().starts_with("wd_"));
    assert_eq!(world.available(&world.test_key).await, before);
    assert_eq!(
        world.get("/v1/transaction/list").await.data(),
        json!([{ "id": withdrawal["id"], "kind": "withdraw", "status": "PAID", "amount": 1_000,
            "paidAt": "2026-09-21T14:13:20.007Z" }])
    );
}

#[actix_web::test]
async fn a_live_withdrawal_debits_at_once_and_arrives_later() {
    let world = World::new();
    world.fund(10_080).await;
    let withdrawal = withdraw(&world, &to_cpf(1_000)).await.data();
    assert_eq!(
        withdrawal,
        json!({ "id": withdrawal["id"], "kind": "withdraw", "status": "PENDING", "amount": 1_000, "devMode": false })
    );
    assert_eq!(world.available(&world.live_key).await, 9_000);
    world.work();
    assert_eq!(live_list(&world).await[0]["status"], "PAID");
    let mut passed = to_cpf(1_000);
    passed["passFee"] = json!(true);
    withdraw(&world, &passed).await.data();
    assert_eq!(world.available(&world.live_key).await, 7_900);
    *world.provider.refusal.lock().unwrap() = Some("account closed");
    world.work();
    let list = live_list(&world).await;
    assert_eq!(
        (&list[0]["status"], &list[0]["paidAt"]),
        (&json!("FAILED"), &Value::Null)
    );
    assert_eq!(world.available(&world.live_key).await, 9_000);
}

#[actix_web::test]
async fn keys_are_read_by_their_type_or_inferred() {
    let world = World::new();
    for (key, kind) in [
        ("529.982.247-25", None),
        ("52998224725", Some("CPF")),
        ("11222333000181", None),
        ("12ABC34501DE35", Some("CNPJ")),
        ("ana@example.com", None),
        ("ana@example.com", Some("EMAIL")),
        ("+5511912345678", None),
        ("11912345678", Some("PHONE")),
    ] {
        let body = json!({ "amountCents": 200, "pixKey": key, "pixKeyType": kind }).to_string();
        let answer = world.post(CREATE, &body).await;
        assert_eq!(answer.data()["status"], "PAID", "{body}");
    }
    let body = json!({ "amountCents": 200, "pixKey": "123e4567-e89b-42d3-a456-426655440000" });
    let nobodys = world.post(CREATE, &body.to_string()).await;
    assert_eq!(nobodys.error(400).1, "pixKey must be a registered key");
}

#[actix_web::test]
async fn a_wrong_field_is_named_with_the_rule_it_breaks() {
    let world = World::new();
    world.fund(10_080).await;
    let with = |name: &str, value: Value| {
        let mut body = to_cpf(1_000);
        body[name] = value;
        body
    };
    for (body, message) in [
        (json!({}), "amountCents is required"),
        (
            with("amountCents", json!(0)),
            "amountCents must be from 1 to 9999999999",
        ),
        (
            with("amountCents", json!("1000")),
            "amountCents must be an integer",
        ),
        (
            with("amountCents", json!(100)),
            "amountCents must be more than the fee",
        ),
        (with("pixKey", Value::Null), "pixKey is required"),
        (with("pixKey", json!(" ")), "pixKey is required"),
        (with("pixKey", json!(7)), "pixKey must be a text"),
        (
            with("pixKey", json!("nonsense")),
            "pixKey must be a CPF, a CNPJ, a phone number, an e-mail address or a random key",
        ),
        (
            with("pixKeyType", json!("CNPJ")),
            "pixKey is no CNPJ: it must have 14 characters, not 11",
        ),
        (
            with("pixKeyType", json!("EMAIL")),
            "pixKey must be an e-mail address of at most 77 characters",
        ),
        (
            with("pixKeyType", json!("cpf")),
            "pixKeyType must be CPF, CNPJ, EMAIL, PHONE or EVP",
        ),
        (
            with("recipientDocument", json!("529.982.247-25")),
            "recipientDocument has a wrong character at position 4: only digits and upper-case letters may stand there",
        ),
        (
            with("pixKeyType", json!("")),
            "pixKeyType must be CPF, CNPJ, EMAIL, PHONE or EVP",
        ),
        (
            with("recipientDocument", json!("")),
            "recipientDocument must have 11 or 14 characters, not 0",
        ),
        (
            with("recipientDocument", json!("11222333000181")),
            "recipientDocument must be the document of the key's owner",
        ),
        (
            with("beneficiaryName", json!("é".repeat(201))),
            "beneficiaryName must have at most 200 characters",
        ),
        (with("description", json!(1)), "description must be a text"),
        (
            with("passFee", json!("yes")),
            "passFee must be true or false",
        ),
    ] {
        for key in [&world.test_key, &world.live_key] {
            let request = with_json(by(key, Method::POST, CREATE), &body.to_string());
            assert_eq!(
                world.send(request).await.error(400),
                ("invalid_field".to_owned(), message.to_owned()),
                "{body}"
            );
        }
    }
    assert_eq!(world.available(&world.live_key).await, 10_000);
    let mut named = to_cpf(1_000);
    named["recipientDocument"] = json!("52998224725");
    withdraw(&world, &named).await.data();
}

#[actix_web::test]
async fn limits_and_balance_are_refusals_of_their_own() {
    let world = World::new();
    world.fund(10_080).await;
    withdraw(&world, &to_cpf(10_001))
        .await
        .is(400, "insufficient_balance");
    let limits = LimitOverrides {
        per_withdrawal: Some(Centavos::new(4_000)),
        withdrawals_per_day: Some(Centavos::new(5_000)),
        ..LimitOverrides::default()
    };
    override_limits(&world.ports.ports(), world.account.id, limits).unwrap();
    withdraw(&world, &to_cpf(4_001))
        .await
        .is(400, "above_withdrawal_limit");
    withdraw(&world, &to_cpf(4_000)).await.data();
    withdraw(&world, &to_cpf(1_001))
        .await
        .is(400, "above_daily_limit");
    withdraw(&world, &to_cpf(1_000)).await.data();
    world.clock.advance(24 * 3_600_000);
    withdraw(&world, &to_cpf(1_001)).await.data();
}

#[actix_web::test]
async fn a_repeat_gets_the_first_answer_whatever_became_of_it() {
    let world = World::new();
    world.fund(10_080).await;
    let first = withdraw_with(&world, Some("k"), &to_cpf(1_000)).await;
    first.data();
    world.work();
    *world.provider.failure.lock().unwrap() = Some(ProviderFailure::Down);
    let repeat = withdraw_with(&world, Some("k"), &to_cpf(1_000)).await;
    assert_eq!(repeat.header("Idempotent-Replayed"), Some("true"));
    assert_eq!(repeat.text, first.text);
    withdraw_with(&world, Some("k"), &json!({}))
        .await
        .is(409, "idempotency_key_reused");
    assert_eq!(world.available(&world.live_key).await, 9_000);
}

#[actix_web::test]
async fn a_guard_asks_whether_a_twin_is_meant() {
    let world = World::new();
    world.fund(10_080).await;
    guard_duplicates(&world.ports.ports(), world.account.id, Some(10)).unwrap();
    let first = withdraw(&world, &to_cpf(1_000)).await.data();
    let (code, message) = withdraw(&world, &to_cpf(1_000)).await.error(409);
    assert_eq!(code, "same_withdrawal");
    assert!(message.contains(first["id"].as_str().unwrap()), "{message}");
    withdraw(&world, &to_cpf(1_001)).await.data();
    withdraw_with(&world, Some("meant"), &to_cpf(1_000))
        .await
        .data();
    world.clock.advance(10 * 60_000 + 1);
    withdraw(&world, &to_cpf(1_000)).await.data();
}

#[actix_web::test]
async fn an_outage_is_502_and_nothing_is_written() {
    let world = World::new();
    world.fund(10_080).await;
    for (failure, code) in [
        (ProviderFailure::Down, "provider_down"),
        (ProviderFailure::Unknown, "provider_timeout"),
    ] {
        *world.provider.failure.lock().unwrap() = Some(failure);
        withdraw_with(&world, Some("k"), &to_cpf(1_000))
            .await
            .is(502, code);
    }
    assert_eq!(world.available(&world.live_key).await, 10_000);
    *world.provider.failure.lock().unwrap() = None;
    withdraw_with(&world, Some("k"), &to_cpf(1_000))
        .await
        .data();
}

#[actix_web::test]
async fn who_was_told_that_it_took_too_long_is_not_debited_afterwards() {
    let world = World::with(|parts| parts.settings.provider_timeout = Duration::from_millis(20));
    world.fund(10_080).await;
    let (reached, release) = world.provider.hold_next();
    withdraw(&world, &to_cpf(1_000))
        .await
        .is(502, "provider_timeout");
    reached.recv().unwrap();
    release.send(()).unwrap();
    // The lane has one place less until the work has ended.
    while world
        .get("/metrics")
        .await
        .text
        .contains(r#"vintem_http_lane_in_use{lane="provider"} 1"#)
    {
        tokio::task::yield_now().await;
    }
    assert_eq!(world.available(&world.live_key).await, 10_000);
    assert_eq!(live_list(&world).await.as_array().unwrap().len(), 1);
    assert!(world.provider.calls.load(Relaxed) > 1);
}
