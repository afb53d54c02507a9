//! Vintém's storage: the domain's ports on SQLite and PostgreSQL.
//!
//! One schema in two dialects (`migrations/`), one query text for both databases ([`conn`]), one file per business word. The engines
//! differ only in how a unit of work is run: [`sqlite`] batches concurrent ones into one commit, [`postgres`] gives each its own
//! transaction and runs it again after a conflict.

mod cached;
mod conn;
mod database;
mod failure;
mod postgres;
mod readiness;
mod schema;
mod sqlite;
mod stats;

pub use database::{Database, Options};
pub use failure::{Failure, Kind};
pub use sqlite::ServeLock;
pub use stats::{BATCH_BUCKETS, PoolUse, Stats};
