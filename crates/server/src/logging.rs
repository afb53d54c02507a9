//! Log lines on stderr: for people, or JSON for machines.

use std::io::IsTerminal as _;

use tracing_subscriber::fmt;
use tracing_subscriber::util::SubscriberInitExt as _;

use crate::config::{Config, LogFormat};

/// A panic becomes a log line like others, instead of lines of its own between them.
fn log_panics() {
    std::panic::set_hook(Box::new(|panic| {
        let payload = panic.payload();
        let message = payload
            .downcast_ref::<&str>()
            .copied()
            .or_else(|| payload.downcast_ref::<String>().map(String::as_str))
            .unwrap_or("without words");
        let place = panic.location().map(ToString::to_string);
        tracing::error!(place, "panic: {message}");
    }));
}

/// Sends log lines to stderr from now on, as the settings want them.
pub(crate) fn start(config: &Config) {
    let lines = fmt()
        .with_env_filter(config.log.filter())
        // They would be told on stderr, which is what failed, and a print that fails panics.
        .log_internal_errors(false)
        .with_writer(std::io::stderr);
    let started = match config.log_format {
        LogFormat::Text => lines
            .with_ansi(std::io::stderr().is_terminal())
            .finish()
            .try_init(),
        LogFormat::Json => lines.json().flatten_event(true).finish().try_init(),
    };
    // It only fails when logging was started before.
    debug_assert!(started.is_ok(), "logging starts once");
    log_panics();
}
