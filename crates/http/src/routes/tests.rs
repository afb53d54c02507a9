use actix_web::http::Method;
use actix_web::test::TestRequest;
use vintem_domain::account::Environment;
use vintem_domain::key::Scope;

use crate::fixture::{STUB_SECRET, World, by, json};

const CREATE: &str = "/v1/pixQrCode/create";
const BODY: &str = r#"{"amountCents":4990}"#;

#[actix_web::test]
async fn what_is_no_route_is_404_with_and_without_a_key() {
    let world = World::new();
    for path in [
        "/",
        "/v1",
        "/v1/",
        "/v1/nothing",
        "/v1/store/",
        "/v1//store",
        "/v1/Store",
        "/v1/pixQrCode",
        "/v1/%00",
        "/v1/%FF",
        "/v1/boleto",
        "/v1/boleto/query/x",
        "/psp/stub",
    ] {
        for method in [Method::GET, Method::POST] {
            let anonymous = TestRequest::with_uri(path).method(method.clone());
            world.send(anonymous).await.is(404, "route_not_found");
            world
                .send(world.request(method, path))
                .await
                .is(404, "route_not_found");
        }
    }
}

#[actix_web::test]
async fn a_wrong_method_is_405_with_those_allowed() {
    let world = World::new();
    for (method, path, allowed) in [
        ("POST", "/v1/store", "GET"),
        ("HEAD", "/v1/store", "GET"),
        ("GET", CREATE, "POST"),
        ("OPTIONS", CREATE, "POST"),
        ("BREW", CREATE, "POST"),
        ("POST", "/v1/pixQrCode/check", "GET"),
        ("GET", "/v1/pixQrCode/simulate-payment", "POST"),
        ("GET", "/v1/boleto/create", "POST"),
        ("POST", "/v1/boleto/check", "GET"),
        ("GET", "/v1/boleto/simulate-payment", "POST"),
        ("GET", "/v1/boleto/query", "POST"),
        ("PUT", "/v1/boleto/pay", "POST"),
        ("DELETE", "/v1/withdraw/create", "POST"),
        ("PATCH", "/v1/transaction/list", "GET"),
        ("GET", "/psp/stub/pix", "POST"),
        ("POST", "/healthz", "GET, HEAD"),
        ("POST", "/metrics", "GET, HEAD"),
    ] {
        let method = Method::from_bytes(method.as_bytes()).unwrap();
        let answer = world.send(TestRequest::with_uri(path).method(method)).await;
        assert_eq!(answer.header("Allow"), Some(allowed), "{path}");
        answer.is(405, "method_not_allowed");
    }
}

#[actix_web::test]
async fn checks_come_in_their_order() {
    let world = World::new();
    let large = "x".repeat(256 * 1024 + 1);
    let post = |key: &str, path: &str, kind: &'static str, body: &str| {
        let request = by(key, Method::POST, path).insert_header(("Content-Type", kind));
        world.send(request.set_payload(body.to_owned()))
    };
    let (_, reader) = world.key(Environment::Sandbox, "PIX:READ");
    let simulate = "/v1/pixQrCode/simulate-payment";
    post("", "/v1/nothing", "text/plain", &large)
        .await
        .is(404, "route_not_found");
    post("", "/v1/store", "text/plain", &large)
        .await
        .is(405, "method_not_allowed");
    post("x", CREATE, "text/plain", &large)
        .await
        .is(401, "key_invalid");
    post(&reader, CREATE, "text/plain", &large)
        .await
        .is(403, "scope_missing");
    post(&world.live_key, simulate, "text/plain", &large)
        .await
        .is(403, "simulation_in_live");
    let key = &world.test_key;
    post(key, CREATE, "text/plain", &large)
        .await
        .is(413, "body_too_large");
    post(key, CREATE, "text/plain", "{")
        .await
        .is(415, "not_json");
    post(key, CREATE, "application/json", "{")
        .await
        .is(400, "malformed_json");
    post(key, simulate, "application/json", r#"{"id":7}"#)
        .await
        .is(400, "invalid_field");
    let unknown = r#"{"id":"chg_01ARZ3NDEKTSV4RRFFQ69G5FAV"}"#;
    post(key, simulate, "application/json", unknown)
        .await
        .is(404, "charge_not_found");
}

