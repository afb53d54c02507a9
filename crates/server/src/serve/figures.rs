//! What `/metrics` shows beside the requests.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use vintem_domain::SharedPorts;
use vintem_domain::ports::Transact as _;
use vintem_domain::webhook::Outbox;
use vintem_http::{Metrics, Sample};
use vintem_storage::{BATCH_BUCKETS, Database};

use super::bell::Bell;
use super::worker::{self, Worker};
use crate::failure::Failure;

#[expect(
    clippy::cast_precision_loss,
    reason = "a figure on a screen; counts above 2^53 may be off by one"
)]
fn figure(count: u64) -> f64 {
    count as f64
}

pub(super) fn counted(counter: &AtomicU64) -> f64 {
    figure(counter.load(Ordering::Relaxed))
}

/// The figure of something that is never negative.
pub(super) fn signed(count: i64) -> f64 {
    figure(u64::try_from(count).unwrap_or(0))
}

/// Units of work, their batches, and the pool of connections.
pub(super) fn of_database(metrics: &Metrics, database: &Arc<Database>) {
    let of = Arc::clone(database);
    metrics.counter(
        "vintem_units_of_work",
        "Units of work, by what became of them",
        move || {
            let stats = of.stats();
            vec![
                Sample::of("outcome", "run", counted(&stats.units)),
                Sample::of("outcome", "rolled_back", counted(&stats.units_rolled_back)),
                Sample::of("outcome", "retried", counted(&stats.units_retried)),
            ]
        },
    );
    let of = Arc::clone(database);
    metrics.counter(
        "vintem_commit_batches",
        "Commits, by the largest number of units of work they may carry in this class",
        move || {
            let sizes = of.stats().batch_sizes.iter().zip(BATCH_BUCKETS);
            sizes
                .map(|(count, units)| Sample::of("units", units.to_string(), counted(count)))
                .collect()
        },
    );
    let of = Arc::clone(database);
    metrics.counter(
        "vintem_commit_batches_failed",
        "Commits that failed",
        move || vec![Sample::plain(counted(&of.stats().batches_failed))],
    );
    let of = Arc::clone(database);
    metrics.gauge(
        "vintem_database_pool_connections",
        "Connections of the pool",
        move || {
            let pool = of.pool_use();
            vec![
                Sample::of("state", "busy", f64::from(pool.busy)),
                Sample::of("state", "idle", f64::from(pool.idle)),
                Sample::of("state", "limit", f64::from(pool.limit)),
            ]
        },
    );
    let of = Arc::clone(database);
    metrics.gauge(
        "vintem_database_writer_queue",
        "Units of work waiting for the writer of the embedded database",
        move || {
            vec![Sample::plain(figure(
                u64::try_from(of.queue()).unwrap_or(0),
            ))]
        },
    );
}

/// Attempts to deliver.
pub(super) fn of_webhooks(metrics: &Metrics, webhooks: &Arc<vintem_webhook::Metrics>) {
    let of = Arc::clone(webhooks);
    metrics.counter(
        "vintem_webhook_deliveries",
        "Attempts to deliver, by outcome",
        move || {
            vec![
                Sample::of("outcome", "delivered", counted(&of.delivered)),
                Sample::of("outcome", "refused", counted(&of.refused)),
                Sample::of("outcome", "unanswered", counted(&of.unanswered)),
                Sample::of("outcome", "given_up", counted(&of.given_up)),
            ]
        },
    );
    let of = Arc::clone(webhooks);
    metrics.counter(
        "vintem_webhook_failed_deliveries",
        "Deliveries whose last attempt failed",
        move || vec![Sample::plain(counted(&of.failed))],
    );
    let of = Arc::clone(webhooks);
    metrics.gauge(
        "vintem_webhook_in_flight",
        "Attempts under way",
        move || vec![Sample::plain(counted(&of.in_flight))],
    );
    let of = Arc::clone(webhooks);
    metrics.counter(
        "vintem_webhook_store_failures",
        "Units of work of the webhook sender that the database did not do",
        move || vec![Sample::plain(counted(&of.store_failures))],
    );
    let of = Arc::clone(webhooks);
    metrics.counter(
        "vintem_webhook_attempts_within",
        "Attempts that took at most this many seconds",
        move || cumulated(&of.durations.snapshot()),
    );
    let of = Arc::clone(webhooks);
    metrics.counter(
        "vintem_webhook_started_within",
        "Attempts that began at most this many seconds after they were due",
        move || cumulated(&of.delays.snapshot()),
    );
}

/// The buckets as Prometheus counts them: each holds all smaller ones.
fn cumulated(histogram: &vintem_webhook::HistogramSnapshot) -> Vec<Sample> {
    let mut sum = 0;
    let sample = |&(bound, count): &(f64, u64)| {
        sum += count;
        let bound = if bound.is_finite() {
            bound.to_string()
        } else {
            "+Inf".to_owned()
        };
        Sample::of("le", bound, figure(sum))
    };
    histogram.buckets.iter().map(sample).collect()
}

/// This process.
pub(super) fn of_process(metrics: &Metrics) {
    metrics.gauge(
        "process_resident_memory_bytes",
        "Memory this process holds",
        || {
            resident_bytes()
                .map(|bytes| Sample::plain(figure(bytes)))
                .into_iter()
                .collect()
        },
    );
}

/// Read from memory that the kernel shows as a file; absent where there is none.
fn resident_bytes() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status
        .lines()
        .find_map(|line| line.strip_prefix("VmRSS:"))?;
    let kibibytes: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    kibibytes.checked_mul(1024)
}

/// Starts the worker that looks at the outbox each second, so that a scrape waits for nothing.
pub(super) fn start_outbox(ports: &SharedPorts, metrics: &Metrics) -> Result<Worker, Failure> {
    let seen = Arc::new(Mutex::new(Outbox::default()));
    let show = |name, help, figure: fn(&Outbox) -> f64| {
        let seen = Arc::clone(&seen);
        metrics.gauge(name, help, move || {
            let outbox = seen.lock().unwrap_or_else(PoisonError::into_inner);
            vec![Sample::plain(figure(&outbox))]
        });
    };
    show(
        "vintem_outbox_pending",
        "Deliveries waiting to be sent",
        |outbox| signed(outbox.pending),
    );
    show(
        "vintem_outbox_held",
        "Deliveries waiting for their endpoint to be enabled",
        |outbox| signed(outbox.held),
    );
    show(
        "vintem_outbox_stuck_deliveries",
        "Deliveries whose lease ended without a result",
        |outbox| signed(outbox.stuck),
    );
    let of = Arc::clone(&seen);
    let clock = Arc::clone(&ports.clock);
    metrics.gauge(
        "vintem_outbox_oldest_seconds",
        "How long the delivery that is due longest has been due",
        move || {
            let outbox = of.lock().unwrap_or_else(PoisonError::into_inner);
            let age_ms = outbox
                .oldest_due_at
                .map_or(0, |due| clock.now().millis_since(due));
            vec![Sample::plain(signed(age_ms) / 1_000.0)]
        },
    );
    let ports = ports.clone();
    worker::start("outbox", Bell::new(), move |_| {
        let now = ports.clock.now();
        let outbox = ports.store.read(|read| read.outbox(now))?;
        *seen.lock().unwrap_or_else(PoisonError::into_inner) = outbox;
        Ok(())
    })
}
