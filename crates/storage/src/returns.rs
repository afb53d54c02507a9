//! Payments on their way back to their payers.

use diesel::prelude::*;
use vintem_domain::account::Owner;
use vintem_domain::charge::{ChargeId, PaymentId, Return, ReturnKey, ReturnState};
use vintem_domain::{Centavos, Error, Time};

use crate::conn::{on, on_locked, on_skipping_locked};
use crate::kept::{FixedCondition, Is};
use crate::receipt::reason;
use crate::schema::returns;
use crate::value::{Damaged, limit as rows, owner, owner_key, ulid};
use crate::view::View;

const OPEN: &str = "open";
const DONE: &str = "done";
const REFUSED: &str = "refused";

#[derive(Queryable, Selectable, Insertable)]
#[diesel(table_name = returns, treat_none_as_default_value = false)]
pub(crate) struct ReturnRow {
    account: String,
    environment: String,
    id: String,
    charge: String,
    end_to_end_id: String,
    amount: i64,
    reason: String,
    state: String,
    ended_at: Option<i64>,
    provider_id: Option<String>,
    tries: i64,
    due_at: i64,
    created_at: i64,
}

impl From<&Return> for ReturnRow {
    fn from(returned: &Return) -> Self {
        let (account, environment) = owner_key(returned.owner);
        let (state, ended_at, provider_id) = match &returned.state {
            ReturnState::Open => (OPEN, None, None),
            ReturnState::Done { at, provider_id } => (DONE, Some(at), Some(provider_id.clone())),
            ReturnState::Refused { at } => (REFUSED, Some(at), None),
        };
        Self {
            account,
            environment: environment.to_owned(),
            id: returned.id.0.to_string(),
            charge: returned.charge.0.to_string(),
            end_to_end_id: returned.end_to_end_id.to_string(),
            amount: returned.amount.get(),
            reason: returned.reason.as_str().to_owned(),
            state: state.to_owned(),
            ended_at: ended_at.map(|at| at.millis()),
            provider_id,
            tries: returned.tries,
            due_at: returned.due_at.millis(),
            created_at: returned.created_at.millis(),
        }
    }
}

impl TryFrom<ReturnRow> for Return {
    type Error = Damaged;

    fn try_from(row: ReturnRow) -> Result<Self, Damaged> {
        let at = row.ended_at.map(Time::from_millis);
        let state = match (row.state.as_str(), at, row.provider_id) {
            (OPEN, None, None) => ReturnState::Open,
            (DONE, Some(at), Some(provider_id)) => ReturnState::Done { at, provider_id },
            (REFUSED, Some(at), None) => ReturnState::Refused { at },
            _ => return Err(Damaged("returns.state")),
        };
        Ok(Self {
            id: ReturnKey(ulid(&row.id)?),
            owner: owner(&row.account, &row.environment)?,
            charge: ChargeId(ulid(&row.charge)?),
            end_to_end_id: PaymentId::restore(row.end_to_end_id),
            amount: Centavos::new(row.amount),
            reason: reason(&row.reason)?,
            state,
            tries: row.tries,
            due_at: Time::from_millis(row.due_at),
            created_at: Time::from_millis(row.created_at),
        })
    }
}

struct Open;

impl FixedCondition for Open {
    const SQL: &'static str = "returns.state = 'open'";
}

/// All returns of payments for a charge, oldest first.
pub(crate) fn of_charge(
    view: &mut View<'_, '_>,
    owner: Owner,
    charge: ChargeId,
) -> Result<Vec<Return>, Error> {
    let (account, environment) = owner_key(owner);
    view.all(|conn| {
        on!(conn, c => returns::table
            .filter(returns::account.eq(&account))
            .filter(returns::environment.eq(environment))
            .filter(returns::charge.eq(charge.0.to_string()))
            .select(ReturnRow::as_select())
            .order(returns::id)
            .load(c))
    })
}

/// A new return.
pub(crate) fn insert(view: &mut View<'_, '_>, returned: &Return) -> Result<(), Error> {
    let row = ReturnRow::from(returned);
    view.write_one(
        "returns",
        |conn| on!(conn, c => diesel::insert_into(returns::table).values(&row).execute(c)),
    )
}

/// At most `limit` open returns that are due, locked; what another server has locked is left out.
pub(crate) fn due_for_update(
    view: &mut View<'_, '_>,
    now: Time,
    limit: usize,
) -> Result<Vec<Return>, Error> {
    view.all(|conn| {
        on_skipping_locked!(conn, c => returns::table
            .filter(Is::<Open>::new())
            .filter(returns::due_at.le(now.millis()))
            .select(ReturnRow::as_select())
            .order(returns::due_at)
            .limit(rows(limit)),
            load(c))
    })
}

/// The return, locked.
pub(crate) fn for_update(
    view: &mut View<'_, '_>,
    owner: Owner,
    id: ReturnKey,
) -> Result<Option<Return>, Error> {
    let (account, environment) = owner_key(owner);
    view.one(|conn| {
        on_locked!(conn, c => returns::table
            .find((&account, environment, id.0.to_string()))
            .select(ReturnRow::as_select()),
            get_result(c).optional())
    })
}

/// State, tries and due time of a return.
pub(crate) fn save(view: &mut View<'_, '_>, returned: &Return) -> Result<(), Error> {
    let row = ReturnRow::from(returned);
    view.write_one("returns", |conn| {
        on!(conn, c => diesel::update(
                returns::table.find((&row.account, &row.environment, &row.id)),
            )
            .set((
                returns::state.eq(&row.state),
                returns::ended_at.eq(row.ended_at),
                returns::provider_id.eq(&row.provider_id),
                returns::tries.eq(row.tries),
                returns::due_at.eq(row.due_at),
            ))
            .execute(c))
    })
}
