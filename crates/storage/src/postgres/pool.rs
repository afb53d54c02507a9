//! The pool of connections to a PostgreSQL server.

use std::time::Duration;

use diesel::connection::SimpleConnection;
use diesel::pg::PgConnection;
use diesel::{Connection, QueryResult};

use super::url::{check_tls, hide_password, with_time_limits};
use crate::failure::Failure;

/// Opens connections and tells the pool which ones to throw away.
#[derive(Debug)]
pub(super) struct Opener {
    url: String,
}

/// A pooled connection. Whoever sees it fail in a way that leaves its state unknown marks it broken, and the pool drops it.
pub(super) struct Link {
    pub(super) connection: PgConnection,
    pub(super) broken: bool,
}

impl Opener {
    /// Checks `url` as far as that is possible without connecting.
    pub(super) fn new(url: &str, timeout: Duration) -> Result<Self, Failure> {
        check_tls(url, std::env::var("PGSSLMODE").ok().as_deref())?;
        Ok(Self {
            url: with_time_limits(url, timeout.as_secs()),
        })
    }

    /// A connection with the settings of a unit of work: nobody waits for ever for a lock, a statement or a client that died.
    ///
    /// No statement is compiled. PostgreSQL does that by what it expects a statement to cost, and of a page it expects a share of the whole
    /// list: of a long one each page would be compiled, for a hundred times as long as it takes to read.
    pub(super) fn open(&self) -> Result<PgConnection, Failure> {
        let mut connection = self.open_plain()?;
        connection.batch_execute(
            "SET application_name = 'vintem'; \
             SET statement_timeout = '30s'; \
             SET lock_timeout = '5s'; \
             SET idle_in_transaction_session_timeout = '60s'; \
             SET jit = off",
        )?;
        Ok(connection)
    }

    /// A connection with the server's own settings: migrations may take as long as they need.
    pub(super) fn open_plain(&self) -> Result<PgConnection, Failure> {
        let mut connection = PgConnection::establish(&self.url)
            .map_err(|error| Failure::unreachable(hide_password(&self.url, &error.to_string())))?;
        // Messages are how some errors are told apart. Not every role may choose their language; then the server's is what it is.
        connection.batch_execute("SET lc_messages = 'C'").ok();
        Ok(connection)
    }
}

impl Link {
    /// Runs a statement that begins or ends a transaction.
    pub(super) fn control(&mut self, sql: &str) -> QueryResult<()> {
        let answer = self.connection.batch_execute(sql);
        self.broken |= answer.is_err();
        answer
    }
}

impl r2d2::ManageConnection for Opener {
    type Connection = Link;
    type Error = Failure;

    fn connect(&self) -> Result<Link, Failure> {
        self.open().map(|connection| Link {
            connection,
            broken: false,
        })
    }

    fn is_valid(&self, link: &mut Link) -> Result<(), Failure> {
        Ok(link.control("SELECT 1")?)
    }

    fn has_broken(&self, link: &mut Link) -> bool {
        // A thread that panics in the middle of a read may leave a transaction open.
        link.broken || std::thread::panicking()
    }
}

#[cfg(test)]
mod tests {
    use diesel::prelude::*;
    use diesel::sql_query;
    use diesel::sql_types::Text;

    use super::*;

    #[derive(QueryableByName)]
    struct Setting {
        #[diesel(sql_type = Text)]
        jit: String,
    }

    #[test]
    fn no_statement_is_compiled() {
        let database = vintem_tests::postgres::Database::create().unwrap();
        let opener = Opener::new(database.url(), Duration::from_secs(5)).unwrap();
        let setting: Setting = sql_query("SHOW jit")
            .get_result(&mut opener.open().unwrap())
            .unwrap();
        assert_eq!(setting.jit, "off");
    }
}
