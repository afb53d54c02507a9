//! `/psp/stub/boleto`: a boleto is paid at another bank.

use actix_web::web::Payload;
use actix_web::{HttpRequest, HttpResponse};
use data_encoding::HEXUPPER;
use vintem_domain::account::Environment;
use vintem_domain::boleto::{self, Barcode, DigitableLine};
use vintem_domain::charge::{Charge, ChargeKind, PaymentId};
use vintem_domain::digits::CodeError;
use vintem_domain::provider::Payer;
use vintem_domain::{Error, Ports};

use super::{Money, Played, bank};
use crate::body::Body;
use crate::envelope::success;
use crate::error::Problem;
use crate::site::TheSite;

/// `POST /psp/stub/boleto`: somebody pays by digitable line or barcode, and the clearing house tells.
pub(crate) async fn boleto(
    site: TheSite,
    request: HttpRequest,
    payload: Payload,
) -> Result<HttpResponse, Problem> {
    bank(&site, &request)?;
    let body = Body::receive(&request, payload, site.settings.client_request_timeout).await?;
    let fields = body.fields()?;
    let barcode = fields.needed("digitableLine", typed_or_scanned)?;
    let money = Money::read(&fields)?;
    let played = site
        .database(move |ports| clear(ports, &barcode, money))
        .await?;
    success(&played)
}

/// The 47 digits people type, or the 44 a machine scans.
fn typed_or_scanned(text: &str) -> Result<Barcode, CodeError> {
    match DigitableLine::parse(text) {
        Err(CodeError::Length {
            found: Barcode::LENGTH,
            ..
        }) => Barcode::parse(text),
        line => line.map(|line| line.barcode()),
    }
}

fn clear(ports: &Ports, barcode: &Barcode, money: Money) -> Result<Played, Error> {
    let charge = boleto::by_barcode(ports, barcode)?;
    let random = ports.ids.random();
    let authentication = random
        .first_chunk::<12>()
        .and_then(|bytes| PaymentId::of_settlement(&HEXUPPER.encode(bytes)))
        .ok_or_else(|| Error::bug("an authentication is no name of a payment"))?;
    let payer = payer(&charge);
    money.arrive(ports, &charge, authentication, payer)
}

/// A clearing house tells no payer: it is taken for whom the slip names.
fn payer(charge: &Charge) -> Payer {
    let bank = match charge.owner.environment {
        Environment::Sandbox => "Sandbox Bank",
        Environment::Live => "Play Bank",
    };
    let named = match &charge.kind {
        ChargeKind::Boleto(slip) => Some(&slip.payer),
        ChargeKind::PixQrCode => None,
    };
    Payer {
        name: named.map(|payer| payer.name.as_str().to_owned()),
        document: named.map(|payer| payer.document.as_str().to_owned()),
        bank: Some(bank.to_owned()),
    }
}
