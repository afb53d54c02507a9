//! Settings: flag over variable over file over default; what is unknown or wrong stops the start with one clear line.

use std::fs;

use vintem_tests::Backend;
use vintem_tests::site::Site;

/// The start is refused with this exit code and one line that names the culprit.
#[track_caller]
fn assert_refused(site: &Site, code: i32, named: &str) -> String {
    let refusal = site.try_serve().expect_err("the start is refused");
    assert_eq!(refusal.status.code(), Some(code), "{}", refusal.stderr);
    let line = refusal.stderr.trim();
    assert_eq!(line.lines().count(), 1, "one clear line: {line}");
    assert!(line.contains(named), "{named} is not named: {line}");
    assert!(refusal.stdout.is_empty(), "{}", refusal.stdout);
    line.to_owned()
}

fn site() -> Site {
    Site::new(Backend::Sqlite)
}

#[test]
fn an_unknown_setting_stops_the_start() {
    assert_refused(
        &site().with("VINTEM_LISTN", "127.0.0.1:0"),
        2,
        "VINTEM_LISTN",
    );
    let site = site();
    fs::write(
        site.folder().join("vintem.toml"),
        "listn = \"127.0.0.1:0\"\n",
    )
    .unwrap();
    assert_refused(&site, 2, "listn");
}

#[test]
fn what_test_runners_and_clusters_inject_is_ignored() {
    let site = site()
        .with("VINTEM_TEST_ANYTHING", "1")
        .with("VINTEM_SERVICE_HOST", "10.0.0.1")
        .with("VINTEM_SERVICE_PORT_HTTP", "80")
        .with("VINTEM_PORT", "tcp://10.0.0.1:80")
        .with("VINTEM_PORT_80_TCP_ADDR", "10.0.0.1");
    site.serve();
}

#[test]
fn a_bad_value_stops_the_start_and_is_not_repeated() {
    for (name, value) in [
        ("VINTEM_LISTEN", "nowhere-in-particular"),
        ("VINTEM_DATABASE_URL", "mysql://user:hunter2@host/db"),
        ("VINTEM_TRUSTED_PROXIES", "the-proxy-next-door"),
        ("VINTEM_WEBHOOK_ALLOW_PRIVATE", "perhaps"),
        ("VINTEM_PROVIDER", "bank-of-nowhere"),
        ("VINTEM_MASTER_KEY", "hunter2-hunter2"),
        ("VINTEM_STUB_SECRET", "hunter2"),
        ("VINTEM_LOG", "inof"),
        ("VINTEM_LOG_FORMAT", "verse"),
        ("VINTEM_BOOTSTRAP", "maybe"),
        ("VINTEM_PUBLIC_URL", "pay.example.com"),
    ] {
        let line = assert_refused(&site().with(name, value), 2, name);
        assert!(!line.contains("hunter2"), "{line}");
    }
}

#[test]
fn a_fee_that_could_leave_nothing_stops_the_start() {
    let site = site();
    fs::write(site.folder().join("vintem.toml"), "[fees]\npix = \"200\"\n").unwrap();
    let refusal = site.try_serve().expect_err("the start is refused");
    assert_eq!(refusal.status.code(), Some(2));
    assert_eq!(
        refusal.stderr.trim().lines().count(),
        1,
        "{}",
        refusal.stderr
    );
    assert!(refusal.stderr.contains("pix"), "{}", refusal.stderr);
}

#[test]
fn fees_can_be_set() {
    let site = site();
    fs::write(
        site.folder().join("vintem.toml"),
        "[fees]\npix = \"40+99bp\"\n",
    )
    .unwrap();
    let server = site.serve();
    let merchant = site.merchant(&server);
    // 0.99 % of 50.00 is 49.5 centavos: half-up, 50.
    assert_eq!(merchant.test.charge(5000)["netAmount"], 5000 - 40 - 50);
    let passed = merchant
        .test
        .create(&serde_json::json!({ "amountCents": 5050, "passFee": true }))
        .data();
    assert_eq!(passed["netAmount"], 5050);
    let amount = passed["amount"].as_i64().unwrap();
    let fee = |amount: i64| 40 + (amount * 99 + 5_000) / 10_000;
    assert_eq!(amount - fee(amount), 5050);
    assert_ne!(
        amount - 1 - fee(amount - 1),
        5050,
        "the smallest amount that does"
    );
}

