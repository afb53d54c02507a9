//! What an operator can set about the HTTP side.

use std::net::{Ipv4Addr, SocketAddr};
use std::time::Duration;

use ipnet::IpNet;

/// The settings of the HTTP side. [`Default`] has good values for everything but [`Self::address`].
#[derive(Clone, Debug)]
pub struct HttpSettings {
    /// Where the server listens: what links in answers start with while nobody said how the outside knows it.
    pub address: SocketAddr,
    /// The address the outside knows the service by, without `/v1`: what links in answers start with.
    pub public_url: Option<String>,
    /// The proxies whose `X-Forwarded-For` and `X-Forwarded-Proto` are believed.
    pub trusted_proxies: Vec<IpNet>,
    /// How many failed authentications a client address may have in a minute; 0: any number.
    pub auth_failures_per_minute: u32,
    /// How many requests a key may make in a minute; 0: any number.
    pub key_requests_per_minute: u32,
    /// How many requests may use the database at once. With PostgreSQL: the size of the pool.
    pub database_lane: usize,
    /// How many requests may wait for a payment provider at once. It is larger than the lane of the database: they
    /// wait rather than work.
    pub provider_lane: usize,
    /// How long a request waits for a place in its lane before it is answered 503.
    pub lane_wait: Duration,
    /// How long a request waits for the provider before it is answered 502. The work goes on, so that a repeat with
    /// the same idempotency key gets what was made.
    pub provider_timeout: Duration,
    /// How long a request waits for the database to answer before it is answered 503. The work goes on here too.
    pub database_timeout: Duration,
    /// How long `/readyz` waits for the database.
    pub readiness_timeout: Duration,
    /// How many threads read requests; blocking work has threads of its own.
    pub workers: usize,
    /// How many connections one of these threads keeps open.
    pub connections_per_worker: usize,
    /// How long a client may take to send the head of a request, and again to send its body.
    pub client_request_timeout: Duration,
    /// How long an idle connection is kept open.
    pub keep_alive: Duration,
    /// How long requests may take to finish after the server was told to stop.
    pub shutdown_timeout: Duration,
    /// Whether `/metrics` is served beside the API; otherwise [`crate::serve_metrics`] does it on a listener of its
    /// own.
    pub metrics_on_main: bool,
}

impl Default for HttpSettings {
    fn default() -> Self {
        Self {
            address: SocketAddr::from((Ipv4Addr::LOCALHOST, 8080)),
            public_url: None,
            trusted_proxies: Vec::new(),
            auth_failures_per_minute: 600,
            key_requests_per_minute: 0,
            database_lane: 64,
            provider_lane: 256,
            lane_wait: Duration::from_secs(5),
            provider_timeout: Duration::from_secs(30),
            database_timeout: Duration::from_secs(10),
            readiness_timeout: Duration::from_secs(2),
            workers: 2,
            connections_per_worker: 4_096,
            client_request_timeout: Duration::from_secs(10),
            keep_alive: Duration::from_secs(30),
            shutdown_timeout: Duration::from_secs(8),
            metrics_on_main: true,
        }
    }
}
