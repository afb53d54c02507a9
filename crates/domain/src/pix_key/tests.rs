use proptest::prelude::*;

use super::*;

fn parsed(kind: PixKeyKind, text: &str) -> Result<String, PixKeyError> {
    PixKey::parse(kind, text).map(|key| key.to_string())
}

#[test]
fn a_key_of_a_known_kind_is_brought_to_its_canonical_form() {
    for (kind, text, canonical) in [
        (PixKeyKind::Cpf, "111.444.777-35", "11144477735"),
        (PixKeyKind::Cnpj, "12.abc.345/01de-35", "12ABC34501DE35"),
        (PixKeyKind::Phone, "+55 (11) 91234-5678", "+5511912345678"),
        (PixKeyKind::Phone, "11912345678", "+5511912345678"),
        (PixKeyKind::Phone, "5511912345678", "+5511912345678"),
        (PixKeyKind::Phone, "55991234567", "+5555991234567"),
        (PixKeyKind::Phone, "(11) 3456-7890", "+551134567890"),
        (PixKeyKind::Phone, "551134567890", "+551134567890"),
        (
            PixKeyKind::Email,
            " Ana.Silva+PIX@Example.COM ",
            "ana.silva+pix@example.com",
        ),
        (
            PixKeyKind::Evp,
            "123E4567-E89B-12D3-A456-426655440000",
            "123e4567-e89b-12d3-a456-426655440000",
        ),
    ] {
        assert_eq!(parsed(kind, text), Ok(canonical.to_owned()), "{text}");
        let key = PixKey::parse(kind, text).unwrap();
        assert_eq!(key.kind(), kind);
        assert_eq!(PixKey::parse(kind, key.as_str()), Ok(key.clone()));
        assert_eq!(PixKey::infer(key.as_str()), Ok(key));
    }
}

#[test]
fn a_key_that_is_not_of_its_kind_is_refused() {
    for (kind, text, message) in [
        (
            PixKeyKind::Cpf,
            "11144477734",
            "is no CPF: it has check digits 34, expected 35",
        ),
        (
            PixKeyKind::Cpf,
            "ana@example.com",
            "is no CPF: it must have 11 characters, not 14",
        ),
        (
            PixKeyKind::Cnpj,
            "11144477735",
            "is no CNPJ: it must have 14 characters, not 11",
        ),
        (
            PixKeyKind::Evp,
            "123e4567e89b12d3a456426655440000",
            "must be a random key such as 123e4567-e89b-42d3-a456-426655440000",
        ),
    ] {
        let error = PixKey::parse(kind, text).unwrap_err();
        assert_eq!(error.to_string(), message, "{text}");
    }
    for text in [
        "",
        "+",
        "912345678",
        "01912345678",
        "11812345678",
        "1191234567",
        "1101234567",
        "+1 212 555 0100",
        "+11912345678",
        "5411912345678",
        "+55119123456789",
        "0551191234567",
        "+55 11 9123\t45678",
        "+55+11912345678",
        "１１９１２３４５６７８",
    ] {
        assert_eq!(
            parsed(PixKeyKind::Phone, text),
            Err(PixKeyError::Phone),
            "{text}"
        );
    }
    let (long, label) = (format!("{}@example.com", "a".repeat(66)), "b".repeat(64));
    for text in [
        "",
        "@",
        "ana",
        "@example.com",
        "ana@",
        "ana@example..com",
        "ana@-example.com",
        "ana@example.com.",
        "ana silva@example.com",
        "ana@b@example.com",
        "ação@example.com",
        "ana@exámple.com",
        &format!("a@{label}.com"),
        &long,
    ] {
        assert_eq!(
            parsed(PixKeyKind::Email, text),
            Err(PixKeyError::Email),
            "{text}"
        );
    }
    assert!(parsed(PixKeyKind::Email, long.strip_prefix('a').unwrap()).is_ok());
}

