//! The pool of read-only connections to an SQLite file.

use std::path::Path;
use std::time::Duration;

use diesel::connection::SimpleConnection;
use diesel::r2d2::{ConnectionManager, CustomizeConnection, Error, Pool};
use diesel::sqlite::SqliteConnection;

use super::settings::{address, make_reader};
use crate::conn::{Conn, Moment, Session};
use crate::failure::{Failure, Kind};
use crate::stats::PoolUse;

/// Read-only connections. Readers and the writer never wait for each other.
pub(super) struct Readers {
    pool: Pool<ConnectionManager<SqliteConnection>>,
}

#[derive(Debug)]
struct ReadOnly {
    busy: Duration,
}

impl CustomizeConnection<SqliteConnection, Error> for ReadOnly {
    fn on_acquire(&self, connection: &mut SqliteConnection) -> Result<(), Error> {
        make_reader(connection, self.busy).map_err(Error::QueryError)
    }
}

impl Readers {
    /// A pool of at most `limit` connections, opened when first needed.
    pub(super) fn open(
        path: &Path,
        limit: u32,
        wait: Duration,
        busy: Duration,
    ) -> Result<Self, Failure> {
        let manager = ConnectionManager::new(address(path)?);
        let pool = Pool::builder()
            .max_size(limit)
            .min_idle(Some(1))
            // The test would cost a round trip per checkout, and a file does not hang up.
            .test_on_check_out(false)
            .idle_timeout(None)
            .max_lifetime(None)
            .connection_timeout(wait)
            .connection_customizer(Box::new(ReadOnly { busy }))
            .build_unchecked(manager);
        Ok(Self { pool })
    }

    /// Runs `work` on one of the connections.
    pub(super) fn run<T, E: From<Failure>>(
        &self,
        moment: Moment,
        work: &mut dyn FnMut(&mut Session<'_>) -> Result<T, E>,
    ) -> Result<T, E> {
        let mut connection = self.pool.get().map_err(|error| {
            Failure::new(Kind::Exhausted, format!("no free read connection: {error}"))
        })?;
        if moment == Moment::Each {
            return work(&mut Session::new(Conn::Sqlite(&mut connection)));
        }
        connection.batch_execute("BEGIN").map_err(Failure::from)?;
        // A panic needs no care here: the pool drops a connection that is given back by an unwinding thread.
        let answer = work(&mut Session::new(Conn::Sqlite(&mut connection)));
        connection
            .batch_execute("ROLLBACK")
            .map_err(Failure::from)?;
        answer
    }

    /// How the pool is used, now.
    pub(super) fn pool_use(&self) -> PoolUse {
        let state = self.pool.state();
        PoolUse {
            busy: state.connections.saturating_sub(state.idle_connections),
            idle: state.idle_connections,
            limit: self.pool.max_size(),
        }
    }
}

#[cfg(test)]
mod tests {
    use diesel::{RunQueryDsl, sql_query};

    use super::super::settings::open_writer;
    use super::*;
    use crate::conn::on;

    #[test]
    fn a_reader_cannot_write_and_sees_what_was_written_before() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("test.db");
        let wait = Duration::from_secs(1);
        let mut writer = open_writer(&path, wait).unwrap();
        writer
            .batch_execute("CREATE TABLE numbers (n INTEGER) STRICT")
            .unwrap();
        let readers = Readers::open(&path, 2, wait, wait).unwrap();
        let execute = |sql: &str| -> Result<usize, Failure> {
            readers.run(Moment::Each, &mut |session| {
                session.ask(|conn| on!(conn, c => sql_query(sql).execute(c)))
            })
        };
        for sql in ["INSERT INTO numbers VALUES (1)", "DROP TABLE numbers"] {
            assert!(execute(sql).is_err(), "{sql}");
        }
        writer
            .batch_execute("INSERT INTO numbers VALUES (1)")
            .unwrap();
        execute("SELECT n FROM numbers").unwrap();
        assert_eq!(readers.pool_use().limit, 2);
    }
}
