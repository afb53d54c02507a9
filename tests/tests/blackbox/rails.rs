//! The other money rails: boletos, withdrawals and third-party bills, each from the call to its end.

mod bill;
mod receipt;
mod slip;
mod withdrawal;

use std::fs;
use std::process::Command;

use serde_json::{Value, json};
use vintem_tests::Backend;
use vintem_tests::merchant::{Merchant, text};
use vintem_tests::receiver::Receiver;
use vintem_tests::site::Site;
use vintem_tests::wait;

vintem_tests::on_both!(
    a_boleto_is_issued_printed_and_settled_once,
    a_withdrawal_is_debited_at_once_and_settles_or_comes_back,
    a_bill_is_quoted_paid_once_and_told
);

/// A bank title of R$ 1,00; its due-date factor lies in the 2030s.
const TITLE: &str = "00193373700000001000500940144816060680935031";

/// The barcode of a bank title of so many centavos, without a due date.
pub(crate) fn title(centavos: i64) -> String {
    let (bank, rest) = ("0019", format!("0000{centavos:010}{:025}", 7));
    let digits = format!("{bank}{rest}");
    let sum: u32 = digits
        .bytes()
        .rev()
        .zip((2..=9).cycle())
        .map(|(digit, weight)| u32::from(digit - b'0') * weight)
        .sum();
    let check = match 11 - sum % 11 {
        0 | 10 | 11 => 1,
        digit => digit,
    };
    format!("{bank}{check}{rest}")
}

/// The status of a transaction as lists show it; nothing where there is none.
fn status(merchant: &Merchant<'_>, mode: &str, id: &str) -> String {
    let list = merchant.client(mode).get("/v1/transaction/list").data();
    let item = list
        .as_array()
        .unwrap()
        .iter()
        .find(|item| item["id"] == id);
    item.map(|item| text(&item["status"])).unwrap_or_default()
}

/// Waits until a transaction has ended like this.
#[track_caller]
fn settles(merchant: &Merchant<'_>, mode: &str, id: &str, end: &str) {
    wait::until("the worker ends it", wait::SOON, || {
        (status(merchant, mode, id) == end).then_some(())
    });
}

/// What a scanner reads on a slip printed at 150 dpi.
fn decoded(pdf: &[u8]) -> String {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("slip.pdf");
    fs::write(&file, pdf).unwrap();
    let picture = folder.path().join("slip");
    let drawn = Command::new("pdftoppm")
        .args(["-r", "150", "-png", "-singlefile"])
        .args([&file, &picture])
        .status();
    assert!(drawn.expect("`make test` installs pdftoppm").success());
    let read = Command::new("zbarimg")
        .args(["-q", "--raw"])
        .arg(picture.with_extension("png"))
        .output()
        .expect("`make test` installs zbarimg");
    String::from_utf8(read.stdout).unwrap()
}

/// What a person reads, as it stands on the page.
fn words(pdf: &[u8]) -> String {
    texts(pdf, "-layout")
}

/// What a person copies who selects everything.
fn selected(pdf: &[u8]) -> String {
    texts(pdf, "-raw")
}

fn texts(pdf: &[u8], order: &str) -> String {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("page.pdf");
    fs::write(&file, pdf).unwrap();
    let output = Command::new("pdftotext")
        .args([order.as_ref(), file.as_os_str(), "-".as_ref()])
        .output()
        .expect("`make test` installs pdftotext");
    String::from_utf8(output.stdout).unwrap()
}

fn a_boleto_is_issued_printed_and_settled_once(on: Backend) {
    let site = Site::new(on);
    let server = site.serve();
    let merchant = site.merchant(&server);
    let receiver = Receiver::start();
    merchant.webhook("test", &receiver.url());
    let body = json!({
        "amountCents": 15_000,
        "payer": { "name": "Conceição Araújo", "document": "52998224725", "cep": "01310100" },
    });
    let boleto = merchant.test.post("/v1/boleto/create", &body).data();
    let id = text(&boleto["id"]);
    assert!(id.starts_with("bol_"));
    assert_eq!(boleto["status"], "PENDING");
    assert_eq!(boleto["netAmount"], 14_801);

    let address = text(&boleto["pdfUrl"]);
    let path = &address[address.find("/boletos/").expect("an address of a slip")..];
    let slip = vintem_tests::client::Client::anonymous(server.address()).get(path);
    assert_eq!(slip.header("content-type"), Some("application/pdf"));
    assert!(slip.body.len() < 50_000);
    let codes = decoded(&slip.body);
    assert!(
        codes.contains(&text(&boleto["boleto"]["barcode"])),
        "{codes}"
    );
    assert!(codes.contains(&text(&boleto["brCode"])), "{codes}");
    let stranger = vintem_tests::client::Client::anonymous(server.address()).get("/boletos/00.pdf");
    assert_eq!(stranger.status, 404);

    let simulated = merchant
        .test
        .post("/v1/boleto/simulate-payment", &json!({ "id": id }))
        .data();
    assert_eq!(simulated["status"], "PAID");
    let event = receiver.wait_for_object(&id).json();
    assert_eq!(event["event"], "boleto.paid");
    let again = merchant
        .test
        .post("/v1/boleto/simulate-payment", &json!({ "id": id }));
    again.error(409);
    let checked = merchant
        .test
        .get(&format!("/v1/boleto/check?id={id}"))
        .data();
    assert_eq!(checked["status"], "PAID");
    assert_eq!(checked["payer"]["name"], "Sandbox Payer");
}

