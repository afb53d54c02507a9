use std::fmt;

use vintem_domain::bill::{BillCode, CollectionBarcode, CollectionLine, ExternalId};
use vintem_domain::boleto::{BankCode, Barcode, DigitableLine, FreeField};
use vintem_domain::brcode::{self, BrCode, EndToEndId, Ispb, Location, ReturnId, TxId};
use vintem_domain::calendar::{BankCalendar, Date, Holiday, PaymentHours, Time};
use vintem_domain::charge::{ChargeId, Metadata};
use vintem_domain::document::{Cnpj, Cpf, Document};
use vintem_domain::event::EventId;
use vintem_domain::idempotency::IdempotencyKey;
use vintem_domain::key::Scopes;
use vintem_domain::pix_key::{PixKey, PixKeyKind};
use vintem_domain::text::{Email, Phone, Text};
use vintem_domain::transaction::Page;
use vintem_domain::webhook::WebhookUrl;

use crate::inputs;
use crate::random::Random;

/// A parser, or several that read the same kind of text.
pub(crate) struct Parser {
    pub(crate) name: &'static str,
    /// Texts to begin with.
    pub(crate) examples: &'static [&'static str],
    /// Files of test vectors whose texts are begun with too.
    pub(crate) vectors: &'static [&'static str],
    /// Makes a text the parser may like.
    pub(crate) make: fn(&mut Random) -> String,
    /// Whether the text is accepted; panics when a promise is broken.
    pub(crate) accepts: fn(&str) -> bool,
}

/// What is accepted must read back from what it is written as, and an error must have words.
fn reads_back<T: PartialEq, E: fmt::Display>(
    text: &str,
    parse: impl Fn(&str) -> Result<T, E>,
    write: impl Fn(&T) -> String,
) -> bool {
    match parse(text) {
        Ok(value) => {
            let written = write(&value);
            let again = parse(&written).ok();
            assert!(again == Some(value), "{written} reads back as another");
            true
        }
        Err(error) => {
            assert!(!error.to_string().is_empty(), "an error without words");
            false
        }
    }
}

