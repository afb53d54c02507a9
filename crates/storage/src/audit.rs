//! All rows of an owner as anybody may have left them, in the order of the objects they are about.

use std::collections::BTreeMap;
use std::fmt;

use diesel::prelude::*;
use diesel::result::Error as Failed;
use vintem_domain::Error;
use vintem_domain::account::Owner;
use vintem_domain::boleto::Slip;
use vintem_domain::charge::{Charge, Receipt, Return};
use vintem_domain::event::Event;
use vintem_domain::ledger::{Entry, Found, Unreadable};
use vintem_domain::payout::Payout;
use vintem_domain::ports::{AuditRead, Rows};
use vintem_domain::refund::Refund;

use crate::boleto::SlipRow;
use crate::charge::{BOLETO, ChargeRow, Stored};
use crate::conn::on;
use crate::event::EventRow;
use crate::ledger::EntryRow;
use crate::payout::PayoutRow;
use crate::receipt::ReceiptRow;
use crate::refund::RefundRow;
use crate::returns::ReturnRow;
use crate::schema::{
    boletos, charges, events, ledger_entries, payouts, receipts, refunds, returns,
};
use crate::value::{limit as rows, owner_key};
use crate::view::View;

/// A page of rows with their places, or why one of them is none: its values do not fit its columns.
type Page<P, R> = Result<Vec<(P, R)>, Unreadable>;

/// That a row holds what nobody writes is no failure of the statement: the session goes on.
fn page<T>(loaded: QueryResult<T>) -> QueryResult<Result<T, Unreadable>> {
    match loaded {
        Ok(rows) => Ok(Ok(rows)),
        Err(Failed::DeserializationError(error)) => Ok(Err(Unreadable(error.to_string()))),
        Err(error) => Err(error),
    }
}

/// Reads a page; where one row cannot be read, each of them alone, so that it hides no other.
fn found<P: Clone, R, T>(
    view: &mut View<'_, '_>,
    after: P,
    limit: usize,
    load: impl Fn(&mut View<'_, '_>, &P, usize) -> Result<Page<P, R>, Error>,
    places: impl Fn(&mut View<'_, '_>, &P, usize) -> Result<Vec<P>, Error>,
) -> Result<Rows<P, T>, Error>
where
    T: TryFrom<R, Error: fmt::Display>,
{
    let read = |row| T::try_from(row).map_err(|damaged| Unreadable(damaged.to_string()));
    if let Ok(page) = load(view, &after, limit)? {
        let rows = page.into_iter().map(|(place, row)| (place, read(row)));
        return Ok(rows.collect());
    }
    let mut rows = Vec::new();
    let mut before = after;
    for place in places(view, &before, limit)? {
        let row = match load(view, &before, 1)? {
            Ok(one) => one.into_iter().map(|(_, row)| read(row)).next(),
            Err(unreadable) => Some(Err(unreadable)),
        };
        before = place.clone();
        rows.extend(row.map(|row| (place, row)));
    }
    Ok(rows)
}

/// The rows of a table whose rows are objects.
macro_rules! by_id {
    ($view:expr, $table:ident as $row:ty, $owner:expr, $after:expr, $limit:expr) => {{
        let (account, environment) = owner_key($owner);
        let page_of = |after: &String| {
            $table::table
                .filter($table::account.eq(account.clone()))
                .filter($table::environment.eq(environment))
                .filter($table::id.gt(after.clone()))
                .order($table::id)
        };
        // Every id sorts after the empty text.
        found(
            $view,
            $after.unwrap_or_default(),
            $limit,
            |view, after, limit| {
                view.ask(|conn| {
                    on!(conn, c => page(page_of(after)
                        .select(($table::id, <$row>::as_select()))
                        .limit(rows(limit))
                        .load::<(String, $row)>(c)))
                })
            },
            |view, after, limit| {
                view.ask(|conn| {
                    on!(conn, c => page_of(after).select($table::id).limit(rows(limit)).load(c))
                })
            },
        )
    }};
}

/// The rows of a table whose rows are about objects. That the object is not before the last one lets the databases begin
/// where the page before ended.
macro_rules! by_object {
    ($view:expr, $table:ident as $row:ty, ($object:ident, $place:ident: $nth:ty), $owner:expr, $after:expr, $limit:expr) => {{
        let (account, environment) = owner_key($owner);
        let page_of = |(object, place): &(String, $nth)| {
            $table::table
                .filter($table::account.eq(account.clone()))
                .filter($table::environment.eq(environment))
                .filter($table::$object.ge(object.clone()))
                .filter(
                    $table::$object
                        .gt(object.clone())
                        .or($table::$place.gt(place.clone())),
                )
                .order(($table::$object, $table::$place))
        };
        found(
            $view,
            $after.unwrap_or_default(),
            $limit,
            |view, after, limit| {
                view.ask(|conn| {
                    on!(conn, c => page(page_of(after)
                        .select((($table::$object, $table::$place), <$row>::as_select()))
                        .limit(rows(limit))
                        .load::<((String, $nth), $row)>(c)))
                })
            },
            |view, after, limit| {
                view.ask(|conn| {
                    on!(conn, c => page_of(after)
                        .select(($table::$object, $table::$place))
                        .limit(rows(limit))
                        .load(c))
                })
            },
        )
    }};
}

