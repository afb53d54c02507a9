//! `/psp/stub/...`: the play bank, and what the product makes of what a bank does.

use std::time::{Duration, Instant};

use serde_json::{Value, json};
use vintem_tests::Backend;
use vintem_tests::client::Client;
use vintem_tests::merchant::{Merchant, text};
use vintem_tests::site::{Site, merchant};
use vintem_tests::wait;

use crate::charge::{assert_end_to_end_id, assert_fields};
use crate::check::before;
use crate::instant::{format, now};

vintem_tests::on_both!(
    a_live_payment_credits_what_is_left_after_the_fee,
    the_payer_can_scan_the_code,
    the_same_payment_told_twice_counts_once,
    a_second_payment_goes_back,
    a_wrong_amount_goes_back,
    a_late_payment_goes_back,
    a_payment_made_in_time_and_told_late_counts,
    a_removed_charge_fails,
    an_outage_answers_502_and_the_same_key_succeeds_later,
    a_slow_bank_delays_nobody_who_does_not_need_it,
    twenty_notices_at_once_count_once,
    what_the_bank_was_told_survives_a_crash,
    the_bank_asks_for_its_secret,
    a_malformed_notice_is_refused,
    the_operator_speaks_for_the_bank,
);

const E2E: &str = "E12345678202601011200abcdefghijk";

fn end_to_end_id() -> String {
    use std::sync::atomic::{AtomicU32, Ordering};
    static COUNT: AtomicU32 = AtomicU32::new(0);
    format!(
        "E12AB5678202601011200{:011}",
        COUNT.fetch_add(1, Ordering::Relaxed) + std::process::id() * 1000
    )
}

fn balance(client: &Client) -> i64 {
    let store = client.store();
    assert_eq!(store["balance"], store["available"]);
    store["balance"].as_i64().unwrap()
}

fn status(client: &Client, id: &str) -> String {
    text(&client.check(id).data()["status"])
}

fn live_charge(merchant: &Merchant) -> String {
    text(&merchant.live.charge(4990)["id"])
}

fn a_live_payment_credits_what_is_left_after_the_fee(on: Backend) {
    let merchant = merchant(on);
    let id = live_charge(&merchant);
    let e2e = end_to_end_id();
    let payer = json!({ "name": "Ana Souza", "document": "52998224725", "bank": "Banco de Teste" });
    let told = merchant.pay(&json!({ "chargeId": id, "endToEndId": e2e, "payer": payer }));
    assert_eq!(told, json!({ "endToEndId": e2e, "outcome": "paid" }));
    let checked = merchant.live.check(&id).data();
    assert_eq!(checked["status"], "PAID");
    assert_eq!(checked["endToEndId"], e2e.as_str());
    assert_eq!(checked["payer"], payer);
    assert_eq!(balance(&merchant.live), 4910);
    assert_eq!(balance(&merchant.test), 10_000_000);
    let passed = merchant
        .live
        .create(&json!({ "amountCents": 1000, "passFee": true }))
        .data();
    merchant.pay(&json!({ "chargeId": passed["id"] }));
    assert_eq!(balance(&merchant.live), 5910);
    merchant.site.verify_ledger();
}

fn the_payer_can_scan_the_code(on: Backend) {
    let merchant = merchant(on);
    let charge = merchant.live.charge(4990);
    let told = merchant.pay(&json!({ "brCode": charge["brCode"] }));
    assert_fields(&told, &["endToEndId", "outcome"]);
    assert_eq!(told["outcome"], "paid");
    assert_end_to_end_id(&told["endToEndId"]);
    let checked = merchant.live.check(charge["id"].as_str().unwrap()).data();
    assert_eq!(checked["endToEndId"], told["endToEndId"]);
    assert_fields(&checked["payer"], &["name", "document", "bank"]);
    // In the sandbox the bank can pay, too, and nothing is posted.
    let charge = merchant.test.charge(4990);
    assert_eq!(
        merchant.pay(&json!({ "brCode": charge["brCode"] }))["outcome"],
        "paid"
    );
    assert_eq!(
        status(&merchant.test, charge["id"].as_str().unwrap()),
        "PAID"
    );
    assert_eq!(balance(&merchant.test), 10_000_000);
}

fn the_same_payment_told_twice_counts_once(on: Backend) {
    let merchant = merchant(on);
    let id = live_charge(&merchant);
    let notice = json!({ "chargeId": id, "endToEndId": end_to_end_id() });
    assert_eq!(merchant.pay(&notice)["outcome"], "paid");
    assert_eq!(merchant.pay(&notice)["outcome"], "already");
    assert_eq!(balance(&merchant.live), 4910);
    // One name in the whole country: it cannot settle another charge as well.
    let other = live_charge(&merchant);
    let mut moved = notice.clone();
    moved["chargeId"] = json!(other);
    let answer = merchant.bank.post("/psp/stub/pix", &moved);
    assert!(
        answer.status != 200 || answer.data()["outcome"] == "already",
        "{}",
        answer.text()
    );
    assert_eq!(status(&merchant.live, &other), "PENDING");
    assert_eq!(balance(&merchant.live), 4910);
}

