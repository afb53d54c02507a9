//! Withdrawals and third-party payments: docs/withdrawals.md and docs/bills.md.

use serde_json::{Value, json};
use vintem_tests::Backend;
use vintem_tests::merchant::{Merchant, text};
use vintem_tests::site::Site;
use vintem_tests::wait;

use super::{Outcome, check, check_entries, since, story};
use crate::rails::{funded, in_payment_hours, title};

const MADE: [&str; 2] = [
    "It is made with `withdraw/create`.",
    "It is paid with `boleto/pay`.",
];
const SETTLES: &str = "The bank settles it.";
const REFUSES: &str = "The bank refuses it.";
const TIMES_OUT: &str = "The call times out; the bank has it.";
const IS_LOST: &str = "The call times out; the bank never got it.";
const IS_DOWN: &str = "The bank is down.";

/// Makes a payout of so many centavos and returns its id.
type Make<'a> = &'a dyn Fn(i64) -> String;

/// What the bank is told, for a payout of how many centavos, and how it ends.
fn fate(what: &str) -> (&'static str, i64, &'static str) {
    match what {
        SETTLES => ("settle", 10_000, "PAID"),
        REFUSES => ("fail", 10_000, "FAILED"),
        TIMES_OUT => ("unknown", 10_000, "PAID"),
        IS_LOST => ("unknown", 10_013, "FAILED"),
        IS_DOWN => ("settle", 10_000, "PENDING"),
        made if MADE.contains(&made) => ("settle", 10_000, "PENDING"),
        other => panic!("what is {other}?"),
    }
}

/// The story as it is at the making of a payout: one posting, and nothing told.
fn at_first(story: &Value) -> Value {
    let mut first = story.clone();
    first["postings"] = json!([story["postings"][0]]);
    first["events"] = json!([]);
    first
}

fn drive(merchant: &Merchant<'_>, page: &str, what: &str, make: Make<'_>) -> Outcome {
    let (mode, centavos, end) = fate(what);
    let state = |change: Value| {
        merchant.bank.post("/psp/stub/state", &change).data();
    };
    // What shall not have ended when we look is in the hands of a slow bank.
    let latency = if end == "PENDING" { 1_000 } else { 0 };
    state(json!({ "up": true, "latencyMs": latency, "withdrawals": mode, "bills": mode }));
    let id = make(centavos);
    let look = || story(merchant.site, "payout", &id);
    if MADE.contains(&what) {
        let after = at_first(&look());
        assert_eq!(after["postings"][0]["kind"], "payout_debited");
        return since(&json!({}), &after);
    }
    let tries_before = if what == IS_DOWN {
        state(json!({ "up": false, "latencyMs": 0 }));
        look()["tries"].as_i64().unwrap()
    } else {
        0
    };
    let after = wait::until(&format!("{what} {end}"), wait::SOON, || {
        let story = look();
        let asked_in_vain = story["tries"].as_i64().unwrap() > tries_before + 1;
        let over = story["status"] == end && (what != IS_DOWN || asked_in_vain);
        over.then_some(story)
    });
    let amount = |name: &str| after[name].as_i64().unwrap();
    let amounts = [
        ("net", amount("netAmount")),
        ("fee", amount("fee")),
        ("debit", amount("debit")),
    ];
    check_entries(page, &after, &amounts);
    since(&at_first(&after), &after)
}

fn known(made: &'static str) -> [(&'static str, &'static str); 6] {
    [
        ("", made),
        ("PENDING", SETTLES),
        ("PENDING", REFUSES),
        ("PENDING", TIMES_OUT),
        ("PENDING", IS_LOST),
        ("PENDING", IS_DOWN),
    ]
}

#[test]
fn a_withdrawal_goes_as_its_page_says() {
    let site = Site::new(Backend::Sqlite);
    let server = site.serve();
    let merchant = site.merchant(&server);
    funded(&merchant, 100_000);
    let make = |centavos| {
        let body = json!({ "amountCents": centavos, "pixKey": "bia@example.com" });
        let made = merchant.live.post("/v1/withdraw/create", &body).data();
        text(&made["id"])
    };
    let page = "docs/withdrawals.md";
    check(page, &known(MADE[0]), |_, what| {
        drive(&merchant, page, what, &make)
    });
}

#[test]
fn a_bill_goes_as_its_page_says() {
    let site = Site::new(Backend::Sqlite);
    let server = site.serve();
    let merchant = site.merchant(&server);
    in_payment_hours(&merchant);
    let paid = std::cell::Cell::new(0);
    let make = |centavos: i64| {
        // Each title is paid once: another amount, the same last two digits.
        paid.set(paid.get() + 1);
        let barcode = title(centavos + 100 * paid.get());
        let quote = json!({ "barcode": barcode });
        let quote = merchant.test.post("/v1/boleto/query", &quote).data();
        let body = json!({ "quoteId": quote["quoteId"], "externalId": barcode });
        text(&merchant.test.post("/v1/boleto/pay", &body).data()["id"])
    };
    let page = "docs/bills.md";
    check(page, &known(MADE[1]), |_, what| {
        drive(&merchant, page, what, &make)
    });
}
