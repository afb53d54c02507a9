//! Ledgers and their heads.

use crate::account::Owner;
use crate::error::Error;
use crate::id::Ulid;
use crate::ledger::{Entry, Found, Head};

/// Reads ledgers.
#[cfg_attr(any(test, feature = "mocks"), mockall::automock)]
pub trait LedgerRead {
    /// The owner's head.
    ///
    /// # Errors
    /// The store's.
    fn head(&mut self, owner: Owner) -> Result<Option<Head>, Error>;

    /// All heads, ordered by owner.
    ///
    /// # Errors
    /// The store's.
    fn heads(&mut self) -> Result<Vec<Head>, Error>;

    /// Everybody who must have a ledger or has one, in order: both environments of every account, and whoever a head
    /// names.
    ///
    /// # Errors
    /// The store's.
    fn ledgers(&mut self) -> Result<Vec<Owner>, Error>;

    /// The owner's head as it was found: one that holds what no ledger writes is no failure of the store.
    ///
    /// # Errors
    /// The store's.
    fn head_as_found(&mut self, owner: Owner) -> Result<Option<Found<Head>>, Error>;

    /// As [`Self::entries`], each with its sequence and as it was found.
    ///
    /// # Errors
    /// The store's.
    fn entries_as_found(
        &mut self,
        owner: Owner,
        after: i64,
        limit: usize,
    ) -> Result<Vec<(i64, Found<Entry>)>, Error>;

    /// At most `limit` entries after a sequence, in order.
    ///
    /// # Errors
    /// The store's.
    fn entries(&mut self, owner: Owner, after: i64, limit: usize) -> Result<Vec<Entry>, Error>;

    /// All entries for an object, in order.
    ///
    /// # Errors
    /// The store's.
    fn entries_for(&mut self, owner: Owner, reference: Ulid) -> Result<Vec<Entry>, Error>;
}

/// Writes ledgers. Entries are never changed or removed.
#[cfg_attr(any(test, feature = "mocks"), mockall::automock)]
pub trait LedgerTx {
    /// The owner's head, locked: the last lock of a unit of work.
    ///
    /// # Errors
    /// The store's.
    fn head_for_update(&mut self, owner: Owner) -> Result<Option<Head>, Error>;

    /// The head of a new ledger.
    ///
    /// # Errors
    /// The store's.
    fn insert_head(&mut self, head: &Head) -> Result<(), Error>;

    /// Everything of the head but its owner.
    ///
    /// # Errors
    /// The store's.
    fn save_head(&mut self, head: &Head) -> Result<(), Error>;

    /// A new entry.
    ///
    /// # Errors
    /// The store's.
    fn insert_entry(&mut self, entry: &Entry) -> Result<(), Error>;
}
