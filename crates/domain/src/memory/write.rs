//! The writing half.

use super::MemoryTx;
use super::read::is_free;
use crate::account::{Account, AccountId, Membership, Owner, User};
use crate::calendar::Time;
use crate::charge::{Charge, ChargeId, Receipt, Return, ReturnKey, ReturnState};
use crate::error::Error;
use crate::event::{Event, EventId};
use crate::idempotency::Record;
use crate::key::{ApiKey, KeyId};
use crate::ledger::{Entry, Head};
use crate::ports::{
    AccountTx, ChargeTx, ClosingTx, EventTx, InstallationTx, KeyTx, LedgerTx, WebhookTx,
};
use crate::provider::ProviderRecord;
use crate::webhook::{Attempt, Delivery, DeliveryState, Endpoint, ServerId};

impl MemoryTx {
    /// What a database answers to a second row with the same key, or to a change of a row that is not there.
    pub(super) fn broken(&mut self, what: &'static str) -> Error {
        self.failed = true;
        Error::bug(what)
    }
}

impl AccountTx for MemoryTx {
    fn account_for_update(&mut self, id: AccountId) -> Result<Option<Account>, Error> {
        Ok(self.world.accounts.get(&id).cloned())
    }

    fn insert_account(&mut self, account: &Account) -> Result<(), Error> {
        match self.world.accounts.insert(account.id, account.clone()) {
            None => Ok(()),
            Some(_) => Err(self.broken("the account is there already")),
        }
    }

    fn save_account(&mut self, account: &Account) -> Result<(), Error> {
        match self.world.accounts.insert(account.id, account.clone()) {
            Some(_) => Ok(()),
            None => Err(self.broken("the account is not there")),
        }
    }

    fn insert_user(&mut self, user: &User) -> Result<bool, Error> {
        if self
            .world
            .users
            .iter()
            .any(|known| known.email == user.email)
        {
            return Ok(false);
        }
        self.world.users.push(user.clone());
        Ok(true)
    }

    fn save_user(&mut self, user: &User) -> Result<(), Error> {
        let mut known = self.world.users.iter_mut();
        let kept = known
            .find(|known| known.id == user.id)
            .ok_or_else(|| Error::bug("users: no such row"))?;
        *kept = User {
            created_at: kept.created_at,
            ..user.clone()
        };
        Ok(())
    }

    fn insert_membership(&mut self, membership: &Membership) -> Result<(), Error> {
        self.world.memberships.push(*membership);
        Ok(())
    }
}

impl KeyTx for MemoryTx {
    fn key_for_update(&mut self, id: KeyId) -> Result<Option<ApiKey>, Error> {
        Ok(self.world.keys.get(&id).cloned())
    }

    fn insert_key(&mut self, key: &ApiKey) -> Result<(), Error> {
        match self.world.keys.insert(key.id, key.clone()) {
            None => Ok(()),
            Some(_) => Err(self.broken("the key is there already")),
        }
    }

    fn save_key(&mut self, key: &ApiKey) -> Result<(), Error> {
        match self.world.keys.get_mut(&key.id) {
            Some(kept) => {
                (kept.expires_at, kept.revoked_at) = (key.expires_at, key.revoked_at);
                Ok(())
            }
            None => Err(self.broken("the key is not there")),
        }
    }

    fn save_key_use(&mut self, id: KeyId, at: Time) -> Result<(), Error> {
        if let Some(key) = self.world.keys.get_mut(&id) {
            key.last_used_at = key.last_used_at.max(Some(at));
        }
        Ok(())
    }
}

impl ChargeTx for MemoryTx {
    fn insert_charge(&mut self, charge: &Charge) -> Result<(), Error> {
        let new_name = self.world.txids.insert(charge.txid.as_str().to_owned());
        if !new_name
            || self
                .world
                .charges
                .insert(charge.id, charge.clone())
                .is_some()
        {
            return Err(self.broken("the charge is there already"));
        }
        Ok(())
    }

    fn charge_for_update(&mut self, owner: Owner, id: ChargeId) -> Result<Option<Charge>, Error> {
        Ok(self
            .world
            .charges
            .get(&id)
            .filter(|charge| charge.owner == owner)
            .cloned())
    }

