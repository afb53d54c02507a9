//! The tables of errors: every message is provoked, and none that was provoked is missing.

use serde_json::{Value, json};
use vintem_tests::Backend;
use vintem_tests::client::{Client, Response};
use vintem_tests::merchant::{Merchant, text};
use vintem_tests::site::Site;

use super::{document, table};
use crate::rails::{funded, title};

/// A refusal as a table shows it: status, code, message.
type Row = [String; 3];

/// Requests that are refused, and what they were told.
#[derive(Default)]
struct Told(Vec<Row>);

impl Told {
    #[track_caller]
    fn note(&mut self, answer: &Response) {
        let message = answer.error(answer.status);
        let code = answer.header("X-Error-Code").unwrap();
        let status = answer.status.to_string();
        self.0.push([status, format!("`{code}`"), message]);
    }

    #[track_caller]
    fn post(&mut self, client: &Client, path: &str, body: &Value) {
        self.note(&client.post(path, body));
    }

    /// The page's table says the same, line by line.
    #[track_caller]
    fn check(&self, page: &str) {
        let header = ["Status", "Code", "Message", "What to do"];
        let rows = table(&document(page), &header);
        assert_eq!(rows.len(), self.0.len(), "{page}: {:#?}", self.0);
        for (shown, real) in rows.iter().zip(&self.0) {
            let (begin, end) = shown[2].split_once('…').unwrap_or((&shown[2], ""));
            let is_said = if end.is_empty() {
                real[2] == begin
            } else {
                real[2].starts_with(begin) && real[2].ends_with(end)
            };
            assert_eq!(shown[..2], real[..2], "{page}: {shown:?} {real:?}");
            assert!(is_said, "{page}: {shown:?} {real:?}");
        }
        let all = document("docs/errors.md");
        for [_, code, _] in &self.0 {
            assert!(all.contains(code.as_str()), "docs/errors.md lacks {code}");
        }
    }
}

fn down(merchant: &Merchant<'_>, is_down: bool) {
    let change = json!({ "up": !is_down });
    merchant.bank.post("/psp/stub/state", &change).data();
}

/// The same key with two bodies.
fn reused(told: &mut Told, client: &Client, path: &str, bodies: [&Value; 2]) {
    client.post_once(path, bodies[0], "once").data();
    told.note(&client.post_once(path, bodies[1], "once"));
}

#[test]
fn pix_is_refused_as_its_page_says() {
    let site = Site::new(Backend::Sqlite);
    let server = site.serve();
    let merchant = site.merchant(&server);
    let (create, test) = ("/v1/pixQrCode/create", &merchant.test);
    let simulate = "/v1/pixQrCode/simulate-payment";
    let mut told = Told::default();
    for body in [
        json!({ "amountCents": 199 }),
        json!({ "amountCents": 49.9 }),
        json!({ "amountCents": 4990, "expiresIn": 59 }),
        json!({ "amountCents": 4990, "customer": { "taxId": "52998224726" } }),
        json!({ "amountCents": 4990, "metadata": [] }),
    ] {
        told.post(test, create, &body);
    }
    let broken = test
        .request("POST", create)
        .json_text("{\"amountCents\": 4990");
    told.note(&broken.send());
    told.post(test, create, &json!({ "amountCents": 5_000_001 }));
    let charge = json!({ "id": test.charge(4990)["id"] });
    told.post(&merchant.live, simulate, &charge);
    let other = json!({ "id": merchant.live.charge(4990)["id"] });
    told.post(test, simulate, &other);
    test.post(simulate, &charge).data();
    told.post(test, simulate, &charge);
    let (one, two) = (
        json!({ "amountCents": 4990 }),
        json!({ "amountCents": 4991 }),
    );
    reused(&mut told, test, create, [&one, &two]);
    down(&merchant, true);
    told.post(test, create, &one);
    told.check("docs/pix.md");
}

