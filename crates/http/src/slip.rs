//! The boleto as paper: a receipt for the payer and, below the line to cut, the compensation slip.
//!
//! Fields, sizes and places follow Banco do Brasil's "Especificações Técnicas para Confecção de Boleto" (2019) and
//! Law 12.039/2009 (the beneficiary's document and address). What it shows is decided elsewhere: a [`Print`] holds
//! texts only.

mod bars;
mod compensation;
mod page;
mod receipt;

use vintem_domain::Error;

use crate::paper::{Style, Typeface, one_page};

pub(crate) use page::show;

/// Everything a slip says, as it is written.
#[derive(Clone, Debug)]
pub(crate) struct Print {
    /// The bank's name.
    pub(crate) bank_name: String,
    /// The bank's code with its check digit, `001-9`.
    pub(crate) bank_code: String,
    /// The digitable line with dots and spaces.
    pub(crate) line: String,
    /// The 44 digits of the barcode.
    pub(crate) barcode: String,
    /// The PIX copy-and-paste code.
    pub(crate) br_code: String,
    /// The modules of its QR code, row by row.
    pub(crate) qr: Vec<Vec<bool>>,
    /// Who is paid: name, document, address.
    pub(crate) beneficiary: Party,
    /// Who pays: name, document, postal code.
    pub(crate) payer: Party,
    /// Agency and code of the beneficiary at the bank.
    pub(crate) agency: String,
    /// The wallet.
    pub(crate) wallet: String,
    /// The title's number there.
    pub(crate) our_number: String,
    /// The document's number: the boleto's id.
    pub(crate) number: String,
    /// When it was issued, `20/11/2026`.
    pub(crate) issued: String,
    /// When it is due.
    pub(crate) due: String,
    /// The amount, `1.234,56`.
    pub(crate) amount: String,
    /// What it is for.
    pub(crate) description: String,
    /// Whether it can still be paid. Otherwise there is nothing on it to scan or to copy into a bank's application.
    pub(crate) payable: bool,
    /// A word over everything: paid, expired, a test.
    pub(crate) notice: Option<String>,
}

/// A name and what is known of its bearer.
#[derive(Clone, Debug)]
pub(crate) struct Party {
    pub(crate) name: String,
    pub(crate) document: String,
    pub(crate) address: String,
}

impl Party {
    /// Name and document in at most so many lines of `room` millimetres. What is too long is the name: the document is
    /// always whole.
    fn lines(&self, typeface: &Typeface, style: Style, room: f32, most: usize) -> Vec<String> {
        let mut lines = typeface.wrap(style, &self.name, room, most);
        if self.document.is_empty() {
            return lines;
        }
        let document = format!(" – {}", self.document);
        let beside = room - typeface.width(style, &document);
        let is_full = lines.len() >= most;
        match lines.last_mut() {
            Some(last) if is_full || typeface.width(style, last) <= beside => {
                *last = typeface.cut(style, last, beside) + &document;
            }
            Some(_) | None => lines.push(self.document.clone()),
        }
        lines
    }
}

/// Draws the slip as a PDF of one A4 page.
///
/// # Errors
/// [`Error::Bug`] only.
pub(crate) fn pdf(print: &Print) -> Result<Vec<u8>, Error> {
    one_page(format!("Boleto {}", print.number), |sheet| {
        receipt::draw(sheet, print);
        compensation::draw(sheet, print);
    })
}

#[cfg(test)]
pub(crate) mod tests;
