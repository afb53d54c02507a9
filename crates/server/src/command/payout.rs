//! `vintem payout`

use serde::Serialize;
use vintem_domain::bill::Quote;
use vintem_domain::payout::{self, BillOrder, Payout, PayoutStatus, Purpose, Story, Withdrawal};
use vintem_domain::text::Text;

use super::story::{Posting, ToldEvent};
use crate::cli::Payout as Asked;
use crate::config::Config;
use crate::failure::Failure;
use crate::{installation, output};

pub(super) fn run(asked: &Asked, config: &Config) -> Result<(), Failure> {
    let Asked::Show(asked) = asked;
    let shared = installation::for_command(config)?;
    let story = payout::story(&shared.ports(), asked.id)?;
    output::print(&Told::new(&story)?)
}

/// A payout's whole story.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Told<'a> {
    #[serde(flatten)]
    payout: ToldPayout<'a>,
    #[serde(skip_serializing_if = "Option::is_none")]
    quote: Option<ToldQuote<'a>>,
    postings: Vec<Posting>,
    events: Vec<ToldEvent<'a>>,
}

impl<'a> Told<'a> {
    fn new(story: &'a Story) -> Result<Self, Failure> {
        let events = story.events.iter().map(ToldEvent::new);
        Ok(Self {
            payout: ToldPayout::new(&story.payout)?,
            quote: story.quote.as_ref().map(ToldQuote::new),
            postings: story.entries.iter().map(Posting::new).collect(),
            events: events.collect::<Result<_, _>>()?,
        })
    }
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct ToldPayout<'a> {
    id: String,
    kind: &'static str,
    account: String,
    mode: &'static str,
    origin: &'static str,
    status: &'static str,
    amount: i64,
    net_amount: i64,
    fee: i64,
    debit: i64,
    #[serde(flatten)]
    purpose: ToldPurpose<'a>,
    phase: &'static str,
    tries: i64,
    due_at: String,
    created_at: String,
    paid_at: Option<String>,
    end_to_end_id: Option<&'a str>,
    failed_at: Option<String>,
    failure_reason: Option<&'a str>,
}

impl<'a> ToldPayout<'a> {
    fn new(payout: &'a Payout) -> Result<Self, Failure> {
        let (paid, failed) = match &payout.status {
            PayoutStatus::Pending => (None, None),
            PayoutStatus::Paid { at, authentication } => (Some((at, authentication)), None),
            PayoutStatus::Failed { at, reason } => (None, Some((at, reason))),
        };
        Ok(Self {
            id: payout.public_id(),
            kind: payout.purpose.kind(),
            account: payout.owner.account.to_string(),
            mode: payout.owner.environment.as_str(),
            origin: payout.origin.as_str(),
            status: payout.status.as_str(),
            amount: payout.amount.get(),
            net_amount: payout.net_amount.get(),
            fee: payout.fee.get(),
            debit: payout.debit().map_err(Failure::failed)?.get(),
            purpose: match &payout.purpose {
                Purpose::Withdrawal(details) => ToldPurpose::withdrawal(details),
                Purpose::Bill(order) => ToldPurpose::bill(order),
            },
            phase: payout.step.phase.as_str(),
            tries: payout.step.tries,
            due_at: payout.step.due_at.to_string(),
            created_at: payout.created_at.to_string(),
            paid_at: paid.map(|(at, _)| at.to_string()),
            end_to_end_id: paid.map(|(_, authentication)| authentication.as_str()),
            failed_at: failed.map(|(at, _)| at.to_string()),
            failure_reason: failed.map(|(_, reason)| reason.as_str()),
        })
    }
}

/// What the money goes out for.
#[derive(Serialize)]
#[serde(untagged)]
enum ToldPurpose<'a> {
    #[serde(rename_all = "camelCase")]
    Withdrawal {
        pix_key: &'a str,
        pix_key_type: &'static str,
        beneficiary_name: Option<&'a str>,
        description: Option<&'a str>,
        payee_name: Option<&'a str>,
        payee_document: &'a str,
    },
    #[serde(rename_all = "camelCase")]
    Bill {
        barcode: &'a str,
        external_id: &'a str,
    },
}

impl<'a> ToldPurpose<'a> {
    fn withdrawal(details: &'a Withdrawal) -> Self {
        Self::Withdrawal {
            pix_key: &details.pix_key,
            pix_key_type: details.pix_key_kind,
            beneficiary_name: details.beneficiary_name.as_ref().map(Text::as_str),
            description: details.description.as_ref().map(Text::as_str),
            payee_name: details.payee.name.as_deref(),
            payee_document: details.payee.document.as_str(),
        }
    }

    fn bill(order: &'a BillOrder) -> Self {
        Self::Bill {
            barcode: &order.barcode,
            external_id: order.external_id.as_str(),
        }
    }
}

/// The price that was locked.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct ToldQuote<'a> {
    id: String,
    bank: Option<&'a str>,
    beneficiary: Option<&'a str>,
    due_date: String,
    original: i64,
    interest: i64,
    fine: i64,
    discount: i64,
    rebate: i64,
    created_at: String,
    expires_at: String,
}

impl<'a> ToldQuote<'a> {
    fn new(quote: &'a Quote) -> Self {
        Self {
            id: quote.id.to_string(),
            bank: quote.bank.as_deref(),
            beneficiary: quote.beneficiary.as_deref(),
            due_date: quote.due_date.to_string(),
            original: quote.amounts.original.get(),
            interest: quote.amounts.interest.get(),
            fine: quote.amounts.fine.get(),
            discount: quote.amounts.discount.get(),
            rebate: quote.amounts.rebate.get(),
            created_at: quote.created_at.to_string(),
            expires_at: quote.expires_at.to_string(),
        }
    }
}
