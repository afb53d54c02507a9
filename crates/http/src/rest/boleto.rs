//! `/v1/boleto/create`, `/v1/boleto/check` and `/v1/boleto/simulate-payment`: boletos an account issues.

use actix_web::web::Payload;
use actix_web::{HttpRequest, HttpResponse};
use serde::Serialize;
use vintem_domain::account::Origin;
use vintem_domain::boleto::{
    self, BoletoAmount, BoletoId, Cep, DigitableLine, DueDays, NewBoleto, Slip, SlipPayer,
};
use vintem_domain::brcode::qr_data_uri;
use vintem_domain::charge::{self, Charge, ChargeId, ChargeKind, Metadata, Status, StatusName};
use vintem_domain::document::Document;
use vintem_domain::error::Missing;
use vintem_domain::idempotency::Route;
use vintem_domain::key::Scope;
use vintem_domain::text::{Description, Name};
use vintem_domain::{Error, Time};

use super::call::{Call, made};
use super::charge::{Payer, Simulated, issued};
use crate::authentication::caller;
use crate::body::Fields;
use crate::envelope::{Written, success};
use crate::error::Problem;
use crate::query::Query;
use crate::site::TheSite;

/// A boleto; its status apart, it never changes.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Issued<'a> {
    id: String,
    kind: &'static str,
    method: &'static str,
    status: &'static str,
    amount: i64,
    net_amount: i64,
    boleto: Title<'a>,
    br_code: &'a str,
    br_code_base64: String,
    pdf_url: String,
    expires_at: Written<Time>,
    created_at: Written<Time>,
}

/// What its digitable line is.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Title<'a> {
    our_number: &'a str,
    digitable_line: Written<DigitableLine>,
    barcode: &'a str,
    due_date: Written<Time>,
}

impl<'a> Issued<'a> {
    /// The boleto with this status; links start with `base_url`.
    fn of(charge: &'a Charge, status: StatusName, base_url: &str) -> Result<Self, Error> {
        let slip = slip(charge)?;
        Ok(Self {
            id: charge.public_id(),
            kind: charge.kind.as_str(),
            method: "BOLETO",
            status: status.as_str(),
            amount: charge.amount.get(),
            net_amount: charge.net_amount.get(),
            boleto: Title {
                our_number: &slip.our_number,
                digitable_line: Written(slip.line()),
                barcode: slip.barcode.as_str(),
                due_date: Written(slip.due_date.start_in_sao_paulo()),
            },
            br_code: &charge.br_code,
            br_code_base64: qr_data_uri(&charge.br_code)
                .map_err(|error| Error::bug(format!("QR image: {error}")))?,
            pdf_url: format!("{base_url}/boletos/{}.pdf", slip.pdf_token),
            expires_at: Written(charge.expires_at),
            created_at: Written(charge.created_at),
        })
    }
}

/// What makes the charge a boleto; a PIX charge is looked at under its own routes.
fn slip(charge: &Charge) -> Result<&Slip, Error> {
    match &charge.kind {
        ChargeKind::Boleto(slip) => Ok(slip),
        ChargeKind::PixQrCode => Err(Error::NotFound(Missing::Charge)),
    }
}

/// A boleto and what became of it.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Checked<'a> {
    #[serde(flatten)]
    issued: Issued<'a>,
    paid_at: Option<Written<Time>>,
    payer: Option<Payer<'a>>,
    end_to_end_id: Option<&'a str>,
}

impl<'a> Checked<'a> {
    fn of(charge: &'a Charge, now: Time, base_url: &str) -> Result<Self, Error> {
        let payment = match &charge.status {
            Status::Paid(payment) => Some(payment),
            Status::Pending | Status::Failed(_) => None,
        };
        Ok(Self {
            issued: Issued::of(charge, charge.status_at(now), base_url)?,
            paid_at: payment.map(|payment| Written(payment.paid_at)),
            payer: payment.map(|payment| Payer::of(&payment.payer)),
            end_to_end_id: payment.map(|payment| payment.end_to_end_id.as_str()),
        })
    }
}

