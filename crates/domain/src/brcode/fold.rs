/// Folds any text to what every bank prints: ASCII letters, digits, space and `.,-/()`.
///
/// Letters lose their accents, also where an accent is a character of its own; `ß`, `æ`, `ª` and their like become the letters
/// they stand for; quotes and invisible characters vanish. Anything else, `&` among it, becomes a space.
/// Spaces are then collapsed and trimmed, and the text is cut to `max` characters.
/// `None` when no letter or digit is left.
pub fn fold_text(input: &str, max: usize) -> Option<String> {
    let mut folded = String::with_capacity(input.len());
    for character in input.chars() {
        fold_character(character, &mut folded);
    }
    let mut text = String::with_capacity(max);
    for word in folded.split_ascii_whitespace() {
        if !text.is_empty() {
            text.push(' ');
        }
        text.push_str(word);
    }
    text.truncate(max);
    text.truncate(text.trim_end().len());
    text.contains(|character: char| character.is_ascii_alphanumeric())
        .then_some(text)
}

fn fold_character(character: char, folded: &mut String) {
    match character {
        'a'..='z' | 'A'..='Z' | '0'..='9' | '.' | ',' | '-' | '/' | '(' | ')' => {
            folded.push(character);
        }
        character if is_dropped(character) => {}
        '\u{2010}'..='\u{2015}' | '\u{2212}' => folded.push('-'),
        _ => match latin(character) {
            Some(letters) => folded.push_str(letters),
            None => fold_capital(character, folded),
        },
    }
}

/// Quotes, and what is not seen: soft hyphen, modifier letters, combining accents, zero-width characters, byte order mark.
fn is_dropped(character: char) -> bool {
    matches!(
        character,
        '\'' | '"' | '`' | '\u{B4}' | '\u{2018}'..='\u{201F}'
    ) || matches!(character, '\u{AD}' | '\u{2B0}'..='\u{36F}' | '\u{200B}'..='\u{200F}' | '\u{2060}' | '\u{FEFF}')
}

/// The table holds small letters: a capital is looked up by its small one.
fn fold_capital(capital: char, folded: &mut String) {
    let small = capital
        .to_lowercase()
        .next()
        .filter(|small| *small != capital);
    match small.map(|small| (small, latin(small))) {
        Some((_, Some(letters))) => folded.push_str(&letters.to_ascii_uppercase()),
        // The dotted capital of Turkish and the Kelvin sign have plain small letters.
        Some((small, None)) if small.is_ascii_lowercase() => {
            folded.push(small.to_ascii_uppercase());
        }
        _ => folded.push(' '),
    }
}

