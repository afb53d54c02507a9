//! `/v1/pixQrCode/...`

use actix_web::web::Payload;
use actix_web::{HttpRequest, HttpResponse};
use serde::Serialize;
use vintem_domain::account::Origin;
use vintem_domain::brcode::qr_data_uri;
use vintem_domain::charge::{
    self, Charge, ChargeAmount, ChargeId, ChargeKind, Customer, ExpiresIn, Metadata, NewCharge,
    Status, StatusName,
};
use vintem_domain::document::Document;
use vintem_domain::error::Missing;
use vintem_domain::id::Ulid;
use vintem_domain::idempotency::Route;
use vintem_domain::key::Scope;
use vintem_domain::provider;
use vintem_domain::text::{Description, Email, Name, Phone};
use vintem_domain::{Error, Owner, Ports, Time};

use super::call::{Call, made};
use crate::authentication::caller;
use crate::body::Fields;
use crate::envelope::{Written, success};
use crate::error::Problem;
use crate::query::Query;
use crate::site::TheSite;

/// A charge as it was when it was issued, whatever became of it.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Issued<'a> {
    id: Written<ChargeId>,
    kind: &'static str,
    status: &'static str,
    amount: i64,
    net_amount: i64,
    br_code: &'a str,
    br_code_base64: String,
    expires_at: Written<Time>,
    created_at: Written<Time>,
    dev_mode: bool,
}

impl<'a> Issued<'a> {
    pub(crate) fn of(charge: &'a Charge) -> Result<Self, Error> {
        Ok(Self {
            id: Written(charge.id),
            kind: "pixQrCode",
            status: StatusName::Pending.as_str(),
            amount: charge.amount.get(),
            net_amount: charge.net_amount.get(),
            br_code: &charge.br_code,
            br_code_base64: qr_data_uri(&charge.br_code)
                .map_err(|error| Error::bug(format!("QR image: {error}")))?,
            expires_at: Written(charge.expires_at),
            created_at: Written(charge.created_at),
            dev_mode: charge.owner.environment.is_sandbox(),
        })
    }
}

/// What became of a charge.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Checked<'a> {
    id: Written<ChargeId>,
    status: &'static str,
    amount: i64,
    paid_at: Option<Written<Time>>,
    payer: Option<Payer<'a>>,
    end_to_end_id: Option<&'a str>,
}

/// Who paid.
#[derive(Serialize)]
pub(crate) struct Payer<'a> {
    name: Option<&'a str>,
    document: Option<&'a str>,
    bank: Option<&'a str>,
}

impl<'a> Payer<'a> {
    pub(crate) fn of(payer: &'a provider::Payer) -> Self {
        Self {
            name: payer.name.as_deref(),
            document: payer.document.as_deref(),
            bank: payer.bank.as_deref(),
        }
    }
}

impl<'a> Checked<'a> {
    pub(crate) fn of(charge: &'a Charge, now: Time) -> Self {
        let payment = match &charge.status {
            Status::Paid(payment) => Some(payment),
            Status::Pending | Status::Failed(_) => None,
        };
        Self {
            id: Written(charge.id),
            status: charge.status_at(now).as_str(),
            amount: charge.amount.get(),
            paid_at: payment.map(|payment| Written(payment.paid_at)),
            payer: payment.map(|payment| Payer::of(&payment.payer)),
            end_to_end_id: payment.map(|payment| payment.end_to_end_id.as_str()),
        }
    }
}

/// A charge or boleto whose payment was simulated.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Simulated {
    id: String,
    status: &'static str,
    paid_at: Written<Time>,
    dev_mode: bool,
}

impl Simulated {
    pub(crate) fn of(charge: &Charge, paid_at: Time) -> Self {
        Self {
            id: charge.public_id(),
            status: StatusName::Paid.as_str(),
            paid_at: Written(paid_at),
            dev_mode: charge.owner.environment.is_sandbox(),
        }
    }
}

