//! How the words after a flag become values of the domain.

use std::fmt::Display;
use std::time::Duration;

use vintem_domain::account::{AccountId, Environment, LONGEST_DUPLICATE_GUARD};
use vintem_domain::brcode::EndToEndId;
use vintem_domain::charge::ChargeId;
use vintem_domain::document::Document;
use vintem_domain::event::EventId;
use vintem_domain::idempotency::IdempotencyKey;
use vintem_domain::key::{KeyId, Lifetime, Scopes};
use vintem_domain::money::Fee;
use vintem_domain::payout::PayoutId;
use vintem_domain::provider::Outgoing;
use vintem_domain::receipt::ReceiptOf;
use vintem_domain::text::{Description, Email, Name};
use vintem_domain::webhook::WebhookUrl;
use vintem_domain::{Centavos, Time};

use crate::config::Value;

type Parsed<T> = Result<T, String>;

/// The longest time a rolled key may work on.
const LONGEST_OVERLAP: Duration = Duration::from_hours(24);

/// A fee to be agreed with an account; `None` follows the settings again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct FeeChange(pub(crate) Option<Fee>);

/// A limit to be agreed with an account; `None` follows the settings again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct LimitChange(pub(crate) Option<Centavos>);

/// For how many minutes a twin of a withdrawal is taken for a mistake; `None` switches that off.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct GuardChange(pub(crate) Option<i64>);

/// The word that gives up what was agreed.
const DEFAULT: &str = "default";

fn said<T, E: Display>(result: Result<T, E>) -> Parsed<T> {
    result.map_err(|error| error.to_string())
}

pub(super) fn account(text: &str) -> Parsed<AccountId> {
    said(AccountId::parse(text))
}

pub(super) fn key(text: &str) -> Parsed<KeyId> {
    said(KeyId::parse(text))
}

pub(super) fn charge(text: &str) -> Parsed<ChargeId> {
    said(ChargeId::parse_any(text))
}

/// The id of a charge as it was written: its prefix says which kind it is.
pub(super) fn charge_as_written(text: &str) -> Parsed<String> {
    charge(text).map(|_fits| text.to_owned())
}

pub(super) fn payout(text: &str) -> Parsed<PayoutId> {
    said(PayoutId::parse(text))
}

pub(super) fn receipt(text: &str) -> Parsed<ReceiptOf> {
    said(ReceiptOf::parse(text))
}

pub(super) fn event(text: &str) -> Parsed<EventId> {
    said(EventId::parse(text))
}

pub(super) fn end_to_end_id(text: &str) -> Parsed<EndToEndId> {
    said(EndToEndId::parse(text))
}

pub(super) fn mode(text: &str) -> Parsed<Environment> {
    Environment::parse(text).ok_or_else(|| "must be test or live".to_owned())
}

pub(super) fn name(text: &str) -> Parsed<Name> {
    said(Name::parse(text))?.ok_or_else(|| "must not be empty".to_owned())
}

pub(super) fn description(text: &str) -> Parsed<Description> {
    said(Description::parse(text))?.ok_or_else(|| "must not be empty".to_owned())
}

pub(super) fn idempotency_key(text: &str) -> Parsed<IdempotencyKey> {
    said(IdempotencyKey::parse(text))
}

pub(super) fn email(text: &str) -> Parsed<Email> {
    said(Email::parse(text))
}

pub(super) fn document(text: &str) -> Parsed<Document> {
    said(Document::parse_lenient(text))
}

pub(super) fn scopes(text: &str) -> Parsed<Scopes> {
    said(Scopes::parse(text))
}

pub(super) fn lifetime(text: &str) -> Parsed<Lifetime> {
    Lifetime::parse(text).ok_or_else(|| "must be 7d, 30d, 90d, 1y or never".to_owned())
}

pub(super) fn duration(text: &str) -> Parsed<Duration> {
    Duration::read(text)
}

pub(super) fn overlap(text: &str) -> Parsed<Duration> {
    let overlap = Duration::read(text)?;
    (overlap <= LONGEST_OVERLAP)
        .then_some(overlap)
        .ok_or_else(|| "must be from 0 to 24h".to_owned())
}

pub(super) fn time(text: &str) -> Parsed<Time> {
    said(Time::parse(text))
}

pub(super) fn webhook_url(text: &str) -> Parsed<WebhookUrl> {
    said(WebhookUrl::parse(text))
}

pub(super) fn centavos(text: &str) -> Parsed<Centavos> {
    Centavos::read(text)
}

pub(super) fn outgoing(text: &str) -> Parsed<Outgoing> {
    Outgoing::parse(text).ok_or_else(|| "must be settle, fail or unknown".to_owned())
}

pub(super) fn fee(text: &str) -> Parsed<FeeChange> {
    match text {
        DEFAULT => Ok(FeeChange(None)),
        fee => Fee::read(fee).map(|fee| FeeChange(Some(fee))),
    }
}

pub(super) fn guard(text: &str) -> Parsed<GuardChange> {
    match text {
        "off" => Ok(GuardChange(None)),
        minutes => minutes
            .parse()
            .ok()
            .filter(|minutes| (1..=LONGEST_DUPLICATE_GUARD).contains(minutes))
            .map(|minutes| GuardChange(Some(minutes)))
            .ok_or_else(|| format!("must be from 1 to {LONGEST_DUPLICATE_GUARD}, or off")),
    }
}

pub(super) fn limit(text: &str) -> Parsed<LimitChange> {
    match text {
        DEFAULT => Ok(LimitChange(None)),
        limit => Centavos::read(limit).map(|limit| LimitChange(Some(limit))),
    }
}