/// The charge's story holds the return of that payment, in the end confirmed by the bank.
#[track_caller]
fn assert_returned(merchant: &Merchant, id: &str, e2e: &str) {
    wait::until("the payment is back", wait::SOON, || {
        let story = merchant.site.print(&["charge", "show", "--id", id]);
        (story.contains(e2e) && story.to_lowercase().contains("return")).then_some(())
    });
    let e2e = e2e.to_owned();
    wait::until("the bank confirms the return", wait::SOON, || {
        let state = crate::database::sql(
            merchant.site,
            &format!("SELECT state FROM returns WHERE end_to_end_id = '{e2e}'"),
        );
        (state == "done").then_some(())
    });
    merchant.site.verify_ledger();
}

fn a_second_payment_goes_back(on: Backend) {
    let merchant = merchant(on);
    let id = live_charge(&merchant);
    merchant.pay(&json!({ "chargeId": id }));
    let first = merchant.live.check(&id).data();
    let e2e = end_to_end_id();
    assert_eq!(
        merchant.pay(&json!({ "chargeId": id, "endToEndId": e2e }))["outcome"],
        "returned"
    );
    assert_eq!(merchant.live.check(&id).data(), first);
    assert_eq!(balance(&merchant.live), 4910);
    assert_returned(&merchant, &id, &e2e);
    assert_eq!(balance(&merchant.live), 4910);
}

fn a_wrong_amount_goes_back(on: Backend) {
    let merchant = merchant(on);
    let id = live_charge(&merchant);
    for amount in [4989, 4991, 1] {
        let e2e = end_to_end_id();
        let notice = json!({ "chargeId": id, "amountCents": amount, "endToEndId": e2e });
        assert_eq!(merchant.pay(&notice)["outcome"], "returned");
        assert_eq!(status(&merchant.live, &id), "PENDING");
        assert_eq!(balance(&merchant.live), 0);
        assert_returned(&merchant, &id, &e2e);
    }
    assert_eq!(
        merchant.pay(&json!({ "chargeId": id, "amountCents": 4990 }))["outcome"],
        "paid"
    );
    assert_eq!(balance(&merchant.live), 4910);
}

fn a_late_payment_goes_back(on: Backend) {
    let merchant = merchant(on);
    let charge = merchant
        .test
        .create(&json!({ "amountCents": 4990, "expiresIn": 3600 }))
        .data();
    let id = text(&charge["id"]);
    merchant.clock("set", &["--advance", "2h"]);
    let e2e = end_to_end_id();
    // At the instant of its end a charge has ended.
    let notice = json!({ "chargeId": id, "endToEndId": e2e, "paidAt": charge["expiresAt"] });
    assert_eq!(merchant.pay(&notice)["outcome"], "returned");
    assert_eq!(status(&merchant.test, &id), "EXPIRED");
    assert_returned(&merchant, &id, &e2e);
    assert_eq!(
        merchant.pay(&json!({ "chargeId": id }))["outcome"],
        "returned"
    );
    assert_eq!(status(&merchant.test, &id), "EXPIRED");
}

fn a_payment_made_in_time_and_told_late_counts(on: Backend) {
    let merchant = merchant(on);
    let charge = merchant
        .test
        .create(&json!({ "amountCents": 4990, "expiresIn": 3600 }))
        .data();
    let id = text(&charge["id"]);
    merchant.clock("set", &["--advance", "2h"]);
    assert_eq!(status(&merchant.test, &id), "EXPIRED");
    let paid_at = before(charge["expiresAt"].as_str().unwrap(), 1);
    assert_eq!(
        merchant.pay(&json!({ "chargeId": id, "paidAt": paid_at }))["outcome"],
        "paid"
    );
    let checked = merchant.test.check(&id).data();
    assert_eq!(checked["status"], "PAID");
    assert_eq!(checked["paidAt"], paid_at);
}

