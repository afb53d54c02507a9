//! Takes deliveries from the outbox to their endpoints.
//!
//! One task holds all state and does nothing that blocks. Claims and records are units of work on blocking threads; while
//! one runs, what it leaves behind gathers for the next, so that batches grow with the load and a lone event waits for
//! nobody. Attempts are tasks of their own. What the rules are (when to try again, when to disable) is the domain's.

use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use tokio::sync::{oneshot, watch};
use tokio::task::{JoinHandle, JoinSet};
use tokio::time::{Instant, Interval, MissedTickBehavior, interval, sleep_until};
use vintem_domain::webhook::{Claimed, Sent, ServerId};
use vintem_domain::{Error, Owner, SharedPorts};

use crate::addressees::{AddressRules, Addressees};
use crate::attempt::{self, Ended};
use crate::client::Client;
use crate::lanes::Lanes;
use crate::metrics::Metrics;
use crate::units::{Done, Units};
use crate::wake::{News, Wake};

/// How the dispatcher behaves. The defaults suit one server.
#[derive(Debug, Clone)]
pub struct DispatcherSettings {
    /// Attempts claimed or under way at the same time, all endpoints together. Each one under way has a connection.
    /// Those begun with their events may exceed it by as many as there are units of work at the same moment.
    pub limit: usize,
    /// How often the outbox is looked at for what nobody told of: retries that became due, events of other servers.
    pub poll_interval: Duration,
    /// Which addresses may be called.
    pub addresses: AddressRules,
}

/// What a dispatcher works with.
#[derive(Clone)]
pub struct Setup {
    /// The domain's ports. Its `signals` should reach `wake`.
    pub ports: SharedPorts,
    /// Who this server is, as the holder of leases: another one at each start.
    pub server: ServerId,
    /// Sends.
    pub client: Client,
    /// Tells of work.
    pub wake: Wake,
    /// Counts.
    pub metrics: Arc<Metrics>,
    /// How it behaves.
    pub settings: DispatcherSettings,
}

/// A dispatcher at work. Dropping it lets it run on until the runtime ends.
#[derive(Debug)]
pub struct Dispatcher {
    stop: oneshot::Sender<Instant>,
    task: JoinHandle<()>,
}

impl Dispatcher {
    /// Starts one on the current runtime, which needs timers, I/O and blocking threads.
    pub fn start(setup: Setup) -> Self {
        let (stop, stopped) = oneshot::channel();
        let task = tokio::spawn(Worker::new(setup).run(stopped));
        Self { stop, task }
    }

    /// Whether it has ended, which it does by itself only through a mistake in this program.
    pub fn is_over(&self) -> bool {
        self.task.is_finished()
    }

    /// Claims nothing more, gives back what was not sent, and waits for attempts under way until `limit` has passed; their
    /// results are recorded. Attempts cut off then are recorded as failed, so that no lease is left behind.
    pub async fn stop(self, limit: Duration) {
        // Both fail only when the task has ended already.
        let _ = self.stop.send(Instant::now() + limit);
        let _ = self.task.await;
    }
}

/// How long results may gather while the database is away before nothing more is claimed.
const UNRECORDED_AT_MOST: usize = 2_048;
/// How long the database is left alone after it failed.
const PAUSE: Duration = Duration::from_millis(500);
/// How long before the end of a stop attempts are cut off, so that the results of the others can be recorded.
const LAST_RECORDS: Duration = Duration::from_millis(500);
/// How often old attempts are removed from the log.
const FORGET_INTERVAL: Duration = Duration::from_mins(10);
/// Kept between the longest possible end of an attempt and the end of its lease, for recording it.
const LEASE_MARGIN: Duration = Duration::from_secs(5);

struct Worker {
    setup: Setup,
    lanes: Lanes<Claimed>,
    addressees: Addressees,
    attempts: JoinSet<Ended>,
    /// Becomes true when attempts under way are cut off.
    cut: watch::Sender<bool>,
    units: Units,
    /// Results not recorded yet, in the order they came.
    results: VecDeque<Sent>,
    /// Claimed attempts that will not be sent.
    unsent: Vec<Claimed>,
    /// After this, claims and records are tried again.
    paused_until: Option<Instant>,
    /// A record failed for another reason than the database being away: find the result that is to blame.
    one_by_one: bool,
    stopping: bool,
}

