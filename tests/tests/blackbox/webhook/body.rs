//! The body of an event.

use serde_json::{Value, json};
use vintem_tests::Backend;
use vintem_tests::merchant::text;
use vintem_tests::receiver::Receiver;
use vintem_tests::site::merchant;

use crate::charge::{assert_fields, assert_id};
use crate::instant::millis;

vintem_tests::on_both!(
    a_paid_charge_is_told_as_documented,
    a_failed_charge_is_told_with_its_reason,
    metadata_comes_back_as_it_was_sent,
    events_are_numbered_without_a_gap,
);

const FIELDS: [&str; 10] = [
    "id",
    "kind",
    "status",
    "amount",
    "netAmount",
    "paidAt",
    "payer",
    "endToEndId",
    "failureReason",
    "metadata",
];

fn a_paid_charge_is_told_as_documented(on: Backend) {
    let merchant = merchant(on);
    let receiver = Receiver::start();
    merchant.webhook("test", &receiver.url());
    let id = super::pay_one(&merchant);
    let delivery = receiver.wait_for(1).remove(0);
    let body = delivery.json();
    assert_fields(
        &body,
        &["id", "event", "devMode", "createdAt", "sequence", "data"],
    );
    assert_id(&body["id"], "evt_");
    assert_eq!(body["event"], "pixQrCode.paid");
    assert_eq!(body["devMode"], true);
    assert_eq!(body["sequence"], 1);
    millis(body["createdAt"].as_str().unwrap());
    let checked = merchant.test.check(&id).data();
    let data = &body["data"];
    assert_fields(data, &FIELDS);
    assert_eq!(
        data,
        &json!({
            "id": id, "kind": "pixQrCode", "status": "PAID", "amount": 4990, "netAmount": 4910, "failureReason": null,
            "metadata": null, "paidAt": checked["paidAt"], "payer": checked["payer"], "endToEndId": checked["endToEndId"],
        })
    );
    assert_eq!(
        delivery.header("Content-Type").unwrap().split(';').next(),
        Some("application/json")
    );
    assert_eq!(delivery.path, "/hook");
    // Compact: nothing but the bytes of the values.
    let reparsed: Value = serde_json::from_slice(&delivery.body).unwrap();
    assert_eq!(reparsed.to_string().len(), delivery.body.len());
}

fn a_failed_charge_is_told_with_its_reason(on: Backend) {
    let merchant = merchant(on);
    let receiver = Receiver::start();
    merchant.webhook("test", &receiver.url());
    let id = text(&merchant.test.charge(4990)["id"]);
    merchant
        .bank
        .post(
            "/psp/stub/remove",
            &json!({ "chargeId": id, "reason": "rejeitada" }),
        )
        .data();
    let body = receiver.wait_for(1)[0].json();
    assert_eq!(body["event"], "pixQrCode.failed");
    assert_fields(&body["data"], &FIELDS);
    assert_eq!(body["data"]["status"], "FAILED");
    assert!(
        body["data"]["failureReason"]
            .as_str()
            .unwrap()
            .contains("rejeitada")
    );
    for field in ["paidAt", "payer", "endToEndId"] {
        assert_eq!(body["data"][field], Value::Null);
    }
}

fn metadata_comes_back_as_it_was_sent(on: Backend) {
    let merchant = merchant(on);
    let receiver = Receiver::start();
    merchant.webhook("test", &receiver.url());
    let metadata = r#"{"order":7,"zeta":1,"alpha":2.50,"big":123456789012345678901234567890,"tiny":1e-7,"name":"Conceição 🛒","escaped":"\u00e9\/\"","nested":{"b":[1,{"a":null}],"a":true},"":""}"#;
    let body = format!(r#"{{"amountCents":4990,"metadata":{metadata}}}"#);
    let charge = merchant
        .test
        .request("POST", "/v1/pixQrCode/create")
        .json_text(body)
        .send()
        .data();
    merchant
        .test
        .simulate(charge["id"].as_str().unwrap())
        .data();
    let told = String::from_utf8(receiver.wait_for(1).remove(0).body).unwrap();
    assert!(
        told.contains(&format!(r#""metadata":{metadata}"#)),
        "{told}"
    );
}

fn events_are_numbered_without_a_gap(on: Backend) {
    let merchant = merchant(on);
    let receiver = Receiver::start();
    merchant.webhook("test", &receiver.url());
    let ids: Vec<String> = (0..12)
        .map(|_| text(&merchant.test.charge(4990)["id"]))
        .collect();
    std::thread::scope(|scope| {
        for id in &ids {
            scope.spawn(|| merchant.test.simulate(id).data());
        }
    });
    // What changes nothing makes no event.
    merchant.test.simulate(&ids[0]).error(409);
    let mut sequences: Vec<i64> = receiver
        .wait_for(12)
        .iter()
        .map(|delivery| delivery.json()["sequence"].as_i64().unwrap())
        .collect();
    sequences.sort_unstable();
    assert_eq!(sequences, (1..=12).collect::<Vec<_>>());
    super::pay_one(&merchant);
    assert_eq!(receiver.wait_for(13)[12].json()["sequence"], 13);
}
