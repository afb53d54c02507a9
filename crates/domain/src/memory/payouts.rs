//! Payouts, quotes and titles.

use super::MemoryTx;
use crate::account::Owner;
use crate::bill::{Quote, QuoteId};
use crate::calendar::Time;
use crate::error::Error;
use crate::money::Centavos;
use crate::payout::{Backlog, Payout, PayoutId, PayoutStatus, Purpose};
use crate::ports::{BillRead, BillTx, PayoutRead, PayoutTx};

/// Whether it is a withdrawal that counts: PENDING or PAID.
fn counts(payout: &Payout) -> bool {
    matches!(payout.purpose, Purpose::Withdrawal(_))
        && !matches!(payout.status, PayoutStatus::Failed { .. })
}

impl PayoutRead for MemoryTx {
    fn payout(&mut self, owner: Owner, id: PayoutId) -> Result<Option<Payout>, Error> {
        Ok(self
            .world
            .payouts
            .get(&id)
            .filter(|payout| payout.owner == owner)
            .cloned())
    }

    fn payout_of_anyone(&mut self, id: PayoutId) -> Result<Option<Payout>, Error> {
        Ok(self.world.payouts.get(&id).cloned())
    }

    fn payout_backlog(&mut self, now: Time) -> Result<Backlog, Error> {
        let mut backlog = Backlog::default();
        for payout in self.world.payouts.values() {
            if payout.status == PayoutStatus::Pending {
                let due_at = payout.step.due_at;
                let count = |holds: bool| i64::from(holds);
                backlog.pending = backlog.pending.saturating_add(1);
                backlog.due = backlog.due.saturating_add(count(due_at <= now));
                let stuck = payout.step.tries >= Backlog::STUCK_TRIES;
                backlog.stuck = backlog.stuck.saturating_add(count(stuck));
                let oldest = backlog
                    .oldest_due_at
                    .map_or(due_at, |known| known.min(due_at));
                backlog.oldest_due_at = Some(oldest);
            }
        }
        Ok(backlog)
    }

    fn withdrawn(&mut self, owner: Owner, from: Time, until: Time) -> Result<Centavos, Error> {
        let today = |payout: &&Payout| {
            payout.owner == owner
                && counts(payout)
                && payout.created_at >= from
                && payout.created_at < until
        };
        let sum = self
            .world
            .payouts
            .values()
            .filter(today)
            .try_fold(Centavos::ZERO, |sum, one| sum.plus(one.amount))?;
        Ok(sum)
    }

    fn same_withdrawal(
        &mut self,
        owner: Owner,
        key: &str,
        amount: Centavos,
        since: Time,
    ) -> Result<Option<PayoutId>, Error> {
        let same = |payout: &&Payout| {
            let to =
                matches!(&payout.purpose, Purpose::Withdrawal(details) if details.pix_key == key);
            payout.owner == owner
                && to
                && counts(payout)
                && payout.amount == amount
                && payout.created_at >= since
        };
        Ok(self
            .world
            .payouts
            .values()
            .rev()
            .find(same)
            .map(|payout| payout.id))
    }
}

impl PayoutTx for MemoryTx {
    fn insert_payout(&mut self, payout: &Payout) -> Result<(), Error> {
        match self.world.payouts.insert(payout.id, payout.clone()) {
            None => Ok(()),
            Some(_) => Err(self.broken("the payout is there already")),
        }
    }

    fn payout_for_update(&mut self, owner: Owner, id: PayoutId) -> Result<Option<Payout>, Error> {
        self.payout(owner, id)
    }

    fn due_payouts_for_update(&mut self, now: Time, limit: usize) -> Result<Vec<Payout>, Error> {
        let due =
            |payout: &&Payout| payout.status == PayoutStatus::Pending && payout.step.due_at <= now;
        let mut due: Vec<_> = self.world.payouts.values().filter(due).cloned().collect();
        due.sort_by_key(|payout| payout.step.due_at);
        due.truncate(limit);
        Ok(due)
    }

    fn save_payout(&mut self, payout: &Payout) -> Result<(), Error> {
        match self
            .world
            .payouts
            .get_mut(&payout.id)
            .filter(|kept| kept.owner == payout.owner)
        {
            Some(kept) => {
                (kept.status, kept.step) = (payout.status.clone(), payout.step);
                Ok(())
            }
            None => Err(self.broken("the payout is not there")),
        }
    }
}

impl BillRead for MemoryTx {
    fn quote(&mut self, owner: Owner, id: QuoteId) -> Result<Option<Quote>, Error> {
        Ok(self
            .world
            .quotes
            .get(&id)
            .filter(|quote| quote.owner == owner)
            .cloned())
    }

    fn title_payment(&mut self, owner: Owner, barcode: &str) -> Result<Option<PayoutId>, Error> {
        Ok(self.world.titles.get(&(owner, barcode.to_owned())).copied())
    }
}

impl BillTx for MemoryTx {
    fn insert_quote(&mut self, quote: &Quote) -> Result<(), Error> {
        match self.world.quotes.insert(quote.id, quote.clone()) {
            None => Ok(()),
            Some(_) => Err(self.broken("the quote is there already")),
        }
    }

    fn claim_title(
        &mut self,
        owner: Owner,
        barcode: &str,
        payment: PayoutId,
    ) -> Result<bool, Error> {
        let title = (owner, barcode.to_owned());
        if self.world.titles.contains_key(&title) {
            return Ok(false);
        }
        self.world.titles.insert(title, payment);
        Ok(true)
    }

    fn release_title(&mut self, owner: Owner, barcode: &str) -> Result<(), Error> {
        self.world.titles.remove(&(owner, barcode.to_owned()));
        Ok(())
    }
}
