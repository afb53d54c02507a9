//! Events: one for each change of status, none without one, in one gapless row; and their deliveries.

use serde_json::Value;
use vintem_domain::account::Owner;
use vintem_domain::event::Event;
use vintem_domain::id::Ulid;
use vintem_domain::payout::{Payout, PayoutStatus};
use vintem_domain::ports::Transact;
use vintem_domain::webhook::DeliveryState;

use super::ledgers::Book;
use super::{Estate, charges};
use crate::world::{World, locked};

pub(super) fn check(world: &World, book: &mut Book, estate: &Estate) {
    let after = book.events.last().map_or(0, |event| event.sequence);
    let events = world
        .store
        .read(|read| read.events(estate.owner, after, usize::MAX));
    for event in events.unwrap_or_default() {
        if book.had_endpoint {
            has_its_delivery(world, &event);
        }
        take(world, book, event);
    }
    let last = book.events.last().map_or(0, |event| event.sequence);
    if estate.head.event_sequence != last {
        world.fault(format!(
            "the head ends at event {}, the events at {last}",
            estate.head.event_sequence
        ));
    }
    for charge in &estate.charges {
        told_once(
            world,
            book,
            charge.id.0,
            &charge.public_id(),
            charges::told(charge),
        );
    }
    for payout in &estate.payouts {
        told_once(world, book, payout.id.0, &payout.public_id(), told(payout));
    }
    let objects = estate.charges.len() + estate.payouts.len();
    if book.told.len() > objects {
        world.fault("an event tells of an object that is not there".to_owned());
    }
    let endpoint = world.store.read(|read| read.endpoint(estate.owner));
    book.had_endpoint = endpoint.is_ok_and(|endpoint| endpoint.is_some());
}

fn take(world: &World, book: &mut Book, event: Event) {
    let place = book.events.last().map_or(1, |last| last.sequence + 1);
    let body: Value = serde_json::from_str(&event.body).unwrap_or_default();
    let right = event.sequence == place
        && body["sequence"] == place
        && body["id"] == event.id.to_string()
        && body["event"] == event.kind.as_str()
        && body["devMode"] == event.owner.environment.is_sandbox();
    if !right {
        world.fault(format!(
            "event {} is not event {place}: {}",
            event.id, event.body
        ));
    }
    let status = body["data"]["status"]
        .as_str()
        .unwrap_or_default()
        .to_owned();
    book.told
        .entry(event.object)
        .or_default()
        .push((event.kind.as_str(), status));
    book.events.push(event);
}

/// No change of status without its event, no event without its change.
fn told_once(world: &World, book: &Book, object: Ulid, name: &str, should: Option<(&str, &str)>) {
    let told = book.told.get(&object).map_or(&[][..], Vec::as_slice);
    let right = match (should, told) {
        (None, []) => true,
        (Some((kind, status)), [(told, said)]) => kind == *told && status == said,
        (None | Some(_), _) => false,
    };
    if !right {
        world.fault(format!(
            "of {name} is told {told:?}, it should be {should:?}"
        ));
    }
}

fn told(payout: &Payout) -> Option<(&'static str, &'static str)> {
    match payout.status {
        PayoutStatus::Pending => None,
        PayoutStatus::Paid { .. } => Some(("withdraw.done", "PAID")),
        PayoutStatus::Failed { .. } => Some(("withdraw.failed", "FAILED")),
    }
}

/// An event made while an endpoint was set has a delivery.
fn has_its_delivery(world: &World, event: &Event) {
    let delivery = world
        .store
        .read(|read| read.delivery(event.owner, event.id));
    if !delivery.is_ok_and(|delivery| delivery.is_some()) {
        world.fault(format!("{} has no delivery", event.id));
    }
}

/// When everything had its time, what can be delivered is delivered.
pub(super) fn check_rest(world: &World, owner: Owner) {
    let found = world
        .store
        .read(|read| Ok((read.endpoint(owner)?, read.events(owner, 0, usize::MAX)?)));
    let Ok((endpoint, events)) = found else {
        return world.fault("events cannot be read".to_owned());
    };
    let is_open = endpoint.is_some_and(|endpoint| endpoint.disabled.is_none());
    for event in events {
        let delivery = world.store.read(|read| read.delivery(owner, event.id));
        let inbox = locked(&world.inbox);
        let accepted = inbox.accepted.contains(&(owner, event.id));
        let reached = inbox.was_reached(owner, event.id);
        drop(inbox);
        let Ok(Some(delivery)) = delivery else {
            continue;
        };
        let right = match delivery.state {
            DeliveryState::Pending => !is_open,
            DeliveryState::Delivered => accepted,
            DeliveryState::Failed => reached,
        };
        if !right {
            world.fault(format!("{} is {:?} in the end", event.id, delivery.state));
        }
    }
}
