//! The embedded database: one file, one writer with group commit, a pool of readers.

mod backup;
mod batch;
mod lock;
mod readers;
mod settings;
mod turnstile;
mod writer;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use diesel_migrations::{EmbeddedMigrations, MigrationHarness, embed_migrations};

pub use lock::ServeLock;

use crate::conn::{Moment, Session, SessionWork};
use crate::database::Options;
use crate::failure::{Failure, Kind};
use crate::stats::{PoolUse, Stats};
use readers::Readers;
use turnstile::Turnstile;
use writer::Writer;

const MIGRATIONS: EmbeddedMigrations = embed_migrations!("../../migrations/sqlite");

/// An open database file.
pub(crate) struct Sqlite {
    path: PathBuf,
    options: Options,
    writer: Writer,
    readers: Readers,
}

impl Sqlite {
    /// Opens `path`, creating it where it is missing.
    pub(crate) fn open(
        path: PathBuf,
        options: &Options,
        stats: Arc<Stats>,
    ) -> Result<Self, Failure> {
        Ok(Self {
            writer: Writer::open(path.clone(), options.busy_timeout, stats)?,
            readers: Readers::open(
                &path,
                options.readers,
                options.connection_timeout,
                options.busy_timeout,
            )?,
            options: options.clone(),
            path,
        })
    }

    /// The database file.
    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// Runs one unit of work.
    pub(crate) fn run<E: From<Failure> + Send>(
        &self,
        work: &mut SessionWork<'_, E>,
    ) -> Result<(), E> {
        self.writer.run(work)
    }

    /// Runs one read.
    pub(crate) fn read<T, E: From<Failure>>(
        &self,
        moment: Moment,
        work: &mut dyn FnMut(&mut Session<'_>) -> Result<T, E>,
    ) -> Result<T, E> {
        self.readers.run(moment, work)
    }

    /// Brings the schema up to date. Processes that start together do it one after the other.
    pub(crate) fn migrate(&self) -> Result<(), Failure> {
        let mut connection = settings::open_writer(&self.path, self.options.busy_timeout)?;
        let failed = |error: Box<dyn std::error::Error + Send + Sync>| {
            Failure::new(Kind::Broken, format!("migration: {error}"))
        };
        if !connection
            .has_pending_migration(MIGRATIONS)
            .map_err(failed)?
        {
            return Ok(());
        }
        let turnstile = Turnstile::open(&self.path, self.options.busy_timeout)?;
        let _turn = turnstile.enter_alone()?;
        connection
            .run_pending_migrations(MIGRATIONS)
            .map(drop)
            .map_err(failed)
    }

    /// Whether the schema is the one this program was built for.
    pub(crate) fn is_migrated(&self) -> Result<bool, Failure> {
        let mut connection = settings::establish(&self.path)?;
        connection
            .has_pending_migration(MIGRATIONS)
            .map(|pending| !pending)
            .map_err(|error| Failure::new(Kind::Broken, error.to_string()))
    }

    /// Copies the database into a new file while it is in use.
    pub(crate) fn backup(&self, to: &Path) -> Result<(), Failure> {
        backup::backup(&self.path, to)
    }

    /// How the readers are used, now.
    pub(crate) fn pool_use(&self) -> PoolUse {
        self.readers.pool_use()
    }

    /// Units of work waiting for the writer, now.
    pub(crate) fn queue(&self) -> usize {
        self.writer.queue()
    }
}
