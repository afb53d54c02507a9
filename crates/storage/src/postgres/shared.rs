//! Units of work that share a transaction on PostgreSQL, and with it the round trips and the flush of a commit.
//!
//! Whoever finds nobody waiting behind it commits for all; a lone unit of work waits for nobody. There are no savepoints: when one member
//! fails, all of them are rolled back and each runs again in a transaction of its own. Only those share that would wait for
//! each other anyway, for their owner's head, and those that only make new rows. Two servers may still meet in a deadlock; then one of the
//! two batches is rolled back, and its members run again alone.

use std::collections::HashMap;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Instant;

use r2d2::PooledConnection;
use vintem_domain::Owner;
use vintem_domain::ports::Sharing;

use super::Postgres;
use super::pool::Opener;
use crate::commit::{Commit, lock};
use crate::conn::{Conn, Session, SessionWork};
use crate::failure::{Failure, Kind};
use crate::stats::add;

/// The most units of work that share one commit: nobody waits longer for the others than a commit takes, or a few.
const LARGEST_BATCH: u64 = 32;
/// How many transactions of new rows are open at the same time.
const OF_NEW_ROWS: u64 = 2;

/// Who shares with whom.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Company {
    Of(Owner),
    NewRows(u64),
}

impl From<Sharing> for Company {
    fn from(sharing: Sharing) -> Self {
        match sharing {
            Sharing::Owner(owner) => Self::Of(owner),
            Sharing::NewRows(number) => Self::NewRows(number % OF_NEW_ROWS),
        }
    }
}

/// Where each company meets.
#[derive(Default)]
pub(super) struct Tables(Mutex<HashMap<Company, Arc<Table>>>);

#[derive(Default)]
struct Table {
    /// Callers that are about to take the lock. Each of them will look at this number again, so whoever leaves a batch open knows that
    /// somebody comes to close it.
    waiting: AtomicUsize,
    open: Mutex<Open>,
}

#[derive(Default)]
struct Open {
    batch: Option<Batch>,
    /// When and why the last attempt to begin failed: those who already queued then get the same answer instead of waiting in turn.
    refused: Option<(Instant, Failure)>,
}

/// An open transaction. Whoever waits for its commit is told when it is dropped without one.
struct Batch {
    link: PooledConnection<Opener>,
    units: u64,
    commit: Arc<Commit<Fate>>,
}

impl Drop for Batch {
    fn drop(&mut self) {
        let lost = Failure::new(Kind::Broken, "a shared transaction was never ended");
        self.commit.finish(Fate::Lost(lost));
    }
}

/// How a shared transaction ended.
#[derive(Clone)]
enum Fate {
    Committed,
    /// Nothing was written, and each member may run again by itself.
    RolledBack,
    /// Whether it was written is not known.
    Lost(Failure),
}

/// What became of one unit of work.
enum Joined<E> {
    /// It ran, and ends as its batch does.
    Ran(Arc<Commit<Fate>>),
    /// It was the only member and is over.
    Over(Result<(), E>),
    /// It is to run by itself.
    Again,
}

impl Tables {
    fn table(&self, company: Company) -> Arc<Table> {
        Arc::clone(lock(&self.0).entry(company).or_default())
    }

    /// Forgets the table unless somebody else is at it.
    fn leave(&self, company: Company, table: Arc<Table>) {
        let mut tables = lock(&self.0);
        drop(table);
        if let Some(table) = tables.get(&company)
            && Arc::strong_count(table) == 1
        {
            tables.remove(&company);
        }
    }
}

impl Postgres {
    /// Runs one unit of work, perhaps together with others, and returns once it is committed.
    pub(crate) fn run_shared<E: From<Failure> + Send>(
        &self,
        sharing: Sharing,
        work: &mut SessionWork<'_, E>,
    ) -> Result<(), E> {
        let company = Company::from(sharing);
        let table = self.tables.table(company);
        let joined = catch_unwind(AssertUnwindSafe(|| self.join(&table, work)));
        self.tables.leave(company, table);
        match joined {
            Err(panic) => resume_unwind(panic),
            Ok(Err(failure)) => return Err(failure.into()),
            Ok(Ok(Joined::Over(answer))) => return answer,
            Ok(Ok(Joined::Ran(commit))) => match commit.wait() {
                Fate::Committed => return Ok(()),
                Fate::Lost(failure) => return Err(failure.into()),
                Fate::RolledBack => {}
            },
            Ok(Ok(Joined::Again)) => {}
        }
        add(&self.stats.units_retried);
        self.run(work)
    }

    /// Runs `work` in the open transaction of its company, or in a new one.
    fn join<E: From<Failure> + Send>(
        &self,
        table: &Table,
        work: &mut SessionWork<'_, E>,
    ) -> Result<Joined<E>, Failure> {
        let arrived = Instant::now();
        table.waiting.fetch_add(1, Ordering::SeqCst);
        let mut open = lock(&table.open);
        table.waiting.fetch_sub(1, Ordering::SeqCst);
        let mut batch = match open.batch.take() {
            Some(batch) => batch,
            None => self.batch(&mut open, arrived)?,
        };
        add(&self.stats.units);
        let mut session = Session::new(Conn::Postgres(&mut batch.link.connection));
        let answer = catch_unwind(AssertUnwindSafe(|| work(&mut session)));
        let failure = session.into_failure();
        if let (Ok(Ok(())), None) = (&answer, &failure) {
            batch.units += 1;
            let commit = Arc::clone(&batch.commit);
            if table.waiting.load(Ordering::SeqCst) == 0 || batch.units >= LARGEST_BATCH {
                self.close(batch);
            } else {
                open.batch = Some(batch);
            }
            return Ok(Joined::Ran(commit));
        }
        add(&self.stats.units_rolled_back);
        if let Some(failure) = &failure {
            self.stats.failed(failure);
        }
        // A connection that cannot roll back is marked broken and dropped, which rolls back as well.
        batch.link.control("ROLLBACK").ok();
        batch.commit.finish(Fate::RolledBack);
        drop(open);
        match (answer, failure) {
            (Err(panic), _) => resume_unwind(panic),
            // What it saw may have been another member's, which is gone now.
            (Ok(_), _) if batch.units > 0 => Ok(Joined::Again),
            (Ok(_), Some(failure)) if failure.kind() == Kind::Conflict => Ok(Joined::Again),
            (Ok(Ok(())), Some(failure)) => Err(failure),
            (Ok(answer), _) => Ok(Joined::Over(answer)),
        }
    }

    /// A new transaction, for somebody who arrived then.
    fn batch(&self, open: &mut Open, arrived: Instant) -> Result<Batch, Failure> {
        if let Some((at, failure)) = &open.refused
            && arrived < *at
        {
            return Err(failure.clone());
        }
        let begun = self.begin("BEGIN");
        open.refused = begun
            .as_ref()
            .err()
            .map(|failure| (Instant::now(), failure.clone()));
        Ok(Batch {
            link: begun?,
            units: 0,
            commit: Arc::default(),
        })
    }

    /// Commits, and tells the members.
    fn close(&self, mut batch: Batch) {
        let answer = batch.link.control("COMMIT").map_err(Failure::from);
        self.stats.batch(batch.units, answer.is_ok());
        batch.commit.finish(match answer {
            Ok(()) => Fate::Committed,
            Err(failure) if failure.kind() == Kind::Conflict => Fate::RolledBack,
            Err(failure) => {
                self.stats.failed(&failure);
                Fate::Lost(failure)
            }
        });
    }
}
