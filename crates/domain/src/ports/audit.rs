//! All rows of an owner, as they were found, in the order of the objects they are about.

use crate::account::Owner;
use crate::charge::{Charge, Receipt, Return};
use crate::error::Error;
use crate::event::Event;
use crate::ledger::{Entry, Found};
use crate::payout::Payout;
use crate::refund::Refund;

/// Rows as they were found, each with its place.
pub type Rows<P, T> = Vec<(P, Found<T>)>;

/// Reads everything an owner has, a page at a time, for a verification of the books.
///
/// Each page MUST hold the first rows after a place, or of all, and at most `limit` of them, in the order of their places.
/// A row that holds what nobody writes is no failure of the store. Identifiers are those of the store, without prefix.
pub trait AuditRead {
    /// Charges, by their ids.
    ///
    /// # Errors
    /// The store's.
    fn charges_found(
        &mut self,
        owner: Owner,
        after: Option<String>,
        limit: usize,
    ) -> Result<Rows<String, Charge>, Error>;

    /// Bank notices, by their charges and in the order they came, which is numbered.
    ///
    /// # Errors
    /// The store's.
    fn receipts_found(
        &mut self,
        owner: Owner,
        after: Option<(String, i64)>,
        limit: usize,
    ) -> Result<Rows<(String, i64), Receipt>, Error>;

    /// Returns, by their charges and ids.
    ///
    /// # Errors
    /// The store's.
    fn returns_found(
        &mut self,
        owner: Owner,
        after: Option<(String, String)>,
        limit: usize,
    ) -> Result<Rows<(String, String), Return>, Error>;

    /// Refunds, by their ids.
    ///
    /// # Errors
    /// The store's.
    fn refunds_found(
        &mut self,
        owner: Owner,
        after: Option<String>,
        limit: usize,
    ) -> Result<Rows<String, Refund>, Error>;

    /// Refunds, by their charges and ids.
    ///
    /// # Errors
    /// The store's.
    fn refunds_by_charge_found(
        &mut self,
        owner: Owner,
        after: Option<(String, String)>,
        limit: usize,
    ) -> Result<Rows<(String, String), Refund>, Error>;

    /// Payouts, by their ids.
    ///
    /// # Errors
    /// The store's.
    fn payouts_found(
        &mut self,
        owner: Owner,
        after: Option<String>,
        limit: usize,
    ) -> Result<Rows<String, Payout>, Error>;

    /// Ledger entries, by the objects money moved for and their sequences.
    ///
    /// # Errors
    /// The store's.
    fn entries_by_object_found(
        &mut self,
        owner: Owner,
        after: Option<(String, i64)>,
        limit: usize,
    ) -> Result<Rows<(String, i64), Entry>, Error>;

    /// Events, by the objects they tell of and their sequences.
    ///
    /// # Errors
    /// The store's.
    fn events_by_object_found(
        &mut self,
        owner: Owner,
        after: Option<(String, i64)>,
        limit: usize,
    ) -> Result<Rows<(String, i64), Event>, Error>;
}
