//! A charge is ended without having been paid.

use crate::account::time_of;
use crate::charge::{Charge, ChargeId, ChargeKind, FailedBy, Failure, Happening, Moved};
use crate::error::{Error, Missing};
use crate::event::{EventId, EventKind, Moments};
use crate::ledger;
use crate::ports::{Ports, Transact};

/// The provider removed or rejected the charge: it is FAILED, and `pixQrCode.failed` tells so. A repeat changes
/// nothing. `reason` is what events and the story show.
///
/// # Errors
/// [`Missing::Charge`]; [`crate::error::Conflict::ChargeNotPending`] when it was paid.
pub fn remove(ports: &Ports, id: ChargeId, reason: &str) -> Result<(), Error> {
    let event_id = EventId(ports.ids.ulid());
    let real_now = ports.clock.now();
    let owner = ports
        .store
        .read(|read| read.charge_of_anyone(id))?
        .ok_or(Error::NotFound(Missing::Charge))?
        .owner;
    ports.store.transact(|tx| {
        let charge = tx
            .charge_for_update(owner, id)?
            .ok_or(Error::NotFound(Missing::Charge))?;
        let now = time_of(tx, owner, real_now)?;
        let failure = Failure {
            failed_at: now,
            by: FailedBy::Provider,
            reason: reason.to_owned(),
        };
        let Moved::To(status) = charge.apply(&Happening::Ended(failure))? else {
            return Ok(());
        };
        let charge = Charge { status, ..charge };
        tx.save_charge(&charge)?;
        if let ChargeKind::Boleto(_) = charge.kind {
            // No event tells of a failed boleto (api.md, Event kinds).
            return Ok(());
        }
        let news = charge.news(event_id, EventKind::PixQrCodeFailed)?;
        ledger::close(tx, owner, None, Some(news), Moments { now, real_now })
    })?;
    ports.signals.deliveries_due(owner);
    Ok(())
}
