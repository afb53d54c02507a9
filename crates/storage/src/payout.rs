//! Money on its way out: withdrawals and payments of third-party bills.

use diesel::prelude::*;
use diesel::sql_types::{BigInt, Nullable};
use vintem_domain::account::{Origin, Owner};
use vintem_domain::bill::{ExternalId, QuoteId};
use vintem_domain::payout::{
    Backlog, BillOrder, Payout, PayoutId, PayoutStatus, Purpose, Step, Withdrawal,
};
use vintem_domain::pix_key::PixKeyKind;
use vintem_domain::ports::{PayoutRead, PayoutTx};
use vintem_domain::provider::KeyOwner;
use vintem_domain::{Centavos, Error, Time};

use crate::conn::{on, on_locked, on_skipping_locked};
use crate::kept::{Bound, FixedCondition, Is, Written, WrittenQuery, update};
use crate::progress::{self, Progress};
use crate::schema::payouts;
use crate::value::{
    Damaged, document, limit as rows, optional, owner, owner_key, text, time, ulid,
};
use crate::view::View;

/// The stored words of what a payout is for.
pub(crate) const WITHDRAWAL: &str = "withdrawal";
pub(crate) const BILL: &str = "bill";

#[derive(Queryable, Selectable, Insertable)]
#[diesel(table_name = payouts, treat_none_as_default_value = false)]
pub(crate) struct PayoutRow {
    account: String,
    environment: String,
    id: String,
    origin: String,
    amount: i64,
    net_amount: i64,
    fee: i64,
    #[diesel(embed)]
    purpose: PurposeColumns,
    created_at: i64,
    #[diesel(embed)]
    progress: ProgressColumns,
}

#[derive(Queryable, Selectable, Insertable, Default)]
#[diesel(table_name = payouts, treat_none_as_default_value = false)]
pub(crate) struct PurposeColumns {
    kind: String,
    pix_key: Option<String>,
    pix_key_kind: Option<String>,
    beneficiary_name: Option<String>,
    description: Option<String>,
    payee_document: Option<String>,
    payee_name: Option<String>,
    quote: Option<String>,
    barcode: Option<String>,
    external_id: Option<String>,
}

/// What changes in the life of a payout.
#[derive(Queryable, Selectable, Insertable)]
#[diesel(table_name = payouts, treat_none_as_default_value = false)]
pub(crate) struct ProgressColumns {
    status: String,
    ended_at: Option<i64>,
    authentication: Option<String>,
    failure_reason: Option<String>,
    phase: String,
    tries: i64,
    due_at: i64,
}

impl From<&Purpose> for PurposeColumns {
    fn from(purpose: &Purpose) -> Self {
        match purpose {
            Purpose::Withdrawal(to) => Self {
                kind: WITHDRAWAL.to_owned(),
                pix_key: Some(to.pix_key.clone()),
                pix_key_kind: Some(to.pix_key_kind.to_owned()),
                beneficiary_name: to.beneficiary_name.as_ref().map(ToString::to_string),
                description: to.description.as_ref().map(ToString::to_string),
                payee_document: Some(to.payee.document.as_str().to_owned()),
                payee_name: to.payee.name.clone(),
                ..Self::default()
            },
            Purpose::Bill(order) => Self {
                kind: BILL.to_owned(),
                quote: Some(order.quote.0.to_string()),
                barcode: Some(order.barcode.clone()),
                external_id: Some(order.external_id.to_string()),
                ..Self::default()
            },
        }
    }
}

impl TryFrom<PurposeColumns> for Purpose {
    type Error = Damaged;

