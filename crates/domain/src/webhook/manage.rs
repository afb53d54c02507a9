//! Setting, showing, rolling and disabling an endpoint; sending events again.

use crate::account::{Environment, Owner};
use crate::calendar::Time;
use crate::error::{Error, Missing};
use crate::event::{Event, EventId};
use crate::ports::{Ports, Transact, Tx};
use crate::webhook::schedule::OVERLAP_MS;
use crate::webhook::{
    Delivery, DeliveryState, DisabledBecause, Endpoint, WebhookSecret, WebhookUrl,
};

/// An endpoint as its owner sees it.
#[derive(Clone, Debug)]
pub struct EndpointView {
    /// The endpoint.
    pub endpoint: Endpoint,
    /// Its secret.
    pub secret: WebhookSecret,
}

fn purpose(owner: Owner) -> String {
    format!(
        "webhook-secret/{}/{}",
        owner.account,
        owner.environment.as_str()
    )
}

fn seal(ports: &Ports, owner: Owner, secret: &WebhookSecret) -> Result<Vec<u8>, Error> {
    ports
        .cipher
        .seal(&purpose(owner), secret.reveal().as_bytes())
}

pub(super) fn unseal(ports: &Ports, owner: Owner, sealed: &[u8]) -> Result<WebhookSecret, Error> {
    let plain = ports.cipher.open(&purpose(owner), sealed)?;
    let text =
        String::from_utf8(plain).map_err(|_not_text| Error::bug("a webhook secret is not text"))?;
    Ok(WebhookSecret::restore(text))
}

/// Sets where events go. The first time makes the secret; later ones keep it and enable the endpoint again.
///
/// # Errors
/// [`Error::Invalid`] for a plain http URL in live mode unless `allow_private`; [`Missing::Account`].
pub fn set(
    ports: &Ports,
    owner: Owner,
    url: &WebhookUrl,
    allow_private: bool,
) -> Result<EndpointView, Error> {
    if owner.environment == Environment::Live && !url.is_https() && !allow_private {
        return Err(Error::invalid("url", "must be an https URL in live mode"));
    }
    let now = ports.clock.now();
    let fresh = WebhookSecret::of(ports.ids.random());
    let sealed_fresh = seal(ports, owner, &fresh)?;
    let endpoint = ports.store.transact(|tx| {
        tx.account_for_update(owner.account)?
            .ok_or(Error::NotFound(Missing::Account))?;
        let endpoint = match tx.endpoint_for_update(owner)? {
            Some(known) => Endpoint {
                url: url.clone(),
                disabled: None,
                failing_since: None,
                ..known
            },
            None => Endpoint {
                owner,
                url: url.clone(),
                sealed_secret: sealed_fresh.clone(),
                previous: None,
                disabled: None,
                failing_since: None,
                created_at: now,
            },
        };
        tx.save_endpoint(&endpoint)?;
        Ok(endpoint)
    })?;
    ports.signals.deliveries_due(owner);
    view(ports, endpoint)
}

fn view(ports: &Ports, endpoint: Endpoint) -> Result<EndpointView, Error> {
    let secret = unseal(ports, endpoint.owner, &endpoint.sealed_secret)?;
    Ok(EndpointView { endpoint, secret })
}

/// The owner's endpoint.
///
/// # Errors
/// [`Missing::Endpoint`].
pub fn show(ports: &Ports, owner: Owner) -> Result<EndpointView, Error> {
    let endpoint = ports
        .store
        .read(|read| read.endpoint(owner))?
        .ok_or(Error::NotFound(Missing::Endpoint))?;
    view(ports, endpoint)
}

/// Replaces the secret. For 24 hours the old one signs too.
///
/// # Errors
/// [`Missing::Endpoint`].
pub fn roll(ports: &Ports, owner: Owner) -> Result<EndpointView, Error> {
    let until = ports.clock.now().plus_millis(OVERLAP_MS);
    let sealed = seal(ports, owner, &WebhookSecret::of(ports.ids.random()))?;
    change(ports, owner, |endpoint| {
        let previous = Some((endpoint.sealed_secret.clone(), until));
        Endpoint {
            sealed_secret: sealed.clone(),
            previous,
            ..endpoint
        }
    })
}

/// Stops sending. Deliveries wait until the endpoint is set again.
///
/// # Errors
/// [`Missing::Endpoint`].
pub fn disable(ports: &Ports, owner: Owner) -> Result<EndpointView, Error> {
    let now = ports.clock.now();
    change(ports, owner, |endpoint| {
        let disabled = endpoint.disabled.or(Some((now, DisabledBecause::Asked)));
        Endpoint {
            disabled,
            ..endpoint
        }
    })
}

