//! `/healthz`, `/readyz`, `/metrics`

use std::collections::BTreeMap;

use vintem_tests::Backend;
use vintem_tests::merchant::text;
use vintem_tests::site::{Site, merchant};

vintem_tests::on_both!(
    a_server_is_healthy_and_ready,
    figures_are_prometheus_text,
    requests_are_counted_by_route_and_status,
    figures_can_have_a_listener_of_their_own,
    logs_carry_no_secret_and_no_document,
);

fn a_server_is_healthy_and_ready(on: Backend) {
    let client = merchant(on).test;
    let nobody = vintem_tests::client::Client::anonymous(client.address());
    assert_eq!(nobody.get("/healthz").status, 200);
    assert_eq!(nobody.get("/readyz").status, 200);
}

/// Samples by name and labels.
fn samples(text: &str) -> BTreeMap<String, f64> {
    text.lines()
        .filter(|line| !line.starts_with('#') && !line.is_empty())
        .map(|line| {
            let (name, value) = line.rsplit_once(' ').unwrap_or_else(|| panic!("{line}"));
            (
                name.to_owned(),
                value.parse().unwrap_or_else(|_| panic!("{line}")),
            )
        })
        .collect()
}

fn figures_are_prometheus_text(on: Backend) {
    let merchant = merchant(on);
    super::super::webhook::pay_one(&merchant);
    let nobody = vintem_tests::client::Client::anonymous(merchant.test.address());
    let response = nobody.get("/metrics");
    assert_eq!(response.status, 200);
    let kind = response.header("Content-Type").unwrap();
    assert!(
        kind.starts_with("application/openmetrics-text") || kind.starts_with("text/plain"),
        "{kind}"
    );
    let text = response.text();
    let samples = samples(&text);
    assert!(samples.len() > 20);
    for word in [
        "request",
        "deliver",
        "outbox",
        "pool",
        "batch",
        "build_info",
        "stuck",
    ] {
        assert!(
            samples.keys().any(|name| name.contains(word)),
            "no figure about {word}: {text}"
        );
    }
    assert!(
        samples
            .keys()
            .all(|name| name.starts_with("vintem_") || name.starts_with("process_")),
        "{text}"
    );
    // Labels are few: no ids, no accounts.
    assert!(!text.contains(&merchant.account) && !text.contains("chg_"));
}

fn requests_are_counted_by_route_and_status(on: Backend) {
    let site = Site::new(on);
    let server = site.serve();
    let merchant = site.merchant(&server);
    for index in 0..5 {
        merchant
            .test
            .check(&format!("chg_01ARZ3NDEKTSV4RRFFQ69G5FA{index}"))
            .error(404);
        merchant
            .test
            .get(&format!("/v1/unknown/{index}"))
            .error(404);
    }
    merchant.test.store();
    let text = server.anonymous().get("/metrics").text();
    let counted = |route: &str, status: &str| -> f64 {
        samples(&text)
            .iter()
            .filter(|(name, _)| {
                name.contains("requests") && name.contains("_total") || name.contains("_count")
            })
            .filter(|(name, _)| {
                name.contains(&format!("\"{route}\"")) && name.contains(&format!("\"{status}\""))
            })
            .map(|(_, value)| *value)
            .fold(0.0, f64::max)
    };
    assert!(counted("/v1/pixQrCode/check", "404") >= 5.0, "{text}");
    assert!(counted("/v1/store", "200") >= 1.0, "{text}");
    assert!(
        !text.contains("/v1/unknown"),
        "a path nobody knows is no label"
    );
}

fn figures_can_have_a_listener_of_their_own(on: Backend) {
    let site = Site::new(on).with("VINTEM_METRICS_LISTEN", "127.0.0.1:0");
    let server = site.serve();
    assert_eq!(server.anonymous().get("/metrics").status, 404);
    let log = server.stderr();
    let line = log.lines().find(|line| line.contains("serving metrics"));
    let address = line.and_then(|line| line.rsplit_once("address=")?.1.trim().parse().ok());
    let own = vintem_tests::client::Client::anonymous(address.expect(&log)).get("/metrics");
    assert_eq!(own.status, 200);
    assert!(own.text().contains("vintem_"));
}

fn logs_carry_no_secret_and_no_document(on: Backend) {
    let site = Site::new(on)
        .with("VINTEM_LOG", "debug")
        .with("VINTEM_LOG_FORMAT", "json");
    let server = site.serve();
    let merchant = site.merchant(&server);
    let receiver = vintem_tests::receiver::Receiver::scripted(|_, _| {
        vintem_tests::receiver::Answer::Status(500)
    });
    let secret = merchant.webhook("live", &receiver.url());
    let body = serde_json::json!({ "amountCents": 4990, "customer": { "taxId": "52998224725", "name": "Ana Souza" } });
    let id = text(&merchant.live.create(&body).data()["id"]);
    let payer = serde_json::json!({ "name": "Ana Souza", "document": "52998224725", "bank": "X" });
    merchant.pay(&serde_json::json!({ "chargeId": id, "payer": payer }));
    receiver.wait_for(1);
    merchant
        .live
        .request("GET", "/v1/store")
        .header("X-Request-Id", "find-me-in-the-log")
        .send()
        .data();
    let event = receiver.deliveries()[0].event_id();
    let log = vintem_tests::wait::until(
        "deliveries and requests are logged with their ids",
        vintem_tests::wait::SOON,
        || {
            Some(server.stderr())
                .filter(|log| log.contains(&event) && log.contains("find-me-in-the-log"))
        },
    );
    let whole = log
        .rsplit_once('\n')
        .map_or("", |(lines, _unfinished)| lines);
    for line in whole.lines() {
        serde_json::from_str::<serde_json::Value>(line)
            .unwrap_or_else(|error| panic!("{error}: {line}"));
    }
    let keys = [&merchant.test, &merchant.live]
        .map(|client| client.authorization().unwrap()["Bearer ".len()..].to_owned());
    for hidden in [
        keys[0].as_str(),
        &keys[1],
        &secret,
        &secret[6..],
        "52998224725",
        vintem_tests::site::STUB_SECRET,
    ] {
        assert!(!log.contains(hidden), "the log holds {hidden}");
    }
}
