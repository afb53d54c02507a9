//! `vintem charge`

mod refund;

use serde::Serialize;
use serde_json::value::RawValue;
use vintem_domain::boleto::Slip;
use vintem_domain::charge::{
    self, Charge, ChargeKind, Customer, Receipt, Return, ReturnState, Status, Story,
};
use vintem_domain::document::Document;
use vintem_domain::provider::Payer;
use vintem_domain::text::{Email, Phone, Text};

use self::refund::ToldRefund;
use super::story::{Posting, ToldEvent, raw};
use crate::cli::Charge as Asked;
use crate::config::Config;
use crate::failure::Failure;
use crate::{installation, output};

pub(super) fn run(asked: &Asked, config: &Config) -> Result<(), Failure> {
    let shared = installation::for_command(config)?;
    let ports = shared.ports();
    match asked {
        Asked::Show(asked) => output::print(&Told::new(&charge::story(&ports, asked.id)?)?),
        Asked::Cancel(asked) => {
            let owner = charge::owner_of(&ports, asked.id)?;
            let charge = charge::cancel(&ports, owner, asked.id)?;
            output::print(&Canceled::new(&charge))
        }
        Asked::Refund(asked) => refund::make(&ports, asked),
    }
}

/// What became of a charge that was cancelled.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Canceled<'a> {
    id: String,
    status: &'static str,
    failed_at: Option<String>,
    failed_by: Option<&'static str>,
    failure_reason: Option<&'a str>,
}

impl<'a> Canceled<'a> {
    fn new(charge: &'a Charge) -> Self {
        let failure = match &charge.status {
            Status::Failed(failure) => Some(failure),
            Status::Pending | Status::Paid(_) => None,
        };
        Self {
            id: charge.public_id(),
            status: charge.status_at(charge.created_at).as_str(),
            failed_at: failure.map(|failure| failure.failed_at.to_string()),
            failed_by: failure.map(|failure| failure.by.as_str()),
            failure_reason: failure.map(|failure| failure.reason.as_str()),
        }
    }
}

/// A charge's whole story.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Told<'a> {
    #[serde(flatten)]
    charge: ToldCharge<'a>,
    notices: Vec<Notice<'a>>,
    returns: Vec<ToldReturn<'a>>,
    refunds: Vec<ToldRefund<'a>>,
    postings: Vec<Posting>,
    events: Vec<ToldEvent<'a>>,
}

impl<'a> Told<'a> {
    fn new(story: &'a Story) -> Result<Self, Failure> {
        Ok(Self {
            charge: ToldCharge::new(story)?,
            notices: story.receipts.iter().map(Notice::new).collect(),
            returns: story.returns.iter().map(ToldReturn::new).collect(),
            refunds: story.refunds.iter().map(ToldRefund::new).collect(),
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
    kind: &'static str,
    account: String,
    mode: &'static str,
    origin: &'static str,
    status: &'static str,
    amount: i64,
    net_amount: i64,
    fee: i64,
    #[serde(skip_serializing_if = "Option::is_none")]
    boleto: Option<ToldSlip<'a>>,
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
            id: charge.public_id(),
            kind: charge.kind.as_str(),
            account: charge.owner.account.to_string(),
            mode: charge.owner.environment.as_str(),
            origin: charge.origin.as_str(),
            status: charge.status_at(story.now).as_str(),
            amount: charge.amount.get(),
            net_amount: charge.net_amount.get(),
            fee: charge.fee().map_err(Failure::failed)?.get(),
            boleto: match &charge.kind {
                ChargeKind::Boleto(slip) => Some(ToldSlip::new(slip)),
                ChargeKind::PixQrCode => None,
            },
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

/// The title of a boleto. The token of its slip is a credential and is not told.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct ToldSlip<'a> {
    wallet: &'a str,
    our_number: &'a str,
    digitable_line: String,
    barcode: &'a str,
    due_date: String,
    payer_name: &'a str,
    payer_document: &'a str,
    payer_cep: &'a str,
}

impl<'a> ToldSlip<'a> {
    fn new(slip: &'a Slip) -> Self {
        Self {
            wallet: &slip.wallet,
            our_number: &slip.our_number,
            digitable_line: slip.line().to_string(),
            barcode: slip.barcode.as_str(),
            due_date: slip.due_date.to_string(),
            payer_name: slip.payer.name.as_str(),
            payer_document: slip.payer.document.as_str(),
            payer_cep: slip.payer.cep.as_str(),
        }
    }
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
