//! `/v1/boleto/query` and `/v1/boleto/pay`: third-party boletos and taxes an account pays.

use actix_web::web::Payload;
use actix_web::{HttpRequest, HttpResponse};
use serde::Serialize;
use vintem_domain::account::Origin;
use vintem_domain::bill::{self, BillCode, ExternalId, QUOTE_SECONDS, Quote, QuoteId};
use vintem_domain::calendar::PaymentWindow;
use vintem_domain::idempotency::Route;
use vintem_domain::key::Scope;
use vintem_domain::payout::{Payout, PayoutStatus};
use vintem_domain::{Error, Time};

use super::call::{Call, made};
use super::withdrawal::sent;
use crate::body::Fields;
use crate::envelope::{Written, success};
use crate::error::Problem;
use crate::site::TheSite;

/// What a title costs today.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Quoted<'a> {
    quote_id: Written<QuoteId>,
    #[serde(rename = "type")]
    kind: &'static str,
    bank: Option<&'a str>,
    beneficiary: Option<&'a str>,
    due_date: Written<Time>,
    payable: bool,
    payment_window: Window<'a>,
    amounts: Amounts,
    fees: Fees,
    total_debit_cents: i64,
    quote_expires_in_seconds: i64,
}

/// Whether it can be paid at this hour.
#[derive(Serialize)]
struct Window<'a> {
    open: bool,
    /// Why not, and from when on again.
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<Written<&'a PaymentWindow>>,
}

#[derive(Serialize)]
struct Amounts {
    original: i64,
    interest: i64,
    fine: i64,
    discount: i64,
    rebate: i64,
    #[serde(rename = "final")]
    total: i64,
}

#[derive(Serialize)]
struct Fees {
    #[serde(rename = "providerCents")]
    provider: i64,
    #[serde(rename = "svcCents")]
    service: i64,
    #[serde(rename = "totalCents")]
    total: i64,
}

impl<'a> Quoted<'a> {
    pub(crate) fn of(quote: &'a Quote, window: &'a PaymentWindow) -> Result<Self, Error> {
        let open = window.is_open();
        let amounts = &quote.amounts;
        Ok(Self {
            quote_id: Written(quote.id),
            kind: match quote.code {
                BillCode::Boleto(_) => "boleto",
                BillCode::Collection(_) => "tributo",
            },
            bank: quote.bank.as_deref(),
            beneficiary: quote.beneficiary.as_deref(),
            due_date: Written(quote.due_date.start_in_sao_paulo()),
            payable: quote.payable,
            payment_window: Window {
                open,
                reason: (!open).then_some(Written(window)),
            },
            amounts: Amounts {
                original: amounts.original.get(),
                interest: amounts.interest.get(),
                fine: amounts.fine.get(),
                discount: amounts.discount.get(),
                rebate: amounts.rebate.get(),
                total: amounts.total.get(),
            },
            fees: Fees {
                provider: quote.provider_fee.get(),
                service: quote.service_fee.get(),
                total: quote.fee()?.get(),
            },
            total_debit_cents: quote.debit()?.get(),
            quote_expires_in_seconds: QUOTE_SECONDS,
        })
    }
}

/// A payment as it was when it was made, whatever became of it.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Paying {
    id: String,
    status: &'static str,
    method: &'static str,
    amount_cents: i64,
    fee_cents: i64,
    total_debit_cents: i64,
}

impl Paying {
    pub(crate) fn of(payout: &Payout) -> Result<Self, Error> {
        Ok(Self {
            id: payout.public_id(),
            status: PayoutStatus::Pending.as_str(),
            method: "BOLETO",
            amount_cents: payout.amount.get(),
            fee_cents: payout.fee.get(),
            total_debit_cents: payout.debit()?.get(),
        })
    }
}

/// `POST /v1/boleto/query`
pub(crate) async fn query(
    site: TheSite,
    request: HttpRequest,
    payload: Payload,
) -> Result<HttpResponse, Problem> {
    let call = Call::receive(&site, &request, payload, Scope::BoletoPay).await?;
    let (owner, fields) = (call.owner, call.fields()?);
    let code = fields.needed("barcode", BillCode::parse)?;
    let (quote, window) = site
        .provider(move |ports| bill::query(ports, owner, &code))
        .await?;
    success(&Quoted::of(&quote, &window)?)
}

/// `POST /v1/boleto/pay`
pub(crate) async fn pay(
    site: TheSite,
    request: HttpRequest,
    payload: Payload,
) -> Result<HttpResponse, Problem> {
    let call = Call::receive(&site, &request, payload, Scope::BoletoPay).await?;
    let owner = call.owner;
    let payment = call
        .once(Route::BoletoPay, sent, order, async |(quote, id), key| {
            site.money_out(move |ports| {
                bill::pay(ports, owner, Origin::Api, quote, &id, key.as_ref())
            })
            .await
        })
        .await?;
    made(&payment, &Paying::of(&payment.object)?)
}

/// What is to be paid, unless the id is that of no quote, and the caller's own name for it.
fn order(fields: &Fields<'_>) -> Result<(Option<QuoteId>, ExternalId), Problem> {
    let quote = QuoteId::parse(&fields.id("quoteId")?).ok();
    Ok((quote, fields.needed("externalId", ExternalId::parse)?))
}

#[cfg(test)]
mod tests;
