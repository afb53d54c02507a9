//! Claiming due deliveries and recording what became of them.

use crate::account::Owner;
use crate::calendar::Time;
use crate::error::Error;
use crate::event::EventId;
use crate::ports::{Ports, Transact, Tx};
use crate::webhook::schedule::{LEASE_MS, PATIENCE_MS, RETENTION_MS, next_attempt};
use crate::webhook::{
    Attempt, AttemptOutcome, Delivery, DeliveryState, DisabledBecause, Endpoint, Lease, ServerId,
    WebhookSecret, WebhookUrl,
};

/// An attempt that was committed and may now be sent, once, before its lease ends.
#[derive(Clone, Debug)]
pub struct Claimed {
    /// Whose event.
    pub owner: Owner,
    /// Which event.
    pub event: EventId,
    /// The attempt's number.
    pub number: i64,
    /// Where to.
    pub url: WebhookUrl,
    /// What signs it.
    pub secret: WebhookSecret,
    /// What signs it too, for a day after a roll.
    pub previous_secret: Option<WebhookSecret>,
    /// What is sent, byte for byte.
    pub body: String,
    /// When it was claimed (real time).
    pub started_at: Time,
    /// When it became due (real time).
    pub due_at: Time,
    /// It must not be sent from this moment on.
    pub lease_until: Time,
    /// Whether the endpoint had been failing when it was claimed.
    pub failing: bool,
}

/// What the endpoint answered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Answer {
    /// The HTTP status; none when there was no answer.
    pub status: Option<u16>,
    /// What went wrong, in a few words, when there was none.
    pub error: Option<String>,
    /// How long it took, milliseconds.
    pub duration_ms: i64,
    /// The first 4 KiB of the answer, without secrets.
    pub body: String,
    /// How long the endpoint asks to be left alone, seconds.
    pub retry_after_seconds: Option<i64>,
}

/// An attempt that was sent.
#[derive(Clone, Debug)]
pub struct Sent {
    /// Whose event.
    pub owner: Owner,
    /// Which event.
    pub event: EventId,
    /// The attempt's number.
    pub number: i64,
    /// When it was claimed.
    pub started_at: Time,
    /// Whether the endpoint had been failing then.
    pub failing: bool,
    /// What came back.
    pub answer: Answer,
}

impl Answer {
    const GONE: u16 = 410;

    fn accepted(&self) -> bool {
        self.status
            .is_some_and(|status| (200..300).contains(&status))
    }

    fn gone(&self) -> bool {
        self.status == Some(Self::GONE)
    }
}

/// Claims what is due for these owners, each with the number of attempts its lane can start now. The attempts are
/// committed when this returns. An attempt whose lease ended without a result is logged as interrupted.
///
/// An endpoint whose secret cannot be read does not hold up the others: nothing of it is claimed.
///
/// # Errors
/// The store's; the cipher's when nothing else could be claimed.
pub fn claim(
    ports: &Ports,
    server: ServerId,
    lanes: &[(Owner, usize)],
) -> Result<Vec<Claimed>, Error> {
    let now = ports.clock.now();
    let mut lanes = lanes.to_vec();
    // One order for everybody: two servers never wait for each other.
    lanes.sort_unstable_by_key(|(owner, _)| *owner);
    ports.store.transact(|tx| {
        let mut claimed = Vec::new();
        let mut unreadable = None;
        for &(owner, free) in &lanes {
            let endpoint = tx.endpoint(owner)?;
            let Some(endpoint) = endpoint.filter(|endpoint| endpoint.disabled.is_none()) else {
                continue;
            };
            match signing(ports, &endpoint, now) {
                Ok(secrets) => {
                    let taken = claim_lane(tx, server, owner, free, now)?;
                    let addressed = taken
                        .into_iter()
                        .map(|taken| addressed(&endpoint, &secrets, taken, now));
                    claimed.extend(addressed);
                }
                Err(error) => unreadable = Some(error),
            }
        }
        match unreadable {
            Some(error) if claimed.is_empty() => Err(error),
            Some(_) | None => Ok(claimed),
        }
    })
}

/// The secret that signs, and the one before it while it signs too.
type Secrets = (WebhookSecret, Option<WebhookSecret>);

pub(super) fn signing(ports: &Ports, endpoint: &Endpoint, now: Time) -> Result<Secrets, Error> {
    let previous = match &endpoint.previous {
        Some((sealed, until)) if now < *until => {
            Some(super::manage::unseal(ports, endpoint.owner, sealed)?)
        }
        Some(_) | None => None,
    };
    let current = super::manage::unseal(ports, endpoint.owner, &endpoint.sealed_secret)?;
    Ok((current, previous))
}

/// A delivery with its new attempt, when it had become due, and its body.
type Taken = (Delivery, Time, String);