#[test]
fn a_flag_wins_over_a_variable_and_a_variable_over_the_file() {
    let ports: Vec<u16> = {
        let held: Vec<_> = (0..3)
            .map(|_| std::net::TcpListener::bind("127.0.0.1:0").unwrap())
            .collect();
        held.iter()
            .map(|held| held.local_addr().unwrap().port())
            .collect()
    };
    let listen = |index: usize| format!("127.0.0.1:{}", ports[index]);
    let site = site().without("VINTEM_LISTEN");
    fs::write(
        site.folder().join("vintem.toml"),
        format!("listen = \"{}\"\n", listen(0)),
    )
    .unwrap();
    assert_eq!(site.serve().address().port(), ports[0]);
    let site = site.with("VINTEM_LISTEN", &listen(1));
    assert_eq!(site.serve().address().port(), ports[1]);
    let command = site.command(&["serve", "--listen", &listen(2)]);
    assert_eq!(
        Site::serve_command(command).unwrap().address().port(),
        ports[2]
    );
}

#[test]
fn what_cannot_be_had_stops_the_start_with_one_line() {
    let taken = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let address = taken.local_addr().unwrap().to_string();
    assert_refused(&site().with("VINTEM_LISTEN", &address), 1, &address);
    let nobody = "postgres://nobody:hunter2@127.0.0.1:1/none";
    let line = assert_refused(&site().with("VINTEM_DATABASE_URL", nobody), 1, "127.0.0.1");
    assert!(!line.contains("hunter2"), "{line}");
    let site = site();
    fs::write(site.folder().join("file"), "").unwrap();
    let below = site.folder().join("file/data").display().to_string();
    let url = format!("sqlite://{below}/vintem.db");
    let site = site
        .with("VINTEM_DATA_DIR", &below)
        .with("VINTEM_DATABASE_URL", &url);
    assert_refused(&site, 1, "file/data");
}

#[test]
fn tls_to_postgres_is_never_left_out_silently() {
    let plain = Site::new(Backend::Postgres);
    let url = plain.database().unwrap().url().to_owned();
    for mode in ["require", "verify-ca", "verify-full"] {
        let site = site().with("VINTEM_DATABASE_URL", &format!("{url}?sslmode={mode}"));
        assert_refused(&site, 1, "postgres-tls");
    }
}

#[test]
fn another_master_key_is_refused() {
    for on in [Backend::Sqlite, Backend::Postgres] {
        let site = Site::new(on);
        drop(site.serve());
        let other = "ff".repeat(32);
        let site = site.with("VINTEM_MASTER_KEY", &other);
        let line = assert_refused(&site, 1, "VINTEM_MASTER_KEY");
        assert!(!line.contains(&other), "{line}");
    }
}

#[test]
fn the_command_line_explains_itself() {
    let site = site();
    let help = site.print(&["--help"]);
    for word in [
        "serve", "account", "key", "webhook", "clock", "charge", "ledger", "backup", "migrate",
        "stub",
    ] {
        assert!(help.contains(word), "{word} is missing: {help}");
        let of_command = site.print(&[word, "--help"]);
        assert!(of_command.contains("Usage"), "{of_command}");
    }
    assert!(site.print(&["--version"]).contains("0.1.0"));
    for wrong in [
        &["nothing"][..],
        &["serve", "--nothing"],
        &["key", "create"],
        &["account", "create", "--name", "x"],
    ] {
        let output = site.run(wrong);
        assert_eq!(output.status.code(), Some(2), "{wrong:?}");
        assert!(output.stdout.is_empty());
    }
}
