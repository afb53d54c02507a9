//! The lower part: the compensation slip (ficha de compensação), 95 to 108 mm high.

use super::Print;
use super::bars::{HEIGHT_MM, bars};
use crate::paper::{Sheet, Style, nth};

const LEFT: f32 = 15.0;
const RIGHT: f32 = 195.0;
/// Where the column of amounts begins.
const AMOUNTS: f32 = 150.0;
const TOP: f32 = 172.0;
/// The height of a row.
const ROW: f32 = 7.6;
const THIN: f32 = 0.2;

const LABEL: Style = Style::regular(6.0);
const VALUE: Style = Style::regular(8.5);

/// A field of a row: where it begins, its label, what it says, and whether that stands at its right edge.
struct Field<'a> {
    left: f32,
    right: f32,
    label: &'a str,
    value: &'a str,
    at_right: bool,
}

impl<'a> Field<'a> {
    fn new(left: f32, right: f32, label: &'a str, value: &'a str) -> Self {
        Self {
            left,
            right,
            label,
            value,
            at_right: false,
        }
    }

    fn amount(label: &'a str, value: &'a str) -> Self {
        Self {
            left: AMOUNTS,
            right: RIGHT,
            label,
            value,
            at_right: true,
        }
    }
}

pub(super) fn draw(sheet: &mut Sheet<'_, '_>, print: &Print) {
    head(sheet, print);
    let mut y = TOP + 9.0;
    for fields in rows(print) {
        row(sheet, y, &fields);
        y += ROW;
    }
    instructions(sheet, print, y);
    y += 5.0 * ROW;
    parties(sheet, print, y);
    y += 2.0 * ROW + 1.0;
    if print.payable {
        barcode(sheet, print, y);
    }
}

fn head(sheet: &mut Sheet<'_, '_>, print: &Print) {
    let base = TOP + 6.5;
    let name = sheet
        .typeface()
        .cut(Style::bold(11.0), &print.bank_name, 38.0);
    sheet.text(LEFT, base, Style::bold(11.0), &name);
    for x in [LEFT + 39.0, LEFT + 57.0] {
        sheet.line((x, TOP + 1.0), (x, TOP + 9.0), 0.4, false);
    }
    // 5 mm high characters for the bank, 3.5 to 4.5 mm for the line.
    sheet.text(LEFT + 41.0, base, Style::bold(14.5), &print.bank_code);
    sheet.text_ending(RIGHT, base, Style::bold(11.5), &print.line);
}

fn rows(print: &Print) -> [Vec<Field<'_>>; 4] {
    [
        vec![
            Field::new(
                LEFT,
                AMOUNTS,
                "Local de pagamento",
                "Pagável em qualquer banco, ou por PIX, até o vencimento",
            ),
            Field::amount("Vencimento", &print.due),
        ],
        vec![
            Field::new(LEFT, AMOUNTS, "Beneficiário", &print.beneficiary.name),
            Field::amount("Agência / Código do beneficiário", &print.agency),
        ],
        vec![
            Field::new(LEFT, 35.5, "Data do documento", &print.issued),
            Field::new(35.5, 96.0, "Número do documento", &print.number),
            Field::new(96.0, 110.0, "Espécie doc.", "DM"),
            Field::new(110.0, 121.0, "Aceite", "N"),
            Field::new(121.0, AMOUNTS, "Data do processamento", &print.issued),
            Field::amount("Carteira / Nosso número", &print.our_number),
        ],
        vec![
            Field::new(LEFT, 45.0, "Uso do banco", ""),
            Field::new(45.0, 65.0, "Carteira", &print.wallet),
            Field::new(65.0, 82.0, "Espécie", "R$"),
            Field::new(82.0, 115.0, "Quantidade", ""),
            Field::new(115.0, AMOUNTS, "Valor", ""),
            Field::amount("(=) Valor do documento", &print.amount),
        ],
    ]
}