fn claim_lane(
    tx: &mut dyn Tx,
    server: ServerId,
    owner: Owner,
    free: usize,
    now: Time,
) -> Result<Vec<Taken>, Error> {
    let mut interrupted = Vec::new();
    let mut taken: Vec<Taken> = Vec::new();
    let lease = Lease {
        by: server,
        until: now.plus_millis(LEASE_MS),
    };
    for (delivery, body) in tx.due_deliveries_for_update(owner, now, free)? {
        if let Some(ended) = delivery.lease {
            interrupted.push(interrupted_attempt(&delivery, ended));
        }
        let due_at = delivery.due_at;
        let next = Delivery {
            attempts: delivery.attempts.saturating_add(1),
            tries: delivery.tries.saturating_add(1),
            lease: Some(lease),
            ..delivery
        };
        taken.push((next, due_at, body));
    }
    if !interrupted.is_empty() {
        tx.insert_attempts(&interrupted)?;
    }
    if !taken.is_empty() {
        let deliveries: Vec<_> = taken
            .iter()
            .map(|(delivery, _, _)| delivery.clone())
            .collect();
        tx.save_deliveries(&deliveries)?;
    }
    Ok(taken)
}

/// Ends the leases of servers that are gone, which only a server can know that has the database to itself: what they
/// were sending is logged as interrupted and due at once, instead of when their leases end.
///
/// # Errors
/// The store's.
pub fn take_over(ports: &Ports) -> Result<(), Error> {
    const AT_ONCE: usize = 500;
    let now = ports.clock.now();
    loop {
        let count = ports.store.transact(|tx| {
            let leased = tx.leased_deliveries_for_update(AT_ONCE)?;
            let mut interrupted = Vec::new();
            let mut deliveries = Vec::new();
            for delivery in leased {
                if let Some(lease) = delivery.lease {
                    let started_at = lease.until.plus_millis(LEASE_MS.saturating_neg());
                    interrupted.push(Attempt {
                        duration_ms: now.millis_since(started_at).clamp(0, LEASE_MS),
                        ..interrupted_attempt(&delivery, lease)
                    });
                }
                deliveries.push(Delivery {
                    lease: None,
                    ..delivery
                });
            }
            tx.insert_attempts(&interrupted)?;
            tx.save_deliveries(&deliveries)?;
            Ok(deliveries.len())
        })?;
        if count < AT_ONCE {
            return Ok(());
        }
    }
}

fn interrupted_attempt(delivery: &Delivery, ended: Lease) -> Attempt {
    Attempt {
        owner: delivery.owner,
        event: delivery.event,
        number: delivery.attempts,
        started_at: ended.until.plus_millis(LEASE_MS.saturating_neg()),
        duration_ms: LEASE_MS,
        outcome: AttemptOutcome::Interrupted,
        status: None,
        error: Some("the server stopped before the answer".to_owned()),
        answer: String::new(),
    }
}

fn addressed(endpoint: &Endpoint, secrets: &Secrets, taken: Taken, now: Time) -> Claimed {
    let (delivery, due_at, body) = taken;
    let (secret, previous_secret) = secrets.clone();
    Claimed {
        owner: delivery.owner,
        event: delivery.event,
        number: delivery.attempts,
        url: endpoint.url.clone(),
        secret,
        previous_secret,
        body,
        started_at: now,
        due_at,
        lease_until: now.plus_millis(LEASE_MS),
        failing: endpoint.failing_since.is_some(),
    }
}

/// Records what became of attempts this server sent: the log, the delivery's next step, and what it says about the
/// endpoint (410 and five days of failures disable it; deliveries then wait). A result that comes after its lease was
/// taken over changes nothing. Answers how many deliveries failed for good.
///
/// # Errors
/// The store's; the attempts may be recorded again then.
pub fn record(ports: &Ports, server: ServerId, sent: &[Sent]) -> Result<usize, Error> {
    let now = ports.clock.now();
    let mut sent: Vec<&Sent> = sent.iter().collect();
    sent.sort_unstable_by_key(|one| (one.owner, one.event));
    let dice = ports.ids.random();
    ports.store.transact(|tx| {
        let mut recorded = Vec::new();
        let mut deliveries = Vec::new();
        let mut attempts = Vec::new();
        for (position, one) in sent.iter().enumerate() {
            if one.answer.accepted() {
                if !tx.accept_delivery(one.owner, one.event, one.number, server)? {
                    continue;
                }
            } else {
                let under_way = tx
                    .delivery_for_update(one.owner, one.event)?
                    .filter(|delivery| delivery.is_attempted(one.number, server));
                let Some(delivery) = under_way else {
                    continue;
                };
                deliveries.push(failed(&delivery, one, now, roll_dice(&dice, position)));
            }
            attempts.push(logged(one));
            recorded.push(*one);
        }
        tx.save_deliveries(&deliveries)?;
        tx.insert_attempts(&attempts)?;
        for of_one_owner in recorded.chunk_by(|a, b| a.owner == b.owner) {
            judge(tx, of_one_owner, now)?;
        }
        let failed = |delivery: &&Delivery| delivery.state == DeliveryState::Failed;
        Ok(deliveries.iter().filter(failed).count())
    })
}

