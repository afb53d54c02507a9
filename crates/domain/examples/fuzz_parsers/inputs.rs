use vintem_domain::boleto::{BankCode, FreeField, Title};
use vintem_domain::brcode::crc16;
use vintem_domain::calendar::{Date, Time};
use vintem_domain::money::Centavos;

use crate::parsers::Parser;
use crate::random::Random;

/// The texts of one run: right ones, spoilt ones and noise.
pub(crate) struct Inputs {
    random: Random,
    known: Vec<String>,
    make: fn(&mut Random) -> String,
}

impl Inputs {
    pub(crate) fn new(parser: &Parser, seed: u64) -> Self {
        let mut known: Vec<String> = parser
            .examples
            .iter()
            .map(|&text| text.to_owned())
            .collect();
        for file in parser.vectors {
            let file: serde_json::Value = serde_json::from_str(file).unwrap_or_default();
            collect_texts(&file, &mut known);
        }
        Self {
            random: Random::new(seed),
            known,
            make: parser.make,
        }
    }

    pub(crate) fn next(&mut self) -> String {
        let random = &mut self.random;
        let mut text = match random.below(8) {
            0 => noise(random),
            1..=3 => (self.make)(random),
            _ => random.pick(&self.known).cloned().unwrap_or_default(),
        };
        for _ in 0..random.below(4) {
            text = spoil(random, &text, &self.known);
        }
        text
    }
}

/// Every text of a file of test vectors, short enough to be an input.
fn collect_texts(value: &serde_json::Value, texts: &mut Vec<String>) {
    match value {
        serde_json::Value::String(text) if text.len() <= 600 => texts.push(text.clone()),
        serde_json::Value::Array(values) => {
            for value in values {
                collect_texts(value, texts);
            }
        }
        serde_json::Value::Object(fields) => {
            for value in fields.values() {
                collect_texts(value, texts);
            }
        }
        _ => {}
    }
}

pub(crate) fn noise(random: &mut Random) -> String {
    let length = 1_usize << random.below(9);
    (0..random.below(length + 1))
        .map(|_| random.character())
        .collect()
}

/// One small thing wrong.
fn spoil(random: &mut Random, text: &str, known: &[String]) -> String {
    let mut characters: Vec<char> = text.chars().collect();
    let at = random.below(characters.len());
    let other = random.below(characters.len());
    let character = match random.below(3) {
        0 => random.character(),
        _ => char::from(b"0123456789"[random.below(10)]),
    };
    match random.below(8) {
        _ if characters.is_empty() => characters.push(character),
        0 => characters[at] = character,
        1 => characters.insert(at, character),
        2 => {
            characters.remove(at);
        }
        3 => characters.swap(at, other),
        4 => characters.truncate(at),
        5 => {
            let again: Vec<char> = characters[at.min(other)..at.max(other)].to_vec();
            characters.splice(at..at, again);
        }
        6 => {
            let tail = random.pick(known).map(String::as_str).unwrap_or_default();
            characters.truncate(at);
            characters.extend(tail.chars().skip(at));
        }
        _ => characters.insert(at, *random.pick(&[' ', '.', '-']).unwrap_or(&' ')),
    }
    characters.into_iter().collect()
}

/// Barcode or line of a boleto that was just made.
pub(crate) fn boleto(random: &mut Random) -> String {
    let title = Title {
        bank: BankCode::parse(&random.digits(3)).unwrap_or_else(some_bank),
        free_field: FreeField::parse(&random.digits(25)).unwrap_or_else(some_free_field),
        amount: i64::try_from(random.next() >> (20 + random.below(44)))
            .ok()
            .map(Centavos::new),
        due_date: Some(Date::from_unix_days(
            i64::try_from(random.below(60_000)).unwrap_or_default(),
        )),
    };
    match (title.barcode(), random.below(3)) {
        (Ok(barcode), 0) => barcode.to_string(),
        (Ok(barcode), 1) => barcode.line().to_string(),
        (Ok(barcode), _) => barcode.line().printed(),
        (Err(_), _) => random.digits(47),
    }
}

fn some_bank() -> BankCode {
    BankCode::parse("001").unwrap_or_else(some_bank)
}

fn some_free_field() -> FreeField {
    FreeField::parse("0500940144816060680935031").unwrap_or_else(some_free_field)
}

/// Digits that begin like a collection document; the general check digit is right one time in ten.
pub(crate) fn collection(random: &mut Random) -> String {
    use vintem_domain::bill::CollectionBarcode;
    let head = format!("8{}{}", random.digits(1), 6 + random.below(4));
    let tail = random.digits(40);
    let whole = (0..10)
        .find_map(|general| CollectionBarcode::parse(&format!("{head}{general}{tail}")).ok());
    match (whole, random.below(3)) {
        (Some(barcode), 0) => barcode.to_string(),
        (Some(barcode), 1) => barcode.line().to_string(),
        (Some(barcode), _) => barcode.line().printed(),
        (None, _) => format!("{head}{tail}"),
    }
}

pub(crate) fn bill(random: &mut Random) -> String {
    if random.below(2) == 0 {
        boleto(random)
    } else {
        collection(random)
    }
}

/// Fields with right lengths and a right checksum: what stands in them is up to chance.
pub(crate) fn brcode(random: &mut Random) -> String {
    let mut code = "000201".to_owned();
    for tag in [1, 26, 52, 53, 54, 58, 59, 60, 61, 62, 80] {
        if random.below(12) == 0 {
            continue;
        }
        let value = match tag {
            1 => "12".to_owned(),
            26 | 80 => format!(
                "0014br.gov.bcb.pix{}",
                field(25 - 24 * random.below(2), "pix.example.com/qr/v2/abc")
            ),
            52 => "0000".to_owned(),
            53 => "986".to_owned(),
            54 => format!("{}.{}", random.below(10_000), random.digits(2)),
            58 => "BR".to_owned(),
            61 => random.digits(8),
            62 => field(5, "***"),
            _ => (0..random.below(26)).map(|_| random.character()).collect(),
        };
        code.push_str(&field(tag, &value));
    }
    code.push_str("6304");
    let checksum = crc16(code.as_bytes());
    format!("{code}{checksum:04X}")
}

fn field(tag: usize, value: &str) -> String {
    format!("{tag:02}{:02}{value}", value.chars().count())
}

pub(crate) fn moment(random: &mut Random) -> String {
    let millis = i64::try_from(random.next() >> (15 + random.below(20))).unwrap_or_default();
    let written = Time::from_millis(millis).to_string();
    match random.below(3) {
        0 => written.replace('Z', "-03:00"),
        1 => written.get(..10).unwrap_or_default().to_owned(),
        _ => written,
    }
}

pub(crate) fn digits(random: &mut Random) -> String {
    let count = random.below(16);
    random.digits(count)
}

pub(crate) fn json(random: &mut Random) -> String {
    let value = match random.below(6) {
        0 => "null".to_owned(),
        1 => format!("{}e{}", random.digits(3), random.digits(2)),
        2 => format!("\"{}\"", noise(random)),
        3 => "[".repeat(random.below(300)),
        4 => format!("[{}]", digits(random)),
        _ => format!("\"\\u{}\"", random.digits(4)),
    };
    format!("{{ \"a\" :{value} , \"b c\":{{}} }}")
}
