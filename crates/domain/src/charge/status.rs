//! What can become of a charge, and what decides it.

use crate::calendar::Time;
use crate::charge::{Charge, PaymentId, ReturnReason};
use crate::error::{Conflict, Error};
use crate::money::Centavos;
use crate::provider::Payer;

/// What became of a charge.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Status {
    /// Nothing yet. When its time is over it is called EXPIRED.
    Pending,
    /// It was paid.
    Paid(Payment),
    /// It can never be paid.
    Failed(Failure),
}

/// The payment that settled a charge.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Payment {
    /// When it was paid.
    pub paid_at: Time,
    /// Who paid.
    pub payer: Payer,
    /// The payment's own id.
    pub end_to_end_id: PaymentId,
}

/// Why a charge can never be paid.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failure {
    /// When it failed.
    pub failed_at: Time,
    /// Who ended it.
    pub by: FailedBy,
    /// Why, in words.
    pub reason: String,
}

/// Who ended a charge.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FailedBy {
    /// The provider removed or rejected it: events say `FAILED`.
    Provider,
    /// The merchant cancelled it: events say `CANCELED`.
    Merchant,
}

impl FailedBy {
    /// The word events and the store use.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Provider => "FAILED",
            Self::Merchant => "CANCELED",
        }
    }

    /// Reads such a word.
    pub fn parse(word: &str) -> Option<Self> {
        [Self::Provider, Self::Merchant]
            .into_iter()
            .find(|by| by.as_str() == word)
    }
}

/// What a charge's status is called.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StatusName {
    /// It can be paid.
    Pending,
    /// It was paid.
    Paid,
    /// Its time is over.
    Expired,
    /// It was rejected or cancelled.
    Failed,
}

impl StatusName {
    /// The word of the API.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Pending => "PENDING",
            Self::Paid => "PAID",
            Self::Expired => "EXPIRED",
            Self::Failed => "FAILED",
        }
    }
}

/// What can happen to a charge.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Happening {
    /// A payment of this amount arrived.
    Paid {
        /// How much.
        amount: Centavos,
        /// By whom, when, under which id.
        payment: Payment,
    },
    /// It was ended.
    Ended(Failure),
}

/// What a happening does to a charge.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Moved {
    /// The charge has a new status.
    To(Status),
    /// It happened before: nothing changes.
    Already,
    /// The payment settles nothing and goes back to its payer.
    Return(ReturnReason),
}

/// Whether a PIX charge is over at a moment: from the instant it expires at (decisions §4).
pub(crate) fn is_pix_over(expires_at: Time, moment: Time) -> bool {
    moment >= expires_at
}

/// Whether a boleto is over at a moment: what it expires at is the last moment of the last day it can be paid, and still
/// part of it (decisions §4).
pub(crate) fn is_boleto_over(expires_at: Time, moment: Time) -> bool {
    moment > expires_at
}

impl Charge {
    /// Decides what a happening does. The moment that counts is when it was paid, not when we hear of it: a payment
    /// made in time and told late still makes PAID (decisions §4).
    ///
    /// # Errors
    /// [`Conflict::ChargeNotPending`] when a charge that was paid shall be ended.
    pub fn apply(&self, happening: &Happening) -> Result<Moved, Error> {
        match (&self.status, happening) {
            (Status::Pending, Happening::Paid { amount, payment }) => {
                if self.is_over_at(payment.paid_at) {
                    Ok(Moved::Return(ReturnReason::Late))
                } else if *amount != self.amount {
                    Ok(Moved::Return(ReturnReason::WrongAmount))
                } else {
                    Ok(Moved::To(Status::Paid(payment.clone())))
                }
            }
            (Status::Paid(earlier), Happening::Paid { payment, .. }) => {
                if earlier.end_to_end_id == payment.end_to_end_id {
                    Ok(Moved::Already)
                } else {
                    Ok(Moved::Return(ReturnReason::SecondPayment))
                }
            }
            (Status::Failed(_), Happening::Paid { .. }) => {
                Ok(Moved::Return(ReturnReason::ChargeEnded))
            }
            (Status::Pending, Happening::Ended(failure)) => {
                Ok(Moved::To(Status::Failed(failure.clone())))
            }
            (Status::Paid(_), Happening::Ended(_)) => Err(Error::Conflict(
                Conflict::ChargeNotPending(StatusName::Paid.as_str()),
            )),
            (Status::Failed(_), Happening::Ended(_)) => Ok(Moved::Already),
        }
    }
}
