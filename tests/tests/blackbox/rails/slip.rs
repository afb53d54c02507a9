//! The slip of a boleto, at whatever time of its life somebody opens it.

use serde_json::{Value, json};
use vintem_tests::Backend;
use vintem_tests::client::Client;
use vintem_tests::merchant::{Merchant, text};
use vintem_tests::site::merchant;

use super::{decoded, words};

vintem_tests::on_both!(a_slip_says_when_it_is_not_to_be_paid);

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
