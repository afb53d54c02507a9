//! What the making of a charge of any kind begins and ends with.

use crate::account::{Account, Origin, Owner};
use crate::brcode::{DynamicCode, Location, MerchantCity, MerchantName, TxId};
use crate::calendar::Time;
use crate::charge::{Charge, ChargeId, ChargeKind, Customer, Status};
use crate::error::{Error, Missing, Refusal};
use crate::idempotency::{Attempt, Made, Record, Route};
use crate::money::{Centavos, Fee, FeeSchedule, Price};
use crate::ports::{Ports, Sharing, Transact};

/// The amount a caller asks for.
pub(crate) struct Asked {
    /// How much.
    pub(crate) amount: Centavos,
    /// The payer bears the fee.
    pub(crate) pass_fee: bool,
    /// Which fee it is.
    pub(crate) fee: fn(&FeeSchedule) -> Fee,
}

/// A charge that its provider does not know yet.
pub(crate) struct Draft<'a> {
    /// Who is paid.
    pub(crate) account: Account,
    /// Now, in the time of the environment.
    pub(crate) now: Time,
    /// What it costs the payer and brings the account.
    pub(crate) price: Price,
    /// What its provider will know it by.
    pub(crate) txid: TxId,
    owner: Owner,
    route: Route,
    attempt: Option<&'a Attempt>,
    real_now: Time,
}

impl<'a> Draft<'a> {
    /// Looks whether the account may ask for the amount, prices it, and gives the charge its name at the provider: with
    /// an idempotency key derived from it, so that repeats, also those that race or follow a failure, reach one charge
    /// there.
    ///
    /// # Errors
    /// [`Missing::Account`], [`Refusal::AboveTransactionLimit`].
    pub(crate) fn begin(
        ports: &Ports,
        owner: Owner,
        route: Route,
        attempt: Option<&'a Attempt>,
        asked: &Asked,
    ) -> Result<Self, Error> {
        let account = ports
            .store
            .read(|read| read.account(owner.account))?
            .ok_or(Error::NotFound(Missing::Account))?;
        let limit = account.limits.over(&ports.policy.limits).per_transaction;
        if asked.amount > limit {
            return Err(Error::Refused(Refusal::AboveTransactionLimit {
                limit: limit.get(),
            }));
        }
        let fee = (asked.fee)(&account.fees.over(&ports.policy.fees));
        let real_now = ports.clock.now();
        let txid = match attempt {
            Some(attempt) => TxId::from_bytes(&attempt.fingerprint(owner, route)),
            None => TxId::at(real_now.millis(), &ports.ids.random()),
        };
        Ok(Self {
            now: account.time(owner.environment, real_now),
            price: Price::of(asked.amount, fee, asked.pass_fee)?,
            txid,
            account,
            owner,
            route,
            attempt,
            real_now,
        })
    }

    /// The charge, once its provider has said where its payload lives; so far without what the merchant says of it.
    pub(crate) fn charge(
        &self,
        id: ChargeId,
        kind: ChargeKind,
        origin: Origin,
        location: Location,
        expires_at: Time,
    ) -> Charge {
        let code = DynamicCode {
            location,
            amount_centavos: self.price.amount.get(),
            merchant_name: MerchantName::fold(self.account.payee_name()),
            merchant_city: MerchantCity::fold(self.account.city.as_str()),
        };
        Charge {
            id,
            kind,
            owner: self.owner,
            origin,
            amount: self.price.amount,
            net_amount: self.price.net,
            description: None,
            customer: Customer::default(),
            metadata: None,
            txid: self.txid.clone(),
            br_code: code.encode(),
            expires_at,
            created_at: self.now,
            status: Status::Pending,
        }
    }

    /// Keeps the charge, and the idempotency key with it; unless another request with that key was faster: then its
    /// charge is the answer.
    ///
    /// # Errors
    /// [`crate::error::Conflict::IdempotencyKeyReused`], the store's.
    pub(crate) fn keep(&self, ports: &Ports, charge: Charge) -> Result<Made<Charge>, Error> {
        let record = self.attempt.map(|attempt| Record {
            owner: self.owner,
            route: self.route,
            attempt: attempt.clone(),
            object: charge.id.0,
            created_at: self.real_now,
        });
        // Requests with the same idempotency key have the same txid.
        let number = charge.txid.as_str().bytes().last().map_or(0, u64::from);
        let earlier = ports
            .store
            .transact_shared(Sharing::NewRows(number), |tx| {
                let first = match &record {
                    Some(record) => record.remember(tx)?,
                    None => None,
                };
                let Some(id) = first else {
                    return tx.insert_charge(&charge).map(|()| None);
                };
                tx.charge(self.owner, ChargeId(id))?
                    .map(Some)
                    .ok_or(Error::NotFound(Missing::Charge))
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
}
