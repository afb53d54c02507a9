//! Quotes of third-party bills, and who pays a bill.

use diesel::prelude::*;
use vintem_domain::account::Owner;
use vintem_domain::bill::{BillAmounts, BillCode, Quote, QuoteId};
use vintem_domain::payout::PayoutId;
use vintem_domain::ports::{BillRead, BillTx};
use vintem_domain::{Centavos, Error, Time};

use crate::conn::on;
use crate::kept::kept;
use crate::payout::IdRow;
use crate::schema::{bill_titles as titles, quotes};
use crate::value::{Damaged, date, owner, owner_key, ulid};
use crate::view::View;

#[derive(Queryable, Selectable, Insertable)]
#[diesel(table_name = quotes, treat_none_as_default_value = false)]
struct QuoteRow {
    account: String,
    environment: String,
    id: String,
    barcode: String,
    bank: Option<String>,
    beneficiary: Option<String>,
    due_date: String,
    payable: bool,
    original: i64,
    interest: i64,
    fine: i64,
    discount: i64,
    rebate: i64,
    total: i64,
    provider_fee: i64,
    service_fee: i64,
    expires_at: i64,
    created_at: i64,
}

impl From<&Quote> for QuoteRow {
    fn from(quote: &Quote) -> Self {
        let (account, environment) = owner_key(quote.owner);
        let amounts = &quote.amounts;
        Self {
            account,
            environment: environment.to_owned(),
            id: quote.id.0.to_string(),
            barcode: quote.code.as_str().to_owned(),
            bank: quote.bank.clone(),
            beneficiary: quote.beneficiary.clone(),
            due_date: quote.due_date.to_string(),
            payable: quote.payable,
            original: amounts.original.get(),
            interest: amounts.interest.get(),
            fine: amounts.fine.get(),
            discount: amounts.discount.get(),
            rebate: amounts.rebate.get(),
            total: amounts.total.get(),
            provider_fee: quote.provider_fee.get(),
            service_fee: quote.service_fee.get(),
            expires_at: quote.expires_at.millis(),
            created_at: quote.created_at.millis(),
        }
    }
}

impl TryFrom<QuoteRow> for Quote {
    type Error = Damaged;

    fn try_from(row: QuoteRow) -> Result<Self, Damaged> {
        Ok(Self {
            id: QuoteId(ulid(&row.id)?),
            owner: owner(&row.account, &row.environment)?,
            code: BillCode::parse(&row.barcode).map_err(|_unreadable| Damaged("quotes.barcode"))?,
            bank: row.bank,
            beneficiary: row.beneficiary,
            due_date: date(&row.due_date)?,
            payable: row.payable,
            amounts: BillAmounts {
                original: Centavos::new(row.original),
                interest: Centavos::new(row.interest),
                fine: Centavos::new(row.fine),
                discount: Centavos::new(row.discount),
                rebate: Centavos::new(row.rebate),
                total: Centavos::new(row.total),
            },
            provider_fee: Centavos::new(row.provider_fee),
            service_fee: Centavos::new(row.service_fee),
            expires_at: Time::from_millis(row.expires_at),
            created_at: Time::from_millis(row.created_at),
        })
    }
}

impl BillRead for View<'_, '_> {
    fn quote(&mut self, owner: Owner, id: QuoteId) -> Result<Option<Quote>, Error> {
        let (account, environment) = owner_key(owner);
        self.one(|conn| {
            on!(conn, c => quotes::table
                .find((&account, environment, id.0.to_string()))
                .select(QuoteRow::as_select())
                .get_result(c)
                .optional())
        })
    }

    fn title_payment(&mut self, owner: Owner, barcode: &str) -> Result<Option<PayoutId>, Error> {
        let (account, environment) = owner_key(owner);
        self.one(|conn| {
            on!(conn, c => titles::table
                .find((&account, environment, barcode))
                .select((titles::payout,))
                .get_result::<IdRow>(c)
                .optional())
        })
    }
}

impl BillTx for View<'_, '_> {
    fn insert_quote(&mut self, quote: &Quote) -> Result<(), Error> {
        let row = QuoteRow::from(quote);
        self.write_one(
            "quotes",
            |conn| on!(conn, c => diesel::insert_into(quotes::table).values(&row).execute(c)),
        )
    }

    /// PostgreSQL makes the second of two racing inserts wait for the first one's commit, so its `false` can be relied on.
    fn claim_title(
        &mut self,
        owner: Owner,
        barcode: &str,
        payment: PayoutId,
    ) -> Result<bool, Error> {
        let (account, environment) = owner_key(owner);
        let rows = self.ask(|conn| {
            on!(conn, c => kept!(diesel::insert_into(titles::table)
                .values((
                    titles::account.eq(&account),
                    titles::environment.eq(environment),
                    titles::barcode.eq(barcode),
                    titles::payout.eq(payment.0.to_string()),
                ))
                .on_conflict((titles::account, titles::environment, titles::barcode))
                .do_nothing())
                .execute(c))
        })?;
        Ok(rows == 1)
    }

    fn release_title(&mut self, owner: Owner, barcode: &str) -> Result<(), Error> {
        let (account, environment) = owner_key(owner);
        self.ask(|conn| {
            on!(conn, c => diesel::delete(titles::table.find((&account, environment, barcode)))
                .execute(c))
        })?;
        Ok(())
    }
}
