//! Who is late when a request needs both a payment provider and the database.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use vintem_domain::Error;
use vintem_domain::error::ProviderFailure;
use vintem_domain::ports::{Read, Sharing, Store, UnitOfWork};

/// Who did not answer in time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Late {
    /// The payment provider.
    Provider,
    /// The database.
    Database,
}

impl Late {
    /// What the caller of a silent database is told.
    pub(crate) fn database() -> Error {
        Error::Unavailable("the database does not answer".into())
    }
}

impl From<Late> for Error {
    fn from(late: Late) -> Self {
        match late {
            Late::Provider => Self::Provider(ProviderFailure::Unknown),
            Late::Database => Late::database(),
        }
    }
}

/// What a piece of work waits for, and since when. Clones are the same watch.
#[derive(Clone)]
pub(crate) struct Watch {
    provider: Duration,
    database: Duration,
    waits: Arc<Mutex<Wait>>,
}

#[derive(Clone, Copy)]
struct Wait {
    of: Late,
    since: Instant,
}

impl Wait {
    fn of(of: Late) -> Self {
        Self {
            of,
            since: Instant::now(),
        }
    }
}

impl Watch {
    /// A watch that allows each of them so much time.
    pub(crate) fn new(provider: Duration, database: Duration) -> Self {
        Self {
            provider,
            database,
            waits: Arc::new(Mutex::new(Wait::of(Late::Provider))),
        }
    }

    /// How long to wait before asking again, or who has had all the time there is.
    pub(crate) fn patience(&self) -> Result<Duration, Late> {
        let Wait { of, since } = *self.wait();
        let allowed = match of {
            Late::Provider => self.provider,
            Late::Database => self.database,
        };
        match allowed.saturating_sub(since.elapsed()) {
            Duration::ZERO => Err(of),
            // The work may turn to the other one meanwhile.
            left => Ok(left.min(self.longest())),
        }
    }

    /// The longest time without a look at what the work waits for.
    pub(crate) fn longest(&self) -> Duration {
        self.database.max(Duration::from_millis(1))
    }

    /// The store of a piece of work that begins now, watched. Whatever the work does outside the store it does at the
    /// provider.
    pub(crate) fn over<'a>(&'a self, store: &'a dyn Store) -> Watched<'a> {
        *self.wait() = Wait::of(Late::Provider);
        Watched { watch: self, store }
    }

    fn wait(&self) -> MutexGuard<'_, Wait> {
        self.waits.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A store that notes when it is waited for.
pub(crate) struct Watched<'a> {
    watch: &'a Watch,
    store: &'a dyn Store,
}

/// One call of the store; its end is noted when it is dropped.
struct InStore<'a>(&'a Watch);

impl Drop for InStore<'_> {
    fn drop(&mut self) {
        *self.0.wait() = Wait::of(Late::Provider);
    }
}

impl Watched<'_> {
    fn enter(&self) -> InStore<'_> {
        *self.watch.wait() = Wait::of(Late::Database);
        InStore(self.watch)
    }
}

impl Store for Watched<'_> {
    fn run(&self, work: &mut UnitOfWork<'_>) -> Result<(), Error> {
        let _call = self.enter();
        self.store.run(work)
    }

    fn run_shared(&self, sharing: Sharing, work: &mut UnitOfWork<'_>) -> Result<(), Error> {
        let _call = self.enter();
        self.store.run_shared(sharing, work)
    }

    fn look(&self, work: &mut dyn FnMut(&mut dyn Read) -> Result<(), Error>) -> Result<(), Error> {
        let _call = self.enter();
        self.store.look(work)
    }

    fn look_at_one_moment(
        &self,
        work: &mut dyn FnMut(&mut dyn Read) -> Result<(), Error>,
    ) -> Result<(), Error> {
        let _call = self.enter();
        self.store.look_at_one_moment(work)
    }
}

#[cfg(test)]
mod tests {
    use vintem_domain::memory::MemoryStore;
    use vintem_domain::ports::Transact as _;

    use super::*;

    const NO_TIME: Duration = Duration::ZERO;
    const LONG: Duration = Duration::from_mins(1);

    #[test]
    fn the_one_that_is_waited_for_is_the_late_one() {
        let store = MemoryStore::new();
        for (provider, database) in [(NO_TIME, LONG), (LONG, NO_TIME)] {
            let watch = Watch::new(provider, database);
            let watched = watch.over(&store);
            let late_outside = watch.patience().err();
            let late_inside = watched.read(|_| Ok(watch.patience().err())).unwrap();
            let late_afterwards = watch.patience().err();
            assert_eq!(
                late_outside,
                (provider == NO_TIME).then_some(Late::Provider)
            );
            assert_eq!(late_inside, (database == NO_TIME).then_some(Late::Database));
            assert_eq!(late_afterwards, late_outside);
        }
    }

    #[test]
    fn nobody_waits_long_without_a_look_at_what_is_waited_for() {
        let watch = Watch::new(LONG, Duration::from_secs(1));
        assert_eq!(watch.patience(), Ok(Duration::from_secs(1)));
    }
}
