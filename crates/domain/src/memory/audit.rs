//! All rows of an owner, in the order of the objects they are about.

use super::MemoryTx;
use crate::account::Owner;
use crate::charge::{Charge, Receipt, Return};
use crate::error::Error;
use crate::event::Event;
use crate::ledger::Entry;
use crate::payout::Payout;
use crate::ports::{AuditRead, Rows};
use crate::refund::Refund;

fn page<'a, P: Ord, T: Clone + 'a>(
    rows: impl Iterator<Item = (P, &'a T)>,
    after: Option<&P>,
    limit: usize,
) -> Rows<P, T> {
    let mut rows: Vec<(P, &T)> = rows
        .filter(|(place, _)| after.is_none_or(|after| place > after))
        .collect();
    rows.sort_by(|(one, _), (other, _)| one.cmp(other));
    let page = rows.into_iter().take(limit);
    page.map(|(place, row)| (place, Ok(row.clone()))).collect()
}

impl AuditRead for MemoryTx {
    fn charges_found(
        &mut self,
        owner: Owner,
        after: Option<String>,
        limit: usize,
    ) -> Result<Rows<String, Charge>, Error> {
        let mine = self.world.charges.values();
        let mine = mine.filter(|charge| charge.owner == owner);
        Ok(page(
            mine.map(|charge| (charge.id.0.to_string(), charge)),
            after.as_ref(),
            limit,
        ))
    }

    fn receipts_found(
        &mut self,
        owner: Owner,
        after: Option<(String, i64)>,
        limit: usize,
    ) -> Result<Rows<(String, i64), Receipt>, Error> {
        let mine = (1_i64..).zip(self.world.receipts.iter());
        let mine = mine.filter(|(_, receipt)| receipt.owner == owner);
        Ok(page(
            mine.map(|(arrival, receipt)| ((receipt.charge.0.to_string(), arrival), receipt)),
            after.as_ref(),
            limit,
        ))
    }

    fn returns_found(
        &mut self,
        owner: Owner,
        after: Option<(String, String)>,
        limit: usize,
    ) -> Result<Rows<(String, String), Return>, Error> {
        let mine = self.world.returns.values();
        let mine = mine.filter(|returned| returned.owner == owner);
        let place = |one: &Return| (one.charge.0.to_string(), one.id.0.to_string());
        Ok(page(
            mine.map(|one| (place(one), one)),
            after.as_ref(),
            limit,
        ))
    }

    fn refunds_found(
        &mut self,
        owner: Owner,
        after: Option<String>,
        limit: usize,
    ) -> Result<Rows<String, Refund>, Error> {
        let mine = self.world.refunds.values();
        let mine = mine.filter(|refund| refund.owner == owner);
        Ok(page(
            mine.map(|refund| (refund.id.0.to_string(), refund)),
            after.as_ref(),
            limit,
        ))
    }

    fn refunds_by_charge_found(
        &mut self,
        owner: Owner,
        after: Option<(String, String)>,
        limit: usize,
    ) -> Result<Rows<(String, String), Refund>, Error> {
        let mine = self.world.refunds.values();
        let mine = mine.filter(|refund| refund.owner == owner);
        let place = |one: &Refund| (one.charge.0.to_string(), one.id.0.to_string());
        Ok(page(
            mine.map(|one| (place(one), one)),
            after.as_ref(),
            limit,
        ))
    }

    fn payouts_found(
        &mut self,
        owner: Owner,
        after: Option<String>,
        limit: usize,
    ) -> Result<Rows<String, Payout>, Error> {
        let mine = self.world.payouts.values();
        let mine = mine.filter(|payout| payout.owner == owner);
        Ok(page(
            mine.map(|payout| (payout.id.0.to_string(), payout)),
            after.as_ref(),
            limit,
        ))
    }

    fn entries_by_object_found(
        &mut self,
        owner: Owner,
        after: Option<(String, i64)>,
        limit: usize,
    ) -> Result<Rows<(String, i64), Entry>, Error> {
        let mine = self.world.entries.values();
        let mine = mine.filter(|entry| entry.owner == owner);
        let place = |one: &Entry| (one.reference.to_string(), one.sequence);
        Ok(page(
            mine.map(|one| (place(one), one)),
            after.as_ref(),
            limit,
        ))
    }

    fn events_by_object_found(
        &mut self,
        owner: Owner,
        after: Option<(String, i64)>,
        limit: usize,
    ) -> Result<Rows<(String, i64), Event>, Error> {
        let mine = self.world.events.values();
        let mine = mine.filter(|event| event.owner == owner);
        let place = |one: &Event| (one.object.to_string(), one.sequence);
        Ok(page(
            mine.map(|one| (place(one), one)),
            after.as_ref(),
            limit,
        ))
    }
}
