//! Vintém's HTTP adapter: the REST API under `/v1`, the callbacks of payment providers under `/psp`, and the
//! operations endpoints `/healthz`, `/readyz` and `/metrics`.
//!
//! A handler reads its request, calls one use case of `vintem-domain` and renders the answer. What all routes have in
//! common (envelope, errors, request ids, authentication, idempotency, lanes) is decided once, in the module of that
//! name.
//!
//! The binary wires it like this:
//!
//! ```no_run
//! # fn wire(
//! #     listener: std::net::TcpListener,
//! #     settings: vintem_http::HttpSettings,
//! #     ports: vintem_domain::SharedPorts,
//! #     stub: Option<vintem_http::StubBank>,
//! #     readiness: std::sync::Arc<dyn vintem_http::Readiness>,
//! # ) -> std::io::Result<()> {
//! use vintem_http::{KeyCache, Metrics, Parts, Sample, serve};
//!
//! let metrics = Metrics::new("1.2.3", "sqlite");
//! metrics.gauge("vintem_outbox_depth", "Deliveries waiting", || vec![Sample::plain(0.0)]);
//! let keys = KeyCache::new();
//! let server = serve(listener, Parts {
//!     settings,
//!     ports,
//!     stub,
//!     readiness,
//!     metrics,
//!     keys: keys.clone(),
//! })?;
//! let stopper = server.stopper();
//! // `server.await` runs until `stopper.stop().await`; a worker calls `keys.drop_all()` when the epoch moved, and
//! // gives `keys.take_uses()` to `vintem_domain::key::record_use` now and then.
//! # Ok(())
//! # }
//! ```

mod authentication;
mod body;
mod client;
mod envelope;
mod error;
mod gate;
mod idempotency;
mod keys;
mod lanes;
mod metrics;
mod ops;
mod paper;
mod psp;
mod query;
mod receipt;
mod request;
mod rest;
mod routes;
mod serve;
mod settings;
mod site;
mod slip;
mod throttle;
mod watch;

#[cfg(test)]
mod fixture;

pub use keys::KeyCache;
pub use metrics::{Metrics, Sample};
pub use ops::Readiness;
pub use psp::stub::StubBank;
pub use receipt::{LiveBank, receipt_pdf};
pub use serve::{Server, Stopper, serve, serve_metrics};
pub use settings::HttpSettings;
pub use site::Parts;
