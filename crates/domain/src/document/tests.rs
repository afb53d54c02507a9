use proptest::prelude::*;

use super::*;

const CPF_VECTORS: &str = include_str!("../../../../tests/vectors/cpf.json");
const CNPJ_VECTORS: &str = include_str!("../../../../tests/vectors/cnpj.json");

/// Every vector: its canonical form is judged as the file says, its written form too where punctuation may be left out.
fn check_vectors(
    file: &str,
    at_least: usize,
    parse: fn(&str) -> bool,
    parse_lenient: fn(&str) -> bool,
) {
    let file: serde_json::Value = serde_json::from_str(file).unwrap();
    let vectors = file["vectors"].as_array().unwrap();
    assert!(vectors.len() >= at_least);
    for vector in vectors {
        let valid = vector["valid"].as_bool().unwrap();
        let value = vector["value"].as_str().unwrap();
        let normalized = vector["normalized"].as_str().unwrap();
        assert_eq!(parse(normalized), valid, "{normalized}");
        assert_eq!(parse_lenient(value), valid, "{value}");
        assert_eq!(parse(value), valid && value == normalized, "{value}");
        assert_eq!(Document::parse(normalized).is_ok(), valid, "{normalized}");
    }
}

#[test]
fn every_cpf_vector_is_judged_as_published() {
    check_vectors(
        CPF_VECTORS,
        28,
        |text| Cpf::parse(text).is_ok(),
        |text| Cpf::parse_lenient(text).is_ok(),
    );
}

#[test]
fn every_cnpj_vector_is_judged_as_published() {
    check_vectors(
        CNPJ_VECTORS,
        29,
        |text| Cnpj::parse(text).is_ok(),
        |text| Cnpj::parse_lenient(text).is_ok(),
    );
}

#[test]
fn no_repeated_sequence_is_a_document() {
    for character in ('0'..='9').chain('A'..='Z') {
        for length in [Cpf::LENGTH, Cnpj::LENGTH] {
            assert!(Document::parse(&character.to_string().repeat(length)).is_err());
        }
    }
    assert_eq!(Document::parse("11111111111"), Err(DocumentError::Repeated));
    assert_eq!(
        Document::parse("00000000000000"),
        Err(DocumentError::Repeated)
    );
}

#[test]
fn an_error_says_what_is_wrong_after_the_field_name() {
    for (text, message) in [
        ("", "must have 11 or 14 characters, not 0"),
        ("123456789012", "must have 11 or 14 characters, not 12"),
        (
            "1114447773x",
            "has a wrong character at position 11: only digits may stand there",
        ),
        (
            "A1144477735",
            "has a wrong character at position 1: only digits may stand there",
        ),
        (
            "abcdefghijkl80",
            "has a wrong character at position 1: only digits and upper-case letters may stand there",
        ),
        (
            "ABCDEFGHIJKL8X",
            "has a wrong character at position 14: only digits may stand there",
        ),
        (
            "1114447773５",
            "has a wrong character at position 11: only digits may stand there",
        ),
        ("11144477734", "has check digits 34, expected 35"),
        ("ABCDEFGHIJKL81", "has check digits 81, expected 80"),
        ("22222222222", "must not be one character repeated"),
    ] {
        assert_eq!(
            Document::parse(text).unwrap_err().to_string(),
            message,
            "{text}"
        );
    }
    assert_eq!(
        Cpf::parse("1").unwrap_err().to_string(),
        "must have 11 characters, not 1"
    );
    assert_eq!(
        Cnpj::parse("1").unwrap_err().to_string(),
        "must have 14 characters, not 1"
    );
}

#[test]
fn the_sandbox_payer_has_a_valid_document() {
    assert!(matches!(
        Document::parse("00000000191"),
        Ok(Document::Cpf(_))
    ));
}

#[test]
fn the_strict_form_has_no_punctuation_and_the_lenient_one_may() {
    assert!(Document::parse("111.444.777-35").is_err());
    assert!(Document::parse("12.ABC.345/01DE-35").is_err());
    assert_eq!(
        Document::parse_lenient(" 111.444.777-35 ")
            .unwrap()
            .as_str(),
        "11144477735"
    );
    assert_eq!(
        Document::parse_lenient("12.abc.345/01de-35")
            .unwrap()
            .as_str(),
        "12ABC34501DE35"
    );
}

#[test]
fn a_log_shows_the_middle_only() {
    let person = Document::parse("11144477735").unwrap();
    assert_eq!(person.masked(), "***.444.777-**");
    assert_eq!(format!("{person:?}"), "Cpf(Cpf(***.444.777-**))");
    assert_eq!(person.to_string(), "11144477735");
    let company = Document::parse("12ABC34501DE35").unwrap();
    assert_eq!(company.masked(), "**.ABC.345/****-**");
    assert_eq!(format!("{company:?}"), "Cnpj(Cnpj(**.ABC.345/****-**))");
}

/// What a character counts: digits as they are, letters from 17 on.
fn value(character: char) -> u32 {
    let place = "0123456789:;<=>?@ABCDEFGHIJKLMNOPQRSTUVWXYZ".find(character);
    u32::try_from(place.unwrap()).unwrap()
}

/// The check digits as the tax office words them, weights written out: a second opinion on the implementation.
fn with_check_digits(body: &str, weights: [&[u32]; 2]) -> String {
    let mut text = body.to_owned();
    for weights in weights {
        let sum: u32 = text
            .chars()
            .zip(weights)
            .map(|(character, weight)| value(character).wrapping_mul(*weight))
            .sum();
        // A remainder of 0 or 1 makes 0, any other 11 less the remainder.
        let remainder = usize::try_from(sum % 11).unwrap();
        text.push(char::from(b"00987654321"[remainder]));
    }
    text
}

proptest! {
    #[test]
    fn a_cpf_with_computed_digits_is_accepted_and_any_other_pair_is_refused(body in "[0-9]{9}", other in "[0-9]{2}") {
        let weights: [&[u32]; 2] = [&[10, 9, 8, 7, 6, 5, 4, 3, 2], &[11, 10, 9, 8, 7, 6, 5, 4, 3, 2]];
        let text = with_check_digits(&body, weights);
        prop_assume!(text.bytes().any(|byte| byte != text.as_bytes()[0]));
        let cpf = Cpf::parse(&text).unwrap();
        prop_assert_eq!(Cpf::parse(cpf.as_str()).unwrap(), cpf);
        prop_assert_eq!(Cpf::parse(&format!("{body}{other}")).is_ok(), text.ends_with(&other));
    }

    #[test]
    fn a_cnpj_with_computed_digits_is_accepted_and_any_other_pair_is_refused(body in "[0-9A-Z]{12}", other in "[0-9]{2}") {
        let weights: [&[u32]; 2] =
            [&[5, 4, 3, 2, 9, 8, 7, 6, 5, 4, 3, 2], &[6, 5, 4, 3, 2, 9, 8, 7, 6, 5, 4, 3, 2]];
        let text = with_check_digits(&body, weights);
        prop_assume!(text.bytes().any(|byte| byte != text.as_bytes()[0]));
        prop_assert!(Cnpj::parse(&text).is_ok());
        prop_assert_eq!(Cnpj::parse(&format!("{body}{other}")).is_ok(), text.ends_with(&other));
    }

    #[test]
    fn any_text_gets_an_answer(text in any::<String>()) {
        let _ = Document::parse(&text);
        if let Ok(document) = Document::parse_lenient(&text) {
            prop_assert_eq!(Document::parse(document.as_str()), Ok(document));
        }
    }
}
