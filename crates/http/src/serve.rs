//! Starting and stopping the servers.

use std::future::Future;
use std::io;
use std::net::TcpListener;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use actix_web::dev::ServerHandle;
use actix_web::{App, HttpServer, web};

use crate::metrics::Metrics;
use crate::site::{Parts, Site, TheSite};
use crate::{ops, routes};

/// A running server. It serves while it is awaited, and ends when its [`Stopper`] says so.
///
/// It needs a tokio runtime around it, takes no signals, and runs its workers on threads of their own.
pub struct Server(actix_web::dev::Server);

impl Server {
    /// A handle that stops the server.
    pub fn stopper(&self) -> Stopper {
        Stopper(self.0.handle())
    }
}

impl Future for Server {
    type Output = io::Result<()>;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        Pin::new(&mut self.0).poll(context)
    }
}

/// Stops a server.
#[derive(Clone)]
pub struct Stopper(ServerHandle);

impl Stopper {
    /// Stops accepting, lets requests finish for as long as the settings allow, and returns when all is over.
    pub async fn stop(&self) {
        self.0.stop(true).await;
    }
}

/// Serves the API on the listener.
///
/// # Errors
/// When the listener cannot be used.
pub fn serve(listener: TcpListener, parts: Parts) -> io::Result<Server> {
    serve_site(listener, web::Data::new(Site::new(parts)))
}

fn serve_site(listener: TcpListener, site: TheSite) -> io::Result<Server> {
    let settings = site.settings.clone();
    // Every lane's work may be on one worker's threads.
    let blocking_threads = settings
        .database_lane
        .saturating_add(settings.provider_lane);
    let server = HttpServer::new(move || routes::app(&site))
        .workers(settings.workers.max(1))
        .worker_max_blocking_threads(blocking_threads)
        .max_connections(settings.connections_per_worker)
        .keep_alive(settings.keep_alive)
        .client_request_timeout(settings.client_request_timeout)
        .client_disconnect_timeout(Duration::from_secs(2))
        .tcp_nodelay(true)
        .shutdown_timeout(settings.shutdown_timeout.as_secs())
        .disable_signals()
        .listen(listener)?
        .run();
    Ok(Server(server))
}

/// Serves `/metrics` alone, on a listener of its own.
///
/// # Errors
/// When the listener cannot be used.
pub fn serve_metrics(listener: TcpListener, metrics: &Arc<Metrics>) -> io::Result<Server> {
    let metrics = web::Data::from(Arc::clone(metrics));
    let server = HttpServer::new(move || {
        App::new()
            .app_data(metrics.clone())
            .route("/metrics", web::get().to(ops::metrics))
            .route("/metrics", web::head().to(ops::metrics))
    })
    .workers(1)
    .max_connections(64)
    .shutdown_timeout(1)
    .disable_signals()
    .listen(listener)?
    .run();
    Ok(Server(server))
}

#[cfg(test)]
mod tests;
