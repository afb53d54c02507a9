//! Workers, the bank's and the operator's own acts.

use vintem_domain::account::{self, FeeOverrides};
use vintem_domain::charge;
use vintem_domain::money::Fee;
use vintem_domain::payout::{self, Round};
use vintem_domain::refund;
use vintem_domain::webhook;

use crate::crash::die;
use crate::world::{World, locked};

/// A worker sends, looks up, settles and refunds.
pub(crate) fn settles(world: &World) {
    let limit = usize::try_from(world.between(1, 5)).unwrap();
    world.tell(|| format!("a worker takes at most {limit} payouts"));
    let round = payout::settle_due(&world.ports(), limit);
    if let Some(round) = world.answered("the worker of payouts", round) {
        world.tell(|| format!("  -> {round:?}"));
        tally(world, round);
    }
}

fn tally(world: &World, round: Round) {
    for _ in 0..round.paid {
        world.count("a payout was settled");
    }
    for _ in 0..round.failed {
        world.count("a payout failed and was refunded");
    }
}

/// A worker sends refunds, and looks them up.
pub(crate) fn refunds(world: &World) {
    let limit = usize::try_from(world.between(1, 5)).unwrap();
    world.tell(|| format!("a worker takes at most {limit} refunds"));
    let round = refund::settle_due(&world.ports(), limit);
    if let Some(round) = world.answered("the worker of refunds", round) {
        world.tell(|| format!("  -> {round:?}"));
        tally_refunds(world, round);
    }
}

fn tally_refunds(world: &World, round: Round) {
    for _ in 0..round.paid {
        world.count("a refund was settled");
    }
    for _ in 0..round.failed {
        world.count("a refund failed");
    }
}

/// A worker goes on with what another one left: looks it up and, if need be, sends it.
pub(crate) fn takes_over(world: &World) {
    for _ in 0..3 {
        settles(world);
    }
}

/// A worker gives payments back.
pub(crate) fn gives_back(world: &World) {
    let limit = usize::try_from(world.between(1, 5)).unwrap();
    world.tell(|| format!("a worker takes at most {limit} returns"));
    let taken = charge::give_back_due(&world.ports(), limit);
    if let Some(taken) = world.answered("the worker of returns", taken) {
        world.tell(|| format!("  -> {taken} taken"));
    }
}

pub(crate) fn works_until_nothing_is_due(world: &World) {
    let ports = world.ports();
    for _ in 0..10 {
        let payouts = payout::settle_due(&ports, 50);
        let payouts = world.answered("the worker of payouts", payouts);
        let refunds = refund::settle_due(&ports, 50);
        let refunds = world.answered("the worker of refunds", refunds);
        let returns = charge::give_back_due(&ports, 50);
        let returns = world.answered("the worker of returns", returns);
        let (payouts, refunds) = (payouts.unwrap_or_default(), refunds.unwrap_or_default());
        tally(world, payouts);
        tally_refunds(world, refunds);
        if payouts.taken == 0 && refunds.taken == 0 && returns.unwrap_or_default() == 0 {
            return;
        }
    }
}

/// The bank takes a charge off its books.
pub(crate) fn bank_removes_a_charge(world: &World) {
    let charges = locked(&world.memory).charges.clone();
    let Some(charge) = world.pick(&charges) else {
        return;
    };
    world.tell(|| format!("the bank removes {}", charge.public_id()));
    let removed = charge::remove(&world.ports(), charge.id, "removed by the bank");
    if world.answered("remove a charge", removed).is_some() {
        world.tell(|| "  -> FAILED".to_owned());
        world.count("the bank removed a charge");
    }
}

/// The operator agrees on other fees with a merchant: for what is made from now on.
pub(crate) fn operator_changes_fees(world: &World) {
    let Some(merchant) = world.pick(&world.merchants) else {
        return;
    };
    let fee = Fee::new(world.between(0, 150), world.between(0, 300)).unwrap();
    world.tell(|| format!("{} pays other fees from now on: {fee:?}", merchant.name));
    let fees = FeeOverrides {
        pix: Some(fee),
        boleto: Some(fee),
        withdrawal: Some(fee),
        bill_service: Some(fee),
        ..FeeOverrides::default()
    };
    let changed = account::override_fees(&world.ports(), merchant.account, fees);
    world.answered("change fees", changed);
}

/// A server is stopped, and says what it will not send any more; or it is killed.
pub(crate) fn server_ends(world: &World) {
    if world.chance(500) {
        let begun = world.take_begun(1_000);
        world.tell(|| format!("† a server is stopped with {} attempts begun", begun.len()));
        let unsent: Vec<_> = begun
            .iter()
            .map(|one| (one.owner, one.event, one.number))
            .collect();
        let given_up = webhook::give_up_leases(&world.ports(), world.server(), &unsent);
        world.answered("give leases up", given_up);
    } else {
        world.tell(|| "† a server is killed".to_owned());
    }
    die()
}
