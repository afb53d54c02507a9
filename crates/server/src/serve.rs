//! `vintem serve`: start, work, stop.

pub(crate) mod address;
mod bell;
mod bootstrap;
mod figures;
mod keeper;
mod payouts;
mod returns;
mod shutdown;
mod worker;

use std::net::{SocketAddr, TcpListener};
use std::sync::Arc;

use vintem_domain::ports::Signals;
use vintem_domain::webhook::{self, Claimed, ServerId};
use vintem_domain::{Owner, SharedPorts};
use vintem_http::{HttpSettings, KeyCache, Metrics, Parts, Readiness, StubBank};
use vintem_storage::Database;
use vintem_webhook::{Dispatcher, DispatcherSettings, Setup, Wake};

use crate::config::{Config, Count, Provider};
use crate::failure::Failure;
use crate::installation::{self, Installation};
use crate::output;
use bell::Bell;

/// Tells the workers of this process that a commit left them something to do.
struct WorkersSignals {
    webhooks: Wake,
    returns: Bell,
    payouts: Bell,
}

impl Signals for WorkersSignals {
    fn deliveries_due(&self, owner: Owner) {
        self.webhooks.deliveries_due(owner);
    }

    fn take_place(&self, owner: Owner) -> Option<ServerId> {
        self.webhooks.take_place(owner)
    }

    fn fill_place(&self, owner: Owner, begun: Option<Claimed>) {
        self.webhooks.fill_place(owner, begun);
    }

    fn returns_due(&self) {
        self.returns.ring();
    }

    fn payouts_waiting(&self) {
        self.payouts.ring();
    }
}

/// What `/readyz` asks.
struct DatabaseReadiness(Arc<Database>);

impl Readiness for DatabaseReadiness {
    fn check(&self) -> Result<(), String> {
        self.0.check_ready().map_err(|failure| failure.to_string())
    }
}

/// Serves until a signal says to stop.
///
/// What can be refused is refused first, with one line and nothing logged before it.
pub(crate) fn run(config: &Config) -> Result<(), Failure> {
    let listener = bind(config.listen)?;
    let metrics_listener = config.metrics_listen.map(bind).transpose()?;
    let address = listener.local_addr().map_err(Failure::failed)?;
    let client = vintem_webhook::Client::new(&client_settings(config))
        .map_err(|error| Failure::Usage(format!("VINTEM_WEBHOOK_CA_FILE: {error}")))?;
    let database = installation::open(config)?;
    let lock = installation::lock(&database)?;
    database.migrate()?;
    let wake = Wake::new();
    let bells = Bells::default();
    let signals = Arc::new(WorkersSignals {
        webhooks: wake.clone(),
        returns: bells.returns.clone(),
        payouts: bells.payouts.clone(),
    });
    let installation = Installation::new(config, database, signals)?;
    if lock.is_some() {
        // Nobody else serves this database: whoever held a lease is gone.
        webhook::take_over(&installation.ports.ports())?;
    }
    let stub = play_bank(config, &installation)?;
    announce(config, &installation);
    if config.bootstrap {
        bootstrap::first_account(&installation.ports.ports(), config, address)?;
    }
    let metrics = Metrics::new(env!("CARGO_PKG_VERSION"), installation.database.kind());
    let keys = KeyCache::new();
    let dispatcher_metrics = Arc::new(vintem_webhook::Metrics::default());
    figures::of_database(&metrics, &installation.database);
    figures::of_webhooks(&metrics, &dispatcher_metrics);
    figures::of_process(&metrics);
    let server = Server {
        listener,
        metrics_listener,
        address,
        dispatcher: Setup {
            ports: installation.ports.clone(),
            server: ServerId(installation.ports.ids.ulid()),
            client,
            wake,
            metrics: dispatcher_metrics,
            settings: DispatcherSettings {
                limit: config.webhook_concurrency.get(),
                poll_interval: worker::PERIOD,
                addresses: address::rules(config.webhook_allow_private, address),
            },
        },
        parts: Parts {
            settings: http_settings(config, address),
            ports: installation.ports.clone(),
            stub,
            readiness: Arc::new(DatabaseReadiness(installation.database.clone())),
            metrics,
            keys,
        },
        bells,
        payout_workers: config.payout_workers.get(),
        shutdown_timeout: config.shutdown_timeout,
    };
    let threads = config.webhook_threads.map_or_else(processors, Count::get);
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(threads)
        .thread_name("vintem-async")
        .enable_all()
        .build()
        .map_err(|error| Failure::failed(format!("threads: {error}")))?;
    let ended = runtime.block_on(server.run());
    // Blocking work that did not end in time is not waited for: it is in the database, or it is not.
    runtime.shutdown_background();
    ended
}

fn bind(address: SocketAddr) -> Result<TcpListener, Failure> {
    TcpListener::bind(address).map_err(|error| Failure::failed(format!("{address}: {error}")))
}

fn processors() -> usize {
    std::thread::available_parallelism().map_or(1, std::num::NonZero::get)
}

