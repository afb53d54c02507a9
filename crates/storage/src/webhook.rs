//! Webhook endpoints and the log of attempts. Deliveries have their own file, [`delivery`](crate::delivery).

use diesel::prelude::*;
use vintem_domain::account::Owner;
use vintem_domain::event::EventId;
use vintem_domain::ports::{WebhookRead, WebhookTx};
use vintem_domain::webhook::{
    Attempt, AttemptOutcome, Delivery, DisabledBecause, Endpoint, Outbox, ServerId, WebhookUrl,
};
use vintem_domain::{Error, Time};

use crate::conn::{on, on_locked};
use crate::delivery;
use crate::schema::{attempts, endpoints};
use crate::value::{Damaged, limit as rows, millis, owner, owner_key, time, ulid};
use crate::view::View;

#[derive(Queryable, Selectable, Insertable, AsChangeset)]
#[diesel(table_name = endpoints, treat_none_as_default_value = false, treat_none_as_null = true)]
struct EndpointRow {
    account: String,
    environment: String,
    url: String,
    sealed_secret: Vec<u8>,
    previous_secret: Option<Vec<u8>>,
    previous_until: Option<i64>,
    disabled_at: Option<i64>,
    disabled_because: Option<String>,
    failing_since: Option<i64>,
    created_at: i64,
}

impl From<&Endpoint> for EndpointRow {
    fn from(endpoint: &Endpoint) -> Self {
        let (account, environment) = owner_key(endpoint.owner);
        let (previous_secret, previous_until) = endpoint.previous.clone().unzip();
        let (disabled_at, disabled_because) = endpoint.disabled.unzip();
        Self {
            account,
            environment: environment.to_owned(),
            url: endpoint.url.as_str().to_owned(),
            sealed_secret: endpoint.sealed_secret.clone(),
            previous_secret,
            previous_until: millis(previous_until),
            disabled_at: millis(disabled_at),
            disabled_because: disabled_because.map(|because| because.as_str().to_owned()),
            failing_since: millis(endpoint.failing_since),
            created_at: endpoint.created_at.millis(),
        }
    }
}

impl TryFrom<EndpointRow> for Endpoint {
    type Error = Damaged;

    fn try_from(row: EndpointRow) -> Result<Self, Damaged> {
        let because = |word: String| {
            DisabledBecause::parse(&word).ok_or(Damaged("endpoints.disabled_because"))
        };
        Ok(Self {
            owner: owner(&row.account, &row.environment)?,
            url: WebhookUrl::parse(&row.url).map_err(|_unreadable| Damaged("endpoints.url"))?,
            sealed_secret: row.sealed_secret,
            previous: row.previous_secret.zip(time(row.previous_until)),
            disabled: time(row.disabled_at).zip(row.disabled_because.map(because).transpose()?),
            failing_since: time(row.failing_since),
            created_at: Time::from_millis(row.created_at),
        })
    }
}

#[derive(Queryable, Selectable, Insertable)]
#[diesel(table_name = attempts, treat_none_as_default_value = false)]
struct AttemptRow {
    account: String,
    environment: String,
    event: String,
    number: i64,
    started_at: i64,
    duration_ms: i64,
    outcome: String,
    status: Option<i64>,
    error: Option<String>,
    answer: String,
}

impl From<&Attempt> for AttemptRow {
    fn from(attempt: &Attempt) -> Self {
        let (account, environment) = owner_key(attempt.owner);
        Self {
            account,
            environment: environment.to_owned(),
            event: attempt.event.0.to_string(),
            number: attempt.number,
            started_at: attempt.started_at.millis(),
            duration_ms: attempt.duration_ms,
            outcome: attempt.outcome.as_str().to_owned(),
            status: attempt.status.map(i64::from),
            error: attempt.error.as_deref().map(without_nul),
            answer: without_nul(&attempt.answer),
        }
    }
}

/// PostgreSQL keeps no NUL in a text, and an endpoint may answer anything.
fn without_nul(text: &str) -> String {
    text.replace('\0', "\u{fffd}")
}

impl TryFrom<AttemptRow> for Attempt {
    type Error = Damaged;

    fn try_from(row: AttemptRow) -> Result<Self, Damaged> {
        let status = row.status.map(u16::try_from).transpose();
        Ok(Self {
            owner: owner(&row.account, &row.environment)?,
            event: EventId(ulid(&row.event)?),
            number: row.number,
            started_at: Time::from_millis(row.started_at),
            duration_ms: row.duration_ms,
            outcome: AttemptOutcome::parse(&row.outcome).ok_or(Damaged("attempts.outcome"))?,
            status: status.map_err(|_unreadable| Damaged("attempts.status"))?,
            error: row.error,
            answer: row.answer,
        })
    }
}

