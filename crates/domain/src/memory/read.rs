//! The reading half.

use std::collections::BTreeSet;

use super::MemoryTx;
use crate::account::{Account, AccountId, Origin, Owner, User};
use crate::boleto::{Barcode, Slip};
use crate::brcode::TxId;
use crate::calendar::Time;
use crate::charge::{Charge, ChargeId, ChargeKind, PaymentId, Receipt, Return, Status, StatusName};
use crate::error::Error;
use crate::event::{Event, EventId};
use crate::id::Ulid;
use crate::idempotency::{IdempotencyKey, Record, Route};
use crate::key::{ApiKey, KeyDigest};
use crate::ledger::{Entry, Found, Head};
use crate::payout::{Payout, PayoutStatus, Purpose};
use crate::ports::{
    AccountRead, ChargeRead, EventRead, InstallationRead, KeyRead, LedgerRead, WebhookRead,
};
use crate::provider::ProviderRecord;
use crate::text::Email;
use crate::transaction::{Page, Transaction, TransactionKind};
use crate::webhook::{Attempt, Delivery, DeliveryState, Endpoint, Outbox};

impl AccountRead for MemoryTx {
    fn account(&mut self, id: AccountId) -> Result<Option<Account>, Error> {
        Ok(self.world.accounts.get(&id).cloned())
    }

    fn accounts(&mut self) -> Result<Vec<Account>, Error> {
        Ok(self.world.accounts.values().cloned().collect())
    }

    fn user_by_email(&mut self, email: &Email) -> Result<Option<User>, Error> {
        Ok(self
            .world
            .users
            .iter()
            .find(|user| user.email == *email)
            .cloned())
    }
}

impl KeyRead for MemoryTx {
    fn key_by_digest(&mut self, digest: &KeyDigest) -> Result<Option<ApiKey>, Error> {
        Ok(self
            .world
            .keys
            .values()
            .find(|key| key.digest == *digest)
            .cloned())
    }

    fn keys(&mut self, account: AccountId) -> Result<Vec<ApiKey>, Error> {
        Ok(self
            .world
            .keys
            .values()
            .filter(|key| key.owner.account == account)
            .cloned()
            .collect())
    }
}

impl ChargeRead for MemoryTx {
    fn charge(&mut self, owner: Owner, id: ChargeId) -> Result<Option<Charge>, Error> {
        Ok(self
            .world
            .charges
            .get(&id)
            .filter(|charge| charge.owner == owner)
            .cloned())
    }

    fn charge_of_anyone(&mut self, id: ChargeId) -> Result<Option<Charge>, Error> {
        Ok(self.world.charges.get(&id).cloned())
    }

    fn charge_by_txid(&mut self, txid: &TxId) -> Result<Option<Charge>, Error> {
        Ok(self
            .world
            .charges
            .values()
            .find(|charge| charge.txid == *txid)
            .cloned())
    }

    fn boleto_by_token(&mut self, token: &str) -> Result<Option<Charge>, Error> {
        let shown = |slip: &Slip| slip.pdf_token == token;
        Ok(self
            .world
            .charges
            .values()
            .find(|charge| slip(charge).is_some_and(shown))
            .cloned())
    }

    fn boleto_by_barcode(&mut self, barcode: &Barcode) -> Result<Option<Charge>, Error> {
        let same = |slip: &Slip| slip.barcode == *barcode;
        Ok(self
            .world
            .charges
            .values()
            .find(|charge| slip(charge).is_some_and(same))
            .cloned())
    }

    fn transactions(&mut self, owner: Owner, page: Page) -> Result<Vec<Transaction>, Error> {
        let shown = |of: Owner, origin: Origin| {
            of == owner && matches!(origin, Origin::Api | Origin::Agent)
        };
        let charges = self
            .world
            .charges
            .values()
            .filter(|charge| shown(charge.owner, charge.origin))
            .map(of_charge);
        let payouts = self
            .world
            .payouts
            .values()
            .filter(|payout| shown(payout.owner, payout.origin))
            .map(of_payout);
        let mut all: Vec<_> = charges.chain(payouts).collect();
        all.retain(|item| page.before.is_none_or(|before| item.id < before));
        all.sort_by_key(|item| std::cmp::Reverse(item.id));
        all.truncate(page.limit);
        Ok(all)
    }

    fn receipt(&mut self, id: &PaymentId) -> Result<Option<Receipt>, Error> {
        Ok(self
            .world
            .receipts
            .iter()
            .find(|receipt| receipt.end_to_end_id == *id)
            .cloned())
    }

    fn receipts(&mut self, owner: Owner, charge: ChargeId) -> Result<Vec<Receipt>, Error> {
        let about = |receipt: &&Receipt| receipt.owner == owner && receipt.charge == charge;
        Ok(self.world.receipts.iter().filter(about).cloned().collect())
    }

