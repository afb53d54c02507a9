use crate::brcode::{BrCode, Recipient, crc16};

const VECTORS: &str = include_str!("../../../../../tests/vectors/brcode.json");

/// The code with a right checksum behind it.
fn sealed(body: &str) -> String {
    let body = format!("{body}6304");
    format!("{body}{:04X}", crc16(body.as_bytes()))
}

#[test]
fn every_vector_is_judged_and_read_as_published() {
    let file: serde_json::Value = serde_json::from_str(VECTORS).unwrap();
    let vectors = file["vectors"].as_array().unwrap();
    assert!(vectors.len() >= 20);
    for vector in vectors {
        let payload = vector["payload"].as_str().unwrap();
        let read = BrCode::parse(payload);
        if !vector["valid"].as_bool().unwrap() {
            assert!(read.is_err(), "{payload}");
            continue;
        }
        let code = read.unwrap_or_else(|error| panic!("{payload}: {error}"));
        let listed = |list: &str, tag: &str| {
            let fields = vector[list].as_array().cloned().unwrap_or_default();
            fields
                .iter()
                .find(|field| field["id"] == tag)
                .map(|field| field["value"].as_str().unwrap().to_owned())
        };
        assert_eq!(Some(&code.merchant_name), listed("tags", "59").as_ref());
        assert_eq!(Some(&code.merchant_city), listed("tags", "60").as_ref());
        assert_eq!(Some(&code.merchant_category), listed("tags", "52").as_ref());
        assert_eq!(code.postal_code, listed("tags", "61"));
        assert_eq!(
            code.single_use,
            listed("tags", "01").as_deref() == Some("12")
        );
        assert_eq!(
            code.txid,
            listed("sub62", "05").filter(|txid| txid != "***")
        );
        let amount = code
            .amount_centavos
            .map(|amount| format!("{}.{:02}", amount / 100, amount % 100));
        assert_eq!(amount, listed("tags", "54"));
        assert_eq!(
            code.recurrence.map(|location| location.to_string()),
            listed("sub80", "25")
        );
        match code.recipient {
            Recipient::Key {
                key,
                description,
                withdrawal_facilitator,
            } => {
                assert_eq!(Some(key), listed("sub26", "01"));
                assert_eq!(description, listed("sub26", "02"));
                assert_eq!(
                    withdrawal_facilitator.map(|ispb| ispb.to_string()),
                    listed("sub26", "03")
                );
            }
            Recipient::Location(location) => {
                assert_eq!(Some(location.to_string()), listed("sub26", "25"));
            }
            Recipient::RecurrenceOnly => {
                assert_eq!(listed("sub26", "01").or(listed("sub26", "25")), None);
            }
        }
    }
}

#[test]
fn a_code_shared_with_other_arrangements_is_read() {
    let code = BrCode::parse(
        "00020104141234567890123426580014BR.GOV.BCB.PIX0136123e4567-e12b-12d1-a456-42665544000027300012BR.COM.OUTRO\
         011001234567895204000053039865406123.455802BR5917NOME DO RECEBEDOR6008BRASILIA61087007490062190515RP12345678-2019\
         80390012BR.COM.OUTRO01190123.ABCD.3456.WXYZ6304AD38",
    )
    .unwrap();
    assert_eq!(code.amount_centavos, Some(12_345));
    assert_eq!(code.txid.as_deref(), Some("RP12345678-2019"));
    assert_eq!(code.recurrence, None);
    assert!(
        matches!(code.recipient, Recipient::Key { key, .. } if key == "123e4567-e12b-12d1-a456-426655440000")
    );
}

const ACCOUNT: &str = "26330014br.gov.bcb.pix011197212482404";
const MERCHANT: &str = "5802BR5901N6001C62070503***";

/// Every code is refused with a message that begins as given.
fn check_refused(codes: &[(String, &str)]) {
    for (code, message) in codes {
        let answer =
            BrCode::parse(code).map_or_else(|error| error.to_string(), |_| "reads".to_owned());
        assert!(
            answer.starts_with(message),
            "{code:?}: {answer:?} is not {message:?}"
        );
    }
}

fn body() -> String {
    format!("000201{ACCOUNT}520400005303986{MERCHANT}")
}

/// A right code but for one part put in the place of another.
fn changed(from: &str, to: &str) -> String {
    let body = body();
    assert!(body.contains(from), "{from}");
    sealed(&body.replacen(from, to, 1))
}

fn with_amount(amount: &str) -> String {
    changed("5303986", &format!("530398654{:02}{amount}", amount.len()))
}

#[test]
fn a_code_that_is_cut_or_changed_is_refused() {
    let whole = sealed(&body());
    assert!(BrCode::parse(&whole).is_ok());
    check_refused(&[
        (
            String::new(),
            "must begin with field 00 and end with field 63",
        ),
        ("é".repeat(4), "has no tag and length at position 1"),
        ("x".repeat(513), "must have at most 512 characters"),
        (format!(" {whole}"), "has no tag and length at position 1"),
        (format!("{whole}\n"), "has no tag and length at position 94"),
        (
            whole.trim_end_matches(char::is_alphanumeric).to_owned(),
            "must begin with field 00 and end with field 63",
        ),
        (whole.chars().take(92).collect(), "ends inside field 63"),
        (
            changed("000201", ""),
            "must begin with field 00 and end with field 63",
        ),
        (format!("{whole}5802BR"), "has field 58 twice"),
        (
            format!("{whole}9902BR"),
            "must begin with field 00 and end with field 63",
        ),
        (whole.replace("5901N", "5901M"), "has a wrong checksum"),
        (
            format!("{}6302AB", body()),
            "has a wrong field 63: it must be four hexadecimal digits",
        ),
        (
            format!("{}6304+123", body()),
            "has a wrong field 63: it must be four hexadecimal digits",
        ),
        (
            format!("{}6304ABCÉ", body()),
            "has a wrong field 63: it must be four hexadecimal digits",
        ),
    ]);
}

