//! The one way in: open a database by its address.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

use vintem_domain::ports::Sharing;

use crate::conn::{Moment, Session, SessionWork};
use crate::failure::Failure;
use crate::postgres::Postgres;
use crate::readiness;
use crate::sqlite::{ServeLock, Sqlite};
use crate::stats::{PoolUse, Stats};

/// Sizes and patience of a [`Database`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Options {
    /// Read-only connections to an SQLite file.
    pub readers: u32,
    /// Connections to a PostgreSQL server.
    pub connections: u32,
    /// How long a caller waits for a free connection before it is told that the database is unavailable.
    pub connection_timeout: Duration,
    /// How long a writer waits for another process that writes to the same SQLite file.
    pub busy_timeout: Duration,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            readers: 8,
            connections: 16,
            connection_timeout: Duration::from_secs(3),
            busy_timeout: Duration::from_secs(5),
        }
    }
}

/// An open database. Cheap to share behind an `Arc`; all its methods may be called from any thread, and block.
pub struct Database {
    engine: Engine,
    stats: Arc<Stats>,
    migrated: AtomicBool,
    /// How many writes had failed for want of room when a large one last succeeded after that.
    room_after: AtomicU64,
}

enum Engine {
    Sqlite(Box<Sqlite>),
    Postgres(Box<Postgres>),
}

impl Database {
    /// Opens the database at `url`: `sqlite://PATH` (the file is created where missing), `postgres://…` or `postgresql://…`.
    ///
    /// Fails on any other scheme, on an address that cannot be reached, and on TLS this program was built without. The message never
    /// holds a password.
    pub fn open(url: &str, options: &Options) -> Result<Self, Failure> {
        let stats = Arc::new(Stats::default());
        let engine = match url.split_once("://") {
            Some(("sqlite", path)) => {
                let path = sqlite_path(path)?;
                Engine::Sqlite(Box::new(Sqlite::open(&path, options, Arc::clone(&stats))?))
            }
            Some(("postgres" | "postgresql", _)) => {
                Engine::Postgres(Box::new(Postgres::open(url, options, Arc::clone(&stats))?))
            }
            Some((scheme, _)) => {
                return Err(Failure::setting(format!(
                    "unknown database address {scheme}://…: use sqlite://PATH or postgres://…"
                )));
            }
            None => {
                return Err(Failure::setting(
                    "a database address has the form sqlite://PATH or postgres://…",
                ));
            }
        };
        Ok(Self {
            engine,
            stats,
            migrated: AtomicBool::new(false),
            room_after: AtomicU64::new(0),
        })
    }

    /// Brings the schema up to date; does nothing when it is. Processes that start together do it one after the other.
    pub fn migrate(&self) -> Result<(), Failure> {
        match &self.engine {
            Engine::Sqlite(sqlite) => sqlite.migrate(),
            Engine::Postgres(postgres) => postgres.migrate(),
        }
    }

    /// Fails unless the database takes writes and has the schema this program was built for.
    ///
    /// It writes, because a database on a full disk still reads well. After a write that found no room it takes a large one to be ready
    /// again: a small one may fit where payments do not.
    pub fn check_ready(&self) -> Result<(), Failure> {
        if !self.migrated.load(Ordering::Relaxed) {
            let migrated = match &self.engine {
                Engine::Sqlite(sqlite) => sqlite.is_migrated()?,
                Engine::Postgres(postgres) => postgres.is_migrated()?,
            };
            if !migrated {
                return Err(Failure::setting("the database has migrations to come"));
            }
            self.migrated.store(true, Ordering::Relaxed);
        }
        let without_room = self.stats.disk_full.load(Ordering::Relaxed);
        if without_room != self.room_after.load(Ordering::Relaxed) {
            self.transact(&mut readiness::fill)?;
            self.transact(&mut readiness::empty)?;
            self.room_after.store(without_room, Ordering::Relaxed);
        }
        self.transact(&mut readiness::probe)
    }

