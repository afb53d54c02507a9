//! `vintem stub`: tells the play bank of a running server what to do.

mod post;

use serde_json::{Map, Value, json};
use vintem_domain::brcode::EndToEndId;
use vintem_domain::provider::Outgoing;

use crate::cli::{Stub as Asked, StubPay, StubServer, StubState};
use crate::config::Config;
use crate::failure::Failure;
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
    let answer = post::post(
        &address(server, config)?,
        path,
        &secret,
        &Value::Object(body),
    )?;
    output::print(&answer)
}

/// Where the server is.
fn address(server: &StubServer, config: &Config) -> Result<String, Failure> {
    if let Some(url) = &server.url {
        return Ok(url.clone());
    }
    if let Some(public) = &config.public_url {
        return Ok(public.0.clone());
    }
    if config.listen.port() == 0 {
        return Err(Failure::Usage(
            "the server's port is not known: give --url".to_owned(),
        ));
    }
    Ok(format!("http://{}", config.listen))
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
