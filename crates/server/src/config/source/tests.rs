//! Which source wins, and what stops the start.

use std::io::Write as _;

use super::*;
use crate::config::{Count, LogFormat, Provider};

type Pairs<'a> = &'a [(&'a str, &'a str)];

fn config(flags: &[(&'static str, &str)], variables: Pairs, file: &str) -> Result<Config, String> {
    let mut on_disk = tempfile::NamedTempFile::new().unwrap();
    on_disk.write_all(file.as_bytes()).unwrap();
    let flags: Vec<_> = flags
        .iter()
        .map(|&(name, text)| (name, text.to_owned()))
        .collect();
    let variables: Vec<_> = variables
        .iter()
        .map(|&(name, text)| (name.into(), text.into()))
        .collect();
    let path = on_disk.path();
    Given::config(flags, variables, Some(path)).map_err(|error| {
        error
            .to_string()
            .replace(&path.display().to_string(), "FILE")
    })
}

#[track_caller]
fn assert_refused(variables: Pairs, file: &str, line: &str) {
    assert_eq!(config(&[], variables, file).err().as_deref(), Some(line));
}

#[test]
fn a_flag_wins_over_a_variable_over_the_file_over_the_default() {
    let port = |flags: &[(&'static str, &str)], variables: Pairs, file: &str| {
        config(flags, variables, file).unwrap().listen.port()
    };
    let variable = [("VINTEM_LISTEN", "127.0.0.1:3")];
    let file = "listen = '127.0.0.1:2'";
    assert_eq!(port(&[], &[], ""), 8080);
    assert_eq!(port(&[], &[], file), 2);
    assert_eq!(port(&[], &variable, file), 3);
    assert_eq!(port(&[("listen", "127.0.0.1:4")], &variable, file), 4);
}

#[test]
fn a_bad_value_stops_the_start_where_another_one_wins_too() {
    let refused = |flags: &[(&'static str, &str)], variables: Pairs, file: &str| {
        config(flags, variables, file).err().unwrap()
    };
    let expected = "must be an IP address and a port, such as 127.0.0.1:8080";
    let bad = [("VINTEM_LISTEN", "foo")];
    assert_eq!(
        refused(&[("listen", "127.0.0.1:4")], &bad, ""),
        format!("VINTEM_LISTEN {expected}")
    );
    assert_eq!(
        refused(&[], &[("VINTEM_LISTEN", "127.0.0.1:4")], "listen = 'foo'"),
        format!("FILE: listen {expected}")
    );
}

#[test]
fn every_default_can_be_read() {
    let config = config(&[], &[], "").unwrap();
    assert_eq!(config.policy(), vintem_domain::account::Policy::DEFAULT);
    assert_eq!(config.log_format, LogFormat::Text);
    assert_eq!(config.provider, Provider::Stub);
    assert_eq!(config.database_connections, Count(16));
    assert!(config.bootstrap && config.trusted_proxies.is_empty());
    assert_eq!(config.files(), "file://data/files");
}

#[test]
fn an_unknown_name_stops_the_start() {
    assert_refused(
        &[("VINTEM_LISTNE", "x")],
        "",
        "unknown setting VINTEM_LISTNE",
    );
    assert_refused(
        &[("VINTEM_listen", "x")],
        "",
        "unknown setting VINTEM_listen",
    );
    assert_refused(&[("VINTEM_", "x")], "", "unknown setting VINTEM_");
    assert_refused(&[], "listne = 'x'", "FILE: unknown setting listne");
    assert_refused(&[], "[fees]\ndoc = 1", "FILE: unknown setting fees_doc");
    assert_refused(&[], "[nothing]\na = 1", "FILE: unknown setting nothing");
}

#[test]
fn variables_of_test_runners_and_clusters_are_ignored() {
    let injected = [
        ("VINTEM_TEST_BINARY", "x"),
        ("VINTEM_SERVICE_HOST", "10.0.0.1"),
        ("VINTEM_PORT", "tcp://10.0.0.1:80"),
        ("VINTEM_PORT_80_TCP", "x"),
        ("PATH", "x"),
    ];
    assert!(config(&[], &injected, "").is_ok());
}

#[test]
fn a_bad_value_is_named_and_not_repeated() {
    assert_refused(
        &[("VINTEM_LISTEN", "8080")],
        "",
        "VINTEM_LISTEN must be an IP address and a port, such as 127.0.0.1:8080",
    );
    assert_refused(
        &[],
        "bootstrap = 'maybe'",
        "FILE: bootstrap must be true or false",
    );
    assert_refused(
        &[("VINTEM_MASTER_KEY", "s3cr3t")],
        "",
        "VINTEM_MASTER_KEY must be 32 bytes in base64 or as 64 hexadecimal digits (openssl rand -base64 32)",
    );
    assert_refused(
        &[],
        "log = 1.5",
        "FILE: log must be a text, a whole number, true, false or a list of texts",
    );
    assert_eq!(
        config(&[("public_url", "x")], &[], "").err().as_deref(),
        Some("--public-url must be an address such as https://pay.example.com")
    );
}

#[test]
fn a_file_that_is_no_toml_or_not_there_is_named() {
    let error = config(&[], &[], "listen = '127.0.0.1:1'\nlog = ")
        .err()
        .unwrap();
    assert!(error.starts_with("FILE, line 2: "), "{error}");
    assert!(!error.contains('\n'), "{error}");
    let missing = Given::config([], [], Some(Path::new("/nonexistent/vintem.toml")));
    let error = missing.err().unwrap().to_string();
    assert!(error.starts_with("/nonexistent/vintem.toml: "), "{error}");
}

#[test]
fn the_file_groups_settings_in_tables() {
    let file = "
        trusted_proxies = ['10.0.0.0/8', '192.0.2.1']
        http_workers = 3
        webhook = { timeout = '9s' }
        [fees]
        pix = { fixed = 50, basis_points = 99 }
        checkout = 70
        boleto = '150+1bp'
        [limits]
        per_transaction = 100
    ";
    let config = config(&[], &[("VINTEM_FEES_CHECKOUT", "10bp")], file).unwrap();
    assert_eq!(config.trusted_proxies.len(), 2);
    assert_eq!(config.http_workers, Some(Count(3)));
    assert_eq!(config.webhook_timeout.as_secs(), 9);
    let fees = config.policy().fees;
    let parts = |fee: vintem_domain::money::Fee| (fee.fixed(), fee.basis_points());
    assert_eq!(parts(fees.pix), (50, 99));
    assert_eq!(parts(fees.checkout), (0, 10));
    assert_eq!(parts(fees.boleto), (150, 1));
    assert_eq!(config.policy().limits.per_transaction.get(), 100);
    assert_refused(
        &[],
        "fees_pix = 1\n[fees]\npix = 2",
        "FILE: fees_pix is given twice",
    );
}

#[test]
fn a_fee_that_leaves_nothing_of_a_minimum_stops_the_start() {
    assert_refused(
        &[("VINTEM_FEES_PIX", "200")],
        "",
        "the fee for pix leaves nothing of its minimum amount 200",
    );
    assert!(config(&[], &[("VINTEM_FEES_PIX", "199")], "").is_ok());
}
