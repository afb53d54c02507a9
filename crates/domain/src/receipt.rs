//! Receipts (comprovantes): what a merchant shows to prove that money reached somebody.
//!
//! Only what is PAID has one. A [`Receipt`] names its payer, whose receipt it is, in full; of the other party it holds
//! only what banks print: documents and PIX keys are masked in it already, so that nobody who prints it can tell more.

mod make;

use crate::account::Environment;
use crate::bill::{BillAmounts, BillCode};
use crate::calendar::{Date, Time};
use crate::document::Document;
use crate::id::NotAnId;
use crate::money::Centavos;
use crate::payout::PayoutId;
use crate::refund::RefundId;

pub use make::receipt;

/// What a receipt is asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReceiptOf {
    /// A withdrawal or a third-party payment.
    Payout(PayoutId),
    /// A refund.
    Refund(RefundId),
}

impl ReceiptOf {
    /// Reads an id as the API and the operator's commands write it: `wd_…`, `bp_…` or `rf_…`.
    ///
    /// # Errors
    /// [`NotAnId`].
    pub fn parse(text: &str) -> Result<Self, NotAnId> {
        PayoutId::parse(text)
            .map(Self::Payout)
            .or_else(|_no_payout| RefundId::parse(text).map(Self::Refund))
            .map_err(|_neither| NotAnId {
                prefix: "wd_, bp_ or rf_",
            })
    }
}

/// A receipt. Always `debited = amount + fee`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Receipt {
    /// The id of what was paid, as the API writes it.
    pub id: String,
    /// Whether money moved at all: a sandbox's receipt proves nothing and must say so.
    pub environment: Environment,
    /// Whose money it was: the account's name.
    pub payer: String,
    /// The account's CPF or CNPJ, when it has told one.
    pub payer_document: Option<Document>,
    /// What arrived, centavos.
    pub amount: Centavos,
    /// What the fee took on top, centavos.
    pub fee: Centavos,
    /// What left the account, centavos.
    pub debited: Centavos,
    /// When it was settled, in the time of its environment.
    pub paid_at: Time,
    /// What the banks know it by: an end-to-end id, the id of a return, or the authentication of a settlement.
    pub authentication: String,
    /// What it was paid for.
    pub purpose: ReceiptPurpose,
    /// When the receipt was made, in the time of its environment.
    pub issued_at: Time,
}

/// What was paid, and to whom.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ReceiptPurpose {
    /// A PIX to somebody.
    Withdrawal(SentPix),
    /// A boleto of a third party, a tax or a utility bill.
    Bill(PaidBill),
    /// A payment that was given back.
    Refund(GivenBack),
}

/// The other party, as far as it is known and banks would tell.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Party {
    /// Name.
    pub name: Option<String>,
    /// CPF or CNPJ, masked.
    pub document: Option<String>,
    /// Bank.
    pub bank: Option<String>,
}

/// A PIX that was sent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SentPix {
    /// Whom the key belonged to.
    pub recipient: Party,
    /// Whom the payer named: told only where the directory named nobody, because nobody has checked it.
    pub recipient_by_payer: Option<String>,
    /// The PIX key, masked.
    pub pix_key: String,
    /// What the recipient was told.
    pub description: Option<String>,
}

/// A title that was paid.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PaidBill {
    /// The title.
    pub code: BillCode,
    /// The bank that issued it; none for taxes and utility bills.
    pub bank: Option<String>,
    /// Who was paid; none for taxes and utility bills.
    pub beneficiary: Option<String>,
    /// When it was due; none when nothing says so.
    pub due_date: Option<Date>,
    /// What it was made up of.
    pub amounts: BillAmounts,
    /// The payer's own name for the payment.
    pub external_id: String,
}

/// A payment that was given back, in whole or in part.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GivenBack {
    /// Who had paid and has his money back.
    pub recipient: Party,
    /// The charge that had been paid, as the API writes its id.
    pub charge: String,
    /// The end-to-end id of the payment.
    pub end_to_end_id: String,
    /// How much had been paid, centavos.
    pub paid: Centavos,
    /// When it had been paid, in the time of its environment.
    pub paid_at: Time,
    /// Why it was given back, in the merchant's words.
    pub reason: Option<String>,
}

#[cfg(test)]
mod tests;
