//! The lower part: the compensation slip (ficha de compensação), 95 to 108 mm high from where the payer cuts to the edge
//! of the page. The middle of its bars is at least 12 mm above that edge.

use super::Print;
use super::bars::{HEIGHT_MM, bars};
use super::receipt::CUT;
use crate::paper::{Sheet, Style, nth};

const LEFT: f32 = 10.0;
const RIGHT: f32 = 200.0;
/// Where the column of amounts begins.
const AMOUNTS: f32 = 155.0;
const TOP: f32 = CUT + 1.5;
/// Where the bank's code and the digitable line have room.
const CODE_LEFT: f32 = LEFT + 23.5;
const LINE_LEFT: f32 = LEFT + 45.5;
/// The height of bank, code and line.
const HEAD: f32 = 9.0;
/// The height of a row.
const ROW: f32 = 6.3;
/// The height of the names.
const PARTIES: f32 = 17.0;
/// Where the bars begin, clear of the names.
const BARS: f32 = TOP + HEAD + 9.0 * ROW + PARTIES + 2.0;
const THIN: f32 = 0.2;

const BANK: Style = Style::bold(8.5);
/// Characters 5 mm high.
const CODE: Style = Style::bold_of_height(5.0);
/// Characters 3.5 to 4.5 mm high.
const LINE: Style = Style::bold_of_height(3.55);

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
    let mut y = TOP + HEAD;
    let beneficiary = print
        .beneficiary
        .lines(sheet.typeface(), VALUE, AMOUNTS - LEFT - 2.0, 1)
        .concat();
    for fields in rows(print, &beneficiary) {
        row(sheet, y, &fields);
        y += ROW;
    }
    instructions(sheet, print, y);
    y += 5.0 * ROW;
    parties(sheet, print, y);
    barcode(sheet, print);
}

fn head(sheet: &mut Sheet<'_, '_>, print: &Print) {
    let base = TOP + HEAD - 2.0;
    let name = sheet
        .typeface()
        .wrap(BANK, &print.bank_name, CODE_LEFT - LEFT - 2.5, 2);
    let above = nth(name.len().saturating_sub(1)) * 3.6;
    for (place, line) in name.iter().enumerate() {
        sheet.text(LEFT, base - above + nth(place) * 3.6, BANK, line);
    }
    for x in [CODE_LEFT - 1.5, LINE_LEFT - 1.0] {
        sheet.line((x, TOP + 1.0), (x, TOP + HEAD), 0.4, false);
    }
    sheet.text(CODE_LEFT, base, CODE, &print.bank_code);
    sheet.text_ending(RIGHT, base, LINE, &print.line);
}

