//! Both families of signatures, checked without the product's code.

use data_encoding::HEXLOWER;
use hmac::{Hmac, KeyInit, Mac};
use http::{HeaderMap, HeaderName, HeaderValue};
use sha2::Sha256;
use standardwebhooks::Webhook;
use vintem_tests::Backend;
use vintem_tests::receiver::{Answer, Delivery, Receiver};
use vintem_tests::site::merchant;

use crate::database::{bare, sql};
use crate::instant::now;

vintem_tests::on_both!(
    both_families_of_signatures_verify,
    each_attempt_is_stamped_anew,
    a_rolled_secret_overlaps_for_a_day,
);

/// The hex digest of the documented scheme.
fn digest(secret: &str, timestamp: &str, body: &[u8]) -> String {
    let mut mac = Hmac::<Sha256>::new_from_slice(secret.as_bytes()).unwrap();
    mac.update(timestamp.as_bytes());
    mac.update(b".");
    mac.update(body);
    HEXLOWER.encode(&mac.finalize().into_bytes())
}

/// Checks one `t=...,v1=...` header and returns its timestamp.
#[track_caller]
fn verify_own(delivery: &Delivery, header: &str, secret: &str) -> i64 {
    let value = delivery
        .header(header)
        .unwrap_or_else(|| panic!("no {header}"));
    let (timestamp, signature) = value.split_once(",v1=").unwrap();
    let timestamp = timestamp.strip_prefix("t=").unwrap();
    assert!(!signature.contains(','), "exactly one v1: {value}");
    assert_eq!(signature, digest(secret, timestamp, &delivery.body));
    timestamp.parse().unwrap()
}

/// What a stock Standard Webhooks library says.
fn verify_standard(delivery: &Delivery, body: &[u8], secret: &str) -> bool {
    let mut headers = HeaderMap::new();
    for (name, value) in &delivery.headers {
        headers.append(
            HeaderName::try_from(name.as_str()).unwrap(),
            HeaderValue::try_from(value.as_str()).unwrap(),
        );
    }
    Webhook::new(secret).unwrap().verify(body, &headers).is_ok()
}

fn both_families_of_signatures_verify(on: Backend) {
    let merchant = merchant(on);
    let receiver = Receiver::start();
    for mode in ["test", "live"] {
        let secret = merchant.webhook(mode, &receiver.url());
        assert!(secret.starts_with("whsec_"));
        assert_eq!(
            data_encoding::BASE64
                .decode(&secret.as_bytes()[6..])
                .unwrap()
                .len(),
            32
        );
        let id = merchant.client(mode).charge(4990)["id"]
            .as_str()
            .unwrap()
            .to_owned();
        merchant.pay(&serde_json::json!({ "chargeId": id }));
        let delivery = receiver.wait_for_object(&id);
        assert_eq!(
            delivery.header("X-Svc-Webhook-Secret"),
            Some(secret.as_str())
        );
        let stamped = verify_own(&delivery, "X-Svc-Signature", &secret);
        assert!((stamped * 1000 - now()).abs() < 60_000);
        assert_eq!(delivery.header("X-Svc-Signature-Previous"), None);
        assert_eq!(
            delivery.header("webhook-id"),
            Some(delivery.event_id().as_str())
        );
        assert_eq!(
            delivery.header("webhook-timestamp"),
            Some(stamped.to_string().as_str())
        );
        assert!(verify_standard(&delivery, &delivery.body, &secret));
        let mut changed = delivery.body.clone();
        changed[10] ^= 1;
        assert!(
            !verify_standard(&delivery, &changed, &secret),
            "the library can fail"
        );
    }
}

fn each_attempt_is_stamped_anew(on: Backend) {
    let merchant = merchant(on);
    let receiver =
        Receiver::scripted(|before, _| Answer::Status(if before == 0 { 500 } else { 200 }));
    let secret = merchant.webhook("test", &receiver.url());
    super::pay_one(&merchant);
    let deliveries = receiver.wait_for(2);
    let stamps = [0, 1].map(|index| verify_own(&deliveries[index], "X-Svc-Signature", &secret));
    // The second attempt follows after five seconds, a fifth more or less.
    assert!((4..=8).contains(&(stamps[1] - stamps[0])), "{stamps:?}");
    assert_eq!(deliveries[0].body, deliveries[1].body);
    assert_eq!(
        deliveries[0].header("webhook-id"),
        deliveries[1].header("webhook-id")
    );
    assert!(verify_standard(
        &deliveries[1],
        &deliveries[1].body,
        &secret
    ));
}

fn a_rolled_secret_overlaps_for_a_day(on: Backend) {
    let merchant = merchant(on);
    let receiver = Receiver::start();
    let old = merchant.webhook("test", &receiver.url());
    let rolled = merchant.webhook_command("roll", "test", &[]);
    let new = rolled["secret"].as_str().unwrap();
    assert_ne!(new, old);
    assert_eq!(
        merchant.webhook("test", &receiver.url()),
        new,
        "setting the URL keeps the secret"
    );
    let id = super::pay_one(&merchant);
    let delivery = receiver.wait_for_object(&id);
    assert_eq!(delivery.header("X-Svc-Webhook-Secret"), Some(new));
    verify_own(&delivery, "X-Svc-Signature", new);
    verify_own(&delivery, "X-Svc-Signature-Previous", &old);
    assert_eq!(
        delivery
            .header("webhook-signature")
            .unwrap()
            .split(' ')
            .count(),
        2
    );
    assert!(verify_standard(&delivery, &delivery.body, new));
    assert!(verify_standard(&delivery, &delivery.body, &old));
    let of_account = format!("WHERE account = '{}'", bare(&merchant.account));
    let until: i64 = sql(
        merchant.site,
        &format!("SELECT previous_until FROM endpoints {of_account}"),
    )
    .parse()
    .unwrap();
    assert!((until - now() - 86_400_000).abs() < 60_000, "a day");
    sql(
        merchant.site,
        &format!("UPDATE endpoints SET previous_until = 1000 {of_account}"),
    );
    let id = super::pay_one(&merchant);
    let delivery = receiver.wait_for_object(&id);
    verify_own(&delivery, "X-Svc-Signature", new);
    assert_eq!(delivery.header("X-Svc-Signature-Previous"), None);
    assert!(!verify_standard(&delivery, &delivery.body, &old));
}
