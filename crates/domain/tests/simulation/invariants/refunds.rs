//! What merchants gave back of payments that settled their charges.

use vintem_domain::Time;
use vintem_domain::account::Environment;
use vintem_domain::charge::Status;
use vintem_domain::payout::{PayoutAnswer, PayoutStatus, Phase};
use vintem_domain::refund::Refund;

use super::{Estate, Seen, sum};
use crate::world::{World, locked};

pub(super) fn check(world: &World, seen: &mut Seen, estate: &Estate) {
    for refund in &estate.refunds {
        moved_legally(world, seen, refund);
        if estate.owner.environment == Environment::Live {
            agrees_with_the_bank(world, refund);
        }
        seen.refunds.insert(refund.id.0, refund.clone());
    }
    let known = seen.refunds.values();
    let known = known.filter(|refund| refund.owner == estate.owner).count();
    if known != estate.refunds.len() {
        let left = estate.refunds.len();
        world.fault(format!("{known} refunds were there, {left} are left"));
    }
    never_more_than_was_received(world, estate);
}

/// PENDING becomes PAID or FAILED, once, and nothing but its step changes else.
fn moved_legally(world: &World, seen: &Seen, refund: &Refund) {
    let is_over = refund.step.phase == Phase::Over;
    if is_over == (refund.status == PayoutStatus::Pending) {
        let status = refund.status.as_str();
        world.fault(format!(
            "{} is {:?} but {status}",
            refund.id, refund.step.phase
        ));
    }
    let Some(before) = seen.refunds.get(&refund.id.0) else {
        return;
    };
    let as_before = Refund {
        status: before.status.clone(),
        step: before.step,
        ..refund.clone()
    };
    let is_final = before.status != PayoutStatus::Pending && before.status != refund.status;
    if is_final || as_before != *before || refund.step.tries < before.step.tries {
        let (was, is) = (&before.status, &refund.status);
        world.fault(format!("{} was {was:?} and is {is:?}", refund.id));
    }
}

/// PAID means that the payer has it, FAILED that nobody ever will.
fn agrees_with_the_bank(world: &World, refund: &Refund) {
    let known = locked(&world.bank).known_refund(refund.id, Time::from_millis(i64::MAX));
    let agrees = match (&refund.status, &known) {
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
        ) => authentication == real,
        (PayoutStatus::Paid { .. } | PayoutStatus::Failed { .. }, _) => false,
    };
    if !agrees {
        let (id, status) = (refund.id, refund.status.as_str());
        world.fault(format!("{id} is {status}, but at the bank it is {known:?}"));
    }
}

/// Of a charge never more goes back than its payment brought.
fn never_more_than_was_received(world: &World, estate: &Estate) {
    for charge in &estate.charges {
        let of_charge = estate
            .refunds
            .iter()
            .filter(|refund| refund.charge == charge.id);
        let counts: Vec<_> = of_charge.filter(|refund| refund.counts()).collect();
        let received = match &charge.status {
            Status::Paid(payment) => {
                if counts
                    .iter()
                    .any(|refund| refund.payment_id != payment.end_to_end_id)
                {
                    world.fault(format!("{} refunds another payment", charge.public_id()));
                }
                charge.amount.get()
            }
            Status::Pending | Status::Failed(_) => 0,
        };
        let back = sum(counts.iter().map(|refund| refund.amount));
        if back > received {
            let id = charge.public_id();
            world.fault(format!("{back} of {received} of {id} are refunded"));
        }
    }
}
