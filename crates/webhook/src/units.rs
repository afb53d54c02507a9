//! The dispatcher's units of work on the database, each on a blocking thread.

use std::collections::VecDeque;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use tokio::task::JoinSet;
use vintem_domain::ports::{Ports, Transact};
use vintem_domain::webhook::{self, Claimed, Sent, ServerId};
use vintem_domain::{Error, Owner, SharedPorts};

/// Two of a kind at once: one more gains nothing on SQLite, which commits them together, and keeps a second connection
/// busy on PostgreSQL.
const AT_ONCE: usize = 2;
/// Results in one record.
const RECORDED_AT_ONCE: usize = 256;
/// Owners one look finds; the next look finds the others.
const OWNERS_AT_ONCE: usize = 1_000;

/// A unit of work that is over.
pub(crate) enum Done {
    /// Who has something due.
    Looked(Result<Vec<Owner>, Error>),
    /// For whom was claimed, and what it brought.
    Claimed(Vec<(Owner, usize)>, Result<Vec<Claimed>, Error>),
    /// Results are recorded, so many of them the last of a delivery that failed for good, or come back.
    Recorded(Vec<Sent>, Result<usize, Error>),
    GaveUp(Result<(), Error>),
    Forgot(Result<(), Error>),
}

/// What runs now.
pub(crate) struct Units {
    ports: Arc<SharedPorts>,
    server: ServerId,
    running: JoinSet<Done>,
    claims: usize,
    records: usize,
    looking: bool,
    giving_up: bool,
    forgetting: bool,
}

impl Units {
    pub(crate) fn new(ports: SharedPorts, server: ServerId) -> Self {
        Self {
            ports: Arc::new(ports),
            server,
            running: JoinSet::new(),
            claims: 0,
            records: 0,
            looking: false,
            giving_up: false,
            forgetting: false,
        }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.running.is_empty()
    }

    /// The next one that is over; `None` when none is running.
    pub(crate) async fn next(&mut self) -> Option<Done> {
        loop {
            // A unit neither panics (see `guarded`) nor is cut off.
            let done = match self.running.join_next().await? {
                Ok(done) => done,
                Err(error) => {
                    tracing::error!(%error, "a unit of work was lost");
                    continue;
                }
            };
            match &done {
                Done::Looked(_) => self.looking = false,
                Done::Claimed(..) => self.claims -= 1,
                Done::Recorded(..) => self.records -= 1,
                Done::GaveUp(_) => self.giving_up = false,
                Done::Forgot(_) => self.forgetting = false,
            }
            return Some(done);
        }
    }

    pub(crate) fn may_claim(&self) -> bool {
        self.claims < AT_ONCE
    }

    pub(crate) fn may_record(&self) -> bool {
        self.records < AT_ONCE
    }

    pub(crate) fn may_give_up(&self) -> bool {
        !self.giving_up
    }

    /// Looks for what nobody told of, unless that is being done already.
    pub(crate) fn look(&mut self) {
        if self.looking {
            return;
        }
        self.looking = true;
        self.spawn(|ports, _server| {
            let now = ports.clock.now();
            let look = || {
                ports
                    .store
                    .read(|read| read.owners_with_due_deliveries(now, OWNERS_AT_ONCE))
            };
            Done::Looked(guarded(look))
        });
    }

    pub(crate) fn claim(&mut self, lanes: Vec<(Owner, usize)>) {
        self.claims += 1;
        self.spawn(move |ports, server| {
            let claimed = guarded(|| webhook::claim(ports, server, &lanes));
            Done::Claimed(lanes, claimed)
        });
    }

    /// Records the first `count` results, or as many as go into one unit of work.
    pub(crate) fn record(&mut self, results: &mut VecDeque<Sent>, count: usize) {
        let count = count.min(results.len()).min(RECORDED_AT_ONCE);
        let batch: Vec<Sent> = results.drain(..count).collect();
        self.records += 1;
        self.spawn(move |ports, server| {
            let recorded = guarded(|| webhook::record(ports, server, &batch));
            Done::Recorded(batch, recorded)
        });
    }

    pub(crate) fn give_up(&mut self, unsent: &[Claimed]) {
        let leases: Vec<_> = unsent
            .iter()
            .map(|claimed| (claimed.owner, claimed.event, claimed.number))
            .collect();
        self.giving_up = true;
        self.spawn(move |ports, server| {
            Done::GaveUp(guarded(|| webhook::give_up_leases(ports, server, &leases)))
        });
    }

    /// Removes old attempts from the log, unless that is being done already.
    pub(crate) fn forget(&mut self) {
        if self.forgetting {
            return;
        }
        self.forgetting = true;
        self.spawn(|ports, _server| {
            Done::Forgot(guarded(|| {
                while webhook::forget_old_attempts(ports)? > 0 {}
                Ok(())
            }))
        });
    }

    fn spawn(&mut self, unit: impl FnOnce(&Ports<'_>, ServerId) -> Done + Send + 'static) {
        let ports = self.ports.clone();
        let server = self.server;
        self.running
            .spawn_blocking(move || unit(&ports.ports(), server));
    }
}

/// A panic in a unit of work is an error like others: the dispatcher has to go on.
fn guarded<T>(unit: impl FnOnce() -> Result<T, Error>) -> Result<T, Error> {
    catch_unwind(AssertUnwindSafe(unit))
        .unwrap_or_else(|_panic| Err(Error::bug("a unit of work panicked")))
}