fn row(sheet: &mut Sheet<'_, '_>, y: f32, fields: &[Field<'_>]) {
    sheet.line((LEFT, y), (RIGHT, y), THIN, false);
    for field in fields {
        one(sheet, y, field);
    }
}

fn one(sheet: &mut Sheet<'_, '_>, y: f32, field: &Field<'_>) {
    sheet.line((field.left, y), (field.left, y + ROW), THIN, false);
    sheet.text(field.left + 1.0, y + 2.6, LABEL, field.label);
    let value = sheet
        .typeface()
        .cut(VALUE, field.value, field.right - field.left - 2.0);
    if field.at_right {
        sheet.text_ending(field.right - 1.0, y + 6.4, VALUE, &value);
    } else {
        sheet.text(field.left + 1.0, y + 6.4, VALUE, &value);
    }
}

fn instructions(sheet: &mut Sheet<'_, '_>, print: &Print, y: f32) {
    sheet.line((LEFT, y), (RIGHT, y), THIN, false);
    sheet.line((LEFT, y), (LEFT, y + 5.0 * ROW), THIN, false);
    sheet.text(
        LEFT + 1.0,
        y + 2.6,
        LABEL,
        "Instruções (informações de responsabilidade do beneficiário)",
    );
    let room = AMOUNTS - LEFT - 4.0;
    let mut lines =
        vec!["Não receber após o vencimento. Não aceitar pagamento parcial.".to_owned()];
    lines.extend(sheet.typeface().wrap(VALUE, &print.description, room, 5));
    lines.extend(print.notice.clone());
    for (place, line) in lines.iter().enumerate() {
        sheet.text(LEFT + 1.0, y + 7.2 + nth(place) * 4.2, VALUE, line);
    }
    let amounts = [
        "(-) Desconto / Abatimento",
        "(-) Outras deduções",
        "(+) Mora / Multa",
        "(+) Outros acréscimos",
        "(=) Valor cobrado",
    ];
    for (place, label) in amounts.into_iter().enumerate() {
        let top = y + nth(place) * ROW;
        if place > 0 {
            sheet.line((AMOUNTS, top), (RIGHT, top), THIN, false);
        }
        one(sheet, top, &Field::amount(label, ""));
    }
}

fn parties(sheet: &mut Sheet<'_, '_>, print: &Print, y: f32) {
    sheet.line((LEFT, y), (RIGHT, y), THIN, false);
    sheet.text(LEFT + 1.0, y + 2.6, LABEL, "Pagador");
    let room = RIGHT - LEFT - 16.0;
    for (place, line) in [print.payer.line(), print.payer.address.clone()]
        .iter()
        .enumerate()
    {
        let line = sheet.typeface().cut(VALUE, line, room);
        sheet.text(LEFT + 14.0, y + 4.0 + nth(place) * 4.0, VALUE, &line);
    }
    let mut beneficiary = print.beneficiary.line();
    if !print.beneficiary.address.is_empty() {
        beneficiary = format!("{beneficiary} – {}", print.beneficiary.address);
    }
    let beneficiary = sheet.typeface().cut(LABEL, &beneficiary, room - 8.0);
    sheet.text(LEFT + 1.0, y + 13.4, LABEL, "Beneficiário final");
    sheet.text(LEFT + 22.0, y + 13.4, LABEL, &beneficiary);
    sheet.line((LEFT, y + 2.0 * ROW), (RIGHT, y + 2.0 * ROW), 0.4, false);
}

/// The bars stand 5 mm from the left edge of the frame and well clear of everything else.
fn barcode(sheet: &mut Sheet<'_, '_>, print: &Print, y: f32) {
    let left = LEFT + 5.0;
    sheet.fill(
        bars(&print.barcode)
            .into_iter()
            .map(|bar| (left + bar.left, y + 3.0, bar.width, HEIGHT_MM)),
    );
    sheet.text_ending(
        RIGHT,
        y + 3.0,
        LABEL,
        "Autenticação mecânica – Ficha de compensação",
    );
}
