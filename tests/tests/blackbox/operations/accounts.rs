//! `vintem account create|update|list|show|suspend|limits|fees`, `vintem user password`, `vintem migrate`

use std::io::Write;
use std::process::Stdio;

use serde_json::{Value, json};
use vintem_tests::Backend;
use vintem_tests::site::{Site, merchant, shared};

use crate::charge::assert_fields;

vintem_tests::on_both!(
    an_account_is_created_once,
    a_password_can_be_given,
    a_lost_password_is_replaced,
    accounts_are_listed_and_shown,
    an_account_can_be_changed,
    limits_and_fees_can_be_agreed,
    commands_migrate_by_themselves,
);

fn an_account_is_created_once(on: Backend) {
    let site = Site::new(on);
    let create = [
        "account",
        "create",
        "--name",
        "Loja",
        "--email",
        "loja@example.com",
    ];
    let created = site.operate(&create);
    assert_fields(&created, &["id", "name", "email", "password"]);
    assert_eq!(created["name"], "Loja");
    assert_eq!(created["email"], "loja@example.com");
    assert!(created["password"].as_str().unwrap().len() >= 12);
    let again = site.run(&create);
    assert_eq!(again.status.code(), Some(1));
    assert!(again.stdout.is_empty());
    assert!(
        String::from_utf8(again.stderr)
            .unwrap()
            .contains("loja@example.com")
    );
    let other_case = site.run(&[
        "account",
        "create",
        "--name",
        "Loja",
        "--email",
        "LOJA@example.com",
    ]);
    assert_eq!(other_case.status.code(), Some(1));
    for email in ["loja", "@example.com", "a b@example.com", ""] {
        let refused = site.run(&["account", "create", "--name", "Loja", "--email", email]);
        assert!(matches!(refused.status.code(), Some(1 | 2)), "{email}");
    }
    assert_eq!(
        site.operate(&["account", "list"]).as_array().unwrap().len(),
        1
    );
}

fn a_password_can_be_given(on: Backend) {
    let site = Site::new(on);
    let arguments = [
        "account",
        "create",
        "--name",
        "Loja",
        "--email",
        "loja@example.com",
        "--password-stdin",
    ];
    let mut command = site.command(&arguments);
    let mut child = command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    child
        .stdin
        .take()
        .unwrap()
        .write_all(b"correct horse battery staple\n")
        .unwrap();
    let output = child.wait_with_output().unwrap();
    assert!(output.status.success());
    let created: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(created.get("password"), None, "{created}");
}

fn a_lost_password_is_replaced(on: Backend) {
    let site = Site::new(on);
    let email = "loja@example.com";
    let created = site.operate(&["account", "create", "--name", "Loja", "--email", email]);
    let hash = || crate::database::sql(&site, "SELECT password_hash FROM users");
    let first = hash();
    let renewed = site.operate(&["user", "password", "--email", "LOJA@example.com"]);
    assert_fields(&renewed, &["email", "password"]);
    assert_eq!(renewed["email"], email);
    assert!(renewed["password"].as_str().unwrap().len() >= 12);
    assert_ne!(renewed["password"], created["password"]);
    assert_ne!(hash(), first);
    assert!(hash().starts_with("$argon2id$"));
    let kept = hash();
    let unknown = site.run(&["user", "password", "--email", "nobody@example.com"]);
    assert_eq!(unknown.status.code(), Some(1));
    let told = String::from_utf8(unknown.stderr).unwrap();
    assert!(told.contains("nobody@example.com"), "{told}");
    assert_eq!(hash(), kept);
}

fn accounts_are_listed_and_shown(on: Backend) {
    let merchant = merchant(on);
    let list = merchant.site.operate(&["account", "list"]);
    let listed = list
        .as_array()
        .unwrap()
        .iter()
        .find(|account| account["id"] == merchant.account.as_str());
    assert_eq!(listed.unwrap()["email"], merchant.email.as_str());
    let shown = merchant
        .site
        .operate(&["account", "show", "--id", &merchant.account]);
    assert_eq!(shown["name"], "Café do João");
    assert!(!shown.to_string().contains("argon2"));
    let unknown = merchant
        .site
        .run(&["account", "show", "--id", "acc_01ARZ3NDEKTSV4RRFFQ69G5FAV"]);
    assert_eq!(unknown.status.code(), Some(1));
}

fn an_account_can_be_changed(on: Backend) {
    let merchant = merchant(on);
    merchant.site.print(&[
        "account",
        "update",
        "--id",
        &merchant.account,
        "--name",
        "Bar da Zoé",
        "--city",
        "Niterói",
    ]);
    // A server may remember an account for as long as it remembers a key.
    vintem_tests::wait::until("the change is seen", vintem_tests::wait::SOON, || {
        (merchant.test.store()["name"] == "Bar da Zoé").then_some(())
    });
    let charge = merchant.test.charge(4990);
    let tags = crate::brcode::parse(charge["brCode"].as_str().unwrap());
    assert_eq!(tags.value("59"), "Bar da Zoe");
    assert_eq!(tags.value("60").to_uppercase(), "NITEROI");
    let wrong = merchant.site.run(&[
        "account",
        "update",
        "--id",
        &merchant.account,
        "--document",
        "52998224724",
    ]);
    assert!(matches!(wrong.status.code(), Some(1 | 2)));
}

fn limits_and_fees_can_be_agreed(on: Backend) {
    let merchant = merchant(on);
    merchant.site.print(&[
        "account",
        "limits",
        "--id",
        &merchant.account,
        "--per-transaction",
        "1000",
    ]);
    merchant
        .site
        .print(&["account", "fees", "--id", &merchant.account, "--pix", "50"]);
    vintem_tests::wait::until("the limit is seen", vintem_tests::wait::SOON, || {
        (merchant.test.create(&json!({ "amountCents": 1001 })).status == 400).then_some(())
    });
    let charge = merchant.test.charge(1000);
    assert_eq!(charge["netAmount"], 950);
    let other = shared(on).site.merchant(&shared(on).server);
    assert_eq!(other.test.charge(1001)["netAmount"], 921);
}

fn commands_migrate_by_themselves(on: Backend) {
    let site = Site::new(on);
    site.print(&["migrate"]);
    site.print(&["migrate"]);
    site.verify_ledger();
    let fresh = Site::new(on);
    assert_eq!(fresh.operate(&["account", "list"]), json!([]));
}
