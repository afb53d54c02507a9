use vintem_domain::bill::{BillAmounts, BillCode};
use vintem_domain::calendar::Date;
use vintem_domain::document::Document;
use vintem_domain::receipt::{GivenBack, PaidBill, Party, ReceiptPurpose, SentPix};
use vintem_domain::{Centavos, Time};

use super::*;

fn receipt(purpose: ReceiptPurpose) -> Receipt {
    Receipt {
        id: "wd_01M7YPDTMEGAH8K7GR5AQCK32C".to_owned(),
        environment: Environment::Sandbox,
        payer: "Padaria e Confeitaria São João da Conceição Comércio de Alimentos e Bebidas do Brasil Ltda".to_owned(),
        payer_document: Some(Document::parse("12ABC34501DE35").unwrap()),
        amount: Centavos::new(123_456),
        fee: Centavos::new(100),
        debited: Centavos::new(123_556),
        paid_at: Time::parse("2026-11-20T12:00:00Z").unwrap(),
        authentication: "E00000000202611201200a1b2c3d4e5f".to_owned(),
        purpose,
        issued_at: Time::parse("2026-11-20T12:30:00Z").unwrap(),
    }
}

/// Names and texts as long as they can be.
fn longest() -> [ReceiptPurpose; 3] {
    let recipient = Party {
        name: Some("Conceição de Albuquerque Gonçalves ".repeat(6)[..200].to_owned()),
        document: Some("***.456.789-**".to_owned()),
        bank: Some("Ç".repeat(200)),
    };
    let description = "Repasse de março\tnº 7,\nentrega às 6h ".repeat(60);
    let amount = Centavos::new(9_999_999_999);
    let amounts = BillAmounts {
        original: amount,
        interest: amount,
        fine: amount,
        discount: amount,
        rebate: amount,
        total: amount,
    };
    [
        ReceiptPurpose::Withdrawal(SentPix {
            recipient: recipient.clone(),
            recipient_by_payer: recipient.name.clone(),
            pix_key: format!("b***@{}.com.br", "exemplo".repeat(9)),
            description: Some(description.clone()),
        }),
        ReceiptPurpose::Bill(PaidBill {
            code: BillCode::parse("846100000005246100291102005460339004695895061080").unwrap(),
            bank: recipient.bank.clone(),
            beneficiary: recipient.name.clone(),
            due_date: Some(Date::from_parts(2026, 11, 20).unwrap()),
            amounts,
            external_id: "W".repeat(255),
        }),
        ReceiptPurpose::Refund(GivenBack {
            recipient,
            charge: "chg_01M7YPDTMEGAH8K7GR5AQCK32C".to_owned(),
            end_to_end_id: "E00000000202611201200a1b2c3d4e5f".to_owned(),
            paid: amount,
            paid_at: Time::parse("2026-11-20T12:00:00Z").unwrap(),
            reason: Some(description),
        }),
    ]
}

#[test]
fn a_receipt_is_one_small_pdf() {
    for purpose in longest() {
        let pdf = receipt_pdf(&receipt(purpose), LiveBank::Real).unwrap();
        assert!(pdf.starts_with(b"%PDF-"));
        assert!(pdf.len() < 50_000, "{} bytes", pdf.len());
    }
}

#[test]
fn the_longest_receipt_fits_the_page() {
    for purpose in longest() {
        let receipt = Receipt {
            payer: "Ç".repeat(200),
            ..receipt(purpose)
        };
        let mut end = 0.0;
        one_page(String::new(), |sheet| {
            end = draw(sheet, &receipt, LiveBank::Play);
        })
        .unwrap();
        assert!((200.0..290.0).contains(&end), "{end} mm");
    }
}

#[test]
fn a_party_shows_what_is_known_and_no_more() {
    let unknown = SentPix {
        recipient: Party::default(),
        recipient_by_payer: None,
        pix_key: "b***@example.com".to_owned(),
        description: None,
    };
    let all = words::sections(&receipt(ReceiptPurpose::Withdrawal(unknown)));
    let section = all.iter().find(|it| it.title == "Quem recebeu").unwrap();
    let labels: Vec<_> = section.rows.iter().map(|row| row.label).collect();
    assert_eq!(labels, ["Chave PIX"]);
}