fn rows<'a>(print: &'a Print, beneficiary: &'a str) -> [Vec<Field<'a>>; 4] {
    let place = if print.payable {
        "Pagável em qualquer banco, ou por PIX, até o vencimento"
    } else {
        ""
    };
    [
        vec![
            Field::new(LEFT, AMOUNTS, "Local de pagamento", place),
            Field::amount("Vencimento", &print.due),
        ],
        vec![
            Field::new(LEFT, AMOUNTS, "Beneficiário", beneficiary),
            Field::amount("Agência / Código do beneficiário", &print.agency),
        ],
        vec![
            Field::new(LEFT, 31.0, "Data do documento", &print.issued),
            Field::new(31.0, 93.0, "Número do documento", &print.number),
            Field::new(93.0, 108.0, "Espécie doc.", "DM"),
            Field::new(108.0, 120.0, "Aceite", "N"),
            Field::new(120.0, AMOUNTS, "Data do processamento", &print.issued),
            Field::amount("Carteira / Nosso número", &print.our_number),
        ],
        vec![
            Field::new(LEFT, 42.0, "Uso do banco", ""),
            Field::new(42.0, 62.0, "Carteira", &print.wallet),
            Field::new(62.0, 80.0, "Espécie", "R$"),
            Field::new(80.0, 115.0, "Quantidade", ""),
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
    sheet.text(field.left + 1.0, y + 2.3, LABEL, field.label);
    let value = sheet
        .typeface()
        .cut(VALUE, field.value, field.right - field.left - 2.0);
    if field.at_right {
        sheet.text_ending(field.right - 1.0, y + 5.5, VALUE, &value);
    } else {
        sheet.text(field.left + 1.0, y + 5.5, VALUE, &value);
    }
}

fn instructions(sheet: &mut Sheet<'_, '_>, print: &Print, y: f32) {
    sheet.line((LEFT, y), (RIGHT, y), THIN, false);
    sheet.line((LEFT, y), (LEFT, y + 5.0 * ROW), THIN, false);
    sheet.text(
        LEFT + 1.0,
        y + 2.3,
        LABEL,
        "Instruções (informações de responsabilidade do beneficiário)",
    );
    let room = AMOUNTS - LEFT - 4.0;
    let mut lines =
        vec!["Não receber após o vencimento. Não aceitar pagamento parcial.".to_owned()];
    lines.extend(sheet.typeface().wrap(VALUE, &print.description, room, 5));
    lines.extend(print.notice.clone());
    for (place, line) in lines.iter().enumerate() {
        sheet.text(LEFT + 1.0, y + 6.3 + nth(place) * 3.9, VALUE, line);
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
    sheet.text(LEFT + 1.0, y + 3.2, LABEL, "Pagador");
    let typeface = sheet.typeface();
    let room = RIGHT - LEFT - 23.0;
    let mut payer = print.payer.lines(typeface, VALUE, room, 2);
    payer.push(typeface.cut(VALUE, &print.payer.address, room));
    for (place, line) in payer.iter().enumerate() {
        sheet.text(LEFT + 22.0, y + 3.2 + nth(place) * 3.6, VALUE, line);
    }
    let mut beneficiary = print.beneficiary.lines(typeface, LABEL, room, 1);
    beneficiary.push(typeface.cut(LABEL, &print.beneficiary.address, room));
    sheet.text(LEFT + 1.0, y + 13.6, LABEL, "Beneficiário final");
    for (place, line) in beneficiary.iter().enumerate() {
        sheet.text(LEFT + 22.0, y + 13.6 + nth(place) * 2.5, LABEL, line);
    }
    let bottom = y + PARTIES;
    sheet.line((LEFT, bottom), (RIGHT, bottom), 0.4, false);
}

/// The bars stand 5 mm from the left edge of the frame and well clear of everything else.
fn barcode(sheet: &mut Sheet<'_, '_>, print: &Print) {
    if !print.payable {
        return;
    }
    let left = LEFT + 5.0;
    sheet.fill(
        bars(&print.barcode)
            .into_iter()
            .map(|bar| (left + bar.left, BARS, bar.width, HEIGHT_MM)),
    );
    sheet.text_ending(
        RIGHT,
        BARS + 1.0,
        LABEL,
        "Autenticação mecânica – Ficha de compensação",
    );
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::paper::Typeface;

    /// The height of an A4 page.
    const PAGE: f32 = 297.0;

    #[test]
    fn the_slip_has_the_sizes_of_the_norm() {
        let height = PAGE - CUT;
        assert!((95.0..=108.0).contains(&height), "{height}");
        let middle = PAGE - (BARS + HEIGHT_MM / 2.0);
        assert!((12.0..20.0).contains(&middle), "{middle}");
        assert!((170.0..=216.0).contains(&(RIGHT - LEFT)));
    }

    #[test]
    fn the_widest_digits_fit_beside_each_other() {
        let typeface = Typeface::built_in().unwrap();
        let code = typeface.width(CODE, "888-8");
        assert!(CODE_LEFT + code < LINE_LEFT, "{code}");
        let line = "88888.88888 88888.888888 88888.888888 8 88888888888888";
        let width = typeface.width(LINE, line);
        assert!(LINE_LEFT + width < RIGHT, "{width}");
    }
}
