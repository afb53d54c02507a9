use proptest::prelude::*;

use super::*;

const END_TO_END_ID: &str = "E12345678202601011200abcdefghijk";

#[test]
fn a_txid_has_26_to_35_letters_and_digits() {
    for (text, expected) in [
        ("a".repeat(26), Ok(())),
        ("Z9".repeat(17) + "0", Ok(())),
        (
            "a".repeat(25),
            Err(IdentifierError::Length {
                allowed: "26 to 35",
                found: 25,
            }),
        ),
        (
            "a".repeat(36),
            Err(IdentifierError::Length {
                allowed: "26 to 35",
                found: 36,
            }),
        ),
        (
            "a".repeat(25) + "-",
            Err(IdentifierError::Character { position: 26 }),
        ),
        (
            "á".repeat(26),
            Err(IdentifierError::Character { position: 1 }),
        ),
    ] {
        assert_eq!(TxId::parse(&text).map(|_| ()), expected, "{text}");
    }
}

#[test]
fn a_digest_makes_one_txid() {
    let txid = TxId::from_bytes(&[0xFF; 32]);
    assert_eq!(txid.as_str(), "v".repeat(32));
    assert_ne!(TxId::from_bytes(&[0; 32]), txid);
}

#[test]
fn a_txid_begins_with_its_time_and_goes_on_at_random() {
    let earlier = TxId::at(1_000, &[0xFF; 32]);
    let later = TxId::at(1_001, &[0; 32]);
    assert!(earlier < later);
    assert_eq!(later.as_str().len(), 32);
    assert_ne!(later, TxId::at(1_001, &[1; 32]));
}

#[test]
fn an_ispb_may_hold_capital_letters() {
    assert!(Ispb::parse("00000000").is_ok());
    assert!(Ispb::parse("12ABC345").is_ok());
    assert_eq!(
        Ispb::parse("12abc345"),
        Err(IdentifierError::Character { position: 3 })
    );
    assert!(Ispb::parse("1234567").is_err());
}

#[test]
fn a_payment_identifier_is_read_character_by_character() {
    let error = |text: &str| EndToEndId::parse(text).unwrap_err();
    assert!(EndToEndId::parse(END_TO_END_ID).is_ok());
    assert!(EndToEndId::parse("E12ABC345202402292359AbCdEfGhI09").is_ok());
    assert!(ReturnId::parse("D12345678202009091221abcdf098765").is_ok());
    assert_eq!(
        ReturnId::parse(END_TO_END_ID),
        Err(IdentifierError::Prefix { expected: 'D' })
    );
    assert_eq!(
        error("D12345678202009091221abcdf098765"),
        IdentifierError::Prefix { expected: 'E' }
    );
    assert_eq!(
        error(&END_TO_END_ID[1..]),
        IdentifierError::Length {
            allowed: "32",
            found: 31
        }
    );
    assert_eq!(
        error("E1234567a202601011200abcdefghijk"),
        IdentifierError::Character { position: 9 }
    );
    assert_eq!(
        error("E12345678X02601011200abcdefghijk"),
        IdentifierError::Character { position: 10 }
    );
    assert_eq!(
        error("E1234567820260101120xabcdefghijk"),
        IdentifierError::Character { position: 21 }
    );
    assert_eq!(
        error("E12345678202601011200abcdefghij-"),
        IdentifierError::Character { position: 32 }
    );
    for minute in [
        "202613011200",
        "202600011200",
        "202602291200",
        "202601012400",
        "202601011260",
        "202601001200",
    ] {
        assert_eq!(
            error(&format!("E12345678{minute}abcdefghijk")),
            IdentifierError::Time,
            "{minute}"
        );
    }
}

#[test]
fn an_error_reads_well_after_the_field_name() {
    assert_eq!(
        IdentifierError::Prefix { expected: 'E' }.to_string(),
        "must begin with E"
    );
    assert_eq!(
        TxId::parse("x").unwrap_err().to_string(),
        "must have 26 to 35 characters, not 1"
    );
    assert_eq!(
        Ispb::parse("1234567-").unwrap_err().to_string(),
        "has a wrong character at position 8"
    );
}

#[test]
fn the_minute_of_a_payment_is_that_of_utc() {
    let ispb = Ispb::parse("12ABC345").unwrap();
    // 2026-11-20T23:59:59.999Z
    let id = EndToEndId::build(&ispb, 1_795_219_199_999, [0; 8]).unwrap();
    assert_eq!(id.as_str(), "E12ABC34520261120235900000000000");
    let id = ReturnId::build(&ispb, -1, [0xFF; 8]).unwrap();
    assert_eq!(id.as_str(), "D12ABC345196912312359vvvvvvvvvvv");
    assert_eq!(
        EndToEndId::build(&ispb, i64::MAX, [0; 8]),
        Err(IdentifierError::Time)
    );
    assert_eq!(
        EndToEndId::build(&ispb, -62_167_219_200_001, [0; 8]),
        Err(IdentifierError::Time)
    );
}

proptest! {
    #[test]
    fn what_is_built_can_be_read(
        ispb in "[0-9A-Z]{8}",
        unix_ms in -62_167_219_200_000..253_402_300_800_000_i64,
        random in any::<[u8; 8]>(),
        digest in any::<[u8; 32]>(),
    ) {
        let ispb = Ispb::parse(&ispb).unwrap();
        let payment = EndToEndId::build(&ispb, unix_ms, random).unwrap();
        prop_assert_eq!(EndToEndId::parse(payment.as_str()), Ok(payment));
        let returned = ReturnId::build(&ispb, unix_ms, random).unwrap();
        prop_assert_eq!(ReturnId::parse(returned.as_str()), Ok(returned));
        let txid = TxId::from_bytes(&digest);
        prop_assert_eq!(TxId::parse(txid.as_str()), Ok(txid));
    }

    #[test]
    fn any_text_gets_an_answer(text in any::<String>(), near in "[EDé][0-9A-Z]{8}[0-9]{12}[a-z0-9é]{11}") {
        for text in [&text, &near] {
            let _ = (TxId::parse(text), Ispb::parse(text), EndToEndId::parse(text), ReturnId::parse(text));
        }
    }
}