impl Worker {
    fn new(setup: Setup) -> Self {
        Self {
            lanes: Lanes::new(setup.settings.limit),
            addressees: Addressees::new(setup.settings.addresses),
            attempts: JoinSet::new(),
            cut: watch::Sender::new(false),
            units: Units::new(setup.ports.clone(), setup.server),
            results: VecDeque::new(),
            unsent: Vec::new(),
            paused_until: None,
            one_by_one: false,
            stopping: false,
            setup,
        }
    }

    async fn run(mut self, mut stopped: oneshot::Receiver<Instant>) {
        let mut poll = ticks(self.setup.settings.poll_interval);
        let mut forget = ticks(FORGET_INTERVAL);
        let wake = self.setup.wake.clone();
        let mut can_be_stopped = true;
        wake.open(self.setup.server);
        let deadline = loop {
            self.start_units();
            tokio::select! {
                news = wake.news() => self.heard(news),
                Some(ended) = self.attempts.join_next() => self.ended(ended),
                Some(done) = self.units.next() => self.done(done),
                () = pause(self.paused_until) => self.paused_until = None,
                _ = poll.tick() => self.units.look(),
                _ = forget.tick() => self.units.forget(),
                stop = &mut stopped, if can_be_stopped => match stop {
                    Ok(deadline) => break deadline,
                    // The handle was dropped: nobody will ever stop it.
                    Err(_dropped) => can_be_stopped = false,
                },
            }
            // What ended meanwhile goes into the same record.
            while let Some(ended) = self.attempts.try_join_next() {
                self.ended(ended);
            }
            let room = self.lanes.room();
            if !room.is_unchanged() {
                wake.show(room);
            }
        };
        wake.close();
        self.stop(deadline).await;
    }

    /// The way down: units and attempts end, nothing new begins.
    async fn stop(mut self, deadline: Instant) {
        self.stopping = true;
        let waiting = self.lanes.take_waiting();
        self.unsent.extend(waiting);
        let cut_off = sleep_until(deadline - LAST_RECORDS);
        tokio::pin!(cut_off);
        let over = sleep_until(deadline);
        tokio::pin!(over);
        let mut cut = false;
        let wake = self.setup.wake.clone();
        loop {
            // Units of work that took a place before the stop fill it.
            self.unsent.extend(wake.take().begun);
            self.start_units();
            let idle =
                self.units.is_empty() && self.attempts.is_empty() && !wake.has_places_taken();
            if idle && self.results.is_empty() && self.unsent.is_empty() {
                return;
            }
            tokio::select! {
                () = wake.places_change() => {}
                Some(ended) = self.attempts.join_next() => self.ended(ended),
                Some(done) = self.units.next() => self.done(done),
                () = pause(self.paused_until) => self.paused_until = None,
                () = &mut cut_off, if !cut => {
                    cut = true;
                    let count = self.attempts.len();
                    if count > 0 {
                        tracing::warn!(count, "webhook attempts cut off by the stop");
                    }
                    self.cut.send_replace(true);
                }
                () = &mut over => {
                    let count = self.results.len();
                    tracing::warn!(count, "webhook results not recorded before the stop");
                    return;
                }
            }
        }
    }

    fn heard(&mut self, news: News) {
        for owner in news.due {
            self.lanes.due(owner);
        }
        for begun in news.begun {
            let owner = begun.owner;
            self.lanes.begun(owner, begun);
            self.start_attempts(owner);
        }
    }

    fn start_units(&mut self) {
        if self.paused_until.is_some() {
            return;
        }
        if !self.unsent.is_empty() && self.units.may_give_up() {
            let unsent = std::mem::take(&mut self.unsent);
            Metrics::add(&self.setup.metrics.given_up, unsent.len());
            self.units.give_up(&unsent);
        }
        while !self.results.is_empty() && self.units.may_record() {
            let count = if self.one_by_one {
                1
            } else {
                self.results.len()
            };
            self.units.record(&mut self.results, count);
        }
        while !self.stopping && self.results.len() < UNRECORDED_AT_MOST && self.units.may_claim() {
            let lanes = self.lanes.next_claim();
            if lanes.is_empty() {
                break;
            }
            self.units.claim(lanes);
        }
    }