/// `POST /v1/pixQrCode/create`
pub(crate) async fn create(
    site: TheSite,
    request: HttpRequest,
    payload: Payload,
) -> Result<HttpResponse, Problem> {
    let call = Call::receive(&site, &request, payload, Scope::PixCreate).await?;
    let owner = call.owner;
    let charge = call
        .once(Route::PixCreate, issued, new_charge, async |new, key| {
            site.provider(move |ports| {
                charge::create(ports, owner, Origin::Api, &new, key.as_ref())
            })
            .await
        })
        .await?;
    made(&charge, &Issued::of(&charge.object)?)
}

/// What an earlier request issued.
pub(crate) fn issued(ports: &Ports, owner: Owner, id: Ulid) -> Result<Charge, Error> {
    charge::show(ports, owner, ChargeId(id)).map(|(charge, _)| charge)
}

fn new_charge(fields: &Fields<'_>) -> Result<NewCharge, Problem> {
    let amount = fields
        .integer("amountCents")?
        .ok_or_else(|| fields.required("amountCents"))?;
    let expires_in = fields
        .integer("expiresIn")?
        .map(|seconds| ExpiresIn::parse(seconds).map_err(|bad| fields.invalid("expiresIn", bad)))
        .transpose()?;
    Ok(NewCharge {
        amount: ChargeAmount::parse(amount).map_err(|bad| fields.invalid("amountCents", bad))?,
        description: fields.parsed("description", Description::parse)?.flatten(),
        expires_in: expires_in.unwrap_or(ExpiresIn::DEFAULT),
        customer: match fields.object("customer")? {
            Some(customer) => customer_of(&customer)?,
            None => Customer::default(),
        },
        metadata: fields
            .raw("metadata")?
            .map(|json| Metadata::parse(json).map_err(|bad| fields.invalid("metadata", bad)))
            .transpose()?,
        pass_fee: fields.boolean("passFee")?.unwrap_or(false),
    })
}

fn customer_of(fields: &Fields<'_>) -> Result<Customer, Problem> {
    Ok(Customer {
        name: fields.parsed("name", Name::parse)?.flatten(),
        email: fields.parsed("email", Email::parse)?,
        cellphone: fields.parsed("cellphone", Phone::parse)?,
        tax_id: fields.parsed("taxId", Document::parse_lenient)?,
    })
}

/// The charge an id names. Ids are opaque to callers: one that cannot be a PIX charge's names nothing.
fn named(id: &str) -> Result<ChargeId, Error> {
    ChargeId::parse(id).map_err(|_names_nothing| Error::NotFound(Missing::Charge))
}

/// `GET /v1/pixQrCode/check`
pub(crate) async fn check(site: TheSite, request: HttpRequest) -> Result<HttpResponse, Problem> {
    let caller = caller(&site, &request, Scope::PixRead).await?;
    let id = Query::of(request.query_string()).required("id")?;
    let id = named(&id)?;
    let (charge, now) = site
        .database(move |ports| {
            let (charge, now) = charge::show(ports, caller.owner, id)?;
            Ok((pix_alone(charge)?, now))
        })
        .await?;
    success(&Checked::of(&charge, now))
}

/// A boleto is looked at under its own routes.
fn pix_alone(charge: Charge) -> Result<Charge, Error> {
    match charge.kind {
        ChargeKind::PixQrCode => Ok(charge),
        ChargeKind::Boleto(_) => Err(Error::NotFound(Missing::Charge)),
    }
}

/// `POST /v1/pixQrCode/simulate-payment`
pub(crate) async fn simulate(
    site: TheSite,
    request: HttpRequest,
    payload: Payload,
) -> Result<HttpResponse, Problem> {
    let call = Call::receive_in_sandbox(&site, &request, payload, Scope::PixCreate).await?;
    let (owner, id) = (call.owner, named(&call.fields()?.id("id")?)?);
    let (charge, paid_at) = site
        .database(move |ports| {
            pix_alone(charge::show(ports, owner, id)?.0)?;
            charge::simulate(ports, owner, id)
        })
        .await?;
    success(&Simulated::of(&charge, paid_at))
}

#[cfg(test)]
mod tests;
