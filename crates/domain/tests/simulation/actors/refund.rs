//! Merchants take back: refunds of what was paid, cancellations of what is open.

use vintem_domain::Centavos;
use vintem_domain::charge::{self, Charge};
use vintem_domain::idempotency::IdempotencyKey;
use vintem_domain::refund::{self, NewRefund};

use super::request;
use crate::world::{World, locked};

fn any_charge(world: &World) -> Option<Charge> {
    let charges = locked(&world.memory).charges.clone();
    let latest = &charges[charges.len().saturating_sub(8)..];
    world.pick(latest)
}

/// A merchant refunds a charge: all of it, a part, or more than there is.
pub(crate) fn refunds(world: &World) {
    let Some(charge) = any_charge(world) else {
        return;
    };
    let part = world.between(1, charge.amount.get());
    let amount = world.weighted(&[
        (4, None),
        (6, Some(part)),
        (1, Some(charge.amount.get())),
        (1, Some(charge.amount.get() + 1)),
        (1, Some(100)),
    ]);
    let new = NewRefund {
        amount: amount.map(Centavos::new),
        reason: None,
    };
    let key = request::key(world);
    world.tell(|| {
        let amount = amount.map_or_else(|| "all that is left".to_owned(), |some| some.to_string());
        let name = world.name(charge.owner);
        format!(
            "{name} refunds {amount} of {} ({key:?})",
            charge.public_id()
        )
    });
    let typed = key
        .as_deref()
        .map(|key| IdempotencyKey::parse(key).unwrap());
    let made = refund::create(
        &world.ports(),
        charge.owner,
        charge.id,
        &new,
        typed.as_ref(),
    );
    let Some(made) = world.answered("a refund", made) else {
        return;
    };
    let refund = made.object;
    world.tell(|| format!("  -> {} {}", refund.id, refund.status.as_str()));
    world.count("a refund was made");
    let body = format!("{} {amount:?}", charge.id);
    if let Some(key) = key {
        request::stands_for(
            world,
            charge.owner,
            ("charge/refund", key, body),
            refund.id.0,
        );
    }
    locked(&world.memory)
        .acknowledged
        .push((charge.owner, refund.id.0));
}

/// A merchant cancels a charge.
pub(crate) fn cancels(world: &World) {
    let Some(charge) = any_charge(world) else {
        return;
    };
    world.tell(|| {
        format!(
            "{} cancels {}",
            world.name(charge.owner),
            charge.public_id()
        )
    });
    let canceled = charge::cancel(&world.ports(), charge.owner, charge.id);
    if let Some(canceled) = world.answered("a cancellation", canceled) {
        let status = canceled.status_at(world.time_of(charge.owner));
        world.tell(|| format!("  -> {}", status.as_str()));
        world.count("a charge was cancelled");
    }
}
