//! The first attempt to deliver an event, begun by the unit of work that records the event.

use crate::account::Owner;
use crate::event::Event;
use crate::ports::Ports;
use crate::webhook::deliver::signing;
use crate::webhook::schedule::LEASE_MS;
use crate::webhook::{Claimed, Delivery, Endpoint, Lease, ServerId};

/// A place in the owner's lane on this server, if it has one free, and the attempt that was begun for it.
///
/// With a place the delivery is recorded as already under way, so that the event goes out right after its commit, without a second unit of
/// work. Without one the delivery waits in the outbox for whoever claims it. A server that dies in between leaves a lease that ends.
pub(crate) struct FirstAttempt<'a> {
    ports: &'a Ports<'a>,
    owner: Owner,
    server: Option<ServerId>,
    begun: Option<Claimed>,
}

impl<'a> FirstAttempt<'a> {
    /// Takes a place in the owner's lane. It is given back when this is dropped.
    pub(crate) fn of(ports: &'a Ports<'a>, owner: Owner) -> Self {
        Self {
            ports,
            owner,
            server: ports.signals.take_place(owner),
            begun: None,
        }
    }

    /// A unit of work begins, perhaps for the second time: what it began before was not committed.
    pub(crate) fn begin(&mut self) {
        self.begun = None;
    }

    /// The delivery of a new event: under way if there is a place for it, due at once otherwise.
    pub(crate) fn delivery(&mut self, endpoint: &Endpoint, event: &Event) -> Delivery {
        let now = event.recorded_at;
        let due = Delivery::new(event.owner, event.id, now);
        let Some(server) = self.server.filter(|_| endpoint.disabled.is_none()) else {
            return due;
        };
        // A secret that cannot be read is no reason to refuse a payment: whoever claims the delivery will tell of it.
        let Ok((secret, previous_secret)) = signing(self.ports, endpoint, now) else {
            return due;
        };
        let lease = Lease {
            by: server,
            until: now.plus_millis(LEASE_MS),
        };
        let delivery = Delivery {
            attempts: 1,
            tries: 1,
            lease: Some(lease),
            ..due
        };
        self.begun = Some(Claimed {
            owner: event.owner,
            event: event.id,
            number: delivery.attempts,
            url: endpoint.url.clone(),
            secret,
            previous_secret,
            body: event.body.clone(),
            started_at: now,
            due_at: now,
            lease_until: lease.until,
            failing: endpoint.failing_since.is_some(),
        });
        delivery
    }

    /// After the commit: the attempt may be sent, or somebody may claim the delivery.
    pub(crate) fn committed(mut self) {
        match (self.server, self.begun.take()) {
            (Some(_), Some(begun)) => {
                self.server = None;
                self.ports.signals.fill_place(self.owner, Some(begun));
            }
            (_, _) => self.ports.signals.deliveries_due(self.owner),
        }
    }
}

impl Drop for FirstAttempt<'_> {
    fn drop(&mut self) {
        if self.server.is_some() {
            self.ports.signals.fill_place(self.owner, None);
        }
    }
}

#[cfg(test)]
mod tests;
