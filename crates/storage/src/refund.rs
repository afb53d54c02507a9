//! Refunds: money on its way back to whoever paid a charge.

use diesel::prelude::*;
use diesel::sql_types::{BigInt, Nullable};
use vintem_domain::account::Owner;
use vintem_domain::charge::{ChargeId, PaymentId};
use vintem_domain::payout::Backlog;
use vintem_domain::ports::{RefundRead, RefundTx};
use vintem_domain::refund::{Refund, RefundId};
use vintem_domain::{Centavos, Error, Time};

use crate::conn::{on, on_locked, on_skipping_locked};
use crate::kept::{Bound, FixedCondition, Is, Written, WrittenQuery, update};
use crate::progress::{self, Progress};
use crate::schema::refunds;
use crate::value::{Damaged, limit as rows, optional, owner, owner_key, text, time, ulid};
use crate::view::View;

#[derive(Queryable, Selectable, Insertable)]
#[diesel(table_name = refunds, treat_none_as_default_value = false)]
pub(crate) struct RefundRow {
    account: String,
    environment: String,
    id: String,
    charge: String,
    end_to_end_id: String,
    amount: i64,
    reason: Option<String>,
    created_at: i64,
    status: String,
    ended_at: Option<i64>,
    authentication: Option<String>,
    failure_reason: Option<String>,
    phase: String,
    tries: i64,
    due_at: i64,
}

impl From<&Refund> for RefundRow {
    fn from(refund: &Refund) -> Self {
        let (account, environment) = owner_key(refund.owner);
        let progress = Progress::of(&refund.status, refund.step);
        Self {
            account,
            environment: environment.to_owned(),
            id: refund.id.0.to_string(),
            charge: refund.charge.0.to_string(),
            end_to_end_id: refund.payment_id.to_string(),
            amount: refund.amount.get(),
            reason: refund.reason.as_ref().map(ToString::to_string),
            created_at: refund.created_at.millis(),
            status: progress.status.to_owned(),
            ended_at: progress.ended_at,
            authentication: progress.authentication,
            failure_reason: progress.failure_reason,
            phase: progress.phase.to_owned(),
            tries: progress.tries,
            due_at: progress.due_at,
        }
    }
}

impl TryFrom<RefundRow> for Refund {
    type Error = Damaged;

    fn try_from(row: RefundRow) -> Result<Self, Damaged> {
        Ok(Self {
            id: RefundId(ulid(&row.id)?),
            owner: owner(&row.account, &row.environment)?,
            charge: ChargeId(ulid(&row.charge)?),
            payment_id: PaymentId::restore(row.end_to_end_id),
            amount: Centavos::new(row.amount),
            reason: optional(row.reason, text)?,
            status: progress::status(
                &row.status,
                row.ended_at,
                row.authentication,
                row.failure_reason,
            )?,
            step: progress::step(&row.phase, row.tries, row.due_at)?,
            created_at: Time::from_millis(row.created_at),
        })
    }
}

struct Pending;

impl FixedCondition for Pending {
    const SQL: &'static str = "refunds.status = 'pending'";
}

/// Reads nothing but refunds under way, of which there are few.
struct UnderWay;

impl WrittenQuery for UnderWay {
    const SQL: &'static str = "\
        SELECT COUNT(*), COUNT(CASE WHEN due_at <= ? THEN 1 END), COUNT(CASE WHEN tries >= ? THEN 1 END), MIN(due_at) \
        FROM refunds WHERE status = 'pending'";

    type SqlType = (BigInt, BigInt, BigInt, Nullable<BigInt>);
}

impl RefundRead for View<'_, '_> {
    fn refund_of_anyone(&mut self, id: RefundId) -> Result<Option<Refund>, Error> {
        self.one(|conn| {
            on!(conn, c => refunds::table
                .filter(refunds::id.eq(id.0.to_string()))
                .select(RefundRow::as_select())
                .get_result(c)
                .optional())
        })
    }

    fn refund(&mut self, owner: Owner, id: RefundId) -> Result<Option<Refund>, Error> {
        let (account, environment) = owner_key(owner);
        self.one(|conn| {
            on!(conn, c => refunds::table
                .find((&account, environment, id.0.to_string()))
                .select(RefundRow::as_select())
                .get_result(c)
                .optional())
        })
    }

    fn refunds(&mut self, owner: Owner, charge: ChargeId) -> Result<Vec<Refund>, Error> {
        let (account, environment) = owner_key(owner);
        self.all(|conn| {
            on!(conn, c => refunds::table
                .filter(refunds::account.eq(&account))
                .filter(refunds::environment.eq(environment))
                .filter(refunds::charge.eq(charge.0.to_string()))
                .select(RefundRow::as_select())
                .order(refunds::id)
                .load(c))
        })
    }

    fn refund_backlog(&mut self, now: Time) -> Result<Backlog, Error> {
        let (pending, due, stuck, oldest) = self.ask(|conn| {
            on!(conn, c => Written::<UnderWay, 2>::new([
                Bound::Number(now.millis()),
                Bound::Number(Backlog::STUCK_TRIES),
            ])
            .get_result(c))
        })?;
        Ok(Backlog {
            pending,
            due,
            stuck,
            oldest_due_at: time(oldest),
        })
    }
}

impl RefundTx for View<'_, '_> {
    fn insert_refund(&mut self, refund: &Refund) -> Result<(), Error> {
        let row = RefundRow::from(refund);
        self.write_one(
            "refunds",
            |conn| on!(conn, c => diesel::insert_into(refunds::table).values(&row).execute(c)),
        )
    }

    fn refund_for_update(&mut self, owner: Owner, id: RefundId) -> Result<Option<Refund>, Error> {
        let (account, environment) = owner_key(owner);
        self.one(|conn| {
            on_locked!(conn, c => refunds::table
                .find((&account, environment, id.0.to_string()))
                .select(RefundRow::as_select()),
                get_result(c).optional())
        })
    }

    fn due_refunds_for_update(&mut self, now: Time, limit: usize) -> Result<Vec<Refund>, Error> {
        self.all(|conn| {
            on_skipping_locked!(conn, c => refunds::table
                .filter(Is::<Pending>::new())
                .filter(refunds::due_at.le(now.millis()))
                .select(RefundRow::as_select())
                .order((refunds::due_at, refunds::id))
                .limit(rows(limit)),
                load(c))
        })
    }

    fn save_refund(&mut self, refund: &Refund) -> Result<(), Error> {
        let (account, environment) = owner_key(refund.owner);
        let row = Progress::of(&refund.status, refund.step);
        self.write_one("refunds", |conn| {
            on!(conn, c => update!(
                    refunds::table,
                    refunds::account.eq(&account)
                        .and(refunds::environment.eq(environment))
                        .and(refunds::id.eq(refund.id.0.to_string())) => (
                        refunds::status.eq(row.status),
                        refunds::ended_at.eq(row.ended_at),
                        refunds::authentication.eq(&row.authentication),
                        refunds::failure_reason.eq(&row.failure_reason),
                        refunds::phase.eq(row.phase),
                        refunds::tries.eq(row.tries),
                        refunds::due_at.eq(row.due_at),
                    )
                )
                .execute(c))
        })
    }
}
