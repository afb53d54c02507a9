//! `vintem charge`

use serde::Serialize;
use serde_json::value::RawValue;
use vintem_domain::charge::{
    self, Charge, Customer, EventStory, Receipt, Return, ReturnState, Status, Story,
};
use vintem_domain::document::Document;
use vintem_domain::ledger::{Entry, LedgerAccount};
use vintem_domain::provider::Payer;
use vintem_domain::text::{Email, Phone, Text};
use vintem_domain::webhook::Delivery;

use super::webhook::Logged;
use crate::cli::Charge as Asked;
use crate::config::Config;
use crate::failure::Failure;
use crate::{installation, output};

pub(super) fn run(asked: &Asked, config: &Config) -> Result<(), Failure> {
    let Asked::Show(asked) = asked;
    let shared = installation::for_command(config)?;
    let story = charge::story(&shared.ports(), asked.id)?;
    output::print(&Told::new(&story)?)
}

/// A charge's whole story.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Told<'a> {
    #[serde(flatten)]
    charge: ToldCharge<'a>,
    notices: Vec<Notice<'a>>,
    returns: Vec<ToldReturn<'a>>,
    postings: Vec<Posting>,
    events: Vec<ToldEvent<'a>>,
}

impl<'a> Told<'a> {
    fn new(story: &'a Story) -> Result<Self, Failure> {
        Ok(Self {
            charge: ToldCharge::new(story)?,
            notices: story.receipts.iter().map(Notice::new).collect(),
            returns: story.returns.iter().map(ToldReturn::new).collect(),
            postings: story.entries.iter().map(Posting::new).collect(),
            events: story
                .events
                .iter()
                .map(ToldEvent::new)
                .collect::<Result<_, _>>()?,
        })
    }
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct ToldCharge<'a> {
    id: String,
    account: String,
    mode: &'static str,
    origin: &'static str,
    status: &'static str,
    amount: i64,
    net_amount: i64,
    fee: i64,
    description: Option<&'a str>,
    customer: ToldCustomer<'a>,
    metadata: Option<&'a RawValue>,
    txid: &'a str,
    br_code: &'a str,
    created_at: String,
    expires_at: String,
    paid_at: Option<String>,
    payer: Option<ToldPayer<'a>>,
    end_to_end_id: Option<&'a str>,
    failed_at: Option<String>,
    failed_by: Option<&'static str>,
    failure_reason: Option<&'a str>,
}

impl<'a> ToldCharge<'a> {
    fn new(story: &'a Story) -> Result<Self, Failure> {
        let charge: &Charge = &story.charge;
        let metadata = charge
            .metadata
            .as_ref()
            .map(|metadata| raw(metadata.as_str()));
        let (payment, failure) = match &charge.status {
            Status::Pending => (None, None),
            Status::Paid(payment) => (Some(payment), None),
            Status::Failed(failure) => (None, Some(failure)),
        };
        Ok(Self {
            id: charge.id.to_string(),
            account: charge.owner.account.to_string(),
            mode: charge.owner.environment.as_str(),
            origin: charge.origin.as_str(),
            status: charge.status_at(story.now).as_str(),
            amount: charge.amount.get(),
            net_amount: charge.net_amount.get(),
            fee: charge.fee().map_err(Failure::failed)?.get(),
            description: charge.description.as_ref().map(Text::as_str),
            customer: ToldCustomer::new(&charge.customer),
            metadata: metadata.transpose()?,
            txid: charge.txid.as_str(),
            br_code: &charge.br_code,
            created_at: charge.created_at.to_string(),
            expires_at: charge.expires_at.to_string(),
            paid_at: payment.map(|payment| payment.paid_at.to_string()),
            payer: payment.map(|payment| ToldPayer::new(&payment.payer)),
            end_to_end_id: payment.map(|payment| payment.end_to_end_id.as_str()),
            failed_at: failure.map(|failure| failure.failed_at.to_string()),
            failed_by: failure.map(|failure| failure.by.as_str()),
            failure_reason: failure.map(|failure| failure.reason.as_str()),
        })
    }
}

/// JSON that is kept as text.
fn raw(json: &str) -> Result<&RawValue, Failure> {
    serde_json::from_str(json).map_err(Failure::failed)
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct ToldCustomer<'a> {
    name: Option<&'a str>,
    email: Option<&'a str>,
    cellphone: Option<&'a str>,
    tax_id: Option<&'a str>,
}

impl<'a> ToldCustomer<'a> {
    fn new(customer: &'a Customer) -> Self {
        Self {
            name: customer.name.as_ref().map(Text::as_str),
            email: customer.email.as_ref().map(Email::as_str),
            cellphone: customer.cellphone.as_ref().map(Phone::as_str),
            tax_id: customer.tax_id.as_ref().map(Document::as_str),
        }
    }
}

#[derive(Serialize)]
struct ToldPayer<'a> {
    name: Option<&'a str>,
    document: Option<&'a str>,
    bank: Option<&'a str>,
}

impl<'a> ToldPayer<'a> {
    fn new(payer: &'a Payer) -> Self {
        Self {
            name: payer.name.as_deref(),
            document: payer.document.as_deref(),
            bank: payer.bank.as_deref(),
        }
    }
}

/// What a bank told.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Notice<'a> {
    end_to_end_id: &'a str,
    amount: i64,
    paid_at: String,
    received_at: String,
    payer: ToldPayer<'a>,
    returned_because: Option<&'static str>,
}

impl<'a> Notice<'a> {
    fn new(receipt: &'a Receipt) -> Self {
        Self {
            end_to_end_id: receipt.end_to_end_id.as_str(),
            amount: receipt.amount.get(),
            paid_at: receipt.paid_at.to_string(),
            received_at: receipt.received_at.to_string(),
            payer: ToldPayer::new(&receipt.payer),
            returned_because: receipt.returned.map(charge::ReturnReason::as_str),
        }
    }
}

/// What went back to a payer.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct ToldReturn<'a> {
    id: String,
    end_to_end_id: &'a str,
    amount: i64,
    reason: &'static str,
    state: &'static str,
    ended_at: Option<String>,
    provider_id: Option<&'a str>,
    tries: i64,
    due_at: String,
    created_at: String,
}

impl<'a> ToldReturn<'a> {
    fn new(returned: &'a Return) -> Self {
        let (state, ended_at, provider_id) = match &returned.state {
            ReturnState::Open => ("open", None, None),
            ReturnState::Done { at, provider_id } => ("done", Some(at), Some(provider_id)),
            ReturnState::Refused { at } => ("refused", Some(at), None),
        };
        Self {
            id: returned.id.to_string(),
            end_to_end_id: returned.end_to_end_id.as_str(),
            amount: returned.amount.get(),
            reason: returned.reason.as_str(),
            state,
            ended_at: ended_at.map(ToString::to_string),
            provider_id: provider_id.map(String::as_str),
            tries: returned.tries,
            due_at: returned.due_at.to_string(),
            created_at: returned.created_at.to_string(),
        }
    }
}

/// What was posted to the ledger.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Posting {
    id: String,
    sequence: i64,
    kind: &'static str,
    at: String,
    amounts: serde_json::Map<String, serde_json::Value>,
}

impl Posting {
    fn new(entry: &Entry) -> Self {
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
struct ToldEvent<'a> {
    id: String,
    event: &'static str,
    sequence: i64,
    recorded_at: String,
    body: &'a RawValue,
    delivery: Option<ToldDelivery>,
    attempts: Vec<Logged>,
}

impl<'a> ToldEvent<'a> {
    fn new(story: &'a EventStory) -> Result<Self, Failure> {
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
