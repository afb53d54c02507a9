//! docs/webhooks.md: the examples verify what the product sends, and nothing else.

mod program;
#[path = "stock.rs"]
mod stock;

use data_encoding::HEXLOWER;
use hmac::{Hmac, KeyInit, Mac};
use http::{HeaderMap, HeaderName, HeaderValue};
use serde_json::Value;
use sha2::Sha256;
use vintem_tests::Backend;
use vintem_tests::merchant::Merchant;
use vintem_tests::receiver::{Delivery, Receiver};
use vintem_tests::site::merchant;
use vintem_tests::wait;

use super::{blocks, document, snippet};
use crate::instant::now;
use crate::webhook::pay_one;
use program::{Program, Script};

const OWN: &str = "x-svc-signature";
const PREVIOUS: &str = "x-svc-signature-previous";

fn page() -> String {
    document("docs/webhooks.md")
}

/// A real delivery to this merchant's sandbox, and the secret that signed it.
fn delivered(merchant: &Merchant) -> (String, Delivery) {
    let receiver = Receiver::start();
    let secret = merchant.webhook("test", &receiver.url());
    let id = pay_one(merchant);
    (secret, receiver.wait_for_object(&id))
}

/// The same delivery with another header.
fn with(delivery: &Delivery, name: &str, value: String) -> Delivery {
    let mut changed = delivery.clone();
    changed.headers.retain(|(known, _)| known != name);
    changed.headers.push((name.to_owned(), value));
    changed
}

/// The same delivery, signed properly so many seconds from now.
fn signed_at(delivery: &Delivery, secret: &str, seconds_from_now: i64) -> Delivery {
    let t = (now() / 1000 + seconds_from_now).to_string();
    let mut mac = Hmac::<Sha256>::new_from_slice(secret.as_bytes()).unwrap();
    mac.update(format!("{t}.").as_bytes());
    mac.update(&delivery.body);
    let digest = HEXLOWER.encode(&mac.finalize().into_bytes());
    with(delivery, OWN, format!("t={t},v1={digest}"))
}

/// What every verification must take and refuse; it is asked with a secret and a delivery.
#[track_caller]
fn check(takes: impl Fn(&str, &Delivery) -> bool) {
    let merchant = merchant(Backend::Sqlite);
    let (secret, delivery) = delivered(&merchant);
    assert!(takes(&secret, &delivery), "a real delivery");
    assert!(takes(&secret, &signed_at(&delivery, &secret, -290)));
    let mut changed = delivery.clone();
    changed.body[10] ^= 1;
    assert!(!takes(&secret, &changed), "a changed body");
    let mut longer = delivery.clone();
    longer.body.push(b'\n');
    assert!(!takes(&secret, &longer), "a longer body");
    assert!(
        !takes("whsec_AAAA", &delivery),
        "signed by somebody with another secret"
    );
    for seconds in [-310, 310, -1_000_000] {
        let late = signed_at(&delivery, &secret, seconds);
        assert!(!takes(&secret, &late), "signed {seconds} s from now");
    }
    let value = delivery.header(OWN).unwrap().to_owned();
    for odd in [
        String::new(),
        "t=,v1=".to_owned(),
        value.replace("v1=", "v0="),
        value.to_uppercase(),
        value[..value.len() - 1].to_owned(),
        format!("{value}00"),
    ] {
        assert!(!takes(&secret, &with(&delivery, OWN, odd.clone())), "{odd}");
    }
}

/// Once the secret was rolled, a receiver that knows either takes what is sent.
#[track_caller]
fn check_roll(takes: impl Fn(&str, &Delivery) -> bool) {
    let merchant = merchant(Backend::Sqlite);
    let (old, _) = delivered(&merchant);
    merchant.webhook_command("roll", "test", &[]);
    let (new, delivery) = delivered(&merchant);
    assert_ne!(old, new);
    assert!(takes(&new, &delivery) && takes(&old, &delivery));
    assert!(!takes("whsec_AAAA", &delivery));
}

#[test]
fn the_shell_script_verifies() {
    let script = Script::new("sh", "verify.sh", &snippet(&page(), "verify.sh"));
    let takes = |name: &str| {
        let script = &script;
        let name = name.to_owned();
        move |secret: &str, delivery: &Delivery| {
            let signature = delivery.header(&name).unwrap_or_default();
            let body = script.beside("body.json", &delivery.body);
            script.run(secret, &[signature, &body])
        }
    };
    check(takes(OWN));
    check_roll(|secret, delivery| {
        takes(OWN)(secret, delivery) || takes(PREVIOUS)(secret, delivery)
    });
}

