//! Webhook endpoints, deliveries and attempts.

use crate::account::Owner;
use crate::calendar::Time;
use crate::error::Error;
use crate::event::EventId;
use crate::webhook::{Attempt, Delivery, Endpoint, Outbox, ServerId};

/// Reads webhook endpoints, deliveries and attempts.
#[cfg_attr(any(test, feature = "mocks"), mockall::automock)]
pub trait WebhookRead {
    /// The owner's endpoint.
    ///
    /// # Errors
    /// The store's.
    fn endpoint(&mut self, owner: Owner) -> Result<Option<Endpoint>, Error>;

    /// The delivery of an event.
    ///
    /// # Errors
    /// The store's.
    fn delivery(&mut self, owner: Owner, event: EventId) -> Result<Option<Delivery>, Error>;

    /// All attempts to deliver an event, in order.
    ///
    /// # Errors
    /// The store's.
    fn attempts(&mut self, owner: Owner, event: EventId) -> Result<Vec<Attempt>, Error>;

    /// At most `limit` attempts of all events, latest first.
    ///
    /// # Errors
    /// The store's.
    fn latest_attempts(&mut self, owner: Owner, limit: usize) -> Result<Vec<Attempt>, Error>;

    /// At most `limit` failed deliveries whose event was recorded at or after `since`, after this event, oldest first.
    ///
    /// # Errors
    /// The store's.
    fn failed_deliveries(
        &mut self,
        owner: Owner,
        since: Time,
        after: Option<EventId>,
        limit: usize,
    ) -> Result<Vec<Delivery>, Error>;

    /// At most `limit` owners with an enabled endpoint and a pending delivery that is due and not leased at `now`.
    ///
    /// # Errors
    /// The store's.
    fn owners_with_due_deliveries(&mut self, now: Time, limit: usize) -> Result<Vec<Owner>, Error>;

    /// What is waiting in the whole outbox at `now`.
    ///
    /// # Errors
    /// The store's.
    fn outbox(&mut self, now: Time) -> Result<Outbox, Error>;
}

/// Writes webhook endpoints, deliveries and attempts.
#[cfg_attr(any(test, feature = "mocks"), mockall::automock)]
pub trait WebhookTx {
    /// The owner's endpoint, locked.
    ///
    /// # Errors
    /// The store's.
    fn endpoint_for_update(&mut self, owner: Owner) -> Result<Option<Endpoint>, Error>;

    /// Writes the endpoint, new or not.
    ///
    /// # Errors
    /// The store's.
    fn save_endpoint(&mut self, endpoint: &Endpoint) -> Result<(), Error>;

    /// A new delivery.
    ///
    /// # Errors
    /// The store's.
    fn insert_delivery(&mut self, delivery: &Delivery) -> Result<(), Error>;

    /// The delivery of an event, locked.
    ///
    /// # Errors
    /// The store's.
    fn delivery_for_update(
        &mut self,
        owner: Owner,
        event: EventId,
    ) -> Result<Option<Delivery>, Error>;

    /// At most `limit` of the owner's pending deliveries that are due and not leased at `now`, with their event bodies,
    /// the longest due first, locked; rows another server has locked are left out.
    ///
    /// # Errors
    /// The store's.
    fn due_deliveries_for_update(
        &mut self,
        owner: Owner,
        now: Time,
        limit: usize,
    ) -> Result<Vec<(Delivery, String)>, Error>;

    /// At most `limit` pending deliveries of everybody that are leased, whether or not the lease has ended, locked.
    ///
    /// # Errors
    /// The store's.
    fn leased_deliveries_for_update(&mut self, limit: usize) -> Result<Vec<Delivery>, Error>;

    /// Makes the delivery DELIVERED if this attempt, under a lease of this server, is the one under way; says whether
    /// it was.
    ///
    /// # Errors
    /// The store's.
    fn accept_delivery(
        &mut self,
        owner: Owner,
        event: EventId,
        number: i64,
        server: ServerId,
    ) -> Result<bool, Error>;

    /// State, counters, due time and lease of deliveries.
    ///
    /// # Errors
    /// The store's.
    fn save_deliveries(&mut self, deliveries: &[Delivery]) -> Result<(), Error>;

    /// New attempts.
    ///
    /// # Errors
    /// The store's.
    fn insert_attempts(&mut self, attempts: &[Attempt]) -> Result<(), Error>;

    /// Removes at most `limit` attempts that started before `before`; says how many.
    ///
    /// # Errors
    /// The store's.
    fn forget_attempts(&mut self, before: Time, limit: usize) -> Result<usize, Error>;
}