fn change(
    ports: &Ports,
    owner: Owner,
    by: impl Fn(Endpoint) -> Endpoint + Sync,
) -> Result<EndpointView, Error> {
    let endpoint = ports.store.transact(|tx| {
        let endpoint = by(tx
            .endpoint_for_update(owner)?
            .ok_or(Error::NotFound(Missing::Endpoint))?);
        tx.save_endpoint(&endpoint)?;
        Ok(endpoint)
    })?;
    view(ports, endpoint)
}

/// Which events are sent again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Resend {
    /// One.
    One(EventId),
    /// All from one sequence to another, both included.
    Range {
        /// The first.
        from: i64,
        /// The last.
        to: i64,
    },
    /// Those whose delivery failed for good, recorded at or after a moment (real time).
    FailedSince(Time),
}

/// How many events one unit of work sends again.
const AT_ONCE: usize = 500;

/// Sends events again, also those that were delivered or made without an endpoint; says how many. An event that is
/// just being sent is left alone.
///
/// # Errors
/// [`Error::Invalid`] for a range that ends before it begins; [`Missing::Endpoint`]; [`Missing::Event`] for one that is
/// not there.
pub fn resend(ports: &Ports, owner: Owner, which: Resend) -> Result<usize, Error> {
    if matches!(which, Resend::Range { from, to } if to < from) {
        return Err(Error::invalid("to", "must not be before from"));
    }
    ports
        .store
        .read(|read| read.endpoint(owner))?
        .ok_or(Error::NotFound(Missing::Endpoint))?;
    let count = match which {
        Resend::One(id) => {
            ports
                .store
                .read(|read| read.event(owner, id))?
                .ok_or(Error::NotFound(Missing::Event))?;
            send_again(ports, owner, &[id])?
        }
        Resend::Range { from, to } => resend_range(ports, owner, from, to)?,
        Resend::FailedSince(since) => resend_failed(ports, owner, since)?,
    };
    ports.signals.deliveries_due(owner);
    Ok(count)
}

fn resend_range(ports: &Ports, owner: Owner, from: i64, to: i64) -> Result<usize, Error> {
    let mut after = from.saturating_sub(1);
    let mut count = 0_usize;
    loop {
        let events: Vec<Event> = ports
            .store
            .read(|read| read.events(owner, after, AT_ONCE))?;
        let wanted: Vec<EventId> = events
            .iter()
            .filter(|event| event.sequence <= to)
            .map(|event| event.id)
            .collect();
        count = count.saturating_add(send_again(ports, owner, &wanted)?);
        match events.last() {
            Some(last) if last.sequence < to => after = last.sequence,
            Some(_) | None => return Ok(count),
        }
    }
}

fn resend_failed(ports: &Ports, owner: Owner, since: Time) -> Result<usize, Error> {
    let mut after = None;
    let mut count = 0_usize;
    loop {
        let failed = ports
            .store
            .read(|read| read.failed_deliveries(owner, since, after, AT_ONCE))?;
        let events: Vec<EventId> = failed.iter().map(|delivery| delivery.event).collect();
        let Some(last) = events.last() else {
            return Ok(count);
        };
        after = Some(*last);
        count = count.saturating_add(send_again(ports, owner, &events)?);
    }
}

fn send_again(ports: &Ports, owner: Owner, events: &[EventId]) -> Result<usize, Error> {
    let now = ports.clock.now();
    let mut events = events.to_vec();
    events.sort_unstable();
    ports.store.transact(|tx| {
        let mut count = 0_usize;
        for event in &events {
            if due_again(tx, owner, *event, now)? {
                count = count.saturating_add(1);
            }
        }
        Ok(count)
    })
}

fn due_again(tx: &mut dyn Tx, owner: Owner, event: EventId, now: Time) -> Result<bool, Error> {
    let Some(delivery) = tx.delivery_for_update(owner, event)? else {
        tx.insert_delivery(&Delivery::new(owner, event, now))?;
        return Ok(true);
    };
    if delivery.lease.is_some_and(|lease| now < lease.until) {
        return Ok(false);
    }
    tx.save_deliveries(&[Delivery {
        state: DeliveryState::Pending,
        tries: 0,
        due_at: now,
        ..delivery
    }])?;
    Ok(true)
}
