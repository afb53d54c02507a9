//! The embedded database: one file, one writer with group commit, a pool of readers.

mod backup;
mod batch;
mod checkpoint;
mod lock;
mod readers;
mod settings;
mod turnstile;
mod writer;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use diesel::dsl::sql;
use diesel::sql_types::{Bool, Text};
use diesel::sqlite::SqliteConnection;
use diesel::{RunQueryDsl, select, sql_query};
use diesel_migrations::{EmbeddedMigrations, MigrationHarness, embed_migrations};

pub use lock::ServeLock;

use crate::conn::{Moment, Session, SessionWork};
use crate::database::Options;
use crate::failure::Failure;
use crate::migrations::{self, Schema};
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
    /// Opens `path`, creating it where it is missing. Links are followed once, here.
    pub(crate) fn open(path: &Path, options: &Options, stats: Arc<Stats>) -> Result<Self, Failure> {
        let path = settings::resolve(path)?;
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
        if self.is_migrated()? {
            return Ok(());
        }
        let mut connection = settings::open_writer(&self.path, self.options.busy_timeout)?;
        let turnstile = Turnstile::open(&self.path, self.options.busy_timeout)?;
        let _turn = turnstile.enter_alone()?;
        // Whoever was there before may have been a newer version.
        if schema(&mut connection)? == Schema::Current {
            return Ok(());
        }
        connection
            .run_pending_migrations(MIGRATIONS)
            .map(drop)
            .map_err(|error| migrations::failed(&*error))
    }

    /// Whether the schema is the one this program was built for; fails when it is a newer one. It only reads.
    pub(crate) fn is_migrated(&self) -> Result<bool, Failure> {
        let mut connection = settings::establish(&self.path)?;
        settings::make_reader(&mut connection, self.options.busy_timeout)?;
        Ok(schema(&mut connection)? == Schema::Current)
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

fn schema(connection: &mut SqliteConnection) -> Result<Schema, Failure> {
    let begun = select(
        sql::<Bool>("EXISTS (SELECT 1 FROM sqlite_schema WHERE name = ")
            .bind::<Text, _>(migrations::TABLE)
            .sql(")"),
    )
    .get_result::<bool>(connection)?;
    let applied = if begun {
        sql_query(migrations::APPLIED).load(connection)?
    } else {
        Vec::new()
    };
    Schema::of::<diesel::sqlite::Sqlite>(&MIGRATIONS, &applied)
}
