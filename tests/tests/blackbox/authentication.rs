//! API keys: both headers, scopes, expiry, revocation, rolling, throttling.

use std::time::{Duration, Instant};

use serde_json::{Value, json};
use vintem_tests::Backend;
use vintem_tests::client::{Client, Request, Response};
use vintem_tests::merchant::{Merchant, text};
use vintem_tests::site::merchant;
use vintem_tests::wait;

use crate::charge::assert_fields;
use crate::instant::{millis, now};

/// Within this time a server forgets a key that another process has revoked.
const FORGOTTEN: Duration = Duration::from_secs(5);

const SCOPES: [&str; 11] = [
    "PIX:CREATE",
    "PIX:READ",
    "BOLETO:CREATE",
    "BOLETO:READ",
    "BOLETO:PAY",
    "BILLING:CREATE",
    "BILLING:READ",
    "WITHDRAW:CREATE",
    "STORE:READ",
    "STORE:MANAGE",
    "TRANSACTION:READ",
];

vintem_tests::on_both!(
    a_key_is_taken_from_either_header,
    a_request_without_a_good_key_is_refused,
    a_key_opens_its_scopes_and_no_others,
    a_key_expires_when_it_was_told_to,
    an_expired_key_is_refused,
    a_revoked_key_stops_working,
    a_rolled_key_is_replaced,
    a_rolled_key_may_overlap,
    keys_are_listed_without_live_secrets,
    a_suspended_account_is_refused,
);

fn raw_key(client: &Client) -> String {
    client.authorization().unwrap()["Bearer ".len()..].to_owned()
}

fn store(client: &Client, headers: &[(&str, &str)]) -> Response {
    let request = Request::new(client.address(), "GET", "/v1/store");
    headers
        .iter()
        .fold(request, |request, (name, value)| {
            request.header(name, value)
        })
        .send()
}

fn a_key_is_taken_from_either_header(on: Backend) {
    let merchant = merchant(on);
    let client = &merchant.test;
    let (test, live) = (raw_key(&merchant.test), raw_key(&merchant.live));
    assert!(test.starts_with("svc_test_") && live.starts_with("svc_live_"));
    let bearer = format!("Bearer {test}");
    store(client, &[("Authorization", &bearer)]).data();
    store(client, &[("Authorization", &format!("bearer {test}"))]).data();
    store(client, &[("X-API-Key", &test)]).data();
    assert_eq!(
        store(client, &[("X-API-Key", &live)]).data()["mode"],
        "live"
    );
    store(client, &[("Authorization", &bearer), ("X-API-Key", &test)]).data();
    store(client, &[("Authorization", &bearer), ("X-API-Key", &live)]).error(401);
    store(
        client,
        &[("Authorization", &bearer), ("X-API-Key", "nonsense")],
    )
    .error(401);
}

fn a_request_without_a_good_key_is_refused(on: Backend) {
    let merchant = merchant(on);
    let client = &merchant.test;
    let key = raw_key(client);
    let shorter = &key[..key.len() - 1];
    let other = if key.ends_with('A') {
        format!("{shorter}B")
    } else {
        format!("{shorter}A")
    };
    let live = key.replace("svc_test_", "svc_live_");
    for headers in [
        vec![],
        vec![("Authorization", String::new())],
        vec![("Authorization", "Bearer".to_owned())],
        vec![("Authorization", "Bearer ".to_owned())],
        vec![("Authorization", key.clone())],
        vec![("Authorization", format!("Basic {key}"))],
        vec![("Authorization", format!("Bearer {shorter}"))],
        vec![("Authorization", format!("Bearer {other}"))],
        vec![("Authorization", format!("Bearer {key}x"))],
        vec![("Authorization", format!("Bearer {}", key.to_uppercase()))],
        vec![("X-API-Key", String::new())],
        vec![("X-API-Key", live)],
        vec![("X-API-Key", "svc_test_".to_owned())],
        vec![("X-API-Key", "x".repeat(10_000))],
    ] {
        let headers: Vec<(&str, &str)> = headers
            .iter()
            .map(|(name, value)| (*name, value.as_str()))
            .collect();
        let response = store(client, &headers);
        response.error(401);
        let challenge = response
            .header("WWW-Authenticate")
            .expect("a WWW-Authenticate");
        assert!(challenge.starts_with("Bearer"), "{challenge}");
    }
}

