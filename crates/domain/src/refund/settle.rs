//! The worker's part: ask the provider, look up, settle or bring the money back.

use crate::account::time_of;
use crate::error::Error;
use crate::event::Moments;
use crate::ledger::{self, EntryId, EntryKind, LedgerAccount, Movement, PostingSet};
use crate::payout::{PayoutAnswer, PayoutStatus, Phase, Round, next};
use crate::ports::{Ports, Transact, Tx};
use crate::refund::Refund;

/// Works on what is due, as [`crate::payout::settle_due`] does on payouts: leases at most `limit` refunds, asks for those
/// the provider was never asked for, looks the others up, and records what the provider says. When it took fewer than
/// `limit`, nothing more is due.
///
/// # Errors
/// The store's. A provider that is down is no error: the refund stays PENDING and is asked for later.
pub fn settle_due(ports: &Ports, limit: usize) -> Result<Round, Error> {
    let leased = lease(ports, limit)?;
    let mut round = Round::of(leased.len());
    for (phase, refund) in &leased {
        if !refund.step.leaves_time_to_ask(ports.clock.now()) {
            continue;
        }
        let provider = ports.providers.of(refund.owner.environment);
        let answer = if *phase == Phase::Unsent {
            provider.refund(refund)
        } else {
            provider.look_up_refund(refund)
        };
        round.count(&record(ports, refund, *phase, &answer)?);
    }
    Ok(round)
}

/// Takes due refunds, each with the phase it was in.
fn lease(ports: &Ports, limit: usize) -> Result<Vec<(Phase, Refund)>, Error> {
    let now = ports.clock.now();
    ports.store.transact(|tx| {
        let mut leased = Vec::new();
        for refund in tx.due_refunds_for_update(now, limit)? {
            let phase = refund.step.phase;
            let step = refund.step.leased(now);
            let refund = Refund { step, ..refund };
            tx.save_refund(&refund)?;
            leased.push((phase, refund));
        }
        Ok(leased)
    })
}

/// Records an answer; says what became of the refund by it.
fn record(
    ports: &Ports,
    asked: &Refund,
    phase: Phase,
    answer: &Result<PayoutAnswer, Error>,
) -> Result<PayoutStatus, Error> {
    let entry = EntryId(ports.ids.ulid());
    let real_now = ports.clock.now();
    let next = next(phase, answer, asked.step.tries);
    ports.store.transact(|tx| {
        let current = tx
            .refund_for_update(asked.owner, asked.id)?
            .ok_or_else(|| Error::bug("a refund vanished"))?;
        // Another worker took over after our lease ended: it records what it learns.
        if current.status != PayoutStatus::Pending || current.step.tries != asked.step.tries {
            return Ok(PayoutStatus::Pending);
        }
        let at = Moments {
            now: time_of(tx, asked.owner, real_now)?,
            real_now,
        };
        let (status, step) = next.from(current.step, at);
        let refund = Refund {
            status,
            step,
            ..current
        };
        tx.save_refund(&refund)?;
        post(tx, &refund, entry, at)?;
        Ok(refund.status)
    })
}

/// The refund's money leaves the provider, or comes back to what can be spent.
fn post(tx: &mut dyn Tx, refund: &Refund, entry: EntryId, at: Moments) -> Result<(), Error> {
    let (kind, destination) = match refund.status {
        PayoutStatus::Pending => return Ok(()),
        PayoutStatus::Paid { .. } => (EntryKind::RefundSettled, LedgerAccount::Clearing),
        PayoutStatus::Failed { .. } => (EntryKind::RefundReversed, LedgerAccount::Available),
    };
    let movement = Movement {
        id: entry,
        kind,
        reference: refund.id.0,
        postings: PostingSet::balanced(&[
            (LedgerAccount::Outgoing, refund.amount.negated()?),
            (destination, refund.amount),
        ])?,
        at: at.now,
    };
    ledger::close(tx, refund.owner, Some(movement), None, at)
}
