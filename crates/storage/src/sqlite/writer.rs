//! The one writer of an SQLite file, with group commit.
//!
//! Concurrent units of work run one after another in one transaction and share its fsync. They run on one thread, so that none of them
//! waits until its caller's thread is awake; the callers only wait for the commit, so closures may borrow. Who comes alone runs on its
//! own thread at once. Whoever finds nobody waiting behind it commits for all. No transaction stays open between batches, so that another
//! process gets its turn.
//!
//! A savepoint for each would cost a copy of every page it touches. So there is none at first: when one of them fails, all are rolled
//! back and run again, and for a while each runs in a savepoint that is rolled back alone. When the disk fails, all are told so.

use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use diesel::RunQueryDsl;
use diesel::connection::SimpleConnection;
use diesel::sql_types::Untyped;
use diesel::sqlite::SqliteConnection;
use rayon_core::{ThreadPool, ThreadPoolBuilder, Yield};
use tracing::Span;

use super::batch::{Batch, End, Fate};
use super::checkpoint::Checkpoints;
use super::settings::open_writer;
use super::turnstile::Turnstile;
use crate::commit::lock;
use crate::conn::{Conn, Session, SessionWork};
use crate::failure::{Failure, Kind};
use crate::kept::{Written, WrittenQuery};
use crate::stats::{Stats, add};

/// The most units of work that share one commit: while it is flushed, requests behind them are read and those before them answered.
const LARGEST_BATCH: u64 = 32;
/// How many units of work run in savepoints after one of a batch has failed.
const CAREFUL: u64 = 1_000;
/// Bytes of the writer's stack, on which the units of work of a batch lie upon each other. What is not used takes no memory.
const STACK: usize = 16 << 20;

/// See the module's documentation.
pub(super) struct Writer {
    slot: Mutex<Slot>,
    /// Units of work that are about to take the lock. Each of them will look at this number again, so whoever leaves a batch open knows
    /// that somebody comes to close it.
    waiting: AtomicUsize,
    /// Units of work that have come and not left again: while one is on the writer's thread nobody new is alone, so only so many lie
    /// upon each other there as a batch takes.
    callers: AtomicUsize,
    /// Where they run when there are several.
    thread: ThreadPool,
}

/// A caller, for as long as its unit of work takes.
struct Present<'a> {
    callers: &'a AtomicUsize,
    alone: bool,
}

impl<'a> Present<'a> {
    fn among(callers: &'a AtomicUsize) -> Self {
        Self {
            alone: callers.fetch_add(1, Ordering::SeqCst) == 0,
            callers,
        }
    }
}

impl Drop for Present<'_> {
    fn drop(&mut self) {
        self.callers.fetch_sub(1, Ordering::SeqCst);
    }
}

/// What the lock protects.
struct Slot {
    path: PathBuf,
    busy: Duration,
    turnstile: Turnstile,
    /// `None` after a failure that left its state unknown; opened again when next needed.
    connection: Option<SqliteConnection>,
    batch: Option<Batch>,
    /// How many units of work are still to run in savepoints.
    careful: u64,
    /// When and why the last attempt to begin failed: those who already queued then get the same answer instead of waiting in turn.
    refused: Option<(Instant, Failure)>,
    checkpoints: Checkpoints,
    stats: Arc<Stats>,
}

/// What became of one closure.
type Answer<E> = std::thread::Result<Result<(), E>>;

impl Writer {
    /// Opens the file, creating it where it is missing.
    pub(super) fn open(path: PathBuf, busy: Duration, stats: Arc<Stats>) -> Result<Self, Failure> {
        let connection = open_writer(&path, busy)?;
        let turnstile = Turnstile::open(&path, busy)?;
        let thread = ThreadPoolBuilder::new()
            .num_threads(1)
            .thread_name(|_| "vintem-writer".to_owned())
            .stack_size(STACK)
            .build()
            .map_err(|error| {
                Failure::new(Kind::Setting, format!("the writer's thread: {error}"))
            })?;
        Ok(Self {
            slot: Mutex::new(Slot {
                checkpoints: Checkpoints::start(path.clone())?,
                path,
                busy,
                turnstile,
                connection: Some(connection),
                batch: None,
                careful: 0,
                refused: None,
                stats,
            }),
            waiting: AtomicUsize::new(0),
            callers: AtomicUsize::new(0),
            thread,
        })
    }

    /// Runs one unit of work and returns once its commit is on the disk, or has failed.
    ///
    /// An answer of the closure that is an error also waits for the commit: it may rest on what others of the batch wrote.
    /// A panic of the closure is resumed here, after what it wrote was rolled back.
    pub(super) fn run<E: From<Failure> + Send>(
        &self,
        work: &mut SessionWork<'_, E>,
    ) -> Result<(), E> {
        loop {
            let (answer, commit) = self.take_turn(work)?;
            let answer = answer.unwrap_or_else(|panic| resume_unwind(panic));
            match commit.wait() {
                Fate::Over => return answer,
                Fate::Lost(failure) => return Err(failure.into()),
                Fate::Undone => add(&lock(&self.slot).stats.units_retried),
            }
        }
    }

