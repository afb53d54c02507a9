use std::time::Duration;

use actix_web::http::Method;
use actix_web::test::TestRequest;
use serde_json::json;

use crate::fixture::{BOLETO, STUB_SECRET, World, by, json as with_json};

const CREATE: &str = "/v1/pixQrCode/create";
const BODY: &str = r#"{"amountCents":4990}"#;
const WITHDRAW: &str = "/v1/withdraw/create";

/// A site that has no patience with its database, but much with its provider.
fn world() -> World {
    World::with(|parts| parts.settings.database_timeout = Duration::from_millis(50))
}

fn create(world: &World) -> TestRequest {
    with_json(world.request(Method::POST, CREATE), BODY).insert_header(("Idempotency-Key", "k"))
}

fn withdraw(world: &World, key: &'static str) -> TestRequest {
    let body = json!({ "amountCents": 1_000, "pixKey": "52998224725" }).to_string();
    with_json(by(&world.live_key, Method::POST, WITHDRAW), &body)
        .insert_header(("Idempotency-Key", key))
}

/// Whether work is still under way in either lane.
async fn is_busy(world: &World) -> bool {
    let metrics = world.get("/metrics").await.text;
    ["database", "provider"]
        .iter()
        .any(|lane| !metrics.contains(&format!(r#"vintem_http_lane_in_use{{lane="{lane}"}} 0"#)))
}

/// Waits until what was under way has ended.
async fn rest(world: &World) {
    while is_busy(world).await {
        tokio::task::yield_now().await;
    }
}

#[actix_web::test]
async fn whoever_needs_a_silent_database_is_told_so() {
    let world = world();
    world.fund(10_080).await;
    let slip = world.boleto(&world.test_key).await["pdfUrl"]
        .as_str()
        .unwrap()
        .trim_start_matches("https://pay.example")
        .to_owned();
    let charge = world.charge(&world.test_key).await["id"].clone();
    let check = format!("/v1/pixQrCode/check?id={}", charge.as_str().unwrap());
    let id = json!({ "id": charge }).to_string();
    let post = |uri, body: &str| with_json(world.request(Method::POST, uri), body);
    let get = |uri: &str| world.request(Method::GET, uri);
    let halted = world.store.halt();
    // Known keys and unknown ones: the database is asked for the latter.
    for request in [
        by("svc_test_unknown", Method::GET, "/v1/store"),
        get("/v1/store"),
        post(CREATE, BODY),
        create(&world),
        get(&check),
        post("/v1/pixQrCode/simulate-payment", &id),
        post("/v1/boleto/create", BOLETO),
        post(
            "/v1/boleto/query",
            r#"{"barcode":"846100000005246100291102005460339004695895061080"}"#,
        ),
        withdraw(&world, "k"),
        get("/v1/transaction/list"),
        get(&slip),
        with_json(
            by(STUB_SECRET, Method::POST, "/psp/stub/pix"),
            &json!({ "chargeId": charge }).to_string(),
        ),
    ] {
        let answer = world.send(request).await;
        answer.is(503, "unavailable");
        assert_eq!(answer.header("Retry-After"), Some("1"));
    }
    drop(halted);
    rest(&world).await;
    world.get("/v1/store").await.data();
}

#[actix_web::test]
async fn a_provider_that_was_fast_is_not_blamed_for_a_silent_database() {
    let world = World::with(|parts| {
        parts.settings.database_timeout = Duration::from_millis(50);
        parts.settings.provider_timeout = Duration::from_mins(1);
    });
    let (reached, release) = world.provider.hold_next();
    let answer = tokio::join!(world.send(create(&world)), async {
        while reached.try_recv().is_err() {
            tokio::task::yield_now().await;
        }
        let halted = world.store.halt();
        release.send(()).unwrap();
        halted
    });
    answer.0.is(503, "unavailable");
    drop(answer.1);
    rest(&world).await;
    let repeat = world.send(create(&world)).await;
    assert_eq!(repeat.header("Idempotent-Replayed"), Some("true"));
    repeat.data();
}

#[actix_web::test]
async fn money_goes_out_once_whenever_the_database_was_silent() {
    let world = world();
    world.fund(10_080).await;
    // Before the first write: nothing is written afterwards.
    let halted = world.store.halt();
    world
        .send(withdraw(&world, "before"))
        .await
        .is(503, "unavailable");
    drop(halted);
    rest(&world).await;
    assert_eq!(world.available(&world.live_key).await, 10_000);
    // In the middle of it: the repeat gets what was made.
    let (reached, release) = world.provider.hold_next();
    let answer = tokio::join!(world.send(withdraw(&world, "in it")), async {
        while reached.try_recv().is_err() {
            tokio::task::yield_now().await;
        }
        let halted = world.store.halt();
        release.send(()).unwrap();
        halted
    });
    answer.0.is(503, "unavailable");
    drop(answer.1);
    rest(&world).await;
    let repeat = world.send(withdraw(&world, "in it")).await;
    repeat.data();
    assert!(world.available(&world.live_key).await <= 9_000);
    assert!(world.available(&world.live_key).await >= 8_900);
}
