//! `vintem charge cancel`: an open charge is ended by its merchant.

use std::process::Output;

use serde_json::{Value, json};
use vintem_tests::Backend;
use vintem_tests::merchant::{Merchant, text};
use vintem_tests::receiver::Receiver;
use vintem_tests::site::{Site, merchant};

vintem_tests::on_both!(
    a_cancelled_charge_fails_and_is_told_once,
    a_cancelled_boleto_fails_and_nobody_is_told,
    only_an_open_charge_can_be_cancelled,
    a_payment_of_a_cancelled_charge_goes_back,
    a_bank_that_is_down_leaves_the_charge_open,
    of_a_payment_and_a_cancellation_at_once_one_wins,
);

fn cancel(merchant: &Merchant<'_>, id: &str) -> Output {
    merchant.site.run(&["charge", "cancel", "--id", id])
}

fn canceled(merchant: &Merchant<'_>, id: &str) -> Value {
    merchant.site.operate(&["charge", "cancel", "--id", id])
}

#[track_caller]
fn assert_refused(answer: &Output, reason: &str) {
    let stderr = String::from_utf8_lossy(&answer.stderr);
    assert_eq!(answer.status.code(), Some(1), "{stderr}");
    assert!(stderr.contains(reason), "{stderr}");
}

fn boleto(merchant: &Merchant<'_>) -> Value {
    let body = json!({
        "amountCents": 15_000,
        "payer": { "name": "Ana Souza", "document": "52998224725", "cep": "01310100" },
    });
    merchant.test.post("/v1/boleto/create", &body).data()
}

fn a_cancelled_charge_fails_and_is_told_once(on: Backend) {
    let merchant = merchant(on);
    let receiver = Receiver::start();
    for mode in ["test", "live"] {
        merchant.webhook(mode, &receiver.url());
        let client = merchant.client(mode);
        let body = json!({ "amountCents": 4990, "metadata": { "pedido": 7 } });
        let id = text(&client.create(&body).data()["id"]);
        let first = canceled(&merchant, &id);
        assert_eq!(first["id"], id.as_str());
        assert_eq!(first["status"], "FAILED");
        assert_eq!(first["failedBy"], "CANCELED");
        assert_eq!(canceled(&merchant, &id), first, "a repeat changes nothing");
        assert_eq!(client.check(&id).data()["status"], "FAILED");
        let event = receiver.wait_for_object(&id).json();
        assert_eq!(event["event"], "pixQrCode.failed");
        assert_eq!(event["devMode"], mode == "test");
        assert_eq!(event["data"]["status"], "CANCELED");
        assert_eq!(event["data"]["failureReason"], first["failureReason"]);
        assert_eq!(event["data"]["paidAt"], Value::Null);
        assert_eq!(event["data"]["metadata"], json!({ "pedido": 7 }));
        let story = merchant.site.operate(&["charge", "show", "--id", &id]);
        assert_eq!(story["failedBy"], "CANCELED");
        assert_eq!(story["events"].as_array().unwrap().len(), 1);
    }
    merchant.site.verify_ledger();
}

fn a_cancelled_boleto_fails_and_nobody_is_told(on: Backend) {
    let merchant = merchant(on);
    let boleto = boleto(&merchant);
    let id = text(&boleto["id"]);
    assert_eq!(canceled(&merchant, &id)["status"], "FAILED");
    let checked = merchant
        .test
        .get(&format!("/v1/boleto/check?id={id}"))
        .data();
    assert_eq!(checked["status"], "FAILED");
    let story = merchant.site.operate(&["charge", "show", "--id", &id]);
    assert_eq!(story["events"], json!([]));
    let by_line = json!({ "digitableLine": boleto["boleto"]["digitableLine"] });
    let told = merchant.bank.post("/psp/stub/boleto", &by_line).data();
    assert_eq!(told["outcome"], "returned");
    let by_code = merchant.pay(&json!({ "brCode": boleto["brCode"] }));
    assert_eq!(by_code["outcome"], "returned");
}