/// The play bank's routes, where it is the live provider.
fn play_bank(config: &Config, installation: &Installation) -> Result<Option<StubBank>, Failure> {
    match config.provider {
        Provider::Stub => Ok(Some(StubBank {
            bank: installation.stub.clone(),
            secret: installation::stub_secret(config)?,
        })),
    }
}

/// Says what the operator should know of this start.
fn announce(config: &Config, installation: &Installation) {
    tracing::info!(
        version = env!("CARGO_PKG_VERSION"),
        database = installation.database.kind(),
        data_dir = %config.data_dir.display(),
        files = config.files(),
        "starting"
    );
    if installation.master_key_generated && config.database_url.is_shared() {
        tracing::warn!(
            "the master key is in the data folder of this server: set VINTEM_MASTER_KEY to the same value on every server that shares the database"
        );
    }
    match config.provider {
        Provider::Stub => {
            tracing::warn!("provider stub: live mode moves no real money");
        }
    }
}

fn client_settings(config: &Config) -> vintem_webhook::ClientSettings {
    vintem_webhook::ClientSettings {
        connect_timeout: config.webhook_connect_timeout,
        timeout: config.webhook_timeout,
        authority: config.webhook_ca_file.clone(),
        ..vintem_webhook::ClientSettings::default()
    }
}

fn http_settings(config: &Config, address: SocketAddr) -> HttpSettings {
    let shared = config.database_url.is_shared();
    let natural_lane = if shared {
        config.database_connections.get()
    } else {
        64
    };
    HttpSettings {
        address,
        public_url: config.public_url.as_ref().map(|url| url.0.clone()),
        trusted_proxies: config.trusted_proxies.clone(),
        auth_failures_per_minute: config.failed_authentications_per_minute,
        key_requests_per_minute: config.key_requests_per_minute,
        database_lane: config.database_lane.map_or(natural_lane, Count::get),
        provider_lane: config.provider_lane.get(),
        lane_wait: config.lane_wait,
        provider_timeout: config.provider_timeout,
        database_timeout: config.database_answer_timeout,
        workers: config.http_workers.map_or_else(processors, Count::get),
        connections_per_worker: config.connections_per_worker.get(),
        client_request_timeout: config.request_timeout,
        keep_alive: config.keep_alive,
        shutdown_timeout: config.shutdown_timeout,
        metrics_on_main: config.metrics_listen.is_none(),
        ..HttpSettings::default()
    }
}

/// What wakes the workers.
#[derive(Default)]
struct Bells {
    returns: Bell,
    payouts: Bell,
}

/// Everything that has to run.
struct Server {
    listener: TcpListener,
    metrics_listener: Option<TcpListener>,
    address: SocketAddr,
    dispatcher: Setup,
    parts: Parts,
    bells: Bells,
    payout_workers: usize,
    shutdown_timeout: std::time::Duration,
}

impl Server {
    async fn run(self) -> Result<(), Failure> {
        let signal = shutdown::signal()?;
        let ports: SharedPorts = self.parts.ports.clone();
        let keys = self.parts.keys.clone();
        let metrics = Arc::clone(&self.parts.metrics);
        let http = vintem_http::serve(self.listener, self.parts).map_err(Failure::failed)?;
        let stopper = http.stopper();
        let mut http = tokio::spawn(http);
        if let Some(listener) = self.metrics_listener {
            let address = listener.local_addr().map_err(Failure::failed)?;
            tracing::info!(%address, "serving metrics");
            let server = vintem_http::serve_metrics(listener, &metrics).map_err(Failure::failed)?;
            tokio::spawn(server);
        }
        let mut workers = vec![
            returns::start(&ports, self.bells.returns)?,
            keeper::start(&ports, &keys)?,
            figures::start_outbox(&ports, &metrics)?,
        ];
        let payouts = self.bells.payouts;
        workers.extend(payouts::start(
            &ports,
            &payouts,
            self.payout_workers,
            &metrics,
        )?);
        let mut dispatcher = Dispatcher::start(self.dispatcher.clone());
        output::print_line(&format!("listening on http://{}", self.address))?;

        tokio::pin!(signal);
        let mut watch = tokio::time::interval(worker::PERIOD);
        let by_itself = loop {
            tokio::select! {
                ended = &mut http => break Some(ended),
                name = &mut signal => {
                    tracing::info!(signal = name, "stopping");
                    break None;
                }
                _ = watch.tick() => if dispatcher.is_over() {
                    tracing::error!("the webhook sender ended by itself and is started again");
                    // Another name: the leases of the one that ended are not its own.
                    let server = ServerId(ports.ids.ulid());
                    dispatcher = Dispatcher::start(Setup { server, ..self.dispatcher.clone() });
                },
            }
        };
        let stop_http = async {
            if by_itself.is_none() {
                stopper.stop().await;
            }
        };
        // Requests and webhooks end side by side, so that together they take no longer than one of them may.
        tokio::join!(stop_http, dispatcher.stop(self.shutdown_timeout));
        worker::stop(workers).await;
        match by_itself {
            None => {
                tracing::info!("stopped");
                Ok(())
            }
            Some(ended) => Err(Failure::failed(format!(
                "the server ended by itself: {ended:?}"
            ))),
        }
    }
}
