//! Payouts, quotes and titles.

use std::ops::Add as _;

use super::MemoryTx;
use crate::account::Owner;
use crate::bill::{Quote, QuoteId};
use crate::calendar::Time;
use crate::error::Error;
use crate::money::Centavos;
use crate::payout::{Backlog, Payout, PayoutId, PayoutStatus, Purpose, Step};
use crate::ports::{BillRead, BillTx, PayoutRead, PayoutTx};

/// Whether it is a withdrawal that counts: PENDING or PAID.
fn counts(payout: &Payout) -> bool {
    matches!(payout.purpose, Purpose::Withdrawal(_))
        && !matches!(payout.status, PayoutStatus::Failed { .. })
}

/// What is under way among all of these.
pub(super) fn backlog<'a>(
    all: impl Iterator<Item = (&'a PayoutStatus, Step)>,
    now: Time,
) -> Backlog {
    let count = i64::from;
    all.filter(|(status, _)| **status == PayoutStatus::Pending)
        .map(|(_, step)| Backlog {
            pending: 1,
            due: count(step.due_at <= now),
            stuck: count(step.tries >= Backlog::STUCK_TRIES),
            oldest_due_at: Some(step.due_at),
        })
        .fold(Backlog::default(), Backlog::add)
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
        let payouts = self.world.payouts.values();
        Ok(backlog(
            payouts.map(|payout| (&payout.status, payout.step)),
            now,
        ))
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
