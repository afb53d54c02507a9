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
///
/// The values are written `(SELECT ?)`, where PostgreSQL does not look for them when it plans, so that it plans once and always the same.
/// Of a plan that does not know the limit it expects that a share of the whole list is read: of a long list it would rather plan anew for
/// every page, which takes longer than to read one. And of an owner said to have less than a page it would read and sort all there is,
/// which is much where the statistics are old.
struct Listed;

impl WrittenQuery for Listed {
    const SQL: &'static str = "\
        SELECT id, kind, status, amount, paid_at, expires_at FROM (\
            SELECT * FROM (\
                SELECT id, kind, status, amount, paid_at, expires_at FROM charges \
                WHERE account = (SELECT ?) AND environment = (SELECT ?) AND id < (SELECT ?) \
                AND origin IN ('api', 'agent') ORDER BY id DESC LIMIT (SELECT ?)\
            ) AS charge \
            UNION ALL \
            SELECT * FROM (\
                SELECT id, kind, status, amount, CASE status WHEN 'paid' THEN ended_at END, CAST(NULL AS BIGINT) FROM payouts \
                WHERE account = (SELECT ?) AND environment = (SELECT ?) AND id < (SELECT ?) \
                AND origin IN ('api', 'agent') ORDER BY id DESC LIMIT (SELECT ?)\
            ) AS payout\
        ) AS listed ORDER BY id DESC LIMIT (SELECT ?)";

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

    /// Adds charges and payouts of so many owners, each of whom makes one in turn.
    fn fill(connection: &mut PgConnection, owners: u32, charges: u32, payouts: u32) {
        let statement = format!(
            "INSERT INTO charges (account, environment, id, kind, origin, amount, net_amount, txid, br_code, expires_at, created_at, status) \
             SELECT lpad(({owners} + n % {owners})::text, 26, '0'), 'live', lpad(n::text, 22, '0') || lpad({owners}::text, 4, '0'), \
                 'pix', 'api', 200, 120, '{owners} ' || n, '', 1, 0, 'pending' \
             FROM generate_series(1, {charges}) AS n; \
             INSERT INTO payouts (account, environment, id, kind, origin, amount, net_amount, fee, pix_key, pix_key_kind, \
                 payee_document, created_at, status, phase, tries, due_at) \
             SELECT lpad(({owners} + n % {owners})::text, 26, '0'), 'live', lpad(n::text, 22, '0') || lpad({owners}::text, 4, '0'), \
                 'withdrawal', 'api', 200, 100, 100, 'x', 'EVP', 'x', 0, 'pending', 'unsent', 0, 0 \
             FROM generate_series(1, {payouts}) AS n"
        );
        connection.batch_execute(&statement).unwrap();
    }

    #[derive(QueryableByName)]
    struct PostgresStep {
        #[diesel(sql_type = Text, column_name = "QUERY PLAN")]
        detail: String,
    }

    /// How a page is read by a connection that has read some before and keeps plans in this mode.
    fn postgres_plan(connection: &mut PgConnection, mode: &str, limit: u32) -> String {
        let mut parts = Listed::SQL.split('?');
        let first = parts.next().unwrap().to_owned();
        let text = parts
            .zip(1..)
            .fold(first, |text, (part, n)| format!("{text}${n}{part}"));
        let list = "(text, text, text, bigint, text, text, text, bigint, bigint)";
        let prepare =
            format!("DEALLOCATE ALL; SET plan_cache_mode = {mode}; PREPARE list {list} AS {text}");
        connection.batch_execute(&prepare).unwrap();
        let page = format!("'Z', 'live', '~', {limit}");
        let execute = format!("EXECUTE list ({page}, {page}, {limit})");
        for _ in 0..6 {
            connection.batch_execute(&execute).unwrap();
        }
        let explain = format!("EXPLAIN {execute}");
        let steps: Vec<PostgresStep> = sql_query(explain).load(connection).unwrap();
        let plan: Vec<String> = steps.into_iter().map(|step| step.detail).collect();
        plan.join("\n")
    }

    #[derive(QueryableByName)]
    struct Plans {
        #[diesel(sql_type = BigInt)]
        generic_plans: i64,
    }

    fn assert_read_the_same_way_always(connection: &mut PgConnection) {
        for limit in [2, 101, 1001] {
            for mode in ["force_generic_plan", "force_custom_plan", "auto"] {
                let plan = postgres_plan(connection, mode, limit);
                assert_read_from_what_lists_show(&plan);
                for unbounded in ["->  Sort", "Bitmap", "Hash", "Filter"] {
                    assert!(!plan.contains(unbounded), "{mode}, {limit}: {plan}");
                }
            }
            let plans: Plans =
                sql_query("SELECT generic_plans FROM pg_prepared_statements WHERE name = 'list'")
                    .get_result(connection)
                    .unwrap();
            assert!(plans.generic_plans > 0, "{limit}: planned for every page");
        }
    }

    #[test]
    fn postgres_reads_a_page_from_what_lists_show_however_its_rows_are_spread() {
        let database = vintem_tests::postgres::Database::create().unwrap();
        migrate(database.url());
        let mut connection = PgConnection::establish(database.url()).unwrap();
        // One owner has everything. The statistics do not know it yet; then they say that owner and environment tell nothing apart.
        fill(&mut connection, 1, 60_000, 9_000);
        assert_read_the_same_way_always(&mut connection);
        connection.batch_execute("ANALYZE").unwrap();
        assert_read_the_same_way_always(&mut connection);
        // Now they say that an owner they do not name has about a page.
        fill(&mut connection, 300, 30_000, 30_000);
        connection.batch_execute("ANALYZE").unwrap();
        assert_read_the_same_way_always(&mut connection);
    }
}
