//! Refunds.

use crate::account::Owner;
use crate::calendar::Time;
use crate::charge::ChargeId;
use crate::error::Error;
use crate::payout::Backlog;
use crate::refund::{Refund, RefundId};

/// Reads refunds.
#[cfg_attr(any(test, feature = "mocks"), mockall::automock)]
pub trait RefundRead {
    /// The refund, whatever its owner: for operators.
    ///
    /// # Errors
    /// The store's.
    fn refund_of_anyone(&mut self, id: RefundId) -> Result<Option<Refund>, Error>;

    /// The owner's refund.
    ///
    /// # Errors
    /// The store's.
    fn refund(&mut self, owner: Owner, id: RefundId) -> Result<Option<Refund>, Error>;

    /// All refunds of a charge, oldest first.
    ///
    /// # Errors
    /// The store's.
    fn refunds(&mut self, owner: Owner, charge: ChargeId) -> Result<Vec<Refund>, Error>;

    /// What is under way among the refunds of everybody at `now` (real time).
    ///
    /// # Errors
    /// The store's.
    fn refund_backlog(&mut self, now: Time) -> Result<Backlog, Error>;
}

/// Writes refunds.
#[cfg_attr(any(test, feature = "mocks"), mockall::automock)]
pub trait RefundTx {
    /// A new refund.
    ///
    /// # Errors
    /// The store's.
    fn insert_refund(&mut self, refund: &Refund) -> Result<(), Error>;

    /// The owner's refund, locked.
    ///
    /// # Errors
    /// The store's.
    fn refund_for_update(&mut self, owner: Owner, id: RefundId) -> Result<Option<Refund>, Error>;

    /// At most `limit` PENDING refunds that are due at `now` (real time), the longest due first, locked; rows another
    /// server has locked are left out.
    ///
    /// # Errors
    /// The store's.
    fn due_refunds_for_update(&mut self, now: Time, limit: usize) -> Result<Vec<Refund>, Error>;

    /// Status and step of a refund: nothing else of it ever changes.
    ///
    /// # Errors
    /// The store's.
    fn save_refund(&mut self, refund: &Refund) -> Result<(), Error>;
}
