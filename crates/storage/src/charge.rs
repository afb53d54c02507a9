//! Charges. What else belongs to receiving money has its own files: [`receipt`](crate::receipt), [`returns`](crate::returns),
//! [`idempotency`](crate::idempotency).

use diesel::prelude::*;
use vintem_domain::account::{Origin, Owner};
use vintem_domain::boleto::{Barcode, Slip};
use vintem_domain::brcode::TxId;
use vintem_domain::charge::{
    Charge, ChargeId, ChargeKind, Customer, FailedBy, Failure, Metadata, Payment, PaymentId,
    Receipt, Return, ReturnKey, Status,
};
use vintem_domain::idempotency::{IdempotencyKey, Record, Route};
use vintem_domain::ports::{ChargeRead, ChargeTx};
use vintem_domain::provider::Payer;
use vintem_domain::text::{Email, Phone};
use vintem_domain::transaction::{Page, Transaction};
use vintem_domain::{Centavos, Error, Time};

use crate::boleto::BoletoKey;
use crate::conn::{Conn, on, on_locked};
use crate::kept::update;
use crate::schema::charges;
use crate::value::{Damaged, document, email, optional, owner, owner_key, text, ulid};
use crate::view::View;
use crate::{boleto, idempotency, receipt, returns, transaction};

/// The stored words of a charge's kind.
pub(crate) const PIX: &str = "pix";
pub(crate) const BOLETO: &str = "boleto";

/// The stored words of a charge's status. EXPIRED is none of them.
pub(crate) const PENDING: &str = "pending";
pub(crate) const PAID: &str = "paid";
pub(crate) const FAILED: &str = "failed";

#[derive(Queryable, Selectable, Insertable)]
#[diesel(table_name = charges, treat_none_as_default_value = false)]
pub(crate) struct ChargeRow {
    account: String,
    environment: String,
    id: String,
    pub(crate) kind: String,
    origin: String,
    amount: i64,
    net_amount: i64,
    description: Option<String>,
    customer_name: Option<String>,
    customer_email: Option<String>,
    customer_cellphone: Option<String>,
    customer_tax_id: Option<String>,
    metadata: Option<String>,
    txid: String,
    br_code: String,
    expires_at: i64,
    created_at: i64,
    #[diesel(embed)]
    status: StatusColumns,
}

/// What changes in the life of a charge.
#[derive(Queryable, Selectable, Insertable, Default)]
#[diesel(table_name = charges, treat_none_as_default_value = false)]
pub(crate) struct StatusColumns {
    status: String,
    paid_at: Option<i64>,
    payer_name: Option<String>,
    payer_document: Option<String>,
    payer_bank: Option<String>,
    end_to_end_id: Option<String>,
    failed_at: Option<i64>,
    failed_by: Option<String>,
    failure_reason: Option<String>,
}

impl From<&Status> for StatusColumns {
    fn from(status: &Status) -> Self {
        match status {
            Status::Pending => Self {
                status: PENDING.to_owned(),
                ..Self::default()
            },
            Status::Paid(payment) => Self {
                status: PAID.to_owned(),
                paid_at: Some(payment.paid_at.millis()),
                payer_name: payment.payer.name.clone(),
                payer_document: payment.payer.document.clone(),
                payer_bank: payment.payer.bank.clone(),
                end_to_end_id: Some(payment.end_to_end_id.to_string()),
                ..Self::default()
            },
            Status::Failed(failure) => Self {
                status: FAILED.to_owned(),
                failed_at: Some(failure.failed_at.millis()),
                failed_by: Some(failure.by.as_str().to_owned()),
                failure_reason: Some(failure.reason.clone()),
                ..Self::default()
            },
        }
    }
}

impl TryFrom<StatusColumns> for Status {
    type Error = Damaged;

    fn try_from(row: StatusColumns) -> Result<Self, Damaged> {
        match (row.status.as_str(), row.paid_at, row.failed_at) {
            (PENDING, None, None) => Ok(Self::Pending),
            (PAID, Some(paid_at), None) => Ok(Self::Paid(Payment {
                paid_at: Time::from_millis(paid_at),
                payer: Payer {
                    name: row.payer_name,
                    document: row.payer_document,
                    bank: row.payer_bank,
                },
                end_to_end_id: PaymentId::restore(row.end_to_end_id.unwrap_or_default()),
            })),
            (FAILED, None, Some(failed_at)) => Ok(Self::Failed(Failure {
                failed_at: Time::from_millis(failed_at),
                by: FailedBy::parse(&row.failed_by.unwrap_or_default())
                    .ok_or(Damaged("charges.failed_by"))?,
                reason: row.failure_reason.unwrap_or_default(),
            })),
            _ => Err(Damaged("charges.status")),
        }
    }
}

