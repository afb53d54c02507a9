//! Idempotency keys.

use diesel::prelude::*;
use vintem_domain::account::Owner;
use vintem_domain::idempotency::{Attempt, IdempotencyKey, Record, Route};
use vintem_domain::{Error, Time};

use crate::conn::on;
use crate::kept::kept;
use crate::schema::idempotency_records as records;
use crate::value::{Damaged, bytes32, owner_key, ulid};
use crate::view::View;

/// What a row holds beside its key.
#[derive(Queryable, Selectable)]
#[diesel(table_name = records)]
struct RecordRow {
    body_digest: Vec<u8>,
    object: String,
    created_at: i64,
}

/// What the owner's first request with this key made.
pub(crate) fn find(
    view: &mut View<'_, '_>,
    owner: Owner,
    route: Route,
    key: &IdempotencyKey,
) -> Result<Option<Record>, Error> {
    let (account, environment) = owner_key(owner);
    let found: Option<Found> = view.one(|conn| {
        on!(conn, c => records::table
            .find((&account, environment, route.as_str(), key.as_str()))
            .select(RecordRow::as_select())
            .get_result(c)
            .optional())
    })?;
    Ok(found.map(|found| Record {
        owner,
        route,
        attempt: Attempt {
            key: key.clone(),
            body_digest: found.body_digest,
        },
        object: found.object,
        created_at: found.created_at,
    }))
}

struct Found {
    body_digest: [u8; 32],
    object: vintem_domain::id::Ulid,
    created_at: Time,
}

impl TryFrom<RecordRow> for Found {
    type Error = Damaged;

    fn try_from(row: RecordRow) -> Result<Self, Damaged> {
        Ok(Self {
            body_digest: bytes32(row.body_digest)?,
            object: ulid(&row.object)?,
            created_at: Time::from_millis(row.created_at),
        })
    }
}

/// Remembers a key; `false` when the owner used it on this route before.
///
/// PostgreSQL makes the second of two racing inserts wait for the first one's commit, so its `false` can be relied on.
pub(crate) fn insert(view: &mut View<'_, '_>, record: &Record) -> Result<bool, Error> {
    let (account, environment) = owner_key(record.owner);
    let rows = view.ask(|conn| {
        on!(conn, c => kept!(diesel::insert_into(records::table)
            .values((
                records::account.eq(&account),
                records::environment.eq(environment),
                records::route.eq(record.route.as_str()),
                records::key.eq(record.attempt.key.as_str()),
                records::body_digest.eq(record.attempt.body_digest.as_slice()),
                records::object.eq(record.object.to_string()),
                records::created_at.eq(record.created_at.millis()),
            ))
            .on_conflict((records::account, records::environment, records::route, records::key))
            .do_nothing())
            .execute(c))
    })?;
    Ok(rows == 1)
}
