//! `vintem receipt`: what was paid, on paper.

use std::fs;
use std::path::PathBuf;

use serde_json::{Value, json};
use vintem_tests::Backend;
use vintem_tests::merchant::{Merchant, text};
use vintem_tests::site::{Site, merchant};

use super::{funded, in_payment_hours, settles, withdraw, words};

vintem_tests::on_both!(
    a_withdrawal_has_a_receipt,
    bills_have_receipts_that_tell_what_they_were_made_up_of,
    a_refund_has_a_receipt_that_tells_the_first_payment,
    what_is_not_paid_has_no_receipt,
    a_receipt_overwrites_no_file,
);

/// A boleto of R$ 100,00 that was due on March 1, 2032.
const OVERDUE: &str = "23791.23454 67890.123457 67890.123457 6 35640000010000";
/// A telephone bill of R$ 24,61.
const PHONE: &str = "84610000000-5 24610029110-2 00546033900-4 69589506108-0";
/// What a receipt of the play bank in live mode says.
const PLAY_BANK: &str = "BANCO DE TESTES · sem valor";
/// What every receipt of a sandbox says.
const SANDBOX: &str = "SANDBOX · sem valor";

/// The merchant has told who it is.
fn known(merchant: &Merchant<'_>) {
    let account = &merchant.account;
    let update = ["account", "update", "--id", account];
    merchant
        .site
        .operate(&[&update[..], &["--document", "12.ABC.345/01DE-35"]].concat());
}

/// Where the receipt of something would be.
fn file(merchant: &Merchant<'_>, id: &str) -> PathBuf {
    merchant.site.folder().join(format!("{id}.pdf"))
}

/// What a receipt says, line by line, without the room between its columns.
#[track_caller]
fn receipt(merchant: &Merchant<'_>, id: &str) -> Vec<String> {
    let file = file(merchant, id);
    let path = file.to_str().unwrap();
    let told = merchant
        .site
        .operate(&["receipt", "--id", id, "--to", path]);
    assert_eq!(told, json!({ "id": id, "file": path }));
    let pdf = fs::read(&file).unwrap();
    assert!(pdf.len() < 50_000, "{} bytes", pdf.len());
    let words = words(&pdf);
    let lines = words.lines().map(|line| {
        let words: Vec<&str> = line.split_whitespace().collect();
        words.join(" ")
    });
    lines.filter(|line| !line.is_empty()).collect()
}

#[track_caller]
fn assert_says(receipt: &[String], lines: &[&str]) {
    let mut rest = receipt.iter();
    for line in lines {
        assert!(
            rest.any(|said| said == line),
            "{line} is not where it should be: {receipt:#?}"
        );
    }
}

/// The line that begins so.
#[track_caller]
fn after<'a>(receipt: &'a [String], label: &str) -> &'a str {
    let mut lines = receipt.iter();
    let line = lines.find_map(|line| line.strip_prefix(label));
    line.unwrap_or_else(|| panic!("no {label}: {receipt:#?}"))
        .trim()
}

#[track_caller]
fn assert_refused(merchant: &Merchant<'_>, id: &str, reason: &str) {
    let file = file(merchant, id);
    let refused = merchant
        .site
        .run(&["receipt", "--id", id, "--to", file.to_str().unwrap()]);
    let stderr = String::from_utf8_lossy(&refused.stderr);
    assert_eq!(refused.status.code(), Some(1), "{stderr}");
    assert!(stderr.contains(reason), "{stderr}");
    assert!(!file.exists(), "{stderr}");
}

/// Pays a bill of the sandbox and returns the payment's id.
#[track_caller]
fn pay(merchant: &Merchant<'_>, code: &str, name: &str) -> String {
    let quote = merchant
        .test
        .post("/v1/boleto/query", &json!({ "barcode": code }))
        .data();
    let body = json!({ "quoteId": quote["quoteId"], "externalId": name });
    text(&merchant.test.post("/v1/boleto/pay", &body).data()["id"])
}

