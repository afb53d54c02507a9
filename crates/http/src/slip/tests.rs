use super::*;

/// A slip with names longer than it has room for.
pub(crate) fn print() -> Print {
    Print {
        bank_name: "Banco Vintém".to_owned(),
        bank_code: "001-9".to_owned(),
        line: "00190.50095 40144.816069 06809.350314 3 37370000000100".to_owned(),
        barcode: "00193373700000001000500940144816060680935031".to_owned(),
        br_code: "00020101021226700014br.gov.bcb.pix2548pix.vintem.example/qr/v2/aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa5204000053039865406100.005802BR5916Padaria Sao Joao6009SAO PAULO62070503***6304ABCD".to_owned(),
        qr: (0..57).map(|row| (0..57).map(|column| (row * column) % 3 == 0).collect()).collect(),
        beneficiary: Party {
            name: "Padaria e Confeitaria São João da Conceição Comércio de Alimentos e Bebidas do Brasil Ltda".to_owned(),
            document: "CNPJ 12.ABC.345/01DE-35".to_owned(),
            address: "Rua das Laranjeiras, 1000, São Paulo – SP".to_owned(),
        },
        payer: Party {
            name: "Maria da Conceição Albuquerque Gonçalves de Assunção Araújo e Sá Cavalcanti Júnior".to_owned(),
            document: "CPF 000.000.001-91".to_owned(),
            address: "CEP 01310-100".to_owned(),
        },
        agency: "0001 / 1234567".to_owned(),
        wallet: "17".to_owned(),
        our_number: "00000000001".to_owned(),
        number: "bol_01M7YPDTMEGAH8K7GR5AQCK32C".to_owned(),
        issued: "18/11/2026".to_owned(),
        due: "21/11/2026".to_owned(),
        amount: "100,00".to_owned(),
        description: "Assinatura de pão francês, entrega diária às 6h, mês de novembro".to_owned(),
        payable: true,
        notice: Some("AMBIENTE DE TESTE – SEM VALOR".to_owned()),
    }
}

#[test]
fn a_slip_is_one_small_pdf() {
    let pdf = pdf(&print()).unwrap();
    assert!(pdf.starts_with(b"%PDF-"));
    assert!(pdf.len() < 50_000, "{} bytes", pdf.len());
}

#[test]
fn long_names_leave_the_document_whole() {
    let typeface = Typeface::built_in().unwrap();
    let style = Style::regular(8.5);
    for name in [
        "Ana",
        "Wanderleya de Mascarenhas e Albuquerque",
        &"Maria ".repeat(33),
        &"W".repeat(200),
    ] {
        for document in ["CPF 000.000.001-91", "CNPJ 12.ABC.345/01DE-35", ""] {
            let party = Party {
                name: name.to_owned(),
                document: document.to_owned(),
                address: String::new(),
            };
            for (room, most) in [(60.0, 1), (60.0, 2), (133.0, 1), (168.0, 2), (168.0, 3)] {
                let lines = party.lines(&typeface, style, room, most);
                assert!(lines.len() <= most, "{lines:?}");
                assert!(
                    lines.iter().all(|line| typeface.width(style, line) <= room),
                    "{lines:?}"
                );
                assert!(lines.last().unwrap().ends_with(document), "{lines:?}");
                assert!(lines[0].starts_with(&name[..1]), "{lines:?}");
            }
        }
    }
}
