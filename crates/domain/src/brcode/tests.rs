//! Reading and writing whole codes.

use proptest::prelude::*;

use super::*;

/// The code with a right checksum behind it.
fn sealed(body: &str) -> String {
    let body = format!("{body}6304");
    format!("{body}{:04X}", crc16(body.as_bytes()))
}

/// Tag, length, value with the naivest loop there is: a second opinion on reader and writer.
fn walk(text: &str) -> Vec<(String, String)> {
    let mut fields = Vec::new();
    let mut characters = text.chars();
    let mut take = |count: usize| -> String { characters.by_ref().take(count).collect() };
    loop {
        let tag = take(2);
        if tag.is_empty() {
            return fields;
        }
        let length = take(2).parse().unwrap();
        fields.push((tag, take(length)));
    }
}

fn value(fields: &[(String, String)], tag: &str) -> Option<String> {
    fields
        .iter()
        .find(|(other, _)| other == tag)
        .map(|(_, value)| value.clone())
}
#[test]
fn a_dynamic_code_is_written_to_the_letter() {
    let code = DynamicCode {
        location: Location::parse("pix.vintem.example/qr/v2/0123456789abcdefghijklmnopqrstuv")
            .unwrap(),
        amount_centavos: 4990,
        merchant_name: MerchantName::fold("Padaria São João"),
        merchant_city: MerchantCity::fold("São Paulo"),
    };
    let body = "00020101021226790014br.gov.bcb.pix2557pix.vintem.example/qr/v2/0123456789abcdefghijklmnopqrstuv\
                520400005303986540549.905802BR5916Padaria Sao Joao6009Sao Paulo62070503***";
    assert_eq!(code.encode(), sealed(body));
}

#[test]
fn an_amount_has_two_decimals_and_none_is_left_out() {
    for (amount_centavos, expected) in [
        (1, Some("0.01")),
        (100, Some("1.00")),
        (9_999_999_999, Some("99999999.99")),
        (0, None),
        (-1, None),
    ] {
        let code = DynamicCode {
            location: Location::parse("pix.example/1").unwrap(),
            amount_centavos,
            merchant_name: MerchantName::fold("N"),
            merchant_city: MerchantCity::fold("C"),
        };
        let text = code.encode();
        assert_eq!(value(&walk(&text), "54").as_deref(), expected);
        assert!(BrCode::parse(&text).is_ok(), "{text}");
    }
}

#[test]
fn the_checksum_keeps_its_leading_zeros() {
    let codes = (1..100_000).map(|amount_centavos| {
        let code = DynamicCode {
            location: Location::parse("pix.example/1").unwrap(),
            amount_centavos,
            merchant_name: MerchantName::fold("N"),
            merchant_city: MerchantCity::fold("C"),
        };
        code.encode()
    });
    let padded = codes
        .into_iter()
        .find(|code| code[code.len() - 4..].starts_with("00"))
        .unwrap();
    assert!(BrCode::parse(&padded).is_ok(), "{padded}");
}

fn dynamic_codes() -> impl Strategy<Value = (DynamicCode, String)> {
    let location = "[a-z]{1,10}\\.[a-z]{2,8}/[a-zA-Z0-9/._-]{0,57}";
    (
        location,
        1..=9_999_999_999_i64,
        any::<String>(),
        any::<String>(),
    )
        .prop_map(|(text, amount_centavos, name, city)| {
            let code = DynamicCode {
                location: Location::parse(&text).unwrap(),
                amount_centavos,
                merchant_name: MerchantName::fold(&name),
                merchant_city: MerchantCity::fold(&city),
            };
            (code, text)
        })
}

proptest! {
    #[test]
    fn what_is_written_can_be_read((code, _) in dynamic_codes()) {
        let text = code.encode();
        prop_assert!(text.is_ascii() && text.len() <= 220);
        let read = BrCode::parse(&text).unwrap();
        prop_assert_eq!(read, BrCode {
            single_use: true,
            recipient: Recipient::Location(code.location),
            merchant_category: "0000".to_owned(),
            amount_centavos: Some(code.amount_centavos),
            merchant_name: code.merchant_name.to_string(),
            merchant_city: code.merchant_city.to_string(),
            postal_code: None,
            txid: None,
            recurrence: None,
        });
    }

    #[test]
    fn what_is_written_is_what_a_naive_reader_finds((code, location) in dynamic_codes()) {
        let text = code.encode();
        let fields = walk(&text);
        let tags: Vec<&str> = fields.iter().map(|(tag, _)| tag.as_str()).collect();
        prop_assert_eq!(tags, ["00", "01", "26", "52", "53", "54", "58", "59", "60", "62", "63"]);
        prop_assert_eq!(value(&fields, "01").unwrap(), "12");
        let account = walk(&value(&fields, "26").unwrap());
        prop_assert_eq!(account, [("00".to_owned(), PIX_NAME.to_owned()), ("25".to_owned(), location)]);
        let amount = value(&fields, "54").unwrap();
        prop_assert_eq!(amount.split_once('.').unwrap().1.len(), 2);
        prop_assert_eq!(amount.replace('.', "").parse::<i64>().unwrap(), code.amount_centavos);
        prop_assert_eq!(value(&fields, "62").unwrap(), "0503***");
        prop_assert_eq!(value(&fields, "63").unwrap(), format!("{:04X}", crc16(text.as_bytes().split_last_chunk::<4>().unwrap().0)));
    }

    #[test]
    fn a_changed_character_never_passes((code, _) in dynamic_codes(), at in any::<prop::sample::Index>(), other in "[0-9A-Za-z]") {
        let mut text = code.encode();
        let at = at.index(text.len());
        prop_assume!(!text[at..=at].eq_ignore_ascii_case(&other));
        text.replace_range(at..=at, &other);
        prop_assert!(BrCode::parse(&text).is_err());
    }

    #[test]
    fn any_text_gets_an_answer(text in any::<String>(), bytes in any::<Vec<u8>>(), rows in "([0-9]{2}0[0-9][0-9a-zé]{0,6}){0,20}") {
        for text in [text.as_str(), &String::from_utf8_lossy(&bytes), &rows, &sealed(&rows), &sealed(&format!("000201{rows}"))] {
            let _ = BrCode::parse(text);
            let _ = Location::parse(text);
        }
    }
}
