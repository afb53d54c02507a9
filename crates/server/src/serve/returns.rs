//! Gives payments back to payers whose money settled nothing.

use vintem_domain::{SharedPorts, charge};

use super::bell::Bell;
use super::worker::{self, Worker};
use crate::failure::Failure;

/// How many returns are leased at a time.
const AT_ONCE: usize = 8;

/// Starts the worker.
pub(super) fn start(ports: &SharedPorts, bell: Bell) -> Result<Worker, Failure> {
    let ports = ports.clone();
    worker::start("returns", bell, move |bell| {
        while !bell.is_stopped() {
            let taken = charge::give_back_due(&ports.ports(), AT_ONCE)?;
            if taken > 0 {
                tracing::info!(count = taken, "returned payments to their payers");
            }
            if taken < AT_ONCE {
                break;
            }
        }
        Ok(())
    })
}
