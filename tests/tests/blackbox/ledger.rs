//! `vintem ledger verify` and `vintem charge show`: the books and the story of a charge.

use serde_json::{Value, json};
use vintem_tests::Backend;
use vintem_tests::merchant::{Merchant, text};
use vintem_tests::site::Site;
use vintem_tests::wait;

use crate::database::{bare, sql, try_sql};

vintem_tests::on_both!(
    the_ledger_verifies_after_all_kinds_of_payments,
    a_changed_entry_is_found,
    a_missing_entry_is_found,
    a_wrong_projection_is_found,
    an_object_that_is_not_what_was_recorded_is_found,
    rows_that_cannot_be_read_are_named_beside_the_others,
    an_unbalanced_entry_cannot_be_written,
    entries_cannot_be_changed_or_removed,
    a_charge_tells_its_story,
);

fn paid(merchant: &Merchant, amount: i64) -> String {
    let id = text(&merchant.live.charge(amount)["id"]);
    merchant.pay(&json!({ "chargeId": id }));
    id
}

/// An installation with three paid charges, one second and one wrong payment.
fn with_payments(on: Backend) -> (Site, String) {
    let site = Site::new(on);
    let server = site.serve();
    let merchant = site.merchant(&server);
    let id = paid(&merchant, 1000);
    paid(&merchant, 2000);
    paid(&merchant, 3000);
    merchant.pay(&json!({ "chargeId": id }));
    let open = text(&merchant.live.charge(4000)["id"]);
    merchant.pay(&json!({ "chargeId": open, "amountCents": 1 }));
    let account = merchant.account.clone();
    drop(server);
    (site, account)
}

/// `ledger verify` fails with a report that names the account.
#[track_caller]
fn assert_found(site: &Site, account: &str) -> String {
    let output = site.run(&["ledger", "verify"]);
    assert_eq!(output.status.code(), Some(1), "a fault is found");
    let report =
        String::from_utf8(output.stdout).unwrap() + &String::from_utf8(output.stderr).unwrap();
    assert!(
        report.contains(bare(account)),
        "the report names the account: {report}"
    );
    report
}

/// Lets a table be tampered with, as somebody with the database's password could.
fn unlock(site: &Site, table: &str) {
    if site.database().is_some() {
        sql(site, &format!("ALTER TABLE {table} DISABLE TRIGGER USER"));
        return;
    }
    for trigger in sql(
        site,
        &format!("SELECT name FROM sqlite_master WHERE type = 'trigger' AND tbl_name = '{table}'"),
    )
    .lines()
    {
        sql(site, &format!("DROP TRIGGER {trigger}"));
    }
}

fn the_ledger_verifies_after_all_kinds_of_payments(on: Backend) {
    let (site, _) = with_payments(on);
    site.verify_ledger();
}

fn a_changed_entry_is_found(on: Backend) {
    let (site, account) = with_payments(on);
    unlock(&site, "ledger_entries");
    // Balanced, and moved between two entries so that every sum stays right: only the chain can tell.
    sql(
        &site,
        "UPDATE ledger_entries SET available = available + 1, clearing = clearing - 1 WHERE environment = 'live' AND sequence = 1",
    );
    sql(
        &site,
        "UPDATE ledger_entries SET available = available - 1, clearing = clearing + 1 WHERE environment = 'live' AND sequence = 2",
    );
    let report = assert_found(&site, &account);
    assert!(report.contains('1'), "the report names the row: {report}");
}

fn a_missing_entry_is_found(on: Backend) {
    let (site, account) = with_payments(on);
    unlock(&site, "ledger_entries");
    sql(
        &site,
        "DELETE FROM ledger_entries WHERE environment = 'live' AND sequence = 2",
    );
    assert_found(&site, &account);
}

fn a_wrong_projection_is_found(on: Backend) {
    let (site, account) = with_payments(on);
    sql(
        &site,
        "UPDATE heads SET balance = balance + 100, available = available + 100 WHERE environment = 'live'",
    );
    assert_found(&site, &account);
}

