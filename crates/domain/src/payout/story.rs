//! Everything that happened to a payout, for operators.

use crate::bill::Quote;
use crate::charge::EventStory;
use crate::error::{Error, Missing};
use crate::ledger::Entry;
use crate::payout::{Payout, PayoutId, Purpose};
use crate::ports::{Ports, Transact};

/// A payout's whole story.
#[derive(Clone, Debug)]
pub struct Story {
    /// The payout.
    pub payout: Payout,
    /// The quote it pays; none for a withdrawal.
    pub quote: Option<Quote>,
    /// What was posted to the ledger.
    pub entries: Vec<Entry>,
    /// What was told to the merchant.
    pub events: Vec<EventStory>,
}

/// Tells a payout's whole story, whoever owns it.
///
/// # Errors
/// [`Missing::Payout`].
pub fn story(ports: &Ports, id: PayoutId) -> Result<Story, Error> {
    ports.store.read_at_one_moment(|read| {
        let payout = read
            .payout_of_anyone(id)?
            .ok_or(Error::NotFound(Missing::Payout))?;
        let owner = payout.owner;
        let quote = match &payout.purpose {
            Purpose::Bill(order) => read.quote(owner, order.quote)?,
            Purpose::Withdrawal(_) => None,
        };
        Ok(Story {
            quote,
            entries: read.entries_for(owner, id.0)?,
            events: EventStory::all_about(read, owner, id.0)?,
            payout,
        })
    })
}