    fn returns(&mut self, owner: Owner, charge: ChargeId) -> Result<Vec<Return>, Error> {
        let about = |returned: &&Return| returned.owner == owner && returned.charge == charge;
        Ok(self.world.returns.values().filter(about).cloned().collect())
    }

    fn idempotency_record(
        &mut self,
        owner: Owner,
        route: Route,
        key: &IdempotencyKey,
    ) -> Result<Option<Record>, Error> {
        let same = |record: &&Record| {
            record.owner == owner && record.route == route && record.attempt.key == *key
        };
        Ok(self.world.idempotency.iter().find(same).cloned())
    }
}

fn slip(charge: &Charge) -> Option<&Slip> {
    match &charge.kind {
        ChargeKind::PixQrCode => None,
        ChargeKind::Boleto(slip) => Some(slip),
    }
}

fn of_charge(charge: &Charge) -> Transaction {
    let (status, paid_at) = match &charge.status {
        Status::Pending => (StatusName::Pending, None),
        Status::Paid(payment) => (StatusName::Paid, Some(payment.paid_at)),
        Status::Failed(_) => (StatusName::Failed, None),
    };
    let kind = match &charge.kind {
        ChargeKind::PixQrCode => TransactionKind::PixQrCode,
        ChargeKind::Boleto(_) => TransactionKind::Boleto,
    };
    let expires_at = Some(charge.expires_at);
    Transaction {
        id: charge.id.0,
        kind,
        status,
        amount: charge.amount,
        paid_at,
        expires_at,
    }
}

fn of_payout(payout: &Payout) -> Transaction {
    let (status, paid_at) = match &payout.status {
        PayoutStatus::Pending => (StatusName::Pending, None),
        PayoutStatus::Paid { at, .. } => (StatusName::Paid, Some(*at)),
        PayoutStatus::Failed { .. } => (StatusName::Failed, None),
    };
    let kind = match &payout.purpose {
        Purpose::Withdrawal(_) => TransactionKind::Withdraw,
        Purpose::Bill(_) => TransactionKind::BoletoPayment,
    };
    Transaction {
        id: payout.id.0,
        kind,
        status,
        amount: payout.amount,
        paid_at,
        expires_at: None,
    }
}

impl LedgerRead for MemoryTx {
    fn head(&mut self, owner: Owner) -> Result<Option<Head>, Error> {
        Ok(self.world.heads.get(&owner).cloned())
    }

    fn heads(&mut self) -> Result<Vec<Head>, Error> {
        Ok(self.world.heads.values().cloned().collect())
    }

    fn entries(&mut self, owner: Owner, after: i64, limit: usize) -> Result<Vec<Entry>, Error> {
        let mine = self
            .world
            .entries
            .iter()
            .filter(|((of, sequence), _)| *of == owner && *sequence > after);
        Ok(mine.take(limit).map(|(_, entry)| entry.clone()).collect())
    }

    fn ledgers(&mut self) -> Result<Vec<Owner>, Error> {
        let accounts = self.world.accounts.keys().copied();
        let both = accounts.flat_map(Owner::both).collect::<BTreeSet<_>>();
        let heads = self.world.heads.keys().copied().collect();
        Ok(both.union(&heads).copied().collect())
    }

    fn head_as_found(&mut self, owner: Owner) -> Result<Option<Found<Head>>, Error> {
        self.head(owner).map(|head| head.map(Ok))
    }

    fn entries_as_found(
        &mut self,
        owner: Owner,
        after: i64,
        limit: usize,
    ) -> Result<Vec<(i64, Found<Entry>)>, Error> {
        let entries = self.entries(owner, after, limit)?;
        Ok(entries
            .into_iter()
            .map(|entry| (entry.sequence, Ok(entry)))
            .collect())
    }

    fn entries_for(&mut self, owner: Owner, reference: Ulid) -> Result<Vec<Entry>, Error> {
        let about = |entry: &&Entry| entry.owner == owner && entry.reference == reference;
        Ok(self.world.entries.values().filter(about).cloned().collect())
    }
}

impl EventRead for MemoryTx {
    fn event(&mut self, owner: Owner, id: EventId) -> Result<Option<Event>, Error> {
        Ok(self
            .world
            .events
            .values()
            .find(|event| event.owner == owner && event.id == id)
            .cloned())
    }

    fn events(&mut self, owner: Owner, after: i64, limit: usize) -> Result<Vec<Event>, Error> {
        let mine = self
            .world
            .events
            .iter()
            .filter(|((of, sequence), _)| *of == owner && *sequence > after);
        Ok(mine.take(limit).map(|(_, event)| event.clone()).collect())
    }

