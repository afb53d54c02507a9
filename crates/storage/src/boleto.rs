//! The slips of charges that are boletos.

use diesel::prelude::*;
use vintem_domain::Error;
use vintem_domain::account::Owner;
use vintem_domain::boleto::{Barcode, Cep, Slip, SlipPayer};
use vintem_domain::charge::{Charge, ChargeId};

use crate::conn::on;
use crate::schema::boletos;
use crate::value::{Damaged, date, document, owner, owner_key, text, ulid};
use crate::view::View;

/// What a row holds beside its key.
#[derive(Queryable, Selectable, Insertable)]
#[diesel(table_name = boletos, treat_none_as_default_value = false)]
pub(crate) struct SlipRow {
    payer_name: String,
    payer_document: String,
    payer_cep: String,
    wallet: String,
    our_number: String,
    barcode: String,
    due_date: String,
    pdf_token: String,
}

impl From<&Slip> for SlipRow {
    fn from(slip: &Slip) -> Self {
        Self {
            payer_name: slip.payer.name.as_str().to_owned(),
            payer_document: slip.payer.document.to_string(),
            payer_cep: slip.payer.cep.as_str().to_owned(),
            wallet: slip.wallet.clone(),
            our_number: slip.our_number.clone(),
            barcode: slip.barcode.as_str().to_owned(),
            due_date: slip.due_date.to_string(),
            pdf_token: slip.pdf_token.clone(),
        }
    }
}

impl TryFrom<SlipRow> for Slip {
    type Error = Damaged;

    fn try_from(row: SlipRow) -> Result<Self, Damaged> {
        Ok(Self {
            payer: SlipPayer {
                name: text(&row.payer_name)?,
                document: document(&row.payer_document)?,
                cep: Cep::parse(&row.payer_cep)
                    .map_err(|_unreadable| Damaged("boletos.payer_cep"))?,
            },
            wallet: row.wallet,
            our_number: row.our_number,
            barcode: Barcode::parse(&row.barcode)
                .map_err(|_unreadable| Damaged("boletos.barcode"))?,
            due_date: date(&row.due_date)?,
            pdf_token: row.pdf_token,
        })
    }
}

/// Which charge a slip belongs to.
pub(crate) struct BoletoKey {
    pub(crate) owner: Owner,
    pub(crate) id: ChargeId,
}

#[derive(Queryable, Selectable)]
#[diesel(table_name = boletos, treat_none_as_default_value = false)]
struct KeyRow {
    account: String,
    environment: String,
    id: String,
}

impl TryFrom<KeyRow> for BoletoKey {
    type Error = Damaged;

    fn try_from(row: KeyRow) -> Result<Self, Damaged> {
        Ok(Self {
            owner: owner(&row.account, &row.environment)?,
            id: ChargeId(ulid(&row.id)?),
        })
    }
}

/// The slip of a charge, by the charge's key as it is stored.
pub(crate) fn slip(
    view: &mut View<'_, '_>,
    account: &str,
    environment: &str,
    id: &str,
) -> Result<Option<Slip>, Error> {
    view.one(|conn| {
        on!(conn, c => boletos::table
            .find((account, environment, id))
            .select(SlipRow::as_select())
            .get_result(c)
            .optional())
    })
}

/// Whose slip has this token.
pub(crate) fn by_token(view: &mut View<'_, '_>, token: &str) -> Result<Option<BoletoKey>, Error> {
    view.one(|conn| {
        on!(conn, c => boletos::table
            .filter(boletos::pdf_token.eq(token))
            .select(KeyRow::as_select())
            .get_result(c)
            .optional())
    })
}

/// Whose slip has this barcode.
pub(crate) fn by_barcode(
    view: &mut View<'_, '_>,
    barcode: &Barcode,
) -> Result<Option<BoletoKey>, Error> {
    view.one(|conn| {
        on!(conn, c => boletos::table
            .filter(boletos::barcode.eq(barcode.as_str()))
            .select(KeyRow::as_select())
            .get_result(c)
            .optional())
    })
}

/// The slip of a new charge.
pub(crate) fn insert(view: &mut View<'_, '_>, charge: &Charge, slip: &Slip) -> Result<(), Error> {
    let (account, environment) = owner_key(charge.owner);
    let row = SlipRow::from(slip);
    view.write_one("boletos", |conn| {
        on!(conn, c => diesel::insert_into(boletos::table)
            .values((
                boletos::account.eq(&account),
                boletos::environment.eq(environment),
                boletos::id.eq(charge.id.0.to_string()),
                &row,
            ))
            .execute(c))
    })
}