    /// Runs `work` when its turn comes, on the writer's thread unless it comes alone.
    fn take_turn<E: From<Failure> + Send>(
        &self,
        work: &mut SessionWork<'_, E>,
    ) -> Result<(Answer<E>, Arc<End>), Failure> {
        let arrived = Instant::now();
        self.waiting.fetch_add(1, Ordering::SeqCst);
        let present = Present::among(&self.callers);
        if present.alone {
            let ran = self.unit(arrived, work);
            self.close_unless_awaited();
            return ran;
        }
        let span = Span::current();
        self.thread.install(|| {
            let ran = span.in_scope(|| self.unit(arrived, work));
            self.go_on();
            ran
        })
    }

    /// Runs `work` in the open batch.
    fn unit<E: From<Failure>>(
        &self,
        arrived: Instant,
        work: &mut SessionWork<'_, E>,
    ) -> Result<(Answer<E>, Arc<End>), Failure> {
        let mut slot = lock(&self.slot);
        self.waiting.fetch_sub(1, Ordering::SeqCst);
        slot.unit(arrived, work)
    }

    /// On the writer's thread, after a unit of work: while its batch is open, runs the next one, which ends in here again. So the batch
    /// is closed before its members are told, and each of them wakes up once. Who is waiting but has not come yet closes it instead.
    ///
    /// Before it commits it makes way once for those who are about to come: it is not alone.
    fn go_on(&self) {
        if self.waiting.load(Ordering::SeqCst) == 0 {
            std::thread::yield_now();
        }
        while self.close_unless_awaited()
            && matches!(rayon_core::yield_now(), Some(Yield::Executed))
        {}
    }

    /// Commits the open batch if it is full or nobody is waiting; says whether one is still open.
    fn close_unless_awaited(&self) -> bool {
        let mut slot = lock(&self.slot);
        if self.waiting.load(Ordering::SeqCst) == 0 || slot.is_full() {
            slot.commit();
        }
        slot.batch.is_some()
    }

    /// Callers waiting for their turn, now.
    pub(super) fn queue(&self) -> usize {
        self.waiting.load(Ordering::Relaxed)
    }

    /// Lets a test prepare tables and failures.
    #[cfg(test)]
    pub(super) fn with_connection(&self, change: impl FnOnce(&mut SqliteConnection)) {
        if let Some(connection) = &mut lock(&self.slot).connection {
            change(connection);
        }
    }

    #[cfg(test)]
    pub(super) fn stats(&self) -> Arc<Stats> {
        Arc::clone(&lock(&self.slot).stats)
    }
}

impl Slot {
    /// Runs `work` in the open batch, or in a new one.
    fn unit<E: From<Failure>>(
        &mut self,
        arrived: Instant,
        work: &mut SessionWork<'_, E>,
    ) -> Result<(Answer<E>, Arc<End>), Failure> {
        let mut batch = match self.batch.take() {
            Some(batch) => batch,
            None => self.begin(arrived)?,
        };
        let commit = Arc::clone(&batch.commit);
        batch.units += 1;
        add(&self.stats.units);
        let Some(connection) = &mut self.connection else {
            let failure = Failure::new(Kind::Broken, "a batch without a connection");
            self.end(&batch, Fate::Lost(failure.clone()));
            return Err(failure);
        };
        let (answer, state) = if self.careful > 0 {
            self.careful -= 1;
            within_savepoint(connection, &self.stats, work)
        } else {
            plainly(connection, &self.stats, work)
        };
        let undone = matches!(state, State::Spoilt) && batch.units > 1;
        if !undone && !matches!(answer, Ok(Ok(()))) {
            add(&self.stats.units_rolled_back);
        }
        match state {
            State::Sound => self.batch = Some(batch),
            State::Spoilt if undone => {
                self.careful = CAREFUL;
                self.end(&batch, Fate::Undone);
            }
            // What it saw was its own alone: its answer stands.
            State::Spoilt => self.end(&batch, Fate::Over),
            State::Gone(failure) => self.end(&batch, Fate::Lost(failure)),
        }
        Ok((answer, commit))
    }

    /// Begins a transaction that holds the write lock from the start: one that first read and then wrote could fail at once.
    fn begin(&mut self, arrived: Instant) -> Result<Batch, Failure> {
        if let Some((at, failure)) = &self.refused
            && arrived < *at
        {
            return Err(failure.clone());
        }
        let begun = self.try_begin();
        self.refused = begun
            .as_ref()
            .err()
            .map(|failure| (Instant::now(), failure.clone()));
        begun
    }