/// A number for each attempt of a batch.
fn roll_dice(random: &[u8; 32], position: usize) -> u64 {
    let mut bytes = [0; 8];
    for (byte, random) in bytes.iter_mut().zip(
        random
            .iter()
            .cycle()
            .skip(position.checked_rem(32).unwrap_or(0)),
    ) {
        *byte = *random;
    }
    u64::from_le_bytes(bytes)
}

/// The delivery after an attempt that was not accepted.
fn failed(delivery: &Delivery, sent: &Sent, now: Time, dice: u64) -> Delivery {
    let delivery = Delivery {
        lease: None,
        ..delivery.clone()
    };
    if sent.answer.gone() {
        // Disabling is no failure of the event: it waits, due at once when the endpoint is enabled again.
        return Delivery {
            tries: 0,
            due_at: now,
            ..delivery
        };
    }
    match next_attempt(delivery.tries, now, sent.answer.retry_after_seconds, dice) {
        Some(due_at) => Delivery { due_at, ..delivery },
        None => Delivery {
            state: DeliveryState::Failed,
            ..delivery
        },
    }
}

fn logged(sent: &Sent) -> Attempt {
    let outcome = if sent.answer.accepted() {
        AttemptOutcome::Delivered
    } else {
        AttemptOutcome::Failed
    };
    Attempt {
        owner: sent.owner,
        event: sent.event,
        number: sent.number,
        started_at: sent.started_at,
        duration_ms: sent.answer.duration_ms,
        outcome,
        status: sent.answer.status,
        error: sent.answer.error.clone(),
        answer: sent.answer.body.clone(),
    }
}

/// What the answers of one batch say about their endpoint.
fn judge(tx: &mut dyn Tx, sent: &[&Sent], now: Time) -> Result<(), Error> {
    let Some(first) = sent.first() else {
        return Ok(());
    };
    let gone = sent.iter().any(|one| one.answer.gone());
    let accepted = sent.iter().any(|one| one.answer.accepted());
    // A healthy endpoint stays healthy, and is not even looked at.
    if sent.iter().all(|one| one.answer.accepted() && !one.failing) {
        return Ok(());
    }
    let Some(seen) = tx.endpoint(first.owner)? else {
        return Ok(());
    };
    // Nothing to write, no lock taken.
    if accepted && !gone && seen.failing_since.is_none() {
        return Ok(());
    }
    let Some(endpoint) = tx.endpoint_for_update(first.owner)? else {
        return Ok(());
    };
    tx.save_endpoint(&judged(endpoint, gone, accepted, now))
}

fn judged(endpoint: Endpoint, gone: bool, accepted: bool, now: Time) -> Endpoint {
    let failing_since = if accepted {
        None
    } else {
        endpoint.failing_since.or(Some(now))
    };
    let because = if gone {
        Some(DisabledBecause::Gone)
    } else if failing_since.is_some_and(|since| now.millis_since(since) >= PATIENCE_MS) {
        Some(DisabledBecause::Failing)
    } else {
        None
    };
    let disabled = endpoint.disabled.or(because.map(|because| (now, because)));
    Endpoint {
        disabled,
        failing_since,
        ..endpoint
    }
}

/// Gives back attempts that were claimed but not sent, so that another server need not wait for their leases to end.
/// Their numbers stay used.
///
/// # Errors
/// The store's.
pub fn give_up_leases(
    ports: &Ports,
    server: ServerId,
    claimed: &[(Owner, EventId, i64)],
) -> Result<(), Error> {
    let mut claimed = claimed.to_vec();
    claimed.sort_unstable();
    ports.store.transact(|tx| {
        let mut deliveries = Vec::new();
        for &(owner, event, number) in &claimed {
            let Some(delivery) = tx.delivery_for_update(owner, event)? else {
                continue;
            };
            if delivery.is_attempted(number, server) {
                let tries = delivery.tries.saturating_sub(1).max(0);
                deliveries.push(Delivery {
                    lease: None,
                    tries,
                    ..delivery
                });
            }
        }
        tx.save_deliveries(&deliveries)
    })
}

/// Removes attempts older than 30 days from the log, a bounded number at a time; says how many.
///
/// # Errors
/// The store's.
pub fn forget_old_attempts(ports: &Ports) -> Result<usize, Error> {
    const AT_ONCE: usize = 1_000;
    let before = ports.clock.now().plus_millis(RETENTION_MS.saturating_neg());
    ports
        .store
        .transact(|tx| tx.forget_attempts(before, AT_ONCE))
}
