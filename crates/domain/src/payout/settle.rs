//! The worker's part: send, look up, settle or refund. The same for every kind of payout.

use crate::account::time_of;
use crate::error::{Error, Missing};
use crate::event::{EventId, Moments};
use crate::ledger::{self, EntryId, EntryKind, Movement};
use crate::payout::{Payout, PayoutAnswer, PayoutStatus, Phase, Purpose, next, payout_news};
use crate::ports::{Ports, Transact, Tx};

/// What a call of [`settle_due`] did.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Round {
    /// How many payouts it took.
    pub taken: usize,
    /// How many of them are PAID now.
    pub paid: usize,
    /// How many of them have FAILED and were refunded.
    pub failed: usize,
}

impl Round {
    /// A round that took so many.
    pub(crate) fn of(taken: usize) -> Self {
        Self {
            taken,
            ..Self::default()
        }
    }

    /// Counts how one of them ended, if it did.
    pub(crate) fn count(&mut self, status: &PayoutStatus) {
        match status {
            PayoutStatus::Pending => {}
            PayoutStatus::Paid { .. } => self.paid = self.paid.saturating_add(1),
            PayoutStatus::Failed { .. } => self.failed = self.failed.saturating_add(1),
        }
    }
}

/// Works on what is due: leases at most `limit` payouts, sends those that were never sent, looks the others up, and
/// records what the provider says. When it took fewer than `limit`, nothing more is due.
///
/// Before a payout is sent, that it is being sent is committed. So after a crash at any instruction it is looked up
/// first, and never sent twice.
///
/// # Errors
/// The store's. A provider that is down is no error: the payout stays PENDING and is asked for later.
pub fn settle_due(ports: &Ports, limit: usize) -> Result<Round, Error> {
    let leased = lease(ports, limit)?;
    let mut round = Round::of(leased.len());
    for (phase, payout) in &leased {
        if !payout.step.leaves_time_to_ask(ports.clock.now()) {
            continue;
        }
        let provider = ports.providers.of(payout.owner.environment);
        let answer = if *phase == Phase::Unsent {
            provider.send(payout)
        } else {
            provider.look_up(payout)
        };
        round.count(&record(ports, payout, *phase, &answer)?);
    }
    Ok(round)
}

/// Takes due payouts, each with the phase it was in.
fn lease(ports: &Ports, limit: usize) -> Result<Vec<(Phase, Payout)>, Error> {
    let now = ports.clock.now();
    ports.store.transact(|tx| {
        let mut leased = Vec::new();
        for payout in tx.due_payouts_for_update(now, limit)? {
            let phase = payout.step.phase;
            let step = payout.step.leased(now);
            let payout = Payout { step, ..payout };
            tx.save_payout(&payout)?;
            leased.push((phase, payout));
        }
        Ok(leased)
    })
}

/// Records an answer; says what became of the payout by it.
fn record(
    ports: &Ports,
    asked: &Payout,
    phase: Phase,
    answer: &Result<PayoutAnswer, Error>,
) -> Result<PayoutStatus, Error> {
    let (entry, event) = (EntryId(ports.ids.ulid()), EventId(ports.ids.ulid()));
    let real_now = ports.clock.now();
    let next = next(phase, answer, asked.step.tries);
    let status = ports.store.transact(|tx| {
        let current = tx
            .payout_for_update(asked.owner, asked.id)?
            .ok_or_else(|| Error::bug("a payout vanished"))?;
        // Another worker took over after our lease ended: it records what it learns.
        if current.status != PayoutStatus::Pending || current.step.tries != asked.step.tries {
            return Ok(PayoutStatus::Pending);
        }
        let at = Moments {
            now: time_of(tx, asked.owner, real_now)?,
            real_now,
        };
        let (status, step) = next.from(current.step, at);
        let payout = Payout {
            status: status.clone(),
            step,
            ..current
        };
        tx.save_payout(&payout)?;
        if status != PayoutStatus::Pending {
            end(tx, &payout, entry, event, at)?;
        }
        Ok(status)
    })?;
    if status != PayoutStatus::Pending {
        ports.signals.deliveries_due(asked.owner);
    }
    Ok(status)
}

/// The payout is over: money and event in the unit of work of its status.
fn end(
    tx: &mut dyn Tx,
    payout: &Payout,
    entry: EntryId,
    event: EventId,
    at: Moments,
) -> Result<(), Error> {
    if let (Purpose::Bill(order), PayoutStatus::Failed { .. }) = (&payout.purpose, &payout.status) {
        // A title whose payment failed may be paid again.
        tx.release_title(payout.owner, &order.barcode)?;
    }
    let account = tx
        .account(payout.owner.account)?
        .ok_or(Error::NotFound(Missing::Account))?;
    let (kind, postings) = match &payout.status {
        PayoutStatus::Failed { .. } => (EntryKind::PayoutRefunded, payout.refunded()?),
        PayoutStatus::Paid { .. } | PayoutStatus::Pending => {
            (EntryKind::PayoutSettled, payout.settled()?)
        }
    };
    let movement = Movement {
        id: entry,
        kind,
        reference: payout.id.0,
        postings,
        at: at.now,
    };
    let movement = payout.is_booked().then_some(movement);
    let news = payout_news(payout, &account, event);
    ledger::close(tx, payout.owner, movement, Some(news), at)
}
