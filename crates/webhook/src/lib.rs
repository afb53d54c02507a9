//! Vintém's webhook sender: takes events from the outbox, signs them, and sends them where merchants want them without
//! being made to call its own inside.
//!
//! [`Dispatcher`] does it all, given the domain's ports and a [`Client`]. [`Wake`] tells it that something was committed.

mod address;
mod addressees;
mod answer;
mod attempt;
mod client;
mod connector;
mod dispatcher;
mod failure;
mod lanes;
mod metrics;
mod signature;
mod target;
mod tls;
mod units;
mod wake;

pub use address::{AddressPolicy, is_public};
pub use addressees::AddressRules;
pub use client::{Client, ClientSettings, Message, Outcome};
pub use dispatcher::{Dispatcher, DispatcherSettings, Setup};
pub use failure::Failure;
pub use metrics::{Histogram, HistogramSnapshot, Metrics};
pub use signature::{
    BadSecret, PREVIOUS_SIGNATURE_HEADER, SECRET_HEADER, SIGNATURE_HEADER, STANDARD_ID_HEADER,
    STANDARD_SIGNATURE_HEADER, STANDARD_TIMESTAMP_HEADER, Signer,
};
pub use target::Target;
pub use tls::BadAuthority;
pub use wake::Wake;
