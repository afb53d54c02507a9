//! Making and showing a charge.

use std::fmt;

use crate::account::{Origin, Owner};
use crate::charge::{Asked, Charge, ChargeAmount, ChargeId, ChargeKind, Customer, Draft, Metadata};
use crate::error::{Error, Missing};
use crate::idempotency::{Attempt, Made, Route};
use crate::ports::{Ports, Transact};
use crate::provider::PixRequest;
use crate::text::Description;

/// How long a charge can be paid: 60 s to 90 days (decisions §4).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ExpiresIn(i64);

impl ExpiresIn {
    /// One day.
    pub const DEFAULT: Self = Self(86_400);
    const SHORTEST: i64 = 60;
    const LONGEST: i64 = 7_776_000;

    /// Reads a number of seconds.
    ///
    /// # Errors
    /// [`BadExpiresIn`].
    pub fn parse(seconds: i64) -> Result<Self, BadExpiresIn> {
        (Self::SHORTEST..=Self::LONGEST)
            .contains(&seconds)
            .then_some(Self(seconds))
            .ok_or(BadExpiresIn)
    }

    /// The seconds.
    pub fn seconds(self) -> i64 {
        self.0
    }
}

/// Seconds outside 60 to 7,776,000.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BadExpiresIn;

impl fmt::Display for BadExpiresIn {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "must be from {} to {} seconds",
            ExpiresIn::SHORTEST,
            ExpiresIn::LONGEST
        )
    }
}

impl std::error::Error for BadExpiresIn {}

/// What a merchant says of a charge to be made.
#[derive(Clone, Debug)]
pub struct NewCharge {
    /// The amount asked.
    pub amount: ChargeAmount,
    /// What the payer is told.
    pub description: Option<Description>,
    /// How long it can be paid.
    pub expires_in: ExpiresIn,
    /// Whom it is for.
    pub customer: Customer,
    /// The merchant's own data.
    pub metadata: Option<Metadata>,
    /// The payer bears the fee.
    pub pass_fee: bool,
}

/// Makes a PIX charge: registers it at the provider, then keeps it.
///
/// With an idempotency key the charge's name at the provider is derived from it, so that repeats, also those that race
/// or follow a failure, reach one charge there; and the key is kept in the transaction that keeps the charge.
///
/// # Errors
/// [`crate::error::Refusal::AboveTransactionLimit`], [`crate::error::Conflict::IdempotencyKeyReused`], the provider's and the store's.
pub fn create(
    ports: &Ports,
    owner: Owner,
    origin: Origin,
    new: &NewCharge,
    attempt: Option<&Attempt>,
) -> Result<Made<Charge>, Error> {
    let asked = Asked {
        amount: new.amount.get(),
        pass_fee: new.pass_fee,
        fee: |fees| fees.pix,
    };
    let draft = Draft::begin(ports, owner, Route::PixCreate, attempt, &asked)?;
    let location = ports
        .providers
        .of(owner.environment)
        .register(&PixRequest {
            owner,
            txid: draft.txid.clone(),
            amount: draft.price.amount,
            expires_in: new.expires_in.seconds(),
            description: new
                .description
                .as_ref()
                .map(|text| text.as_str().to_owned()),
        })?;
    let charge = Charge {
        description: new.description.clone(),
        customer: new.customer.clone(),
        metadata: new.metadata.clone(),
        ..draft.charge(
            ChargeId(ports.ids.ulid()),
            ChargeKind::PixQrCode,
            origin,
            location,
            draft.now.plus_seconds(new.expires_in.seconds()),
        )
    };
    draft.keep(ports, charge)
}

/// The owner's charge, and the moment it is looked at in the time of its environment.
///
/// # Errors
/// [`Missing::Charge`] also when it is another owner's.
pub fn show(ports: &Ports, owner: Owner, id: ChargeId) -> Result<(Charge, crate::Time), Error> {
    let real_now = ports.clock.now();
    ports.store.read(|read| {
        let charge = read
            .charge(owner, id)?
            .ok_or(Error::NotFound(Missing::Charge))?;
        let now = crate::account::time_of(read, owner, real_now)?;
        Ok((charge, now))
    })
}
