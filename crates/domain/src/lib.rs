//! Vintém's rules without any I/O: what a charge, a fee, a ledger posting, an event and a webhook delivery are,
//! and the use cases that move them.
//!
//! The crate knows no clock, no randomness, no database, no network and no async runtime. Everything it needs of the
//! world it asks for through the ports in [`ports`]; adapters implement them. Use cases are plain synchronous
//! functions over [`Ports`]. With the feature `memory` the crate brings an in-memory [`ports::Store`], enough to run
//! and test every rule.
#![cfg_attr(
    not(test),
    warn(
        clippy::arithmetic_side_effects,
        clippy::as_conversions,
        clippy::float_arithmetic,
        clippy::indexing_slicing
    )
)]

pub mod account;
pub mod bill;
pub mod boleto;
pub mod brcode;
pub mod calendar;
pub mod charge;
pub mod digits;
pub mod document;
pub mod error;
pub mod event;
pub mod id;
pub mod idempotency;
pub mod key;
pub mod ledger;
#[cfg(any(test, feature = "memory"))]
pub mod memory;
pub mod money;
pub mod payout;
pub mod pix_key;
pub mod ports;
pub mod provider;
pub mod receipt;
pub mod refund;
#[cfg(test)]
mod testing;
pub mod text;
pub mod transaction;
pub mod webhook;
pub mod withdrawal;

pub use account::{Account, AccountId, Environment, Owner};
pub use calendar::Time;
pub use error::Error;
pub use money::Centavos;
pub use ports::{Ports, SharedPorts};
