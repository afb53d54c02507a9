//! The worker's part: send, look up, settle or refund. The same for every kind of payout.

use crate::account::time_of;
use crate::calendar::{HOUR_MS, SECOND_MS};
use crate::error::{Error, Missing};
use crate::event::{EventId, Moments};
use crate::ledger::{self, EntryId, EntryKind, Movement};
use crate::payout::{
    Next, Payout, PayoutAnswer, PayoutStatus, Phase, Purpose, Step, next, payout_news,
};
use crate::ports::{Ports, Transact, Tx};

/// How long a worker may be busy with one payout before another takes over.
const LEASE_MS: i64 = 60 * SECOND_MS;

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

/// How a payout ended, if it did.
enum Ended {
    NotYet,
    Paid,
    Failed,
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
    let mut round = Round {
        taken: leased.len(),
        ..Round::default()
    };
    for (phase, payout) in &leased {
        let provider = ports.providers.of(payout.owner.environment);
        let answer = if *phase == Phase::Unsent {
            provider.send(payout)
        } else {
            provider.look_up(payout)
        };
        match record(ports, payout, *phase, &answer)? {
            Ended::NotYet => {}
            Ended::Paid => round.paid = round.paid.saturating_add(1),
            Ended::Failed => round.failed = round.failed.saturating_add(1),
        }
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
            let step = Step {
                phase: if phase == Phase::Unsent {
                    Phase::Sending
                } else {
                    phase
                },
                tries: payout.step.tries.saturating_add(1),
                due_at: now.plus_millis(LEASE_MS),
            };
            let payout = Payout { step, ..payout };
            tx.save_payout(&payout)?;
            leased.push((phase, payout));
        }
        Ok(leased)
    })
}

fn record(
    ports: &Ports,
    asked: &Payout,
    phase: Phase,
    answer: &Result<PayoutAnswer, Error>,
) -> Result<Ended, Error> {
    let (entry, event) = (EntryId(ports.ids.ulid()), EventId(ports.ids.ulid()));
    let real_now = ports.clock.now();
    let next = next(phase, answer, wait_ms(asked.step.tries));
    let ended = ports.store.transact(|tx| {
        let current = tx
            .payout_for_update(asked.owner, asked.id)?
            .ok_or_else(|| Error::bug("a payout vanished"))?;
        // Another worker took over after our lease ended: it records what it learns.
        if current.status != PayoutStatus::Pending || current.step.tries != asked.step.tries {
            return Ok(Ended::NotYet);
        }
        let now = time_of(tx, asked.owner, real_now)?;
        let later = |phase, wait| Step {
            phase,
            due_at: real_now.plus_millis(wait),
            ..current.step
        };
        match &next {
            Next::AskAgain(wait) => tx.save_payout(&Payout {
                step: later(Phase::Sent, *wait),
                ..current
            })?,
            Next::SendAgain(wait) => tx.save_payout(&Payout {
                step: later(Phase::Unsent, *wait),
                ..current
            })?,
            Next::Settle(authentication) => {
                let status = PayoutStatus::Paid {
                    at: now,
                    authentication: authentication.clone(),
                };
                end(
                    tx,
                    Payout { status, ..current },
                    entry,
                    event,
                    Moments { now, real_now },
                )?;
                return Ok(Ended::Paid);
            }
            Next::Refund(reason) => {
                let status = PayoutStatus::Failed {
                    at: now,
                    reason: reason.clone(),
                };
                end(
                    tx,
                    Payout { status, ..current },
                    entry,
                    event,
                    Moments { now, real_now },
                )?;
                return Ok(Ended::Failed);
            }
        }
        Ok(Ended::NotYet)
    })?;
    match ended {
        Ended::NotYet => {}
        Ended::Paid | Ended::Failed => ports.signals.deliveries_due(asked.owner),
    }
    Ok(ended)
}

/// The payout is over: status, money and event in one.
fn end(
    tx: &mut dyn Tx,
    payout: Payout,
    entry: EntryId,
    event: EventId,
    at: Moments,
) -> Result<(), Error> {
    let payout = Payout {
        step: Step {
            phase: Phase::Over,
            ..payout.step
        },
        ..payout
    };
    tx.save_payout(&payout)?;
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
    let news = payout_news(&payout, &account, event);
    ledger::close(tx, payout.owner, movement, Some(news), at)
}

/// The wait before the provider is asked again: 1 s, doubled from the fifth time on, one hour at most.
fn wait_ms(tries: i64) -> i64 {
    let doublings = u32::try_from(tries.saturating_sub(5).clamp(0, 20)).unwrap_or(20);
    SECOND_MS
        .saturating_mul(2_i64.saturating_pow(doublings))
        .min(HOUR_MS)
}
