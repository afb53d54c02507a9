//! Making and showing a charge.

use std::fmt;

use crate::account::{Origin, Owner};
use crate::brcode::{DynamicCode, MerchantCity, MerchantName, TxId};
use crate::charge::{Charge, ChargeAmount, ChargeId, ChargeKind, Customer, Metadata, Status};
use crate::error::{Error, Missing, Refusal};
use crate::idempotency::{Attempt, Made, Record, Route};
use crate::money::Price;
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
/// [`Refusal::AboveTransactionLimit`], [`crate::error::Conflict::IdempotencyKeyReused`], the provider's and the store's.
pub fn create(
    ports: &Ports,
    owner: Owner,
    origin: Origin,
    new: &NewCharge,
    attempt: Option<&Attempt>,
) -> Result<Made<Charge>, Error> {
    let account = ports
        .store
        .read(|read| read.account(owner.account))?
        .ok_or(Error::NotFound(Missing::Account))?;
    let limit = account.limits.over(&ports.policy.limits).per_transaction;
    if new.amount.get() > limit {
        return Err(Error::Refused(Refusal::AboveTransactionLimit {
            limit: limit.get(),
        }));
    }
    let real_now = ports.clock.now();
    let now = account.time(owner.environment, real_now);
    let price = Price::of(
        new.amount.get(),
        account.fees.over(&ports.policy.fees).pix,
        new.pass_fee,
    )?;
    let seed = attempt.map_or_else(
        || ports.ids.random(),
        |attempt| attempt.fingerprint(owner, Route::PixCreate),
    );
    let txid = TxId::from_bytes(&seed);
    let location = ports
        .providers
        .of(owner.environment)
        .register(&PixRequest {
            owner,
            txid: txid.clone(),
            amount: price.amount,
            expires_in: new.expires_in.seconds(),
            description: new
                .description
                .as_ref()
                .map(|text| text.as_str().to_owned()),
        })?;
    let code = DynamicCode {
        location,
        amount_centavos: price.amount.get(),
        merchant_name: MerchantName::fold(account.payee_name()),
        merchant_city: MerchantCity::fold(account.city.as_str()),
    };
    let charge = Charge {
        id: ChargeId(ports.ids.ulid()),
        kind: ChargeKind::PixQrCode,
        owner,
        origin,
        amount: price.amount,
        net_amount: price.net,
        description: new.description.clone(),
        customer: new.customer.clone(),
        metadata: new.metadata.clone(),
        txid,
        br_code: code.encode(),
        expires_at: now.plus_seconds(new.expires_in.seconds()),
        created_at: now,
        status: Status::Pending,
    };
    let record = attempt.map(|attempt| Record {
        owner,
        route: Route::PixCreate,
        attempt: attempt.clone(),
        object: charge.id.0,
        created_at: real_now,
    });
    keep(ports, charge, record.as_ref())
}

/// Keeps the charge, unless another request with the same key was faster: then that one's charge is the answer.
pub(crate) fn keep(
    ports: &Ports,
    charge: Charge,
    record: Option<&Record>,
) -> Result<Made<Charge>, Error> {
    let earlier = ports.store.transact(|tx| {
        if let Some(record) = record
            && !tx.insert_idempotency_record(record)?
        {
            let first = tx
                .idempotency_record(record.owner, record.route, &record.attempt.key)?
                .ok_or_else(|| Error::bug("an idempotency record vanished"))?;
            let id = ChargeId(first.repeated_by(&record.attempt)?);
            return tx
                .charge(record.owner, id)?
                .map(Some)
                .ok_or(Error::NotFound(Missing::Charge));
        }
        tx.insert_charge(&charge)?;
        Ok(None)
    })?;
    Ok(match earlier {
        Some(object) => Made {
            object,
            repeated: true,
        },
        None => Made {
            object: charge,
            repeated: false,
        },
    })
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
