//! `/psp/stub/...`: what people make the play bank do (decisions §11).

mod boleto;

use std::sync::Arc;

use actix_web::http::header::AUTHORIZATION;
use actix_web::web::Payload;
use actix_web::{HttpRequest, HttpResponse};
use constant_time_eq::constant_time_eq;
use serde::Serialize;
use vintem_domain::account::{self, Environment};
use vintem_domain::brcode::EndToEndId;
use vintem_domain::charge::{self, Charge, ChargeId, Outcome, PaymentId, StatusName};
use vintem_domain::error::Missing;
use vintem_domain::money::LARGEST_AMOUNT;
use vintem_domain::ports::Transact;
use vintem_domain::provider::{self, BankChange, BankState, Outgoing, PixNotice, PlayBank};
use vintem_domain::text::{Name, Text};
use vintem_domain::{Centavos, Error, Ports, Time};

use crate::authentication::{bearer, failed};
use crate::body::{Body, Fields};
use crate::envelope::{Written, success};
use crate::error::{Fault, Problem};
use crate::site::{Site, TheSite};

pub(crate) use boleto::boleto;

/// The play bank, and the secret by which people speak for it.
pub struct StubBank {
    /// The bank.
    pub bank: Arc<dyn PlayBank>,
    /// What callers must know.
    pub secret: String,
}

/// The slowest the bank can be told to be, milliseconds.
const SLOWEST_MS: i64 = 60_000;

/// The bank behind a request that knows its secret.
fn bank<'a>(site: &'a Site, request: &HttpRequest) -> Result<&'a StubBank, Problem> {
    let stub = site.stub.as_ref().ok_or(Fault::NoRoute)?;
    let told = request
        .headers()
        .get(AUTHORIZATION)
        .and_then(|value| bearer(value.to_str().ok()?))
        .unwrap_or_default();
    if constant_time_eq(told.as_bytes(), stub.secret.as_bytes()) {
        Ok(stub)
    } else {
        Err(failed(site, request, Fault::StubSecret))
    }
}

/// A PIX as somebody plays it; what is absent is made up.
struct Play {
    charge: Which,
    end_to_end_id: Option<EndToEndId>,
    payer: Option<provider::Payer>,
    money: Money,
}

/// The charge meant, by either of its names.
enum Which {
    Id(String),
    Code(String),
}

/// How much arrived when; what is absent is as it should be.
struct Money {
    amount: Option<Centavos>,
    paid_at: Option<Time>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Played {
    end_to_end_id: Written<PaymentId>,
    outcome: &'static str,
}

/// `POST /psp/stub/pix`: a PIX arrives.
pub(crate) async fn pix(
    site: TheSite,
    request: HttpRequest,
    payload: Payload,
) -> Result<HttpResponse, Problem> {
    bank(&site, &request)?;
    let body = Body::receive(&request, payload, site.settings.client_request_timeout).await?;
    let play = Play::read(&body.fields()?)?;
    let played = site.database(move |ports| play.act(ports)).await?;
    success(&played)
}

impl Money {
    fn read(fields: &Fields<'_>) -> Result<Self, Problem> {
        let amount = fields.integer("amountCents")?.map(|amount| {
            (1..=LARGEST_AMOUNT.get())
                .contains(&amount)
                .then_some(Centavos::new(amount))
                .ok_or_else(|| {
                    fields.invalid("amountCents", format!("must be from 1 to {LARGEST_AMOUNT}"))
                })
        });
        Ok(Self {
            amount: amount.transpose()?,
            paid_at: fields.parsed("paidAt", Time::parse)?,
        })
    }

    /// When it is paid: as told, else now, in the time of the charge's environment.
    fn moment(&self, ports: &Ports, charge: &Charge) -> Result<Time, Error> {
        let now = ports.clock.now();
        match (self.paid_at, charge.owner.environment) {
            (Some(paid_at), _) => Ok(paid_at),
            (None, Environment::Live) => Ok(now),
            (None, Environment::Sandbox) => ports
                .store
                .read(|read| account::time_of(read, charge.owner, now)),
        }
    }

    /// The money arrives.
    fn arrive(
        self,
        ports: &Ports,
        charge: &Charge,
        payment_id: PaymentId,
        payer: provider::Payer,
    ) -> Result<Played, Error> {
        // To the second: people do not write smaller parts of it.
        let issued = charge.created_at;
        if (self.paid_at).is_some_and(|at| at.unix_seconds() < issued.unix_seconds()) {
            let reason = format!("must not be before {issued}, when it was issued");
            return Err(Error::invalid("paidAt", reason));
        }
        let paid_at = self.moment(ports, charge)?;
        let notice = PixNotice {
            payer,
            amount: self.amount.unwrap_or(charge.amount),
            payment_id: payment_id.clone(),
            txid: charge.txid.clone(),
            paid_at,
        };
        let outcome = charge::receive_for(ports, charge, &notice)?;
        Ok(Played {
            end_to_end_id: Written(payment_id),
            outcome: match outcome {
                Outcome::Paid => "paid",
                Outcome::Already => "already",
                Outcome::Returned(_) => "returned",
            },
        })
    }
}

impl Play {
    fn read(fields: &Fields<'_>) -> Result<Self, Problem> {
        let charge = match (fields.parsed("chargeId", visible)?, fields.text("brCode")?) {
            (Some(id), None) => Which::Id(id),
            (None, Some(code)) => Which::Code(code),
            (None, None) => return Err(Problem::required("chargeId or brCode")),
            (Some(_), Some(_)) => {
                return Err(fields.invalid("chargeId", "must not be given together with brCode"));
            }
        };
        Ok(Self {
            charge,
            money: Money::read(fields)?,
            end_to_end_id: fields.parsed("endToEndId", EndToEndId::parse)?,
            payer: fields
                .object("payer")?
                .map(|payer| payer_of(&payer))
                .transpose()?,
        })
    }

