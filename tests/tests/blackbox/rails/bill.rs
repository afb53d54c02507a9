//! Third-party boletos and taxes: every ending, payment hours, and each title paid exactly once.

use serde_json::{Value, json};
use vintem_tests::Backend;
use vintem_tests::client::{Client, Response};
use vintem_tests::merchant::{Merchant, text};
use vintem_tests::receiver::Receiver;
use vintem_tests::server::Server;
use vintem_tests::site::Site;

use super::withdrawal::{entries, events};
use super::{TITLE, in_payment_hours, settles, title};
use crate::database::sql;

vintem_tests::on_both!(
    every_ending_is_told_once_and_value_and_fee_come_back,
    a_bank_that_is_down_means_that_no_title_is_taken,
    one_title_is_paid_once_whoever_calls,
    payment_hours_say_when_they_begin_again,
);

/// What a sandbox opens with.
const PLAY_MONEY: i64 = 10_000_000;
/// A water bill of R$ 24,61.
const WATER: &str = "846100000005246100291102005460339004695895061080";

#[track_caller]
fn quote(client: &Client, barcode: &str) -> Value {
    client
        .post("/v1/boleto/query", &json!({ "barcode": barcode }))
        .data()
}

fn pay(client: &Client, quote: &Value, external_id: &str) -> Response {
    let body = json!({ "quoteId": quote["quoteId"], "externalId": external_id });
    client.post("/v1/boleto/pay", &body)
}

fn available(client: &Client) -> i64 {
    client.store()["available"].as_i64().unwrap()
}

fn state(merchant: &Merchant<'_>, change: &Value) {
    merchant.bank.post("/psp/stub/state", change).data();
}

fn every_ending_is_told_once_and_value_and_fee_come_back(on: Backend) {
    let site = Site::new(on);
    let server = site.serve();
    let merchant = site.merchant(&server);
    let receiver = Receiver::start();
    merchant.webhook("test", &receiver.url());
    in_payment_hours(&merchant);
    let mut left = PLAY_MONEY;
    // Amounts that end in 13 centavos: the bank that times out never received them, and the sandbox fails them.
    for (mode, amount, end, reason) in [
        ("settle", 10_000, "PAID", None),
        ("settle", 10_013, "FAILED", Some("refused by the play bank")),
        ("fail", 20_000, "FAILED", Some("refused by the play bank")),
        ("unknown", 30_000, "PAID", None),
        (
            "unknown",
            30_013,
            "FAILED",
            Some("the provider never received it"),
        ),
    ] {
        state(&merchant, &json!({ "bills": mode }));
        let quoted = quote(&merchant.test, &title(amount));
        let paid = pay(&merchant.test, &quoted, &format!("{mode}-{amount}")).data();
        let (id, debit) = (text(&paid["id"]), amount + 150);
        assert_eq!(paid["totalDebitCents"], debit);
        assert_eq!(available(&merchant.test), left - debit, "{mode} {amount}");
        settles(&merchant, "test", &id, end);
        if end == "PAID" {
            left -= debit;
        }
        assert_eq!(available(&merchant.test), left, "{mode} {amount}");
        let event = receiver.wait_for_object(&id).json();
        let data = &event["data"];
        assert_eq!(data["status"], end);
        assert_eq!(data["failureReason"].as_str(), reason);
        assert_eq!(data["kind"], "boletoPayment");
        assert_eq!(
            (&data["amount"], &data["netAmount"]),
            (&json!(amount), &json!(amount))
        );
        assert_eq!(data["endToEndId"].is_null(), end == "FAILED");
        let last = if end == "PAID" { "settled" } else { "refunded" };
        assert_eq!(entries(&site, &id), format!("payout_debited payout_{last}"));
        assert_eq!(events(&site, &id), "1");
        // A title that was paid stays paid; one whose payment failed may be paid again, under a new name.
        state(&merchant, &json!({ "bills": "settle" }));
        let again = quote(&merchant.test, &title(amount));
        let named = pay(&merchant.test, &again, &format!("{mode}-{amount}"));
        assert_eq!(named.data()["id"], paid["id"], "a name is kept for ever");
        let second = pay(&merchant.test, &again, &format!("again-{mode}-{amount}"));
        if end == "PAID" {
            second.error(409);
        } else {
            let id = text(&second.data()["id"]);
            let end = if amount % 100 == 13 { "FAILED" } else { "PAID" };
            settles(&merchant, "test", &id, end);
            left = available(&merchant.test);
        }
    }
    site.verify_ledger();
}

fn a_bank_that_is_down_means_that_no_title_is_taken(on: Backend) {
    let site = Site::new(on);
    let server = site.serve();
    let merchant = site.merchant(&server);
    in_payment_hours(&merchant);
    let quoted = quote(&merchant.test, TITLE);
    let tables = [
        "payouts",
        "bill_titles",
        "idempotency_records",
        "ledger_entries",
        "quotes",
    ];
    let written = || tables.map(|table| sql(&site, &format!("SELECT count(*) FROM {table}")));
    let before = written();
    state(&merchant, &json!({ "up": false }));
    let body = json!({ "barcode": TITLE });
    merchant.test.post("/v1/boleto/query", &body).error(502);
    let refused = pay(&merchant.test, &quoted, "bill-1");
    refused.error(502);
    assert_eq!(refused.header("X-Error-Code"), Some("provider_down"));
    assert_eq!(written(), before);
    assert_eq!(available(&merchant.test), PLAY_MONEY);
    state(&merchant, &json!({ "up": true }));
    let id = text(&pay(&merchant.test, &quoted, "bill-1").data()["id"]);
    settles(&merchant, "test", &id, "PAID");
    site.verify_ledger();
}