#[actix_web::test]
async fn a_key_does_what_its_scopes_say() {
    let world = World::new();
    for (method, path, scope) in [
        (Method::GET, "/v1/store", "STORE:READ"),
        (Method::POST, CREATE, "PIX:CREATE"),
        (Method::GET, "/v1/pixQrCode/check", "PIX:READ"),
        (Method::POST, "/v1/pixQrCode/simulate-payment", "PIX:CREATE"),
        (Method::POST, "/v1/boleto/create", "BOLETO:CREATE"),
        (Method::GET, "/v1/boleto/check", "BOLETO:READ"),
        (Method::POST, "/v1/boleto/simulate-payment", "BOLETO:CREATE"),
        (Method::POST, "/v1/boleto/query", "BOLETO:PAY"),
        (Method::POST, "/v1/boleto/pay", "BOLETO:PAY"),
        (Method::POST, "/v1/withdraw/create", "WITHDRAW:CREATE"),
        (Method::GET, "/v1/transaction/list", "TRANSACTION:READ"),
    ] {
        let others: Vec<_> = Scope::ALL
            .into_iter()
            .map(Scope::as_str)
            .filter(|other| *other != scope)
            .collect();
        let (_, without) = world.key(Environment::Sandbox, &others.join(","));
        let (_, with) = world.key(Environment::Sandbox, scope);
        let answer = world.send(by(&without, method.clone(), path)).await;
        assert_eq!(
            answer.error(403),
            (
                "scope_missing".to_owned(),
                format!("the API key lacks the scope {scope}")
            )
        );
        let answer = world.send(by(&with, method, path)).await;
        assert!([200, 400].contains(&answer.status), "{}", answer.text);
    }
}

#[actix_web::test]
async fn a_body_is_json_unless_it_says_otherwise() {
    let world = World::new();
    for (kind, status) in [
        (None, 200),
        (Some("application/json"), 200),
        (Some("Application/JSON; charset=utf-8"), 200),
        (Some(""), 415),
        (Some("json"), 415),
        (Some("text/plain"), 415),
        (Some("application/jsonx"), 415),
        (Some("multipart/form-data; boundary=x"), 415),
    ] {
        let mut request = world.request(Method::POST, CREATE).set_payload(BODY);
        if let Some(kind) = kind {
            request = request.insert_header(("Content-Type", kind));
        }
        let answer = world.send(request).await;
        assert_eq!(answer.status, status, "{kind:?}: {}", answer.text);
    }
}

#[actix_web::test]
async fn a_body_is_sent_as_it_is() {
    let world = World::new();
    for (coding, status) in [("gzip", 415), ("x", 415), ("identity", 200), ("", 200)] {
        let request = json(world.request(Method::POST, CREATE), BODY);
        let request = request.insert_header(("Content-Encoding", coding));
        let answer = world.send(request).await;
        assert_eq!(answer.status, status, "{coding}: {}", answer.text);
    }
}

#[actix_web::test]
async fn a_body_has_256_kib_at_most() {
    let world = World::new();
    let padded = |size: usize| format!("{BODY}{}", " ".repeat(size - BODY.len()));
    world.post(CREATE, &padded(256 * 1024)).await.data();
    world
        .post(CREATE, &padded(256 * 1024 + 1))
        .await
        .is(413, "body_too_large");
    let said = json(world.request(Method::POST, CREATE), BODY);
    world
        .send(said.insert_header(("Content-Length", "262145")))
        .await
        .is(413, "body_too_large");
}

#[actix_web::test]
async fn what_is_no_utf8_is_malformed() {
    let world = World::new();
    let request = world
        .request(Method::POST, CREATE)
        .set_payload(&b"{\"amountCents\":4990,\"description\":\"\xff\"}"[..]);
    world.send(request).await.is(400, "malformed_json");
}

