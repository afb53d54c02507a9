//! Statements that are prepared once per connection, where diesel would prepare them each time.

use std::marker::PhantomData;

use diesel::backend::Backend;
use diesel::expression::{AppearsOnTable, SelectableExpression, ValidGrouping, is_aggregate};
use diesel::prelude::*;
use diesel::query_builder::{AstPass, Query, QueryFragment, QueryId};
use diesel::result::Error;
use diesel::serialize::ToSql;
use diesel::sql_types::{BigInt, Bool, Text};

/// An update whose prepared statement is kept.
///
/// diesel keeps no updates, because a changeset of `Option`s can make any number of different texts. This one takes no such changeset:
/// its text is fixed, and `K` names it. Written with [`update!`].
pub(crate) struct Update<K, T, P, V> {
    table: T,
    predicate: P,
    values: V,
    key: PhantomData<K>,
}

impl<K, T, P, V> Update<K, T, P, V> {
    /// `UPDATE table SET values WHERE predicate`.
    pub(crate) fn new<A: AsChangeset<Target = T, Changeset = V>>(
        table: T,
        predicate: P,
        values: A,
    ) -> Self {
        Self {
            table,
            predicate,
            values: values.as_changeset(),
            key: PhantomData,
        }
    }
}

/// Makes an [`Update`] named by the place where it is written: `update!(charges::table, predicate => (column.eq(value), ...))`.
macro_rules! update {
    ($table:expr, $predicate:expr => $values:expr) => {{
        struct Here;
        $crate::kept::Update::<Here, _, _, _>::new($table, $predicate, $values)
    }};
}
pub(crate) use update;

impl<DB, K, T, P, V> QueryFragment<DB> for Update<K, T, P, V>
where
    DB: Backend,
    T: Table + QueryFragment<DB>,
    P: QueryFragment<DB>,
    V: QueryFragment<DB>,
{
    fn walk_ast<'b>(&'b self, mut out: AstPass<'_, 'b, DB>) -> QueryResult<()> {
        out.push_sql("UPDATE ");
        self.table.walk_ast(out.reborrow())?;
        out.push_sql(" SET ");
        self.values.walk_ast(out.reborrow())?;
        out.push_sql(" WHERE ");
        self.predicate.walk_ast(out.reborrow())
    }
}

impl<K: 'static, T, P, V> QueryId for Update<K, T, P, V> {
    type QueryId = K;

    const HAS_STATIC_QUERY_ID: bool = true;
}

impl<K, T, P, V, Conn> RunQueryDsl<Conn> for Update<K, T, P, V> {}

/// A query whose prepared statement is kept: diesel cannot know that the text of one with `ON CONFLICT` never changes. `K` names it.
/// Written with [`kept!`].
pub(crate) struct Kept<K, Q> {
    query: Q,
    key: PhantomData<K>,
}

impl<K, Q> Kept<K, Q> {
    /// The same query, under the name `K`.
    pub(crate) fn new(query: Q) -> Self {
        Self {
            query,
            key: PhantomData,
        }
    }
}

/// Makes a [`Kept`] named by the place where it is written.
macro_rules! kept {
    ($query:expr) => {{
        struct Here;
        $crate::kept::Kept::<Here, _>::new($query)
    }};
}
pub(crate) use kept;

impl<DB: Backend, K, Q: QueryFragment<DB>> QueryFragment<DB> for Kept<K, Q> {
    fn walk_ast<'b>(&'b self, out: AstPass<'_, 'b, DB>) -> QueryResult<()> {
        self.query.walk_ast(out)
    }
}

impl<K: 'static, Q> QueryId for Kept<K, Q> {
    type QueryId = K;

    const HAS_STATIC_QUERY_ID: bool = true;
}

impl<K, Q, Conn> RunQueryDsl<Conn> for Kept<K, Q> {}

/// A condition that is written out in full, so that the databases see that a partial index will do, which they cannot see of a bound
/// value; and of which diesel knows that its text never changes, which it cannot know of its own `sql`.
pub(crate) trait FixedCondition: 'static {
    const SQL: &'static str;
}

/// A [`FixedCondition`] in a query.
pub(crate) struct Is<C>(PhantomData<C>);

impl<C> Is<C> {
    /// The condition `C`.
    pub(crate) fn new() -> Self {
        Self(PhantomData)
    }
}

impl<C> Expression for Is<C> {
    type SqlType = Bool;
}

impl<C, Source> AppearsOnTable<Source> for Is<C> {}

impl<C, Source> SelectableExpression<Source> for Is<C> {}

impl<C, G> ValidGrouping<G> for Is<C> {
    type IsAggregate = is_aggregate::Never;
}

impl<C: FixedCondition> QueryId for Is<C> {
    type QueryId = C;

    const HAS_STATIC_QUERY_ID: bool = true;
}

impl<C: FixedCondition, DB: Backend> QueryFragment<DB> for Is<C> {
    fn walk_ast<'b>(&'b self, mut out: AstPass<'_, 'b, DB>) -> QueryResult<()> {
        out.push_sql(C::SQL);
        Ok(())
    }
}

/// A query that diesel cannot put together, written out in full: `?` stands for a bound value, whatever the database calls it.
pub(crate) trait WrittenQuery: 'static {
    const SQL: &'static str;
    /// The types of the columns it gives.
    type SqlType;
}

/// A value bound to a [`WrittenQuery`].
pub(crate) enum Bound<'a> {
    Text(&'a str),
    Number(i64),
}

/// A [`WrittenQuery`] with its values, one for each `?`.
pub(crate) struct Written<'a, Q, const N: usize> {
    values: [Bound<'a>; N],
    query: PhantomData<Q>,
}

impl<'a, Q, const N: usize> Written<'a, Q, N> {
    /// The query `Q` with these values.
    pub(crate) fn new(values: [Bound<'a>; N]) -> Self {
        Self {
            values,
            query: PhantomData,
        }
    }
}

impl<Q: WrittenQuery, const N: usize> QueryId for Written<'_, Q, N> {
    type QueryId = Q;

    const HAS_STATIC_QUERY_ID: bool = true;
}

impl<Q: WrittenQuery, const N: usize> Query for Written<'_, Q, N> {
    type SqlType = Q::SqlType;
}

impl<Q, const N: usize, Conn> RunQueryDsl<Conn> for Written<'_, Q, N> {}

impl<Q, const N: usize, DB> QueryFragment<DB> for Written<'_, Q, N>
where
    Q: WrittenQuery,
    DB: Backend,
    str: ToSql<Text, DB>,
    i64: ToSql<BigInt, DB>,
{
    fn walk_ast<'b>(&'b self, mut out: AstPass<'_, 'b, DB>) -> QueryResult<()> {
        let mut values = self.values.iter();
        for (position, part) in Q::SQL.split('?').enumerate() {
            if position > 0 {
                match values.next() {
                    Some(Bound::Text(text)) => out.push_bind_param::<Text, str>(text)?,
                    Some(Bound::Number(number)) => out.push_bind_param::<BigInt, i64>(number)?,
                    None => return Err(Error::QueryBuilderError("a value is missing".into())),
                }
            }
            out.push_sql(part);
        }
        Ok(())
    }
}
