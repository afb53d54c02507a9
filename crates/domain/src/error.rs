//! The answers a use case can give instead of success.

use std::borrow::Cow;
use std::fmt;

use crate::calendar::Time;
use crate::money::Overflow;
use crate::payout::PayoutId;
use crate::refund::RefundId;

/// Why a use case did not do what was asked. Nothing was changed when one is returned.
#[derive(Debug)]
pub enum Error {
    /// The request alone is wrong, whatever the state of the world.
    Invalid {
        /// The field as the caller wrote it (`customer.taxId`).
        field: Cow<'static, str>,
        /// What it must be, worded to follow the field's name (`must be at least 200`).
        reason: Cow<'static, str>,
    },
    /// There is no such object for this caller.
    NotFound(Missing),
    /// The object is not in a state that allows it, or somebody was first.
    Conflict(Conflict),
    /// The request is well formed but the state of the account does not allow it.
    Refused(Refusal),
    /// The caller may not do this.
    Forbidden(Forbidden),
    /// The payment provider did not do its part.
    Provider(ProviderFailure),
    /// The database, or another thing this process leans on, is away; trying again later is right.
    Unavailable(Cow<'static, str>),
    /// A promise inside the program was broken.
    Bug(Cow<'static, str>),
}

/// What was not found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Missing {
    /// A PIX charge.
    Charge,
    /// A merchant's account.
    Account,
    /// An API key.
    Key,
    /// A webhook endpoint: none was set for this account and environment.
    Endpoint,
    /// An event.
    Event,
    /// A withdrawal or a third-party payment.
    Payout,
    /// A quote of a third-party title.
    Quote,
    /// A refund.
    Refund,
}

impl fmt::Display for Missing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let what = match self {
            Self::Charge => "charge",
            Self::Account => "account",
            Self::Key => "key",
            Self::Endpoint => "webhook endpoint",
            Self::Event => "event",
            Self::Payout => "payment",
            Self::Quote => "quote",
            Self::Refund => "refund",
        };
        write!(f, "{what} not found")
    }
}

/// What stood in the way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Conflict {
    /// The charge is PAID, EXPIRED or FAILED; the word is its status.
    ChargeNotPending(&'static str),
    /// The charge is PENDING, EXPIRED or FAILED, so there is nothing to refund; the word is its status.
    ChargeNotPaid(&'static str),
    /// Another refund gave back the same amount of the same charge.
    SameRefund(RefundId),
    /// What is PENDING or FAILED has no receipt; the word is its status.
    NoReceipt(&'static str),
    /// The idempotency key was used with another body.
    IdempotencyKeyReused,
    /// A user with this e-mail exists.
    EmailTaken,
    /// The key was revoked before.
    KeyRevoked,
    /// The key was rolled before, and works until its overlap ends.
    KeyRolled,
    /// The same payee got the same amount a moment ago.
    SameWithdrawal(PayoutId),
    /// The title is paid, or being paid.
    TitleTaken,
    /// The `externalId` named the payment of another title.
    ExternalIdReused,
    /// The end-to-end id names another payment.
    EndToEndIdReused,
    /// Somebody else changed the same record at the same time.
    ChangedMeanwhile,
}

impl fmt::Display for Conflict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::ChargeNotPending(status) => write!(f, "the charge is {status}, not PENDING"),
            Self::ChargeNotPaid(status) => write!(f, "the charge is {status}, not PAID"),
            Self::SameRefund(twin) => write!(
                f,
                "refund {twin} gave back the same amount of this charge; name another one with a key of its own if it is meant"
            ),
            Self::NoReceipt(status) => {
                write!(f, "the payment is {status}, not PAID: there is no receipt")
            }
            Self::IdempotencyKeyReused => {
                f.write_str("Idempotency-Key was already used with another request body")
            }
            Self::EmailTaken => f.write_str("a user with this e-mail already exists"),
            Self::KeyRevoked => f.write_str("the key is already revoked"),
            Self::KeyRolled => f.write_str(
                "the key was already rolled and ends with its overlap; roll the new one, or revoke this one",
            ),
            Self::SameWithdrawal(twin) => write!(
                f,
                "withdrawal wd_{} sent the same amount to the same key a moment ago; send an Idempotency-Key if it is meant",
                twin.0
            ),
            Self::TitleTaken => f.write_str("this title is already paid or being paid"),
            Self::ExternalIdReused => {
                f.write_str("externalId already names the payment of another title")
            }
            Self::EndToEndIdReused => {
                f.write_str("endToEndId already names a payment of another charge")
            }
            Self::ChangedMeanwhile => {
                f.write_str("the record was changed by somebody else at the same time")
            }
        }
    }
}

