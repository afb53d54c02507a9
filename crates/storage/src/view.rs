//! The domain's reads and writes, on one session. Each business word implements its part in its own file.

use std::fmt;

use diesel::result::QueryResult;
use vintem_domain::Error;

use crate::conn::{Conn, Session};

/// What a unit of work or a read is given: it implements the domain's `Read` and `Tx`.
pub(crate) struct View<'s, 'c> {
    session: &'s mut Session<'c>,
}

impl<'s, 'c> View<'s, 'c> {
    /// The view of a session.
    pub(crate) fn new(session: &'s mut Session<'c>) -> Self {
        Self { session }
    }

    /// Runs one query, normally written with [`on!`](crate::conn::on).
    pub(crate) fn ask<T>(
        &mut self,
        query: impl FnOnce(Conn<'_>) -> QueryResult<T>,
    ) -> Result<T, Error> {
        Ok(self.session.ask(query)?)
    }

    /// Runs a query for one row, and reads it.
    pub(crate) fn one<R, T: TryFrom<R, Error: fmt::Display>>(
        &mut self,
        query: impl FnOnce(Conn<'_>) -> QueryResult<Option<R>>,
    ) -> Result<Option<T>, Error> {
        let row = self.session.ask(query)?;
        row.map(|row| self.read(row)).transpose()
    }

    /// Runs a query for any number of rows, and reads them.
    pub(crate) fn all<R, T: TryFrom<R, Error: fmt::Display>>(
        &mut self,
        query: impl FnOnce(Conn<'_>) -> QueryResult<Vec<R>>,
    ) -> Result<Vec<T>, Error> {
        let rows = self.session.ask(query)?;
        rows.into_iter().map(|row| self.read(row)).collect()
    }

    /// Runs a write that must meet exactly one row.
    pub(crate) fn write_one(
        &mut self,
        what: &'static str,
        query: impl FnOnce(Conn<'_>) -> QueryResult<usize>,
    ) -> Result<(), Error> {
        match self.session.ask(query)? {
            1 => Ok(()),
            rows => Err(self
                .session
                .damaged(format_args!("{what}: {rows} rows written instead of one"))
                .into()),
        }
    }

    /// Records that what was written is not what should have been, so that the unit of work is not committed.
    pub(crate) fn damaged(&mut self, what: impl fmt::Display) -> Error {
        self.session.damaged(what).into()
    }

    /// Reads what a row holds.
    pub(crate) fn read<R, T: TryFrom<R, Error: fmt::Display>>(
        &mut self,
        row: R,
    ) -> Result<T, Error> {
        T::try_from(row).map_err(|damaged| self.session.damaged(damaged).into())
    }
}
