//! One attempt, from claim to result.

use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use futures_util::FutureExt;
use tokio::sync::watch;
use tokio::time::Instant;
use vintem_domain::Time;
use vintem_domain::webhook::{Answer, Claimed, Sent};

use crate::addressees::Addressee;
use crate::client::{Client, Message, Outcome};
use crate::failure::Failure;

/// An attempt that is over.
pub(crate) struct Ended {
    /// For the record. It has the answer.
    pub(crate) sent: Sent,
    pub(crate) accepted: bool,
    pub(crate) status: Option<u16>,
    pub(crate) duration: Duration,
}

/// Makes the attempt, unless `cut` becomes true before the answer came. It has a result whatever happens, a panic
/// included: an attempt without one would keep its place in the lane for ever.
pub(crate) async fn make(
    client: Client,
    addressee: Arc<Addressee>,
    claimed: Claimed,
    now: Time,
    mut cut: watch::Receiver<bool>,
) -> Ended {
    let begun = Instant::now();
    let Claimed {
        owner,
        event,
        number,
        body,
        started_at,
        failing,
        ..
    } = claimed;
    let attempt = AssertUnwindSafe(post(&client, &addressee, event.to_string(), body, now));
    let outcome = tokio::select! {
        biased;
        answered = attempt.catch_unwind() => {
            answered.unwrap_or_else(|_panic| Outcome::failed(Failure::Internal, Duration::ZERO))
        }
        Ok(_) = cut.wait_for(|cut| *cut) => Outcome::failed(Failure::Stopped, begun.elapsed()),
    };
    Ended {
        accepted: outcome.is_success(),
        status: outcome.status,
        duration: outcome.duration,
        sent: Sent {
            owner,
            event,
            number,
            started_at,
            failing,
            answer: answer(outcome),
        },
    }
}

async fn post(
    client: &Client,
    addressee: &Addressee,
    event_id: String,
    body: String,
    now: Time,
) -> Outcome {
    let (target, signer) = match &addressee.ready {
        Ok(ready) => ready,
        Err(failure) => return Outcome::failed(*failure, Duration::ZERO),
    };
    let message = Message {
        event_id: &event_id,
        body: Bytes::from(body),
        unix_seconds: now.unix_seconds(),
    };
    client.post(target, signer, message).await
}

fn answer(outcome: Outcome) -> Answer {
    Answer {
        status: outcome.status,
        error: outcome.failure.map(|failure| failure.reason().to_owned()),
        duration_ms: i64::try_from(outcome.duration.as_millis()).unwrap_or(i64::MAX),
        body: outcome.answer,
        retry_after_seconds: outcome.retry_after_seconds,
    }
}
