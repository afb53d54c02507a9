//! Events: what merchants are told. The bytes rendered here are the contract (api.md, Events).

use serde::Serialize;
use serde_json::value::RawValue;

use crate::account::Owner;
use crate::calendar::Time;
use crate::charge::{Charge, Status};
use crate::error::Error;
use crate::id::{Ulid, id};
use crate::ledger::Head;
use crate::ports::Tx;
use crate::webhook::Delivery;

id!(
    /// An event; the same in every attempt to deliver it.
    EventId, "evt_");

/// What happened.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EventKind {
    /// A PIX charge was paid.
    PixQrCodePaid,
    /// A PIX charge failed.
    PixQrCodeFailed,
}

impl EventKind {
    const ALL: [Self; 2] = [Self::PixQrCodePaid, Self::PixQrCodeFailed];

    /// The word of the API.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::PixQrCodePaid => "pixQrCode.paid",
            Self::PixQrCodeFailed => "pixQrCode.failed",
        }
    }

    /// Reads such a word.
    pub fn parse(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.as_str() == word)
    }
}

/// An event as it is kept: for ever, and never changed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Event {
    /// Its id.
    pub id: EventId,
    /// Whose.
    pub owner: Owner,
    /// Its place among the owner's events: 1, 2, 3 … without a gap.
    pub sequence: i64,
    /// What happened.
    pub kind: EventKind,
    /// To which object, without prefix.
    pub object: Ulid,
    /// The body that is sent, byte for byte.
    pub body: String,
    /// When it was recorded (real time; the body has the time of the environment).
    pub recorded_at: Time,
}

/// Now, in the time of the environment and in real time.
#[derive(Clone, Copy, Debug)]
pub struct Moments {
    /// In the time of the environment.
    pub now: Time,
    /// In real time.
    pub real_now: Time,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Body<'a> {
    id: String,
    event: &'static str,
    dev_mode: bool,
    created_at: String,
    sequence: i64,
    data: ChargeData<'a>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct ChargeData<'a> {
    id: String,
    kind: &'static str,
    status: &'static str,
    amount: i64,
    net_amount: i64,
    paid_at: Option<String>,
    payer: Option<PayerData<'a>>,
    end_to_end_id: Option<&'a str>,
    failure_reason: Option<&'a str>,
    metadata: Option<&'a RawValue>,
}

#[derive(Serialize)]
struct PayerData<'a> {
    name: Option<&'a str>,
    document: Option<&'a str>,
    bank: Option<&'a str>,
}

fn charge_data(charge: &Charge) -> Result<ChargeData<'_>, Error> {
    let metadata = charge
        .metadata
        .as_ref()
        .map(|metadata| serde_json::from_str(metadata.as_str()));
    let mut data = ChargeData {
        id: charge.id.to_string(),
        kind: "pixQrCode",
        status: "PENDING",
        amount: charge.amount.get(),
        net_amount: charge.net_amount.get(),
        paid_at: None,
        payer: None,
        end_to_end_id: None,
        failure_reason: None,
        metadata: metadata
            .transpose()
            .map_err(|error| Error::bug(format!("stored metadata: {error}")))?,
    };
    match &charge.status {
        Status::Pending => {}
        Status::Paid(payment) => {
            data.status = "PAID";
            data.paid_at = Some(payment.paid_at.to_string());
            data.payer = Some(PayerData {
                name: payment.payer.name.as_deref(),
                document: payment.payer.document.as_deref(),
                bank: payment.payer.bank.as_deref(),
            });
            data.end_to_end_id = Some(payment.end_to_end_id.as_str());
        }
        Status::Failed(failure) => {
            data.status = failure.by.as_str();
            data.failure_reason = Some(&failure.reason);
        }
    }
    Ok(data)
}

/// Tells the merchant of a charge's new status: the event, and its delivery when an endpoint is set, in the unit of
/// work that changed the status. The caller saves the head.
///
/// # Errors
/// The store's.
pub fn emit(
    tx: &mut dyn Tx,
    head: &mut Head,
    id: EventId,
    kind: EventKind,
    charge: &Charge,
    at: Moments,
) -> Result<(), Error> {
    let sequence = head.next_event()?;
    let body = Body {
        id: id.to_string(),
        event: kind.as_str(),
        dev_mode: charge.owner.environment.is_sandbox(),
        created_at: at.now.to_string(),
        sequence,
        data: charge_data(charge)?,
    };
    let body =
        serde_json::to_string(&body).map_err(|error| Error::bug(format!("event body: {error}")))?;
    let event = Event {
        id,
        owner: charge.owner,
        sequence,
        kind,
        object: charge.id.0,
        body,
        recorded_at: at.real_now,
    };
    tx.insert_event(&event)?;
    if tx.endpoint(charge.owner)?.is_some() {
        tx.insert_delivery(&Delivery::new(charge.owner, id, at.real_now))?;
    }
    Ok(())
}
