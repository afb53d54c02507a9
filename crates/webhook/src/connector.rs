//! Opens connections, to checked addresses only.

use std::future::Future;
use std::io;
use std::net::SocketAddr;
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use hyper::Uri;
use hyper_rustls::{HttpsConnector, HttpsConnectorBuilder, MaybeHttpsStream};
use hyper_util::rt::TokioIo;
use rustls::ClientConfig;
use tokio::net::{TcpStream, lookup_host};
use tokio::time::{Instant, timeout, timeout_at};
use tower_service::Service;

use crate::address::AddressPolicy;
use crate::failure::Failure;

type Connecting<T> = Pin<Box<dyn Future<Output = Result<T, Failure>> + Send>>;

/// Connects, with TLS where the scheme says so, within one time limit for name, connection and handshake together.
#[derive(Clone)]
pub(crate) struct Connector {
    inner: HttpsConnector<CheckedTcp>,
    limit: Duration,
}

impl Connector {
    pub(crate) fn new(policy: AddressPolicy, tls: &ClientConfig, limit: Duration) -> Self {
        let inner = HttpsConnectorBuilder::new()
            .with_tls_config(tls.clone())
            .https_or_http()
            .enable_http1()
            .wrap_connector(CheckedTcp { policy, limit });
        Self { inner, limit }
    }
}

impl Service<Uri> for Connector {
    type Response = MaybeHttpsStream<TokioIo<TcpStream>>;
    type Error = Failure;
    type Future = Connecting<Self::Response>;

    fn poll_ready(&mut self, _context: &mut Context<'_>) -> Poll<Result<(), Failure>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, uri: Uri) -> Self::Future {
        let connecting = self.inner.call(uri);
        let limit = self.limit;
        Box::pin(async move {
            match timeout(limit, connecting).await {
                Ok(Ok(stream)) => Ok(stream),
                Ok(Err(error)) => Err(connect_failure(error.as_ref())),
                Err(_elapsed) => Err(Failure::ConnectTimedOut),
            }
        })
    }
}

/// Whatever the TCP part did not classify itself comes from the handshake.
fn connect_failure(error: &(dyn std::error::Error + Send + Sync + 'static)) -> Failure {
    if let Some(failure) = error.downcast_ref::<Failure>() {
        return *failure;
    }
    let mut inner = error.downcast_ref::<io::Error>();
    while let Some(cause) = inner.and_then(io::Error::get_ref) {
        if let Some(rustls::Error::InvalidCertificate(_)) = cause.downcast_ref() {
            return Failure::CertificateRefused;
        }
        inner = cause.downcast_ref();
    }
    Failure::TlsFailed
}

/// Resolves, checks every address, and connects to what was checked: a second look-up could answer something else.
#[derive(Clone)]
struct CheckedTcp {
    policy: AddressPolicy,
    limit: Duration,
}

impl Service<Uri> for CheckedTcp {
    type Response = TokioIo<TcpStream>;
    type Error = Failure;
    type Future = Connecting<Self::Response>;

    fn poll_ready(&mut self, _context: &mut Context<'_>) -> Poll<Result<(), Failure>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, uri: Uri) -> Self::Future {
        let Self { policy, limit } = *self;
        Box::pin(async move {
            let deadline = Instant::now() + limit;
            let addresses = resolve(&uri, policy).await?;
            connect(&addresses, deadline).await
        })
    }
}

async fn resolve(uri: &Uri, policy: AddressPolicy) -> Result<Vec<SocketAddr>, Failure> {
    let host = uri.host().ok_or(Failure::UrlRefused)?;
    let host = host.trim_start_matches('[').trim_end_matches(']');
    let secure = uri.scheme_str() == Some("https");
    let port = uri.port_u16().unwrap_or(if secure { 443 } else { 80 });

    let found = lookup_host((host, port))
        .await
        .map_err(|_the_name_does_not_resolve| Failure::HostNotFound)?;
    let addresses: Vec<SocketAddr> = found.collect();
    if addresses.is_empty() {
        return Err(Failure::HostNotFound);
    }
    // One bad address among good ones refuses them all: a name that mixes them is an attempt to get through by luck.
    if addresses
        .iter()
        .any(|address| !policy.permits(address.ip()))
    {
        return Err(Failure::AddressRefused);
    }
    Ok(addresses)
}

/// Tries the addresses in order. Each gets its share of the time that is left, so that a first one that swallows packets
/// does not spend the time of a second one that works.
async fn connect(
    addresses: &[SocketAddr],
    deadline: Instant,
) -> Result<TokioIo<TcpStream>, Failure> {
    let mut failure = Failure::ConnectFailed;
    let mut left = u32::try_from(addresses.len()).unwrap_or(u32::MAX);
    for address in addresses {
        let now = Instant::now();
        let share = deadline.saturating_duration_since(now) / left.max(1);
        left = left.saturating_sub(1);
        match timeout_at(now + share, TcpStream::connect(address)).await {
            Ok(Ok(stream)) => {
                // A webhook is one small write: waiting for more to send along would only delay it.
                if stream.set_nodelay(true).is_err() {
                    tracing::debug!("a connection without TCP_NODELAY");
                }
                return Ok(TokioIo::new(stream));
            }
            Ok(Err(error)) => failure = tcp_failure(&error),
            Err(_elapsed) => failure = Failure::ConnectTimedOut,
        }
    }
    Err(failure)
}

fn tcp_failure(error: &io::Error) -> Failure {
    match error.kind() {
        io::ErrorKind::ConnectionRefused => Failure::ConnectionRefused,
        io::ErrorKind::TimedOut => Failure::ConnectTimedOut,
        _ => Failure::ConnectFailed,
    }
}
