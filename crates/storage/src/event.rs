//! Events: the outbox's bodies.

use diesel::pg::Pg;
use diesel::prelude::*;
use diesel::query_builder::QueryFragment;
use vintem_domain::account::Owner;
use vintem_domain::event::{Event, EventId, EventKind};
use vintem_domain::id::Ulid;
use vintem_domain::ports::{EventRead, EventTx};
use vintem_domain::{Error, Time};

use crate::conn::on;
use crate::schema::events;
use crate::value::{Damaged, limit as rows, owner, owner_key, ulid};
use crate::view::View;

#[derive(Queryable, Selectable, Insertable)]
#[diesel(table_name = events, treat_none_as_default_value = false)]
pub(crate) struct EventRow {
    account: String,
    environment: String,
    sequence: i64,
    id: String,
    kind: String,
    object: String,
    body: String,
    recorded_at: i64,
}

impl From<&Event> for EventRow {
    fn from(event: &Event) -> Self {
        let (account, environment) = owner_key(event.owner);
        Self {
            account,
            environment: environment.to_owned(),
            sequence: event.sequence,
            id: event.id.0.to_string(),
            kind: event.kind.as_str().to_owned(),
            object: event.object.to_string(),
            body: event.body.clone(),
            recorded_at: event.recorded_at.millis(),
        }
    }
}

impl TryFrom<EventRow> for Event {
    type Error = Damaged;

    fn try_from(row: EventRow) -> Result<Self, Damaged> {
        Ok(Self {
            id: EventId(ulid(&row.id)?),
            owner: owner(&row.account, &row.environment)?,
            sequence: row.sequence,
            kind: EventKind::parse(&row.kind).ok_or(Damaged("events.kind"))?,
            object: ulid(&row.object)?,
            body: row.body,
            recorded_at: Time::from_millis(row.recorded_at),
        })
    }
}

/// The statement that keeps a new event.
pub(crate) fn insert_event(row: &EventRow) -> impl QueryFragment<Pg> + '_ {
    diesel::insert_into(events::table).values(row)
}

impl EventRead for View<'_, '_> {
    fn event(&mut self, owner: Owner, id: EventId) -> Result<Option<Event>, Error> {
        let (account, environment) = owner_key(owner);
        self.one(|conn| {
            on!(conn, c => events::table
                .filter(events::account.eq(&account))
                .filter(events::environment.eq(environment))
                .filter(events::id.eq(id.0.to_string()))
                .select(EventRow::as_select())
                .get_result(c)
                .optional())
        })
    }

    fn events(&mut self, owner: Owner, after: i64, limit: usize) -> Result<Vec<Event>, Error> {
        let (account, environment) = owner_key(owner);
        self.all(|conn| {
            on!(conn, c => events::table
                .filter(events::account.eq(&account))
                .filter(events::environment.eq(environment))
                .filter(events::sequence.gt(after))
                .select(EventRow::as_select())
                .order(events::sequence)
                .limit(rows(limit))
                .load(c))
        })
    }

    fn event_sequences(
        &mut self,
        owner: Owner,
        after: i64,
        limit: usize,
    ) -> Result<Vec<i64>, Error> {
        let (account, environment) = owner_key(owner);
        self.ask(|conn| {
            on!(conn, c => events::table
                .filter(events::account.eq(&account))
                .filter(events::environment.eq(environment))
                .filter(events::sequence.gt(after))
                .select(events::sequence)
                .order(events::sequence)
                .limit(rows(limit))
                .load(c))
        })
    }

    fn events_about(&mut self, owner: Owner, object: Ulid) -> Result<Vec<Event>, Error> {
        let (account, environment) = owner_key(owner);
        self.all(|conn| {
            on!(conn, c => events::table
                .filter(events::account.eq(&account))
                .filter(events::environment.eq(environment))
                .filter(events::object.eq(object.to_string()))
                .select(EventRow::as_select())
                .order(events::sequence)
                .load(c))
        })
    }
}

impl EventTx for View<'_, '_> {
    fn insert_event(&mut self, event: &Event) -> Result<(), Error> {
        let row = EventRow::from(event);
        self.write_one(
            "events",
            |conn| on!(conn, c => diesel::insert_into(events::table).values(&row).execute(c)),
        )
    }
}
