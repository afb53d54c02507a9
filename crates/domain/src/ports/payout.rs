//! Money on its way out.

use crate::account::Owner;
use crate::calendar::Time;
use crate::error::Error;
use crate::money::Centavos;
use crate::payout::{Backlog, Payout, PayoutId};

/// Reads payouts.
#[cfg_attr(any(test, feature = "mocks"), mockall::automock)]
pub trait PayoutRead {
    /// The owner's payout.
    ///
    /// # Errors
    /// The store's.
    fn payout(&mut self, owner: Owner, id: PayoutId) -> Result<Option<Payout>, Error>;

    /// The payout, whatever its owner: for operators.
    ///
    /// # Errors
    /// The store's.
    fn payout_of_anyone(&mut self, id: PayoutId) -> Result<Option<Payout>, Error>;

    /// What is under way among the payouts of everybody at `now` (real time).
    ///
    /// # Errors
    /// The store's.
    fn payout_backlog(&mut self, now: Time) -> Result<Backlog, Error>;

    /// The sum asked of the owner's withdrawals made from `from` until before `until` that are PENDING or PAID.
    ///
    /// # Errors
    /// The store's.
    fn withdrawn(&mut self, owner: Owner, from: Time, until: Time) -> Result<Centavos, Error>;

    /// The owner's latest PENDING or PAID withdrawal of this amount to this key, made at or after `since`.
    ///
    /// # Errors
    /// The store's.
    fn same_withdrawal(
        &mut self,
        owner: Owner,
        key: &str,
        amount: Centavos,
        since: Time,
    ) -> Result<Option<PayoutId>, Error>;
}

/// Writes payouts.
#[cfg_attr(any(test, feature = "mocks"), mockall::automock)]
pub trait PayoutTx {
    /// A new payout.
    ///
    /// # Errors
    /// The store's.
    fn insert_payout(&mut self, payout: &Payout) -> Result<(), Error>;

    /// The owner's payout, locked.
    ///
    /// # Errors
    /// The store's.
    fn payout_for_update(&mut self, owner: Owner, id: PayoutId) -> Result<Option<Payout>, Error>;

    /// At most `limit` PENDING payouts that are due at `now` (real time), the longest due first, locked; rows another
    /// server has locked are left out.
    ///
    /// # Errors
    /// The store's.
    fn due_payouts_for_update(&mut self, now: Time, limit: usize) -> Result<Vec<Payout>, Error>;

    /// Status and step of a payout: nothing else of it ever changes.
    ///
    /// # Errors
    /// The store's.
    fn save_payout(&mut self, payout: &Payout) -> Result<(), Error>;
}
