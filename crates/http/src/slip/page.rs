//! `GET /boletos/{token}.pdf`: a boleto's slip, for whoever has its address.

use actix_web::http::header;
use actix_web::{HttpResponse, web};
use vintem_domain::account::Account;
use vintem_domain::boleto::{self, Slip};
use vintem_domain::brcode::qr_modules;
use vintem_domain::charge::{Charge, ChargeKind, StatusName};
use vintem_domain::error::Missing;
use vintem_domain::provider::SlipIssuer;
use vintem_domain::{Error, Time};

use super::{Party, Print, pdf};
use crate::error::Problem;
use crate::paper::{at_the_desk, day, reais, written};
use crate::site::TheSite;

/// How long a browser may show the same page: its status changes.
const CACHE: &str = "private, max-age=60";

/// `GET /boletos/{token}.pdf`
pub(crate) async fn show(site: TheSite, token: web::Path<String>) -> Result<HttpResponse, Problem> {
    let token = token.into_inner();
    let document = site
        .database(move |ports| {
            let (charge, account, now) = boleto::by_token(ports, &token)?;
            let issuer = ports.providers.of(charge.owner.environment).slip_issuer();
            let print = print(&charge, &account, issuer, now)?;
            at_the_desk(move || pdf(&print))
        })
        .await?;
    Ok(HttpResponse::Ok()
        .insert_header((header::CONTENT_TYPE, "application/pdf"))
        .insert_header((
            header::CONTENT_DISPOSITION,
            "inline; filename=\"boleto.pdf\"",
        ))
        .insert_header((header::CACHE_CONTROL, CACHE))
        .insert_header(("X-Robots-Tag", "noindex"))
        .body(document))
}

fn print(
    charge: &Charge,
    account: &Account,
    issuer: SlipIssuer,
    now: Time,
) -> Result<Print, Error> {
    let ChargeKind::Boleto(slip) = &charge.kind else {
        return Err(Error::NotFound(Missing::Charge));
    };
    Ok(Print {
        bank_name: issuer.bank_name,
        bank_code: issuer.bank_code,
        line: slip.line().printed(),
        barcode: slip.barcode.as_str().to_owned(),
        br_code: charge.br_code.clone(),
        qr: qr_modules(&charge.br_code).map_err(|error| Error::bug(error.to_string()))?,
        beneficiary: Party {
            name: account.name.as_str().to_owned(),
            document: account.document.as_ref().map(written).unwrap_or_default(),
            address: account
                .address
                .as_ref()
                .map(ToString::to_string)
                .unwrap_or_default(),
        },
        payer: payer(slip),
        agency: issuer.agency,
        wallet: slip.wallet.clone(),
        our_number: slip.our_number.clone(),
        number: charge.public_id(),
        issued: day(charge.created_at.in_sao_paulo().date),
        due: day(slip.due_date),
        amount: reais(charge.amount),
        description: charge
            .description
            .as_ref()
            .map(ToString::to_string)
            .unwrap_or_default(),
        payable: charge.status_at(now) == StatusName::Pending,
        notice: notice(charge, now),
    })
}

fn payer(slip: &Slip) -> Party {
    let cep = slip.payer.cep.as_str();
    let (region, suffix) = cep.split_at(cep.len().min(5));
    Party {
        name: slip.payer.name.as_str().to_owned(),
        document: written(&slip.payer.document),
        address: format!("CEP {region}-{suffix}"),
    }
}

/// A word that keeps people from paying what is not to be paid.
fn notice(charge: &Charge, now: Time) -> Option<String> {
    let status = match charge.status_at(now) {
        StatusName::Pending => None,
        StatusName::Paid => Some("BOLETO PAGO"),
        StatusName::Expired => Some("BOLETO VENCIDO – NÃO PAGAR"),
        StatusName::Failed => Some("BOLETO CANCELADO – NÃO PAGAR"),
    };
    let test = charge
        .owner
        .environment
        .is_sandbox()
        .then_some("AMBIENTE DE TESTE – SEM VALOR");
    let words: Vec<&str> = [status, test].into_iter().flatten().collect();
    (!words.is_empty()).then(|| words.join(" · "))
}
