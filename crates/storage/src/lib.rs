//! Vintém's storage: the domain's ports on SQLite and PostgreSQL.
//!
//! One schema in two dialects (`migrations/`), one query text for both databases (`conn`), one file per business word. The engines
//! differ only in how a unit of work is run: `sqlite` batches concurrent ones into one commit, `postgres` gives each its own
//! transaction and runs it again after a conflict.

mod account;
mod audit;
mod bill;
mod boleto;
mod charge;
mod closing;
mod commit;
mod conn;
mod database;
mod delivery;
mod event;
mod failure;
mod idempotency;
mod installation;
mod kept;
mod key;
mod ledger;
mod migrations;
mod payout;
mod postgres;
mod progress;
mod readiness;
mod receipt;
mod refund;
mod returns;
mod schema;
mod sqlite;
mod stats;
mod store;
mod together;
mod transaction;
mod value;
mod view;
mod webhook;

pub use database::{Database, Options};
pub use failure::{Failure, Kind};
pub use sqlite::ServeLock;
pub use stats::{BATCH_BUCKETS, PoolUse, Stats};
