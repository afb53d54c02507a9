//! Sends money out, refunds to payers too, looks up what became of it, and brings back what failed; and shows how that
//! goes.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use vintem_domain::payout::{self, Backlog, Round};
use vintem_domain::ports::Transact as _;
use vintem_domain::{SharedPorts, refund};
use vintem_http::{Metrics, Sample};

use super::bell::Bell;
use super::figures::{counted, signed};
use super::worker::{self, Worker};
use crate::failure::Failure;

/// How many payouts a worker leases at a time. It asks the provider for one after the other, so that few wait behind a
/// slow answer.
const AT_ONCE: usize = 4;

/// How payouts ended in this process.
#[derive(Default)]
struct Ended {
    paid: AtomicU64,
    failed: AtomicU64,
}

impl Ended {
    /// Counters that `/metrics` shows.
    fn shown_in(metrics: &Metrics) -> Arc<Self> {
        let ended = Arc::new(Self::default());
        let of = Arc::clone(&ended);
        metrics.counter(
            "vintem_payouts_ended",
            "Withdrawals, third-party payments and refunds that ended, by outcome",
            move || {
                vec![
                    Sample::of("outcome", "paid", counted(&of.paid)),
                    Sample::of("outcome", "failed", counted(&of.failed)),
                ]
            },
        );
        ended
    }

    fn count(&self, round: &Round) {
        for (counter, more) in [(&self.paid, round.paid), (&self.failed, round.failed)] {
            let more = u64::try_from(more).unwrap_or(u64::MAX);
            counter.fetch_add(more, Ordering::Relaxed);
        }
    }
}

/// Starts so many workers, which share a bell, and one that counts what waits for them.
pub(super) fn start(
    ports: &SharedPorts,
    bell: &Bell,
    count: usize,
    metrics: &Metrics,
) -> Result<Vec<Worker>, Failure> {
    let ended = Ended::shown_in(metrics);
    let mut workers = vec![start_backlog(ports, metrics)?];
    for _ in 0..count {
        workers.push(start_one(ports.clone(), bell.clone(), Arc::clone(&ended))?);
    }
    Ok(workers)
}

fn start_one(ports: SharedPorts, bell: Bell, ended: Arc<Ended>) -> Result<Worker, Failure> {
    worker::start("payouts", bell, move |bell| {
        while !bell.is_stopped() {
            // One of either that cannot be read does not hold up the other.
            let payouts = payout::settle_due(&ports.ports(), AT_ONCE);
            let refunds = refund::settle_due(&ports.ports(), AT_ONCE);
            for round in [&payouts, &refunds].into_iter().flatten() {
                ended.count(round);
            }
            let (payouts, refunds) = (payouts?, refunds?);
            let failed = payouts.failed + refunds.failed;
            if failed > 0 {
                tracing::warn!(count = failed, "brought back money whose way out failed");
            }
            if payouts.taken < AT_ONCE && refunds.taken < AT_ONCE {
                break;
            }
            // There may be work for another one.
            bell.ring();
        }
        Ok(())
    })
}

/// What is under way is counted each second, so that a scrape waits for nothing.
fn start_backlog(ports: &SharedPorts, metrics: &Metrics) -> Result<Worker, Failure> {
    let seen = Arc::new(Mutex::new(Backlog::default()));
    let of = Arc::clone(&seen);
    metrics.gauge(
        "vintem_payouts_waiting",
        "Withdrawals, third-party payments and refunds that have not ended: all, those a worker should be at, those whose provider does not say what became of them",
        move || {
            let backlog = of.lock().unwrap_or_else(PoisonError::into_inner);
            vec![
                Sample::of("state", "pending", signed(backlog.pending)),
                Sample::of("state", "due", signed(backlog.due)),
                Sample::of("state", "stuck", signed(backlog.stuck)),
            ]
        },
    );
    let of = Arc::clone(&seen);
    let clock = Arc::clone(&ports.clock);
    metrics.gauge(
        "vintem_payouts_oldest_seconds",
        "How long the payout that is due longest has been due",
        move || {
            let backlog = of.lock().unwrap_or_else(PoisonError::into_inner);
            let age_ms = backlog
                .oldest_due_at
                .map_or(0, |due| clock.now().millis_since(due));
            vec![Sample::plain(signed(age_ms) / 1_000.0)]
        },
    );
    let ports = ports.clone();
    worker::start("payout-backlog", Bell::new(), move |_| {
        let now = ports.clock.now();
        let backlog = ports
            .store
            .read(|read| Ok(read.payout_backlog(now)? + read.refund_backlog(now)?))?;
        *seen.lock().unwrap_or_else(PoisonError::into_inner) = backlog;
        Ok(())
    })
}