#[test]
fn the_kind_is_found_out() {
    for (text, kind) in [
        ("111.444.777-35", PixKeyKind::Cpf),
        ("00000000191", PixKeyKind::Cpf),
        ("12.ABC.345/01DE-35", PixKeyKind::Cnpj),
        // Both a CPF and a mobile number: the check digits hold.
        ("11912345684", PixKeyKind::Cpf),
        ("+5511912345684", PixKeyKind::Phone),
        ("(11) 91234-5684", PixKeyKind::Phone),
        ("11912345678", PixKeyKind::Phone),
        ("1134567890", PixKeyKind::Phone),
        ("5511912345678", PixKeyKind::Phone),
        ("ana@example.com", PixKeyKind::Email),
        ("123e4567-e89b-12d3-a456-426655440000", PixKeyKind::Evp),
    ] {
        assert_eq!(
            PixKey::infer(text).map(|key| key.kind()),
            Ok(kind),
            "{text}"
        );
    }
    for (text, error) in [
        ("", PixKeyError::Unknown),
        ("123", PixKeyError::Unknown),
        ("chave", PixKeyError::Unknown),
        ("11144477734", PixKeyError::CpfOrPhone),
        ("+5511", PixKeyError::Phone),
        ("1112345678", PixKeyError::Phone),
        ("a@", PixKeyError::Email),
        ("123e4567-e89b-12d3-a456-42665544000g", PixKeyError::Evp),
    ] {
        assert_eq!(PixKey::infer(text), Err(error), "{text}");
    }
    assert!(matches!(
        PixKey::infer("12ABC34501DE36"),
        Err(PixKeyError::Cnpj(DocumentError::CheckDigits { .. }))
    ));
}

#[test]
fn a_log_shows_only_enough_to_recognise_a_key() {
    for (text, masked, debug) in [
        ("11144477735", "***.444.777-**", "Cpf(Cpf(***.444.777-**))"),
        (
            "12ABC34501DE35",
            "**.ABC.345/****-**",
            "Cnpj(Cnpj(**.ABC.345/****-**))",
        ),
        (
            "+5511912345678",
            "+5511*****5678",
            "Phone(PhoneKey(+5511*****5678))",
        ),
        (
            "+551134567890",
            "+5511****7890",
            "Phone(PhoneKey(+5511****7890))",
        ),
        (
            "ana@example.com",
            "a***@example.com",
            "Email(EmailKey(a***@example.com))",
        ),
        (
            "123e4567-e89b-12d3-a456-426655440000",
            "123e4567-****-****-****-********0000",
            "Evp(RandomKey(123e4567-****-****-****-********0000))",
        ),
    ] {
        let key = PixKey::infer(text).unwrap();
        assert_eq!(key.masked(), masked);
        assert_eq!(format!("{key:?}"), debug);
    }
}

#[test]
fn kinds_are_written_as_in_the_api() {
    for kind in PixKeyKind::ALL {
        assert_eq!(PixKeyKind::parse(&kind.to_string()), Some(kind));
    }
    assert_eq!(PixKeyKind::parse("cpf"), None);
    assert_eq!(PixKeyKind::parse("RANDOM"), None);
}

proptest! {
    #[test]
    fn any_text_gets_an_answer_and_an_answer_reads_back(text in any::<String>()) {
        for kind in PixKeyKind::ALL {
            if let Ok(key) = PixKey::parse(kind, &text) {
                prop_assert_eq!(PixKey::parse(kind, key.as_str()), Ok(key));
            }
        }
        if let Ok(key) = PixKey::infer(&text) {
            prop_assert_eq!(PixKey::infer(key.as_str()), Ok(key));
        }
    }

    #[test]
    fn a_whole_phone_number_is_never_taken_for_a_tax_id(number in "\\+55[1-9]{2}9[0-9]{8}") {
        let key = PixKey::infer(&number).unwrap();
        prop_assert_eq!((key.kind(), key.as_str()), (PixKeyKind::Phone, number.as_str()));
    }
}
