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

#[cfg(test)]
mod tests {
    use diesel::connection::SimpleConnection;
    use diesel::{PgConnection, SqliteConnection, sql_query};

    use super::*;
    use crate::{Database, Options};

    fn migrate(url: &str) {
        let database = Database::open(url, &Options::default()).unwrap();
        database.migrate().unwrap();
    }

    fn assert_read_from_what_lists_show(plan: &str) {
        for index in ["charges_listed", "payouts_listed"] {
            assert!(plan.contains(index), "{plan}");
        }
        for other in [
            "charges_pkey",
            "payouts_pkey",
            "_by_",
            "autoindex",
            "Seq Scan",
        ] {
            assert!(!plan.contains(other), "{plan}");
        }
    }

    #[derive(QueryableByName)]
    struct SqliteStep {
        #[diesel(sql_type = Text)]
        detail: String,
    }

    #[test]
    fn sqlite_reads_a_page_from_what_lists_show() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("list.db");
        let path = path.to_str().unwrap();
        migrate(&format!("sqlite://{path}"));
        let mut connection = SqliteConnection::establish(path).unwrap();
        let explain = format!("EXPLAIN QUERY PLAN {}", Listed::SQL);
        let steps: Vec<SqliteStep> = sql_query(explain).load(&mut connection).unwrap();
        let plan: Vec<String> = steps.into_iter().map(|step| step.detail).collect();
        assert_read_from_what_lists_show(&plan.join("\n"));
    }

    /// One owner has nearly everything: the statistics say that owner and environment tell nothing apart.
    const ONE_LARGE_OWNER: &str = "\
        INSERT INTO charges (account, environment, id, kind, origin, amount, net_amount, txid, br_code, expires_at, created_at, status) \
        SELECT repeat('0', 26), 'live', lpad(n::text, 26, '0'), 'pix', 'api', 200, 120, n, '', 1, 0, 'pending' \
        FROM generate_series(1, 9000) AS n; \
        INSERT INTO payouts (account, environment, id, kind, origin, amount, net_amount, fee, pix_key, pix_key_kind, \
            payee_document, created_at, status, phase, tries, due_at) \
        SELECT repeat('0', 26), 'live', lpad(n::text, 26, '0'), 'withdrawal', 'api', 200, 100, 100, 'x', 'EVP', \
            'x', 0, 'pending', 'unsent', 0, 0 \
        FROM generate_series(1, 9000) AS n; \
        ANALYZE;";

    #[derive(QueryableByName)]
    struct PostgresStep {
        #[diesel(sql_type = Text, column_name = "QUERY PLAN")]
        detail: String,
    }

    #[test]
    fn postgres_reads_a_page_from_what_lists_show_however_its_rows_are_spread() {
        let database = vintem_tests::postgres::Database::create().unwrap();
        migrate(database.url());
        let mut connection = PgConnection::establish(database.url()).unwrap();
        connection.batch_execute(ONE_LARGE_OWNER).unwrap();
        let mut parts = Listed::SQL.split('?');
        let first = parts.next().unwrap().to_owned();
        let text = parts
            .zip(1..)
            .fold(first, |text, (part, n)| format!("{text}${n}{part}"));
        let list = "(text, text, text, bigint, text, text, text, bigint, bigint)";
        let prepare = format!("PREPARE list {list} AS {text}");
        connection.batch_execute(&prepare).unwrap();
        for mode in ["generic", "custom"] {
            let setting = format!("SET plan_cache_mode = force_{mode}_plan");
            connection.batch_execute(&setting).unwrap();
            let page = "'Z', 'live', '~', 100";
            let explain = format!("EXPLAIN EXECUTE list ({page}, {page}, 100)");
            let steps: Vec<PostgresStep> = sql_query(explain).load(&mut connection).unwrap();
            let plan: Vec<String> = steps.into_iter().map(|step| step.detail).collect();
            assert_read_from_what_lists_show(&plan.join("\n"));
        }
    }
}
