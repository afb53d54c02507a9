//! PIX charges: what they are, how they are made, paid, rejected and listed.

mod create;
mod fail;
mod news;
mod receive;
mod returns;
mod story;

use std::fmt;

use crate::account::{Origin, Owner};
use crate::boleto::{BoletoId, Slip};
use crate::brcode::{EndToEndId, TxId};
use crate::calendar::Time;
use crate::document::Document;
use crate::error::{Conflict, Error};
use crate::id::{NotAnId, id};
use crate::money::{Centavos, LARGEST_AMOUNT};
use crate::provider::Payer;
use crate::text::{Description, Email, Name, Phone};

pub(crate) use create::keep;
pub use create::{BadExpiresIn, ExpiresIn, NewCharge, create, show};
pub use fail::remove;
pub use receive::{Outcome, find, receive, sandbox_end_to_end_id, sandbox_payer, simulate};
pub use returns::give_back_due;
pub use story::{EventStory, Story, story};

id!(
    /// A PIX charge.
    ChargeId, "chg_");
id!(
    /// The return of a payment to its payer.
    ReturnKey, "ret_");

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

/// The name of a payment: the end-to-end id of a PIX, the settlement's authentication where money did not travel by
/// PIX (a digitable line at a counter). One payment has one name in the whole country.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PaymentId(String);

impl PaymentId {
    /// Reads the authentication of a settlement: 1 to 64 letters and digits.
    pub fn of_settlement(authentication: &str) -> Option<Self> {
        let fits = (1..=64).contains(&authentication.len())
            && authentication.bytes().all(|b| b.is_ascii_alphanumeric());
        fits.then(|| Self(authentication.to_owned()))
    }

    /// The name.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Takes back what was stored.
    pub fn restore(stored: String) -> Self {
        Self(stored)
    }
}

impl From<EndToEndId> for PaymentId {
    fn from(id: EndToEndId) -> Self {
        Self(id.as_str().to_owned())
    }
}

impl fmt::Display for PaymentId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
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

/// The smallest PIX charge: R$ 2,00.
pub const SMALLEST_CHARGE: Centavos = Centavos::new(200);

/// The amount a caller asks to be charged: R$ 2,00 to R$ 99.999.999,99.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ChargeAmount(Centavos);

impl ChargeAmount {
    /// Reads a number of centavos.
    ///
    /// # Errors
    /// [`BadChargeAmount`].
    pub fn parse(centavos: i64) -> Result<Self, BadChargeAmount> {
        let amount = Centavos::new(centavos);
        if amount < SMALLEST_CHARGE {
            Err(BadChargeAmount::TooSmall)
        } else if amount > LARGEST_AMOUNT {
            Err(BadChargeAmount::TooLarge)
        } else {
            Ok(Self(amount))
        }
    }

    /// The amount.
    pub fn get(self) -> Centavos {
        self.0
    }
}

/// An amount no charge can have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BadChargeAmount {
    /// Below R$ 2,00.
    TooSmall,
    /// Above R$ 99.999.999,99.
    TooLarge,
}

impl fmt::Display for BadChargeAmount {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::TooSmall => write!(f, "must be at least {SMALLEST_CHARGE}"),
            Self::TooLarge => write!(f, "must be at most {LARGEST_AMOUNT}"),
        }
    }
}

impl std::error::Error for BadChargeAmount {}

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

/// Free key/value pairs: a JSON object of at most 16 KiB, kept as it was sent (but for spaces between its parts).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Metadata(String);

impl Metadata {
    /// The most bytes it may have.
    pub const LARGEST: usize = 16 * 1024;

    /// Reads JSON text.
    ///
    /// # Errors
    /// [`BadMetadata`].
    pub fn parse(json: &str) -> Result<Self, BadMetadata> {
        if json.len() > Self::LARGEST {
            return Err(BadMetadata::TooLarge);
        }
        match serde_json::from_str::<serde_json::Value>(json) {
            Ok(serde_json::Value::Object(_)) => Ok(Self(compact(json))),
            Ok(_) | Err(_) => Err(BadMetadata::NotAnObject),
        }
    }

    /// The compact JSON text.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Takes back what was stored.
    pub fn restore(stored: String) -> Self {
        Self(stored)
    }
}

