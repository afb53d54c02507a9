//! Several writes in one statement, for PostgreSQL, where each statement is a round trip.

use std::marker::PhantomData;

use diesel::pg::Pg;
use diesel::prelude::*;
use diesel::query_builder::{AstPass, Query, QueryFragment, QueryId};
use diesel::sql_types::BigInt;

/// Writes that need nothing of each other, each with a fixed text. `K` names the whole, whose text is therefore fixed too. It gives the
/// number of rows written.
pub(crate) struct Together<'a, K> {
    statements: &'a [&'a dyn QueryFragment<Pg>],
    key: PhantomData<K>,
}

impl<'a, K> Together<'a, K> {
    /// These statements, which `K` stands for.
    pub(crate) fn new(statements: &'a [&'a dyn QueryFragment<Pg>]) -> Self {
        Self {
            statements,
            key: PhantomData,
        }
    }
}

impl<K> QueryFragment<Pg> for Together<'_, K> {
    fn walk_ast<'b>(&'b self, mut out: AstPass<'_, 'b, Pg>) -> QueryResult<()> {
        for (number, statement) in self.statements.iter().enumerate() {
            out.push_sql(if number == 0 { "WITH w" } else { ", w" });
            out.push_sql(&number.to_string());
            out.push_sql(" AS (");
            statement.walk_ast(out.reborrow())?;
            out.push_sql(" RETURNING 1)");
        }
        for number in 0..self.statements.len() {
            out.push_sql(if number == 0 { " SELECT" } else { " +" });
            out.push_sql(" (SELECT count(*) FROM w");
            out.push_sql(&number.to_string());
            out.push_sql(")");
        }
        Ok(())
    }
}

impl<K: 'static> QueryId for Together<'_, K> {
    type QueryId = K;

    const HAS_STATIC_QUERY_ID: bool = true;
}

impl<K> Query for Together<'_, K> {
    type SqlType = BigInt;
}

impl<K> RunQueryDsl<PgConnection> for Together<'_, K> {}