/// What somebody changes, how it is put right again, and what the report must say.
const CHANGES: [(&str, &str, &str); 12] = [
    (
        "UPDATE heads SET available = available - 1 WHERE environment = 'live'",
        "UPDATE heads SET available = available + 1 WHERE environment = 'live'",
        "has available",
    ),
    (
        "UPDATE charges SET status = 'paid', paid_at = 1, end_to_end_id = 'E1' WHERE amount = 4000",
        "UPDATE charges SET status = 'pending', paid_at = NULL, end_to_end_id = NULL WHERE amount = 4000",
        "is PAID of 4000, net 3920, but what was posted for it is payment_held",
    ),
    (
        "UPDATE charges SET status = 'pending', paid_at = NULL, end_to_end_id = NULL WHERE amount = 2000",
        "UPDATE charges SET status = 'paid', paid_at = (SELECT paid_at FROM receipts WHERE charge = charges.id), \
         end_to_end_id = (SELECT end_to_end_id FROM receipts WHERE charge = charges.id) WHERE amount = 2000",
        "is PENDING of 2000, net 1920, but what was posted for it is charge_paid",
    ),
    (
        "UPDATE charges SET amount = 2001 WHERE amount = 2000",
        "UPDATE charges SET amount = 2000 WHERE amount = 2001",
        "is PAID of 2001, net 1920",
    ),
    (
        "UPDATE charges SET net_amount = 1919 WHERE amount = 2000",
        "UPDATE charges SET net_amount = 1920 WHERE amount = 2000",
        "is PAID of 2000, net 1919",
    ),
    (
        "UPDATE charges SET end_to_end_id = 'E1' WHERE amount = 2000",
        "UPDATE charges SET end_to_end_id = (SELECT end_to_end_id FROM receipts WHERE charge = charges.id) \
         WHERE amount = 2000",
        "is PAID, but 0 payments are kept that settled it",
    ),
    (
        "UPDATE charges SET account = '01ARZ3NDEKTSV4RRFFQ69G5FAV' WHERE amount = 2000",
        "UPDATE charges SET account = (SELECT account FROM receipts WHERE charge = charges.id) WHERE amount = 2000",
        "which is not there",
    ),
    (
        "UPDATE receipts SET amount = 2001 WHERE amount = 2000",
        "UPDATE receipts SET amount = 2000 WHERE amount = 2001",
        "but that is PAID of 2000",
    ),
    (
        "UPDATE returns SET amount = 2 WHERE amount = 1",
        "UPDATE returns SET amount = 1 WHERE amount = 2",
        "which was not kept for that",
    ),
    (
        "UPDATE payouts SET net_amount = net_amount - 1",
        "UPDATE payouts SET net_amount = net_amount + 1",
        "is PAID of 399, fee 100",
    ),
    (
        "UPDATE refunds SET amount = 301",
        "UPDATE refunds SET amount = 300",
        "is PAID of 301",
    ),
    (
        "UPDATE events SET body = replace(body, '\"amount\":2000', '\"amount\":2001')",
        "UPDATE events SET body = replace(body, '\"amount\":2001', '\"amount\":2000')",
        "its body differs in data.amount",
    ),
];

fn an_object_that_is_not_what_was_recorded_is_found(on: Backend) {
    let site = Site::new(on);
    let server = site.serve();
    let merchant = site.merchant(&server);
    let id = paid(&merchant, 2000);
    let open = text(&merchant.live.charge(4000)["id"]);
    merchant.pay(&json!({ "chargeId": open, "amountCents": 1 }));
    let body = json!({ "amountCents": 500, "pixKey": "bia@example.com" });
    merchant.live.post("/v1/withdraw/create", &body).data();
    site.operate(&["charge", "refund", "--id", &id, "--amount", "300"]);
    wait::until("the money is out", wait::SOON, || {
        let under_way = "SELECT (SELECT count(*) FROM payouts WHERE status = 'pending') \
                         + (SELECT count(*) FROM refunds WHERE status = 'pending')";
        (sql(&site, under_way) == "0").then_some(())
    });
    let account = merchant.account.clone();
    drop(server);
    site.verify_ledger();
    unlock(&site, "events");
    for (change, back, words) in CHANGES {
        sql(&site, change);
        let report = assert_found(&site, &account);
        assert!(report.contains(words), "{change}: {report}");
        sql(&site, back);
    }
    site.verify_ledger();
}

