//! Deliveries: which event still has to be sent, when, and by whom.

use std::collections::HashMap;

use diesel::dsl::{count_star, exists, min, sql};
use diesel::pg::Pg;
use diesel::prelude::*;
use diesel::query_builder::QueryFragment;
use diesel::sql_types::BigInt;
use vintem_domain::account::Owner;
use vintem_domain::event::EventId;
use vintem_domain::webhook::{Delivery, DeliveryState, Lease, Outbox, ServerId};
use vintem_domain::{Error, Time};

use crate::conn::{on, on_locked, on_skipping_locked};
use crate::kept::{FixedCondition, Is, update};
use crate::schema::{deliveries, endpoints, events};
use crate::value::{Damaged, limit as rows, optional, owner, owner_key, time, ulid};
use crate::view::View;

#[derive(Queryable, Selectable, Insertable)]
#[diesel(table_name = deliveries, treat_none_as_default_value = false)]
pub(crate) struct DeliveryRow {
    account: String,
    environment: String,
    event: String,
    state: String,
    attempts: i64,
    tries: i64,
    due_at: i64,
    leased_by: Option<String>,
    leased_until: Option<i64>,
    created_at: i64,
}

impl From<&Delivery> for DeliveryRow {
    fn from(delivery: &Delivery) -> Self {
        let (account, environment) = owner_key(delivery.owner);
        Self {
            account,
            environment: environment.to_owned(),
            event: delivery.event.0.to_string(),
            state: delivery.state.as_str().to_owned(),
            attempts: delivery.attempts,
            tries: delivery.tries,
            due_at: delivery.due_at.millis(),
            leased_by: delivery.lease.map(|lease| lease.by.0.to_string()),
            leased_until: delivery.lease.map(|lease| lease.until.millis()),
            created_at: delivery.created_at.millis(),
        }
    }
}

impl TryFrom<DeliveryRow> for Delivery {
    type Error = Damaged;

    fn try_from(row: DeliveryRow) -> Result<Self, Damaged> {
        let by = optional(row.leased_by, |by| ulid(by).map(ServerId))?;
        Ok(Self {
            owner: owner(&row.account, &row.environment)?,
            event: EventId(ulid(&row.event)?),
            state: DeliveryState::parse(&row.state).ok_or(Damaged("deliveries.state"))?,
            attempts: row.attempts,
            tries: row.tries,
            due_at: Time::from_millis(row.due_at),
            lease: by
                .zip(time(row.leased_until))
                .map(|(by, until)| Lease { by, until }),
            created_at: Time::from_millis(row.created_at),
        })
    }
}

struct Pending;

impl FixedCondition for Pending {
    const SQL: &'static str = "deliveries.state = 'pending'";
}

struct Failed;

impl FixedCondition for Failed {
    const SQL: &'static str = "deliveries.state = 'failed'";
}

/// Pending deliveries of endpoints that are enabled (`is_null`) or disabled (`is_not_null`).
macro_rules! waiting {
    ($disabled:ident) => {
        deliveries::table
            .inner_join(
                endpoints::table.on(deliveries::account
                    .eq(endpoints::account)
                    .and(deliveries::environment.eq(endpoints::environment))),
            )
            .filter(Is::<Pending>::new())
            .filter(endpoints::disabled_at.$disabled())
    };
}

/// The delivery of an event.
pub(crate) fn find(
    view: &mut View<'_, '_>,
    owner: Owner,
    event: EventId,
) -> Result<Option<Delivery>, Error> {
    let (account, environment) = owner_key(owner);
    view.one(|conn| {
        on!(conn, c => deliveries::table
            .find((&account, environment, event.0.to_string()))
            .select(DeliveryRow::as_select())
            .get_result(c)
            .optional())
    })
}

/// The delivery of an event, locked.
pub(crate) fn for_update(
    view: &mut View<'_, '_>,
    owner: Owner,
    event: EventId,
) -> Result<Option<Delivery>, Error> {
    let (account, environment) = owner_key(owner);
    view.one(|conn| {
        on_locked!(conn, c => deliveries::table
            .find((&account, environment, event.0.to_string()))
            .select(DeliveryRow::as_select()),
            get_result(c).optional())
    })
}

