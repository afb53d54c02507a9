//! Quotes of third-party titles, and who pays a title.

use crate::account::Owner;
use crate::bill::{Quote, QuoteId};
use crate::error::Error;
use crate::payout::PayoutId;

/// Reads quotes of third-party titles.
#[cfg_attr(any(test, feature = "mocks"), mockall::automock)]
pub trait BillRead {
    /// The owner's quote.
    ///
    /// # Errors
    /// The store's.
    fn quote(&mut self, owner: Owner, id: QuoteId) -> Result<Option<Quote>, Error>;

    /// The payment that paid, or is paying, the title with this barcode.
    ///
    /// # Errors
    /// The store's.
    fn title_payment(&mut self, owner: Owner, barcode: &str) -> Result<Option<PayoutId>, Error>;
}

/// Writes quotes, and who pays a title.
#[cfg_attr(any(test, feature = "mocks"), mockall::automock)]
pub trait BillTx {
    /// A new quote.
    ///
    /// # Errors
    /// The store's.
    fn insert_quote(&mut self, quote: &Quote) -> Result<(), Error>;

    /// Takes the title for a payment; `false`, and nothing written, when another has it. It waits for a unit of work
    /// that is just taking it.
    ///
    /// # Errors
    /// The store's.
    fn claim_title(
        &mut self,
        owner: Owner,
        barcode: &str,
        payment: PayoutId,
    ) -> Result<bool, Error>;

    /// Lets the title be paid again.
    ///
    /// # Errors
    /// The store's.
    fn release_title(&mut self, owner: Owner, barcode: &str) -> Result<(), Error>;
}
