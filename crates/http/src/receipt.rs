//! A receipt as paper: one A4 page in Portuguese, as Brazilian banks print them.
//!
//! What it says is decided by the rules ([`vintem_domain::receipt`]) and worded in `words`; here is where it stands.

mod words;

use vintem_domain::receipt::Receipt;
use vintem_domain::{Environment, Error};

use crate::paper::{Sheet, Style, nth, one_page, sao_paulo};
use words::{Row, Section};

const LEFT: f32 = 20.0;
const RIGHT: f32 = 190.0;
/// Where values begin.
const VALUES: f32 = 72.0;
/// From one line of a value to the next.
const LINE: f32 = 4.6;
/// What a row has beside its lines.
const GAP: f32 = 1.5;

const LABEL: Style = Style::regular(9.0);
const VALUE: Style = Style::regular(9.5);
const STRONG: Style = Style::bold(9.5);
const SMALL: Style = Style::regular(8.0);

/// How dark labels are.
const GREY: u8 = 90;

/// Who moves the money of live accounts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LiveBank {
    /// A payment provider.
    Real,
    /// The play bank: nothing moves.
    Play,
}

/// Draws the receipt as a PDF of one A4 page. One that proves nothing, because it is of a sandbox or of the play bank,
/// says so.
///
/// # Errors
/// [`Error::Bug`] only.
pub fn receipt_pdf(receipt: &Receipt, bank: LiveBank) -> Result<Vec<u8>, Error> {
    one_page(format!("Comprovante {}", receipt.id), |sheet| {
        draw(sheet, receipt, bank);
    })
}

/// Draws everything; answers where it ends.
fn draw(sheet: &mut Sheet<'_, '_>, receipt: &Receipt, bank: LiveBank) -> f32 {
    let mut y = head(sheet, receipt, bank);
    for section in words::sections(receipt) {
        y = draw_section(sheet, &section, y);
    }
    sheet.line((LEFT, y), (RIGHT, y), 0.2, false);
    let issued = format!("Comprovante emitido em {}", sao_paulo(receipt.issued_at));
    sheet.shaded(LEFT, y + 6.0, SMALL, GREY, &issued);
    y + 6.0
}

/// Title and, where no money moved, what keeps people from taking it for more than it is; answers where the rest begins.
fn head(sheet: &mut Sheet<'_, '_>, receipt: &Receipt, bank: LiveBank) -> f32 {
    sheet.text(LEFT, 21.0, Style::bold(16.0), words::title(receipt));
    sheet.text_ending(RIGHT, 21.0, Style::bold(11.0), "Vintém");
    sheet.line((LEFT, 25.0), (RIGHT, 25.0), 0.5, false);
    let warning = match (receipt.environment, bank) {
        (Environment::Sandbox, _) => words::SANDBOX,
        (Environment::Live, LiveBank::Play) => words::PLAY_BANK,
        (Environment::Live, LiveBank::Real) => return 34.0,
    };
    sheet.frame((LEFT, 29.0), (RIGHT, 45.0), 0.7);
    sheet.text(LEFT + 4.0, 36.5, Style::bold(15.0), warning);
    sheet.text(LEFT + 4.0, 42.0, LABEL, words::NO_VALUE_MEANS);
    54.0
}

fn draw_section(sheet: &mut Sheet<'_, '_>, section: &Section, top: f32) -> f32 {
    sheet.text(LEFT, top, Style::bold(11.0), section.title);
    sheet.line((LEFT, top + 2.0), (RIGHT, top + 2.0), 0.2, false);
    let mut y = top + 7.5;
    for row in &section.rows {
        y = draw_row(sheet, row, y);
    }
    y + 4.5
}

/// A label and, beside it, the lines of a value; answers where the next row stands.
fn draw_row(sheet: &mut Sheet<'_, '_>, row: &Row, y: f32) -> f32 {
    let style = if row.strong { STRONG } else { VALUE };
    let lines = sheet
        .typeface()
        .wrap(style, &row.value, RIGHT - VALUES, row.most_lines);
    sheet.shaded(LEFT, y, LABEL, GREY, row.label);
    for (place, line) in lines.iter().enumerate() {
        sheet.text(VALUES, y + nth(place) * LINE, style, line);
    }
    y + nth(lines.len().max(1)) * LINE + GAP
}

#[cfg(test)]
mod tests;
