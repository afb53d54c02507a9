//! Charges, bank notices, returns and idempotency records.

use crate::account::Owner;
use crate::brcode::{EndToEndId, TxId};
use crate::calendar::Time;
use crate::charge::{Charge, ChargeId, Receipt, Return, ReturnKey};
use crate::error::Error;
use crate::idempotency::{IdempotencyKey, Record, Route};
use crate::transaction::{Page, Transaction};

/// Reads charges, bank notices and idempotency records.
#[cfg_attr(any(test, feature = "mocks"), mockall::automock)]
pub trait ChargeRead {
    /// The owner's charge.
    ///
    /// # Errors
    /// The store's.
    fn charge(&mut self, owner: Owner, id: ChargeId) -> Result<Option<Charge>, Error>;

    /// The charge, whatever its owner: for operators and provider notices.
    ///
    /// # Errors
    /// The store's.
    fn charge_of_anyone(&mut self, id: ChargeId) -> Result<Option<Charge>, Error>;

    /// The charge with this name at the provider, whatever its owner.
    ///
    /// # Errors
    /// The store's.
    fn charge_by_txid(&mut self, txid: &TxId) -> Result<Option<Charge>, Error>;

    /// A page of what the owner made through the API or the agent endpoint, newest first; `page.limit` items at most.
    ///
    /// # Errors
    /// The store's.
    fn transactions(&mut self, owner: Owner, page: Page) -> Result<Vec<Transaction>, Error>;

    /// The notice with this end-to-end id, whatever its owner.
    ///
    /// # Errors
    /// The store's.
    fn receipt(&mut self, id: &EndToEndId) -> Result<Option<Receipt>, Error>;

    /// All notices about a charge, in the order they came.
    ///
    /// # Errors
    /// The store's.
    fn receipts(&mut self, owner: Owner, charge: ChargeId) -> Result<Vec<Receipt>, Error>;

    /// All returns of payments for a charge, oldest first.
    ///
    /// # Errors
    /// The store's.
    fn returns(&mut self, owner: Owner, charge: ChargeId) -> Result<Vec<Return>, Error>;

    /// What is remembered of a key.
    ///
    /// # Errors
    /// The store's.
    fn idempotency_record(
        &mut self,
        owner: Owner,
        route: Route,
        key: &IdempotencyKey,
    ) -> Result<Option<Record>, Error>;
}

/// Writes charges, bank notices, returns and idempotency records.
#[cfg_attr(any(test, feature = "mocks"), mockall::automock)]
pub trait ChargeTx {
    /// A new charge.
    ///
    /// # Errors
    /// The store's.
    fn insert_charge(&mut self, charge: &Charge) -> Result<(), Error>;

    /// The owner's charge, locked.
    ///
    /// # Errors
    /// The store's.
    fn charge_for_update(&mut self, owner: Owner, id: ChargeId) -> Result<Option<Charge>, Error>;

    /// The status of a charge: nothing else of it ever changes.
    ///
    /// # Errors
    /// The store's.
    fn save_charge(&mut self, charge: &Charge) -> Result<(), Error>;

    /// A new notice; `false`, and nothing written, when one with its end-to-end id is there.
    ///
    /// # Errors
    /// The store's.
    fn insert_receipt(&mut self, receipt: &Receipt) -> Result<bool, Error>;

    /// A new return.
    ///
    /// # Errors
    /// The store's.
    fn insert_return(&mut self, returned: &Return) -> Result<(), Error>;

    /// At most `limit` open returns that are due and not leased at `now` (real time), locked; rows another server has
    /// locked are left out.
    ///
    /// # Errors
    /// The store's.
    fn due_returns_for_update(&mut self, now: Time, limit: usize) -> Result<Vec<Return>, Error>;

    /// The return, locked.
    ///
    /// # Errors
    /// The store's.
    fn return_for_update(&mut self, owner: Owner, id: ReturnKey) -> Result<Option<Return>, Error>;

    /// State, tries, due time and lease of a return.
    ///
    /// # Errors
    /// The store's.
    fn save_return(&mut self, returned: &Return) -> Result<(), Error>;

    /// Remembers a key; `false`, and nothing written, when the owner used it on this route before. It waits for a unit
    /// of work that is just writing the same key.
    ///
    /// # Errors
    /// The store's.
    fn insert_idempotency_record(&mut self, record: &Record) -> Result<bool, Error>;
}
