//! Bank boletos: the barcode under them and the digitable line over them.
//!
//! A [`Title`] is what a bank puts into a new boleto; it makes a [`Barcode`] of 44 digits. The [`DigitableLine`] of 47
//! holds the same digits in another order, with a check digit for each of three blocks, for people who type. Values of
//! these types always have right check digits, and each makes the other.
//!
//! Sources: Banco Central, Carta-Circular 2.926/2000; FEBRABAN "Manual Operacional do Fator de Vencimento" and
//! Comunicado 082/2012; Banco do Brasil "Especificações Técnicas para Confecção de Boleto" (2019).

mod barcode;
mod due;
mod issue;
mod line;
mod slip;
mod title;

pub use barcode::{BankCode, Barcode, FreeField};
pub use due::{DueDate, DueFactor};
pub use issue::{
    BadBoletoAmount, BadDueDays, BoletoAmount, DueDays, NewBoleto, SlipPayer, by_barcode, by_token,
    create,
};
pub use line::DigitableLine;
pub use slip::{Cep, NotACep, Slip};
pub use title::{Title, TitleError};

#[cfg(test)]
mod properties;
crate::id::id!(
    /// A hybrid boleto.
    BoletoId, "bol_");

#[cfg(test)]
mod tests;