#[test]
fn the_rust_program_verifies() {
    let takes = |secret: &str, delivery: &Delivery| {
        let signature = delivery.header(OWN).unwrap_or_default();
        program::example("verify_webhook", secret, signature, &delivery.body)
    };
    check(takes);
}

#[test]
fn the_rust_code_is_what_was_tested() {
    let page = page();
    let code: Vec<String> = blocks(&page)
        .into_iter()
        .filter(|block| block.language == "rust")
        .map(|block| block.code)
        .collect();
    let tested = [
        include_str!("../../../examples/verify_webhook.rs"),
        include_str!("stock.rs"),
    ];
    assert_eq!(code, tested);
}

#[test]
fn the_stock_library_verifies() {
    check_roll(|secret, delivery| {
        let mut headers = HeaderMap::new();
        for (name, value) in &delivery.headers {
            let name = HeaderName::try_from(name.as_str()).unwrap();
            headers.append(name, HeaderValue::try_from(value.as_str()).unwrap());
        }
        stock::is_genuine(secret, &headers, &delivery.body)
    });
}

#[test]
fn the_python_receiver_verifies() {
    check_receiver(&Script::new(
        "python3",
        "receiver.py",
        &snippet(&page(), "receiver.py"),
    ));
}

#[test]
fn the_node_receiver_verifies() {
    check_receiver(&Script::new(
        "node",
        "receiver.mjs",
        &snippet(&page(), "receiver.mjs"),
    ));
}

/// Requests that look like the product's, and the product itself.
#[track_caller]
fn check_receiver(script: &Script) {
    let takes = |secret: &str, delivery: &Delivery| {
        let running = Program::start(script, secret);
        let status = running.post(delivery);
        assert!(status == 200 || status == 401, "{status}");
        status == 200
    };
    check(takes);
    check_roll(takes);
    let merchant = merchant(Backend::Sqlite);
    let (secret, first) = delivered(&merchant);
    let running = Program::start(script, &secret);
    merchant.webhook("test", &running.url());
    let id = pay_one(&merchant);
    wait::until(
        "the receiver takes what the product sends",
        wait::SOON,
        || {
            let log = merchant.webhook_command("log", "test", &[]);
            let latest = &log[0];
            (log[1]["number"] == 1 && latest["outcome"] == "delivered" && latest["status"] == 200)
                .then_some(())
        },
    );
    assert_eq!(running.post(&first), 200);
    assert_eq!(running.post(&first), 200, "a repeat is taken");
    let said = running.said(2);
    let told = |id: &str| format!("pixQrCode.paid {id} 4990");
    let first = first.json();
    assert_eq!(
        said,
        [told(&id), told(first["data"]["id"].as_str().unwrap())],
        "and not worked on again"
    );
}

/// The names of a value's fields, in their order, those of objects inside with them.
fn fields(value: &Value, prefix: &str, into: &mut Vec<String>) {
    for (name, inner) in value.as_object().into_iter().flatten() {
        into.push(format!("{prefix}{name}"));
        if name != "metadata" {
            fields(inner, &format!("{prefix}{name}."), into);
        }
    }
}

#[test]
fn the_event_that_is_shown_is_one() {
    let page = page();
    let shown = blocks(&page)
        .into_iter()
        .find(|block| block.language == "json")
        .unwrap();
    let shown: Value = serde_json::from_str(&shown.code).unwrap();
    let merchant = merchant(Backend::Sqlite);
    let (_, delivery) = delivered(&merchant);
    let real = delivery.json();
    let of = |value| {
        let mut names = Vec::new();
        fields(value, "", &mut names);
        names
    };
    assert_eq!(of(&shown), of(&real));
    for field in ["id", "createdAt"] {
        let length = |event: &Value| event[field].as_str().unwrap().len();
        assert_eq!(length(&shown), length(&real), "{field}");
    }
    for name in of(&real) {
        let described = ["data", "data.payer."]
            .iter()
            .any(|told| name == *told || told.ends_with('.') && name.starts_with(told));
        assert!(
            described || page.contains(&format!("\n| `{name}` |")),
            "{name} is not described"
        );
    }
}

#[test]
fn the_headers_that_are_listed_are_those_that_are_sent() {
    let page = page();
    let merchant = merchant(Backend::Sqlite);
    delivered(&merchant);
    merchant.webhook_command("roll", "test", &[]);
    let (_, delivery) = delivered(&merchant);
    let transport = ["host", "content-length"];
    for (name, _) in &delivery.headers {
        let listed = page
            .to_lowercase()
            .lines()
            .any(|line| line.starts_with(&format!("| `{name}` |")));
        assert!(
            listed || transport.contains(&name.as_str()),
            "{name} is not listed"
        );
    }
}
