//! `POST /v1/withdraw/create`

use actix_web::web::Payload;
use actix_web::{HttpRequest, HttpResponse};
use serde::Serialize;
use vintem_domain::account::{Environment, Origin};
use vintem_domain::document::Document;
use vintem_domain::id::Ulid;
use vintem_domain::idempotency::Route;
use vintem_domain::key::Scope;
use vintem_domain::payout::{Payout, PayoutId};
use vintem_domain::pix_key::{PixKey, PixKeyKind};
use vintem_domain::text::{Description, Name};
use vintem_domain::withdrawal::{self, NewWithdrawal, WithdrawalAmount};
use vintem_domain::{Error, Owner, Ports};

use super::call::{Call, made};
use crate::body::Fields;
use crate::error::Problem;
use crate::site::TheSite;

/// A withdrawal as it was when it was made, whatever became of it.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Withdrawn {
    id: String,
    kind: &'static str,
    status: &'static str,
    amount: i64,
    dev_mode: bool,
}

impl Withdrawn {
    pub(crate) fn of(payout: &Payout) -> Self {
        Self {
            id: payout.public_id(),
            kind: payout.purpose.kind(),
            status: match payout.owner.environment {
                // Simulated: it was PAID as soon as it was made.
                Environment::Sandbox => "PAID",
                Environment::Live => "PENDING",
            },
            amount: payout.amount.get(),
            dev_mode: payout.owner.environment.is_sandbox(),
        }
    }
}

/// `POST /v1/withdraw/create`
pub(crate) async fn create(
    site: TheSite,
    request: HttpRequest,
    payload: Payload,
) -> Result<HttpResponse, Problem> {
    let call = Call::receive(&site, &request, payload, Scope::WithdrawCreate).await?;
    let (owner, route) = (call.owner, Route::WithdrawCreate);
    let withdrawal = call
        .once(route, sent, new_withdrawal, async |new, key| {
            site.money_out(move |ports| {
                withdrawal::create(ports, owner, Origin::Api, &new, key.as_ref())
            })
            .await
        })
        .await?;
    made(&withdrawal, &Withdrawn::of(&withdrawal.object))
}

/// The money an earlier request sent out: a withdrawal or third-party payment.
pub(crate) fn sent(ports: &Ports, owner: Owner, id: Ulid) -> Result<Payout, Error> {
    withdrawal::show(ports, owner, PayoutId(id))
}

fn new_withdrawal(fields: &Fields<'_>) -> Result<NewWithdrawal, Problem> {
    let amount = fields
        .integer("amountCents")?
        .ok_or_else(|| fields.required("amountCents"))?;
    let amount =
        WithdrawalAmount::parse(amount).map_err(|bad| fields.invalid("amountCents", bad))?;
    let kind = fields.parsed("pixKeyType", |word| {
        PixKeyKind::parse(word).ok_or("must be CPF, CNPJ, EMAIL, PHONE or EVP")
    })?;
    Ok(NewWithdrawal {
        amount,
        key: fields.needed("pixKey", |key| match kind {
            Some(kind) => PixKey::parse(kind, key),
            None => PixKey::infer(key),
        })?,
        beneficiary_name: fields.parsed("beneficiaryName", Name::parse)?.flatten(),
        description: fields.parsed("description", Description::parse)?.flatten(),
        recipient_document: fields.parsed("recipientDocument", Document::parse)?,
        pass_fee: fields.boolean("passFee")?.unwrap_or(false),
    })
}

#[cfg(test)]
mod tests;
