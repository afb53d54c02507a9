use actix_web::http::Method;
use actix_web::test::TestRequest;
use vintem_domain::account::{self, Environment};
use vintem_domain::calendar::{DAY_MS, MINUTE_MS};
use vintem_domain::key::{Lifetime, Scopes, revoke};

use crate::fixture::{World, by, json};

/// `GET /v1/store` with these headers.
fn store(headers: &[(&'static str, &str)]) -> TestRequest {
    headers.iter().fold(
        TestRequest::with_uri("/v1/store").peer_addr("192.0.2.1:4711".parse().unwrap()),
        |request, (name, value)| request.append_header((*name, *value)),
    )
}

#[actix_web::test]
async fn a_key_is_taken_from_either_header() {
    let world = World::new();
    let (test, live) = (&world.test_key, &world.live_key);
    let bearer = format!("Bearer {test}");
    for headers in [
        &[("Authorization", bearer.as_str())][..],
        &[("Authorization", &format!("bEARER  {test} "))],
        &[("X-API-Key", test)],
        &[("Authorization", &bearer), ("X-API-Key", test)],
    ] {
        let data = world.send(store(headers)).await.data();
        assert_eq!(data["mode"], "test", "{headers:?}");
    }
    for (headers, code) in [
        (&[][..], "key_missing"),
        (
            &[("Authorization", bearer.as_str()), ("X-API-Key", live)],
            "keys_differ",
        ),
        (
            &[("Authorization", &bearer), ("X-API-Key", "nonsense")],
            "keys_differ",
        ),
        (&[("X-API-Key", test), ("X-API-Key", live)], "keys_differ"),
        (&[("Authorization", "")], "key_invalid"),
        (&[("Authorization", "Bearer")], "key_invalid"),
        (&[("Authorization", "Bearer ")], "key_invalid"),
        (&[("Authorization", test)], "key_invalid"),
        (
            &[("Authorization", &format!("Basic {test}"))],
            "key_invalid",
        ),
        (
            &[("Authorization", &format!("Bearer {test}x"))],
            "key_invalid",
        ),
        (&[("X-API-Key", "")], "key_invalid"),
        (&[("X-API-Key", "svc_test_")], "key_invalid"),
        (&[("X-API-Key", &test.to_uppercase())], "key_invalid"),
        (
            &[("X-API-Key", &test.replace("test", "live"))],
            "key_invalid",
        ),
        (&[("X-API-Key", &"x".repeat(10_000))], "key_invalid"),
    ] {
        let answer = world.send(store(headers)).await;
        answer.is(401, code);
        assert_eq!(answer.header("WWW-Authenticate"), Some("Bearer"));
    }
}

#[actix_web::test]
async fn a_key_opens_its_scopes_and_no_others() {
    let world = World::new();
    let routes = [
        (Method::GET, "/v1/store", "STORE:READ"),
        (Method::POST, "/v1/pixQrCode/create", "PIX:CREATE"),
        (Method::POST, "/v1/pixQrCode/simulate-payment", "PIX:CREATE"),
        (Method::GET, "/v1/pixQrCode/check", "PIX:READ"),
        (Method::GET, "/v1/transaction/list", "TRANSACTION:READ"),
    ];
    for scope in Scopes::all().iter() {
        let (_, key) = world.key(Environment::Sandbox, scope.as_str());
        for (method, path, needed) in &routes {
            let answer = world.send(by(&key, method.clone(), path)).await;
            if *needed == scope.as_str() {
                assert!(
                    matches!(answer.status, 200 | 400),
                    "{path}: {}",
                    answer.text
                );
            } else {
                let (code, message) = answer.error(403);
                assert_eq!(code, "scope_missing");
                assert_eq!(message, format!("the API key lacks the scope {needed}"));
            }
        }
    }
}

#[actix_web::test]
async fn a_key_ends_when_it_was_told_to_also_while_it_is_believed() {
    let world = World::new();
    let owner = vintem_domain::Owner {
        account: world.account.id,
        environment: Environment::Sandbox,
    };
    let new =
        vintem_domain::key::create(&world.ports.ports(), owner, Scopes::all(), Lifetime::Week)
            .unwrap();
    let ask = || world.send(by(new.secret.reveal(), Method::GET, "/v1/store"));
    world.clock.advance(7 * DAY_MS - 2);
    ask().await.data();
    world.clock.advance(1);
    ask().await.data();
    world.clock.advance(1);
    ask().await.is(401, "key_invalid");
}

#[actix_web::test]
async fn a_revoked_key_is_forgotten_on_command_and_in_time() {
    let world = World::new();
    for by_command in [true, false] {
        let (id, key) = world.key(Environment::Live, "all");
        let ask = || world.send(by(&key, Method::GET, "/v1/store"));
        ask().await.data();
        revoke(&world.ports.ports(), id).unwrap();
        ask().await.data();
        if by_command {
            world.keys.drop_all();
        } else {
            world.clock.advance(4_000);
        }
        ask().await.is(401, "key_invalid");
    }
}

#[actix_web::test]
async fn a_suspended_account_may_do_nothing() {
    let world = World::new();
    account::suspend(&world.ports.ports(), world.account.id, true).unwrap();
    world.get("/v1/store").await.is(403, "account_suspended");
    world
        .post("/v1/pixQrCode/create", "{")
        .await
        .is(403, "account_suspended");
    account::suspend(&world.ports.ports(), world.account.id, false).unwrap();
    world.keys.drop_all();
    world.get("/v1/store").await.data();
}

#[actix_web::test]
async fn the_last_use_of_keys_is_remembered() {
    let world = World::new();
    world.get("/v1/store").await.data();
    world.get("/v1/store").await.data();
    let uses = world.keys.take_uses();
    assert_eq!(uses.len(), 1);
    assert_eq!(uses[0].1, world.ports.clock.now());
    assert_eq!(world.keys.take_uses(), []);
}

#[actix_web::test]
async fn failed_authentications_are_throttled_by_client_and_good_keys_pass() {
    let world = World::with(|parts| {
        parts.settings.auth_failures_per_minute = 3;
        parts.settings.trusted_proxies = vec!["10.0.0.0/8".parse().unwrap()];
    });
    let ask = |client: &'static str, key: &str| {
        let request = TestRequest::with_uri("/v1/store")
            .peer_addr("10.0.0.1:4711".parse().unwrap())
            .insert_header(("X-Forwarded-For", client))
            .insert_header(("X-API-Key", key));
        world.send(request)
    };
    for _ in 0..3 {
        ask("203.0.113.7", "svc_test_wrong")
            .await
            .is(401, "key_invalid");
    }
    world.clock.advance(20_000);
    let refused = ask("203.0.113.7", "svc_test_wrong").await;
    refused.is(429, "too_many_failed_authentications");
    assert_eq!(refused.header("Retry-After"), Some("40"));
    ask("198.51.100.1, 203.0.113.7", "")
        .await
        .is(429, "too_many_failed_authentications");
    ask("203.0.113.8", "svc_test_wrong")
        .await
        .is(401, "key_invalid");
    ask("203.0.113.7", &world.test_key).await.data();
    world.clock.advance(MINUTE_MS);
    ask("203.0.113.7", "svc_test_wrong")
        .await
        .is(401, "key_invalid");
    for address in ["2001:db8:1:2::1", "2001:db8:1:2::2", "2001:db8:1:2:3::"] {
        ask(address, "").await.is(401, "key_invalid");
    }
    ask("2001:db8:1:2::9", "")
        .await
        .is(429, "too_many_failed_authentications");
    ask("2001:db8:1:3::1", "").await.is(401, "key_invalid");
}

#[actix_web::test]
async fn requests_of_a_key_can_be_limited() {
    let world = World::with(|parts| parts.settings.key_requests_per_minute = 2);
    world.get("/v1/store").await.data();
    world.get("/v1/store").await.data();
    let refused = world.get("/v1/store").await;
    refused.is(429, "too_many_requests");
    assert_eq!(refused.header("Retry-After"), Some("60"));
    world
        .send(by(&world.live_key, Method::GET, "/v1/store"))
        .await
        .data();
}

#[actix_web::test]
async fn a_live_key_cannot_simulate_whatever_it_sends() {
    let world = World::new();
    let path = "/v1/pixQrCode/simulate-payment";
    for body in ["{", "{}", r#"{"id":"chg_01ARZ3NDEKTSV4RRFFQ69G5FAV"}"#] {
        let request = json(by(&world.live_key, Method::POST, path), body);
        world.send(request).await.is(403, "simulation_in_live");
    }
}