/// A request for each scope of this slice that answers anything but 401 or 403 when the key may.
fn ask(client: &Client, scope: &str) -> u16 {
    match scope {
        "PIX:CREATE" => client.create(&json!({ "amountCents": 4990 })).status,
        "PIX:READ" => client.check("chg_01ARZ3NDEKTSV4RRFFQ69G5FAV").status,
        "STORE:READ" => client.get("/v1/store").status,
        "TRANSACTION:READ" => client.get("/v1/transaction/list").status,
        other => panic!("no route needs {other}"),
    }
}

fn a_key_opens_its_scopes_and_no_others(on: Backend) {
    let merchant = merchant(on);
    let all = merchant.key("test", &[]);
    assert_fields(&all, &["id", "key", "mode", "scopes", "expiresAt"]);
    assert_eq!(scopes_of(&all), sorted(&SCOPES));
    assert_eq!(all["expiresAt"], Value::Null);
    let routes = ["PIX:CREATE", "PIX:READ", "STORE:READ", "TRANSACTION:READ"];
    for scope in routes {
        let with = merchant.key("live", &["--scopes", scope]);
        assert_eq!(with["mode"], "live");
        assert_eq!(scopes_of(&with), [scope]);
        let others: Vec<&str> = SCOPES
            .iter()
            .copied()
            .filter(|other| *other != scope)
            .collect();
        let without = merchant.key("live", &["--scopes", &others.join(",")]);
        assert_eq!(scopes_of(&without), sorted(&others));
        let with = Client::new(merchant.test.address(), with["key"].as_str().unwrap());
        let without = Client::new(merchant.test.address(), without["key"].as_str().unwrap());
        for route in routes {
            assert_eq!(
                ask(&with, route) != 403,
                route == scope,
                "{scope} at {route}"
            );
            assert_eq!(
                ask(&without, route) == 403,
                route == scope,
                "all but {scope} at {route}"
            );
        }
    }
    let creator = Client::new(
        merchant.test.address(),
        &text(&merchant.key("test", &["--scopes", "PIX:CREATE"])["key"]),
    );
    creator.simulate(&text(&creator.charge(4990)["id"])).data();
    let unknown = merchant.site.run(&[
        "key",
        "create",
        "--account",
        &merchant.account,
        "--mode",
        "test",
        "--scopes",
        "PIX:STEAL",
    ]);
    assert_eq!(unknown.status.code(), Some(2));
}

fn scopes_of(key: &Value) -> Vec<String> {
    let mut scopes: Vec<String> = key["scopes"].as_array().unwrap().iter().map(text).collect();
    scopes.sort();
    scopes
}

fn sorted(scopes: &[&str]) -> Vec<String> {
    let mut scopes: Vec<String> = scopes.iter().map(|scope| (*scope).to_owned()).collect();
    scopes.sort();
    scopes
}

fn a_key_expires_when_it_was_told_to(on: Backend) {
    let merchant = merchant(on);
    for (choice, days) in [("7d", 7), ("30d", 30), ("90d", 90), ("1y", 365)] {
        let key = merchant.key("test", &["--expires", choice]);
        let validity = millis(key["expiresAt"].as_str().unwrap()) - now();
        assert!(
            (validity - days * 86_400_000).abs() < 120_000,
            "{choice}: {validity}"
        );
    }
    assert_eq!(
        merchant.key("test", &["--expires", "never"])["expiresAt"],
        Value::Null
    );
    let wrong = merchant.site.run(&[
        "key",
        "create",
        "--account",
        &merchant.account,
        "--mode",
        "test",
        "--expires",
        "5m",
    ]);
    assert_eq!(wrong.status.code(), Some(2));
}

fn an_expired_key_is_refused(on: Backend) {
    let merchant = merchant(on);
    let key = merchant.key("test", &["--expires", "7d"]);
    let client = Client::new(merchant.test.address(), key["key"].as_str().unwrap());
    // Key expiry goes by real time: moving the sandbox's clock changes nothing.
    merchant.clock("set", &["--advance", "10d"]);
    client.store();
    crate::database::expire_key(merchant.site, key["id"].as_str().unwrap());
    wait::until("the key expires", FORGOTTEN, || {
        (client.get("/v1/store").status == 401).then_some(())
    });
    client.get("/v1/store").error(401);
}

