//! Withdrawals: every ending, and what concurrency must not do.

use std::sync::atomic::{AtomicBool, Ordering};

use serde_json::{Value, json};
use vintem_tests::Backend;
use vintem_tests::client::Client;
use vintem_tests::merchant::{Merchant, text};
use vintem_tests::receiver::Receiver;
use vintem_tests::site::Site;
use vintem_tests::wait;

use super::{funded, settles, status, withdraw};
use crate::database::{bare, sql};

vintem_tests::on_both!(
    every_ending_is_told_once_and_the_money_is_where_it_belongs,
    a_bank_that_is_down_means_that_nothing_is_written,
    a_bank_that_goes_down_later_is_asked_until_it_answers,
    fifty_at_once_never_overdraw,
    however_often_the_bank_is_asked_a_withdrawal_ends_once,
);

/// What the books know of a payout, oldest first: the kinds of its entries.
pub(super) fn entries(site: &Site, payout: &str) -> String {
    let reference = bare(payout);
    let rows = sql(
        site,
        &format!(
            "SELECT kind FROM ledger_entries WHERE reference = '{reference}' ORDER BY sequence"
        ),
    );
    rows.lines().collect::<Vec<_>>().join(" ")
}

/// How many events tell of an object.
pub(super) fn events(site: &Site, object: &str) -> String {
    let object = bare(object);
    sql(
        site,
        &format!("SELECT count(*) FROM events WHERE object = '{object}'"),
    )
}

fn available(client: &Client) -> i64 {
    let store = client.store();
    assert_eq!(store["balance"], store["available"]);
    store["available"].as_i64().unwrap()
}

fn state(merchant: &Merchant<'_>, change: &Value) {
    merchant.bank.post("/psp/stub/state", change).data();
}

fn every_ending_is_told_once_and_the_money_is_where_it_belongs(on: Backend) {
    let site = Site::new(on);
    let server = site.serve();
    let merchant = site.merchant(&server);
    let receiver = Receiver::start();
    merchant.webhook("live", &receiver.url());
    funded(&merchant, 50_000);
    let mut left = 50_000;
    // The last one ends in 13 centavos: the bank that times out never received it.
    for (mode, amount, end, reason) in [
        ("settle", 4_000, "PAID", None),
        ("fail", 5_000, "FAILED", Some("refused by the play bank")),
        ("unknown", 6_000, "PAID", None),
        (
            "unknown",
            7_013,
            "FAILED",
            Some("the provider never received it"),
        ),
    ] {
        state(&merchant, &json!({ "withdrawals": mode }));
        let id = withdraw(&merchant, amount);
        assert_eq!(available(&merchant.live), left - amount, "{mode} {amount}");
        settles(&merchant, "live", &id, end);
        if end == "PAID" {
            left -= amount;
        }
        assert_eq!(available(&merchant.live), left, "{mode} {amount}");
        let event = receiver.wait_for_object(&id).json();
        let data = &event["data"];
        assert_eq!(data["status"], end);
        assert_eq!(data["failureReason"].as_str(), reason);
        assert_eq!(data["amount"], amount);
        assert_eq!(data["netAmount"], amount - 100);
        assert_eq!(data["kind"], "withdraw");
        if end == "PAID" {
            assert_eq!(event["event"], "withdraw.done");
            assert_eq!(data["payer"]["name"], "Café do João");
            crate::charge::assert_end_to_end_id(&data["endToEndId"]);
            assert_eq!(entries(&site, &id), "payout_debited payout_settled");
        } else {
            assert_eq!(event["event"], "withdraw.failed");
            assert_eq!(data["endToEndId"], Value::Null);
            assert_eq!(entries(&site, &id), "payout_debited payout_refunded");
        }
        assert_eq!(events(&site, &id), "1");
    }
    site.verify_ledger();
}

fn a_bank_that_is_down_means_that_nothing_is_written(on: Backend) {
    let site = Site::new(on);
    let server = site.serve();
    let merchant = site.merchant(&server);
    funded(&merchant, 10_000);
    let written = || {
        let tables = ["payouts", "idempotency_records", "ledger_entries", "events"];
        tables.map(|table| sql(&site, &format!("SELECT count(*) FROM {table}")))
    };
    let before = written();
    state(&merchant, &json!({ "up": false }));
    let body = json!({ "amountCents": 4_000, "pixKey": "bia@example.com" });
    let refused = merchant.live.post_once("/v1/withdraw/create", &body, "w-1");
    refused.error(502);
    assert_eq!(refused.header("X-Error-Code"), Some("provider_down"));
    assert_eq!(written(), before);
    assert_eq!(available(&merchant.live), 10_000);
    state(&merchant, &json!({ "up": true }));
    let made = merchant.live.post_once("/v1/withdraw/create", &body, "w-1");
    let id = text(&made.data()["id"]);
    settles(&merchant, "live", &id, "PAID");
    let again = merchant.live.post_once("/v1/withdraw/create", &body, "w-1");
    assert_eq!(again.header("Idempotent-Replayed"), Some("true"));
    assert_eq!(again.data(), made.data());
    assert_eq!(available(&merchant.live), 6_000);
    site.verify_ledger();
}