/// Takes all rules off the tables of the ledger, as somebody with the database's password could.
fn loosen(site: &Site) {
    for table in ["heads", "ledger_entries"] {
        sql(
            site,
            &format!("CREATE TABLE loose AS SELECT * FROM {table}"),
        );
        sql(site, &format!("DROP TABLE {table}"));
        sql(site, &format!("ALTER TABLE loose RENAME TO {table}"));
    }
}

fn rows_that_cannot_be_read_are_named_beside_the_others(on: Backend) {
    let (site, account) = with_payments(on);
    loosen(&site);
    for (sequence, damage) in [
        (1, "hash = NULL"),
        (2, "kind = 'garbled'"),
        (4, "available = NULL"),
    ] {
        sql(
            &site,
            &format!(
                "UPDATE ledger_entries SET {damage} WHERE environment = 'live' AND sequence = {sequence}"
            ),
        );
    }
    let output = site.run(&["ledger", "verify"]);
    assert_eq!(output.status.code(), Some(1));
    let report: Value = serde_json::from_slice(&output.stdout).unwrap();
    let fault = |entry: &str, wrong: &str| json!({ "account": account, "mode": "live", "row": entry, "wrong": format!("cannot be read: {wrong}") });
    assert_eq!(
        report["faults"],
        json!([
            fault("entry 1", "hash"),
            fault("entry 2", "kind"),
            fault("entry 4", "available"),
        ])
    );
    assert_eq!(report["ok"], false);
    assert_eq!(report["ledgers"], 2);
    // A seal of the wrong length, in an entry and in the head.
    let seal = if site.database().is_some() {
        "'\\x00'"
    } else {
        "x'00'"
    };
    sql(
        &site,
        &format!(
            "UPDATE ledger_entries SET hash = {seal} WHERE environment = 'live' AND sequence = 3"
        ),
    );
    sql(
        &site,
        &format!("UPDATE heads SET ledger_hash = {seal} WHERE environment = 'live'"),
    );
    let report = assert_found(&site, &account);
    for part in [
        "entry 3",
        r#""row":"head","wrong":"cannot be read: digest""#,
    ] {
        assert!(report.contains(part), "{part} is missing: {report}");
    }
}

/// Runs SQL that the database must refuse.
#[track_caller]
fn assert_refused(site: &Site, statement: &str) {
    let refused = try_sql(site, statement);
    assert!(refused.is_err(), "the database lets it happen: {statement}");
}

fn an_unbalanced_entry_cannot_be_written(on: Backend) {
    let (site, _) = with_payments(on);
    unlock(&site, "ledger_entries");
    assert_refused(
        &site,
        "UPDATE ledger_entries SET available = available + 1 WHERE environment = 'live' AND sequence = 1",
    );
    assert_refused(
        &site,
        "UPDATE heads SET available = -1 WHERE environment = 'live'",
    );
    site.verify_ledger();
}

fn entries_cannot_be_changed_or_removed(on: Backend) {
    let (site, _) = with_payments(on);
    assert_refused(
        &site,
        "UPDATE ledger_entries SET available = available + 1, clearing = clearing - 1",
    );
    assert_refused(&site, "DELETE FROM ledger_entries");
    site.verify_ledger();
}

fn a_charge_tells_its_story(on: Backend) {
    let site = Site::new(on);
    let server = site.serve();
    let merchant = site.merchant(&server);
    let receiver = vintem_tests::receiver::Receiver::start();
    merchant.webhook("live", &receiver.url());
    let id = text(
        &merchant
            .live
            .create(&json!({ "amountCents": 4990, "customer": { "taxId": "52998224725" } }))
            .data()["id"],
    );
    let e2e = text(&merchant.pay(&json!({ "chargeId": id }))["endToEndId"]);
    let second = text(&merchant.pay(&json!({ "chargeId": id }))["endToEndId"]);
    let event = receiver.wait_for(1)[0].event_id();
    let story = site.print(&["charge", "show", "--id", &id]);
    for part in [&id, "PAID", &e2e, &second, &event, "4990", "4910"] {
        assert!(story.contains(part), "{part} is missing: {story}");
    }
    assert_eq!(
        site.run(&["charge", "show", "--id", "chg_01ARZ3NDEKTSV4RRFFQ69G5FAV"])
            .status
            .code(),
        Some(1)
    );
}