#[test]
fn a_field_that_is_missing_or_wrong_is_named() {
    let too_long = "ABCDEFGHIJKLMNOPQRSTUVWXYZ";
    check_refused(&[
        (
            changed("000201", "000202"),
            "has a wrong field 00: it must be 01",
        ),
        (
            changed("000201", "000201010213"),
            "has a wrong field 01: it must be 11 or 12",
        ),
        (
            changed("5901N", "5900"),
            "has no tag and length at position 65",
        ),
        (changed("5901N", ""), "has no field 59"),
        (changed("6001C", ""), "has no field 60"),
        (changed("52040000", ""), "has no field 52"),
        (
            changed("52040000", "5204000A"),
            "has a wrong field 52: it must be four digits",
        ),
        (
            changed("5303986", "5303840"),
            "has a wrong field 53: it must be 986",
        ),
        (
            changed("5802BR", "5802AR"),
            "has a wrong field 58: it must be BR",
        ),
        (
            changed("5901N", &format!("5926{too_long}")),
            "has a wrong field 59: it must be 1 to 25 characters",
        ),
        (
            changed("6001C", "6016ABCDEFGHIJKLMNOP"),
            "has a wrong field 60: it must be 1 to 15 characters",
        ),
        (
            changed("62070503***", &format!("62300526{too_long}")),
            "has a wrong field 62/05",
        ),
        (
            changed("62070503***", "62070504***"),
            "ends inside field 62/05",
        ),
        (
            with_amount("1,00"),
            "has a wrong field 54: it must be an amount like 10.00",
        ),
        (with_amount(".50"), "has a wrong field 54"),
        (with_amount("1."), "has a wrong field 54"),
        (with_amount("1.234"), "has a wrong field 54"),
        (with_amount("-1.00"), "has a wrong field 54"),
        (with_amount("+1"), "has a wrong field 54"),
        (with_amount("12345678901.23"), "has a wrong field 54"),
    ]);
}

#[test]
fn exactly_one_pix_account_must_be_named() {
    check_refused(&[
        (
            changed("br.gov.bcb.pix", "br.gov.bcb.pox"),
            "names no PIX account",
        ),
        (
            changed("011197212482404", "021197212482404"),
            "names no PIX account",
        ),
        (
            changed("011197212482404", "251197212482404"),
            "has a wrong field 26/25: it must be an address without scheme",
        ),
        (
            changed(
                ACCOUNT,
                &format!("{ACCOUNT}{}", ACCOUNT.replacen("26", "27", 1)),
            ),
            "names more than one PIX account",
        ),
        (
            changed(ACCOUNT, &format!("{ACCOUNT}{ACCOUNT}")),
            "has field 26 twice",
        ),
        (
            changed(ACCOUNT, "26360014br.gov.bcb.pix0103key2507a.b/c/d"),
            "names more than one PIX account",
        ),
        (
            changed(ACCOUNT, "26360014br.gov.bcb.pix0103key0307ABCDEFG"),
            "has a wrong field 26/03: it must be an ISPB",
        ),
        (
            changed(ACCOUNT, "26210014br.gov.bcb.pix01x"),
            "has no tag and length at position 19 of field 26",
        ),
        (changed(ACCOUNT, ""), "names no PIX account"),
    ]);
    assert!(BrCode::parse(&changed(ACCOUNT, &ACCOUNT.replacen("26", "51", 1))).is_ok());
    assert!(BrCode::parse(&changed(ACCOUNT, &ACCOUNT.replacen("26", "25", 1))).is_err());
}

#[test]
fn a_code_without_reference_is_read() {
    for without in ["", "62070203***"] {
        assert_eq!(
            BrCode::parse(&changed("62070503***", without))
                .unwrap()
                .txid,
            None
        );
    }
}

#[test]
fn amounts_are_read_with_two_decimals_one_or_none() {
    for (amount, expected) in [
        ("10", Some(1000)),
        ("10.5", Some(1050)),
        ("10.05", Some(1005)),
        ("0.00", None),
        ("0", None),
        ("9999999999.99", Some(999_999_999_999)),
    ] {
        assert_eq!(
            BrCode::parse(&with_amount(amount)).unwrap().amount_centavos,
            expected,
            "{amount}"
        );
    }
}

#[test]
fn a_lower_case_checksum_is_read() {
    let code = "00020126330014BR.GOV.BCB.PIX011197212482404520400005303986540530.005802BR5918Victor Julio Rocha6006RECIFE62110507VIPSURF630425a1";
    assert!(BrCode::parse(code).is_ok());
}

#[test]
fn accents_count_as_one_character_each() {
    let code = sealed(&format!(
        "000201{ACCOUNT}5204000053039865802BR5904João6009São Paulo62070503***"
    ));
    let code = BrCode::parse(&code).unwrap();
    assert_eq!(
        (code.merchant_name.as_str(), code.merchant_city.as_str()),
        ("João", "São Paulo")
    );
}
