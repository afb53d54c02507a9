//! docs/operations.md: a backup made by the commands that are shown can be restored by the commands that are shown.

use std::ffi::OsString;
use std::fs;
use std::path::Path;
use std::process::Command;

use serde_json::Value;
use vintem_tests::Backend;
use vintem_tests::merchant::{Merchant, text};
use vintem_tests::receiver::Receiver;
use vintem_tests::site::{Site, binary};

use super::{document, snippet};
use crate::webhook::pay_one;

/// Runs a script of the document as it is written; `vintem` is the binary under test.
#[track_caller]
fn run(site: &Site, file: &str, arguments: &[&str]) -> String {
    let script = site.folder().join(file);
    fs::write(&script, snippet(&document("docs/operations.md"), file)).unwrap();
    let mut command = Command::new("sh");
    site.prepare(&mut command);
    let mut path = OsString::from(binary().parent().unwrap());
    path.push(":");
    path.push(std::env::var_os("PATH").unwrap_or_default());
    let output = command
        .arg(script)
        .args(arguments)
        .env("PATH", path)
        .output()
        .unwrap();
    assert!(
        output.status.success(),
        "{file}: {}",
        String::from_utf8_lossy(&output.stderr)
    );
    String::from_utf8(output.stdout).unwrap()
}

/// What must be there again.
#[derive(Debug, PartialEq, Eq)]
struct Seen {
    balance: Value,
    paid: Value,
    keys: Value,
    webhook: Value,
}

fn seen(site: &Site, merchant: &Merchant, charge: &str) -> Seen {
    Seen {
        balance: merchant.live.store()["balance"].clone(),
        paid: merchant.live.check(charge).data(),
        keys: site
            .operate(&["key", "list", "--account", &merchant.account])
            .as_array()
            .unwrap()
            .iter()
            .map(|key| key["key"].clone())
            .collect(),
        webhook: merchant.webhook_command("show", "test", &[])["secret"].clone(),
    }
}

/// A merchant with money, a webhook and a charge that was paid; returns the charge.
fn trade(merchant: &Merchant, receiver: &Receiver) -> String {
    merchant.webhook("test", &receiver.url());
    pay_one(merchant);
    let id = text(&merchant.live.charge(4990)["id"]);
    let server = format!("http://{}", merchant.live.address());
    merchant
        .site
        .print(&["stub", "pay", "--charge", &id, "--url", &server]);
    id
}

/// The restored installation serves what was there.
#[track_caller]
fn assert_restored(site: &Site, merchant: &Merchant, charge: &str, before: &Seen) {
    let server = site.serve();
    let there = Merchant {
        site,
        ..merchant.at(server.address())
    };
    assert_eq!(&seen(site, &there, charge), before);
    assert_ne!(before.balance, 0);
    pay_one(&there);
    site.verify_ledger();
}

fn path(path: &Path) -> String {
    path.display().to_string()
}

#[test]
fn the_embedded_database_is_restored() {
    let site = Site::new(Backend::Sqlite).without("VINTEM_STUB_SECRET");
    let server = site.serve();
    let merchant = site.merchant(&server);
    let receiver = Receiver::start();
    let charge = trade(&merchant, &receiver);
    let data = site.folder().join("data");
    fs::create_dir_all(data.join("files")).unwrap();
    fs::write(data.join("files/an-upload"), "uploaded").unwrap();
    let before = seen(&site, &merchant, &charge);
    let (backup, key) = (site.folder().join("backup"), site.folder().join("key"));
    fs::copy(data.join("master.key"), &key).unwrap();
    run(&site, "backup.sh", &[&path(&data), &path(&backup)]);
    pay_one(&merchant);
    drop(server);
    fs::remove_dir_all(&data).unwrap();

    let elsewhere = Site::new(Backend::Sqlite).without("VINTEM_STUB_SECRET");
    let data = elsewhere.folder().join("data");
    let report = run(
        &elsewhere,
        "restore.sh",
        &[&path(&backup), &path(&key), &path(&data)],
    );
    let report: Value = serde_json::from_str(&report).unwrap();
    assert_eq!(report["ok"], true);
    assert_eq!(
        fs::read_to_string(data.join("files/an-upload")).unwrap(),
        "uploaded"
    );
    let url = format!("sqlite://{}/vintem.db", path(&data));
    let elsewhere = elsewhere.with("VINTEM_DATABASE_URL", &url);
    assert_restored(&elsewhere, &merchant, &charge, &before);
}

#[test]
fn a_postgres_database_is_restored() {
    let site = Site::new(Backend::Postgres).without("VINTEM_STUB_SECRET");
    let server = site.serve();
    let merchant = site.merchant(&server);
    let receiver = Receiver::start();
    let charge = trade(&merchant, &receiver);
    let before = seen(&site, &merchant, &charge);
    let dump = path(&site.folder().join("vintem.dump"));
    run(&site, "backup-postgres.sh", &[&dump]);
    pay_one(&merchant);
    drop(server);

    let elsewhere = Site::new(Backend::Postgres).without("VINTEM_STUB_SECRET");
    let report = run(&elsewhere, "restore-postgres.sh", &[&dump]);
    let report: Value = serde_json::from_str(&report).unwrap();
    assert_eq!(report["ok"], true);
    assert_restored(&elsewhere, &merchant, &charge, &before);
}
