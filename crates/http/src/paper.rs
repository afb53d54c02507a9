//! Paper: PDFs of one A4 page, and how amounts, days and documents are written on it.

mod desk;
mod sheet;
mod words;

use std::sync::OnceLock;

use krilla::Document;
use krilla::metadata::Metadata;
use krilla::page::PageSettings;
use vintem_domain::Error;

pub(crate) use desk::at_the_desk;
pub(crate) use sheet::{Sheet, Style, Typeface, nth};
pub(crate) use words::{day, punctuated, reais, sao_paulo, written};

/// A4, points.
const PAGE: (f32, f32) = (595.276, 841.89);

/// Draws a PDF of one page.
///
/// # Errors
/// [`Error::Bug`] only.
pub(crate) fn one_page(
    title: String,
    draw: impl FnOnce(&mut Sheet<'_, '_>),
) -> Result<Vec<u8>, Error> {
    static TYPEFACE: OnceLock<Option<Typeface>> = OnceLock::new();
    let typeface = TYPEFACE
        .get_or_init(Typeface::built_in)
        .as_ref()
        .ok_or(Error::bug("the typeface cannot be read"))?;
    let mut document = Document::new();
    document.set_metadata(
        Metadata::new()
            .title(title)
            .language("pt-BR".to_owned())
            .producer("Vintém".to_owned()),
    );
    let settings = PageSettings::from_wh(PAGE.0, PAGE.1).ok_or(Error::bug("A4 is no page"))?;
    let mut page = document.start_page_with(settings);
    let mut surface = page.surface();
    draw(&mut Sheet::new(&mut surface, typeface));
    surface.finish();
    page.finish();
    document
        .finish()
        .map_err(|_error| Error::bug("the PDF cannot be written"))
}