    fn done(&mut self, done: Done) {
        match done {
            Done::Looked(Ok(owners)) => {
                for owner in owners {
                    self.lanes.due(owner);
                }
            }
            Done::Claimed(lanes, Ok(claimed)) => self.claimed(&lanes, claimed),
            Done::Claimed(lanes, Err(error)) => {
                for (owner, _) in lanes {
                    self.lanes.claim_failed(owner);
                }
                self.failed("claim", &error);
            }
            Done::Recorded(_, Ok(failed)) => {
                Metrics::add(&self.setup.metrics.failed, failed);
                self.one_by_one &= !self.results.is_empty();
            }
            Done::Recorded(results, Err(error)) => self.not_recorded(results, &error),
            Done::GaveUp(Err(error)) => self.failed("give up", &error),
            Done::Looked(Err(error)) => self.failed("look", &error),
            Done::Forgot(Err(error)) => self.failed("forget", &error),
            Done::GaveUp(Ok(())) | Done::Forgot(Ok(())) => {}
        }
    }

    fn claimed(&mut self, lanes: &[(Owner, usize)], claimed: Vec<Claimed>) {
        let mut claimed = claimed;
        claimed.sort_by_key(|one| one.owner);
        let mut claimed = claimed.into_iter().peekable();
        let mut lanes: Vec<_> = lanes.iter().map(|(owner, _)| *owner).collect();
        lanes.sort_unstable();
        for owner in lanes {
            let mut of_owner = Vec::new();
            while let Some(one) = claimed.next_if(|one| one.owner == owner) {
                of_owner.push(one);
            }
            self.lanes.claimed(owner, of_owner);
            self.start_attempts(owner);
        }
        if self.stopping {
            let waiting = self.lanes.take_waiting();
            self.unsent.extend(waiting);
        }
    }

    /// Sends what this lane has waiting, as far as it has room.
    fn start_attempts(&mut self, owner: Owner) {
        while !self.stopping
            && let Some(claimed) = self.lanes.start_next(owner)
        {
            let now = self.setup.ports.clock.now();
            let longest = self.setup.client.timeout() + LEASE_MARGIN;
            let left = claimed.lease_until.millis_since(now);
            // It could outlive its lease, and another server begin the next attempt meanwhile.
            if u128::try_from(left).unwrap_or(0) < longest.as_millis() {
                self.lanes.skipped(owner);
                self.unsent.push(claimed);
                continue;
            }
            self.setup.metrics.started(now.millis_since(claimed.due_at));
            let addressee = self.addressees.of(&claimed);
            let client = self.setup.client.clone();
            let cut = self.cut.subscribe();
            self.attempts
                .spawn(attempt::make(client, addressee, claimed, now, cut));
        }
    }

    fn ended(&mut self, ended: Result<Ended, tokio::task::JoinError>) {
        // An attempt neither panics nor is aborted: it ends with a result.
        let Ok(ended) = ended else {
            self.setup.metrics.in_flight.fetch_sub(1, Ordering::Relaxed);
            return;
        };
        let owner = ended.sent.owner;
        log(&ended);
        self.setup.metrics.ended(&ended);
        self.lanes.ended(owner, ended.accepted, ended.duration);
        self.results.push_back(ended.sent);
        self.start_attempts(owner);
    }

    /// The database being away keeps results; any other failure must be the fault of one of them.
    fn not_recorded(&mut self, results: Vec<Sent>, error: &Error) {
        self.failed("record", error);
        if let (Error::Bug(_), [one]) = (error, results.as_slice()) {
            tracing::error!(event = %one.event, number = one.number, "a webhook result cannot be recorded");
            return;
        }
        self.one_by_one = !matches!(error, Error::Unavailable(_));
        for result in results.into_iter().rev() {
            self.results.push_front(result);
        }
    }

    fn failed(&mut self, what: &'static str, error: &Error) {
        tracing::warn!(%error, "webhooks: {what} failed");
        Metrics::add(&self.setup.metrics.store_failures, 1);
        self.paused_until = Some(Instant::now() + PAUSE);
    }
}

fn log(ended: &Ended) {
    let Ended {
        sent,
        accepted,
        status,
        duration,
    } = ended;
    let (account, mode) = (sent.owner.account, sent.owner.environment.as_str());
    let (event, number) = (sent.event, sent.number);
    let duration_ms = duration.as_millis();
    if *accepted {
        tracing::debug!(%account, mode, %event, number, status, duration_ms, "webhook delivered");
    } else {
        let error = sent.answer.error.as_deref();
        tracing::info!(%account, mode, %event, number, status, error, duration_ms, "webhook not delivered");
    }
}

/// The first tick comes at once; a late one does not bring a burst after it.
fn ticks(period: Duration) -> Interval {
    let mut ticks = interval(period);
    ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    ticks
}

async fn pause(until: Option<Instant>) {
    match until {
        Some(until) => sleep_until(until).await,
        None => std::future::pending().await,
    }
}
