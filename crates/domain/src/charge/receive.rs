//! Money arrives for a charge.

use crate::account::{Environment, Owner, time_of};
use crate::brcode::{BrCode, EndToEndId, Ispb, Recipient, TxId};
use crate::calendar::Time;
use crate::charge::{
    Charge, ChargeId, Happening, Moved, Payment, Receipt, Return, ReturnKey, ReturnReason,
    ReturnState, Status,
};
use crate::error::{Conflict, Error, Forbidden, Missing};
use crate::event::{EventId, Moments};
use crate::ledger::{self, EntryId, EntryKind, Movement};
use crate::ports::{Ports, Sharing, Transact, Tx};
use crate::provider::{Payer, PixNotice};
use crate::webhook::FirstAttempt;

/// What was made of a notice.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// The charge is PAID by it.
    Paid,
    /// This payment had been told before: nothing changed.
    Already,
    /// It settles nothing: it was recorded and goes back to its payer.
    Returned(ReturnReason),
}

/// The charge a notice is about: by its copy-and-paste code, which carries its name at the provider.
///
/// # Errors
/// [`Error::Invalid`] when the code is no dynamic code; [`Missing::Charge`].
pub fn find(ports: &Ports, code: &str) -> Result<Charge, Error> {
    let code = BrCode::parse(code).map_err(|error| Error::invalid("brCode", error))?;
    let txid = match &code.recipient {
        Recipient::Location(location) => location
            .as_str()
            .rsplit('/')
            .next()
            .and_then(|name| TxId::parse(name).ok()),
        Recipient::Key { .. } | Recipient::RecurrenceOnly => None,
    };
    let txid = txid.ok_or_else(|| Error::invalid("brCode", "must be the code of a charge"))?;
    ports
        .store
        .read(|read| read.charge_by_txid(&txid))?
        .ok_or(Error::NotFound(Missing::Charge))
}

/// Takes a provider's notice that money arrived. Notices may repeat, race and come in any order: each end-to-end id
/// counts once. In live mode the money is posted to the ledger; in a sandbox nothing is.
///
/// # Errors
/// [`Missing::Charge`] when no charge has this txid; [`Error::Invalid`] on `paidAt` when it lies in the future.
pub fn receive(ports: &Ports, notice: &PixNotice) -> Result<Outcome, Error> {
    let charge = ports
        .store
        .read(|read| read.charge_by_txid(&notice.txid))?
        .ok_or(Error::NotFound(Missing::Charge))?;
    receive_for(ports, &charge, notice)
}

/// [`receive`] for whoever has looked the charge up already.
///
/// # Errors
/// As [`receive`].
pub fn receive_for(ports: &Ports, charge: &Charge, notice: &PixNotice) -> Result<Outcome, Error> {
    let ids = NewIds::of(ports);
    let real_now = ports.clock.now();
    let mut first = FirstAttempt::of(ports, charge.owner);
    let sharing = Sharing::Owner(charge.owner);
    let outcome = ports.store.transact_shared(sharing, |tx| {
        first.begin();
        let charge = tx
            .charge_for_update(charge.owner, charge.id)?
            .ok_or(Error::NotFound(Missing::Charge))?;
        let now = time_of(tx, charge.owner, real_now)?;
        if notice.paid_at > now {
            return Err(Error::invalid("paidAt", "must not be in the future"));
        }
        settle(
            tx,
            charge,
            notice,
            &ids,
            &mut first,
            Moments { now, real_now },
        )
    })?;
    match outcome {
        Outcome::Paid => first.committed(),
        Outcome::Returned(_) => ports.signals.returns_due(),
        Outcome::Already => {}
    }
    Ok(outcome)
}

/// Simulates the payment of a sandbox charge (`simulate-payment`): PAID, with its event; no money moves.
///
/// # Errors
/// [`Forbidden::SimulationInLive`]; [`Missing::Charge`]; [`Conflict::ChargeNotPending`].
pub fn simulate(ports: &Ports, owner: Owner, id: ChargeId) -> Result<(Charge, Time), Error> {
    if owner.environment == Environment::Live {
        return Err(Error::Forbidden(Forbidden::SimulationInLive));
    }
    let ids = NewIds::of(ports);
    let real_now = ports.clock.now();
    let mut first = FirstAttempt::of(ports, owner);
    let sharing = Sharing::Owner(owner);
    let paid = ports.store.transact_shared(sharing, |tx| {
        first.begin();
        let charge = tx
            .charge_for_update(owner, id)?
            .ok_or(Error::NotFound(Missing::Charge))?;
        let now = time_of(tx, owner, real_now)?;
        let status = charge.status_at(now);
        if status != crate::charge::StatusName::Pending {
            return Err(Error::Conflict(Conflict::ChargeNotPending(status.as_str())));
        }
        let notice = PixNotice {
            txid: charge.txid.clone(),
            payment_id: sandbox_end_to_end_id(now, ids.random)?.into(),
            amount: charge.amount,
            paid_at: now,
            payer: sandbox_payer(),
        };
        settle(
            tx,
            charge,
            &notice,
            &ids,
            &mut first,
            Moments { now, real_now },
        )?;
        tx.charge(owner, id)?
            .ok_or(Error::NotFound(Missing::Charge))
    })?;
    let Status::Paid(payment) = &paid.status else {
        return Err(Error::bug("a simulated payment did not settle the charge"));
    };
    let paid_at = payment.paid_at;
    first.committed();
    Ok((paid, paid_at))
}