/// `POST /v1/boleto/create`
pub(crate) async fn create(
    site: TheSite,
    request: HttpRequest,
    payload: Payload,
) -> Result<HttpResponse, Problem> {
    let call = Call::receive(&site, &request, payload, Scope::BoletoCreate).await?;
    let owner = call.owner;
    let charge = call
        .once(Route::BoletoCreate, issued, new_boleto, async |new, key| {
            site.provider(move |ports| {
                boleto::create(ports, owner, Origin::Api, &new, key.as_ref())
            })
            .await
        })
        .await?;
    // As it was when it was issued, whatever became of it.
    let shape = Issued::of(
        &charge.object,
        StatusName::Pending,
        &site.base_url(&request),
    )?;
    made(&charge, &shape)
}

fn new_boleto(fields: &Fields<'_>) -> Result<NewBoleto, Problem> {
    let amount = fields
        .integer("amountCents")?
        .ok_or_else(|| fields.required("amountCents"))?;
    let amount = BoletoAmount::parse(amount).map_err(|bad| fields.invalid("amountCents", bad))?;
    let payer = fields
        .object("payer")?
        .ok_or_else(|| fields.required("payer"))?;
    let due_days = fields
        .integer("dueDays")?
        .map(|days| DueDays::parse(days).map_err(|bad| fields.invalid("dueDays", bad)))
        .transpose()?;
    Ok(NewBoleto {
        amount,
        description: fields.parsed("description", Description::parse)?.flatten(),
        payer: payer_of(&payer)?,
        due_days: due_days.unwrap_or(DueDays::DEFAULT),
        pass_fee: fields.boolean("passFee")?.unwrap_or(false),
        metadata: fields
            .raw("metadata")?
            .map(|json| Metadata::parse(json).map_err(|bad| fields.invalid("metadata", bad)))
            .transpose()?,
    })
}

fn payer_of(fields: &Fields<'_>) -> Result<SlipPayer, Problem> {
    Ok(SlipPayer {
        name: fields
            .needed("name", Name::parse)?
            .ok_or_else(|| fields.required("name"))?,
        document: fields.needed("document", Document::parse)?,
        cep: fields.needed("cep", Cep::parse)?,
    })
}

/// The boleto an id names. Ids are opaque to callers: one that cannot be a boleto's names nothing.
fn named(id: &str) -> Result<ChargeId, Error> {
    BoletoId::parse(id)
        .map(|id| ChargeId(id.0))
        .map_err(|_names_nothing| Error::NotFound(Missing::Charge))
}

/// `GET /v1/boleto/check`
pub(crate) async fn check(site: TheSite, request: HttpRequest) -> Result<HttpResponse, Problem> {
    let caller = caller(&site, &request, Scope::BoletoRead).await?;
    let id = Query::of(request.query_string()).required("id")?;
    let id = named(&id)?;
    let (charge, now) = site
        .database(move |ports| charge::show(ports, caller.owner, id))
        .await?;
    success(&Checked::of(&charge, now, &site.base_url(&request))?)
}

/// `POST /v1/boleto/simulate-payment`
pub(crate) async fn simulate(
    site: TheSite,
    request: HttpRequest,
    payload: Payload,
) -> Result<HttpResponse, Problem> {
    let call = Call::receive_in_sandbox(&site, &request, payload, Scope::BoletoCreate).await?;
    let (owner, id) = (call.owner, named(&call.fields()?.id("id")?)?);
    let (charge, paid_at) = site
        .database(move |ports| {
            slip(&charge::show(ports, owner, id)?.0)?;
            charge::simulate(ports, owner, id)
        })
        .await?;
    success(&Simulated::of(&charge, paid_at))
}

#[cfg(test)]
mod tests;
