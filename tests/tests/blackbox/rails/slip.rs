//! The slip of a boleto, at whatever time of its life somebody opens it.

use serde_json::{Value, json};
use vintem_tests::Backend;
use vintem_tests::client::{Client, raw};
use vintem_tests::merchant::{Merchant, text};
use vintem_tests::site::merchant;

use super::{decoded, selected, words};

vintem_tests::on_both!(
    a_slip_says_when_it_is_not_to_be_paid,
    a_slip_can_be_asked_for_without_its_body,
    what_is_printed_can_be_copied_and_is_whole,
);

fn boleto(merchant: &Merchant<'_>) -> Value {
    let body = json!({
        "amountCents": 15_000,
        "payer": { "name": "Conceição Araújo", "document": "52998224725", "cep": "01310100" },
    });
    merchant.test.post("/v1/boleto/create", &body).data()
}

/// The slip as whoever has its address sees it.
fn slip(merchant: &Merchant<'_>, boleto: &Value) -> Vec<u8> {
    let address = text(&boleto["pdfUrl"]);
    let path = &address[address.find("/boletos/").expect("an address of a slip")..];
    let answer = Client::anonymous(merchant.test.address()).get(path);
    assert_eq!(answer.status, 200, "{}", answer.text());
    answer.body
}

fn a_slip_says_when_it_is_not_to_be_paid(on: Backend) {
    let merchant = merchant(on);
    let (open, paid, removed) = (boleto(&merchant), boleto(&merchant), boleto(&merchant));
    let simulated = json!({ "id": paid["id"] });
    merchant
        .test
        .post("/v1/boleto/simulate-payment", &simulated)
        .data();
    let rejected = json!({ "chargeId": removed["id"], "reason": "rejected by the bank" });
    merchant.bank.post("/psp/stub/remove", &rejected).data();
    let notices = ["BOLETO PAGO", "BOLETO VENCIDO", "BOLETO CANCELADO"];
    let says = |boleto: &Value, notice: Option<&str>| {
        let pdf = slip(&merchant, boleto);
        let words = words(&pdf);
        for known in notices {
            assert_eq!(
                words.contains(known),
                notice == Some(known),
                "{known}: {words}"
            );
        }
        assert!(words.contains("AMBIENTE DE TESTE"), "{words}");
        let can_be_paid = words.contains("Pagável em qualquer banco");
        assert_eq!(can_be_paid, notice.is_none(), "{words}");
        let id = text(&boleto["id"]);
        assert_eq!(
            words.matches(&id).count(),
            2,
            "the whole id in both parts: {words}"
        );
        let codes = decoded(&pdf);
        for code in [&boleto["boleto"]["barcode"], &boleto["brCode"]] {
            assert_eq!(
                codes.contains(&text(code)),
                notice.is_none(),
                "{notice:?}: {codes}"
            );
        }
    };
    says(&open, None);
    says(&paid, Some("BOLETO PAGO"));
    says(&removed, Some("BOLETO CANCELADO"));
    merchant.clock("set", &["--advance", "30d"]);
    says(&open, Some("BOLETO VENCIDO"));
    says(&paid, Some("BOLETO PAGO"));
}

fn a_slip_can_be_asked_for_without_its_body(on: Backend) {
    let merchant = merchant(on);
    let boleto = boleto(&merchant);
    let head = |path: &str| {
        let request = format!("HEAD {path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");
        let answer = raw(merchant.test.address(), request.as_bytes()).unwrap();
        String::from_utf8(answer).expect("a head is a text")
    };
    let address = text(&boleto["pdfUrl"]);
    let answer = head(&address[address.find("/boletos/").expect("an address of a slip")..]);
    assert!(answer.starts_with("HTTP/1.1 200 "), "{answer}");
    assert!(
        answer.contains("content-type: application/pdf\r\n"),
        "{answer}"
    );
    assert!(answer.ends_with("\r\n\r\n"), "{answer}");
    let unknown = head("/boletos/00.pdf");
    assert!(unknown.starts_with("HTTP/1.1 404 "), "{unknown}");
    assert!(unknown.ends_with("\r\n\r\n"), "{unknown}");
}

fn what_is_printed_can_be_copied_and_is_whole(on: Backend) {
    let merchant = merchant(on);
    // Wherever a line of the code ends, a blank is near.
    let payee = [
        "--merchant-name",
        "P a d a r i a S a o J o a",
        "--city",
        "A B C D E F G H",
    ];
    let about = ["--document", "12ABC34501DE35", "--address", "Rua A, 1"];
    let account = ["account", "update", "--id", &merchant.account];
    merchant
        .site
        .operate(&[&account[..], &payee, &about].concat());
    let body = json!({
        "amountCents": 15_000,
        "payer": { "name": "李 Wanderleya ".repeat(14), "document": "52998224725", "cep": "01310100" },
    });
    let boleto = merchant.test.post("/v1/boleto/create", &body).data();
    let pdf = slip(&merchant, &boleto);
    let selected = selected(&pdf);
    let code: String = selected
        .lines()
        .skip_while(|line| *line != "PIX copia e cola")
        .skip(1)
        .take_while(|line| *line != "Linha digitável")
        .collect();
    assert_eq!(code, text(&boleto["brCode"]), "{selected}");
    // The payer's in both parts; the beneficiary's in its field and as the final one, too.
    let count = |what: &str| selected.matches(what).count();
    assert_eq!(count("CPF 529.982.247-25"), 2, "{selected}");
    assert_eq!(count("CNPJ 12.ABC.345/01DE-35"), 3, "{selected}");
    assert!(selected.contains("? Wanderleya ? Wanderleya"), "{selected}");
    let codes = decoded(&pdf);
    for code in [&boleto["boleto"]["barcode"], &boleto["brCode"]] {
        assert!(codes.contains(&text(code)), "{codes}");
    }
}
