//! What others want to be paid: bank boletos of third parties, and the collection documents of taxes and utilities.
//!
//! [`BillCode`] reads whatever a caller sends, barcode or digitable line, and says which of the two it is. A collection
//! document (arrecadação) is a [`CollectionBarcode`] of 44 digits and a [`CollectionLine`] of 48; its sibling among bank
//! boletos is in [`boleto`](crate::boleto). [`LateTerms`] says what an overdue title costs.
//!
//! Source: FEBRABAN "Layout Padrão de Arrecadação/Recebimento com Utilização do Código de Barras".

mod code;
mod collection;
mod external_id;
mod late;
mod line;
mod pay;
mod quote;
mod segment;

pub use code::BillCode;
pub use collection::{CollectionBarcode, CollectionValue, Issuer};
pub use external_id::{BadExternalId, ExternalId};
pub use late::{LateCharges, LateTerms};
pub use line::CollectionLine;
pub use pay::pay;
pub use quote::{BillAmounts, LARGEST_BILL, QUOTE_SECONDS, Quote, QuoteId, query};
pub use segment::{Segment, ValueId};

#[cfg(test)]
mod tests;