    fn act(self, ports: &Ports) -> Result<Played, Error> {
        let charge = match self.charge {
            Which::Id(id) => known(ports, &id)?,
            Which::Code(code) => charge::find(ports, &code)?,
        };
        let end_to_end_id = if let Some(id) = self.end_to_end_id {
            id
        } else {
            let at = self.money.moment(ports, &charge)?;
            charge::sandbox_end_to_end_id(at, ports.ids.random())?
        };
        let payer = self.payer.unwrap_or_else(|| some_payer(&charge));
        self.money
            .arrive(ports, &charge, end_to_end_id.into(), payer)
    }
}

/// An id as it was sent.
fn visible(id: &str) -> Result<String, &'static str> {
    let is_blank = id.trim().is_empty();
    (!is_blank)
        .then(|| id.to_owned())
        .ok_or("must not be empty")
}

/// The charge with this id, whoever owns it.
fn known(ports: &Ports, id: &str) -> Result<Charge, Error> {
    let id = ChargeId::parse_any(id).map_err(|_names_nothing| Error::NotFound(Missing::Charge))?;
    ports
        .store
        .read(|read| read.charge_of_anyone(id))?
        .ok_or(Error::NotFound(Missing::Charge))
}

fn payer_of(fields: &Fields<'_>) -> Result<provider::Payer, Problem> {
    let text = |name| -> Result<Option<String>, Problem> {
        let text = fields.parsed(name, Name::parse)?.flatten();
        Ok(text.map(|text| text.as_str().to_owned()))
    };
    Ok(provider::Payer {
        name: text("name")?,
        document: text("document")?,
        bank: text("bank")?,
    })
}

/// Who pays when nobody said.
fn some_payer(charge: &Charge) -> provider::Payer {
    match charge.owner.environment {
        Environment::Sandbox => charge::sandbox_payer(),
        Environment::Live => provider::Payer {
            name: Some("Play Payer".to_owned()),
            document: Some("52998224725".to_owned()),
            bank: Some("Play Bank".to_owned()),
        },
    }
}

#[derive(Serialize)]
struct Removed {
    id: String,
    status: &'static str,
}

/// `POST /psp/stub/remove`: the provider rejects the charge.
pub(crate) async fn remove(
    site: TheSite,
    request: HttpRequest,
    payload: Payload,
) -> Result<HttpResponse, Problem> {
    bank(&site, &request)?;
    let body = Body::receive(&request, payload, site.settings.client_request_timeout).await?;
    let fields = body.fields()?;
    let id = fields.id("chargeId")?;
    let reason = fields
        .needed("reason", Text::<255>::parse)?
        .ok_or_else(|| fields.required("reason"))?;
    let removed = site
        .database(move |ports| {
            let charge = known(ports, &id)?;
            charge::remove(ports, charge.id, reason.as_str())?;
            Ok(charge.public_id())
        })
        .await?;
    success(&Removed {
        id: removed,
        status: StatusName::Failed.as_str(),
    })
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct State {
    up: bool,
    latency_ms: u32,
    withdrawals: &'static str,
    bills: &'static str,
    refunds: &'static str,
}

impl State {
    fn of(state: BankState) -> Self {
        Self {
            up: state.up,
            latency_ms: state.latency_ms,
            withdrawals: state.withdrawals.as_str(),
            bills: state.bills.as_str(),
            refunds: state.refunds.as_str(),
        }
    }
}

/// `POST /psp/stub/state`: the bank behaves otherwise from now on.
pub(crate) async fn state(
    site: TheSite,
    request: HttpRequest,
    payload: Payload,
) -> Result<HttpResponse, Problem> {
    let bank = Arc::clone(&bank(&site, &request)?.bank);
    let body = Body::receive(&request, payload, site.settings.client_request_timeout).await?;
    let change = change_of(&body.fields()?)?;
    let state = site.database(move |_| bank.change(change)).await?;
    success(&State::of(state))
}

fn change_of(fields: &Fields<'_>) -> Result<BankChange, Problem> {
    let outgoing = |name| {
        fields.parsed(name, |word| {
            Outgoing::parse(word).ok_or("must be settle, fail or unknown")
        })
    };
    let latency_ms = fields.integer("latencyMs")?.map(|latency| {
        u32::try_from(latency)
            .ok()
            .filter(|_| latency <= SLOWEST_MS)
            .ok_or_else(|| fields.invalid("latencyMs", format!("must be from 0 to {SLOWEST_MS}")))
    });
    Ok(BankChange {
        up: fields.boolean("up")?,
        latency_ms: latency_ms.transpose()?,
        withdrawals: outgoing("withdrawals")?,
        bills: outgoing("bills")?,
        refunds: outgoing("refunds")?,
    })
}

#[cfg(test)]
mod tests;
