//! The dispatcher of webhooks, and the merchants' endpoints.

use std::collections::{BTreeMap, BTreeSet};

use vintem_domain::account::Owner;
use vintem_domain::calendar::SECOND_MS;
use vintem_domain::event::EventId;
use vintem_domain::ports::Transact;
use vintem_domain::webhook::{self, Answer, Claimed, Resend, Sent, ServerId, WebhookUrl};

use crate::crash::die;
use crate::sabotage::Sabotage;
use crate::world::{World, locked};

/// What reached the merchants' endpoints.
#[derive(Default)]
pub(crate) struct Inbox {
    bodies: BTreeMap<(Owner, EventId), String>,
    attempts: BTreeSet<(Owner, EventId, i64)>,
    /// What an endpoint said yes to.
    pub(crate) accepted: BTreeSet<(Owner, EventId)>,
}

impl Inbox {
    /// Whether anything of this event ever arrived.
    pub(crate) fn was_reached(&self, owner: Owner, event: EventId) -> bool {
        self.bodies.contains_key(&(owner, event))
    }
}

/// A dispatcher claims what is due; nothing when the store is away.
fn claim(world: &World, server: ServerId) -> Vec<Claimed> {
    let (ports, now) = (world.ports(), world.now());
    let owners = ports
        .store
        .read(|read| read.owners_with_due_deliveries(now, 10));
    let Some(owners) = world.answered("who has deliveries", owners) else {
        return Vec::new();
    };
    let lanes: Vec<_> = owners.into_iter().map(|owner| (owner, 4)).collect();
    let claimed = webhook::claim(&ports, server, &lanes);
    world
        .answered("claim deliveries", claimed)
        .unwrap_or_default()
}

/// A dispatcher sends what was begun and what is due; says how much it had.
fn round(world: &World) -> usize {
    let (ports, server) = (world.ports(), world.server());
    let mut claimed = claim(world, server);
    let begun = world.take_begun(if world.is_calm() { 1_000 } else { 700 });
    claimed.extend(begun);
    let (mut sent, mut left) = (Vec::new(), Vec::new());
    for one in &claimed {
        if !world.is_calm() && world.chance(20) {
            world.tell(|| "† the process dies between two deliveries".to_owned());
            die()
        }
        if !world.is_calm() && world.is_alone() && world.chance(50) {
            world.clock.advance(world.between(1, 20) * SECOND_MS);
        }
        let gives_up = !world.is_calm() && world.chance(30);
        let is_over = world.now() >= one.lease_until && world.sabotage != Some(Sabotage::SendsLate);
        if is_over {
            world.count("a lease ended before its attempt was sent");
        }
        if is_over || gives_up {
            left.push((one.owner, one.event, one.number));
        } else {
            is_under_way(world, server, one);
            sent.push(send(world, one));
        }
    }
    if !sent.is_empty() {
        world.answered("record attempts", webhook::record(&ports, server, &sent));
    }
    if !left.is_empty() {
        let given_up = webhook::give_up_leases(&ports, server, &left);
        world.answered("give leases up", given_up);
    }
    claimed.len()
}

pub(crate) fn deliver(world: &World) {
    world.tell(|| "a dispatcher delivers events".to_owned());
    let claimed = round(world);
    world.tell(|| format!("  -> {claimed} claimed"));
}

pub(crate) fn deliver_all(world: &World) {
    while round(world) > 0 {}
}

fn send(world: &World, one: &Claimed) -> Sent {
    let times = if world.sabotage == Some(Sabotage::RepeatsAttempts) {
        2
    } else {
        1
    };
    for _ in 0..times {
        arrive(world, one);
    }
    let status = if world.is_calm() {
        Some(200)
    } else {
        world.weighted(&[(12, Some(200)), (4, Some(500)), (3, None), (1, Some(410))])
    };
    if status == Some(200) {
        locked(&world.inbox).accepted.insert((one.owner, one.event));
    }
    world.tell(|| format!("{} attempt {}: {status:?}", one.event, one.number));
    world.count(if status == Some(200) {
        "an event was delivered"
    } else {
        "a delivery failed"
    });
    let answer = Answer {
        status,
        error: None,
        duration_ms: 10,
        body: String::new(),
        retry_after_seconds: world.weighted(&[(9, None), (1, Some(600))]),
    };
    Sent {
        owner: one.owner,
        event: one.event,
        number: one.number,
        started_at: one.started_at,
        failing: one.failing,
        answer,
    }
}

/// What is sent is what is stored as under way, by nobody else, and for as long.
fn is_under_way(world: &World, server: ServerId, one: &Claimed) {
    let delivery = world.store.read(|read| read.delivery(one.owner, one.event));
    let lease = match delivery {
        Ok(Some(delivery)) if delivery.attempts == one.number => delivery.lease,
        Ok(_) | Err(_) => None,
    };
    let is_ours = lease.is_some_and(|lease| {
        lease.by == server && lease.until == one.lease_until && world.now() < lease.until
    });
    if !is_ours {
        world.fault(format!(
            "attempt {} of {} is sent, but under way is {lease:?}",
            one.number, one.event
        ));
    }
}

/// What the endpoint sees: only what was committed, always the same, each attempt once.
fn arrive(world: &World, one: &Claimed) {
    let place = (one.owner, one.event);
    let event = world
        .store
        .read(|read| read.event(one.owner, one.event))
        .ok()
        .flatten();
    if event.is_none_or(|event| event.body != one.body) {
        world.fault(format!("{} is sent but is not what is stored", one.event));
    }
    let mut inbox = locked(&world.inbox);
    let first = inbox
        .bodies
        .entry(place)
        .or_insert_with(|| one.body.clone())
        .clone();
    let fresh = inbox.attempts.insert((one.owner, one.event, one.number));
    drop(inbox);
    if first != one.body {
        world.fault(format!("{} changed between two attempts", one.event));
    }
    if !fresh {
        world.fault(format!(
            "attempt {} of {} is sent twice",
            one.number, one.event
        ));
    }
}

fn url() -> WebhookUrl {
    WebhookUrl::parse("https://example.com/hook").unwrap()
}

/// Many a merchant has an endpoint from the beginning.
pub(crate) fn some_are_set(world: &World) {
    for owner in world.owners() {
        if world.chance(400) {
            let set = webhook::set(&world.ports(), owner, &url(), false);
            world.answered("the webhook", set);
        }
    }
}

/// A merchant sets, disables or rolls an endpoint, or wants events again.
pub(crate) fn administer(world: &World) {
    let owners: Vec<Owner> = world.owners().collect();
    let Some(owner) = world.pick(&owners) else {
        return;
    };
    let ports = world.ports();
    let act = world.weighted(&[
        (6, "sets"),
        (1, "disables"),
        (1, "rolls"),
        (2, "resends"),
        (1, "prunes"),
    ]);
    world.tell(|| format!("{} {act} its webhook", world.name(owner)));
    let done = match act {
        "sets" => webhook::set(&ports, owner, &url(), false).map(|_| ()),
        "disables" => webhook::disable(&ports, owner).map(|_| ()),
        "rolls" => webhook::roll(&ports, owner).map(|_| ()),
        "prunes" => webhook::forget_old_attempts(&ports).map(|_| ()),
        _ => webhook::resend(&ports, owner, Resend::Range { from: 1, to: 9 }).map(|_| ()),
    };
    world.answered("the webhook", done);
}