#[test]
fn boletos_are_refused_as_their_page_says() {
    let site = Site::new(Backend::Sqlite);
    let server = site.serve();
    let merchant = site.merchant(&server);
    let (create, test) = ("/v1/boleto/create", &merchant.test);
    let simulate = "/v1/boleto/simulate-payment";
    let right = json!({
        "amountCents": 5000,
        "payer": { "name": "Ana Souza", "document": "52998224725", "cep": "01310100" },
    });
    let with = |field: &str, value: Value| {
        let mut body = right.clone();
        *body.pointer_mut(field).unwrap() = value;
        body
    };
    let mut told = Told::default();
    told.post(test, create, &with("/amountCents", json!(499)));
    told.post(test, create, &with("/payer", Value::Null));
    told.post(test, create, &with("/payer/document", json!("52998224726")));
    told.post(test, create, &with("/payer/cep", json!("01310-100")));
    let mut late = right.clone();
    late["dueDays"] = json!(6);
    told.post(test, create, &late);
    told.post(test, create, &with("/amountCents", json!(5_000_001)));
    told.post(&merchant.live, create, &right);
    let boleto = json!({ "id": test.post(create, &right).data()["id"] });
    told.post(&merchant.live, simulate, &boleto);
    let other = site.merchant(&server);
    told.post(&other.test, simulate, &boleto);
    test.post(simulate, &boleto).data();
    told.post(test, simulate, &boleto);
    let dearer = with("/amountCents", json!(5001));
    reused(&mut told, test, create, [&right, &dearer]);
    down(&merchant, true);
    told.post(test, create, &right);
    told.check("docs/boleto.md");
}

#[test]
fn bills_are_refused_as_their_page_says() {
    const WATER: &str = "846100000005246100291102005460339004695895061080";
    let site = Site::new(Backend::Sqlite);
    let server = site.serve();
    let merchant = site.merchant(&server);
    let test = &merchant.test;
    let at = |time: &str| merchant.clock("set", &["--to", time]);
    let (query, pay) = ("/v1/boleto/query", "/v1/boleto/pay");
    let quote = |code: &str| text(&test.post(query, &json!({ "barcode": code })).data()["quoteId"]);
    let by = |quote: &str, name: &str| json!({ "quoteId": quote, "externalId": name });
    at("2032-03-10T13:00:00Z");
    let mut told = Told::default();
    let mistyped = WATER.replace("1080", "1081");
    for code in [
        "123",
        &mistyped,
        "00190500954014481606906809350314337370000000101",
    ] {
        told.post(test, query, &json!({ "barcode": code }));
    }
    let old = quote(&title(1_000));
    told.post(test, pay, &json!({ "quoteId": old }));
    at("2032-03-10T13:06:00Z");
    told.post(test, pay, &by(&old, "old"));
    told.post(test, pay, &by(&quote(&title(0)), "open"));
    told.post(test, pay, &by(&quote(&title(3_000_001)), "dear"));
    at("2032-03-11T01:00:00Z");
    told.post(test, pay, &by(&quote(&title(1_000)), "night"));
    at("2032-03-11T13:00:00Z");
    // The play money is enough for three of the dearest titles.
    for (name, centavos) in [("1", 3_000_000), ("2", 2_999_999), ("3", 2_999_998)] {
        test.post(pay, &by(&quote(&title(centavos)), name)).data();
    }
    told.post(test, pay, &by(&quote(&title(2_999_997)), "4"));
    told.post(&merchant.live, pay, &by(&quote(&title(1_000)), "live"));
    let paid = quote(&title(3_000_000));
    told.post(test, pay, &by(&paid, "again"));
    told.post(test, pay, &by(&quote(WATER), "1"));
    let last = quote(WATER);
    down(&merchant, true);
    told.post(test, pay, &by(&last, "down"));
    told.check("docs/bills.md");
}

#[test]
fn withdrawals_are_refused_as_their_page_says() {
    let site = Site::new(Backend::Sqlite);
    let server = site.serve();
    let merchant = site.merchant(&server);
    let (create, live) = ("/v1/withdraw/create", &merchant.live);
    let limits = |name: &str, value: &str| {
        let account = &merchant.account;
        site.print(&["account", "limits", "--id", account, name, value]);
    };
    let right = json!({ "amountCents": 1000, "pixKey": "bia@example.com" });
    let with = |field: &str, value: Value| {
        let mut body = right.clone();
        body[field] = value;
        body
    };
    let mut told = Told::default();
    told.post(live, create, &with("amountCents", json!(0)));
    told.post(live, create, &with("amountCents", json!(100)));
    told.post(live, create, &with("pixKey", Value::Null));
    told.post(live, create, &with("pixKeyType", json!("CPF")));
    told.post(live, create, &with("pixKeyType", json!("CARD")));
    told.post(
        live,
        create,
        &with("recipientDocument", json!("52998224725")),
    );
    told.post(live, create, &right);
    told.post(live, create, &with("amountCents", json!(5_000_001)));
    funded(&merchant, 10_000);
    limits("--withdrawal-per-day", "1000");
    live.post(create, &right).data();
    told.post(live, create, &right);
    limits("--withdrawal-per-day", "default");
    let dearer = with("amountCents", json!(1001));
    reused(&mut told, live, create, [&right, &dearer]);
    limits("--duplicate-guard-minutes", "10");
    told.post(live, create, &right);
    down(&merchant, true);
    told.post(live, create, &right);
    told.check("docs/withdrawals.md");
}
