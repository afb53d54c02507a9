//! One query text for two databases: the connection enum, the [`on!`] macro, and the session in which a unit of work runs.

use diesel::pg::PgConnection;
use diesel::result::QueryResult;
use diesel::sqlite::SqliteConnection;

use crate::failure::{Failure, Kind};

/// A borrowed connection to either database.
///
/// An own enum instead of diesel's `MultiConnection`, which knows neither `ON CONFLICT` nor batch inserts nor row locks.
pub(crate) enum Conn<'a> {
    /// The embedded database.
    Sqlite(&'a mut SqliteConnection),
    /// A PostgreSQL server.
    Postgres(&'a mut PgConnection),
}

impl Conn<'_> {
    fn reborrow(&mut self) -> Conn<'_> {
        match self {
            Self::Sqlite(connection) => Conn::Sqlite(connection),
            Self::Postgres(connection) => Conn::Postgres(connection),
        }
    }
}

/// Runs one query text on whichever database `$conn` is: `on!(conn, c => charges::table.find(id).first::<Row>(c))`.
macro_rules! on {
    ($conn:expr, $c:ident => $query:expr) => {
        match $conn {
            $crate::conn::Conn::Sqlite($c) => $query,
            $crate::conn::Conn::Postgres($c) => $query,
        }
    };
}

/// The same, where a read inside a unit of work has to lock its rows on PostgreSQL; SQLite has one writer and no row locks.
macro_rules! on_locked {
    ($conn:expr, $c:ident => $query:expr, $($finish:tt)+) => {
        match $conn {
            $crate::conn::Conn::Sqlite($c) => $query.$($finish)+,
            $crate::conn::Conn::Postgres($c) => $query.for_update().$($finish)+,
        }
    };
}

/// The same for claims: rows another server has locked are left out.
macro_rules! on_skipping_locked {
    ($conn:expr, $c:ident => $query:expr, $($finish:tt)+) => {
        match $conn {
            $crate::conn::Conn::Sqlite($c) => $query.$($finish)+,
            $crate::conn::Conn::Postgres($c) => {
                $query.for_update().skip_locked().$($finish)+
            }
        }
    };
}

pub(crate) use {on, on_locked, on_skipping_locked};

/// What several reads of one session see.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Moment {
    /// Each sees everything committed before it.
    Each,
    /// All see the same moment.
    Same,
}

/// A unit of work as the storage adapter runs it: perhaps more than once, perhaps on another thread than the caller's.
pub(crate) type SessionWork<'a, E> = dyn FnMut(&mut Session<'_>) -> Result<(), E> + Send + 'a;

/// A connection in use by one unit of work (or one read), which remembers its first failed statement.
///
/// After a failure every further statement is refused and the unit of work cannot be committed, whatever its closure answers:
/// PostgreSQL would otherwise turn a swallowed error into a silent rollback, SQLite into half a commit.
pub(crate) struct Session<'a> {
    conn: Conn<'a>,
    failure: Option<Failure>,
}

impl<'a> Session<'a> {
    /// A session on `conn` in which nothing has failed yet.
    pub(crate) fn new(conn: Conn<'a>) -> Self {
        Self {
            conn,
            failure: None,
        }
    }

    /// Runs one query, normally written with [`on!`].
    pub(crate) fn ask<T>(
        &mut self,
        query: impl FnOnce(Conn<'_>) -> QueryResult<T>,
    ) -> Result<T, Failure> {
        if let Some(failure) = &self.failure {
            return Err(Failure::new(
                failure.kind(),
                format!("an earlier statement had failed: {failure}"),
            ));
        }
        query(self.conn.reborrow()).map_err(|error| self.fail(error.into()))
    }

    /// Records that what was read cannot be what was written, so that the unit of work is not committed either.
    pub(crate) fn damaged(&mut self, what: impl std::fmt::Display) -> Failure {
        self.fail(Failure::new(Kind::Broken, format!("damaged row: {what}")))
    }

    /// The first failed statement, if one failed.
    pub(crate) fn into_failure(self) -> Option<Failure> {
        self.failure
    }

    fn fail(&mut self, failure: Failure) -> Failure {
        self.failure.get_or_insert_with(|| failure.clone());
        failure
    }
}