/// Drops the white space between the tokens of valid JSON.
fn compact(json: &str) -> String {
    let mut compact = String::with_capacity(json.len());
    let (mut in_string, mut escaped) = (false, false);
    for c in json.chars() {
        if in_string {
            compact.push(c);
            in_string = escaped || c != '"';
            escaped = !escaped && c == '\\';
        } else if !c.is_ascii_whitespace() {
            compact.push(c);
            in_string = c == '"';
        }
    }
    compact
}

/// Text that cannot be metadata.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BadMetadata {
    /// More than 16 KiB.
    TooLarge,
    /// No JSON object, or one that holds a number or text no parser can read.
    NotAnObject,
}

impl fmt::Display for BadMetadata {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::TooLarge => write!(f, "must have at most {} bytes", Metadata::LARGEST),
            Self::NotAnObject => f.write_str("must be a JSON object"),
        }
    }
}

impl std::error::Error for BadMetadata {}

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
    /// The instant from which it cannot be paid any more.
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

    /// What its status is called at a moment: EXPIRED is not stored but derived, from the instant it applies.
    pub fn status_at(&self, now: Time) -> StatusName {
        match &self.status {
            Status::Pending if now >= self.expires_at => StatusName::Expired,
            Status::Pending => StatusName::Pending,
            Status::Paid(_) => StatusName::Paid,
            Status::Failed(_) => StatusName::Failed,
        }
    }

    /// What the fee takes when it is paid, centavos.
    ///
    /// # Errors
    /// [`crate::money::Overflow`].
    pub fn fee(&self) -> Result<Centavos, crate::money::Overflow> {
        self.amount.minus(self.net_amount)
    }
}

/// What became of a charge.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Status {
    /// Nothing yet. From `expires_at` on it is called EXPIRED.
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

/// Why a payment goes back to its payer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReturnReason {
    /// It was paid at or after the instant the charge expired.
    Late,
    /// The charge was paid by another payment before.
    SecondPayment,
    /// It is not the charge's amount.
    WrongAmount,
    /// The charge had been rejected or cancelled.
    ChargeEnded,
}

impl ReturnReason {
    const ALL: [Self; 4] = [
        Self::Late,
        Self::SecondPayment,
        Self::WrongAmount,
        Self::ChargeEnded,
    ];

    /// The word it is stored under.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Late => "late",
            Self::SecondPayment => "second_payment",
            Self::WrongAmount => "wrong_amount",
            Self::ChargeEnded => "charge_ended",
        }
    }

    /// Reads such a word.
    pub fn parse(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|reason| reason.as_str() == word)
    }
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
                if payment.paid_at >= self.expires_at {
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

/// A bank's notice that money arrived, and what was made of it. One per end-to-end id, kept for ever.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Receipt {
    /// Whose charge.
    pub owner: Owner,
    /// Which charge.
    pub charge: ChargeId,
    /// The payment's own id.
    pub end_to_end_id: PaymentId,
    /// How much arrived, centavos.
    pub amount: Centavos,
    /// When it was paid.
    pub paid_at: Time,
    /// Who paid.
    pub payer: Payer,
    /// Why it goes back, unless it settled the charge.
    pub returned: Option<ReturnReason>,
    /// When the notice came, in the time of the charge's environment.
    pub received_at: Time,
}

/// A payment on its way back to its payer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Return {
    /// Its id: our name for it at the provider.
    pub id: ReturnKey,
    /// Whose charge the payment was for.
    pub owner: Owner,
    /// Which charge.
    pub charge: ChargeId,
    /// The payment.
    pub end_to_end_id: PaymentId,
    /// How much goes back, centavos.
    pub amount: Centavos,
    /// Why.
    pub reason: ReturnReason,
    /// How far it is.
    pub state: ReturnState,
    /// How often the provider was asked.
    pub tries: i64,
    /// When it is to be tried (real time); while a worker has it, when its lease ends.
    pub due_at: Time,
    /// When it was recorded (real time).
    pub created_at: Time,
}

/// How far a return is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ReturnState {
    /// The provider has not confirmed it yet.
    Open,
    /// The money is back.
    Done {
        /// When (real time).
        at: Time,
        /// The provider's id of the return.
        provider_id: String,
    },
    /// The provider refused for good; an operator has to look.
    Refused {
        /// When (real time).
        at: Time,
    },
}

#[cfg(test)]
mod tests;