#[actix_web::test]
async fn a_good_request_id_is_kept_and_every_answer_has_one() {
    let world = World::new();
    let longest = "x".repeat(128);
    for kept in ["abc-123", "01ARZ3NDEKTSV4RRFFQ69G5FAV", "~!@#", &longest] {
        for path in ["/v1/store", "/v1/nothing", CREATE, "/healthz"] {
            let request = world.request(Method::GET, path);
            let answer = world
                .send(request.insert_header(("X-Request-Id", kept)))
                .await;
            assert_eq!(answer.header("X-Request-Id"), Some(kept), "{path}");
        }
    }
    let longer = "x".repeat(129);
    for replaced in ["", "a b", "a\tb", &longer] {
        let request = world.request(Method::GET, "/v1/store");
        let answer = world
            .send(request.insert_header(("X-Request-Id", replaced)))
            .await;
        let id = answer.header("X-Request-Id").unwrap();
        assert_eq!(id.len(), 26, "{id}");
    }
    let own = world.get("/v1/store").await;
    let next = world.get("/v1/store").await;
    assert_ne!(own.header("X-Request-Id"), next.header("X-Request-Id"));
}

#[actix_web::test]
async fn no_answer_allows_other_origins() {
    let world = World::new();
    for method in [Method::GET, Method::OPTIONS] {
        let request = world
            .request(method, "/v1/store")
            .insert_header(("Origin", "https://shop.example"))
            .insert_header(("Access-Control-Request-Method", "GET"));
        let answer = world.send(request).await;
        assert!(
            !answer
                .headers
                .keys()
                .any(|name| name.as_str().starts_with("access-control"))
        );
    }
}

#[actix_web::test]
async fn without_a_play_bank_its_routes_are_404() {
    let world = World::with(|parts| parts.stub = None);
    for path in [
        "/psp/stub/pix",
        "/psp/stub/boleto",
        "/psp/stub/remove",
        "/psp/stub/state",
    ] {
        let request = json(by(STUB_SECRET, Method::POST, path), "{}");
        world.send(request).await.is(404, "route_not_found");
    }
}

#[actix_web::test]
async fn requests_are_counted_by_route_method_and_status() {
    let world = World::new();
    world.get("/v1/store").await.data();
    world
        .get("/v1/pixQrCode/check")
        .await
        .is(400, "invalid_field");
    world.get("/v1/x").await.is(404, "route_not_found");
    let brew = Method::from_bytes(b"BREW").unwrap();
    world
        .send(world.request(brew, "/v1/store"))
        .await
        .is(405, "method_not_allowed");
    let answer = world.get("/metrics").await;
    assert_eq!(answer.status, 200);
    for line in [
        r#"vintem_http_requests_total{route="/v1/store",method="GET",status="200"} 1"#,
        r#"vintem_http_requests_total{route="/v1/store",method="other",status="405"} 1"#,
        r#"vintem_http_requests_total{route="/v1/pixQrCode/check",method="GET",status="400"} 1"#,
        r#"vintem_http_requests_total{route="unknown",method="GET",status="404"} 1"#,
        r#"vintem_http_lane_in_use{lane="database"} 0.0"#,
        r#"vintem_http_lane_in_use{lane="provider"} 0.0"#,
    ] {
        assert!(
            answer.text.lines().any(|found| found == line),
            "{line}\n{}",
            answer.text
        );
    }
}

#[actix_web::test]
async fn metrics_can_have_a_listener_of_their_own() {
    let world = World::with(|parts| parts.settings.metrics_on_main = false);
    world.get("/metrics").await.is(404, "route_not_found");
}

#[actix_web::test]
async fn health_is_the_process_and_readiness_is_the_database() {
    use std::sync::atomic::Ordering::Relaxed;
    let world = World::new();
    assert_eq!(world.get("/healthz").await.data()["status"], "alive");
    assert_eq!(world.get("/readyz").await.data()["status"], "ready");
    world.unready.0.store(true, Relaxed);
    let answer = world.get("/readyz").await;
    answer.is(503, "not_ready");
    assert!(!answer.text.contains("secret"), "{}", answer.text);
    assert_eq!(world.get("/healthz").await.data()["status"], "alive");
    world.unready.0.store(false, Relaxed);
    assert_eq!(world.get("/readyz").await.status, 200);
}
