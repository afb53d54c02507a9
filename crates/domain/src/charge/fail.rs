//! A charge is ended without having been paid.

use crate::account::{Owner, time_of};
use crate::charge::{
    Charge, ChargeId, ChargeKind, FailedBy, Failure, Happening, Moved, Status, StatusName,
};
use crate::error::{Conflict, Error, Missing};
use crate::event::{EventId, Moments};
use crate::ledger;
use crate::ports::{Ports, Sharing, Transact};
use crate::provider::{RemovalRequest, WriteOffRequest};

/// What events and the story say of a charge its merchant cancelled.
const CANCELED: &str = "canceled by the merchant";

/// The provider removed or rejected the charge: it is FAILED, and `pixQrCode.failed` tells so. A repeat changes
/// nothing. `reason` is what events and the story show.
///
/// # Errors
/// [`Missing::Charge`]; [`Conflict::ChargeNotPending`] when it was paid.
pub fn remove(ports: &Ports, id: ChargeId, reason: &str) -> Result<(), Error> {
    let owner = owner_of(ports, id)?;
    end(ports, owner, id, FailedBy::Provider, reason).map(|_charge| ())
}

/// The merchant cancels an open charge or boleto: it is FAILED, and of a PIX charge `pixQrCode.failed` tells so. One that
/// is cancelled already stays as it is.
///
/// The provider is told first: once it has agreed nobody can pay any more, and if it does not, nothing has changed here.
/// A call that was cut off in between is made good by a repeat. Of a payment at the same moment exactly one wins: either
/// the charge is PAID and cannot be cancelled, or it is FAILED and the money goes back to its payer.
///
/// # Errors
/// [`Missing::Charge`]; [`Conflict::ChargeNotPending`] when it is PAID, EXPIRED, or FAILED by the provider; the
/// provider's, with nothing written.
pub fn cancel(ports: &Ports, owner: Owner, id: ChargeId) -> Result<Charge, Error> {
    let real_now = ports.clock.now();
    let (charge, status) = ports.store.read(|read| {
        let charge = read
            .charge(owner, id)?
            .ok_or(Error::NotFound(Missing::Charge))?;
        let status = charge.status_at(time_of(read, owner, real_now)?);
        Ok((charge, status))
    })?;
    match (&charge.status, status) {
        (_, StatusName::Pending) => {}
        (Status::Failed(failure), _) if failure.by == FailedBy::Merchant => return Ok(charge),
        (_, StatusName::Paid | StatusName::Expired | StatusName::Failed) => {
            return Err(Error::Conflict(Conflict::ChargeNotPending(status.as_str())));
        }
    }
    ask_provider(ports, &charge)?;
    end(ports, owner, id, FailedBy::Merchant, CANCELED)
}

/// Whose charge it is: for operators, who know its id alone.
///
/// # Errors
/// [`Missing::Charge`].
pub fn owner_of(ports: &Ports, id: ChargeId) -> Result<Owner, Error> {
    let charge = ports.store.read(|read| read.charge_of_anyone(id))?;
    charge
        .map(|charge| charge.owner)
        .ok_or(Error::NotFound(Missing::Charge))
}

/// Makes the charge unpayable at its provider.
fn ask_provider(ports: &Ports, charge: &Charge) -> Result<(), Error> {
    let provider = ports.providers.of(charge.owner.environment);
    match &charge.kind {
        ChargeKind::PixQrCode => provider.remove(&RemovalRequest {
            owner: charge.owner,
            txid: charge.txid.clone(),
        }),
        ChargeKind::Boleto(slip) => provider.write_off(&WriteOffRequest {
            owner: charge.owner,
            txid: charge.txid.clone(),
            wallet: slip.wallet.clone(),
            our_number: slip.our_number.clone(),
        }),
    }
}

/// The charge can never be paid: status and event in one. Answers the charge as it is then.
fn end(
    ports: &Ports,
    owner: Owner,
    id: ChargeId,
    by: FailedBy,
    reason: &str,
) -> Result<Charge, Error> {
    let event_id = EventId(ports.ids.ulid());
    let real_now = ports.clock.now();
    // With the payments of this owner, which take the same locks.
    let sharing = Sharing::Owner(owner);
    let charge = ports.store.transact_shared(sharing, |tx| {
        let charge = tx
            .charge_for_update(owner, id)?
            .ok_or(Error::NotFound(Missing::Charge))?;
        let now = time_of(tx, owner, real_now)?;
        if by == FailedBy::Merchant && charge.status_at(now) == StatusName::Expired {
            // It expired while the provider was asked.
            return Err(Error::Conflict(Conflict::ChargeNotPending(
                StatusName::Expired.as_str(),
            )));
        }
        let failure = Failure {
            failed_at: now,
            by,
            reason: reason.to_owned(),
        };
        let Moved::To(status) = charge.apply(&Happening::Ended(failure))? else {
            return Ok(charge);
        };
        let charge = Charge { status, ..charge };
        tx.save_charge(&charge)?;
        if let Some(news) = charge.news(event_id)? {
            ledger::close(tx, owner, None, Some(news), Moments { now, real_now })?;
        }
        Ok(charge)
    })?;
    ports.signals.deliveries_due(owner);
    Ok(charge)
}

#[cfg(test)]
#[path = "fail_tests.rs"]
mod tests;
