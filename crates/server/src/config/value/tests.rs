//! What settings may say.

use super::*;

#[test]
fn times_have_a_number_and_a_unit() {
    let seconds = |text| Duration::read(text).map(|time| time.as_secs());
    assert_eq!(seconds("3d"), Ok(259_200));
    assert_eq!(seconds("12h"), Ok(43_200));
    assert_eq!(seconds("90m"), Ok(5_400));
    assert_eq!(seconds("30s"), Ok(30));
    assert_eq!(seconds("0"), Ok(0));
    assert_eq!(Duration::read("250ms"), Ok(Duration::from_millis(250)));
    for text in [
        "",
        "3",
        "d",
        "-1d",
        "1 d",
        "1.5h",
        "3w",
        "d3",
        "+3d",
        "99999999999999999999d",
        "999999999999999d",
        "3dd",
    ] {
        assert!(seconds(text).is_err(), "{text}");
    }
}

#[test]
fn fees_have_a_fixed_and_a_variable_part() {
    let fee = |text| Fee::read(text).map(|fee| (fee.fixed(), fee.basis_points()));
    assert_eq!(fee("80"), Ok((80, 0)));
    assert_eq!(fee("80+99bp"), Ok((80, 99)));
    assert_eq!(fee("99bp"), Ok((0, 99)));
    assert_eq!(fee("0"), Ok((0, 0)));
    for text in [
        "",
        "80+",
        "+99bp",
        "80+99",
        "-80",
        "80 + 99bp",
        "0.8",
        "bp",
        "80+10000bp",
        "80+99bp+1",
        "10000000000",
    ] {
        assert!(fee(text).is_err(), "{text}");
    }
}

#[test]
fn networks_may_be_single_addresses() {
    let networks = Vec::<IpNet>::read("10.0.0.0/8, 192.0.2.7,fd00::/8").unwrap();
    let written: Vec<_> = networks.iter().map(ToString::to_string).collect();
    assert_eq!(written, ["10.0.0.0/8", "192.0.2.7/32", "fd00::/8"]);
    assert_eq!(Vec::<IpNet>::read(""), Ok(Vec::new()));
    assert!(Vec::<IpNet>::read("localhost").is_err());
}

#[test]
fn holidays_are_of_one_year_or_of_all() {
    let text = "2027-03-01 Aniversário do Rio, 01-25 Aniversário de São Paulo,12-31";
    let names: Vec<_> = Vec::<Holiday>::read(text)
        .unwrap()
        .into_iter()
        .map(|holiday| holiday.name)
        .collect();
    assert_eq!(
        names,
        ["Aniversário do Rio", "Aniversário de São Paulo", "Feriado"]
    );
    assert_eq!(Vec::<Holiday>::read(""), Ok(Vec::new()));
    assert!(Vec::<Holiday>::read("25/01").is_err());
}

#[test]
fn a_master_key_is_written_in_base64_or_hexadecimal() {
    let key = MasterKey([7; 32]);
    assert_eq!(MasterKey::read(&BASE64.encode(&[7; 32])), Ok(key.clone()));
    assert_eq!(MasterKey::read(&"07".repeat(32)), Ok(key.clone()));
    assert_eq!(format!("{key:?}"), "MasterKey(…)");
    for text in ["", "07", &"07".repeat(31), &BASE64.encode(&[7; 31])] {
        assert!(MasterKey::read(text).is_err(), "{text}");
    }
}

#[test]
fn a_public_url_has_a_host_and_no_slash_at_its_end() {
    let url = |text| PublicUrl::read(text).map(|url| url.0);
    assert_eq!(
        url("https://pay.example.com/"),
        Ok("https://pay.example.com".to_owned())
    );
    assert_eq!(
        url("http://127.0.0.1:8080"),
        Ok("http://127.0.0.1:8080".to_owned())
    );
    for text in [
        "",
        "pay.example.com",
        "https://",
        "ftp://x",
        "https://a?b",
        "https://u@h",
    ] {
        assert!(url(text).is_err(), "{text}");
    }
}