fn a_removed_charge_fails(on: Backend) {
    let merchant = merchant(on);
    let receiver = vintem_tests::receiver::Receiver::start();
    merchant.webhook("live", &receiver.url());
    let id = live_charge(&merchant);
    merchant
        .bank
        .post(
            "/psp/stub/remove",
            &json!({ "chargeId": id, "reason": "conta encerrada" }),
        )
        .data();
    assert_eq!(status(&merchant.live, &id), "FAILED");
    let event = receiver.wait_for_object(&id).json();
    assert_eq!(event["event"], "pixQrCode.failed");
    assert_eq!(event["data"]["status"], "FAILED");
    assert!(
        event["data"]["failureReason"]
            .as_str()
            .unwrap()
            .contains("conta encerrada")
    );
    assert_eq!(event["data"]["paidAt"], Value::Null);
    assert_eq!(
        merchant.pay(&json!({ "chargeId": id }))["outcome"],
        "returned"
    );
    assert_eq!(status(&merchant.live, &id), "FAILED");
    assert_eq!(balance(&merchant.live), 0);
    let paid = live_charge(&merchant);
    merchant.pay(&json!({ "chargeId": paid }));
    let late = merchant.bank.post(
        "/psp/stub/remove",
        &json!({ "chargeId": paid, "reason": "too late" }),
    );
    late.error(409);
    assert_eq!(status(&merchant.live, &paid), "PAID");
}

fn an_outage_answers_502_and_the_same_key_succeeds_later(on: Backend) {
    let site = Site::new(on);
    let server = site.serve();
    let merchant = site.merchant(&server);
    let state = |body: &Value| merchant.bank.post("/psp/stub/state", body).data();
    let body = json!({ "amountCents": 4990 });
    let ask = || merchant.live.post_once("/v1/pixQrCode/create", &body, "k");
    let waiting = live_charge(&merchant);
    state(&json!({ "up": false }));
    let refused = ask();
    refused.error(502);
    let code = refused.header("X-Error-Code").unwrap().to_owned();
    assert_eq!(
        ask().header("X-Error-Code"),
        Some(code.as_str()),
        "a stable code"
    );
    merchant.live.create(&body).error(502);
    merchant
        .live
        .create(&json!({ "amountCents": 1 }))
        .error(400);
    assert_eq!(status(&merchant.live, &waiting), "PENDING");
    assert_eq!(
        merchant
            .live
            .get("/v1/transaction/list")
            .data()
            .as_array()
            .unwrap()
            .len(),
        1,
        "nothing half done"
    );
    state(&json!({ "up": true }));
    let made = ask();
    assert_eq!(made.header("Idempotent-Replayed"), None);
    let charge = made.data();
    assert_eq!(ask().data(), charge);
    assert_eq!(
        merchant
            .live
            .get("/v1/transaction/list")
            .data()
            .as_array()
            .unwrap()
            .len(),
        2
    );
    assert_eq!(
        merchant.pay(&json!({ "brCode": charge["brCode"] }))["outcome"],
        "paid"
    );
    site.verify_ledger();
}

fn a_slow_bank_delays_nobody_who_does_not_need_it(on: Backend) {
    let site = Site::new(on);
    let server = site.serve();
    let merchant = site.merchant(&server);
    let id = live_charge(&merchant);
    merchant
        .bank
        .post("/psp/stub/state", &json!({ "latencyMs": 2000 }))
        .data();
    let begun = Instant::now();
    std::thread::scope(|scope| {
        let creates: Vec<_> = (0..30)
            .map(|_| scope.spawn(|| merchant.live.create(&json!({ "amountCents": 4990 })).status))
            .collect();
        let mut slowest = Duration::ZERO;
        while begun.elapsed() < Duration::from_millis(1800) {
            let asked = Instant::now();
            assert_eq!(status(&merchant.live, &id), "PENDING");
            slowest = slowest.max(asked.elapsed());
        }
        assert!(slowest < Duration::from_secs(1), "a check took {slowest:?}");
        for create in creates {
            let status = create.join().unwrap();
            assert!(matches!(status, 200 | 503), "{status}");
        }
    });
    assert!(
        begun.elapsed() >= Duration::from_secs(2),
        "the bank is slow"
    );
    merchant
        .bank
        .post("/psp/stub/state", &json!({ "latencyMs": 0 }))
        .data();
    let begun = Instant::now();
    merchant.live.charge(4990);
    assert!(begun.elapsed() < Duration::from_secs(2));
}

