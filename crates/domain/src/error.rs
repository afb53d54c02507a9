//! The answers a use case can give instead of success.

use std::borrow::Cow;
use std::fmt;

use crate::money::Overflow;

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
}

impl fmt::Display for Missing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let what = match self {
            Self::Charge => "charge",
            Self::Account => "account",
            Self::Key => "key",
            Self::Endpoint => "webhook endpoint",
            Self::Event => "event",
        };
        write!(f, "{what} not found")
    }
}

/// What stood in the way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Conflict {
    /// The charge is PAID, EXPIRED or FAILED; the word is its status.
    ChargeNotPending(&'static str),
    /// The idempotency key was used with another body.
    IdempotencyKeyReused,
    /// A user with this e-mail exists.
    EmailTaken,
    /// The key was revoked before.
    KeyRevoked,
    /// The end-to-end id names another payment.
    EndToEndIdReused,
    /// Somebody else changed the same record at the same time.
    ChangedMeanwhile,
}

impl fmt::Display for Conflict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::ChargeNotPending(status) => write!(f, "the charge is {status}, not PENDING"),
            Self::IdempotencyKeyReused => {
                f.write_str("Idempotency-Key was already used with another request body")
            }
            Self::EmailTaken => f.write_str("a user with this e-mail already exists"),
            Self::KeyRevoked => f.write_str("the key is already revoked"),
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
