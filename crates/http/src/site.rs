//! What every request is answered with.

use std::borrow::Cow;
use std::sync::Arc;

use actix_web::{HttpRequest, web};
use vintem_domain::key::KeyId;
use vintem_domain::{Error, Ports, SharedPorts, Time};

use crate::client::{Network, Scheme};
use crate::error::Problem;
use crate::gate::Gate;
use crate::keys::KeyCache;
use crate::lanes::{Lane, at_most};
use crate::metrics::{Metrics, Sample};
use crate::ops::Readiness;
use crate::psp::stub::StubBank;
use crate::settings::HttpSettings;
use crate::throttle::Throttle;
use crate::watch::{Late, Watch};

/// What [`crate::serve()`] needs.
pub struct Parts {
    /// What the operator set.
    pub settings: HttpSettings,
    /// What use cases need.
    pub ports: SharedPorts,
    /// The play bank, where the live provider is one; without it its routes are 404.
    pub stub: Option<StubBank>,
    /// Says whether requests can be served.
    pub readiness: Arc<dyn Readiness>,
    /// Where requests are counted.
    pub metrics: Arc<Metrics>,
    /// Where accepted keys are remembered.
    pub keys: KeyCache,
}

/// What every request is answered with; shared by all workers.
pub(crate) struct Site {
    pub(crate) settings: HttpSettings,
    pub(crate) stub: Option<StubBank>,
    pub(crate) readiness: Arc<dyn Readiness>,
    pub(crate) metrics: Arc<Metrics>,
    pub(crate) keys: KeyCache,
    /// Failed authentications.
    pub(crate) failures: Throttle<Network>,
    /// Requests with a good key.
    pub(crate) requests: Throttle<KeyId>,
    ports: Arc<SharedPorts>,
    database: Lane,
    provider: Lane,
}

impl Site {
    pub(crate) fn new(parts: Parts) -> Self {
        let settings = parts.settings;
        let database = Lane::new(settings.database_lane, settings.lane_wait);
        let provider = Lane::new(settings.provider_lane, settings.lane_wait);
        let shown = [
            ("database", database.clone()),
            ("provider", provider.clone()),
        ];
        parts.metrics.gauge(
            "vintem_http_lane_in_use",
            "Requests at work in a lane",
            move || {
                shown
                    .iter()
                    .map(|(name, lane)| Sample::of("lane", *name, lane.in_use()))
                    .collect()
            },
        );
        Self {
            failures: Throttle::new(settings.auth_failures_per_minute),
            requests: Throttle::new(settings.key_requests_per_minute),
            settings,
            stub: parts.stub,
            readiness: parts.readiness,
            metrics: parts.metrics,
            keys: parts.keys,
            ports: Arc::new(parts.ports),
            database,
            provider,
        }
    }

    /// What a link in the answer to this request starts with: the public address, or, where none is set, the one the
    /// server listens on, by https when a trusted proxy says that the client came by it.
    pub(crate) fn base_url(&self, request: &HttpRequest) -> Cow<'_, str> {
        if let Some(url) = &self.settings.public_url {
            return Cow::Borrowed(url.trim_end_matches('/'));
        }
        let scheme = Scheme::of(request, &self.settings.trusted_proxies).as_str();
        Cow::Owned(format!("{scheme}://{}", self.settings.address))
    }

    /// Real time.
    pub(crate) fn now(&self) -> Time {
        self.ports.clock.now()
    }

    /// The ports, for what does not block.
    pub(crate) fn ports(&self) -> Ports<'_> {
        self.ports.ports()
    }

    /// Runs a use case in the lane of the database. It runs to its end even when the client goes away meanwhile, or when
    /// the database is silent for longer than the settings allow and the caller is told so.
    pub(crate) async fn database<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Ports) -> Result<T, Error> + Send + 'static,
    ) -> Result<T, Problem> {
        let ports = Arc::clone(&self.ports);
        let patience = at_most(self.settings.database_timeout, Late::database);
        self.database
            .run(patience, move || work(&ports.ports()))
            .await
    }

    /// Runs a use case that calls a payment provider, in a lane of its own: a slow bank delays nobody who does not need
    /// it. When the provider or the database takes longer than the settings allow the caller is told which, and the work
    /// goes on.
    pub(crate) async fn provider<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Ports) -> Result<T, Error> + Send + 'static,
    ) -> Result<T, Problem> {
        let ports = Arc::clone(&self.ports);
        let watch = self.watch();
        let watched = watch.clone();
        let work = move || {
            let ports = ports.ports();
            let store = watched.over(ports.store);
            work(&Ports {
                store: &store,
                ..ports
            })
        };
        self.provider
            .run(|| watch.patience().map_err(Error::from), work)
            .await
    }

    /// As [`Self::provider`], for money that goes out: a caller who is told that the provider took too long can be sure
    /// that nothing is written afterwards. So can one who is told that the database did, unless it was silent in the
    /// middle of the write.
    pub(crate) async fn money_out<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Ports) -> Result<T, Error> + Send + 'static,
    ) -> Result<T, Problem> {
        let ports = Arc::clone(&self.ports);
        let (gate, watch) = (Gate::default(), self.watch());
        let (behind, watched) = (gate.clone(), watch.clone());
        let work = move || {
            let ports = ports.ports();
            let store = watched.over(ports.store);
            let store = behind.before(&store);
            work(&Ports {
                store: &store,
                ..ports
            })
        };
        let patience = || {
            watch.patience().or_else(|late| match (gate.shut(), late) {
                // It has begun to write, so nobody is told that it has not.
                (false, Late::Provider) => Ok(watch.longest()),
                (true, Late::Provider) | (_, Late::Database) => Err(late.into()),
            })
        };
        self.provider.run(patience, work).await
    }

    fn watch(&self) -> Watch {
        Watch::new(
            self.settings.provider_timeout,
            self.settings.database_timeout,
        )
    }
}

/// The site, as handlers are given it.
pub(crate) type TheSite = web::Data<Site>;

#[cfg(test)]
mod tests;
