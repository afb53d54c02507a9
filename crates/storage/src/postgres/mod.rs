//! PostgreSQL: a pool, one transaction per unit of work, any number of servers on one database.

mod language;
mod pool;
mod shared;
mod unit;
mod url;

use std::sync::Arc;

use diesel::dsl::sql;
use diesel::pg::{Pg, PgConnection};
use diesel::sql_types::{BigInt, Bool, Text};
use diesel::{RunQueryDsl, select, sql_query};
use diesel_migrations::{EmbeddedMigrations, MigrationHarness, embed_migrations};

use crate::database::Options;
use crate::failure::Failure;
use crate::migrations::{self, Schema};
use crate::stats::{PoolUse, Stats};
use pool::Opener;
use shared::Tables;

const MIGRATIONS: EmbeddedMigrations = embed_migrations!("../../migrations/postgres");

/// The advisory lock held while migrating: the letters of `vintem`.
const MIGRATION_LOCK: i64 = 0x7669_6e74_656d;

/// An open database server.
pub(crate) struct Postgres {
    pool: r2d2::Pool<Opener>,
    opener: Opener,
    tables: Tables,
    stats: Arc<Stats>,
}

impl Postgres {
    /// Connects once, so that a wrong address or password is told at the start and in the server's own words.
    pub(crate) fn open(url: &str, options: &Options, stats: Arc<Stats>) -> Result<Self, Failure> {
        let opener = Opener::new(url, options.connection_timeout)?;
        language::check(&mut opener.open()?)?;
        let pool = r2d2::Pool::builder()
            .max_size(options.connections)
            .min_idle(Some(1))
            // A dead connection is noticed at its first statement and replaced, which saves a round trip per unit of work.
            .test_on_check_out(false)
            .connection_timeout(options.connection_timeout)
            .error_handler(Box::new(LogFailures))
            .build_unchecked(Opener::new(url, options.connection_timeout)?);
        Ok(Self {
            pool,
            opener,
            tables: Tables::default(),
            stats,
        })
    }

    /// Brings the schema up to date. Servers that start together do it one after the other.
    pub(crate) fn migrate(&self) -> Result<(), Failure> {
        if self.is_migrated()? {
            return Ok(());
        }
        let mut connection = self.opener.open_plain()?;
        // Held by the session, so it ends with the connection at the end of this function at the latest.
        sql_query("SELECT pg_advisory_lock($1)")
            .bind::<BigInt, _>(MIGRATION_LOCK)
            .execute(&mut connection)?;
        // Whoever held the lock before may have been a newer version.
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
        let mut connection = self.opener.open()?;
        Ok(schema(&mut connection)? == Schema::Current)
    }

    /// How the pool is used, now.
    pub(crate) fn pool_use(&self) -> PoolUse {
        let state = self.pool.state();
        PoolUse {
            busy: state.connections.saturating_sub(state.idle_connections),
            idle: state.idle_connections,
            limit: self.pool.max_size(),
        }
    }
}

fn schema(connection: &mut PgConnection) -> Result<Schema, Failure> {
    let begun = select(
        sql::<Bool>("to_regclass(")
            .bind::<Text, _>(migrations::TABLE)
            .sql(") IS NOT NULL"),
    )
    .get_result::<bool>(connection)?;
    let applied = if begun {
        sql_query(migrations::APPLIED).load(connection)?
    } else {
        Vec::new()
    };
    Schema::of::<Pg>(&MIGRATIONS, &applied)
}

/// Says why connections cannot be opened, which the pool itself would keep to its own log.
#[derive(Debug)]
struct LogFailures;

impl r2d2::HandleError<Failure> for LogFailures {
    fn handle_error(&self, failure: Failure) {
        tracing::warn!(%failure, "no connection to the database");
    }
}
