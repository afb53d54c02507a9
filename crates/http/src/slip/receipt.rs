//! The upper part: what the payer keeps, and the PIX code.

use super::Print;
use crate::paper::{Sheet, Style, nth};

const LEFT: f32 = 10.0;
const RIGHT: f32 = 200.0;
const LABEL: Style = Style::regular(6.5);
const VALUE: Style = Style::regular(9.0);

/// Where the payer cuts.
pub(super) const CUT: f32 = 190.0;

/// The QR code: its side and where it stands.
const QR_SIDE: f32 = 50.0;
const QR_LEFT: f32 = 20.0;
const QR_TOP: f32 = 116.0;

pub(super) fn draw(sheet: &mut Sheet<'_, '_>, print: &Print) {
    head(sheet, print);
    parties(sheet, print);
    figures(sheet, print);
    if print.payable {
        pix(sheet, print);
    }
    sheet.line((LEFT, CUT), (RIGHT, CUT), 0.2, true);
    sheet.text_ending(RIGHT, CUT - 1.5, LABEL, "Corte aqui");
}

fn head(sheet: &mut Sheet<'_, '_>, print: &Print) {
    sheet.text(LEFT, 20.0, Style::bold(15.0), "Recibo do pagador");
    sheet.text_ending(
        RIGHT,
        20.0,
        Style::bold(11.0),
        &format!("{} | {}", print.bank_name, print.bank_code),
    );
    sheet.line((LEFT, 23.0), (RIGHT, 23.0), 0.4, false);
    if let Some(notice) = &print.notice {
        sheet.text(LEFT, 31.0, Style::bold(14.0), notice);
    }
}

/// A label over one or more lines of text; answers where the next field begins.
fn field(
    sheet: &mut Sheet<'_, '_>,
    at: (f32, f32),
    room: f32,
    label: &str,
    lines: &[String],
) -> f32 {
    let (x, mut y) = at;
    sheet.shaded(x, y, LABEL, 90, label);
    for line in lines {
        y += 4.2;
        let line = sheet.typeface().cut(VALUE, line, room);
        sheet.text(x, y, VALUE, &line);
    }
    y + 5.6
}

fn parties(sheet: &mut Sheet<'_, '_>, print: &Print) {
    let room = 86.0;
    let wrapped = |text: &str, most| sheet.typeface().wrap(VALUE, text, room, most);
    let mut beneficiary = wrapped(&print.beneficiary.name, 3);
    beneficiary.push(print.beneficiary.document.clone());
    beneficiary.extend(wrapped(&print.beneficiary.address, 2));
    let mut payer = wrapped(&print.payer.name, 3);
    payer.push(print.payer.document.clone());
    payer.push(print.payer.address.clone());
    let present = |lines: Vec<String>| {
        lines
            .into_iter()
            .filter(|line| !line.is_empty())
            .collect::<Vec<_>>()
    };
    field(
        sheet,
        (LEFT, 38.0),
        room,
        "Beneficiário",
        &present(beneficiary),
    );
    field(sheet, (LEFT + 92.0, 38.0), room, "Pagador", &present(payer));
}

fn figures(sheet: &mut Sheet<'_, '_>, print: &Print) {
    let y = 74.0;
    sheet.line((LEFT, y - 4.0), (RIGHT, y - 4.0), 0.2, false);
    let columns = [
        (
            LEFT,
            34.0,
            "Nosso número",
            format!("{}/{}", print.wallet, print.our_number),
        ),
        (
            LEFT + 36.0,
            66.0,
            "Número do documento",
            print.number.clone(),
        ),
        (LEFT + 104.0, 30.0, "Vencimento", print.due.clone()),
        (
            LEFT + 138.0,
            42.0,
            "Valor do documento (R$)",
            print.amount.clone(),
        ),
    ];
    for (x, room, label, value) in columns {
        field(sheet, (x, y), room, label, &[value]);
    }
    let lines = sheet
        .typeface()
        .wrap(VALUE, &print.description, RIGHT - LEFT, 3);
    field(sheet, (LEFT, 86.0), RIGHT - LEFT, "Descrição", &lines);
}

fn pix(sheet: &mut Sheet<'_, '_>, print: &Print) {
    sheet.line((LEFT, QR_TOP - 10.0), (RIGHT, QR_TOP - 10.0), 0.2, false);
    sheet.text(
        LEFT,
        QR_TOP - 4.0,
        Style::bold(11.0),
        "Pague com PIX: a confirmação vem em segundos",
    );
    let module = QR_SIDE / nth(print.qr.len().max(1));
    let dark = print.qr.iter().enumerate().flat_map(|(row, modules)| {
        modules
            .iter()
            .enumerate()
            .filter(|(_, dark)| **dark)
            .map(move |(column, _)| (row, column))
    });
    sheet.fill(dark.map(|(row, column)| {
        (
            QR_LEFT + nth(column) * module,
            QR_TOP + 3.0 + nth(row) * module,
            module,
            module,
        )
    }));
    let x = QR_LEFT + QR_SIDE + 12.0;
    let small = Style::regular(7.5);
    sheet.shaded(x, QR_TOP + 5.0, LABEL, 90, "PIX copia e cola");
    let code = sheet.typeface().split(small, &print.br_code, RIGHT - x);
    for (place, line) in code.into_iter().enumerate() {
        sheet.text(x, QR_TOP + 9.5 + nth(place) * 3.6, small, line);
    }
    sheet.shaded(x, QR_TOP + 42.0, LABEL, 90, "Linha digitável");
    sheet.text(x, QR_TOP + 47.0, Style::bold(9.5), &print.line);
    let how =
        "Aponte a câmera do aplicativo do seu banco para o código, ou copie um dos dois códigos.";
    sheet.text(LEFT, CUT - 13.0, small, how);
}