impl From<&Charge> for ChargeRow {
    fn from(charge: &Charge) -> Self {
        let (account, environment) = owner_key(charge.owner);
        let customer = &charge.customer;
        Self {
            account,
            environment: environment.to_owned(),
            id: charge.id.0.to_string(),
            kind: match charge.kind {
                ChargeKind::PixQrCode => PIX,
                ChargeKind::Boleto(_) => BOLETO,
            }
            .to_owned(),
            origin: charge.origin.as_str().to_owned(),
            amount: charge.amount.get(),
            net_amount: charge.net_amount.get(),
            description: charge.description.as_ref().map(ToString::to_string),
            customer_name: customer.name.as_ref().map(ToString::to_string),
            customer_email: customer.email.as_ref().map(ToString::to_string),
            customer_cellphone: customer
                .cellphone
                .as_ref()
                .map(|phone| phone.as_str().to_owned()),
            customer_tax_id: customer.tax_id.as_ref().map(ToString::to_string),
            metadata: charge
                .metadata
                .as_ref()
                .map(|metadata| metadata.as_str().to_owned()),
            txid: charge.txid.as_str().to_owned(),
            br_code: charge.br_code.clone(),
            expires_at: charge.expires_at.millis(),
            created_at: charge.created_at.millis(),
            status: StatusColumns::from(&charge.status),
        }
    }
}

/// A charge as it is stored: its row, and its slip if it is a boleto.
pub(crate) struct Stored(pub(crate) ChargeRow, pub(crate) Option<Slip>);

impl TryFrom<Stored> for Charge {
    type Error = Damaged;

    fn try_from(Stored(row, slip): Stored) -> Result<Self, Damaged> {
        let kind = match (row.kind.as_str(), slip) {
            (PIX, None) => ChargeKind::PixQrCode,
            (BOLETO, Some(slip)) => ChargeKind::Boleto(Box::new(slip)),
            _ => return Err(Damaged("charges.kind")),
        };
        Ok(Self {
            id: ChargeId(ulid(&row.id)?),
            kind,
            owner: owner(&row.account, &row.environment)?,
            origin: Origin::parse(&row.origin).ok_or(Damaged("charges.origin"))?,
            amount: Centavos::new(row.amount),
            net_amount: Centavos::new(row.net_amount),
            description: optional(row.description, text)?,
            customer: Customer {
                name: optional(row.customer_name, text)?,
                email: optional::<_, Email>(row.customer_email, email)?,
                cellphone: optional(row.customer_cellphone, phone)?,
                tax_id: optional(row.customer_tax_id, document)?,
            },
            metadata: row.metadata.map(Metadata::restore),
            txid: TxId::parse(&row.txid).map_err(|_unreadable| Damaged("charges.txid"))?,
            br_code: row.br_code,
            expires_at: Time::from_millis(row.expires_at),
            created_at: Time::from_millis(row.created_at),
            status: row.status.try_into()?,
        })
    }
}

fn phone(stored: &str) -> Result<Phone, Damaged> {
    Phone::parse(stored).map_err(|_unreadable| Damaged("charges.customer_cellphone"))
}

