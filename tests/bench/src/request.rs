//! The requests of the load, made once and sent many times.

use std::net::SocketAddr;

use vintem_tests::site::STUB_SECRET;

use crate::wire::{ChargeId, find};

/// What a merchant typically sends: a charge for somebody, with a reference of its own.
const CHARGE: &str = r#"{"amountCents":4990,"description":"Pedido 1042","customer":{"name":"Maria da Silva","email":"maria@example.com","cellphone":"+5511987654321","taxId":"52998224725"},"metadata":{"order":"1042"}}"#;

/// The same sale by boleto.
const BOLETO: &str = r#"{"amountCents":4990,"description":"Pedido 1042","payer":{"name":"Maria da Silva","document":"52998224725","cep":"01310100"},"dueDays":3,"metadata":{"order":"1042"}}"#;

/// A transfer to somebody.
const WITHDRAWAL: &str = r#"{"amountCents":1000,"pixKey":"bia@example.com","pixKeyType":"EMAIL","description":"Comissao 1042"}"#;

/// Stands for the charge until one is named.
const NOBODY: &ChargeId = b"chg_00000000000000000000000000";

/// `POST /v1/pixQrCode/create`.
pub(crate) fn create(address: SocketAddr, key: &str) -> Vec<u8> {
    post(address, "/v1/pixQrCode/create", key, CHARGE)
}

/// `POST /v1/boleto/create`.
pub(crate) fn boleto(address: SocketAddr, key: &str) -> Vec<u8> {
    post(address, "/v1/boleto/create", key, BOLETO)
}

/// `GET /boletos/{token}.pdf`.
pub(crate) fn page(address: SocketAddr, path: &str) -> Vec<u8> {
    get(address, path, "nobody")
}

/// `POST /v1/withdraw/create`.
pub(crate) fn withdrawal(address: SocketAddr, key: &str) -> Vec<u8> {
    post(address, "/v1/withdraw/create", key, WITHDRAWAL)
}

/// `POST /v1/boleto/query`.
pub(crate) fn quote(address: SocketAddr, key: &str, barcode: &str) -> Vec<u8> {
    let body = format!(r#"{{"barcode":"{barcode}"}}"#);
    post(address, "/v1/boleto/query", key, &body)
}

/// `POST /v1/boleto/pay`.
pub(crate) fn pay_bill(address: SocketAddr, key: &str, quote: &str, name: &str) -> Vec<u8> {
    let body = format!(r#"{{"quoteId":"{quote}","externalId":"{name}"}}"#);
    post(address, "/v1/boleto/pay", key, &body)
}

/// `POST /v1/pixQrCode/create` of so much.
pub(crate) fn charge_of(address: SocketAddr, key: &str, centavos: i64) -> Vec<u8> {
    let body = format!(r#"{{"amountCents":{centavos}}}"#);
    post(address, "/v1/pixQrCode/create", key, &body)
}

/// `GET /v1/transaction/list`.
pub(crate) fn list(address: SocketAddr, key: &str) -> Vec<u8> {
    get(address, "/v1/transaction/list", key)
}

/// `POST /psp/stub/state` with so much latency.
pub(crate) fn latency(address: SocketAddr, latency_ms: u32) -> Vec<u8> {
    let body = format!(r#"{{"latencyMs":{latency_ms}}}"#);
    post(address, "/psp/stub/state", STUB_SECRET, &body)
}

/// A request about one charge, which can be exchanged for another.
#[derive(Clone)]
pub(crate) struct AboutCharge {
    bytes: Vec<u8>,
    at: usize,
}

impl AboutCharge {
    /// `GET /v1/pixQrCode/check`.
    pub(crate) fn check(address: SocketAddr, key: &str) -> Self {
        let nobody = String::from_utf8_lossy(NOBODY);
        Self::new(get(
            address,
            &format!("/v1/pixQrCode/check?id={nobody}"),
            key,
        ))
    }

    /// `POST /psp/stub/pix`: a payer pays what is asked.
    pub(crate) fn pay(address: SocketAddr) -> Self {
        let body = format!(r#"{{"chargeId":"{}"}}"#, String::from_utf8_lossy(NOBODY));
        Self::new(post(address, "/psp/stub/pix", STUB_SECRET, &body))
    }

    fn new(bytes: Vec<u8>) -> Self {
        let at = find(&bytes, NOBODY).unwrap_or_default();
        Self { bytes, at }
    }

    /// The request about this charge.
    pub(crate) fn about(&mut self, charge: &ChargeId) -> &[u8] {
        self.bytes[self.at..self.at + charge.len()].copy_from_slice(charge);
        &self.bytes
    }
}

fn get(address: SocketAddr, path: &str, key: &str) -> Vec<u8> {
    format!("GET {path} HTTP/1.1\r\nHost: {address}\r\nAuthorization: Bearer {key}\r\n\r\n")
        .into_bytes()
}

fn post(address: SocketAddr, path: &str, key: &str, body: &str) -> Vec<u8> {
    format!(
        "POST {path} HTTP/1.1\r\nHost: {address}\r\nAuthorization: Bearer {key}\r\n\
         Content-Type: application/json\r\nContent-Length: {}\r\n\r\n{body}",
        body.len()
    )
    .into_bytes()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_request_is_about_the_charge_that_was_named_last() {
        let address = SocketAddr::from(([127, 0, 0, 1], 80));
        let mut check = AboutCharge::check(address, "key");
        for charge in [b"chg_01ARZ3NDEKTSV4RRFFQ69G5FAV", NOBODY] {
            let text = String::from_utf8_lossy(check.about(charge)).into_owned();
            let line = format!(
                "GET /v1/pixQrCode/check?id={} HTTP/1.1\r\n",
                String::from_utf8_lossy(charge)
            );
            assert!(text.starts_with(&line), "{text}");
        }
    }
}