    fn event_sequences(
        &mut self,
        owner: Owner,
        after: i64,
        limit: usize,
    ) -> Result<Vec<i64>, Error> {
        let events = self.events(owner, after, limit)?;
        Ok(events.into_iter().map(|event| event.sequence).collect())
    }

    fn events_about(&mut self, owner: Owner, object: Ulid) -> Result<Vec<Event>, Error> {
        let about = |event: &&Event| event.owner == owner && event.object == object;
        Ok(self.world.events.values().filter(about).cloned().collect())
    }
}

/// Whether a worker may take the delivery at `now`.
pub(super) fn is_free(delivery: &Delivery, now: Time) -> bool {
    delivery.state == DeliveryState::Pending
        && delivery.due_at <= now
        && delivery.lease.is_none_or(|lease| lease.until <= now)
}

impl WebhookRead for MemoryTx {
    fn endpoint(&mut self, owner: Owner) -> Result<Option<Endpoint>, Error> {
        Ok(self.world.endpoints.get(&owner).cloned())
    }

    fn delivery(&mut self, owner: Owner, event: EventId) -> Result<Option<Delivery>, Error> {
        Ok(self.world.deliveries.get(&(owner, event)).cloned())
    }

    fn attempts(&mut self, owner: Owner, event: EventId) -> Result<Vec<Attempt>, Error> {
        let about = |attempt: &&Attempt| attempt.owner == owner && attempt.event == event;
        Ok(self
            .world
            .attempts
            .values()
            .filter(about)
            .cloned()
            .collect())
    }

    fn latest_attempts(&mut self, owner: Owner, limit: usize) -> Result<Vec<Attempt>, Error> {
        let mut mine: Vec<_> = self
            .world
            .attempts
            .values()
            .filter(|attempt| attempt.owner == owner)
            .cloned()
            .collect();
        mine.sort_by_key(|attempt| {
            std::cmp::Reverse((attempt.started_at, attempt.event, attempt.number))
        });
        mine.truncate(limit);
        Ok(mine)
    }

    fn failed_deliveries(
        &mut self,
        owner: Owner,
        since: Time,
        after: Option<EventId>,
        limit: usize,
    ) -> Result<Vec<Delivery>, Error> {
        let events = &self.world.events;
        let recorded = |id: EventId| {
            events
                .values()
                .find(|event| event.id == id)
                .map(|event| event.recorded_at)
        };
        let wanted = |delivery: &&Delivery| {
            delivery.owner == owner
                && delivery.state == DeliveryState::Failed
                && after.is_none_or(|after| delivery.event > after)
                && recorded(delivery.event).is_some_and(|at| at >= since)
        };
        Ok(self
            .world
            .deliveries
            .values()
            .filter(wanted)
            .take(limit)
            .cloned()
            .collect())
    }

    fn owners_with_due_deliveries(&mut self, now: Time, limit: usize) -> Result<Vec<Owner>, Error> {
        let enabled = |owner: &Owner| {
            self.world
                .endpoints
                .get(owner)
                .is_some_and(|endpoint| endpoint.disabled.is_none())
        };
        let mut owners: Vec<_> = self
            .world
            .deliveries
            .values()
            .filter(|delivery| is_free(delivery, now))
            .map(|delivery| delivery.owner)
            .collect();
        owners.dedup();
        owners.retain(enabled);
        owners.truncate(limit);
        Ok(owners)
    }

    fn outbox(&mut self, now: Time) -> Result<Outbox, Error> {
        let mut outbox = Outbox::default();
        for delivery in self
            .world
            .deliveries
            .values()
            .filter(|delivery| delivery.state == DeliveryState::Pending)
        {
            let enabled = self
                .world
                .endpoints
                .get(&delivery.owner)
                .is_some_and(|endpoint| endpoint.disabled.is_none());
            if !enabled {
                outbox.held = outbox.held.saturating_add(1);
                continue;
            }
            outbox.pending = outbox.pending.saturating_add(1);
            if delivery.due_at <= now {
                let oldest = outbox
                    .oldest_due_at
                    .map_or(delivery.due_at, |oldest| oldest.min(delivery.due_at));
                outbox.oldest_due_at = Some(oldest);
            }
            if delivery.lease.is_some_and(|lease| lease.until <= now) {
                outbox.stuck = outbox.stuck.saturating_add(1);
            }
        }
        Ok(outbox)
    }
}

impl InstallationRead for MemoryTx {
    fn epoch(&mut self) -> Result<i64, Error> {
        Ok(self.world.epoch)
    }

    fn provider_record(
        &mut self,
        provider: &'static str,
        key: &str,
    ) -> Result<Option<ProviderRecord>, Error> {
        Ok(self
            .world
            .provider_records
            .get(&(provider, key.to_owned()))
            .cloned())
    }
}