/// A well-formed end-to-end id of the sandbox's bank, for a payment of this moment.
///
/// # Errors
/// [`Error::Bug`] only.
pub fn sandbox_end_to_end_id(paid_at: Time, random: [u8; 32]) -> Result<EndToEndId, Error> {
    let random = *random
        .first_chunk()
        .ok_or_else(|| Error::bug("32 bytes hold no 8"))?;
    Ispb::parse("00000000")
        .and_then(|bank| EndToEndId::build(&bank, paid_at.millis(), random))
        .map_err(|error| Error::bug(format!("sandbox end-to-end id: {error}")))
}

/// Who pays in a sandbox (decisions §4).
pub fn sandbox_payer() -> Payer {
    Payer {
        name: Some("Sandbox Payer".to_owned()),
        document: Some("00000000191".to_owned()),
        bank: Some("Sandbox Bank".to_owned()),
    }
}

/// What a unit of work may need, made before it so that a second run of it makes nothing new.
struct NewIds {
    entry: EntryId,
    event: EventId,
    returned: ReturnKey,
    random: [u8; 32],
}

impl NewIds {
    fn of(ports: &Ports) -> Self {
        Self {
            entry: EntryId(ports.ids.ulid()),
            event: EventId(ports.ids.ulid()),
            returned: ReturnKey(ports.ids.ulid()),
            random: ports.ids.random(),
        }
    }
}

/// Records the notice and does what follows from it. The charge is locked.
fn settle(
    tx: &mut dyn Tx,
    charge: Charge,
    notice: &PixNotice,
    ids: &NewIds,
    first: &mut FirstAttempt<'_>,
    at: Moments,
) -> Result<Outcome, Error> {
    let payment = Payment {
        paid_at: notice.paid_at,
        payer: notice.payer.clone(),
        end_to_end_id: notice.payment_id.clone(),
    };
    let moved = charge.apply(&Happening::Paid {
        amount: notice.amount,
        payment,
    })?;
    let returned = match moved {
        Moved::Return(reason) => Some(reason),
        Moved::To(_) | Moved::Already => None,
    };
    let receipt = Receipt {
        owner: charge.owner,
        charge: charge.id,
        end_to_end_id: notice.payment_id.clone(),
        amount: notice.amount,
        paid_at: notice.paid_at,
        payer: notice.payer.clone(),
        returned,
        received_at: at.now,
    };
    if !tx.insert_receipt(&receipt)? {
        let known = tx
            .receipt(&notice.payment_id)?
            .ok_or_else(|| Error::bug("a payment is known and is not"))?;
        return known_payment(&known, &charge);
    }
    match moved {
        Moved::To(status) => {
            credit(tx, &Charge { status, ..charge }, ids, first, at).map(|()| Outcome::Paid)
        }
        Moved::Already => Ok(Outcome::Already),
        Moved::Return(reason) => {
            hold(tx, &receipt, reason, ids, at).map(|()| Outcome::Returned(reason))
        }
    }
}

fn known_payment(known: &Receipt, charge: &Charge) -> Result<Outcome, Error> {
    if known.charge == charge.id {
        Ok(Outcome::Already)
    } else {
        Err(Error::Conflict(Conflict::EndToEndIdReused))
    }
}

/// The charge is paid: status, money (live) and event in one.
fn credit(
    tx: &mut dyn Tx,
    charge: &Charge,
    ids: &NewIds,
    first: &mut FirstAttempt<'_>,
    at: Moments,
) -> Result<(), Error> {
    tx.save_charge(charge)?;
    let movement = match charge.owner.environment {
        Environment::Sandbox => None,
        Environment::Live => Some(Movement {
            id: ids.entry,
            kind: EntryKind::ChargePaid,
            reference: charge.id.0,
            postings: charge.credited()?,
            at: at.now,
        }),
    };
    let news = charge.news(ids.event)?;
    ledger::close_and_send(tx, charge.owner, movement, news, Some(first), at)
}

/// The payment settles nothing: it is owed to its payer, and a worker gives it back.
fn hold(
    tx: &mut dyn Tx,
    receipt: &Receipt,
    reason: ReturnReason,
    ids: &NewIds,
    at: Moments,
) -> Result<(), Error> {
    let returned = Return {
        id: ids.returned,
        owner: receipt.owner,
        charge: receipt.charge,
        end_to_end_id: receipt.end_to_end_id.clone(),
        amount: receipt.amount,
        reason,
        state: ReturnState::Open,
        tries: 0,
        due_at: at.real_now,
        created_at: at.real_now,
    };
    tx.insert_return(&returned)?;
    match receipt.owner.environment {
        Environment::Sandbox => Ok(()),
        Environment::Live => {
            let movement = Movement {
                id: ids.entry,
                kind: EntryKind::PaymentHeld,
                reference: receipt.charge.0,
                postings: returned.held()?,
                at: at.now,
            };
            ledger::close(tx, receipt.owner, Some(movement), None, at)
        }
    }
}