fn a_bank_that_goes_down_later_is_asked_until_it_answers(on: Backend) {
    let site = Site::new(on);
    let server = site.serve();
    let merchant = site.merchant(&server);
    funded(&merchant, 10_000);
    // It says whose the key is, and dies before it says what became of the money.
    let id = withdraw(&merchant, 4_000);
    state(&merchant, &json!({ "up": false }));
    let tries = format!("SELECT tries FROM payouts WHERE id = '{}'", bare(&id));
    wait::until("the bank was asked in vain", wait::SOON, || {
        let tries: i64 = sql(&site, &tries).parse().unwrap();
        (tries >= 2).then_some(())
    });
    assert_eq!(status(&merchant, "live", &id), "PENDING");
    assert_eq!(available(&merchant.live), 6_000);
    state(&merchant, &json!({ "up": true }));
    settles(&merchant, "live", &id, "PAID");
    assert_eq!(entries(&site, &id), "payout_debited payout_settled");
    assert_eq!(events(&site, &id), "1");
    site.verify_ledger();
}

fn fifty_at_once_never_overdraw(on: Backend) {
    let site = Site::new(on);
    let server = site.serve();
    let merchant = site.merchant(&server);
    funded(&merchant, 10_000);
    let body = json!({ "amountCents": 1_000, "pixKey": "bia@example.com" });
    let over = AtomicBool::new(false);
    let made: Vec<String> = std::thread::scope(|scope| {
        let watcher = scope.spawn(|| {
            while !over.load(Ordering::SeqCst) {
                assert!(available(&merchant.live) >= 0);
            }
        });
        let calls: Vec<_> = (0..50)
            .map(|_| scope.spawn(|| merchant.live.post("/v1/withdraw/create", &body)))
            .collect();
        let answers: Vec<_> = calls.into_iter().map(|call| call.join().unwrap()).collect();
        over.store(true, Ordering::SeqCst);
        watcher.join().unwrap();
        let (made, refused): (Vec<_>, Vec<_>) =
            answers.into_iter().partition(|answer| answer.status == 200);
        for answer in &refused {
            assert_eq!(answer.error(400), "insufficient balance");
        }
        made.iter()
            .map(|answer| text(&answer.data()["id"]))
            .collect()
    });
    assert_eq!(made.len(), 10);
    assert_eq!(available(&merchant.live), 0);
    for id in &made {
        settles(&merchant, "live", id, "PAID");
    }
    assert_eq!(available(&merchant.live), 0);
    assert_eq!(sql(&site, "SELECT count(*) FROM payouts"), "10");
    site.verify_ledger();
}

fn however_often_the_bank_is_asked_a_withdrawal_ends_once(on: Backend) {
    let site = Site::new(on);
    let servers: Vec<_> = match on {
        Backend::Sqlite => vec![site.serve()],
        Backend::Postgres => vec![site.serve(), site.serve()],
    };
    let merchant = site.merchant(&servers[0]);
    funded(&merchant, 20_000);
    let mut expected = Vec::new();
    for (mode, end) in [("settle", "PAID"), ("fail", "FAILED")] {
        state(&merchant, &json!({ "withdrawals": mode }));
        for _ in 0..4 {
            let id = withdraw(&merchant, 1_000);
            wait::until("the bank has it", wait::SOON, || {
                let phase = format!("SELECT phase FROM payouts WHERE id = '{}'", bare(&id));
                (sql(&site, &phase) != "unsent").then_some(())
            });
            expected.push((id, end));
        }
    }
    // Every worker asks again and again, leases or not, until the last has ended.
    wait::until("all have ended", wait::SOON, || {
        sql(
            &site,
            "UPDATE payouts SET due_at = 0 WHERE status = 'pending' AND phase = 'sent'",
        );
        let pending = sql(
            &site,
            "SELECT count(*) FROM payouts WHERE status = 'pending'",
        );
        (pending == "0").then_some(())
    });
    for (id, end) in &expected {
        assert_eq!(status(&merchant, "live", id), *end);
        assert_eq!(events(&site, id), "1");
        let last = if *end == "PAID" {
            "settled"
        } else {
            "refunded"
        };
        assert_eq!(entries(&site, id), format!("payout_debited payout_{last}"));
    }
    assert_eq!(available(&merchant.live), 16_000);
    site.verify_ledger();
}
