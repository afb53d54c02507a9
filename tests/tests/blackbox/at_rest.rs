//! What somebody finds who has the database, but not the master key.

use vintem_tests::Backend;
use vintem_tests::site::Site;

use crate::database::sql;

vintem_tests::on_both!(the_database_holds_no_readable_secret);

/// Everything the database holds about credentials, as text; bytes as hexadecimal digits.
fn contents(site: &Site) -> String {
    if site.database().is_some() {
        let tables = [
            "api_keys",
            "endpoints",
            "users",
            "installation_values",
            "provider_records",
            "attempts",
        ];
        return tables
            .map(|table| sql(site, &format!("SELECT * FROM {table}")))
            .join("\n");
    }
    let mut bytes = Vec::new();
    for name in ["vintem.db", "vintem.db-wal"] {
        bytes.extend(std::fs::read(site.folder().join("data").join(name)).unwrap_or_default());
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

fn the_database_holds_no_readable_secret(on: Backend) {
    let site = Site::new(on);
    let server = site.serve();
    let merchant = site.merchant(&server);
    let secret = merchant.webhook("live", "https://shop.example/hook");
    let created = site.operate(&[
        "account",
        "create",
        "--name",
        "Loja",
        "--email",
        "loja@example.com",
    ]);
    merchant.test.store();
    let contents = contents(&site);
    assert!(contents.contains("shop.example"), "the database was read");
    let keys = [&merchant.test, &merchant.live]
        .map(|client| client.authorization().unwrap()["Bearer ".len()..].to_owned());
    let password = created["password"].as_str().unwrap();
    for hidden in [&keys[0], &keys[1], &secret, password] {
        let body = hidden.rsplit('_').next().unwrap();
        let hex = data_encoding::HEXLOWER.encode(body.as_bytes());
        assert!(
            !contents.contains(body) && !contents.contains(&hex),
            "readable: {hidden}"
        );
    }
}
