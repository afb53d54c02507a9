//! Money that goes out.

use std::collections::BTreeMap;

use vintem_domain::account::{Environment, Limits};
use vintem_domain::payout::{Payout, PayoutAnswer, PayoutStatus, Phase, Purpose};
use vintem_domain::ports::Transact;

use super::{Estate, Seen, sum};
use crate::world::{World, locked};

pub(super) fn check(world: &World, seen: &mut Seen, estate: &Estate) {
    for payout in &estate.payouts {
        moved_legally(world, seen, payout);
        if !is_simulated(payout) {
            agrees_with_the_bank(world, payout);
        }
        if let Purpose::Bill(order) = &payout.purpose
            && !seen.payouts.contains_key(&payout.id.0)
        {
            was_allowed(world, payout, order);
        }
        seen.payouts.insert(payout.id.0, payout.clone());
    }
    let known = seen
        .payouts
        .values()
        .filter(|payout| payout.owner == estate.owner)
        .count();
    if known != estate.payouts.len() {
        world.fault(format!(
            "{known} payouts were there, {} are left",
            estate.payouts.len()
        ));
    }
    titles_are_paid_once(world, estate);
    days_stay_within_their_limit(world, estate);
}

/// A sandbox simulates withdrawals: the bank is not told.
pub(super) fn is_simulated(payout: &Payout) -> bool {
    payout.owner.environment == Environment::Sandbox
        && matches!(payout.purpose, Purpose::Withdrawal(_))
}

/// PENDING becomes PAID or FAILED, once, and nothing but its step changes else.
fn moved_legally(world: &World, seen: &Seen, payout: &Payout) {
    let id = payout.public_id();
    let is_over = payout.step.phase == Phase::Over;
    if is_over == (payout.status == PayoutStatus::Pending) {
        world.fault(format!(
            "{id} is {:?} but {}",
            payout.step.phase,
            payout.status.as_str()
        ));
    }
    let Some(before) = seen.payouts.get(&payout.id.0) else {
        return;
    };
    let as_before = Payout {
        status: before.status.clone(),
        step: before.step,
        ..payout.clone()
    };
    let is_final = before.status != PayoutStatus::Pending && before.status != payout.status;
    if is_final || as_before != *before || payout.step.tries < before.step.tries {
        world.fault(format!(
            "{id} was {:?} and is {:?}",
            before.status, payout.status
        ));
    }
}

/// PAID means that the payee has it, FAILED that nobody ever will.
fn agrees_with_the_bank(world: &World, payout: &Payout) {
    let bank = locked(&world.bank);
    let at_the_end = vintem_domain::Time::from_millis(i64::MAX);
    let known = bank.known(payout.id, at_the_end);
    let agrees = match (&payout.status, &known) {
        (PayoutStatus::Pending, _)
        | (
            PayoutStatus::Failed { .. },
            PayoutAnswer::Failed { .. } | PayoutAnswer::NeverReceived,
        ) => true,
        (
            PayoutStatus::Paid { authentication, .. },
            PayoutAnswer::Settled {
                authentication: real,
            },
        ) => authentication == real && bank.sent[&payout.id].amount == payout.net_amount.get(),
        (PayoutStatus::Paid { .. } | PayoutStatus::Failed { .. }, _) => false,
    };
    if !agrees {
        let (id, status) = (payout.public_id(), payout.status.as_str());
        world.fault(format!("{id} is {status}, but at the bank it is {known:?}"));
    }
}

/// A title is paid from a quote that still holds, in payment hours, at the price of the quote.
fn was_allowed(world: &World, payout: &Payout, order: &vintem_domain::payout::BillOrder) {
    let id = payout.public_id();
    let quote = world
        .store
        .read(|read| read.quote(payout.owner, order.quote));
    let Ok(Some(quote)) = quote else {
        return world.fault(format!("{id} pays a quote that is not there"));
    };
    let window = quote
        .code
        .payment_hours()
        .window(&world.calendar, payout.created_at);
    let allowed = payout.created_at < quote.expires_at
        && window.is_open()
        && quote.payable
        && payout.net_amount == quote.amounts.total
        && quote.code.as_str() == order.barcode;
    if !allowed {
        world.fault(format!(
            "{id} pays at {}, {window:?}, from {quote:?}",
            payout.created_at
        ));
    }
}

/// A title belongs to the one payment that pays, or paid, it; to none when all of them failed.
fn titles_are_paid_once(world: &World, estate: &Estate) {
    let mut paid: BTreeMap<&str, &Payout> = BTreeMap::new();
    for payout in &estate.payouts {
        if let (Purpose::Bill(order), false) = (
            &payout.purpose,
            matches!(payout.status, PayoutStatus::Failed { .. }),
        ) && let Some(other) = paid.insert(&order.barcode, payout)
        {
            let (one, other) = (payout.public_id(), other.public_id());
            world.fault(format!("{one} and {other} pay the same title"));
        }
    }
    for title in &locked(&world.memory).titles {
        let taken = world
            .store
            .read(|read| read.title_payment(estate.owner, title.as_str()));
        let by = paid.get(title.as_str()).map(|payout| payout.id);
        if !taken.is_ok_and(|taken| taken == by) {
            world.fault(format!("{title} is not taken by who pays it, {by:?}"));
        }
    }
}

fn days_stay_within_their_limit(world: &World, estate: &Estate) {
    let account = world.store.read(|read| read.account(estate.owner.account));
    let Ok(Some(account)) = account else {
        return world.fault("an account is gone".to_owned());
    };
    if estate.owner.environment == Environment::Sandbox {
        return;
    }
    let limit = account
        .limits
        .over(&Limits::DEFAULT)
        .withdrawals_per_day
        .get();
    let counts = |payout: &&Payout| {
        matches!(payout.purpose, Purpose::Withdrawal(_))
            && !matches!(payout.status, PayoutStatus::Failed { .. })
    };
    let mut days: BTreeMap<i64, Vec<_>> = BTreeMap::new();
    for payout in estate.payouts.iter().filter(counts) {
        let day = payout.created_at.in_sao_paulo().date.unix_days();
        days.entry(day).or_default().push(payout.amount);
    }
    for amounts in days.into_values() {
        let total = sum(amounts.into_iter());
        if total > limit {
            world.fault(format!(
                "{total} were withdrawn on a day, the limit is {limit}"
            ));
        }
    }
}
