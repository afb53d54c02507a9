//! An in-memory [`Store`]: for rule tests, for embedders, and as the third backend of the storage contract suite.
//!
//! A unit of work runs on a copy that replaces the original when it succeeds, so a failing one leaves nothing behind.

mod audit;
pub mod doubles;
mod payouts;
mod read;
mod refunds;
mod write;

use std::collections::{BTreeMap, BTreeSet};
use std::ops::{Deref, DerefMut};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::account::{Account, AccountId, Membership, Owner, User};
use crate::bill::{Quote, QuoteId};
use crate::charge::{Charge, ChargeId, Receipt, Return, ReturnKey};
use crate::error::Error;
use crate::event::{Event, EventId};
use crate::idempotency::Record;
use crate::key::{ApiKey, KeyId};
use crate::ledger::{Entry, Head};
use crate::payout::{Payout, PayoutId};
use crate::ports::{Read, Store, UnitOfWork};
use crate::provider::ProviderRecord;
use crate::refund::{Refund, RefundId};
use crate::webhook::{Attempt, Delivery, Endpoint};

/// Everything, in memory, behind one lock.
#[derive(Debug, Default)]
pub struct MemoryStore {
    world: Mutex<World>,
}

#[derive(Clone, Debug, Default)]
pub(crate) struct World {
    pub(crate) accounts: Table<BTreeMap<AccountId, Account>>,
    pub(crate) users: Table<Vec<User>>,
    pub(crate) memberships: Table<Vec<Membership>>,
    pub(crate) keys: Table<BTreeMap<KeyId, ApiKey>>,
    pub(crate) charges: Table<BTreeMap<ChargeId, Charge>>,
    pub(crate) receipts: Table<Vec<Receipt>>,
    pub(crate) returns: Table<BTreeMap<ReturnKey, Return>>,
    pub(crate) idempotency: Table<Vec<Record>>,
    pub(crate) payouts: Table<BTreeMap<PayoutId, Payout>>,
    pub(crate) refunds: Table<BTreeMap<RefundId, Refund>>,
    pub(crate) quotes: Table<BTreeMap<QuoteId, Quote>>,
    pub(crate) titles: Table<BTreeMap<(Owner, String), PayoutId>>,
    pub(crate) heads: Table<BTreeMap<Owner, Head>>,
    pub(crate) entries: Table<BTreeMap<(Owner, i64), Entry>>,
    pub(crate) events: Table<BTreeMap<(Owner, i64), Event>>,
    pub(crate) endpoints: Table<BTreeMap<Owner, Endpoint>>,
    pub(crate) deliveries: Table<BTreeMap<(Owner, EventId), Delivery>>,
    pub(crate) attempts: Table<BTreeMap<(Owner, EventId, i64), Attempt>>,
    pub(crate) epoch: i64,
    pub(crate) kept: Table<BTreeMap<&'static str, Vec<u8>>>,
    pub(crate) provider_records: Table<BTreeMap<(&'static str, String), ProviderRecord>>,
    // Unique names, as the databases enforce them.
    pub(crate) txids: Table<BTreeSet<String>>,
}

/// Rows that copies of the world share until one of them writes, so that a copy costs nothing.
#[derive(Debug, Default)]
pub(crate) struct Table<T>(Arc<T>);

impl<T> Clone for Table<T> {
    fn clone(&self) -> Self {
        Self(Arc::clone(&self.0))
    }
}

impl<T> Deref for Table<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.0
    }
}

impl<T: Clone> DerefMut for Table<T> {
    fn deref_mut(&mut self) -> &mut T {
        Arc::make_mut(&mut self.0)
    }
}

/// A unit of work on a copy of the world, remembering whether any call failed.
struct MemoryTx {
    world: World,
    failed: bool,
}

impl MemoryStore {
    /// A store with nothing in it.
    pub fn new() -> Self {
        Self::default()
    }

    /// Changes rows by hand, as somebody with a database's password could.
    #[cfg(test)]
    pub(crate) fn by_hand<T>(&self, change: impl FnOnce(&mut World) -> T) -> T {
        change(&mut self.lock())
    }

    fn lock(&self) -> MutexGuard<'_, World> {
        // A panicking unit of work only ever touched its own copy.
        self.world.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Store for MemoryStore {
    fn run(&self, work: &mut UnitOfWork<'_>) -> Result<(), Error> {
        let mut world = self.lock();
        let mut tx = MemoryTx {
            world: world.clone(),
            failed: false,
        };
        work(&mut tx)?;
        if tx.failed {
            return Err(Error::bug(
                "a unit of work hid the failure of one of its steps",
            ));
        }
        *world = tx.world;
        Ok(())
    }

    fn look(&self, work: &mut dyn FnMut(&mut dyn Read) -> Result<(), Error>) -> Result<(), Error> {
        let world = self.lock().clone();
        work(&mut MemoryTx {
            world,
            failed: false,
        })
    }

    fn look_at_one_moment(
        &self,
        work: &mut dyn FnMut(&mut dyn Read) -> Result<(), Error>,
    ) -> Result<(), Error> {
        self.look(work)
    }
}
