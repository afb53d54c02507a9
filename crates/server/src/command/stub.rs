//! `vintem stub`: tells the play bank of a running server what to do.

mod post;

use std::net::SocketAddr;

use serde_json::{Map, Value, json};
use vintem_domain::brcode::EndToEndId;
use vintem_domain::provider::Outgoing;

use crate::cli::{Stub as Asked, StubPay, StubServer, StubState};
use crate::config::{Config, PublicUrl};
use crate::failure::Failure;
use crate::serve::address::local_url;
use crate::{installation, output};

pub(super) fn run(asked: &Asked, config: &Config) -> Result<(), Failure> {
    let secret = installation::stub_secret(config)?;
    let (server, path, body) = match asked {
        Asked::Secret => return output::print_line(&secret),
        Asked::Pay(asked) if asked.line.is_some() => {
            (&asked.server, "/psp/stub/boleto", payment(asked))
        }
        Asked::Pay(asked) => (&asked.server, "/psp/stub/pix", payment(asked)),
        Asked::Remove(asked) => {
            let body = [
                ("chargeId", json!(asked.charge)),
                ("reason", json!(asked.reason)),
            ];
            (&asked.server, "/psp/stub/remove", object(body))
        }
        Asked::State(asked) => (&asked.server, "/psp/stub/state", state(asked)),
    };
    let url = address(server, config.public_url.as_ref(), config.listen)?;
    let answer = post::post(&url, path, &secret, &Value::Object(body))?;
    output::print(&answer)
}

/// Where the server is: as told, else at its public URL, else where it listens. A public URL with TLS is that of a proxy
/// in front of it.
fn address(
    server: &StubServer,
    public: Option<&PublicUrl>,
    listen: SocketAddr,
) -> Result<String, Failure> {
    let plain = public.filter(|url| url.0.starts_with("http://"));
    match server.url.as_ref().or(plain.map(|url| &url.0)) {
        Some(url) => Ok(url.clone()),
        None if listen.port() == 0 => Err(Failure::Usage(
            "the server's port is not known: give --url".to_owned(),
        )),
        None => Ok(local_url(listen)),
    }
}

/// Only what was given: an absent field means what the bank would do by itself.
fn object<const N: usize>(fields: [(&str, Value); N]) -> Map<String, Value> {
    fields
        .into_iter()
        .filter(|(_, value)| !value.is_null())
        .map(|(name, value)| (name.to_owned(), value))
        .collect()
}

fn payment(asked: &StubPay) -> Map<String, Value> {
    let payer = object([
        ("name", json!(asked.payer_name)),
        ("document", json!(asked.payer_document)),
        ("bank", json!(asked.payer_bank)),
    ]);
    let payer = if payer.is_empty() {
        Value::Null
    } else {
        Value::Object(payer)
    };
    object([
        ("chargeId", json!(asked.charge)),
        ("digitableLine", json!(asked.line)),
        ("brCode", json!(asked.br_code)),
        (
            "amountCents",
            json!(asked.amount.map(vintem_domain::Centavos::get)),
        ),
        (
            "endToEndId",
            json!(asked.end_to_end_id.as_ref().map(EndToEndId::as_str)),
        ),
        ("paidAt", json!(asked.paid_at.map(|at| at.to_string()))),
        ("payer", payer),
    ])
}

fn state(asked: &StubState) -> Map<String, Value> {
    object([
        ("up", json!(asked.up)),
        ("latencyMs", json!(asked.latency_ms)),
        (
            "withdrawals",
            json!(asked.withdrawals.map(Outgoing::as_str)),
        ),
        ("bills", json!(asked.bills.map(Outgoing::as_str))),
        ("refunds", json!(asked.refunds.map(Outgoing::as_str))),
    ])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_server_is_found_behind_its_proxy() {
        let found = |told: Option<&str>, public: Option<&str>, listen: &str| {
            let server = StubServer {
                url: told.map(str::to_owned),
            };
            let public = public.map(|url| PublicUrl(url.to_owned()));
            address(&server, public.as_ref(), listen.parse().unwrap()).ok()
        };
        let local = "127.0.0.1:8080";
        for (told, public, listen, expected) in [
            (None, None, local, Some("http://127.0.0.1:8080")),
            (None, None, "0.0.0.0:80", Some("http://127.0.0.1:80")),
            (None, Some("http://pay.lan"), local, Some("http://pay.lan")),
            (
                None,
                Some("https://pay.example.com"),
                local,
                Some("http://127.0.0.1:8080"),
            ),
            (
                Some("http://10.0.0.1"),
                Some("http://pay.lan"),
                local,
                Some("http://10.0.0.1"),
            ),
            (None, Some("https://pay.example.com"), "127.0.0.1:0", None),
        ] {
            let found = found(told, public, listen);
            assert_eq!(found.as_deref(), expected, "{told:?} {public:?} {listen}");
        }
    }

    #[test]
    fn only_what_was_given_is_sent() {
        let asked = StubState {
            up: Some(false),
            latency_ms: None,
            withdrawals: None,
            bills: Some(Outgoing::Fail),
            refunds: None,
            server: StubServer { url: None },
        };
        assert_eq!(
            Value::Object(state(&asked)),
            json!({ "up": false, "bills": "fail" })
        );
    }
}