fn a_withdrawal_has_a_receipt(on: Backend) {
    let merchant = merchant(on);
    known(&merchant);
    funded(&merchant, 200_000);
    let body = json!({
        "amountCents": 123_456,
        "pixKey": "bia@example.com",
        "beneficiaryName": "Beatriz Conceição Araújo",
        "description": "Comissão de março",
        "passFee": true,
    });
    let made = merchant.live.post("/v1/withdraw/create", &body).data();
    let id = text(&made["id"]);
    settles(&merchant, "live", &id, "PAID");
    let story = merchant.site.operate(&["payout", "show", "--id", &id]);
    let receipt = receipt(&merchant, &id);
    assert_says(
        &receipt,
        &[
            "Comprovante de transferência PIX Vintém",
            "Valores",
            "Valor transferido R$ 1.234,56",
            "Tarifa R$ 1,00",
            "Total debitado R$ 1.235,56",
            "Situação Efetivado",
            "Quem pagou",
            "Nome Café do João",
            "CPF/CNPJ 12.ABC.345/01DE-35",
            "Quem recebeu",
            "CPF/CNPJ ***.000.001-**",
            "Nome informado por quem pagou Beatriz Conceição Araújo",
            "Chave PIX b***@example.com",
            "Descrição Comissão de março",
            "Identificação",
            &format!(
                "ID da transação (endToEndId) {}",
                text(&story["endToEndId"])
            ),
            &format!("Identificador no Vintém {id}"),
        ],
    );
    let paid_at = after(&receipt, "Data e hora");
    assert!(
        paid_at.ends_with("(horário de São Paulo, UTC-3)"),
        "{paid_at}"
    );
    assert!(receipt.iter().any(|line| line == PLAY_BANK), "{receipt:?}");
    assert!(!receipt.iter().any(|line| line.contains("SANDBOX")));
    let told = merchant
        .site
        .operate(&["receipt", "--id", &id, "--to", "b.pdf"]);
    assert_eq!(told["file"], "b.pdf");
}

fn bills_have_receipts_that_tell_what_they_were_made_up_of(on: Backend) {
    let merchant = merchant(on);
    merchant.clock("set", &["--to", "2032-03-10T13:00:00Z"]);
    let (boleto, phone) = (
        pay(&merchant, OVERDUE, "fatura 42"),
        pay(&merchant, PHONE, "telefone de março"),
    );
    for id in [&boleto, &phone] {
        settles(&merchant, "test", id, "PAID");
    }
    let authentication = |id: &str| format!("Autenticação {}", &id["bp_".len()..]);
    let receipt_of_boleto = receipt(&merchant, &boleto);
    assert_says(
        &receipt_of_boleto,
        &[
            "Comprovante de pagamento de boleto Vintém",
            SANDBOX,
            "Valor pago R$ 102,30",
            "Tarifa R$ 1,50",
            "Total debitado R$ 103,80",
            "Nome Café do João",
            "Beneficiário",
            "Nome Sandbox Beneficiary",
            "Banco emissor Bradesco",
            "Documento pago",
            &format!("Linha digitável {OVERDUE}"),
            "Vencimento 01/03/2032",
            "Valor original R$ 100,00",
            "Multa R$ 2,00",
            "Juros R$ 0,30",
            "Desconto R$ 0,00",
            "Abatimento R$ 0,00",
            "Valor final R$ 102,30",
            "Identificação de quem pagou fatura 42",
            &authentication(&boleto),
        ],
    );
    let paid_at = after(&receipt_of_boleto, "Data e hora");
    assert!(paid_at.starts_with("10/03/2032 às 10:0"), "{paid_at}");
    let receipt_of_phone = receipt(&merchant, &phone);
    assert_says(
        &receipt_of_phone,
        &[
            "Comprovante de pagamento de tributo ou conta Vintém",
            SANDBOX,
            "Valor pago R$ 24,61",
            "Segmento Telecomunicações",
            &format!("Linha digitável {PHONE}"),
            "Valor final R$ 24,61",
            "Identificação de quem pagou telefone de março",
            &authentication(&phone),
        ],
    );
}

