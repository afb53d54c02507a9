//! The promises of the domain's `Store`, kept by every backend: in memory, SQLite, PostgreSQL.
//!
//! One suite: each promise is a function that is run on all three. What only databases can promise (they refuse what a mistake would
//! write) and what only one of them does (backup, file locks, a restarted server) follows in modules of its own.

#![expect(
    clippy::unwrap_used,
    reason = "a promise that cannot be tried is a promise that is not kept"
)]

mod accounts;
mod audit;
mod bills;
mod boletos;
mod charges;
mod databases;
mod fixtures;
mod installation;
mod keys;
mod ledger;
mod outbox;
mod payments;
mod payouts;
mod postgres;
mod refunds;
mod scene;
mod sqlite;
mod transactions;
mod units;
mod webhooks;