/// The statement that keeps a new delivery.
pub(crate) fn insert_delivery(row: &DeliveryRow) -> impl QueryFragment<Pg> + '_ {
    diesel::insert_into(deliveries::table).values(row)
}

/// A new delivery.
pub(crate) fn insert(view: &mut View<'_, '_>, delivery: &Delivery) -> Result<(), Error> {
    let row = DeliveryRow::from(delivery);
    view.write_one(
        "deliveries",
        |conn| on!(conn, c => diesel::insert_into(deliveries::table).values(&row).execute(c)),
    )
}

/// Makes the delivery DELIVERED if this attempt, under a lease of this server, is the one under way.
pub(crate) fn accept(
    view: &mut View<'_, '_>,
    owner: Owner,
    event: EventId,
    number: i64,
    server: ServerId,
) -> Result<bool, Error> {
    let (account, environment) = owner_key(owner);
    let (event, server) = (event.0.to_string(), server.0.to_string());
    let rows = view.ask(|conn| {
        on!(conn, c => update!(
                deliveries::table,
                deliveries::account.eq(&account)
                    .and(deliveries::environment.eq(environment))
                    .and(deliveries::event.eq(&event))
                    .and(deliveries::attempts.eq(number))
                    .and(deliveries::leased_by.eq(&server)) => (
                    deliveries::state.eq(DeliveryState::Delivered.as_str()),
                    deliveries::leased_by.eq(None::<String>),
                    deliveries::leased_until.eq(None::<i64>),
                )
            )
            .execute(c))
    })?;
    Ok(rows == 1)
}

/// State, counters, due time and lease of deliveries.
pub(crate) fn save(view: &mut View<'_, '_>, deliveries: &[Delivery]) -> Result<(), Error> {
    for delivery in deliveries {
        let row = DeliveryRow::from(delivery);
        view.write_one("deliveries", |conn| {
            on!(conn, c => update!(
                    deliveries::table,
                    deliveries::account.eq(&row.account)
                        .and(deliveries::environment.eq(&row.environment))
                        .and(deliveries::event.eq(&row.event)) => (
                        deliveries::state.eq(&row.state),
                        deliveries::attempts.eq(row.attempts),
                        deliveries::tries.eq(row.tries),
                        deliveries::due_at.eq(row.due_at),
                        deliveries::leased_by.eq(&row.leased_by),
                        deliveries::leased_until.eq(row.leased_until),
                    )
                )
                .execute(c))
        })?;
    }
    Ok(())
}

/// At most `limit` of the owner's pending deliveries that are due and not leased, with their event bodies, the longest due first,
/// locked; what another server has locked is left out.
pub(crate) fn due_for_update(
    view: &mut View<'_, '_>,
    owner: Owner,
    now: Time,
    limit: usize,
) -> Result<Vec<(Delivery, String)>, Error> {
    let (account, environment) = owner_key(owner);
    let due: Vec<Delivery> = view.all(|conn| {
        on_skipping_locked!(conn, c => deliveries::table
            .filter(deliveries::account.eq(&account))
            .filter(deliveries::environment.eq(environment))
            .filter(Is::<Pending>::new())
            .filter(deliveries::due_at.le(now.millis()))
            .filter(deliveries::leased_until.is_null().or(deliveries::leased_until.le(now.millis())))
            .select(DeliveryRow::as_select())
            .order((deliveries::due_at, deliveries::event))
            .limit(rows(limit)),
            load(c))
    })?;
    if due.is_empty() {
        return Ok(Vec::new());
    }
    let ids: Vec<String> = due
        .iter()
        .map(|delivery| delivery.event.0.to_string())
        .collect();
    let bodies: Vec<(String, String)> = view.ask(|conn| {
        on!(conn, c => events::table
            .filter(events::account.eq(&account))
            .filter(events::environment.eq(environment))
            .filter(events::id.eq_any(&ids))
            .select((events::id, events::body))
            .load(c))
    })?;
    let mut bodies: HashMap<String, String> = bodies.into_iter().collect();
    due.into_iter()
        .zip(ids)
        .map(|(delivery, id)| match bodies.remove(&id) {
            Some(body) => Ok((delivery, body)),
            None => Err(Error::bug("a delivery without its event")),
        })
        .collect()
}