/// All parsers of the crate.
pub(crate) const PARSERS: [Parser; 16] = [
    Parser {
        name: "brcode",
        examples: &[],
        vectors: &[include_str!("../../../../tests/vectors/brcode.json")],
        make: inputs::brcode,
        accepts: |text| {
            let _ = brcode::fold_text(text, 25);
            let code = BrCode::parse(text);
            assert!(
                code == BrCode::parse(text),
                "the same text reads differently"
            );
            code.map_err(|error| assert!(!error.to_string().is_empty(), "an error without words"))
                .is_ok()
        },
    },
    Parser {
        name: "location",
        examples: &[
            "pix.vintem.example/qr/v2/abc",
            "a.b",
            "pix.example.com/qr?x",
        ],
        vectors: &[],
        make: inputs::noise,
        accepts: |text| reads_back(text, Location::parse, ToString::to_string),
    },
    Parser {
        name: "pix_identifiers",
        examples: &[
            "E12345678202601011200abcdefghijk",
            "D12345678202009091221abcdf098765",
            "abcdefghijklmnopqrstuvwxyz012345",
            "1234ABCD",
        ],
        vectors: &[],
        make: inputs::digits,
        accepts: |text| {
            reads_back(text, TxId::parse, ToString::to_string)
                | reads_back(text, Ispb::parse, ToString::to_string)
                | reads_back(text, EndToEndId::parse, ToString::to_string)
                | reads_back(text, ReturnId::parse, ToString::to_string)
        },
    },
    Parser {
        name: "document",
        examples: &[],
        vectors: &[
            include_str!("../../../../tests/vectors/cpf.json"),
            include_str!("../../../../tests/vectors/cnpj.json"),
        ],
        make: inputs::digits,
        accepts: |text| {
            let _ = Document::parse(text).map(|document| document.masked());
            reads_back(text, Cpf::parse_lenient, ToString::to_string)
                | reads_back(text, Cnpj::parse_lenient, ToString::to_string)
                | reads_back(text, Document::parse_lenient, ToString::to_string)
        },
    },
    Parser {
        name: "boleto",
        examples: &["001", "0500940144816060680935031"],
        vectors: &[include_str!("../../../../tests/vectors/boleto.json")],
        make: inputs::boleto,
        accepts: |text| {
            let _ = (BankCode::parse(text), FreeField::parse(text));
            reads_back(text, Barcode::parse, ToString::to_string)
                | reads_back(text, DigitableLine::parse, DigitableLine::printed)
        },
    },
    Parser {
        name: "collection",
        examples: &[],
        vectors: &[include_str!("../../../../tests/vectors/arrecadacao.json")],
        make: inputs::collection,
        accepts: |text| {
            reads_back(text, CollectionBarcode::parse, ToString::to_string)
                | reads_back(text, CollectionLine::parse, CollectionLine::printed)
        },
    },
    Parser {
        name: "bill",
        examples: &[],
        vectors: &[
            include_str!("../../../../tests/vectors/boleto.json"),
            include_str!("../../../../tests/vectors/arrecadacao.json"),
        ],
        make: inputs::bill,
        accepts: |text| {
            if let Ok(code) = BillCode::parse(text) {
                let _ = (code.amount(), code.due_date(Date::from_unix_days(20_777)));
            }
            reads_back(text, BillCode::parse, BillCode::printed_line)
        },
    },
    Parser {
        name: "pix_key",
        examples: &[
            "111.444.777-35",
            "12.ABC.345/01DE-35",
            "+55 (11) 91234-5678",
            "ana@example.com",
            "123e4567-e89b-12d3-a456-426655440000",
        ],
        vectors: &[include_str!("../../../../tests/vectors/cnpj.json")],
        make: inputs::digits,
        accepts: |text| {
            let kinds = PixKeyKind::ALL.map(|kind| {
                let parse = |text: &str| PixKey::parse(kind, text);
                reads_back(text, parse, |key| {
                    assert!(
                        key.kind() == kind && !key.masked().is_empty(),
                        "another kind"
                    );
                    key.to_string()
                })
            });
            reads_back(text, PixKey::infer, ToString::to_string) | kinds.contains(&true)
        },
    },
    Parser {
        name: "date",
        examples: &[
            "2026-11-20",
            "2024-02-29",
            "9999-12-31",
            "01-25 Aniversário",
        ],
        vectors: &[],
        make: inputs::moment,
        accepts: |text| {
            let calendar = BankCalendar::national().with(Holiday::parse(text));
            if let Ok(date) = Date::parse(text) {
                let _ = calendar.last_payable_day(date, 30);
                let _ = (date.start_in_sao_paulo(), date.last_second_in_sao_paulo());
            }
            reads_back(text, Date::parse, ToString::to_string)
        },
    },
    Parser {
        name: "time",
        examples: &[
            "2026-11-20T12:00:00Z",
            "2026-11-20T12:00:00.123456789-03:00",
        ],
        vectors: &[],
        make: inputs::moment,
        accepts: |text| {
            if let Ok(moment) = Time::parse(text) {
                let calendar = BankCalendar::national();
                let _ = PaymentHours::BOLETO.window(&calendar, moment).to_string();
            }
            reads_back(text, Time::parse, ToString::to_string)
        },
    },
    Parser {
        name: "id",
        examples: &[
            "chg_01JD3N5Z8Q9V7X2K4M6P8R0T1W",
            "evt_7ZZZZZZZZZZZZZZZZZZZZZZZZZ",
        ],
        vectors: &[],
        make: inputs::noise,
        accepts: |text| {
            reads_back(text, ChargeId::parse, ToString::to_string)
                | reads_back(text, EventId::parse, ToString::to_string)
        },
    },
    Parser {
        name: "metadata",
        examples: &["{}", "{\"order\": \"A-1\", \"n\": [1, 2.5e3, null, true]}"],
        vectors: &[],
        make: inputs::json,
        accepts: |text| {
            reads_back(text, Metadata::parse, |metadata| {
                metadata.as_str().to_owned()
            })
        },
    },
    Parser {
        name: "idempotency_key",
        examples: &["order-1"],
        vectors: &[],
        make: inputs::noise,
        accepts: |text| reads_back(text, IdempotencyKey::parse, |key| key.as_str().to_owned()),
    },
    Parser {
        name: "text",
        examples: &["Ana Souza", "ana@example.com", "+55 (11) 91234-5678"],
        vectors: &[],
        make: inputs::noise,
        accepts: |text| {
            let short =
                |text: &str| Text::<20>::parse(text).map(|text| text.map(|text| text.to_string()));
            reads_back(text, short, |text| text.clone().unwrap_or_default())
                | reads_back(text, Email::parse, ToString::to_string)
                | reads_back(text, Phone::parse, |phone| phone.as_str().to_owned())
                | reads_back(text, ExternalId::parse, ToString::to_string)
        },
    },
    Parser {
        name: "webhook_url",
        examples: &["https://example.com/hook?a=b", "http://127.0.0.1:8080"],
        vectors: &[],
        make: inputs::noise,
        accepts: |text| reads_back(text, WebhookUrl::parse, |url| url.as_str().to_owned()),
    },
    Parser {
        name: "lists",
        examples: &[
            "all",
            "STORE:READ,PIX:READ",
            "100",
            "01JD3N5Z8Q9V7X2K4M6P8R0T1W",
        ],
        vectors: &[],
        make: inputs::digits,
        accepts: |text| {
            let page = [
                Page::parse(Some(text), None).is_ok(),
                Page::parse(None, Some(text)).is_ok(),
            ];
            Scopes::parse(text).is_ok() | page.contains(&true)
        },
    },
];