    fn try_from(row: PurposeColumns) -> Result<Self, Damaged> {
        let damaged = Damaged("payouts.kind");
        match row.kind.as_str() {
            WITHDRAWAL => Ok(Self::Withdrawal(Withdrawal {
                pix_key: row.pix_key.ok_or(damaged)?,
                pix_key_kind: row
                    .pix_key_kind
                    .and_then(|word| PixKeyKind::parse(&word))
                    .ok_or(damaged)?
                    .as_str(),
                beneficiary_name: optional(row.beneficiary_name, text)?,
                description: optional(row.description, text)?,
                payee: KeyOwner {
                    document: document(&row.payee_document.ok_or(damaged)?)?,
                    name: row.payee_name,
                },
            })),
            BILL => Ok(Self::Bill(BillOrder {
                quote: QuoteId(ulid(&row.quote.ok_or(damaged)?)?),
                barcode: row.barcode.ok_or(damaged)?,
                external_id: ExternalId::parse(&row.external_id.ok_or(damaged)?)
                    .map_err(|_no_name| damaged)?,
            })),
            _ => Err(damaged),
        }
    }
}

impl From<&Payout> for ProgressColumns {
    fn from(payout: &Payout) -> Self {
        let progress = Progress::of(&payout.status, payout.step);
        Self {
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

impl ProgressColumns {
    fn read(self) -> Result<(PayoutStatus, Step), Damaged> {
        let status = progress::status(
            &self.status,
            self.ended_at,
            self.authentication,
            self.failure_reason,
        )?;
        Ok((
            status,
            progress::step(&self.phase, self.tries, self.due_at)?,
        ))
    }
}

impl From<&Payout> for PayoutRow {
    fn from(payout: &Payout) -> Self {
        let (account, environment) = owner_key(payout.owner);
        Self {
            account,
            environment: environment.to_owned(),
            id: payout.id.0.to_string(),
            origin: payout.origin.as_str().to_owned(),
            amount: payout.amount.get(),
            net_amount: payout.net_amount.get(),
            fee: payout.fee.get(),
            purpose: PurposeColumns::from(&payout.purpose),
            created_at: payout.created_at.millis(),
            progress: ProgressColumns::from(payout),
        }
    }
}

impl TryFrom<PayoutRow> for Payout {
    type Error = Damaged;

    fn try_from(row: PayoutRow) -> Result<Self, Damaged> {
        let (status, step) = row.progress.read()?;
        Ok(Self {
            id: PayoutId(ulid(&row.id)?),
            owner: owner(&row.account, &row.environment)?,
            origin: Origin::parse(&row.origin).ok_or(Damaged("payouts.origin"))?,
            purpose: row.purpose.try_into()?,
            amount: Centavos::new(row.amount),
            net_amount: Centavos::new(row.net_amount),
            fee: Centavos::new(row.fee),
            status,
            step,
            created_at: Time::from_millis(row.created_at),
        })
    }
}

struct Pending;

impl FixedCondition for Pending {
    const SQL: &'static str = "payouts.status = 'pending'";
}

/// What counts for the limit of a day.
struct Counts;

impl FixedCondition for Counts {
    const SQL: &'static str = "payouts.kind = 'withdrawal' AND payouts.status <> 'failed'";
}

/// diesel cannot cast the sum, which PostgreSQL makes larger than a number of centavos.
struct Withdrawn;

impl WrittenQuery for Withdrawn {
    const SQL: &'static str = "\
        SELECT CAST(COALESCE(SUM(amount), 0) AS BIGINT) FROM payouts \
        WHERE account = ? AND environment = ? AND kind = 'withdrawal' AND status <> 'failed' \
        AND created_at >= ? AND created_at < ?";

    type SqlType = BigInt;
}

/// Reads nothing but payouts under way, of which there are few.
struct UnderWay;

impl WrittenQuery for UnderWay {
    const SQL: &'static str = "\
        SELECT COUNT(*), COUNT(CASE WHEN due_at <= ? THEN 1 END), COUNT(CASE WHEN tries >= ? THEN 1 END), MIN(due_at) \
        FROM payouts WHERE status = 'pending'";

    type SqlType = (BigInt, BigInt, BigInt, Nullable<BigInt>);
}

/// The id of a payout alone, as a table holds it.
#[derive(Queryable)]
pub(crate) struct IdRow {
    id: String,
}

impl TryFrom<IdRow> for PayoutId {
    type Error = Damaged;

    fn try_from(row: IdRow) -> Result<Self, Damaged> {
        ulid(&row.id).map(Self)
    }
}

impl PayoutRead for View<'_, '_> {
    fn payout(&mut self, owner: Owner, id: PayoutId) -> Result<Option<Payout>, Error> {
        let (account, environment) = owner_key(owner);
        self.one(|conn| {
            on!(conn, c => payouts::table
                .find((&account, environment, id.0.to_string()))
                .select(PayoutRow::as_select())
                .get_result(c)
                .optional())
        })
    }

    fn payout_of_anyone(&mut self, id: PayoutId) -> Result<Option<Payout>, Error> {
        self.one(|conn| {
            on!(conn, c => payouts::table
                .filter(payouts::id.eq(id.0.to_string()))
                .select(PayoutRow::as_select())
                .get_result(c)
                .optional())
        })
    }

    fn payout_backlog(&mut self, now: Time) -> Result<Backlog, Error> {
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

    fn withdrawn(&mut self, owner: Owner, from: Time, until: Time) -> Result<Centavos, Error> {
        let (account, environment) = owner_key(owner);
        let sum = self.ask(|conn| {
            on!(conn, c => Written::<Withdrawn, 4>::new([
                Bound::Text(&account),
                Bound::Text(environment),
                Bound::Number(from.millis()),
                Bound::Number(until.millis()),
            ])
            .get_result(c))
        })?;
        Ok(Centavos::new(sum))
    }

    fn same_withdrawal(
        &mut self,
        owner: Owner,
        key: &str,
        amount: Centavos,
        since: Time,
    ) -> Result<Option<PayoutId>, Error> {
        let (account, environment) = owner_key(owner);
        self.one(|conn| {
            on!(conn, c => payouts::table
                .filter(payouts::account.eq(&account))
                .filter(payouts::environment.eq(environment))
                .filter(Is::<Counts>::new())
                .filter(payouts::created_at.ge(since.millis()))
                .filter(payouts::amount.eq(amount.get()))
                .filter(payouts::pix_key.eq(key))
                .select((payouts::id,))
                .order((payouts::created_at.desc(), payouts::id.desc()))
                .first::<IdRow>(c)
                .optional())
        })
    }
}

impl PayoutTx for View<'_, '_> {
    fn insert_payout(&mut self, payout: &Payout) -> Result<(), Error> {
        let row = PayoutRow::from(payout);
        self.write_one(
            "payouts",
            |conn| on!(conn, c => diesel::insert_into(payouts::table).values(&row).execute(c)),
        )
    }

    fn payout_for_update(&mut self, owner: Owner, id: PayoutId) -> Result<Option<Payout>, Error> {
        let (account, environment) = owner_key(owner);
        self.one(|conn| {
            on_locked!(conn, c => payouts::table
                .find((&account, environment, id.0.to_string()))
                .select(PayoutRow::as_select()),
                get_result(c).optional())
        })
    }

    fn due_payouts_for_update(&mut self, now: Time, limit: usize) -> Result<Vec<Payout>, Error> {
        self.all(|conn| {
            on_skipping_locked!(conn, c => payouts::table
                .filter(Is::<Pending>::new())
                .filter(payouts::due_at.le(now.millis()))
                .select(PayoutRow::as_select())
                .order((payouts::due_at, payouts::id))
                .limit(rows(limit)),
                load(c))
        })
    }

    fn save_payout(&mut self, payout: &Payout) -> Result<(), Error> {
        let (account, environment) = owner_key(payout.owner);
        let row = ProgressColumns::from(payout);
        self.write_one("payouts", |conn| {
            on!(conn, c => update!(
                    payouts::table,
                    payouts::account.eq(&account)
                        .and(payouts::environment.eq(environment))
                        .and(payouts::id.eq(payout.id.0.to_string())) => (
                        payouts::status.eq(&row.status),
                        payouts::ended_at.eq(row.ended_at),
                        payouts::authentication.eq(&row.authentication),
                        payouts::failure_reason.eq(&row.failure_reason),
                        payouts::phase.eq(&row.phase),
                        payouts::tries.eq(row.tries),
                        payouts::due_at.eq(row.due_at),
                    )
                )
                .execute(c))
        })
    }
}