impl AuditRead for View<'_, '_> {
    fn charges_found(
        &mut self,
        owner: Owner,
        after: Option<String>,
        limit: usize,
    ) -> Result<Rows<String, Charge>, Error> {
        let first = after.clone().unwrap_or_default();
        let page: Rows<String, Unslipped> =
            by_id!(self, charges as ChargeRow, owner, after, limit)?;
        let is_boleto = |row: &Found<Unslipped>| row.as_ref().is_ok_and(|row| row.0.kind == BOLETO);
        let mut slips = match page.last() {
            Some((last, _)) if page.iter().any(|(_, row)| is_boleto(row)) => {
                slips(self, owner, first, last, limit)?
            }
            Some(_) | None => BTreeMap::new(),
        };
        let read = |(id, row): (String, Found<Unslipped>)| {
            let slip = slips.remove(&id).transpose();
            let charge = row.and_then(|row| {
                Charge::try_from(Stored(row.0, slip?))
                    .map_err(|damaged| Unreadable(damaged.to_string()))
            });
            (id, charge)
        };
        Ok(page.into_iter().map(read).collect())
    }

    fn receipts_found(
        &mut self,
        owner: Owner,
        after: Option<(String, i64)>,
        limit: usize,
    ) -> Result<Rows<(String, i64), Receipt>, Error> {
        by_object!(
            self,
            receipts as ReceiptRow,
            (charge, arrival: i64),
            owner,
            after,
            limit
        )
    }

    fn returns_found(
        &mut self,
        owner: Owner,
        after: Option<(String, String)>,
        limit: usize,
    ) -> Result<Rows<(String, String), Return>, Error> {
        by_object!(
            self,
            returns as ReturnRow,
            (charge, id: String),
            owner,
            after,
            limit
        )
    }

    fn refunds_found(
        &mut self,
        owner: Owner,
        after: Option<String>,
        limit: usize,
    ) -> Result<Rows<String, Refund>, Error> {
        by_id!(self, refunds as RefundRow, owner, after, limit)
    }

    fn refunds_by_charge_found(
        &mut self,
        owner: Owner,
        after: Option<(String, String)>,
        limit: usize,
    ) -> Result<Rows<(String, String), Refund>, Error> {
        by_object!(
            self,
            refunds as RefundRow,
            (charge, id: String),
            owner,
            after,
            limit
        )
    }

    fn payouts_found(
        &mut self,
        owner: Owner,
        after: Option<String>,
        limit: usize,
    ) -> Result<Rows<String, Payout>, Error> {
        by_id!(self, payouts as PayoutRow, owner, after, limit)
    }

    fn entries_by_object_found(
        &mut self,
        owner: Owner,
        after: Option<(String, i64)>,
        limit: usize,
    ) -> Result<Rows<(String, i64), Entry>, Error> {
        by_object!(
            self,
            ledger_entries as EntryRow,
            (reference, sequence: i64),
            owner,
            after,
            limit
        )
    }

    fn events_by_object_found(
        &mut self,
        owner: Owner,
        after: Option<(String, i64)>,
        limit: usize,
    ) -> Result<Rows<(String, i64), Event>, Error> {
        by_object!(
            self,
            events as EventRow,
            (object, sequence: i64),
            owner,
            after,
            limit
        )
    }
}

/// A charge whose slip is still to be read.
struct Unslipped(ChargeRow);

impl From<ChargeRow> for Unslipped {
    fn from(row: ChargeRow) -> Self {
        Self(row)
    }
}

/// The slips of a page of charges: those after one id, up to another.
fn slips(
    view: &mut View<'_, '_>,
    owner: Owner,
    after: String,
    last: &str,
    limit: usize,
) -> Result<BTreeMap<String, Found<Slip>>, Error> {
    let mut slips = BTreeMap::new();
    let mut after = Some(after);
    while let Some(place) = after.take() {
        let page: Rows<String, Slip> = by_id!(view, boletos as SlipRow, owner, Some(place), limit)?;
        after = page
            .last()
            .map(|(id, _)| id.clone())
            .filter(|id| id.as_str() < last);
        slips.extend(page);
    }
    Ok(slips)
}