/// At most `limit` pending deliveries of everybody that are leased, locked.
pub(crate) fn leased_for_update(
    view: &mut View<'_, '_>,
    limit: usize,
) -> Result<Vec<Delivery>, Error> {
    view.all(|conn| {
        on_locked!(conn, c => deliveries::table
            .filter(Is::<Pending>::new())
            .filter(deliveries::leased_until.is_not_null())
            .select(DeliveryRow::as_select())
            .limit(rows(limit)),
            load(c))
    })
}

/// At most `limit` failed deliveries whose event was recorded at or after `since`, after this event, oldest first.
pub(crate) fn failed(
    view: &mut View<'_, '_>,
    owner: Owner,
    since: Time,
    after: Option<EventId>,
    limit: usize,
) -> Result<Vec<Delivery>, Error> {
    let (account, environment) = owner_key(owner);
    // The empty text sorts before every id.
    let after = after.map_or_else(String::new, |event| event.0.to_string());
    view.all(|conn| {
        on!(conn, c => deliveries::table
            .inner_join(events::table.on(deliveries::account.eq(events::account)
                .and(deliveries::environment.eq(events::environment))
                .and(deliveries::event.eq(events::id))))
            .filter(deliveries::account.eq(&account))
            .filter(deliveries::environment.eq(environment))
            .filter(Is::<Failed>::new())
            .filter(deliveries::event.gt(&after))
            .filter(events::recorded_at.ge(since.millis()))
            .select(DeliveryRow::as_select())
            .order(deliveries::event)
            .limit(rows(limit))
            .load(c))
    })
}

/// At most `limit` owners with an enabled endpoint and a delivery that is due and not leased, in random order, so that none of many can
/// keep the others out.
///
/// It starts from the endpoints, of which there are few, and asks the index of pending deliveries for each: the work does not grow with
/// what waits for a dead or disabled endpoint.
pub(crate) fn owners_with_due(
    view: &mut View<'_, '_>,
    now: Time,
    limit: usize,
) -> Result<Vec<Owner>, Error> {
    let now = now.millis();
    view.all(|conn| {
        on!(conn, c => endpoints::table
            .filter(endpoints::disabled_at.is_null())
            .filter(exists(deliveries::table
                .filter(deliveries::account.eq(endpoints::account))
                .filter(deliveries::environment.eq(endpoints::environment))
                .filter(Is::<Pending>::new())
                .filter(deliveries::due_at.le(now))
                .filter(deliveries::leased_until.is_null().or(deliveries::leased_until.le(now)))))
            .select(OwnerRow::as_select())
            .order(sql::<BigInt>("random()"))
            .limit(rows(limit))
            .load(c))
    })
}

#[derive(Queryable, Selectable)]
#[diesel(table_name = endpoints)]
struct OwnerRow {
    account: String,
    environment: String,
}

impl TryFrom<OwnerRow> for Owner {
    type Error = Damaged;

    fn try_from(row: OwnerRow) -> Result<Self, Damaged> {
        owner(&row.account, &row.environment)
    }
}

/// What is waiting in the whole outbox.
pub(crate) fn outbox(view: &mut View<'_, '_>, now: Time) -> Result<Outbox, Error> {
    let now = now.millis();
    let held =
        view.ask(|conn| on!(conn, c => waiting!(is_not_null).select(count_star()).get_result(c)))?;
    let pending =
        view.ask(|conn| on!(conn, c => waiting!(is_null).select(count_star()).get_result(c)))?;
    let oldest: Option<i64> = view.ask(|conn| {
        on!(conn, c => waiting!(is_null)
            .filter(deliveries::due_at.le(now))
            .select(min(deliveries::due_at))
            .get_result(c))
    })?;
    let stuck = view.ask(|conn| {
        on!(conn, c => waiting!(is_null)
            .filter(deliveries::leased_until.le(now))
            .select(count_star())
            .get_result(c))
    })?;
    Ok(Outbox {
        pending,
        oldest_due_at: time(oldest),
        held,
        stuck,
    })
}