#[track_caller]
fn forgotten(client: &Client, since: Instant) {
    wait::until("the key is refused", FORGOTTEN, || {
        (client.get("/v1/store").status == 401).then_some(())
    });
    assert!(since.elapsed() <= FORGOTTEN + Duration::from_secs(1));
    client.get("/v1/store").error(401);
}

fn a_revoked_key_stops_working(on: Backend) {
    let merchant = merchant(on);
    for mode in ["test", "live"] {
        let key = merchant.key(mode, &[]);
        let client = Client::new(merchant.test.address(), key["key"].as_str().unwrap());
        client.store();
        merchant
            .site
            .print(&["key", "revoke", "--id", key["id"].as_str().unwrap()]);
        forgotten(&client, Instant::now());
        merchant.client(mode).store();
    }
    assert_eq!(
        merchant
            .site
            .run(&["key", "revoke", "--id", "key_01ARZ3NDEKTSV4RRFFQ69G5FAV"])
            .status
            .code(),
        Some(1)
    );
}

fn roll(merchant: &Merchant, mode: &str, arguments: &[&str]) -> (Client, Client) {
    let old = merchant.key(mode, &["--scopes", "STORE:READ,PIX:READ"]);
    let mut all = vec!["key", "roll", "--id", old["id"].as_str().unwrap()];
    all.extend_from_slice(arguments);
    let new = merchant.site.operate(&all);
    assert_fields(&new, &["id", "key", "mode", "scopes", "expiresAt"]);
    assert_eq!(new["mode"], mode);
    assert_eq!(scopes_of(&new), ["PIX:READ", "STORE:READ"]);
    assert_ne!(new["key"], old["key"]);
    let client = |key: &Value| Client::new(merchant.test.address(), key["key"].as_str().unwrap());
    (client(&old), client(&new))
}

fn a_rolled_key_is_replaced(on: Backend) {
    let merchant = merchant(on);
    for mode in ["test", "live"] {
        let (old, new) = roll(&merchant, mode, &[]);
        let since = Instant::now();
        new.store();
        forgotten(&old, since);
        let (old, new) = roll(&merchant, mode, &["--overlap", "0"]);
        new.store();
        forgotten(&old, Instant::now());
    }
}

fn a_rolled_key_may_overlap(on: Backend) {
    let merchant = merchant(on);
    for mode in ["test", "live"] {
        let (old, new) = roll(&merchant, mode, &["--overlap", "24h"]);
        new.store();
        old.store();
        // Nothing is left for a server to notice after the time in which it forgets keys.
        let (brief, _) = roll(&merchant, mode, &["--overlap", "1h"]);
        brief.store();
    }
    let key = merchant.key("test", &[]);
    let long = merchant.site.run(&[
        "key",
        "roll",
        "--id",
        key["id"].as_str().unwrap(),
        "--overlap",
        "25h",
    ]);
    assert_eq!(long.status.code(), Some(2));
}

fn keys_are_listed_without_live_secrets(on: Backend) {
    let merchant = merchant(on);
    merchant.test.store();
    let printed = merchant
        .site
        .print(&["key", "list", "--account", &merchant.account]);
    let list: Value = serde_json::from_str(&printed).unwrap();
    assert_eq!(list.as_array().unwrap().len(), 2, "{list}");
    assert!(!printed.contains(&raw_key(&merchant.live)));
    let used = wait::attempt(wait::SOON, || {
        let list = merchant
            .site
            .operate(&["key", "list", "--account", &merchant.account]);
        let keys = list.as_array().unwrap();
        let used = keys
            .iter()
            .any(|key| key["mode"] == "test" && !key["lastUsedAt"].is_null());
        used.then_some(())
    });
    assert!(used.is_some(), "no time of last use: {list}");
}

fn a_suspended_account_is_refused(on: Backend) {
    let merchant = merchant(on);
    merchant.test.store();
    merchant
        .site
        .print(&["account", "suspend", "--id", &merchant.account]);
    let refused = wait::attempt(FORGOTTEN + Duration::from_secs(1), || {
        let status = merchant.test.get("/v1/store").status;
        matches!(status, 401 | 403).then_some(())
    });
    assert!(refused.is_some());
}
