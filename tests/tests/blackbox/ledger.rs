//! `vintem ledger verify` and `vintem charge show`: the books and the story of a charge.

use serde_json::{Value, json};
use vintem_tests::Backend;
use vintem_tests::merchant::{Merchant, text};
use vintem_tests::site::Site;

use crate::database::{bare, sql, try_sql};

vintem_tests::on_both!(
    the_ledger_verifies_after_all_kinds_of_payments,
    a_changed_entry_is_found,
    a_missing_entry_is_found,
    a_wrong_projection_is_found,
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

/// Lets the ledger be tampered with, as somebody with the database's password could.
fn unlock(site: &Site) {
    if site.database().is_some() {
        sql(site, "ALTER TABLE ledger_entries DISABLE TRIGGER USER");
        return;
    }
    for trigger in sql(
        site,
        "SELECT name FROM sqlite_master WHERE type = 'trigger' AND tbl_name = 'ledger_entries'",
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
    unlock(&site);
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
    unlock(&site);
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
    unlock(&site);
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
