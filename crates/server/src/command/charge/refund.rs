//! `vintem charge refund`, and what stories tell of refunds.

use serde::Serialize;
use vintem_domain::charge;
use vintem_domain::error::Conflict;
use vintem_domain::payout::PayoutStatus;
use vintem_domain::refund::{self, NewRefund, Refund, Story};
use vintem_domain::text::Text;
use vintem_domain::{Error, Ports};

use super::super::story::Posting;
use crate::cli::ChargeRefund;
use crate::failure::Failure;
use crate::output;

/// Makes a refund and says what it is.
pub(super) fn make(ports: &Ports, asked: &ChargeRefund) -> Result<(), Failure> {
    let new = NewRefund {
        amount: asked.amount,
        reason: asked.reason.clone(),
    };
    let owner = charge::owner_of(ports, asked.id)?;
    let made = refund::create(ports, owner, asked.id, &new, asked.key.as_ref())
        .map_err(in_an_operators_words)?;
    let (_, charge) = refund::story(ports, made.object.id)?;
    output::print(&Made {
        charge: charge.public_id(),
        repeated: made.repeated,
        refund: Told::new(&made.object),
    })
}

/// The API speaks of a header and a body where an operator has options.
fn in_an_operators_words(error: Error) -> Failure {
    match error {
        Error::Conflict(Conflict::IdempotencyKeyReused) => {
            Failure::failed("--key names another refund: of another charge, amount or reason")
        }
        other => other.into(),
    }
}

#[derive(Serialize)]
struct Made<'a> {
    charge: String,
    repeated: bool,
    #[serde(flatten)]
    refund: Told<'a>,
}

/// A refund as it is now.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Told<'a> {
    id: String,
    status: &'static str,
    amount: i64,
    reason: Option<&'a str>,
    end_to_end_id: &'a str,
    phase: &'static str,
    tries: i64,
    due_at: String,
    created_at: String,
    paid_at: Option<String>,
    return_id: Option<&'a str>,
    failed_at: Option<String>,
    failure_reason: Option<&'a str>,
}

impl<'a> Told<'a> {
    fn new(refund: &'a Refund) -> Self {
        let (paid, failed) = match &refund.status {
            PayoutStatus::Pending => (None, None),
            PayoutStatus::Paid { at, authentication } => (Some((at, authentication)), None),
            PayoutStatus::Failed { at, reason } => (None, Some((at, reason))),
        };
        Self {
            id: refund.id.to_string(),
            status: refund.status.as_str(),
            amount: refund.amount.get(),
            reason: refund.reason.as_ref().map(Text::as_str),
            end_to_end_id: refund.payment_id.as_str(),
            phase: refund.step.phase.as_str(),
            tries: refund.step.tries,
            due_at: refund.step.due_at.to_string(),
            created_at: refund.created_at.to_string(),
            paid_at: paid.map(|(at, _)| at.to_string()),
            return_id: paid.map(|(_, authentication)| authentication.as_str()),
            failed_at: failed.map(|(at, _)| at.to_string()),
            failure_reason: failed.map(|(_, reason)| reason.as_str()),
        }
    }
}

/// What the merchant gave back, with what was posted for it.
#[derive(Serialize)]
pub(super) struct ToldRefund<'a> {
    #[serde(flatten)]
    refund: Told<'a>,
    postings: Vec<Posting>,
}

impl<'a> ToldRefund<'a> {
    pub(super) fn new(story: &'a Story) -> Self {
        Self {
            refund: Told::new(&story.refund),
            postings: story.entries.iter().map(Posting::new).collect(),
        }
    }
}
