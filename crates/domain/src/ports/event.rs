//! Events.

use crate::account::Owner;
use crate::error::Error;
use crate::event::{Event, EventId};
use crate::id::Ulid;

/// Reads events.
#[cfg_attr(any(test, feature = "mocks"), mockall::automock)]
pub trait EventRead {
    /// The owner's event.
    ///
    /// # Errors
    /// The store's.
    fn event(&mut self, owner: Owner, id: EventId) -> Result<Option<Event>, Error>;

    /// At most `limit` events after a sequence, in order.
    ///
    /// # Errors
    /// The store's.
    fn events(&mut self, owner: Owner, after: i64, limit: usize) -> Result<Vec<Event>, Error>;

    /// The sequences of at most `limit` events after one, in order, whatever else their rows hold.
    ///
    /// # Errors
    /// The store's.
    fn event_sequences(
        &mut self,
        owner: Owner,
        after: i64,
        limit: usize,
    ) -> Result<Vec<i64>, Error>;

    /// All events about an object, in order.
    ///
    /// # Errors
    /// The store's.
    fn events_about(&mut self, owner: Owner, object: Ulid) -> Result<Vec<Event>, Error>;
}

/// Writes events. They are never changed or removed.
#[cfg_attr(any(test, feature = "mocks"), mockall::automock)]
pub trait EventTx {
    /// A new event.
    ///
    /// # Errors
    /// The store's.
    fn insert_event(&mut self, event: &Event) -> Result<(), Error>;
}