/// Runs a query for one charge. Only a boleto costs a second one, for its slip.
fn find(
    view: &mut View<'_, '_>,
    query: impl FnOnce(Conn<'_>) -> QueryResult<Option<ChargeRow>>,
) -> Result<Option<Charge>, Error> {
    let Some(row) = view.ask(query)? else {
        return Ok(None);
    };
    let slip = match row.kind.as_str() {
        BOLETO => boleto::slip(view, &row.account, &row.environment, &row.id)?,
        _ => None,
    };
    view.read(Stored(row, slip)).map(Some)
}

impl ChargeRead for View<'_, '_> {
    fn charge(&mut self, owner: Owner, id: ChargeId) -> Result<Option<Charge>, Error> {
        let (account, environment) = owner_key(owner);
        find(self, |conn| {
            on!(conn, c => charges::table
                .find((&account, environment, id.0.to_string()))
                .select(ChargeRow::as_select())
                .get_result(c)
                .optional())
        })
    }

    fn charge_of_anyone(&mut self, id: ChargeId) -> Result<Option<Charge>, Error> {
        find(self, |conn| {
            on!(conn, c => charges::table
                .filter(charges::id.eq(id.0.to_string()))
                .select(ChargeRow::as_select())
                .get_result(c)
                .optional())
        })
    }

    fn charge_by_txid(&mut self, txid: &TxId) -> Result<Option<Charge>, Error> {
        find(self, |conn| {
            on!(conn, c => charges::table
                .filter(charges::txid.eq(txid.as_str()))
                .select(ChargeRow::as_select())
                .get_result(c)
                .optional())
        })
    }

    fn boleto_by_token(&mut self, token: &str) -> Result<Option<Charge>, Error> {
        match boleto::by_token(self, token)? {
            Some(BoletoKey { owner, id }) => self.charge(owner, id),
            None => Ok(None),
        }
    }

    fn boleto_by_barcode(&mut self, barcode: &Barcode) -> Result<Option<Charge>, Error> {
        match boleto::by_barcode(self, barcode)? {
            Some(BoletoKey { owner, id }) => self.charge(owner, id),
            None => Ok(None),
        }
    }

    fn transactions(&mut self, owner: Owner, page: Page) -> Result<Vec<Transaction>, Error> {
        transaction::list(self, owner, page)
    }

    fn receipt(&mut self, id: &PaymentId) -> Result<Option<Receipt>, Error> {
        receipt::find(self, id)
    }

    fn receipts(&mut self, owner: Owner, charge: ChargeId) -> Result<Vec<Receipt>, Error> {
        receipt::of_charge(self, owner, charge)
    }

    fn returns(&mut self, owner: Owner, charge: ChargeId) -> Result<Vec<Return>, Error> {
        returns::of_charge(self, owner, charge)
    }

    fn idempotency_record(
        &mut self,
        owner: Owner,
        route: Route,
        key: &IdempotencyKey,
    ) -> Result<Option<Record>, Error> {
        idempotency::find(self, owner, route, key)
    }
}

impl ChargeTx for View<'_, '_> {
    fn insert_charge(&mut self, charge: &Charge) -> Result<(), Error> {
        let row = ChargeRow::from(charge);
        self.write_one(
            "charges",
            |conn| on!(conn, c => diesel::insert_into(charges::table).values(&row).execute(c)),
        )?;
        match &charge.kind {
            ChargeKind::PixQrCode => Ok(()),
            ChargeKind::Boleto(slip) => boleto::insert(self, charge, slip),
        }
    }

    fn charge_for_update(&mut self, owner: Owner, id: ChargeId) -> Result<Option<Charge>, Error> {
        let (account, environment) = owner_key(owner);
        find(self, |conn| {
            on_locked!(conn, c => charges::table
                .find((&account, environment, id.0.to_string()))
                .select(ChargeRow::as_select()),
                get_result(c).optional())
        })
    }

    fn save_charge(&mut self, charge: &Charge) -> Result<(), Error> {
        let (account, environment) = owner_key(charge.owner);
        let row = StatusColumns::from(&charge.status);
        self.write_one("charges", |conn| {
            on!(conn, c => update!(
                    charges::table,
                    charges::account.eq(&account)
                        .and(charges::environment.eq(environment))
                        .and(charges::id.eq(charge.id.0.to_string())) => (
                        charges::status.eq(&row.status),
                        charges::paid_at.eq(row.paid_at),
                        charges::payer_name.eq(&row.payer_name),
                        charges::payer_document.eq(&row.payer_document),
                        charges::payer_bank.eq(&row.payer_bank),
                        charges::end_to_end_id.eq(&row.end_to_end_id),
                        charges::failed_at.eq(row.failed_at),
                        charges::failed_by.eq(&row.failed_by),
                        charges::failure_reason.eq(&row.failure_reason),
                    )
                )
                .execute(c))
        })
    }

    fn insert_receipt(&mut self, receipt: &Receipt) -> Result<bool, Error> {
        receipt::insert(self, receipt)
    }

    fn insert_return(&mut self, returned: &Return) -> Result<(), Error> {
        returns::insert(self, returned)
    }

    fn due_returns_for_update(&mut self, now: Time, limit: usize) -> Result<Vec<Return>, Error> {
        returns::due_for_update(self, now, limit)
    }

    fn return_for_update(&mut self, owner: Owner, id: ReturnKey) -> Result<Option<Return>, Error> {
        returns::for_update(self, owner, id)
    }

    fn save_return(&mut self, returned: &Return) -> Result<(), Error> {
        returns::save(self, returned)
    }

    fn insert_idempotency_record(&mut self, record: &Record) -> Result<bool, Error> {
        idempotency::insert(self, record)
    }
}
