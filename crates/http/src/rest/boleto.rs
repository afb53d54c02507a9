//! `/v1/boleto/create`, `/v1/boleto/check` and `/v1/boleto/simulate-payment`: boletos an account issues.

use actix_web::web::Payload;
use actix_web::{HttpRequest, HttpResponse};
use serde::Serialize;
use vintem_domain::account::{Environment, Origin};
use vintem_domain::boleto::{
    self, BoletoAmount, BoletoId, Cep, DigitableLine, DueDays, NewBoleto, Slip, SlipPayer,
};
use vintem_domain::brcode::qr_data_uri;
use vintem_domain::charge::{self, Charge, ChargeId, ChargeKind, Metadata, Status, StatusName};
use vintem_domain::document::Document;
use vintem_domain::error::Missing;
use vintem_domain::idempotency::{self as keys, Made, Route};
use vintem_domain::key::Scope;
use vintem_domain::text::{Description, Name};
use vintem_domain::{Error, Owner, Ports, Time};

use super::charge::Payer;
use crate::authentication::{caller, sandbox_caller};
use crate::body::{Body, Fields};
use crate::envelope::{Written, enclosed, success};
use crate::error::Problem;
use crate::idempotency;
use crate::query::Query;
use crate::site::{Site, TheSite};

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
    /// The boleto with this status.
    fn of(charge: &'a Charge, status: StatusName, site: &Site) -> Result<Self, Error> {
        let slip = slip(charge)?;
        let public_url = &site.settings.public_url;
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
            pdf_url: format!("{public_url}/boletos/{}.pdf", slip.pdf_token),
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
    fn of(charge: &'a Charge, now: Time, site: &Site) -> Result<Self, Error> {
        let payment = match &charge.status {
            Status::Paid(payment) => Some(payment),
            Status::Pending | Status::Failed(_) => None,
        };
        Ok(Self {
            issued: Issued::of(charge, charge.status_at(now), site)?,
            paid_at: payment.map(|payment| Written(payment.paid_at)),
            payer: payment.map(|payment| Payer::of(&payment.payer)),
            end_to_end_id: payment.map(|payment| payment.end_to_end_id.as_str()),
        })
    }
}

/// A boleto whose payment was simulated.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Simulated {
    id: String,
    status: &'static str,
    paid_at: Written<Time>,
    dev_mode: bool,
}

/// `POST /v1/boleto/create`
pub(crate) async fn create(
    site: TheSite,
    request: HttpRequest,
    payload: Payload,
) -> Result<HttpResponse, Problem> {
    let caller = caller(&site, &request, Scope::BoletoCreate).await?;
    let body = Body::receive(&request, payload, site.settings.client_request_timeout).await?;
    let fields = body.fields()?;
    let attempt = idempotency::attempt(&request, &body)?;
    if let Some(attempt) = attempt.clone()
        && let Some(charge) = site
            .database(move |ports| earlier(ports, caller.owner, &attempt))
            .await?
    {
        let first = Made {
            object: charge,
            repeated: true,
        };
        return made(&first, &site);
    }
    let new = new_boleto(&fields)?;
    let charge = site
        .provider(move |ports| {
            boleto::create(ports, caller.owner, Origin::Api, &new, attempt.as_ref())
        })
        .await?;
    made(&charge, &site)
}

/// The boleto an earlier request with this key made. This look comes before the field rules, and needs no provider.
fn earlier(ports: &Ports, owner: Owner, attempt: &keys::Attempt) -> Result<Option<Charge>, Error> {
    let Some(id) = keys::earlier(ports, owner, Route::BoletoCreate, attempt)? else {
        return Ok(None);
    };
    charge::show(ports, owner, ChargeId(id)).map(|(charge, _)| Some(charge))
}

/// The boleto as it was when it was issued, whatever became of it.
fn made(charge: &Made<Charge>, site: &Site) -> Result<HttpResponse, Problem> {
    let mut response = HttpResponse::Ok();
    if charge.repeated {
        response.insert_header(idempotency::REPLAYED);
    }
    let issued = Issued::of(&charge.object, StatusName::Pending, site)?;
    enclosed(response, &issued)
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
            .parsed("name", Name::parse)?
            .flatten()
            .ok_or_else(|| fields.required("name"))?,
        document: fields
            .parsed("document", Document::parse)?
            .ok_or_else(|| fields.required("document"))?,
        cep: fields
            .parsed("cep", Cep::parse)?
            .ok_or_else(|| fields.required("cep"))?,
    })
}

/// `GET /v1/boleto/check`
pub(crate) async fn check(site: TheSite, request: HttpRequest) -> Result<HttpResponse, Problem> {
    let caller = caller(&site, &request, Scope::BoletoRead).await?;
    let id = Query::of(request.query_string()).required("id")?;
    let id = BoletoId::parse(&id).map_err(|bad| Problem::invalid("id", bad))?;
    let (charge, now) = site
        .database(move |ports| charge::show(ports, caller.owner, ChargeId(id.0)))
        .await?;
    success(&Checked::of(&charge, now, &site)?)
}

/// `POST /v1/boleto/simulate-payment`
pub(crate) async fn simulate(
    site: TheSite,
    request: HttpRequest,
    payload: Payload,
) -> Result<HttpResponse, Problem> {
    let caller = sandbox_caller(&site, &request, Scope::BoletoCreate).await?;
    let body = Body::receive(&request, payload, site.settings.client_request_timeout).await?;
    let fields = body.fields()?;
    let id = fields
        .parsed("id", BoletoId::parse)?
        .ok_or_else(|| fields.required("id"))?;
    let (charge, paid_at) = site
        .database(move |ports| {
            let id = ChargeId(id.0);
            slip(&charge::show(ports, caller.owner, id)?.0)?;
            charge::simulate(ports, caller.owner, id)
        })
        .await?;
    success(&Simulated {
        id: charge.public_id(),
        status: StatusName::Paid.as_str(),
        paid_at: Written(paid_at),
        dev_mode: caller.owner.environment == Environment::Sandbox,
    })
}

#[cfg(test)]
mod tests;