/// The plain letters of an accented small letter: all of Latin-1, Latin Extended-A, -B and Additional that decompose, and the
/// ligatures and strokes that do not.
fn latin(small: char) -> Option<&'static str> {
    let letters = match small {
        'à' | 'á' | 'â' | 'ã' | 'ä' | 'å' | 'ā' | 'ă' | 'ą' | 'ǎ' | 'ǟ' | 'ǡ' | 'ǻ' | 'ȁ' | 'ȃ'
        | 'ȧ' | 'ḁ' | 'ạ' | 'ả' | 'ấ' | 'ầ' | 'ẩ' | 'ẫ' | 'ậ' | 'ắ' | 'ằ' | 'ẳ' | 'ẵ' | 'ặ'
        | 'ª' => "a",
        'æ' | 'ǽ' | 'ǣ' => "ae",
        'ḃ' | 'ḅ' | 'ḇ' | 'ƀ' => "b",
        'ç' | 'ć' | 'ĉ' | 'ċ' | 'č' | 'ḉ' => "c",
        'ď' | 'ḋ' | 'ḍ' | 'ḏ' | 'ḑ' | 'ḓ' | 'ð' | 'đ' => "d",
        'ǳ' | 'ǆ' => "dz",
        'è' | 'é' | 'ê' | 'ë' | 'ē' | 'ĕ' | 'ė' | 'ę' | 'ě' | 'ȅ' | 'ȇ' | 'ȩ' | 'ḕ' | 'ḗ' | 'ḙ'
        | 'ḛ' | 'ḝ' | 'ẹ' | 'ẻ' | 'ẽ' | 'ế' | 'ề' | 'ể' | 'ễ' | 'ệ' => "e",
        'ḟ' | 'ƒ' => "f",
        'ĝ' | 'ğ' | 'ġ' | 'ģ' | 'ǧ' | 'ǵ' | 'ḡ' => "g",
        'ĥ' | 'ȟ' | 'ḣ' | 'ḥ' | 'ḧ' | 'ḩ' | 'ḫ' | 'ẖ' | 'ħ' => "h",
        'ì' | 'í' | 'î' | 'ï' | 'ĩ' | 'ī' | 'ĭ' | 'į' | 'ǐ' | 'ȉ' | 'ȋ' | 'ḭ' | 'ḯ' | 'ỉ' | 'ị'
        | 'ı' | 'ɨ' => "i",
        'ĳ' => "ij",
        'ĵ' | 'ǰ' | 'ȷ' => "j",
        'ķ' | 'ǩ' | 'ḱ' | 'ḳ' | 'ḵ' | 'ĸ' => "k",
        'ĺ' | 'ļ' | 'ľ' | 'ḷ' | 'ḹ' | 'ḻ' | 'ḽ' | 'ŀ' | 'ł' => "l",
        'ǉ' => "lj",
        'ḿ' | 'ṁ' | 'ṃ' => "m",
        'ñ' | 'ń' | 'ņ' | 'ň' | 'ǹ' | 'ṅ' | 'ṇ' | 'ṉ' | 'ṋ' | 'ŉ' | 'ŋ' => "n",
        'ǌ' => "nj",
        'ò' | 'ó' | 'ô' | 'õ' | 'ö' | 'ō' | 'ŏ' | 'ő' | 'ơ' | 'ǒ' | 'ǫ' | 'ǭ' | 'ȍ' | 'ȏ' | 'ȫ'
        | 'ȭ' | 'ȯ' | 'ȱ' | 'ṍ' | 'ṏ' | 'ṑ' | 'ṓ' | 'ọ' | 'ỏ' | 'ố' | 'ồ' | 'ổ' | 'ỗ' | 'ộ'
        | 'ớ' | 'ờ' | 'ở' | 'ỡ' | 'ợ' | 'ø' | 'ǿ' | 'º' => "o",
        'œ' => "oe",
        'ṕ' | 'ṗ' => "p",
        'ŕ' | 'ŗ' | 'ř' | 'ȑ' | 'ȓ' | 'ṙ' | 'ṛ' | 'ṝ' | 'ṟ' => "r",
        'ś' | 'ŝ' | 'ş' | 'š' | 'ș' | 'ṡ' | 'ṣ' | 'ṥ' | 'ṧ' | 'ṩ' | 'ſ' | 'ẛ' => {
            "s"
        }
        'ß' => "ss",
        'ţ' | 'ť' | 'ț' | 'ṫ' | 'ṭ' | 'ṯ' | 'ṱ' | 'ẗ' | 'ŧ' => "t",
        'þ' => "th",
        'ù' | 'ú' | 'û' | 'ü' | 'ũ' | 'ū' | 'ŭ' | 'ů' | 'ű' | 'ų' | 'ư' | 'ǔ' | 'ǖ' | 'ǘ' | 'ǚ'
        | 'ǜ' | 'ȕ' | 'ȗ' | 'ṳ' | 'ṵ' | 'ṷ' | 'ṹ' | 'ṻ' | 'ụ' | 'ủ' | 'ứ' | 'ừ' | 'ử' | 'ữ'
        | 'ự' => "u",
        'ṽ' | 'ṿ' => "v",
        'ŵ' | 'ẁ' | 'ẃ' | 'ẅ' | 'ẇ' | 'ẉ' | 'ẘ' => "w",
        'ẋ' | 'ẍ' => "x",
        'ý' | 'ÿ' | 'ŷ' | 'ȳ' | 'ẏ' | 'ẙ' | 'ỳ' | 'ỵ' | 'ỷ' | 'ỹ' => "y",
        'ź' | 'ż' | 'ž' | 'ẑ' | 'ẓ' | 'ẕ' | 'ƶ' => "z",
        _ => return None,
    };
    Some(letters)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn accents_and_foreign_characters_become_plain_text() {
        for (input, expected) in [
            ("Padaria São João", Some("Padaria Sao Joao")),
            (
                "PANIFICAÇÃO ÚNICA ÀS ÓRFÃS LTDA",
                Some("PANIFICACAO UNICA AS ORFA"),
            ),
            ("Sa\u{303}o Joa\u{303}o c\u{327}", Some("Sao Joao c")),
            ("ñandú Ñ ß ẞ ø Ø æ Æ", Some("nandu N ss SS o O ae AE")),
            ("Œuvre þ Łódź İ ı \u{212A}", Some("OEuvre th Lodz I i K")),
            ("Nguyễn Ế", Some("Nguyen E")),
            ("1ª Loja nº 2", Some("1a Loja no 2")),
            ("Silva & Filhos", Some("Silva Filhos")),
            ("C&A", Some("C A")),
            ("Sant'Ana D’Ávila \"x\"", Some("SantAna DAvila x")),
            ("  a \t\r\n\u{a0}\u{2003} b\0c  ", Some("a b c")),
            ("Café – Bar", Some("Cafe - Bar")),
            ("loja\u{200b}😀vintem_10%*", Some("loja vintem 10")),
            ("a/b (c), d.-e", Some("a/b (c), d.-e")),
            (
                "1234567890123456789012345",
                Some("1234567890123456789012345"),
            ),
            (
                "12345678901234567890123456",
                Some("1234567890123456789012345"),
            ),
            (
                "123456789012345678901234 6",
                Some("123456789012345678901234"),
            ),
            ("", None),
            (" .- ", None),
            ("東京", None),
            ("Ω", None),
        ] {
            assert_eq!(fold_text(input, 25).as_deref(), expected, "{input}");
        }
    }

    proptest! {
        #[test]
        fn any_text_folds_to_what_banks_print(input in any::<String>(), max in 0..40_usize) {
            if let Some(text) = fold_text(&input, max) {
                prop_assert!(!text.is_empty() && text.len() <= max);
                prop_assert!(text.bytes().all(|byte| byte.is_ascii_alphanumeric() || b" .,-/()".contains(&byte)));
                prop_assert!(!text.starts_with(' ') && !text.ends_with(' ') && !text.contains("  "));
                prop_assert_eq!(fold_text(&text, max), Some(text));
            }
        }

        #[test]
        fn a_letter_with_an_accent_keeps_its_letter(input in "[áâãàäéêèëíîìïóôõòöúûùüçñÁÂÃÀÄÉÊÈËÍÎÌÏÓÔÕÒÖÚÛÙÜÇÑ]{1,20}") {
            let text = fold_text(&input, 25).unwrap();
            prop_assert_eq!(text.len(), input.chars().count());
            prop_assert!(text.chars().zip(input.chars()).all(|(plain, accented)| plain.is_uppercase() == accented.is_uppercase()));
        }
    }
}
