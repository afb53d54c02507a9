//! The list of what an account made.

use diesel::prelude::*;
use vintem_domain::account::{Origin, Owner};
use vintem_domain::charge::StatusName;
use vintem_domain::transaction::{Page, Transaction, TransactionKind};
use vintem_domain::{Centavos, Error, Time};

use crate::charge::{FAILED, PAID, PENDING};
use crate::conn::on;
use crate::schema::charges;
use crate::value::{Damaged, limit, owner_key, time, ulid};
use crate::view::View;

/// Sorts after every ULID: where the first page begins.
const AFTER_ALL: &str = "~";

#[derive(Queryable, Selectable)]
#[diesel(table_name = charges)]
struct TransactionRow {
    id: String,
    status: String,
    amount: i64,
    paid_at: Option<i64>,
    expires_at: i64,
}

impl TryFrom<TransactionRow> for Transaction {
    type Error = Damaged;

    fn try_from(row: TransactionRow) -> Result<Self, Damaged> {
        let status = match row.status.as_str() {
            PENDING => StatusName::Pending,
            PAID => StatusName::Paid,
            FAILED => StatusName::Failed,
            _ => return Err(Damaged("charges.status")),
        };
        Ok(Self {
            id: ulid(&row.id)?,
            kind: TransactionKind::PixQrCode,
            status,
            amount: Centavos::new(row.amount),
            paid_at: time(row.paid_at),
            expires_at: Time::from_millis(row.expires_at),
        })
    }
}

/// A page of what the owner made through the API or the agent endpoint, newest first.
///
/// It reads the primary key backwards from the cursor, so a page costs the same however long the list is.
pub(crate) fn list(
    view: &mut View<'_, '_>,
    owner: Owner,
    page: Page,
) -> Result<Vec<Transaction>, Error> {
    let (account, environment) = owner_key(owner);
    let before = page
        .before
        .map_or_else(|| AFTER_ALL.to_owned(), |id| id.to_string());
    let (api, agent) = (Origin::Api.as_str(), Origin::Agent.as_str());
    view.all(|conn| {
        on!(conn, c => charges::table
            .filter(charges::account.eq(&account))
            .filter(charges::environment.eq(environment))
            .filter(charges::id.lt(&before))
            .filter(charges::origin.eq(api).or(charges::origin.eq(agent)))
            .select(TransactionRow::as_select())
            .order(charges::id.desc())
            .limit(limit(page.limit))
            .load(c))
    })
}
