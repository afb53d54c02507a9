//! Charges, what was paid for them, and what went back.

use vintem_domain::Time;
use vintem_domain::charge::{
    Charge, ChargeKind, Receipt, Return, ReturnReason, ReturnState, Status,
};

use super::{Estate, Seen};
use crate::world::{World, locked};

pub(super) fn check(world: &World, seen: &mut Seen, estate: &Estate) {
    for charge in &estate.charges {
        moved_legally(world, seen, charge);
        let receipts = estate.receipts(charge);
        was_paid_by_the_right_payment(world, charge, receipts);
        for receipt in receipts {
            is_what_the_payer_sent(world, charge, receipt);
            goes_back_for_its_reason(world, charge, receipt, estate.returns(charge));
        }
    }
    for returned in estate.all_returns() {
        return_moved_legally(world, seen, returned);
        agrees_with_the_bank(world, estate, returned);
    }
    let of_owner = |charge: &&Charge| charge.owner == estate.owner;
    let known = seen.charges.values().filter(of_owner).count();
    if known != estate.charges.len() {
        world.fault(format!(
            "{known} charges were there, {} are left",
            estate.charges.len()
        ));
    }
}

/// Our name for a return at the bank.
pub(super) fn name_at_the_bank(returned: &Return) -> String {
    returned.id.to_string().replace('_', "")
}

/// PENDING becomes PAID or FAILED, once; nothing else of a charge ever changes.
fn moved_legally(world: &World, seen: &mut Seen, charge: &Charge) {
    if let Some(before) = seen.charges.get(&charge.id.0) {
        let with_its_status = Charge {
            status: before.status.clone(),
            ..charge.clone()
        };
        let is_final = before.status != Status::Pending && before.status != charge.status;
        if is_final || with_its_status != *before {
            world.fault(format!(
                "{} was {:?} and is {:?}",
                charge.public_id(),
                before.status,
                charge.status
            ));
        }
    }
    seen.charges.insert(charge.id.0, charge.clone());
}

/// The last moment of a boleto is still in time, the end of a PIX charge is not.
fn is_late(charge: &Charge, paid_at: Time) -> bool {
    match charge.kind {
        ChargeKind::PixQrCode => paid_at >= charge.expires_at,
        ChargeKind::Boleto(_) => paid_at > charge.expires_at,
    }
}

fn fits(charge: &Charge, receipt: &Receipt) -> bool {
    !is_late(charge, receipt.paid_at) && receipt.amount == charge.amount
}

/// Exactly one payment makes PAID: one of the right amount and in time, the first that was told.
fn was_paid_by_the_right_payment(world: &World, charge: &Charge, receipts: &[Receipt]) {
    let settled: Vec<_> = receipts
        .iter()
        .filter(|receipt| receipt.returned.is_none())
        .collect();
    let id = charge.public_id();
    match &charge.status {
        Status::Pending | Status::Failed(_) if !settled.is_empty() => {
            world.fault(format!("{id} is not PAID, but a payment of it stays"));
        }
        Status::Pending if receipts.iter().any(|receipt| fits(charge, receipt)) => {
            world.fault(format!("{id} was paid rightly and is PENDING"));
        }
        Status::Pending | Status::Failed(_) => {}
        Status::Paid(payment) => {
            let right = settled.len() == 1
                && settled[0].end_to_end_id == payment.end_to_end_id
                && receipts.iter().find(|receipt| fits(charge, receipt)) == Some(settled[0]);
            if !right {
                world.fault(format!(
                    "{id} is PAID by the wrong payment, or by {}",
                    settled.len()
                ));
            }
        }
    }
}

fn is_what_the_payer_sent(world: &World, charge: &Charge, receipt: &Receipt) {
    let bank = locked(&world.bank);
    let known = bank
        .paid
        .iter()
        .find(|paid| paid.notice.payment_id == receipt.end_to_end_id);
    let matches = known.is_some_and(|paid| {
        paid.notice.amount == receipt.amount
            && paid.notice.paid_at == receipt.paid_at
            && paid.notice.txid == charge.txid
            && paid.owner == receipt.owner
    });
    // In a sandbox the merchant plays the payer.
    let simulated = known.is_none() && charge.owner.environment.is_sandbox();
    if !matches && !simulated {
        world.fault(format!(
            "{} is recorded but not what anybody sent",
            receipt.end_to_end_id
        ));
    }
}

/// A payment that settles nothing goes back once, whole, and for a reason that is true.
fn goes_back_for_its_reason(world: &World, charge: &Charge, receipt: &Receipt, returns: &[Return]) {
    let id = &receipt.end_to_end_id;
    let back: Vec<_> = returns
        .iter()
        .filter(|returned| returned.end_to_end_id == *id)
        .collect();
    let Some(reason) = receipt.returned else {
        if !back.is_empty() {
            world.fault(format!("{id} settled its charge and goes back"));
        }
        return;
    };
    let in_full = back.len() == 1 && back[0].amount == receipt.amount && back[0].reason == reason;
    if !in_full {
        world.fault(format!(
            "{id} goes back {} times, or not in full",
            back.len()
        ));
    }
    let holds = match reason {
        ReturnReason::Late => is_late(charge, receipt.paid_at),
        ReturnReason::WrongAmount => receipt.amount != charge.amount,
        ReturnReason::SecondPayment => {
            matches!(&charge.status, Status::Paid(first) if first.end_to_end_id != *id)
        }
        ReturnReason::ChargeEnded => matches!(charge.status, Status::Failed(_)),
    };
    if !holds {
        world.fault(format!(
            "{id} goes back because {reason:?}, which is not so"
        ));
    }
}

fn return_moved_legally(world: &World, seen: &mut Seen, returned: &Return) {
    if let Some(before) = seen.returns.insert(returned.id.0, returned.clone()) {
        let as_before = Return {
            state: before.state.clone(),
            tries: before.tries,
            due_at: before.due_at,
            ..returned.clone()
        };
        let is_final = before.state != ReturnState::Open && before.state != returned.state;
        if is_final || as_before != before || returned.tries < before.tries {
            world.fault(format!("the return of {} changed", returned.end_to_end_id));
        }
    }
}

/// Done means that it is back, refused that it is not.
fn agrees_with_the_bank(world: &World, estate: &Estate, returned: &Return) {
    let bank = locked(&world.bank);
    let done = bank.given_back.get(&name_at_the_bank(returned));
    let is_so = match &returned.state {
        ReturnState::Open => true,
        ReturnState::Done { provider_id, .. } => {
            done.is_some_and(|back| back.name == *provider_id && back.owner == estate.owner)
        }
        ReturnState::Refused { .. } => done.is_none(),
    };
    if !is_so {
        let (id, state) = (&returned.end_to_end_id, &returned.state);
        world.fault(format!(
            "the return of {id} is {state:?}, the bank knows better"
        ));
    }
}

/// Which words events must say of a charge.
pub(super) fn told(charge: &Charge) -> Option<(&'static str, &'static str)> {
    match (&charge.status, &charge.kind) {
        (Status::Pending, _) | (Status::Failed(_), ChargeKind::Boleto(_)) => None,
        (Status::Paid(_), ChargeKind::PixQrCode) => Some(("pixQrCode.paid", "PAID")),
        (Status::Paid(_), ChargeKind::Boleto(_)) => Some(("boleto.paid", "PAID")),
        (Status::Failed(failure), ChargeKind::PixQrCode) => {
            Some(("pixQrCode.failed", failure.by.as_str()))
        }
    }
}
