//! The sender against real receivers on this machine.

#![expect(
    clippy::unwrap_used,
    reason = "the helpers of tests fail the test that calls them"
)]

mod client;
mod dispatcher;
mod receiver;
mod world;