    /// Writes a consistent copy of the embedded database into the new file `to`, also while it is served.
    ///
    /// Fails when `to` exists, and on PostgreSQL, which has its own tools for that.
    pub fn backup(&self, to: &Path) -> Result<(), Failure> {
        match &self.engine {
            Engine::Sqlite(sqlite) => sqlite.backup(to),
            Engine::Postgres(_) => Err(Failure::setting(
                "only the embedded database is backed up by this command; use pg_dump for PostgreSQL",
            )),
        }
    }

    /// Claims the database for one server, as long as the lock is held. `None` on PostgreSQL, which many servers may share.
    ///
    /// Fails when another process serves the same SQLite file.
    pub fn serve_lock(&self) -> Result<Option<ServeLock>, Failure> {
        match &self.engine {
            Engine::Sqlite(sqlite) => ServeLock::acquire(sqlite.path()).map(Some),
            Engine::Postgres(_) => Ok(None),
        }
    }

    /// What the database has done since it was opened.
    pub fn stats(&self) -> &Stats {
        &self.stats
    }

    /// How the connection pool is used, now (on SQLite: the readers).
    pub fn pool_use(&self) -> PoolUse {
        match &self.engine {
            Engine::Sqlite(sqlite) => sqlite.pool_use(),
            Engine::Postgres(postgres) => postgres.pool_use(),
        }
    }

    /// Units of work waiting for the SQLite writer, now.
    pub fn queue(&self) -> usize {
        match &self.engine {
            Engine::Sqlite(sqlite) => sqlite.queue(),
            Engine::Postgres(_) => 0,
        }
    }

    /// `sqlite` or `postgres`.
    pub fn kind(&self) -> &'static str {
        match &self.engine {
            Engine::Sqlite(_) => "sqlite",
            Engine::Postgres(_) => "postgres",
        }
    }

    /// Runs one unit of work.
    pub(crate) fn transact<E: From<Failure> + Send>(
        &self,
        work: &mut SessionWork<'_, E>,
    ) -> Result<(), E> {
        match &self.engine {
            Engine::Sqlite(sqlite) => sqlite.run(work),
            Engine::Postgres(postgres) => postgres.run(work),
        }
    }

    /// Runs one unit of work that may share its transaction. On SQLite all of them do.
    pub(crate) fn transact_shared<E: From<Failure> + Send>(
        &self,
        sharing: Sharing,
        work: &mut SessionWork<'_, E>,
    ) -> Result<(), E> {
        match &self.engine {
            Engine::Sqlite(sqlite) => sqlite.run(work),
            Engine::Postgres(postgres) => postgres.run_shared(sharing, work),
        }
    }

    /// Runs one read.
    pub(crate) fn read<T, E: From<Failure>>(
        &self,
        moment: Moment,
        work: &mut dyn FnMut(&mut Session<'_>) -> Result<T, E>,
    ) -> Result<T, E> {
        match &self.engine {
            Engine::Sqlite(sqlite) => sqlite.read(moment, work),
            Engine::Postgres(postgres) => postgres.read(moment, work),
        }
    }
}

fn sqlite_path(path: &str) -> Result<PathBuf, Failure> {
    if path.is_empty()
        || path.ends_with('/')
        || path.contains(['?', '#'])
        || path.contains(":memory:")
    {
        return Err(Failure::setting(
            "sqlite:// is followed by the path of a file, as in sqlite://data/vintem.db",
        ));
    }
    Ok(PathBuf::from(path))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::failure::Kind;

    #[test]
    fn an_address_of_another_kind_is_refused_and_nothing_created() {
        for url in [
            "mysql://user:s3cr3t@host/db",
            "data/vintem.db",
            "sqlite://",
            "sqlite://:memory:",
            "sqlite://data/",
            "",
        ] {
            let failure = Database::open(url, &Options::default()).err().unwrap();
            assert_eq!(failure.kind(), Kind::Setting, "{url}");
            assert!(!failure.to_string().contains("s3cr3t"));
        }
    }
}
