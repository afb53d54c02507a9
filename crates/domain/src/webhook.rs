//! Webhooks: where events are sent, when, and what becomes of each attempt.

mod deliver;
mod first;
mod manage;
mod schedule;

use core::net::Ipv6Addr;
use std::fmt;

use data_encoding::BASE64;

use crate::account::Owner;
use crate::calendar::Time;
use crate::event::EventId;
use crate::id::id;

pub use deliver::{
    Answer, Claimed, Sent, claim, forget_old_attempts, give_up_leases, record, take_over,
};
pub(crate) use first::FirstAttempt;
pub use manage::{EndpointView, Resend, disable, resend, roll, set, show};
pub use schedule::{LEASE_MS, MAX_TRIES, RETENTION_MS};

id!(
    /// A running server, as the holder of leases.
    ServerId, "srv_");

/// Where events are sent: an absolute http or https URL of at most 2,048 ASCII characters, without credentials or
/// fragment. Whether its address may be reached is checked when connecting.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WebhookUrl(String);

impl WebhookUrl {
    /// Reads a URL.
    ///
    /// # Errors
    /// [`BadWebhookUrl`].
    pub fn parse(text: &str) -> Result<Self, BadWebhookUrl> {
        let rest = text
            .strip_prefix("https://")
            .or_else(|| text.strip_prefix("http://"))
            .ok_or(BadWebhookUrl::Form)?;
        if !text.is_ascii() {
            return Err(BadWebhookUrl::NotAscii);
        }
        let text_ok = text.len() <= 2_048
            && text.bytes().all(|byte| byte.is_ascii_graphic())
            && !text.contains(['#', '"', '<', '>', '\\', '^', '`', '{', '|', '}']);
        let authority = rest.split(['/', '?']).next().unwrap_or_default();
        if !text_ok || authority.contains('@') {
            return Err(BadWebhookUrl::Form);
        }
        if !is_address(authority) {
            return Err(BadWebhookUrl::Address);
        }
        Ok(Self(text.to_owned()))
    }

    /// The URL.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Whether it is encrypted on the way.
    pub fn is_https(&self) -> bool {
        self.0.starts_with("https://")
    }
}

/// Whether it is a host, with or without a port.
fn is_address(authority: &str) -> bool {
    let in_brackets = authority
        .strip_prefix('[')
        .and_then(|rest| rest.split_once(']'));
    let (host_ok, port) = if let Some((host, port)) = in_brackets {
        (host.parse::<Ipv6Addr>().is_ok(), port)
    } else {
        let end = authority.find(':').unwrap_or(authority.len());
        let (host, port) = authority.split_at(end);
        (!host.is_empty() && !host.contains(['[', ']']), port)
    };
    let port_ok = port.is_empty()
        || port.strip_prefix(':').is_some_and(|port| {
            port.bytes().all(|byte| byte.is_ascii_digit())
                && port.parse::<u16>().is_ok_and(|port| port > 0)
        });
    host_ok && port_ok
}

/// The text is no URL a webhook can be sent to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BadWebhookUrl {
    /// It is no URL of the kind wanted.
    Form,
    /// It has letters that URLs do not have.
    NotAscii,
    /// Its host or port cannot be.
    Address,
}

impl fmt::Display for BadWebhookUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Form => "must be an absolute http or https URL without credentials or fragment",
            Self::NotAscii => {
                "must be ASCII: write other letters of the path as %C3%A1, those of the host in its xn-- form"
            }
            Self::Address => {
                "must name a host (an IPv6 address in brackets), and a port from 1 to 65535 if any"
            }
        })
    }
}

impl std::error::Error for BadWebhookUrl {}

/// What signs the deliveries of an endpoint: `whsec_` and base64 of 32 random bytes. It never shows in debug output.
#[derive(Clone, PartialEq, Eq)]
pub struct WebhookSecret(String);

impl WebhookSecret {
    const PREFIX: &'static str = "whsec_";

    /// The secret made of these random bytes.
    pub fn of(random: [u8; 32]) -> Self {
        Self(format!("{}{}", Self::PREFIX, BASE64.encode(&random)))
    }

    /// The whole secret: the key of `X-Svc-Signature`.
    pub fn reveal(&self) -> &str {
        &self.0
    }

    /// The decoded bytes: the key of the Standard Webhooks signature.
    pub fn bytes(&self) -> Vec<u8> {
        let encoded = self.0.strip_prefix(Self::PREFIX).unwrap_or_default();
        BASE64.decode(encoded.as_bytes()).unwrap_or_default()
    }

    pub(crate) fn restore(text: String) -> Self {
        Self(text)
    }
}

impl fmt::Debug for WebhookSecret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("WebhookSecret(…)")
    }
}

