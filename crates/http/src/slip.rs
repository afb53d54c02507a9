//! The boleto as paper: a receipt for the payer and, below the line to cut, the compensation slip.
//!
//! Fields, sizes and places follow Banco do Brasil's "Especificações Técnicas para Confecção de Boleto" (2019) and
//! Law 12.039/2009 (the beneficiary's document and address). What it shows is decided elsewhere: a [`Print`] holds
//! texts only.

mod bars;
mod compensation;
mod page;
mod receipt;
mod sheet;

use std::sync::OnceLock;

use krilla::Document;
use krilla::metadata::Metadata;
use krilla::page::PageSettings;

pub(crate) use page::show;
use sheet::{Sheet, Typeface};

/// A4, points.
const PAGE: (f32, f32) = (595.276, 841.89);

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
    /// Name and document in one line.
    fn line(&self) -> String {
        if self.document.is_empty() {
            self.name.clone()
        } else {
            format!("{} – {}", self.name, self.document)
        }
    }
}

/// Why a slip could not be drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct NotDrawn(pub(crate) &'static str);

/// Draws the slip as a PDF of one A4 page.
pub(crate) fn pdf(print: &Print) -> Result<Vec<u8>, NotDrawn> {
    static TYPEFACE: OnceLock<Option<Typeface>> = OnceLock::new();
    let typeface = TYPEFACE
        .get_or_init(Typeface::built_in)
        .as_ref()
        .ok_or(NotDrawn("the typeface cannot be read"))?;
    let mut document = Document::new();
    document.set_metadata(
        Metadata::new()
            .title(format!("Boleto {}", print.number))
            .language("pt-BR".to_owned())
            .producer("Vintém".to_owned()),
    );
    let settings = PageSettings::from_wh(PAGE.0, PAGE.1).ok_or(NotDrawn("A4 is no page"))?;
    let mut page = document.start_page_with(settings);
    let mut surface = page.surface();
    let mut sheet = Sheet::new(&mut surface, typeface);
    receipt::draw(&mut sheet, print);
    compensation::draw(&mut sheet, print);
    surface.finish();
    page.finish();
    document
        .finish()
        .map_err(|_error| NotDrawn("the PDF cannot be written"))
}

#[cfg(test)]
pub(crate) mod tests;
