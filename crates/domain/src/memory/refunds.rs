//! Refunds.

use super::MemoryTx;
use super::payouts::backlog;
use crate::account::Owner;
use crate::calendar::Time;
use crate::charge::ChargeId;
use crate::error::Error;
use crate::payout::{Backlog, PayoutStatus};
use crate::ports::{RefundRead, RefundTx};
use crate::refund::{Refund, RefundId};

impl RefundRead for MemoryTx {
    fn refund_of_anyone(&mut self, id: RefundId) -> Result<Option<Refund>, Error> {
        Ok(self.world.refunds.get(&id).cloned())
    }

    fn refund(&mut self, owner: Owner, id: RefundId) -> Result<Option<Refund>, Error> {
        let known = self.world.refunds.get(&id);
        Ok(known.filter(|refund| refund.owner == owner).cloned())
    }

    fn refunds(&mut self, owner: Owner, charge: ChargeId) -> Result<Vec<Refund>, Error> {
        let about = |refund: &&Refund| refund.owner == owner && refund.charge == charge;
        Ok(self.world.refunds.values().filter(about).cloned().collect())
    }

    fn refund_backlog(&mut self, now: Time) -> Result<Backlog, Error> {
        let refunds = self.world.refunds.values();
        Ok(backlog(
            refunds.map(|refund| (&refund.status, refund.step)),
            now,
        ))
    }
}

impl RefundTx for MemoryTx {
    fn insert_refund(&mut self, refund: &Refund) -> Result<(), Error> {
        match self.world.refunds.insert(refund.id, refund.clone()) {
            None => Ok(()),
            Some(_) => Err(self.broken("the refund is there already")),
        }
    }

    fn refund_for_update(&mut self, owner: Owner, id: RefundId) -> Result<Option<Refund>, Error> {
        self.refund(owner, id)
    }

    fn due_refunds_for_update(&mut self, now: Time, limit: usize) -> Result<Vec<Refund>, Error> {
        let due =
            |refund: &&Refund| refund.status == PayoutStatus::Pending && refund.step.due_at <= now;
        let mut due: Vec<_> = self.world.refunds.values().filter(due).cloned().collect();
        due.sort_by_key(|refund| refund.step.due_at);
        due.truncate(limit);
        Ok(due)
    }

    fn save_refund(&mut self, refund: &Refund) -> Result<(), Error> {
        match self
            .world
            .refunds
            .get_mut(&refund.id)
            .filter(|kept| kept.owner == refund.owner)
        {
            Some(kept) => {
                (kept.status, kept.step) = (refund.status.clone(), refund.step);
                Ok(())
            }
            None => Err(self.broken("the refund is not there")),
        }
    }
}