/// Twenty callers at once, one after the other at each of the servers.
fn twenty(
    merchant: &Merchant<'_>,
    servers: &[Server],
    quoted: &Value,
    name: impl Fn(usize) -> String + Sync,
) -> Vec<Response> {
    std::thread::scope(|scope| {
        let calls: Vec<_> = (0..20)
            .map(|index| {
                let client = merchant.test.at(servers[index % servers.len()].address());
                let name = &name;
                scope.spawn(move || pay(&client, quoted, &name(index)))
            })
            .collect();
        calls.into_iter().map(|call| call.join().unwrap()).collect()
    })
}

fn one_title_is_paid_once_whoever_calls(on: Backend) {
    let site = Site::new(on);
    let servers: Vec<_> = match on {
        Backend::Sqlite => vec![site.serve()],
        Backend::Postgres => vec![site.serve(), site.serve()],
    };
    let merchant = site.merchant(&servers[0]);
    in_payment_hours(&merchant);
    // Each under a name of its own: one pays, the others hear that it is being paid.
    let quoted = quote(&merchant.test, &title(12_345));
    let answers = twenty(&merchant, &servers, &quoted, |index| {
        format!("caller-{index}")
    });
    let (paid, refused): (Vec<_>, Vec<_>) =
        answers.into_iter().partition(|answer| answer.status == 200);
    assert_eq!((paid.len(), refused.len()), (1, 19));
    for answer in &refused {
        answer.error(409);
        assert_eq!(answer.header("X-Error-Code"), Some("title_taken"));
    }
    assert_eq!(available(&merchant.test), PLAY_MONEY - 12_495);
    // All under one name: all hear of the same payment.
    let quoted = quote(&merchant.test, &title(20_000));
    let answers = twenty(&merchant, &servers, &quoted, |_| "one".to_owned());
    let mut ids: Vec<String> = answers
        .iter()
        .map(|answer| text(&answer.data()["id"]))
        .collect();
    ids.dedup();
    assert_eq!(ids.len(), 1, "{ids:?}");
    let left = PLAY_MONEY - 12_495 - 20_150;
    assert_eq!(available(&merchant.test), left);
    ids.push(text(&paid[0].data()["id"]));
    for id in &ids {
        settles(&merchant, "test", id, "PAID");
        assert_eq!(entries(&site, id), "payout_debited payout_settled");
        assert_eq!(events(&site, id), "1");
    }
    assert_eq!(available(&merchant.test), left);
    assert_eq!(sql(&site, "SELECT count(*) FROM payouts"), "2");
    site.verify_ledger();
}

fn payment_hours_say_when_they_begin_again(on: Backend) {
    let site = Site::new(on);
    let server = site.serve();
    let merchant = site.merchant(&server);
    // São Paulo is three hours behind UTC. Friday, March 26 is Good Friday.
    let next_day = "2032-03-25T03:00:00.000Z";
    let monday = "2032-03-29T03:00:00.000Z";
    for (now, code, closed, reopens) in [
        ("2032-03-24T20:59:00.000Z", WATER, None, next_day),
        (
            "2032-03-24T21:00:00.000Z",
            WATER,
            Some("after 18:00 in Sao Paulo"),
            next_day,
        ),
        ("2032-03-25T00:59:00.000Z", TITLE, None, next_day),
        (
            "2032-03-25T01:00:00.000Z",
            TITLE,
            Some("after 22:00 in Sao Paulo"),
            next_day,
        ),
        (
            "2032-03-26T03:00:00.000Z",
            TITLE,
            Some("on the bank holiday Sexta-feira da Paixão"),
            monday,
        ),
        (
            "2032-03-27T15:00:00.000Z",
            WATER,
            Some("at weekends"),
            monday,
        ),
    ] {
        merchant.clock("set", &["--to", now]);
        let quoted = quote(&merchant.test, code);
        let window = &quoted["paymentWindow"];
        assert_eq!(window["open"], closed.is_none(), "{now} {code}");
        let Some(closed) = closed else {
            assert_eq!(window.get("reason"), None);
            continue;
        };
        let says = format!("closed {closed}; reopens at {reopens}");
        assert_eq!(window["reason"], says);
        let answer = pay(&merchant.test, &quoted, now);
        let says = format!("outside payment hours; they begin again at {reopens}");
        assert_eq!(answer.error(400), says);
        assert_eq!(answer.header("X-Error-Code"), Some("outside_payment_hours"));
        assert_eq!(available(&merchant.test), PLAY_MONEY, "nothing is debited");
    }
    // At that very moment they have begun again.
    merchant.clock("set", &["--to", monday]);
    for code in [WATER, TITLE] {
        let quoted = quote(&merchant.test, code);
        assert_eq!(quoted["paymentWindow"], json!({ "open": true }));
        pay(&merchant.test, &quoted, code).data();
    }
    site.verify_ledger();
}
