//! Everything that happened to a charge, for operators.

use crate::account::{Owner, time_of};
use crate::calendar::Time;
use crate::charge::{Charge, ChargeId, Receipt, Return};
use crate::error::{Error, Missing};
use crate::event::Event;
use crate::id::Ulid;
use crate::ledger::Entry;
use crate::ports::{Ports, Read, Transact};
use crate::refund;
use crate::webhook::{Attempt, Delivery};

/// A charge's whole story.
#[derive(Clone, Debug)]
pub struct Story {
    /// The charge.
    pub charge: Charge,
    /// The moment the story was told, in the time of the charge's environment.
    pub now: Time,
    /// What banks told, in the order they did.
    pub receipts: Vec<Receipt>,
    /// What went back to payers.
    pub returns: Vec<Return>,
    /// What the merchant gave back.
    pub refunds: Vec<refund::Story>,
    /// What was posted to the ledger for the charge itself.
    pub entries: Vec<Entry>,
    /// What was told to the merchant.
    pub events: Vec<EventStory>,
}

/// An event and what became of its delivery.
#[derive(Clone, Debug)]
pub struct EventStory {
    /// The event.
    pub event: Event,
    /// Its delivery; none when no endpoint was set at the time.
    pub delivery: Option<Delivery>,
    /// The attempts to deliver it that the log still has.
    pub attempts: Vec<Attempt>,
}

impl EventStory {
    /// Every event about an object, in order.
    pub(crate) fn all_about(
        read: &mut dyn Read,
        owner: Owner,
        object: Ulid,
    ) -> Result<Vec<Self>, Error> {
        let mut stories = Vec::new();
        for event in read.events_about(owner, object)? {
            let delivery = read.delivery(owner, event.id)?;
            let attempts = read.attempts(owner, event.id)?;
            stories.push(Self {
                event,
                delivery,
                attempts,
            });
        }
        Ok(stories)
    }
}

/// Tells a charge's whole story, whoever owns it.
///
/// # Errors
/// [`Missing::Charge`].
pub fn story(ports: &Ports, id: ChargeId) -> Result<Story, Error> {
    let real_now = ports.clock.now();
    ports.store.read_at_one_moment(|read| {
        let charge = read
            .charge_of_anyone(id)?
            .ok_or(Error::NotFound(Missing::Charge))?;
        let owner = charge.owner;
        Ok(Story {
            now: time_of(read, owner, real_now)?,
            receipts: read.receipts(owner, id)?,
            returns: read.returns(owner, id)?,
            refunds: refund::Story::all_of(read, owner, id)?,
            entries: read.entries_for(owner, id.0)?,
            events: EventStory::all_about(read, owner, id.0)?,
            charge,
        })
    })
}
