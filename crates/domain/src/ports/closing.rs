//! The last writes of a unit of work that moves money or tells news.

use crate::error::Error;
use crate::event::Event;
use crate::ledger::{Entry, Head};
use crate::ports::{EventTx, LedgerTx, WebhookTx};
use crate::webhook::Delivery;

/// What was recorded under the lock of an owner's head, and the head itself.
#[derive(Clone, Debug)]
pub struct Closing {
    /// The head as it is now.
    pub head: Head,
    /// What was posted.
    pub entry: Option<Entry>,
    /// What is told.
    pub event: Option<Event>,
    /// Where the event goes.
    pub delivery: Option<Delivery>,
}

impl Closing {
    /// Writes it with one call after another.
    ///
    /// # Errors
    /// The store's.
    pub fn save_one_by_one<T: LedgerTx + EventTx + WebhookTx + ?Sized>(
        &self,
        tx: &mut T,
    ) -> Result<(), Error> {
        if let Some(entry) = &self.entry {
            tx.insert_entry(entry)?;
        }
        if let Some(event) = &self.event {
            tx.insert_event(event)?;
        }
        if let Some(delivery) = &self.delivery {
            tx.insert_delivery(delivery)?;
        }
        tx.save_head(&self.head)
    }
}

/// Writes a [`Closing`].
pub trait ClosingTx: LedgerTx + EventTx + WebhookTx {
    /// The new entry, event and delivery, and the head. All an owner's payments wait for its head, so a store that can
    /// write them in one step does.
    ///
    /// # Errors
    /// The store's.
    fn save_closing(&mut self, closing: &Closing) -> Result<(), Error> {
        closing.save_one_by_one(self)
    }
}
