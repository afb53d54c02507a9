//! Everything that happened to a refund, for operators.

use crate::account::Owner;
use crate::charge::{Charge, ChargeId};
use crate::error::{Error, Missing};
use crate::ledger::Entry;
use crate::ports::{Ports, Read, Transact};
use crate::refund::{Refund, RefundId};

/// A refund's whole story.
#[derive(Clone, Debug)]
pub struct Story {
    /// The refund.
    pub refund: Refund,
    /// What was posted to the ledger.
    pub entries: Vec<Entry>,
}

impl Story {
    fn of(read: &mut dyn Read, refund: Refund) -> Result<Self, Error> {
        let entries = read.entries_for(refund.owner, refund.id.0)?;
        Ok(Self { refund, entries })
    }

    /// The story of every refund of a charge, oldest first.
    pub(crate) fn all_of(
        read: &mut dyn Read,
        owner: Owner,
        charge: ChargeId,
    ) -> Result<Vec<Self>, Error> {
        let refunds = read.refunds(owner, charge)?;
        refunds
            .into_iter()
            .map(|refund| Self::of(read, refund))
            .collect()
    }
}

/// Tells a refund's whole story, whoever owns it, and the charge it gives back.
///
/// # Errors
/// [`Missing::Refund`].
pub fn story(ports: &Ports, id: RefundId) -> Result<(Story, Charge), Error> {
    ports.store.read_at_one_moment(|read| {
        let refund = read
            .refund_of_anyone(id)?
            .ok_or(Error::NotFound(Missing::Refund))?;
        let charge = read
            .charge(refund.owner, refund.charge)?
            .ok_or_else(|| Error::bug("a refund has no charge"))?;
        Ok((Story::of(read, refund)?, charge))
    })
}
