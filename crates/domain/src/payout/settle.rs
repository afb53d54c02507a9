//! The worker's part: send, look up, settle or bring back. The same for all money on its way out.

use crate::account::{Owner, time_of};
use crate::calendar::Time;
use crate::error::{Error, Missing};
use crate::event::{EventId, Moments};
use crate::ledger::{self, EntryId, Movement};
use crate::payout::{
    Payout, PayoutAnswer, PayoutStatus, Phase, Purpose, Step, account_as_payer, next, payout_news,
};
use crate::ports::{Ports, Transact, Tx};
use crate::provider::Provider;

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

/// Money on its way out, as the worker sees it.
pub(crate) trait Outbound: Sized + Send + Sync {
    /// Whether an event tells of its end.
    const IS_TOLD: bool;

    /// Whose money.
    fn owner(&self) -> Owner;

    /// What became of it.
    fn status(&self) -> &PayoutStatus;

    /// How far the worker is.
    fn step(&self) -> Step;

    /// The same, further on.
    fn moved(self, status: PayoutStatus, step: Step) -> Self;

    /// What is due, locked.
    fn due(tx: &mut dyn Tx, now: Time, limit: usize) -> Result<Vec<Self>, Error>;

    /// The same as it is now, locked.
    fn current(&self, tx: &mut dyn Tx) -> Result<Option<Self>, Error>;

    /// Keeps status and step.
    fn save(&self, tx: &mut dyn Tx) -> Result<(), Error>;

    /// Has the provider move it.
    fn send(&self, provider: &dyn Provider) -> Result<PayoutAnswer, Error>;

    /// Asks the provider what became of it.
    fn look_up(&self, provider: &dyn Provider) -> Result<PayoutAnswer, Error>;

    /// It is over: money and event in the unit of work of its status.
    fn end(
        &self,
        tx: &mut dyn Tx,
        entry: EntryId,
        event: EventId,
        at: Moments,
    ) -> Result<(), Error>;
}

/// Works on payouts that are due: leases at most `limit`, sends those that were never sent, looks the others up, and
/// records what the provider says. When it took fewer than `limit`, nothing more is due.
///
/// Before a payout is sent, that it is being sent is committed. So after a crash at any instruction it is looked up
/// first, and never sent twice.
///
/// # Errors
/// The store's. A provider that is down is no error: the payout stays PENDING and is asked for later.
pub fn settle_due(ports: &Ports, limit: usize) -> Result<Round, Error> {
    settle::<Payout>(ports, limit)
}

/// [`settle_due`] for any money on its way out.
pub(crate) fn settle<M: Outbound>(ports: &Ports, limit: usize) -> Result<Round, Error> {
    let leased = lease::<M>(ports, limit)?;
    let mut round = Round::of(leased.len());
    for (phase, money) in &leased {
        if !money.step().leaves_time_to_ask(ports.clock.now()) {
            continue;
        }
        let provider = ports.providers.of(money.owner().environment);
        let answer = if *phase == Phase::Unsent {
            money.send(provider)
        } else {
            money.look_up(provider)
        };
        round.count(&record(ports, money, *phase, &answer)?);
    }
    Ok(round)
}

/// Takes what is due, each with the phase it was in.
fn lease<M: Outbound>(ports: &Ports, limit: usize) -> Result<Vec<(Phase, M)>, Error> {
    let now = ports.clock.now();
    ports.store.transact(|tx| {
        let mut leased = Vec::new();
        for money in M::due(tx, now, limit)? {
            let (phase, step) = (money.step().phase, money.step().leased(now));
            let status = money.status().clone();
            let money = money.moved(status, step);
            money.save(tx)?;
            leased.push((phase, money));
        }
        Ok(leased)
    })
}

/// Records an answer; says what became of the money by it.
fn record<M: Outbound>(
    ports: &Ports,
    asked: &M,
    phase: Phase,
    answer: &Result<PayoutAnswer, Error>,
) -> Result<PayoutStatus, Error> {
    let (entry, event) = (EntryId(ports.ids.ulid()), EventId(ports.ids.ulid()));
    let real_now = ports.clock.now();
    let next = next(phase, answer, asked.step().tries);
    let status = ports.store.transact(|tx| {
        let current = asked
            .current(tx)?
            .ok_or_else(|| Error::bug("money on its way out vanished"))?;
        // Another worker took over after our lease ended: it records what it learns.
        if *current.status() != PayoutStatus::Pending || current.step().tries != asked.step().tries
        {
            return Ok(PayoutStatus::Pending);
        }
        let at = Moments {
            now: time_of(tx, asked.owner(), real_now)?,
            real_now,
        };
        let (status, step) = next.from(current.step(), at);
        let money = current.moved(status.clone(), step);
        money.save(tx)?;
        if status != PayoutStatus::Pending {
            money.end(tx, entry, event, at)?;
        }
        Ok(status)
    })?;
    if M::IS_TOLD && status != PayoutStatus::Pending {
        ports.signals.deliveries_due(asked.owner());
    }
    Ok(status)
}

impl Outbound for Payout {
    const IS_TOLD: bool = true;

    fn owner(&self) -> Owner {
        self.owner
    }

    fn status(&self) -> &PayoutStatus {
        &self.status
    }

    fn step(&self) -> Step {
        self.step
    }

    fn moved(self, status: PayoutStatus, step: Step) -> Self {
        Self {
            status,
            step,
            ..self
        }
    }

    fn due(tx: &mut dyn Tx, now: Time, limit: usize) -> Result<Vec<Self>, Error> {
        tx.due_payouts_for_update(now, limit)
    }

    fn current(&self, tx: &mut dyn Tx) -> Result<Option<Self>, Error> {
        tx.payout_for_update(self.owner, self.id)
    }

    fn save(&self, tx: &mut dyn Tx) -> Result<(), Error> {
        tx.save_payout(self)
    }

    fn send(&self, provider: &dyn Provider) -> Result<PayoutAnswer, Error> {
        provider.send(self)
    }

    fn look_up(&self, provider: &dyn Provider) -> Result<PayoutAnswer, Error> {
        provider.look_up(self)
    }

    fn end(
        &self,
        tx: &mut dyn Tx,
        entry: EntryId,
        event: EventId,
        at: Moments,
    ) -> Result<(), Error> {
        end(tx, self, entry, event, at)
    }
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
    let posted = payout.ended()?.filter(|_| payout.is_booked());
    let movement = posted.map(|(kind, postings)| Movement {
        id: entry,
        kind,
        reference: payout.id.0,
        postings,
        at: at.now,
    });
    let news = payout_news(payout, Some(account_as_payer(&account)), event);
    ledger::close(tx, payout.owner, movement, Some(news), at)
}
