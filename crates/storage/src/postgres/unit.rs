//! Units of work and reads on PostgreSQL: one transaction each, run again where that is safe and helps.

use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::atomic::Ordering;
use std::time::Duration;

use r2d2::PooledConnection;

use super::Postgres;
use super::pool::{Link, Opener};
use crate::conn::{Conn, Moment, Session, SessionWork};
use crate::failure::{Failure, Kind};
use crate::stats::add;

/// How often a unit of work that met another one is tried in all.
const ATTEMPTS: u32 = 8;
/// How long it waits before its second attempt; before each further one twice as long.
///
/// Little beside the second in which PostgreSQL finds a deadlock, and enough for the other one to wake up: the lock it waited for goes to
/// whoever asks first, and an attempt that takes it away meets the other one again.
const PAUSE: Duration = Duration::from_millis(20);

/// How one attempt ended.
enum Ended<E> {
    With(Result<(), E>),
    /// Nothing was written, because another unit of work was in the way.
    InConflict(Failure),
}

impl Postgres {
    /// Runs one unit of work and returns once it is committed.
    pub(crate) fn run<E: From<Failure> + Send>(
        &self,
        work: &mut SessionWork<'_, E>,
    ) -> Result<(), E> {
        let mut attempt = 1;
        loop {
            match self.attempt(work)? {
                Ended::With(answer) => return answer,
                Ended::InConflict(failure) if attempt == ATTEMPTS => return Err(failure.into()),
                Ended::InConflict(_) => {
                    self.stats.units_retried.fetch_add(1, Ordering::Relaxed);
                    std::thread::sleep(PAUSE * (1 << (attempt - 1)));
                    attempt += 1;
                }
            }
        }
    }

    fn attempt<E: From<Failure> + Send>(
        &self,
        work: &mut SessionWork<'_, E>,
    ) -> Result<Ended<E>, Failure> {
        let mut link = self.begin("BEGIN")?;
        add(&self.stats.units);
        let mut session = Session::new(Conn::Postgres(&mut link.connection));
        let answer = catch_unwind(AssertUnwindSafe(|| work(&mut session)));
        let failure = session.into_failure();
        if let (Ok(Ok(())), None) = (&answer, &failure) {
            return self.commit(&mut link);
        }
        add(&self.stats.units_rolled_back);
        if let Some(failure) = &failure {
            self.stats.failed(failure);
        }
        // A connection that cannot roll back is marked broken and dropped, which rolls back as well.
        link.control("ROLLBACK").ok();
        match (answer, failure) {
            (Err(panic), _) => resume_unwind(panic),
            (_, Some(failure)) if failure.kind() == Kind::Conflict => {
                Ok(Ended::InConflict(failure))
            }
            (Ok(Ok(())), Some(failure)) => Err(failure),
            (Ok(answer), _) => Ok(Ended::With(answer)),
        }
    }

    /// A connection in a new transaction.
    ///
    /// A connection of the pool may have died while it was idle. That shows at `BEGIN`, when nothing was executed yet, so the next one
    /// is tried; as many as the pool can hold, because a restarted server has closed them all.
    pub(super) fn begin(&self, statement: &str) -> Result<PooledConnection<Opener>, Failure> {
        let mut tries = self.pool.max_size();
        loop {
            let mut link = self.connection()?;
            match link.control(statement) {
                Ok(()) => return Ok(link),
                Err(error) if tries == 0 => return Err(error.into()),
                Err(_) => tries -= 1,
            }
        }
    }

    fn commit<E>(&self, link: &mut Link) -> Result<Ended<E>, Failure> {
        let answer = link.control("COMMIT").map_err(Failure::from);
        self.stats.batch(1, answer.is_ok());
        match answer {
            Ok(()) => Ok(Ended::With(Ok(()))),
            Err(failure) if failure.kind() == Kind::Conflict => Ok(Ended::InConflict(failure)),
            Err(failure) => {
                self.stats.failed(&failure);
                Err(failure)
            }
        }
    }

    /// Runs one read, again on the next connection where one turns out to be dead.
    pub(crate) fn read<T, E: From<Failure>>(
        &self,
        moment: Moment,
        work: &mut dyn FnMut(&mut Session<'_>) -> Result<T, E>,
    ) -> Result<T, E> {
        let mut tries = self.pool.max_size();
        loop {
            let mut link = match moment {
                Moment::Each => self.connection()?,
                Moment::Same => self.begin("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY")?,
            };
            let mut session = Session::new(Conn::Postgres(&mut link.connection));
            let answer = work(&mut session);
            let lost = session
                .into_failure()
                .is_some_and(|failure| failure.kind() == Kind::Unreachable);
            link.broken |= lost;
            if moment == Moment::Same {
                // A connection that cannot end its transaction is marked broken and dropped.
                link.control("ROLLBACK").ok();
            }
            if !lost || tries == 0 {
                return answer;
            }
            tries -= 1;
        }
    }

    fn connection(&self) -> Result<PooledConnection<Opener>, Failure> {
        self.pool
            .get()
            .map_err(|error| Failure::unreachable(format!("no database connection: {error}")))
    }
}
