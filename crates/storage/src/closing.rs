//! The last writes of a unit of work: one statement on PostgreSQL, one after another on SQLite, which has no round trips to save.

use diesel::RunQueryDsl;
use diesel::pg::Pg;
use diesel::query_builder::QueryFragment;
use diesel::result::QueryResult;
use vintem_domain::Error;
use vintem_domain::ports::{Closing, ClosingTx};

use crate::conn::Conn;
use crate::delivery::{self, DeliveryRow};
use crate::event::{self, EventRow};
use crate::ledger::{self, EntryRow, HeadRow};
use crate::together::Together;
use crate::view::View;

/// Money and news, with somebody to hear them.
struct PostedAndSent;
/// Money and news that nobody hears.
struct PostedAndTold;
/// News that somebody hears.
struct Sent;

impl ClosingTx for View<'_, '_> {
    fn save_closing(&mut self, closing: &Closing) -> Result<(), Error> {
        match self.ask(|conn| save(conn, closing))? {
            Some(Written { rows, wanted }) if rows != wanted => Err(self.damaged(format_args!(
                "closing: {rows} rows written instead of {wanted}"
            ))),
            Some(_) => Ok(()),
            None => closing.save_one_by_one(self),
        }
    }
}

struct Written {
    rows: i64,
    wanted: i64,
}

/// Saves it in one statement, where that is worth while.
fn save(conn: Conn<'_>, closing: &Closing) -> QueryResult<Option<Written>> {
    let Conn::Postgres(connection) = conn else {
        return Ok(None);
    };
    let head = HeadRow::from(&closing.head);
    let head = ledger::update_head(&head);
    let entry = closing.entry.as_ref().map(EntryRow::from);
    let entry = entry.as_ref().map(ledger::insert_entry);
    let event = closing.event.as_ref().map(EventRow::from);
    let event = event.as_ref().map(event::insert_event);
    let delivery = closing.delivery.as_ref().map(DeliveryRow::from);
    let delivery = delivery.as_ref().map(delivery::insert_delivery);
    let (rows, wanted) = match (&entry, &event, &delivery) {
        (Some(entry), Some(event), Some(delivery)) => {
            let statements: [&dyn QueryFragment<Pg>; 4] = [entry, event, delivery, &head];
            let all = Together::<PostedAndSent>::new(&statements);
            (all.get_result(connection)?, 4)
        }
        (Some(entry), Some(event), None) => {
            let statements: [&dyn QueryFragment<Pg>; 3] = [entry, event, &head];
            let all = Together::<PostedAndTold>::new(&statements);
            (all.get_result(connection)?, 3)
        }
        (None, Some(event), Some(delivery)) => {
            let statements: [&dyn QueryFragment<Pg>; 3] = [event, delivery, &head];
            let all = Together::<Sent>::new(&statements);
            (all.get_result(connection)?, 3)
        }
        (_, _, _) => return Ok(None),
    };
    Ok(Some(Written { rows, wanted }))
}