fn a_refund_has_a_receipt_that_tells_the_first_payment(on: Backend) {
    let merchant = merchant(on);
    let charge = text(&merchant.test.charge(4990)["id"]);
    merchant.test.simulate(&charge).data();
    let paid = merchant.test.check(&charge).data();
    let arguments = ["charge", "refund", "--id", &charge, "--amount", "1990"];
    let refund = merchant
        .site
        .operate(&[&arguments[..], &["--reason", "troca de peça"]].concat());
    let receipt = receipt(&merchant, &text(&refund["id"]));
    assert_says(
        &receipt,
        &[
            "Comprovante de devolução PIX Vintém",
            SANDBOX,
            "Valor devolvido R$ 19,90",
            "Tarifa R$ 0,00",
            "Total debitado R$ 19,90",
            "Quem devolveu",
            "Nome Café do João",
            "Quem recebeu a devolução",
            "Nome Sandbox Payer",
            "CPF/CNPJ ***.000.001-**",
            "Instituição Sandbox Bank",
            "Pagamento original",
            &format!("Cobrança {charge}"),
            "Valor recebido R$ 49,90",
            &format!("ID da transação original {}", text(&paid["endToEndId"])),
            "Motivo da devolução troca de peça",
            &format!("ID da devolução {}", text(&refund["returnId"])),
            &format!("Identificador no Vintém {}", text(&refund["id"])),
        ],
    );
}

fn what_is_not_paid_has_no_receipt(on: Backend) {
    let site = Site::new(on);
    let mut server = site.serve();
    let merchant = site.merchant(&server);
    funded(&merchant, 10_000);
    let fail: Value = json!({ "withdrawals": "fail", "bills": "fail" });
    merchant.bank.post("/psp/stub/state", &fail).data();
    let withdrawal = withdraw(&merchant, 4_000);
    in_payment_hours(&merchant);
    let bill = pay(&merchant, PHONE, "a");
    settles(&merchant, "live", &withdrawal, "FAILED");
    settles(&merchant, "test", &bill, "FAILED");
    let charge = text(&merchant.live.charge(4990)["id"]);
    merchant.pay(&json!({ "chargeId": charge }));
    server.kill();
    // Nobody is there to send it.
    let refund = site.operate(&["charge", "refund", "--id", &charge, "--amount", "1"]);
    assert_refused(
        &merchant,
        &text(&refund["id"]),
        "the payment is PENDING, not PAID: there is no receipt",
    );
    for id in [&withdrawal, &bill] {
        assert_refused(
            &merchant,
            id,
            "the payment is FAILED, not PAID: there is no receipt",
        );
    }
    let nobodys = "01ARZ3NDEKTSV4RRFFQ69G5FAV";
    assert_refused(&merchant, &format!("wd_{nobodys}"), "payment not found");
    assert_refused(&merchant, &format!("rf_{nobodys}"), "refund not found");
}

fn a_receipt_overwrites_no_file(on: Backend) {
    let merchant = merchant(on);
    let body = json!({ "amountCents": 5_000, "pixKey": "+5511987654321" });
    let id = text(&merchant.test.post("/v1/withdraw/create", &body).data()["id"]);
    let file = file(&merchant, &id);
    fs::write(&file, "mine").unwrap();
    let path = file.to_str().unwrap();
    let refused = merchant.site.run(&["receipt", "--id", &id, "--to", path]);
    assert_eq!(refused.status.code(), Some(1));
    let stderr = String::from_utf8(refused.stderr).unwrap();
    assert!(stderr.contains("exists already"), "{stderr}");
    assert_eq!(fs::read_to_string(&file).unwrap(), "mine");
    fs::remove_file(&file).unwrap();
    assert_says(&receipt(&merchant, &id), &["Chave PIX +5511*****4321"]);
}
