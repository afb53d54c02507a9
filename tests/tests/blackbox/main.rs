//! The product from outside: the real binary on both databases, seen as merchants, payers' banks, webhook receivers and
//! operators see it.

#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    reason = "the helpers of tests fail the test that calls them"
)]

mod at_rest;
mod authentication;
mod bank;
mod brcode;
mod cancel;
mod charge;
mod check;
mod clock;
mod conventions;
mod crash;
mod create;
mod database;
mod documents;
mod idempotency;
mod instant;
mod isolation;
mod ledger;
mod operations;
mod qrcode;
mod rails;
mod refund;
mod simulate;
mod store;
mod throttle;
mod transaction;
mod webhook;
