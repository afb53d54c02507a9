//! `GET /v1/pixQrCode/check`

use serde_json::{Value, json};
use vintem_tests::Backend;
use vintem_tests::merchant::text;
use vintem_tests::site::merchant;

use crate::charge::{assert_end_to_end_id, assert_fields};
use crate::instant::millis;

const FIELDS: [&str; 6] = ["id", "status", "amount", "paidAt", "payer", "endToEndId"];

vintem_tests::on_both!(
    a_pending_charge_has_no_payer,
    a_paid_charge_shows_who_paid,
    an_unknown_charge_is_not_found,
    a_charge_expires_at_the_very_instant,
);

fn a_pending_charge_has_no_payer(on: Backend) {
    let client = &merchant(on).test;
    let id = text(&client.charge(4990)["id"]);
    let checked = client.check(&id).data();
    assert_eq!(
        checked,
        json!({ "id": id, "status": "PENDING", "amount": 4990, "paidAt": null, "payer": null, "endToEndId": null })
    );
}

fn a_paid_charge_shows_who_paid(on: Backend) {
    let client = &merchant(on).test;
    let id = text(&client.charge(4990)["id"]);
    let paid = client.simulate(&id).data();
    let checked = client.check(&id).data();
    assert_fields(&checked, &FIELDS);
    assert_eq!(checked["status"], "PAID");
    assert_eq!(checked["paidAt"], paid["paidAt"]);
    assert_eq!(
        checked["payer"],
        json!({ "name": "Sandbox Payer", "document": "00000000191", "bank": "Sandbox Bank" })
    );
    assert_end_to_end_id(&checked["endToEndId"]);
}

fn an_unknown_charge_is_not_found(on: Backend) {
    let client = &merchant(on).test;
    client.check("chg_01ARZ3NDEKTSV4RRFFQ69G5FAV").error(404);
    for id in [
        "chg_1",
        "01ARZ3NDEKTSV4RRFFQ69G5FAV",
        "bol_01ARZ3NDEKTSV4RRFFQ69G5FAV",
        "x",
        "%00",
        "%C3%A7",
        "%27%20OR%201=1",
    ] {
        client.check(id).error(404);
    }
    for query in [
        "",
        "?",
        "?id=",
        "?ID=chg_01ARZ3NDEKTSV4RRFFQ69G5FAV",
        "?id=%FF",
        "?id=a&id=b",
    ] {
        let response = client.get(&format!("/v1/pixQrCode/check{query}"));
        assert!(response.error(400).contains("id"), "{query}");
    }
}

fn a_charge_expires_at_the_very_instant(on: Backend) {
    let merchant = merchant(on);
    let client = &merchant.test;
    let charge = client
        .create(&json!({ "amountCents": 4990, "expiresIn": 3600 }))
        .data();
    let id = text(&charge["id"]);
    let expires = charge["expiresAt"].as_str().unwrap();
    let status = || -> Value { client.check(&id).data()["status"].clone() };
    // A minute is longer than the test takes to look, and shorter than anything else in it.
    merchant.clock("set", &["--to", &before(expires, 60_000)]);
    assert_eq!(status(), "PENDING");
    merchant.clock("set", &["--to", expires]);
    assert_eq!(status(), "EXPIRED");
    assert_eq!(
        client.get("/v1/transaction/list").data()[0]["status"],
        "EXPIRED"
    );
    client.simulate(&id).error(409);
    // Derived when read, not stored: a reset undoes it.
    merchant.clock("set", &["--reset"]);
    assert_eq!(status(), "PENDING");
    client.simulate(&id).data();
    merchant.clock("set", &["--advance", "30d"]);
    assert_eq!(status(), "PAID");
}

/// A timestamp so many milliseconds earlier on the same day or the day before.
pub(crate) fn before(timestamp: &str, by: i64) -> String {
    crate::instant::format(millis(timestamp) - by)
}
