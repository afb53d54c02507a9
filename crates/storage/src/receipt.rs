//! Banks' notices that money arrived: one row per end-to-end id.

use diesel::prelude::*;
use vintem_domain::account::Owner;
use vintem_domain::charge::{ChargeId, PaymentId, Receipt, ReturnReason};
use vintem_domain::provider::Payer;
use vintem_domain::{Centavos, Error, Time};

use crate::conn::on;
use crate::kept::kept;
use crate::schema::receipts;
use crate::value::{Damaged, optional, owner, owner_key, ulid};
use crate::view::View;

#[derive(Queryable, Selectable, Insertable)]
#[diesel(table_name = receipts, treat_none_as_default_value = false)]
pub(crate) struct ReceiptRow {
    account: String,
    environment: String,
    charge: String,
    end_to_end_id: String,
    amount: i64,
    paid_at: i64,
    payer_name: Option<String>,
    payer_document: Option<String>,
    payer_bank: Option<String>,
    return_reason: Option<String>,
    received_at: i64,
}

impl From<&Receipt> for ReceiptRow {
    fn from(receipt: &Receipt) -> Self {
        let (account, environment) = owner_key(receipt.owner);
        Self {
            account,
            environment: environment.to_owned(),
            charge: receipt.charge.0.to_string(),
            end_to_end_id: receipt.end_to_end_id.to_string(),
            amount: receipt.amount.get(),
            paid_at: receipt.paid_at.millis(),
            payer_name: receipt.payer.name.clone(),
            payer_document: receipt.payer.document.clone(),
            payer_bank: receipt.payer.bank.clone(),
            return_reason: receipt.returned.map(|reason| reason.as_str().to_owned()),
            received_at: receipt.received_at.millis(),
        }
    }
}

impl TryFrom<ReceiptRow> for Receipt {
    type Error = Damaged;

    fn try_from(row: ReceiptRow) -> Result<Self, Damaged> {
        Ok(Self {
            owner: owner(&row.account, &row.environment)?,
            charge: ChargeId(ulid(&row.charge)?),
            end_to_end_id: PaymentId::restore(row.end_to_end_id),
            amount: Centavos::new(row.amount),
            paid_at: Time::from_millis(row.paid_at),
            payer: Payer {
                name: row.payer_name,
                document: row.payer_document,
                bank: row.payer_bank,
            },
            returned: optional(row.return_reason, reason)?,
            received_at: Time::from_millis(row.received_at),
        })
    }
}

/// Reads why a payment goes back.
pub(crate) fn reason(stored: &str) -> Result<ReturnReason, Damaged> {
    ReturnReason::parse(stored).ok_or(Damaged("reason of a return"))
}

/// The notice with this end-to-end id.
pub(crate) fn find(view: &mut View<'_, '_>, id: &PaymentId) -> Result<Option<Receipt>, Error> {
    view.one(|conn| {
        on!(conn, c => receipts::table
            .filter(receipts::end_to_end_id.eq(id.as_str()))
            .select(ReceiptRow::as_select())
            .get_result(c)
            .optional())
    })
}

/// All notices about a charge, in the order they came.
pub(crate) fn of_charge(
    view: &mut View<'_, '_>,
    owner: Owner,
    charge: ChargeId,
) -> Result<Vec<Receipt>, Error> {
    let (account, environment) = owner_key(owner);
    view.all(|conn| {
        on!(conn, c => receipts::table
            .filter(receipts::account.eq(&account))
            .filter(receipts::environment.eq(environment))
            .filter(receipts::charge.eq(charge.0.to_string()))
            .select(ReceiptRow::as_select())
            .order(receipts::arrival)
            .load(c))
    })
}

/// A new notice; `false` when one with its end-to-end id is there.
pub(crate) fn insert(view: &mut View<'_, '_>, receipt: &Receipt) -> Result<bool, Error> {
    let row = ReceiptRow::from(receipt);
    let rows = view.ask(|conn| {
        on!(conn, c => kept!(diesel::insert_into(receipts::table)
                .values(&row)
                .on_conflict(receipts::end_to_end_id)
                .do_nothing())
            .execute(c))
    })?;
    Ok(rows == 1)
}