    fn save_charge(&mut self, charge: &Charge) -> Result<(), Error> {
        match self
            .world
            .charges
            .get_mut(&charge.id)
            .filter(|kept| kept.owner == charge.owner)
        {
            Some(kept) => {
                kept.status = charge.status.clone();
                Ok(())
            }
            None => Err(self.broken("the charge is not there")),
        }
    }

    fn insert_receipt(&mut self, receipt: &Receipt) -> Result<bool, Error> {
        if self
            .world
            .receipts
            .iter()
            .any(|known| known.end_to_end_id == receipt.end_to_end_id)
        {
            return Ok(false);
        }
        self.world.receipts.push(receipt.clone());
        Ok(true)
    }

    fn insert_return(&mut self, returned: &Return) -> Result<(), Error> {
        match self.world.returns.insert(returned.id, returned.clone()) {
            None => Ok(()),
            Some(_) => Err(self.broken("the return is there already")),
        }
    }

    fn due_returns_for_update(&mut self, now: Time, limit: usize) -> Result<Vec<Return>, Error> {
        let due =
            |returned: &&Return| returned.state == ReturnState::Open && returned.due_at <= now;
        let mut due: Vec<_> = self.world.returns.values().filter(due).cloned().collect();
        due.sort_by_key(|returned| returned.due_at);
        due.truncate(limit);
        Ok(due)
    }

    fn return_for_update(&mut self, owner: Owner, id: ReturnKey) -> Result<Option<Return>, Error> {
        Ok(self
            .world
            .returns
            .get(&id)
            .filter(|returned| returned.owner == owner)
            .cloned())
    }

    fn save_return(&mut self, returned: &Return) -> Result<(), Error> {
        match self.world.returns.insert(returned.id, returned.clone()) {
            Some(_) => Ok(()),
            None => Err(self.broken("the return is not there")),
        }
    }

    fn insert_idempotency_record(&mut self, record: &Record) -> Result<bool, Error> {
        let same = |known: &Record| {
            known.owner == record.owner
                && known.route == record.route
                && known.attempt.key == record.attempt.key
        };
        if self.world.idempotency.iter().any(same) {
            return Ok(false);
        }
        self.world.idempotency.push(record.clone());
        Ok(true)
    }
}

impl LedgerTx for MemoryTx {
    fn head_for_update(&mut self, owner: Owner) -> Result<Option<Head>, Error> {
        Ok(self.world.heads.get(&owner).cloned())
    }

    fn insert_head(&mut self, head: &Head) -> Result<(), Error> {
        match self.world.heads.insert(head.owner, head.clone()) {
            None => Ok(()),
            Some(_) => Err(self.broken("the head is there already")),
        }
    }

    fn save_head(&mut self, head: &Head) -> Result<(), Error> {
        match self.world.heads.insert(head.owner, head.clone()) {
            Some(_) => Ok(()),
            None => Err(self.broken("the head is not there")),
        }
    }

    fn insert_entry(&mut self, entry: &Entry) -> Result<(), Error> {
        match self
            .world
            .entries
            .insert((entry.owner, entry.sequence), entry.clone())
        {
            None => Ok(()),
            Some(_) => Err(self.broken("the entry is there already")),
        }
    }
}

impl ClosingTx for MemoryTx {}

impl EventTx for MemoryTx {
    fn insert_event(&mut self, event: &Event) -> Result<(), Error> {
        match self
            .world
            .events
            .insert((event.owner, event.sequence), event.clone())
        {
            None => Ok(()),
            Some(_) => Err(self.broken("the event is there already")),
        }
    }
}

impl WebhookTx for MemoryTx {
    fn endpoint_for_update(&mut self, owner: Owner) -> Result<Option<Endpoint>, Error> {
        Ok(self.world.endpoints.get(&owner).cloned())
    }

    fn save_endpoint(&mut self, endpoint: &Endpoint) -> Result<(), Error> {
        self.world
            .endpoints
            .insert(endpoint.owner, endpoint.clone());
        Ok(())
    }

