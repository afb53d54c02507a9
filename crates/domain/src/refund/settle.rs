//! The worker's part: ask the provider, look up, settle or bring the money back.

use crate::account::Owner;
use crate::calendar::Time;
use crate::error::Error;
use crate::event::{EventId, Moments};
use crate::ledger::{self, EntryId, Movement};
use crate::payout::{Outbound, PayoutAnswer, PayoutStatus, Round, Step, settle};
use crate::ports::{Ports, Tx};
use crate::provider::Provider;
use crate::refund::Refund;

/// Works on refunds that are due, as [`crate::payout::settle_due`] does on payouts.
///
/// # Errors
/// The store's. A provider that is down is no error: the refund stays PENDING and is asked for later.
pub fn settle_due(ports: &Ports, limit: usize) -> Result<Round, Error> {
    settle::<Refund>(ports, limit)
}

impl Outbound for Refund {
    const IS_TOLD: bool = false;

    fn owner(&self) -> Owner {
        self.owner
    }

    fn status(&self) -> &PayoutStatus {
        &self.status
    }

    fn step(&self) -> Step {
        self.step
    }

    fn moved(self, status: PayoutStatus, step: Step) -> Self {
        Self {
            status,
            step,
            ..self
        }
    }

    fn due(tx: &mut dyn Tx, now: Time, limit: usize) -> Result<Vec<Self>, Error> {
        tx.due_refunds_for_update(now, limit)
    }

    fn current(&self, tx: &mut dyn Tx) -> Result<Option<Self>, Error> {
        tx.refund_for_update(self.owner, self.id)
    }

    fn save(&self, tx: &mut dyn Tx) -> Result<(), Error> {
        tx.save_refund(self)
    }

    fn send(&self, provider: &dyn Provider) -> Result<PayoutAnswer, Error> {
        provider.refund(self)
    }

    fn look_up(&self, provider: &dyn Provider) -> Result<PayoutAnswer, Error> {
        provider.look_up_refund(self)
    }

    fn end(
        &self,
        tx: &mut dyn Tx,
        entry: EntryId,
        _event: EventId,
        at: Moments,
    ) -> Result<(), Error> {
        post(tx, self, entry, at)
    }
}

/// The refund's money leaves the provider, or comes back to what can be spent.
fn post(tx: &mut dyn Tx, refund: &Refund, entry: EntryId, at: Moments) -> Result<(), Error> {
    let Some((kind, postings)) = refund.ended()? else {
        return Ok(());
    };
    let movement = Movement {
        id: entry,
        kind,
        reference: refund.id.0,
        postings,
        at: at.now,
    };
    ledger::close(tx, refund.owner, Some(movement), None, at)
}
