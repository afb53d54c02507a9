//! What the stories of charges and payouts have in common: postings, events, deliveries.

use serde::Serialize;
use serde_json::value::RawValue;
use vintem_domain::charge::EventStory;
use vintem_domain::ledger::{Entry, LedgerAccount};
use vintem_domain::webhook::Delivery;

use super::webhook::Logged;
use crate::failure::Failure;

/// JSON that is kept as text.
pub(super) fn raw(json: &str) -> Result<&RawValue, Failure> {
    serde_json::from_str(json).map_err(Failure::failed)
}

/// What was posted to the ledger.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Posting {
    id: String,
    sequence: i64,
    kind: &'static str,
    at: String,
    amounts: serde_json::Map<String, serde_json::Value>,
}

impl Posting {
    pub(super) fn new(entry: &Entry) -> Self {
        let amounts = LedgerAccount::ALL
            .into_iter()
            .map(|on| (on.as_str().to_owned(), entry.postings.on(on).get()))
            .filter(|(_, amount)| *amount != 0)
            .map(|(name, amount)| (name, amount.into()))
            .collect();
        Self {
            id: entry.id.to_string(),
            sequence: entry.sequence,
            kind: entry.kind.as_str(),
            at: entry.created_at.to_string(),
            amounts,
        }
    }
}

/// What the merchant was told, and what became of it.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct ToldEvent<'a> {
    id: String,
    event: &'static str,
    sequence: i64,
    recorded_at: String,
    body: &'a RawValue,
    delivery: Option<ToldDelivery>,
    attempts: Vec<Logged>,
}

impl<'a> ToldEvent<'a> {
    pub(super) fn new(story: &'a EventStory) -> Result<Self, Failure> {
        let event = &story.event;
        Ok(Self {
            id: event.id.to_string(),
            event: event.kind.as_str(),
            sequence: event.sequence,
            recorded_at: event.recorded_at.to_string(),
            body: raw(&event.body)?,
            delivery: story.delivery.as_ref().map(ToldDelivery::new),
            attempts: story.attempts.iter().map(Logged::new).collect(),
        })
    }
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct ToldDelivery {
    state: &'static str,
    attempts: i64,
    due_at: String,
    leased_until: Option<String>,
    created_at: String,
}

impl ToldDelivery {
    fn new(delivery: &Delivery) -> Self {
        Self {
            state: delivery.state.as_str(),
            attempts: delivery.attempts,
            due_at: delivery.due_at.to_string(),
            leased_until: delivery.lease.map(|lease| lease.until.to_string()),
            created_at: delivery.created_at.to_string(),
        }
    }
}