/// The endpoint of an account's environment; there is one at most.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Endpoint {
    /// Whose.
    pub owner: Owner,
    /// Where events go.
    pub url: WebhookUrl,
    /// The current secret, encrypted.
    pub sealed_secret: Vec<u8>,
    /// The secret before the last roll, encrypted, and until when it signs too.
    pub previous: Option<(Vec<u8>, Time)>,
    /// Since when, and why, nothing is sent. Deliveries wait.
    pub disabled: Option<(Time, DisabledBecause)>,
    /// The first failure after the last success.
    pub failing_since: Option<Time>,
    /// When it was first set.
    pub created_at: Time,
}

/// Why nothing is sent to an endpoint.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DisabledBecause {
    /// Somebody switched it off.
    Asked,
    /// It answered 410 Gone.
    Gone,
    /// Five days of nothing but failures.
    Failing,
}

impl DisabledBecause {
    const ALL: [Self; 3] = [Self::Asked, Self::Gone, Self::Failing];

    /// The word it is stored under.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Asked => "asked",
            Self::Gone => "gone",
            Self::Failing => "failing",
        }
    }

    /// Reads such a word.
    pub fn parse(word: &str) -> Option<Self> {
        Self::ALL
            .into_iter()
            .find(|because| because.as_str() == word)
    }
}

/// How far a delivery is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DeliveryState {
    /// It has to be sent, now or later.
    Pending,
    /// The endpoint accepted it.
    Delivered,
    /// All attempts failed; it can be re-sent.
    Failed,
}

impl DeliveryState {
    const ALL: [Self; 3] = [Self::Pending, Self::Delivered, Self::Failed];

    /// The word it is stored under.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Pending => "pending",
            Self::Delivered => "delivered",
            Self::Failed => "failed",
        }
    }

    /// Reads such a word.
    pub fn parse(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|state| state.as_str() == word)
    }
}

/// A worker's claim on a delivery: until it ends, nobody else sends it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Lease {
    /// Who has it.
    pub by: ServerId,
    /// When it ends (real time).
    pub until: Time,
}

/// An event on its way to the endpoint. All its times are real.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Delivery {
    /// Whose.
    pub owner: Owner,
    /// Which event.
    pub event: EventId,
    /// How far it is.
    pub state: DeliveryState,
    /// The number of the last attempt; numbers are committed before they are sent and never used twice.
    pub attempts: i64,
    /// How many attempts the present round has had; a re-send begins a new one.
    pub tries: i64,
    /// When the next attempt is due.
    pub due_at: Time,
    /// Who is sending it now.
    pub lease: Option<Lease>,
    /// When it was made.
    pub created_at: Time,
}

impl Delivery {
    /// A delivery that is due at once.
    pub fn new(owner: Owner, event: EventId, now: Time) -> Self {
        Self {
            owner,
            event,
            state: DeliveryState::Pending,
            attempts: 0,
            tries: 0,
            due_at: now,
            lease: None,
            created_at: now,
        }
    }

    /// Whether this attempt, under a lease of this server, is the one under way.
    pub(crate) fn is_attempted(&self, number: i64, server: ServerId) -> bool {
        self.attempts == number && self.lease.is_some_and(|lease| lease.by == server)
    }
}

/// How an attempt ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AttemptOutcome {
    /// Accepted with a 2xx.
    Delivered,
    /// Another answer, or none.
    Failed,
    /// The server that sent it died before it knew.
    Interrupted,
}

impl AttemptOutcome {
    const ALL: [Self; 3] = [Self::Delivered, Self::Failed, Self::Interrupted];

    /// The word it is stored under.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Delivered => "delivered",
            Self::Failed => "failed",
            Self::Interrupted => "interrupted",
        }
    }

    /// Reads such a word.
    pub fn parse(word: &str) -> Option<Self> {
        Self::ALL
            .into_iter()
            .find(|outcome| outcome.as_str() == word)
    }
}

/// One line of the delivery log.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Attempt {
    /// Whose.
    pub owner: Owner,
    /// Which event.
    pub event: EventId,
    /// The attempt's number.
    pub number: i64,
    /// When it was claimed (real time).
    pub started_at: Time,
    /// How long it took, milliseconds.
    pub duration_ms: i64,
    /// How it ended.
    pub outcome: AttemptOutcome,
    /// The HTTP status, when there was an answer.
    pub status: Option<u16>,
    /// What went wrong, in a few words, when there was none.
    pub error: Option<String>,
    /// The first 4 KiB of the answer, without secrets.
    pub answer: String,
}

/// What is waiting in the outbox of the whole installation.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Outbox {
    /// Pending deliveries of enabled endpoints.
    pub pending: i64,
    /// When the one of them that is due longest became due.
    pub oldest_due_at: Option<Time>,
    /// Pending deliveries of disabled endpoints: they wait for somebody to enable it.
    pub held: i64,
    /// Leases that ended without a result and were not taken up yet.
    pub stuck: i64,
}

#[cfg(test)]
mod tests;