fn twenty_notices_at_once_count_once(on: Backend) {
    let merchant = merchant(on);
    let id = live_charge(&merchant);
    let e2e = end_to_end_id();
    let outcomes = |notice: &(dyn Fn() -> Value + Sync)| -> Vec<String> {
        std::thread::scope(|scope| {
            let calls: Vec<_> = (0..20)
                .map(|_| scope.spawn(|| text(&merchant.pay(&notice())["outcome"])))
                .collect();
            calls.into_iter().map(|call| call.join().unwrap()).collect()
        })
    };
    let same = outcomes(&|| json!({ "chargeId": id, "endToEndId": e2e }));
    assert_eq!(
        same.iter().filter(|outcome| *outcome == "paid").count(),
        1,
        "{same:?}"
    );
    assert_eq!(
        same.iter().filter(|outcome| *outcome == "already").count(),
        19,
        "{same:?}"
    );
    let other = live_charge(&merchant);
    let different = outcomes(&|| json!({ "chargeId": other, "endToEndId": end_to_end_id() }));
    assert_eq!(
        different
            .iter()
            .filter(|outcome| *outcome == "paid")
            .count(),
        1,
        "{different:?}"
    );
    assert_eq!(
        different
            .iter()
            .filter(|outcome| *outcome == "returned")
            .count(),
        19,
        "{different:?}"
    );
    assert_eq!(balance(&merchant.live), 2 * 4910);
    merchant.site.verify_ledger();
}

fn what_the_bank_was_told_survives_a_crash(on: Backend) {
    let site = Site::new(on);
    let mut server = site.serve();
    let before = site.merchant(&server);
    let id = live_charge(&before);
    before
        .bank
        .post("/psp/stub/state", &json!({ "up": false }))
        .data();
    server.kill();
    let server = site.serve();
    let after = before.at(server.address());
    after
        .live
        .create(&json!({ "amountCents": 4990 }))
        .error(502);
    after
        .bank
        .post("/psp/stub/state", &json!({ "up": true }))
        .data();
    assert_eq!(after.pay(&json!({ "chargeId": id }))["outcome"], "paid");
}

fn the_bank_asks_for_its_secret(on: Backend) {
    let merchant = merchant(on);
    let id = live_charge(&merchant);
    let address = merchant.live.address();
    for client in [
        Client::anonymous(address),
        merchant.live.clone(),
        Client::new(address, "wrong"),
    ] {
        for (path, body) in [
            ("/psp/stub/pix", json!({ "chargeId": id })),
            ("/psp/stub/remove", json!({ "chargeId": id, "reason": "x" })),
            ("/psp/stub/state", json!({ "up": false })),
        ] {
            client.post(path, &body).error(401);
        }
    }
    assert_eq!(status(&merchant.live, &id), "PENDING");
    let printed = merchant.site.print(&["stub", "secret"]);
    assert!(
        printed.contains(vintem_tests::site::STUB_SECRET),
        "{printed}"
    );
}

fn a_malformed_notice_is_refused(on: Backend) {
    let merchant = merchant(on);
    let id = live_charge(&merchant);
    let pix = |body: &Value| merchant.bank.post("/psp/stub/pix", body);
    pix(&json!({})).error(400);
    pix(&json!({ "chargeId": "chg_01ARZ3NDEKTSV4RRFFQ69G5FAV" })).error(404);
    for (field, value) in [
        ("amountCents", json!(0)),
        ("amountCents", json!("4990")),
        ("amountCents", json!(-1)),
        ("endToEndId", json!("E1")),
        ("endToEndId", json!(E2E.replace('E', "D"))),
        ("paidAt", json!("yesterday")),
        ("paidAt", json!(format(now() + 3_600_000))),
    ] {
        let message = pix(&json!({ "chargeId": id, field: value })).error(400);
        assert!(message.contains(field), "{field}: {message}");
    }
    let broken = text(&merchant.live.charge(4990)["brCode"]);
    let broken = format!("{}0000", &broken[..broken.len() - 4]);
    assert!(matches!(
        pix(&json!({ "brCode": broken })).status,
        400 | 404
    ));
    merchant
        .bank
        .request("POST", "/psp/stub/pix")
        .json_text("{")
        .send()
        .error(400);
    merchant.bank.get("/psp/stub/pix").error(405);
    merchant
        .bank
        .post("/psp/stub/nothing", &json!({}))
        .error(404);
    assert_eq!(status(&merchant.live, &id), "PENDING");
}

fn the_operator_speaks_for_the_bank(on: Backend) {
    let merchant = merchant(on);
    let url = format!("http://{}", merchant.live.address());
    let id = live_charge(&merchant);
    let told = merchant
        .site
        .operate(&["stub", "pay", "--charge", &id, "--url", &url]);
    assert_eq!(told["outcome"], "paid");
    assert_eq!(status(&merchant.live, &id), "PAID");
    let other = live_charge(&merchant);
    merchant.site.print(&[
        "stub", "remove", "--charge", &other, "--reason", "x", "--url", &url,
    ]);
    assert_eq!(status(&merchant.live, &other), "FAILED");
    let unknown = merchant.site.run(&[
        "stub",
        "pay",
        "--charge",
        "chg_01ARZ3NDEKTSV4RRFFQ69G5FAV",
        "--url",
        &url,
    ]);
    assert_eq!(unknown.status.code(), Some(1));
}
