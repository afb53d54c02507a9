//! `POST /v1/pixQrCode/simulate-payment`

use serde_json::json;
use vintem_tests::Backend;
use vintem_tests::merchant::text;
use vintem_tests::site::merchant;

use crate::charge::assert_fields;
use crate::instant::{millis, now};

vintem_tests::on_both!(
    a_simulated_payment_answers_as_documented,
    a_simulated_payment_moves_no_money,
    only_a_pending_charge_can_be_paid,
    a_live_key_cannot_simulate,
    twenty_simulations_pay_once,
);

const SIMULATE: &str = "/v1/pixQrCode/simulate-payment";

fn a_simulated_payment_answers_as_documented(on: Backend) {
    let client = &merchant(on).test;
    let id = text(&client.charge(4990)["id"]);
    let before = now();
    let paid = client.simulate(&id).data();
    assert_fields(&paid, &["id", "status", "paidAt", "devMode"]);
    assert_eq!(paid["id"], id.as_str());
    assert_eq!(paid["status"], "PAID");
    assert_eq!(paid["devMode"], true);
    let at = millis(paid["paidAt"].as_str().unwrap());
    assert!((before..=now()).contains(&at), "{paid}");
}

fn a_simulated_payment_moves_no_money(on: Backend) {
    let merchant = merchant(on);
    let before = merchant.test.store();
    let id = text(&merchant.test.charge(4990)["id"]);
    merchant.test.simulate(&id).data();
    assert_eq!(merchant.test.store(), before);
}

fn only_a_pending_charge_can_be_paid(on: Backend) {
    let client = &merchant(on).test;
    let id = text(&client.charge(4990)["id"]);
    let paid = client.simulate(&id).data();
    client.simulate(&id).error(409);
    assert_eq!(client.check(&id).data()["paidAt"], paid["paidAt"]);
    client.simulate("chg_01ARZ3NDEKTSV4RRFFQ69G5FAV").error(404);
    for body in [
        json!({}),
        json!({ "id": null }),
        json!({ "id": 7 }),
        json!({ "id": "" }),
    ] {
        let message = client.post(SIMULATE, &body).error(400);
        assert!(message.contains("id"), "{message}");
    }
}

fn a_live_key_cannot_simulate(on: Backend) {
    let merchant = merchant(on);
    let id = text(&merchant.live.charge(4990)["id"]);
    merchant.live.simulate(&id).error(403);
    merchant
        .live
        .simulate("chg_01ARZ3NDEKTSV4RRFFQ69G5FAV")
        .error(403);
    merchant
        .live
        .request("POST", SIMULATE)
        .json_text("{")
        .send()
        .error(403);
    assert_eq!(merchant.live.check(&id).data()["status"], "PENDING");
}

fn twenty_simulations_pay_once(on: Backend) {
    let client = &merchant(on).test;
    let id = text(&client.charge(4990)["id"]);
    let statuses: Vec<u16> = std::thread::scope(|scope| {
        let calls: Vec<_> = (0..20)
            .map(|_| scope.spawn(|| client.simulate(&id).status))
            .collect();
        calls.into_iter().map(|call| call.join().unwrap()).collect()
    });
    assert_eq!(
        statuses.iter().filter(|status| **status == 200).count(),
        1,
        "{statuses:?}"
    );
    assert_eq!(
        statuses.iter().filter(|status| **status == 409).count(),
        19,
        "{statuses:?}"
    );
}
