//! Events: what merchants are told. The bytes rendered here are the contract (api.md, Events).

use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use crate::account::Owner;
use crate::calendar::Time;
use crate::error::Error;
use crate::id::{Ulid, id};
use crate::ledger::Head;

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
    /// A boleto was paid.
    BoletoPaid,
    /// A withdrawal or a third-party payment settled.
    WithdrawDone,
    /// A withdrawal or a third-party payment failed.
    WithdrawFailed,
}

impl EventKind {
    const ALL: [Self; 5] = [
        Self::PixQrCodePaid,
        Self::PixQrCodeFailed,
        Self::BoletoPaid,
        Self::WithdrawDone,
        Self::WithdrawFailed,
    ];

    /// The word of the API.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::PixQrCodePaid => "pixQrCode.paid",
            Self::PixQrCodeFailed => "pixQrCode.failed",
            Self::BoletoPaid => "boleto.paid",
            Self::WithdrawDone => "withdraw.done",
            Self::WithdrawFailed => "withdraw.failed",
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
    created_at: &'a str,
    sequence: i64,
    data: Data<'a>,
}

/// What an event says of its object.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Data<'a> {
    pub(crate) id: String,
    pub(crate) kind: &'static str,
    pub(crate) status: &'static str,
    pub(crate) amount: i64,
    pub(crate) net_amount: i64,
    pub(crate) paid_at: Option<String>,
    pub(crate) payer: Option<PayerData<'a>>,
    pub(crate) end_to_end_id: Option<&'a str>,
    pub(crate) failure_reason: Option<&'a str>,
    pub(crate) metadata: Option<&'a RawValue>,
}

#[derive(Serialize)]
pub(crate) struct PayerData<'a> {
    pub(crate) name: Option<&'a str>,
    pub(crate) document: Option<&'a str>,
    pub(crate) bank: Option<&'a str>,
}

/// The event to be told: which object it is about, and what it says.
pub(crate) struct News<'a> {
    pub(crate) id: EventId,
    pub(crate) owner: Owner,
    pub(crate) kind: EventKind,
    pub(crate) object: Ulid,
    pub(crate) data: Data<'a>,
}

/// The event that tells the merchant of an object's new status. It is recorded, with its delivery when an endpoint is
/// set, in the unit of work that changed the status.
pub(crate) fn tell(head: &mut Head, news: News<'_>, at: Moments) -> Result<Event, Error> {
    let sequence = head.next_event()?;
    Ok(Event {
        id: news.id,
        owner: news.owner,
        sequence,
        kind: news.kind,
        object: news.object,
        body: news.body(sequence, &at.now.to_string())?,
        recorded_at: at.real_now,
    })
}

impl News<'_> {
    /// The body that tells it, byte for byte.
    ///
    /// A verification of the books renders it again from what is stored, to find an event that was changed. So whoever
    /// changes the shape of bodies keeps that of the events recorded before.
    pub(crate) fn body(self, sequence: i64, created_at: &str) -> Result<String, Error> {
        let body = Body {
            id: self.id.to_string(),
            event: self.kind.as_str(),
            dev_mode: self.owner.environment.is_sandbox(),
            created_at,
            sequence,
            data: self.data,
        };
        serde_json::to_string(&body).map_err(|error| Error::bug(format!("event body: {error}")))
    }
}

/// What of a body cannot be rendered again from what is stored.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Said {
    pub(crate) created_at: String,
    pub(crate) data: SaidData,
}

#[derive(Deserialize)]
pub(crate) struct SaidData {
    pub(crate) payer: Option<SaidPayer>,
}

#[derive(Deserialize)]
pub(crate) struct SaidPayer {
    name: Option<String>,
    document: Option<String>,
    bank: Option<String>,
}

impl SaidPayer {
    pub(crate) fn data(&self) -> PayerData<'_> {
        PayerData {
            name: self.name.as_deref(),
            document: self.document.as_deref(),
            bank: self.bank.as_deref(),
        }
    }
}
