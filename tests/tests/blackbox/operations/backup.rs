//! `vintem backup --to F`

use std::sync::Mutex;

use vintem_tests::Backend;
use vintem_tests::site::Site;
use vintem_tests::wait;

use crate::crash::{Acknowledged, Load};

#[test]
fn a_backup_taken_under_load_is_whole() {
    let site = Site::new(Backend::Sqlite);
    let server = site.serve();
    let merchant = site.merchant(&server);
    let acknowledged = Mutex::new(Acknowledged::default());
    let load = Load {
        merchant: &merchant,
        acknowledged: &acknowledged,
        persistent: true,
    };
    let copy = site.folder().join("copy.db");
    let file = copy.to_str().unwrap();
    let mut before = Acknowledged::default();
    load.run(|_| {
        wait::until("payments go through", wait::SOON, || {
            (acknowledged.lock().unwrap().paid.len() >= 30).then_some(())
        });
        let so_far = acknowledged.lock().unwrap();
        before.created.clone_from(&so_far.created);
        before.paid.clone_from(&so_far.paid);
        drop(so_far);
        site.print(&["backup", "--to", file]);
        let count = acknowledged.lock().unwrap().paid.len();
        wait::until("payments go on", wait::SOON, || {
            (acknowledged.lock().unwrap().paid.len() >= count + 10).then_some(())
        });
    });
    // The copy, with the same data folder: that is where the master key lies.
    let url = format!("sqlite://{file}");
    drop(server);
    let mut restored = site.command(&["serve"]);
    restored.env("VINTEM_DATABASE_URL", &url);
    let server =
        Site::serve_command(restored).unwrap_or_else(|refusal| panic!("{}", refusal.stderr));
    let merchant = merchant.at(server.address());
    before.assert_charges(&merchant);
    let mut verify = site.command(&["ledger", "verify"]);
    verify.env("VINTEM_DATABASE_URL", &url);
    assert!(verify.status().unwrap().success());
}

#[test]
fn a_backup_never_overwrites_a_file() {
    let site = Site::new(Backend::Sqlite);
    site.print(&["migrate"]);
    let file = site.folder().join("copy.db");
    std::fs::write(&file, "mine").unwrap();
    let refused = site.run(&["backup", "--to", file.to_str().unwrap()]);
    assert_eq!(refused.status.code(), Some(1));
    assert_eq!(std::fs::read(&file).unwrap(), b"mine");
}

#[test]
fn a_backup_of_postgres_is_left_to_its_own_tools() {
    let site = Site::new(Backend::Postgres);
    let refused = site.run(&["backup", "--to", "copy.db"]);
    assert_eq!(refused.status.code(), Some(1));
    let said = String::from_utf8(refused.stderr).unwrap();
    assert!(said.contains("pg_dump"), "{said}");
}