fn only_an_open_charge_can_be_cancelled(on: Backend) {
    let merchant = merchant(on);
    let paid = text(&merchant.live.charge(4990)["id"]);
    merchant.pay(&json!({ "chargeId": paid }));
    assert_refused(&cancel(&merchant, &paid), "the charge is PAID, not PENDING");
    let removed = text(&merchant.live.charge(4990)["id"]);
    let remove = json!({ "chargeId": removed, "reason": "conta encerrada" });
    merchant.bank.post("/psp/stub/remove", &remove).data();
    assert_refused(
        &cancel(&merchant, &removed),
        "the charge is FAILED, not PENDING",
    );
    let expired = text(&merchant.test.charge(4990)["id"]);
    merchant.clock("set", &["--advance", "2d"]);
    assert_refused(
        &cancel(&merchant, &expired),
        "the charge is EXPIRED, not PENDING",
    );
    assert_refused(
        &cancel(&merchant, "chg_01ARZ3NDEKTSV4RRFFQ69G5FAV"),
        "charge not found",
    );
    assert_eq!(merchant.test.check(&expired).data()["status"], "EXPIRED");
    assert_eq!(merchant.live.check(&paid).data()["status"], "PAID");
}

fn a_payment_of_a_cancelled_charge_goes_back(on: Backend) {
    let merchant = merchant(on);
    let id = text(&merchant.live.charge(4990)["id"]);
    canceled(&merchant, &id);
    assert_eq!(
        merchant.pay(&json!({ "chargeId": id }))["outcome"],
        "returned"
    );
    assert_eq!(merchant.live.check(&id).data()["status"], "FAILED");
    assert_eq!(merchant.live.store()["balance"], 0);
    let story = merchant.site.operate(&["charge", "show", "--id", &id]);
    assert_eq!(story["notices"][0]["returnedBecause"], "charge_ended");
    assert_eq!(story["returns"][0]["amount"], 4990);
    merchant.site.verify_ledger();
}

fn a_bank_that_is_down_leaves_the_charge_open(on: Backend) {
    let site = Site::new(on);
    let server = site.serve();
    let merchant = site.merchant(&server);
    let id = text(&merchant.live.charge(4990)["id"]);
    let state = |up: bool| {
        merchant
            .bank
            .post("/psp/stub/state", &json!({ "up": up }))
            .data()
    };
    state(false);
    for _ in 0..2 {
        assert_refused(
            &cancel(&merchant, &id),
            "the PIX provider is temporarily unavailable",
        );
        assert_eq!(merchant.live.check(&id).data()["status"], "PENDING");
    }
    state(true);
    assert_eq!(canceled(&merchant, &id)["status"], "FAILED");
}

fn of_a_payment_and_a_cancellation_at_once_one_wins(on: Backend) {
    let merchant = merchant(on);
    for _ in 0..4 {
        let id = text(&merchant.live.charge(4990)["id"]);
        let before = merchant.live.store()["balance"].as_i64().unwrap();
        let (cancelled, outcome) = std::thread::scope(|scope| {
            let cancelling = scope.spawn(|| cancel(&merchant, &id).status.success());
            let paying = scope.spawn(|| text(&merchant.pay(&json!({ "chargeId": id }))["outcome"]));
            (cancelling.join().unwrap(), paying.join().unwrap())
        });
        let status = text(&merchant.live.check(&id).data()["status"]);
        let credited = merchant.live.store()["balance"].as_i64().unwrap() - before;
        match (cancelled, outcome.as_str()) {
            (true, "returned") => assert_eq!((status.as_str(), credited), ("FAILED", 0)),
            (false, "paid") => assert_eq!((status.as_str(), credited), ("PAID", 4910)),
            other => panic!("{other:?}: {status}"),
        }
    }
    merchant.site.verify_ledger();
}
