//! The BR Code, the text behind every PIX QR code (`copia e cola`), and the identifiers PIX travels under.
//!
//! A BR Code is a row of fields, each a two-digit tag, a two-digit length and a value; some values are such rows again.
//! [`BrCode`] reads static and dynamic codes, [`DynamicCode`] writes dynamic ones, [`qr_png`] draws them.

mod crc;
mod error;
mod fields;
mod fold;
mod identifier;
mod location;
mod merchant;
mod qr;
mod read;
mod write;

pub use crc::crc16;
pub use error::BrCodeError;
pub use fold::fold_text;
pub use identifier::{EndToEndId, IdentifierError, Ispb, ReturnId, TxId};
pub use location::{Location, LocationError};
pub use merchant::{MerchantCity, MerchantName};
pub use qr::{QrError, qr_data_uri, qr_modules, qr_png};
pub use read::{BrCode, Recipient};
pub use write::DynamicCode;

/// The name under which PIX marks its templates. It is compared without regard to case: many banks print it in upper case.
const PIX_NAME: &str = "br.gov.bcb.pix";

#[cfg(test)]
mod tests;
