//! Payers, and what the bank tells of their payments.

use vintem_domain::Centavos;
use vintem_domain::Error;
use vintem_domain::account::Environment;
use vintem_domain::charge::{self, Charge, ChargeKind, Outcome, PaymentId, ReturnReason};
use vintem_domain::ports::Transact;
use vintem_domain::provider::PixNotice;

use crate::bank::Paid;
use crate::narration::reais;
use crate::sabotage::Sabotage;
use crate::world::{World, locked};

/// Somebody pays a code they have: rightly, too late, twice or a wrong amount, as it comes.
pub(crate) fn pays(world: &World) {
    let charges = locked(&world.memory).charges.clone();
    let latest = &charges[charges.len().saturating_sub(5)..];
    let unpaid: Vec<Charge> = latest
        .iter()
        .filter(|charge| !was_paid(world, charge))
        .cloned()
        .collect();
    let from = world.weighted(&[(8, &unpaid[..]), (1, latest), (1, &charges[..])]);
    let Some(charge) = world.pick(from) else {
        return;
    };
    if locked(&world.bank).removed.contains(&charge.txid) {
        return world.tell(|| format!("a payer cannot pay {} any more", charge.public_id()));
    }
    let wrong_by = world.weighted(&[(9, 0), (1, 1)]);
    let amount = charge.amount.get() + wrong_by * world.weighted(&[(1, -1), (1, 1), (1, 5_000)]);
    let paid_at = world.time_of(charge.owner);
    let payment_id = payment_id(world, &charge);
    world.tell(|| {
        let (name, amount) = (charge.public_id(), reais(amount));
        format!("a payer sends {amount} for {name}, as {payment_id}")
    });
    let notice = PixNotice {
        txid: charge.txid.clone(),
        payment_id,
        amount: Centavos::new(amount),
        paid_at,
        payer: charge::sandbox_payer(),
    };
    let paid = Paid {
        owner: charge.owner,
        notice,
        back: 0,
    };
    let tellings = usize::try_from(world.between(1, 3)).unwrap();
    locked(&world.bank).pay(paid, tellings);
}

/// Whether somebody paid it already, as payers see it.
fn was_paid(world: &World, charge: &Charge) -> bool {
    let bank = locked(&world.bank);
    bank.paid.iter().any(|paid| paid.notice.txid == charge.txid)
}

/// By PIX, or by the digitable line of a boleto.
fn payment_id(world: &World, charge: &Charge) -> PaymentId {
    let number = locked(&world.bank).paid.len();
    match charge.kind {
        ChargeKind::Boleto(_) if world.chance(500) => {
            PaymentId::of_settlement(&format!("AUT{number}")).unwrap()
        }
        ChargeKind::Boleto(_) | ChargeKind::PixQrCode => {
            let mut random = [0; 32];
            // The first 55 bits make an end-to-end id.
            let bits = u64::try_from(number).unwrap() << 9;
            random[..8].copy_from_slice(&bits.to_be_bytes());
            charge::sandbox_end_to_end_id(world.now(), random)
                .unwrap()
                .into()
        }
    }
}

/// The bank tells of a payment: in any order, and perhaps once more.
pub(crate) fn is_told_of(world: &World) {
    let notices = locked(&world.bank).notices.clone();
    let Some(place) = world.pick(&notices) else {
        return;
    };
    if tell_of(world, place) && world.chance(850) {
        forget(world, place);
    }
}

fn forget(world: &World, place: usize) {
    let notices = &mut locked(&world.bank).notices;
    if let Some(at) = notices.iter().position(|known| *known == place) {
        notices.swap_remove(at);
    }
}

/// Whether the bank got an answer and may forget.
fn tell_of(world: &World, place: usize) -> bool {
    let paid = locked(&world.bank).paid[place].clone();
    let mut notice = paid.notice;
    world.tell(|| {
        format!(
            "the bank tells of {} for {}",
            notice.payment_id, notice.txid
        )
    });
    if world.sabotage == Some(Sabotage::BelievesRepeats) && is_known(world, &notice.payment_id) {
        notice.payment_id = PaymentId::of_settlement(&format!("X{}", notice.payment_id)).unwrap();
    }
    match charge::receive(&world.ports(), &notice) {
        Ok(outcome) => {
            world.tell(|| format!("  -> {outcome:?}"));
            world.count(match outcome {
                Outcome::Paid => "a charge was paid",
                Outcome::Already => "a notice was repeated",
                Outcome::Returned(ReturnReason::Late) => "a payment was late",
                Outcome::Returned(ReturnReason::SecondPayment) => "a payment was a second one",
                Outcome::Returned(ReturnReason::WrongAmount) => "a payment had a wrong amount",
                Outcome::Returned(ReturnReason::ChargeEnded) => "a payment was for an ended charge",
            });
            true
        }
        // A test clock was set back: the bank may try again when it is there again.
        Err(Error::Invalid { .. }) if paid.owner.environment == Environment::Sandbox => false,
        Err(error @ (Error::Invalid { .. } | Error::NotFound(_) | Error::Conflict(_))) => {
            world.fault(format!(
                "the notice of {} is refused: {error}",
                notice.payment_id
            ));
            true
        }
        Err(error) => world.answered("a notice", Err::<(), _>(error)).is_some(),
    }
}

pub(crate) fn is_known(world: &World, payment: &PaymentId) -> bool {
    let receipt = world.store.read(|read| read.receipt(payment));
    receipt.is_ok_and(|receipt| receipt.is_some())
}

/// The bank tells of everything it has to tell.
pub(crate) fn all_is_told(world: &World) {
    let notices = std::mem::take(&mut locked(&world.bank).notices);
    for place in notices {
        tell_of(world, place);
    }
}
