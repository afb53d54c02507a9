//! The list of what an account made: charges of both kinds, withdrawals and bill payments.

use diesel::prelude::*;
use diesel::sql_types::{BigInt, Nullable, Text};
use vintem_domain::account::Owner;
use vintem_domain::charge::StatusName;
use vintem_domain::transaction::{Page, Transaction, TransactionKind};
use vintem_domain::{Centavos, Error};

use crate::charge::{BOLETO, FAILED, PAID, PENDING, PIX};
use crate::conn::on;
use crate::kept::{Bound, Written, WrittenQuery};
use crate::payout::{BILL, WITHDRAWAL};
use crate::value::{Damaged, limit, owner_key, time, ulid};
use crate::view::View;

/// Sorts after every ULID: where the first page begins.
const AFTER_ALL: &str = "~";

/// A page of each table, and of those together a page. Each is read backwards from the cursor in an index that holds nothing but what
/// lists show, so a page costs the same however long the list is, and however much was made in other ways.
///
/// The inner subqueries are there for SQLite, whose parts of a `UNION` have no `LIMIT` of their own. The origins are written out, because
/// only then do the databases see that those indexes will do.
struct Listed;

impl WrittenQuery for Listed {
    const SQL: &'static str = "\
        SELECT id, kind, status, amount, paid_at, expires_at FROM (\
            SELECT * FROM (\
                SELECT id, kind, status, amount, paid_at, expires_at FROM charges \
                WHERE account = ? AND environment = ? AND id < ? AND origin IN ('api', 'agent') \
                ORDER BY id DESC LIMIT ?\
            ) AS charge \
            UNION ALL \
            SELECT * FROM (\
                SELECT id, kind, status, amount, CASE status WHEN 'paid' THEN ended_at END, CAST(NULL AS BIGINT) FROM payouts \
                WHERE account = ? AND environment = ? AND id < ? AND origin IN ('api', 'agent') \
                ORDER BY id DESC LIMIT ?\
            ) AS payout\
        ) AS listed ORDER BY id DESC LIMIT ?";

    type SqlType = (Text, Text, Text, BigInt, Nullable<BigInt>, Nullable<BigInt>);
}

#[derive(Queryable)]
struct TransactionRow {
    id: String,
    kind: String,
    status: String,
    amount: i64,
    paid_at: Option<i64>,
    expires_at: Option<i64>,
}

impl TryFrom<TransactionRow> for Transaction {
    type Error = Damaged;

    fn try_from(row: TransactionRow) -> Result<Self, Damaged> {
        let kind = match row.kind.as_str() {
            PIX => TransactionKind::PixQrCode,
            BOLETO => TransactionKind::Boleto,
            WITHDRAWAL => TransactionKind::Withdraw,
            BILL => TransactionKind::BoletoPayment,
            _ => return Err(Damaged("kind of a transaction")),
        };
        let status = match row.status.as_str() {
            PENDING => StatusName::Pending,
            PAID => StatusName::Paid,
            FAILED => StatusName::Failed,
            _ => return Err(Damaged("status of a transaction")),
        };
        Ok(Self {
            id: ulid(&row.id)?,
            kind,
            status,
            amount: Centavos::new(row.amount),
            paid_at: time(row.paid_at),
            expires_at: time(row.expires_at),
        })
    }
}

/// A page of what the owner made through the API or the agent endpoint, newest first.
pub(crate) fn list(
    view: &mut View<'_, '_>,
    owner: Owner,
    page: Page,
) -> Result<Vec<Transaction>, Error> {
    let (account, environment) = owner_key(owner);
    let before = page
        .before
        .map_or_else(|| AFTER_ALL.to_owned(), |id| id.to_string());
    view.all(|conn| on!(conn, c => query(&account, environment, &before, limit(page.limit)).load::<TransactionRow>(c)))
}

fn query<'a>(
    account: &'a str,
    environment: &'a str,
    before: &'a str,
    limit: i64,
) -> Written<'a, Listed, 9> {
    use Bound::{Number, Text};
    Written::new([
        Text(account),
        Text(environment),
        Text(before),
        Number(limit),
        Text(account),
        Text(environment),
        Text(before),
        Number(limit),
        Number(limit),
    ])
}