    fn try_begin(&mut self) -> Result<Batch, Failure> {
        let _turn = self.turnstile.enter();
        let connection = match &mut self.connection {
            Some(connection) => connection,
            closed @ None => closed.insert(open_writer(&self.path, self.busy)?),
        };
        connection.batch_execute("BEGIN IMMEDIATE")?;
        Ok(Batch::default())
    }

    fn is_full(&self) -> bool {
        self.batch
            .as_ref()
            .is_some_and(|batch| batch.units >= LARGEST_BATCH)
    }

    /// Commits the open batch, if there is one, and tells its members.
    fn commit(&mut self) {
        let (Some(batch), Some(connection)) = (self.batch.take(), &mut self.connection) else {
            return;
        };
        match connection.batch_execute("COMMIT") {
            Ok(()) => {
                self.stats.batch(batch.units, true);
                self.checkpoints.committed(batch.units);
                batch.commit.finish(Fate::Over);
            }
            Err(error) => {
                let failure = Failure::from(error);
                self.stats.failed(&failure);
                self.end(&batch, Fate::Lost(failure));
            }
        }
    }

    /// Rolls a transaction back and tells its members. The next batch starts clean.
    fn end(&mut self, batch: &Batch, fate: Fate) {
        // SQLite itself has already rolled back after some errors (a full disk), and then says so; after any other answer the
        // connection is not to be trusted any more.
        if let Some(connection) = &mut self.connection
            && let Err(error) = connection.batch_execute("ROLLBACK")
            && !error.to_string().contains("no transaction is active")
        {
            self.connection = None;
        }
        batch.commit.finish(fate.clone());
        if let Fate::Lost(failure) = fate {
            self.stats.batch(batch.units, false);
            tracing::error!(units = batch.units, %failure, "a shared transaction was lost");
        }
    }
}

/// What a unit of work left of its transaction.
enum State {
    /// What it wrote is part of it, or nothing of it is.
    Sound,
    /// What it wrote is part of it and must not be.
    Spoilt,
    /// The transaction is gone.
    Gone(Failure),
}

/// Begins a unit of work; prepared once, like what ends it.
struct Savepoint;

impl WrittenQuery for Savepoint {
    const SQL: &'static str = "SAVEPOINT unit";

    type SqlType = Untyped;
}

/// Makes a unit of work part of its batch.
struct Release;

impl WrittenQuery for Release {
    const SQL: &'static str = "RELEASE unit";

    type SqlType = Untyped;
}

/// Runs `work` inside a savepoint.
fn within_savepoint<E: From<Failure>>(
    connection: &mut SqliteConnection,
    counters: &Stats,
    work: &mut SessionWork<'_, E>,
) -> (Answer<E>, State) {
    if let Err(error) = Written::<Savepoint, 0>::new([]).execute(connection) {
        let failure = Failure::from(error);
        counters.failed(&failure);
        return (Ok(Err(failure.clone().into())), State::Gone(failure));
    }
    let (answer, failure) = attempt(connection, counters, work);
    let ended = match &answer {
        Ok(Ok(())) => Written::<Release, 0>::new([]).execute(connection).map(drop),
        _ => connection.batch_execute("ROLLBACK TO unit; RELEASE unit"),
    };
    let state = ended.map_or_else(
        |error| State::Gone(failure.unwrap_or_else(|| error.into())),
        |()| State::Sound,
    );
    (answer, state)
}

/// Runs `work` in the transaction itself.
fn plainly<E: From<Failure>>(
    connection: &mut SqliteConnection,
    counters: &Stats,
    work: &mut SessionWork<'_, E>,
) -> (Answer<E>, State) {
    let (answer, failure) = attempt(connection, counters, work);
    let state = match (&answer, failure) {
        (Ok(Ok(())), _) => State::Sound,
        // SQLite may have rolled the transaction back by itself, and another try would meet the same.
        (_, Some(failure)) if failure.is_passing() => State::Gone(failure),
        _ => State::Spoilt,
    };
    (answer, state)
}

/// Runs `work`. An answer that hides a failed statement is that statement's failure.
fn attempt<E: From<Failure>>(
    connection: &mut SqliteConnection,
    counters: &Stats,
    work: &mut SessionWork<'_, E>,
) -> (Answer<E>, Option<Failure>) {
    let mut session = Session::new(Conn::Sqlite(connection));
    let answer = catch_unwind(AssertUnwindSafe(|| work(&mut session)));
    let failure = session.into_failure();
    if let Some(failure) = &failure {
        counters.failed(failure);
    }
    let answer = match (answer, &failure) {
        (Ok(Ok(())), Some(failure)) => Ok(Err(failure.clone().into())),
        (answer, _) => answer,
    };
    (answer, failure)
}

#[cfg(test)]
mod tests;
