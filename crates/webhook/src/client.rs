//! Sends one signed webhook and tells what came of it.

use std::path::PathBuf;
use std::time::Duration;

use bytes::Bytes;
use http_body_util::Full;
use hyper::header::{CONTENT_TYPE, HeaderMap, HeaderValue, USER_AGENT};
use hyper::{Method, Request};
use hyper_util::client::legacy;
use hyper_util::rt::{TokioExecutor, TokioTimer};
use tokio::time::{Instant, timeout_at};

use crate::address::AddressPolicy;
use crate::answer;
use crate::connector::Connector;
use crate::failure::Failure;
use crate::signature::Signer;
use crate::target::Target;
use crate::tls::{self, BadAuthority};

const AGENT: HeaderValue =
    HeaderValue::from_static(concat!("Vintem-Webhook/", env!("CARGO_PKG_VERSION")));
const JSON: HeaderValue = HeaderValue::from_static("application/json");
/// Shorter than the five seconds after which the most common servers close an idle connection, so that a request is
/// seldom written to one that is just being closed.
const IDLE_CONNECTION_LIFE: Duration = Duration::from_secs(4);
/// Status line and headers of an answer; hyper's own limit is several times that.
const HEADERS_AT_MOST: usize = 64 * 1024;

/// How the client behaves. The defaults are what merchants are promised.
#[derive(Debug, Clone)]
pub struct ClientSettings {
    /// For name, connection and TLS handshake together.
    pub connect_timeout: Duration,
    /// For the whole attempt, connecting included. At most 20 seconds: it has to end well before its lease of 30.
    pub timeout: Duration,
    /// Idle connections kept for one endpoint.
    pub idle_connections_per_host: usize,
    /// A PEM file with certificates of a private authority, trusted beside the public ones.
    pub authority: Option<PathBuf>,
}

impl Default for ClientSettings {
    fn default() -> Self {
        Self {
            connect_timeout: Duration::from_secs(5),
            timeout: Duration::from_secs(15),
            idle_connections_per_host: 8,
            authority: None,
        }
    }
}

/// One webhook to be sent.
#[derive(Debug, Clone)]
pub struct Message<'a> {
    /// The id of the event, the same at every attempt.
    pub event_id: &'a str,
    /// The bytes that are signed and sent, the same at every attempt.
    pub body: Bytes,
    /// Now, in real time: the `t` of the signature.
    pub unix_seconds: i64,
}

/// What came of one attempt.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Outcome {
    /// The status of the answer, when one came.
    pub status: Option<u16>,
    /// Why none came. Exactly one of the two is there.
    pub failure: Option<Failure>,
    /// From the start of the attempt to the end of the answer.
    pub duration: Duration,
    /// The beginning of the answer's body, without secrets.
    pub answer: String,
    /// How long the receiver asks to be left alone.
    pub retry_after_seconds: Option<i64>,
}

impl Outcome {
    /// Whether the receiver took the event.
    pub fn is_success(&self) -> bool {
        matches!(self.status, Some(200..=299))
    }

    pub(crate) fn failed(failure: Failure, duration: Duration) -> Self {
        Self {
            status: None,
            failure: Some(failure),
            duration,
            answer: String::new(),
            retry_after_seconds: None,
        }
    }
}

type Pool = legacy::Client<Connector, Full<Bytes>>;

/// The HTTP client for webhooks, one for the process. Cloning it shares its connections.
///
/// It follows no redirect: the receiver named one address, and only that one was agreed to.
#[derive(Debug, Clone)]
pub struct Client {
    public_only: Pool,
    /// Apart from the other, so that a connection opened where private addresses are allowed is never used where not.
    private_too: Pool,
    timeout: Duration,
}

impl Client {
    /// Reads the private authority, if one is named, and makes a client without connections.
    pub fn new(settings: &ClientSettings) -> Result<Self, BadAuthority> {
        let tls = tls::client_config(settings.authority.as_deref())?;
        let pool = |allow_private| {
            let policy = AddressPolicy { allow_private };
            legacy::Client::builder(TokioExecutor::new())
                .pool_timer(TokioTimer::new())
                .pool_idle_timeout(IDLE_CONNECTION_LIFE)
                .pool_max_idle_per_host(settings.idle_connections_per_host)
                .http1_max_buf_size(HEADERS_AT_MOST)
                // Repeats only what was provably not sent: the pooled connection had been closed in between.
                .retry_canceled_requests(true)
                .build(Connector::new(policy, &tls, settings.connect_timeout))
        };
        Ok(Self {
            public_only: pool(false),
            private_too: pool(true),
            timeout: settings.timeout,
        })
    }

    /// How long an attempt may take.
    pub(crate) fn timeout(&self) -> Duration {
        self.timeout
    }

    /// Makes one attempt. It ends within the time limit, whatever the receiver does.
    pub async fn post(&self, target: &Target, signer: &Signer, message: Message<'_>) -> Outcome {
        let started = Instant::now();
        let deadline = started + self.timeout;
        let unix_seconds = message.unix_seconds;
        let Some(request) = request(target, signer, message) else {
            return Outcome::failed(Failure::UrlRefused, started.elapsed());
        };
        let pool = if target.policy.allow_private {
            &self.private_too
        } else {
            &self.public_only
        };
        let response = match timeout_at(deadline, pool.request(request)).await {
            Ok(Ok(response)) => response,
            Ok(Err(error)) => return Outcome::failed(request_failure(&error), started.elapsed()),
            Err(_elapsed) => return Outcome::failed(Failure::TimedOut, started.elapsed()),
        };
        let (head, body) = response.into_parts();
        let answer = answer::read(body, deadline, signer).await;
        Outcome {
            status: Some(head.status.as_u16()),
            failure: None,
            duration: started.elapsed(),
            answer,
            retry_after_seconds: answer::retry_after_seconds(&head.headers, unix_seconds),
        }
    }
}

/// `None` when the event id cannot stand in a header, which no id of ours does.
fn request(target: &Target, signer: &Signer, message: Message<'_>) -> Option<Request<Full<Bytes>>> {
    let event_id = HeaderValue::try_from(message.event_id).ok()?;
    let mut headers = HeaderMap::with_capacity(12);
    headers.insert(CONTENT_TYPE, JSON);
    headers.insert(USER_AGENT, AGENT);
    signer.sign(&mut headers, event_id, message.unix_seconds, &message.body);

    let mut request = Request::new(Full::new(message.body));
    *request.method_mut() = Method::POST;
    *request.uri_mut() = target.uri.clone();
    *request.headers_mut() = headers;
    Some(request)
}

fn request_failure(error: &legacy::Error) -> Failure {
    let mut cause = std::error::Error::source(error);
    while let Some(current) = cause {
        if let Some(failure) = current.downcast_ref::<Failure>() {
            return *failure;
        }
        if let Some(error) = current.downcast_ref::<hyper::Error>()
            && error.is_parse()
        {
            return Failure::AnswerMalformed;
        }
        cause = current.source();
    }
    Failure::ConnectionLost
}
