//! Merchants, and the agents that act for them.

use vintem_domain::account::{self, Environment, Owner};
use vintem_domain::bill;
use vintem_domain::charge::{self, Charge, ChargeId};
use vintem_domain::id::Ulid;
use vintem_domain::payout::{self, PayoutId};
use vintem_domain::transaction::{self, Page};
use vintem_domain::{Error, Time};

use super::request::{Body, ask};
use crate::narration::reais;
use crate::world::{World, locked};

fn somebody(world: &World) -> Owner {
    let merchant = world.pick(&world.merchants).expect("there are merchants");
    Owner {
        account: merchant.account,
        environment: world.weighted(&[(4, Environment::Live), (1, Environment::Sandbox)]),
    }
}

fn amount(world: &World) -> i64 {
    let (low, high) = world.weighted(&[
        (1, (199, 505)),
        (8, (1_000, 40_000)),
        (1, (4_999_990, 5_000_010)),
    ]);
    world.between(low, high)
}

pub(crate) fn asks_for_a_charge(world: &World) {
    let body = Body::Charge {
        centavos: amount(world),
        seconds: world.weighted(&[(2, 60), (4, 900), (8, 86_400), (1, 59)]),
        pass_fee: world.chance(300),
    };
    ask(world, somebody(world), body);
}

pub(crate) fn asks_for_a_large_charge(world: &World) {
    let body = Body::Charge {
        centavos: world.between(30_000, 300_000),
        seconds: 86_400,
        pass_fee: false,
    };
    ask(world, somebody(world), body);
}

pub(crate) fn issues_a_boleto(world: &World) {
    let body = Body::Boleto {
        centavos: amount(world),
        days: world.between(1, 5),
        pass_fee: world.chance(300),
    };
    ask(world, somebody(world), body);
}

pub(crate) fn withdraws(world: &World) {
    let (low, high) = world.weighted(&[
        (8, (1_000, 30_000)),
        (1, (90, 110)),
        (1, (5_000_000, 5_000_001)),
    ]);
    let owner = somebody(world);
    let body = Body::Withdrawal {
        centavos: world.between(low, high),
        to: world
            .weighted(&[
                (6, "bia@example.com"),
                (6, "caio@example.com"),
                (1, "nobody@example.com"),
            ])
            .to_owned(),
        document: world.weighted(&[(9, "00000000191"), (1, "52998224725")]),
        pass_fee: world.chance(300),
    };
    ask(world, owner, body);
}

pub(crate) fn pays_a_title(world: &World) {
    if world.chance(500) {
        asks_what_a_title_costs(world);
    }
    let quotes = locked(&world.memory).quotes.clone();
    // The latest ones are those whose amount is still locked.
    let latest = &quotes[quotes.len().saturating_sub(2)..];
    let from = if world.chance(800) { latest } else { &quotes };
    let Some((owner, quote)) = world.pick(from) else {
        return;
    };
    let name = format!("bill {}", world.below(60));
    ask(world, owner, Body::Bill { quote, name });
}

pub(crate) fn asks_what_a_title_costs(world: &World) {
    let owner = somebody(world);
    let titles = locked(&world.memory).titles.clone();
    let Some(title) = world.pick(&titles) else {
        return;
    };
    world.tell(|| format!("{}: what does {title} cost?", world.name(owner)));
    let quoted = bill::query(&world.ports(), owner, &title);
    if let Some((quote, window)) = world.answered("quote", quoted) {
        let total = quote.amounts.total.get();
        world.tell(|| format!("  -> {} {}, {window:?}", quote.id, reais(total)));
        locked(&world.memory).quotes.push((owner, quote.id));
    }
}

/// In a sandbox, the merchant plays the payer.
pub(crate) fn simulates_a_payment(world: &World) {
    let charges = locked(&world.memory).charges.clone();
    let Some(charge) = world.pick(&charges) else {
        return;
    };
    world.tell(|| {
        format!(
            "{} simulates a payment of {}",
            world.name(charge.owner),
            charge.public_id()
        )
    });
    let paid: Result<(Charge, Time), Error> =
        charge::simulate(&world.ports(), charge.owner, charge.id);
    if world.answered("simulate a payment", paid).is_some() {
        world.tell(|| "  -> PAID".to_owned());
        world.count("a payment was simulated");
        if charge.owner.environment == Environment::Live {
            world.fault("a live payment was simulated".to_owned());
        }
    }
}

/// Looking must never fail, and changes nothing.
pub(crate) fn looks(world: &World) {
    let owner = somebody(world);
    let ports = world.ports();
    world.tell(|| format!("{} looks around", world.name(owner)));
    world.answered("the account", account::store_view(&ports, owner));
    let page = Page {
        before: None,
        limit: 5,
    };
    let Some(list) = world.answered("the list", transaction::list(&ports, owner, page)) else {
        return;
    };
    for item in list.items {
        if world
            .answered("a charge's story", charge_story(world, item.id))
            .is_none()
        {
            return;
        }
    }
}

fn charge_story(world: &World, id: Ulid) -> Result<(), Error> {
    let ports = world.ports();
    match charge::story(&ports, ChargeId(id)) {
        Err(Error::NotFound(_)) => payout::story(&ports, PayoutId(id)).map(|_| ()),
        told => told.map(|_| ()),
    }
}
