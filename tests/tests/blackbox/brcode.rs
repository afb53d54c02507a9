//! An independent reader of BR Codes: EMV tag-length-value with the PIX templates, nothing shared with the product.

use vintem_tests::Backend;
use vintem_tests::merchant::text;
use vintem_tests::site::{merchant, shared};

/// One level of tags in the order of the text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Tags(pub(crate) Vec<(String, String)>);

impl Tags {
    /// Reads one level; panics when lengths do not add up.
    #[track_caller]
    pub(crate) fn parse(text: &str) -> Self {
        assert!(text.is_ascii(), "a BR Code is ASCII: {text}");
        let mut tags = Vec::new();
        let mut rest = text;
        while !rest.is_empty() {
            let length: usize = rest[2..4].parse().unwrap();
            assert!(length > 0, "an empty tag in {text}");
            tags.push((rest[..2].to_owned(), rest[4..4 + length].to_owned()));
            rest = &rest[4 + length..];
        }
        Self(tags)
    }

    /// The value of a tag that must be there once.
    #[track_caller]
    pub(crate) fn value(&self, id: &str) -> &str {
        let mut found = self.0.iter().filter(|(known, _)| known == id);
        let value = found
            .next()
            .unwrap_or_else(|| panic!("no tag {id} in {self:?}"));
        assert!(found.next().is_none(), "tag {id} twice in {self:?}");
        &value.1
    }

    fn ids(&self) -> Vec<&str> {
        self.0.iter().map(|(id, _)| id.as_str()).collect()
    }
}

/// CRC-16 with polynomial 0x1021 and initial value 0xFFFF, bit by bit.
fn crc16(bytes: &[u8]) -> u16 {
    bytes.iter().fold(0xFFFF, |crc, byte| {
        (0..8).fold(crc ^ (u16::from(*byte) << 8), |crc, _| {
            if crc & 0x8000 == 0 {
                crc << 1
            } else {
                (crc << 1) ^ 0x1021
            }
        })
    })
}

/// Reads a dynamic PIX code and checks everything that is the same in all of them.
#[track_caller]
pub(crate) fn parse(code: &str) -> Tags {
    assert!(code.len() <= 512);
    let tags = Tags::parse(code);
    let ids = tags.ids();
    let mut ascending = ids.clone();
    ascending.sort_unstable();
    assert_eq!(ids, ascending, "tags in ascending order");
    assert_eq!(
        ids,
        [
            "00", "01", "26", "52", "53", "54", "58", "59", "60", "62", "63"
        ]
    );
    assert_eq!(tags.value("00"), "01");
    assert_eq!(tags.value("01"), "12");
    let account = Tags::parse(tags.value("26"));
    assert_eq!(account.ids(), ["00", "25"]);
    assert_eq!(account.value("00"), "br.gov.bcb.pix");
    let location = account.value("25");
    assert!(location.len() <= 77);
    let txid = location
        .strip_prefix("pix.vintem.example/qr/v2/")
        .unwrap_or_else(|| panic!("{location}"));
    assert!(
        (26..=35).contains(&txid.len()) && txid.bytes().all(|byte| byte.is_ascii_alphanumeric()),
        "{txid}"
    );
    assert_eq!(tags.value("52"), "0000");
    assert_eq!(tags.value("53"), "986");
    assert_eq!(tags.value("58"), "BR");
    assert!((1..=25).contains(&tags.value("59").len()));
    assert!((1..=15).contains(&tags.value("60").len()));
    assert!(code.contains("62070503***6304"), "{code}");
    let (signed, crc) = code.split_at(code.len() - 4);
    assert_eq!(crc, format!("{:04X}", crc16(signed.as_bytes())), "{code}");
    tags
}

#[test]
fn the_checksum_is_the_published_one() {
    assert_eq!(crc16(b"123456789"), 0x29B1);
    let published = "00020126580014br.gov.bcb.pix0136123e4567-e12b-12d1-a456-426655440000\
                     5204000053039865802BR5913Fulano de Tal6008BRASILIA62070503***6304";
    assert_eq!(crc16(published.as_bytes()), 0x1D3D);
}

vintem_tests::on_both!(
    a_charge_carries_a_correct_code,
    the_code_shows_the_account_in_ascii_and_within_its_limits,
    two_charges_have_two_locations,
    the_name_on_codes_can_differ_from_the_name_of_the_account,
);

fn a_charge_carries_a_correct_code(on: Backend) {
    let merchant = merchant(on);
    // Enough of them to meet a checksum that begins with a zero once in a while.
    for amount in (200..232).chain([4990, 100_000, 5_000_000]) {
        let charge = merchant.live.charge(amount);
        let tags = parse(charge["brCode"].as_str().unwrap());
        assert_eq!(
            tags.value("54"),
            format!("{}.{:02}", amount / 100, amount % 100)
        );
        assert_eq!(tags.value("59"), "Cafe do Joao");
        assert_eq!(tags.value("60"), "SAO PAULO");
    }
}

fn the_code_shows_the_account_in_ascii_and_within_its_limits(on: Backend) {
    let shared = shared(on);
    let stamp = super::instant::now();
    let name = "Padaria & Confeitaria Açaí do Zé Ltda ME — Filial 01";
    let account = shared.site.operate(&[
        "account",
        "create",
        "--name",
        name,
        "--email",
        &format!("long-{stamp}@example.com"),
        "--city",
        "São José do Vale do Rio Preto",
    ]);
    let account = text(&account["id"]);
    let key = shared
        .site
        .operate(&["key", "create", "--account", &account, "--mode", "test"]);
    let charge = shared
        .server
        .client(key["key"].as_str().unwrap())
        .charge(4990);
    let tags = parse(charge["brCode"].as_str().unwrap());
    let shown = tags.value("59");
    assert!(shown.starts_with("Padaria"), "{shown}");
    assert!(
        shown.bytes().all(|byte| byte.is_ascii_alphanumeric()
            || byte == b' '
            || byte == b'.'
            || byte == b'-'),
        "{shown}"
    );
    assert_eq!(shown.trim(), shown);
    let city = tags.value("60");
    assert!(city.to_uppercase().starts_with("SAO JOSE DO"), "{city}");
    assert_eq!(city.trim(), city);
}

fn two_charges_have_two_locations(on: Backend) {
    let merchant = merchant(on);
    let locations = [merchant.test.charge(4990), merchant.test.charge(4990)].map(|charge| {
        let tags = parse(charge["brCode"].as_str().unwrap());
        Tags::parse(tags.value("26")).value("25").to_owned()
    });
    assert_ne!(locations[0], locations[1]);
}

fn the_name_on_codes_can_differ_from_the_name_of_the_account(on: Backend) {
    let merchant = merchant(on);
    let update = [
        "account",
        "update",
        "--id",
        &merchant.account,
        "--merchant-name",
        "Empório da Zoé",
    ];
    merchant.site.print(&update);
    vintem_tests::wait::until("the change is seen", vintem_tests::wait::SOON, || {
        let charge = merchant.test.charge(4990);
        let tags = parse(charge["brCode"].as_str().unwrap());
        (tags.value("59") == "Emporio da Zoe").then_some(())
    });
    assert_eq!(merchant.test.store()["name"], "Café do João");
}
