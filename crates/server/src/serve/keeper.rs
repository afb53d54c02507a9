//! Keeps the memory of accepted keys true, and writes down when keys were used.

use std::time::{Duration, Instant};

use vintem_domain::ports::Transact as _;
use vintem_domain::{SharedPorts, key};
use vintem_http::KeyCache;

use super::bell::Bell;
use super::worker::{self, Worker};
use crate::failure::Failure;

/// How often uses are written down.
const WRITE_EVERY: Duration = Duration::from_secs(10);

/// Starts the worker.
pub(super) fn start(ports: &SharedPorts, keys: &KeyCache) -> Result<Worker, Failure> {
    let ports = ports.clone();
    let keys = keys.clone();
    let mut seen = None;
    let mut written = Instant::now();
    let mut unwritten = Vec::new();
    worker::start("keeper", Bell::new(), move |bell| {
        let epoch = ports.store.read(|read| read.epoch())?;
        if seen.replace(epoch) != Some(epoch) {
            keys.drop_all();
        }
        if written.elapsed() >= WRITE_EVERY || bell.is_stopped() {
            // Kept until they are written: the database may be away for a while.
            unwritten.extend(keys.take_uses());
            if !unwritten.is_empty() {
                key::record_use(&ports.ports(), &unwritten)?;
                unwritten.clear();
            }
            written = Instant::now();
        }
        Ok(())
    })
}
