//! Money on its way out: what withdrawals and third-party payments have in common.
//!
//! The debit and the intent commit before the provider is called. From then on the answer to the caller stands, and a
//! worker sends, looks up and refunds: an unknown outcome is looked up, never guessed, and nothing is paid twice,
//! because the provider knows each payout by its own id.

mod debit;
mod settle;
mod step;
mod story;

use crate::account::{Origin, Owner};
use crate::bill::{ExternalId, QuoteId};
use crate::calendar::Time;
use crate::error::Error;
use crate::id::{NotAnId, Ulid, parse_ulid};
use crate::money::Centavos;
use crate::provider::KeyOwner;
use crate::text::{Description, Name};

pub(crate) use debit::{account_as_payer, open, payout_news};
pub(crate) use settle::{Outbound, settle};
pub use settle::{Round, settle_due};
pub(crate) use step::next;
pub use step::{LONGEST_CALL_MS, Phase, Step};
pub use story::{Story, story};

/// A payout's id. How it is written depends on what it is for: `wd_…` or `bp_…`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PayoutId(pub Ulid);

impl PayoutId {
    /// Reads an id as the API writes it, of whatever kind.
    ///
    /// # Errors
    /// [`NotAnId`].
    pub fn parse(text: &str) -> Result<Self, NotAnId> {
        text.strip_prefix("wd_")
            .or_else(|| text.strip_prefix("bp_"))
            .and_then(parse_ulid)
            .map(Self)
            .ok_or(NotAnId {
                prefix: "wd_ or bp_",
            })
    }
}

/// What money goes out for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Purpose {
    /// A PIX to somebody.
    Withdrawal(Withdrawal),
    /// A third-party boleto, tax or utility bill.
    Bill(BillOrder),
}

/// The details of a withdrawal.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Withdrawal {
    /// The key it goes to, in canonical form.
    pub pix_key: String,
    /// What kind of key: CPF, CNPJ, EMAIL, PHONE or EVP.
    pub pix_key_kind: &'static str,
    /// Whom the caller named.
    pub beneficiary_name: Option<Name>,
    /// What the payee is told.
    pub description: Option<Description>,
    /// Whom the key belonged to when it was made.
    pub payee: KeyOwner,
}

/// The details of a third-party payment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BillOrder {
    /// The quote whose amount was locked.
    pub quote: QuoteId,
    /// The title: its 44-digit barcode.
    pub barcode: String,
    /// The caller's own name for the payment.
    pub external_id: ExternalId,
}

impl Purpose {
    /// The word of the API for this kind.
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Withdrawal(_) => "withdraw",
            Self::Bill(_) => "boletoPayment",
        }
    }

    /// What ids of this kind start with.
    pub fn prefix(&self) -> &'static str {
        match self {
            Self::Withdrawal(_) => "wd_",
            Self::Bill(_) => "bp_",
        }
    }
}

/// Money on its way out. All but its status and its steps is fixed at its making.
///
/// Always `debit = net_amount + fee`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Payout {
    /// Its id.
    pub id: PayoutId,
    /// Whose money.
    pub owner: Owner,
    /// How it came to be.
    pub origin: Origin,
    /// What it is for.
    pub purpose: Purpose,
    /// What the caller asked, centavos.
    pub amount: Centavos,
    /// What arrives, centavos.
    pub net_amount: Centavos,
    /// What the fee takes, centavos.
    pub fee: Centavos,
    /// What became of it.
    pub status: PayoutStatus,
    /// How far the worker is with it.
    pub step: Step,
    /// When it was made, in the time of its environment.
    pub created_at: Time,
}

impl Payout {
    /// The id as the API writes it.
    pub fn public_id(&self) -> String {
        format!("{}{}", self.purpose.prefix(), self.id.0)
    }

    /// How a provider names its settlement: an end-to-end id for a PIX, an authentication of letters and digits where
    /// the money does not travel by PIX. Made of the payout's own id, so that it is the same each time it is asked for.
    ///
    /// # Errors
    /// [`Error::Bug`] only.
    pub fn authentication(&self, settled_at_ms: i64) -> Result<String, Error> {
        match &self.purpose {
            Purpose::Bill(_) => Ok(self.id.0.to_string()),
            Purpose::Withdrawal(_) => {
                let mut random = [0; 32];
                for (byte, known) in random
                    .iter_mut()
                    .zip(self.id.0.to_bytes().into_iter().rev())
                {
                    *byte = known;
                }
                let id =
                    crate::charge::sandbox_end_to_end_id(Time::from_millis(settled_at_ms), random)?;
                Ok(id.as_str().to_owned())
            }
        }
    }

    /// What left the balance, centavos.
    ///
    /// # Errors
    /// [`crate::money::Overflow`].
    pub fn debit(&self) -> Result<Centavos, crate::money::Overflow> {
        self.net_amount.plus(self.fee)
    }
}

/// What became of a payout.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PayoutStatus {
    /// The worker is at it.
    Pending,
    /// The money arrived.
    Paid {
        /// When, in the time of its environment.
        at: Time,
        /// The end-to-end id, or the authentication of the settlement where it did not travel by PIX.
        authentication: String,
    },
    /// It failed, and value and fee are back.
    Failed {
        /// When, in the time of its environment.
        at: Time,
        /// Why, in words.
        reason: String,
    },
}

impl PayoutStatus {
    /// The word of the API.
    pub fn as_str(&self) -> &'static str {
        match self {
            Self::Pending => "PENDING",
            Self::Paid { .. } => "PAID",
            Self::Failed { .. } => "FAILED",
        }
    }
}

/// What is under way among all payouts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Backlog {
    /// PENDING ones.
    pub pending: i64,
    /// PENDING ones that a worker should be at.
    pub due: i64,
    /// PENDING ones the provider was asked for [`Self::STUCK_TRIES`] times or more: somebody should look.
    pub stuck: i64,
    /// When the one that is due first is or was due (real time).
    pub oldest_due_at: Option<Time>,
}

impl std::ops::Add for Backlog {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        let earliest = self.oldest_due_at.into_iter().chain(other.oldest_due_at);
        Self {
            pending: self.pending.saturating_add(other.pending),
            due: self.due.saturating_add(other.due),
            stuck: self.stuck.saturating_add(other.stuck),
            oldest_due_at: earliest.min(),
        }
    }
}

impl Backlog {
    /// After so many questions, a minute at least, a provider should have said what became of a payout.
    pub const STUCK_TRIES: i64 = 10;
}

/// What a provider says of a payout.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PayoutAnswer {
    /// The money arrived.
    Settled {
        /// The end-to-end id, or the settlement's authentication.
        authentication: String,
    },
    /// It was refused, or came back.
    Failed {
        /// Why, in words.
        reason: String,
    },
    /// It is under way.
    UnderWay,
    /// The provider has never heard of it.
    NeverReceived,
}

#[cfg(test)]
mod tests;
