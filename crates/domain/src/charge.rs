//! PIX charges: what they are, how they are made, paid, cancelled, rejected and listed.

mod amount;
mod create;
mod draft;
mod fail;
mod metadata;
mod news;
mod postings;
mod receipt;
mod receive;
mod returns;
mod status;
mod story;

use crate::account::{Origin, Owner};
use crate::boleto::{BoletoId, Slip};
use crate::brcode::TxId;
use crate::calendar::Time;
use crate::document::Document;
use crate::id::{NotAnId, id};
use crate::money::{Centavos, Overflow};
use crate::text::{Description, Email, Name, Phone};

pub use amount::{BadChargeAmount, ChargeAmount, SMALLEST_CHARGE};
pub use create::{BadExpiresIn, ExpiresIn, NewCharge, create, show};
pub(crate) use draft::{Asked, Draft};
pub use fail::{cancel, owner_of, remove};
pub use metadata::{BadMetadata, Metadata};
pub use receipt::{PaymentId, Receipt};
pub use receive::{
    Outcome, find, receive, receive_for, sandbox_end_to_end_id, sandbox_payer, simulate,
};
pub use returns::{Return, ReturnKey, ReturnReason, ReturnState, give_back_due};
pub use status::{FailedBy, Failure, Happening, Moved, Payment, Status, StatusName};
pub(crate) use status::{is_boleto_over, is_pix_over};
pub use story::{EventStory, Story, story};

id!(
    /// A PIX charge.
    ChargeId, "chg_");

impl ChargeId {
    /// Reads the id of a charge of any kind as the API writes it: `chg_…` or `bol_…`.
    ///
    /// # Errors
    /// [`NotAnId`].
    pub fn parse_any(text: &str) -> Result<Self, NotAnId> {
        Self::parse(text)
            .or_else(|_no_pix_charge| BoletoId::parse(text).map(|id| Self(id.0)))
            .map_err(|_neither| NotAnId {
                prefix: "chg_ or bol_",
            })
    }
}

/// What kind of charge it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ChargeKind {
    /// A PIX charge.
    PixQrCode,
    /// A hybrid boleto: the same charge, payable by digitable line too.
    Boleto(Box<Slip>),
}

impl ChargeKind {
    /// The word of the API.
    pub fn as_str(&self) -> &'static str {
        match self {
            Self::PixQrCode => "pixQrCode",
            Self::Boleto(_) => "boleto",
        }
    }

    /// What ids of this kind start with.
    pub fn prefix(&self) -> &'static str {
        match self {
            Self::PixQrCode => ChargeId::PREFIX,
            Self::Boleto(_) => BoletoId::PREFIX,
        }
    }
}

/// Whom a charge is for, as far as the merchant said.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Customer {
    /// Name.
    pub name: Option<Name>,
    /// E-mail.
    pub email: Option<Email>,
    /// Phone.
    pub cellphone: Option<Phone>,
    /// CPF or CNPJ.
    pub tax_id: Option<Document>,
}

/// A PIX charge. All but its status is fixed at its making.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Charge {
    /// Its id; [`Self::public_id`] is how the API writes it.
    pub id: ChargeId,
    /// What kind it is.
    pub kind: ChargeKind,
    /// Whose.
    pub owner: Owner,
    /// How it came to be.
    pub origin: Origin,
    /// What the payer pays, centavos.
    pub amount: Centavos,
    /// What the account receives, centavos.
    pub net_amount: Centavos,
    /// What the payer is told.
    pub description: Option<Description>,
    /// Whom it is for.
    pub customer: Customer,
    /// The merchant's own data.
    pub metadata: Option<Metadata>,
    /// Its name at the provider.
    pub txid: TxId,
    /// The copy-and-paste code.
    pub br_code: String,
    /// When it ends: a PIX charge cannot be paid any more from this instant on, a boleto after it.
    pub expires_at: Time,
    /// When it was made.
    pub created_at: Time,
    /// What became of it.
    pub status: Status,
}

impl Charge {
    /// The id as the API writes it.
    pub fn public_id(&self) -> String {
        format!("{}{}", self.kind.prefix(), self.id.0)
    }

    /// Whether its time is over at a moment (decisions §4).
    pub fn is_over_at(&self, moment: Time) -> bool {
        match self.kind {
            ChargeKind::PixQrCode => is_pix_over(self.expires_at, moment),
            ChargeKind::Boleto(_) => is_boleto_over(self.expires_at, moment),
        }
    }

    /// What its status is called at a moment: EXPIRED is not stored but derived, from the instant it applies.
    pub fn status_at(&self, now: Time) -> StatusName {
        match &self.status {
            Status::Pending if self.is_over_at(now) => StatusName::Expired,
            Status::Pending => StatusName::Pending,
            Status::Paid(_) => StatusName::Paid,
            Status::Failed(_) => StatusName::Failed,
        }
    }

    /// What the fee takes when it is paid, centavos.
    ///
    /// # Errors
    /// [`Overflow`].
    pub fn fee(&self) -> Result<Centavos, Overflow> {
        self.amount.minus(self.net_amount)
    }
}

#[cfg(test)]
mod tests;