/// The account has so many live centavos more.
pub(crate) fn funded(merchant: &Merchant<'_>, centavos: i64) {
    let id = text(
        &merchant
            .live
            .create(&json!({ "amountCents": centavos + 80 }))
            .data()["id"],
    );
    assert_eq!(merchant.pay(&json!({ "chargeId": id }))["outcome"], "paid");
}

/// Withdraws and returns the id; the answer is PENDING, whatever becomes of it.
#[track_caller]
fn withdraw(merchant: &Merchant<'_>, centavos: i64) -> String {
    let body =
        json!({ "amountCents": centavos, "pixKey": "bia@example.com", "pixKeyType": "EMAIL" });
    let withdrawal = merchant.live.post("/v1/withdraw/create", &body).data();
    assert_eq!(withdrawal["kind"], "withdraw");
    assert_eq!(withdrawal["status"], "PENDING");
    text(&withdrawal["id"])
}

fn a_withdrawal_is_debited_at_once_and_settles_or_comes_back(on: Backend) {
    let site = Site::new(on);
    let server = site.serve();
    let merchant = site.merchant(&server);
    funded(&merchant, 10_000);
    let first = withdraw(&merchant, 4_000);
    assert_eq!(merchant.live.get("/v1/store").data()["available"], 6_000);
    settles(&merchant, "live", &first, "PAID");
    site.operate(&[
        "stub",
        "state",
        "--withdrawals",
        "fail",
        "--url",
        &format!("http://{}", server.address()),
    ]);
    let second = withdraw(&merchant, 4_000);
    settles(&merchant, "live", &second, "FAILED");
    assert_eq!(merchant.live.get("/v1/store").data()["available"], 6_000);
    let body = json!({ "amountCents": 6_001, "pixKey": "bia@example.com" });
    let refused = merchant.live.post("/v1/withdraw/create", &body).error(400);
    assert_eq!(refused, "insufficient balance");
    site.verify_ledger();
}

/// The sandbox's clock is moved to a weekday morning: nobody pays bills on a Sunday.
pub(crate) fn in_payment_hours(merchant: &Merchant<'_>) {
    merchant.clock("set", &["--to", "2032-03-10T12:00:00Z"]);
}

fn a_bill_is_quoted_paid_once_and_told(on: Backend) {
    let site = Site::new(on);
    let server = site.serve();
    let merchant = site.merchant(&server);
    let receiver = Receiver::start();
    merchant.webhook("test", &receiver.url());
    in_payment_hours(&merchant);
    let quote = merchant
        .test
        .post("/v1/boleto/query", &json!({ "barcode": TITLE }))
        .data();
    assert_eq!(quote["type"], "boleto");
    assert_eq!(quote["paymentWindow"]["open"], true);
    assert_eq!(quote["quoteExpiresInSeconds"], 300);
    let total = quote["totalDebitCents"].as_i64().unwrap();
    assert_eq!(total, quote["amounts"]["final"].as_i64().unwrap() + 150);
    let pay = |name: &str| {
        let body: Value = json!({ "quoteId": quote["quoteId"], "externalId": name });
        merchant.test.post("/v1/boleto/pay", &body)
    };
    let paid = pay("bill-1").data();
    assert_eq!(paid["status"], "PENDING");
    assert_eq!(paid["totalDebitCents"], total);
    assert_eq!(pay("bill-1").data()["id"], paid["id"]);
    pay("bill-2").error(409);
    let id = text(&paid["id"]);
    settles(&merchant, "test", &id, "PAID");
    let event = receiver.wait_for_object(&id).json();
    assert_eq!(event["event"], "withdraw.done");
    assert_eq!(event["data"]["kind"], "boletoPayment");
    assert_eq!(
        merchant.test.get("/v1/store").data()["available"],
        10_000_000 - total
    );
    site.verify_ledger();
}