/// Why the state of the account does not allow it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Refusal {
    /// A debit would make `available` negative.
    InsufficientBalance,
    /// The amount is above the account's limit per transaction, centavos.
    AboveTransactionLimit {
        /// The limit in centavos.
        limit: i64,
    },
    /// The amount is above the account's limit per withdrawal.
    AboveWithdrawalLimit {
        /// The limit in centavos.
        limit: i64,
    },
    /// With this one the account's withdrawals of the day would be above its limit.
    AboveDailyLimit {
        /// The limit in centavos.
        limit: i64,
    },
    /// A live boleto must print the beneficiary's document and address.
    BeneficiaryIncomplete,
    /// The payment was made at a counter or by digitable line: there is no PIX to give back.
    NotPaidByPix,
    /// The payment was made too long ago to be given back.
    RefundWindowClosed,
    /// More would be refunded than was received.
    AboveRefundable {
        /// What is left, centavos.
        left: i64,
    },
    /// The quote's amount is not locked any more.
    QuoteExpired,
    /// The title cannot be paid.
    NotPayable,
    /// The title is above the maximum.
    AboveBillMaximum {
        /// The maximum in centavos.
        maximum: i64,
    },
    /// It is outside payment hours.
    OutsideHours {
        /// When they begin again.
        reopens: Time,
    },
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::InsufficientBalance => f.write_str("insufficient balance"),
            Self::AboveTransactionLimit { limit } => {
                write!(
                    f,
                    "amountCents must be at most {limit}, the limit per transaction of this account"
                )
            }
            Self::AboveWithdrawalLimit { limit } => {
                write!(
                    f,
                    "amountCents must be at most {limit}, the limit per withdrawal of this account"
                )
            }
            Self::AboveDailyLimit { limit } => {
                write!(
                    f,
                    "amountCents would take today's withdrawals above {limit}, the daily limit of this account"
                )
            }
            Self::BeneficiaryIncomplete => f.write_str(
                "the account needs a document and an address before it can issue live boletos",
            ),
            Self::NotPaidByPix => f.write_str(
                "the boleto was paid by its digitable line, and only a PIX can be given back; send the payer a withdrawal",
            ),
            Self::RefundWindowClosed => {
                f.write_str("a PIX can be given back for 90 days after it was paid")
            }
            Self::AboveRefundable { left: 0 } => {
                f.write_str("nothing is left to refund of this charge")
            }
            Self::AboveRefundable { left } => {
                write!(f, "only {left} centavos are left to refund of this charge")
            }
            Self::QuoteExpired => f.write_str("quoteId has expired; query the title again"),
            Self::NotPayable => f.write_str("this title cannot be paid"),
            Self::AboveBillMaximum { maximum } => {
                write!(f, "the title is above the maximum of {maximum} centavos")
            }
            Self::OutsideHours { reopens } => {
                write!(f, "outside payment hours; they begin again at {reopens}")
            }
        }
    }
}

/// Why the caller may not.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Forbidden {
    /// The account is suspended.
    AccountSuspended,
    /// A simulation was asked for with a live key.
    SimulationInLive,
}

impl fmt::Display for Forbidden {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::AccountSuspended => "the account is suspended",
            Self::SimulationInLive => "simulation works with test keys only",
        })
    }
}

/// How the payment provider failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ProviderFailure {
    /// It could not be reached, or said that it is out of order. Nothing was done.
    Down,
    /// No answer came in time: it may or may not have been done, and must be looked up.
    Unknown,
    /// It said no, for good.
    Rejected,
}

impl fmt::Display for ProviderFailure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Down => "the PIX provider is temporarily unavailable; try again",
            Self::Unknown => "the PIX provider did not answer in time; try again",
            Self::Rejected => "the PIX provider refused the operation",
        })
    }
}

impl Error {
    /// The request is wrong: `field` `reason`.
    pub fn invalid(field: impl Into<Cow<'static, str>>, reason: impl fmt::Display) -> Self {
        Self::Invalid {
            field: field.into(),
            reason: Cow::Owned(reason.to_string()),
        }
    }

    /// A promise inside the program was broken.
    pub fn bug(what: impl Into<Cow<'static, str>>) -> Self {
        Self::Bug(what.into())
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Invalid { field, reason } => write!(f, "{field} {reason}"),
            Self::NotFound(missing) => missing.fmt(f),
            Self::Conflict(conflict) => conflict.fmt(f),
            Self::Refused(refusal) => refusal.fmt(f),
            Self::Forbidden(forbidden) => forbidden.fmt(f),
            Self::Provider(failure) => failure.fmt(f),
            Self::Unavailable(why) => write!(f, "temporarily unavailable: {why}"),
            Self::Bug(what) => write!(f, "internal error: {what}"),
        }
    }
}

impl std::error::Error for Error {}

impl From<Overflow> for Error {
    fn from(overflow: Overflow) -> Self {
        Self::Bug(Cow::Owned(overflow.to_string()))
    }
}
