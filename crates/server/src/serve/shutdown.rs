//! Being told to stop.

use std::future::Future;

use tokio::signal::unix::{Signal, SignalKind, signal as listen};

use crate::failure::Failure;

/// Ends with the name of the signal that says to stop: SIGTERM or SIGINT. From this call on they end the process no
/// more by themselves.
pub(super) fn signal() -> Result<impl Future<Output = &'static str>, Failure> {
    let mut terminate = on(SignalKind::terminate())?;
    let mut interrupt = on(SignalKind::interrupt())?;
    Ok(async move {
        tokio::select! {
            _ = terminate.recv() => "SIGTERM",
            _ = interrupt.recv() => "SIGINT",
        }
    })
}

fn on(kind: SignalKind) -> Result<Signal, Failure> {
    listen(kind).map_err(|error| Failure::failed(format!("signals: {error}")))
}