    fn insert_delivery(&mut self, delivery: &Delivery) -> Result<(), Error> {
        match self
            .world
            .deliveries
            .insert((delivery.owner, delivery.event), delivery.clone())
        {
            None => Ok(()),
            Some(_) => Err(self.broken("the delivery is there already")),
        }
    }

    fn delivery_for_update(
        &mut self,
        owner: Owner,
        event: EventId,
    ) -> Result<Option<Delivery>, Error> {
        Ok(self.world.deliveries.get(&(owner, event)).cloned())
    }

    fn due_deliveries_for_update(
        &mut self,
        owner: Owner,
        now: Time,
        limit: usize,
    ) -> Result<Vec<(Delivery, String)>, Error> {
        let free = |delivery: &&Delivery| delivery.owner == owner && is_free(delivery, now);
        let mut due: Vec<_> = self
            .world
            .deliveries
            .values()
            .filter(free)
            .cloned()
            .collect();
        due.sort_by_key(|delivery| (delivery.due_at, delivery.event));
        due.truncate(limit);
        let events = &self.world.events;
        let body = |id: EventId| {
            events
                .values()
                .find(|event| event.id == id)
                .map(|event| event.body.clone())
        };
        Ok(due
            .into_iter()
            .filter_map(|delivery| body(delivery.event).map(|body| (delivery, body)))
            .collect())
    }

    fn leased_deliveries_for_update(&mut self, limit: usize) -> Result<Vec<Delivery>, Error> {
        let leased = |delivery: &&Delivery| {
            delivery.state == DeliveryState::Pending && delivery.lease.is_some()
        };
        Ok(self
            .world
            .deliveries
            .values()
            .filter(leased)
            .take(limit)
            .cloned()
            .collect())
    }

    fn accept_delivery(
        &mut self,
        owner: Owner,
        event: EventId,
        number: i64,
        server: ServerId,
    ) -> Result<bool, Error> {
        let Some(delivery) = self.world.deliveries.get_mut(&(owner, event)) else {
            return Ok(false);
        };
        let under_way = delivery.is_attempted(number, server);
        if under_way {
            delivery.state = DeliveryState::Delivered;
            delivery.lease = None;
        }
        Ok(under_way)
    }

    fn save_deliveries(&mut self, deliveries: &[Delivery]) -> Result<(), Error> {
        for delivery in deliveries {
            if self
                .world
                .deliveries
                .insert((delivery.owner, delivery.event), delivery.clone())
                .is_none()
            {
                return Err(self.broken("the delivery is not there"));
            }
        }
        Ok(())
    }

    fn insert_attempts(&mut self, attempts: &[Attempt]) -> Result<(), Error> {
        for attempt in attempts {
            let key = (attempt.owner, attempt.event, attempt.number);
            if self.world.attempts.insert(key, attempt.clone()).is_some() {
                return Err(self.broken("the attempt is there already"));
            }
        }
        Ok(())
    }

    fn forget_attempts(&mut self, before: Time, limit: usize) -> Result<usize, Error> {
        let old = self
            .world
            .attempts
            .iter()
            .filter(|(_, attempt)| attempt.started_at < before);
        let old: Vec<_> = old.map(|(key, _)| *key).take(limit).collect();
        for key in &old {
            self.world.attempts.remove(key);
        }
        Ok(old.len())
    }
}

impl InstallationTx for MemoryTx {
    fn move_epoch(&mut self) -> Result<(), Error> {
        self.world.epoch = self.world.epoch.saturating_add(1);
        Ok(())
    }

    fn keep_first(&mut self, name: &'static str, value: &[u8]) -> Result<Vec<u8>, Error> {
        Ok(self
            .world
            .kept
            .entry(name)
            .or_insert_with(|| value.to_vec())
            .clone())
    }

    fn save_provider_record(
        &mut self,
        provider: &'static str,
        key: &str,
        seen: i64,
        body: &str,
    ) -> Result<bool, Error> {
        let slot = (provider, key.to_owned());
        let version = self
            .world
            .provider_records
            .get(&slot)
            .map_or(0, |record| record.version);
        if version != seen {
            return Ok(false);
        }
        let record = ProviderRecord {
            version: seen.saturating_add(1),
            body: body.to_owned(),
        };
        self.world.provider_records.insert(slot, record);
        Ok(true)
    }
}
