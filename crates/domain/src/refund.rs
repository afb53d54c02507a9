//! Refunds: a merchant gives back what a payer paid, in whole or in part (decisions §4).
//!
//! A refund is its own record, and the charge stays PAID. The debit and the intent commit before the provider is called;
//! from then on it goes the way of all money out: a worker sends it under its own id, an unknown outcome is looked up and
//! never guessed, and a refund that failed brings its money back to the merchant. Of a charge never more is refunded than
//! was received.
//!
//! The payer gets back the whole of what he paid, so that is what the merchant loses: the fee of the charge is kept.
//! In a sandbox, where payments move no money, refunds settle at once and move none either. No event tells of a refund
//! (api.md, Event kinds).

mod create;
mod postings;
mod settle;
mod story;

use crate::account::Owner;
use crate::brcode::{Ispb, ReturnId};
use crate::calendar::Time;
use crate::charge::{ChargeId, PaymentId};
use crate::error::Error;
use crate::id::id;
use crate::money::{Centavos, Overflow};
use crate::payout::{PayoutStatus, Step};
use crate::text::Description;

pub use create::{NewRefund, REFUND_WINDOW_MS, create};
pub use settle::settle_due;
pub use story::{Story, story};

id!(
    /// A refund.
    RefundId, "rf_");

/// Money on its way back to whoever paid a charge. All but its status and its steps is fixed at its making.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refund {
    /// Its id.
    pub id: RefundId,
    /// Whose money.
    pub owner: Owner,
    /// The charge that was paid.
    pub charge: ChargeId,
    /// The payment that is given back.
    pub payment_id: PaymentId,
    /// How much of it, centavos.
    pub amount: Centavos,
    /// Why, in the merchant's words.
    pub reason: Option<Description>,
    /// What became of it; PAID when the payer has the money.
    pub status: PayoutStatus,
    /// How far the worker is with it.
    pub step: Step,
    /// When it was made, in the time of its environment.
    pub created_at: Time,
}

impl Refund {
    /// What it is called at its provider, which takes letters and digits alone: the same at every try, so that it
    /// happens once.
    pub fn name_at_provider(&self) -> String {
        format!("rf{}", self.id.0)
    }

    /// How a provider that settled it at a moment may name it. Made of the refund's own id, so that it is the same each
    /// time it is asked for.
    ///
    /// # Errors
    /// [`Error::Bug`] only.
    pub fn return_id(&self, settled_at_ms: i64) -> Result<String, Error> {
        let mut own = [0; 8];
        for (byte, known) in own.iter_mut().zip(self.id.0.to_bytes().into_iter().rev()) {
            *byte = known;
        }
        Ispb::parse("00000000")
            .and_then(|bank| ReturnId::build(&bank, settled_at_ms, own))
            .map(|id| id.as_str().to_owned())
            .map_err(|error| Error::bug(format!("play return id: {error}")))
    }

    /// Whether its money is with the payer, or may get there.
    pub fn counts(&self) -> bool {
        match self.status {
            PayoutStatus::Pending | PayoutStatus::Paid { .. } => true,
            PayoutStatus::Failed { .. } => false,
        }
    }
}

/// What of a charge is refunded, or about to be.
///
/// # Errors
/// [`Overflow`].
pub fn refunded(refunds: &[Refund]) -> Result<Centavos, Overflow> {
    refunds
        .iter()
        .filter(|refund| refund.counts())
        .try_fold(Centavos::ZERO, |sum, refund| sum.plus(refund.amount))
}

#[cfg(test)]
mod tests;