impl WebhookRead for View<'_, '_> {
    fn endpoint(&mut self, owner: Owner) -> Result<Option<Endpoint>, Error> {
        self.one(|conn| {
            on!(conn, c => endpoints::table
                .find(owner_key(owner))
                .select(EndpointRow::as_select())
                .get_result(c)
                .optional())
        })
    }

    fn delivery(&mut self, owner: Owner, event: EventId) -> Result<Option<Delivery>, Error> {
        delivery::find(self, owner, event)
    }

    fn attempts(&mut self, owner: Owner, event: EventId) -> Result<Vec<Attempt>, Error> {
        let (account, environment) = owner_key(owner);
        self.all(|conn| {
            on!(conn, c => attempts::table
                .filter(attempts::account.eq(&account))
                .filter(attempts::environment.eq(environment))
                .filter(attempts::event.eq(event.0.to_string()))
                .select(AttemptRow::as_select())
                .order(attempts::number)
                .load(c))
        })
    }

    fn latest_attempts(&mut self, owner: Owner, limit: usize) -> Result<Vec<Attempt>, Error> {
        let (account, environment) = owner_key(owner);
        self.all(|conn| {
            on!(conn, c => attempts::table
                .filter(attempts::account.eq(&account))
                .filter(attempts::environment.eq(environment))
                .select(AttemptRow::as_select())
                .order((
                    attempts::started_at.desc(),
                    attempts::event.desc(),
                    attempts::number.desc(),
                ))
                .limit(rows(limit))
                .load(c))
        })
    }

    fn failed_deliveries(
        &mut self,
        owner: Owner,
        since: Time,
        after: Option<EventId>,
        limit: usize,
    ) -> Result<Vec<Delivery>, Error> {
        delivery::failed(self, owner, since, after, limit)
    }

    fn owners_with_due_deliveries(&mut self, now: Time, limit: usize) -> Result<Vec<Owner>, Error> {
        delivery::owners_with_due(self, now, limit)
    }

    fn outbox(&mut self, now: Time) -> Result<Outbox, Error> {
        delivery::outbox(self, now)
    }
}

impl WebhookTx for View<'_, '_> {
    fn endpoint_for_update(&mut self, owner: Owner) -> Result<Option<Endpoint>, Error> {
        self.one(|conn| {
            on_locked!(conn, c => endpoints::table
                .find(owner_key(owner))
                .select(EndpointRow::as_select()),
                get_result(c).optional())
        })
    }

    fn save_endpoint(&mut self, endpoint: &Endpoint) -> Result<(), Error> {
        let row = EndpointRow::from(endpoint);
        self.write_one("endpoints", |conn| {
            on!(conn, c => diesel::insert_into(endpoints::table)
                .values(&row)
                .on_conflict((endpoints::account, endpoints::environment))
                .do_update()
                .set(&row)
                .execute(c))
        })
    }

    fn insert_delivery(&mut self, delivery: &Delivery) -> Result<(), Error> {
        delivery::insert(self, delivery)
    }

    fn delivery_for_update(
        &mut self,
        owner: Owner,
        event: EventId,
    ) -> Result<Option<Delivery>, Error> {
        delivery::for_update(self, owner, event)
    }

    fn due_deliveries_for_update(
        &mut self,
        owner: Owner,
        now: Time,
        limit: usize,
    ) -> Result<Vec<(Delivery, String)>, Error> {
        delivery::due_for_update(self, owner, now, limit)
    }

    fn leased_deliveries_for_update(&mut self, limit: usize) -> Result<Vec<Delivery>, Error> {
        delivery::leased_for_update(self, limit)
    }

    fn accept_delivery(
        &mut self,
        owner: Owner,
        event: EventId,
        number: i64,
        server: ServerId,
    ) -> Result<bool, Error> {
        delivery::accept(self, owner, event, number, server)
    }

    fn save_deliveries(&mut self, deliveries: &[Delivery]) -> Result<(), Error> {
        delivery::save(self, deliveries)
    }

    fn insert_attempts(&mut self, attempts: &[Attempt]) -> Result<(), Error> {
        for attempt in attempts {
            let row = AttemptRow::from(attempt);
            self.write_one(
                "attempts",
                |conn| on!(conn, c => diesel::insert_into(attempts::table).values(&row).execute(c)),
            )?;
        }
        Ok(())
    }

    fn forget_attempts(&mut self, before: Time, limit: usize) -> Result<usize, Error> {
        let old: Vec<(String, String, String, i64)> = self.ask(|conn| {
            on!(conn, c => attempts::table
                .filter(attempts::started_at.lt(before.millis()))
                .select((attempts::account, attempts::environment, attempts::event, attempts::number))
                .order(attempts::started_at)
                .limit(rows(limit))
                .load(c))
        })?;
        let mut forgotten = 0;
        for (account, environment, event, number) in &old {
            forgotten += self.ask(|conn| {
                on!(conn, c => diesel::delete(
                        attempts::table.find((account, environment, event, number)),
                    )
                    .execute(c))
            })?;
        }
        Ok(forgotten)
    }
}
