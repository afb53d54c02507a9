//! Vintém's webhook sender: signs events, and sends them where merchants want them without being made to call its own
//! inside.

mod address;
mod answer;
mod client;
mod connector;
mod failure;
mod signature;
mod target;
mod tls;

pub use address::{AddressPolicy, is_public};
pub use client::{Client, ClientSettings, Message, Outcome};
pub use failure::Failure;
pub use signature::{
    BadSecret, PREVIOUS_SIGNATURE_HEADER, PreviousSecret, SECRET_HEADER, SIGNATURE_HEADER,
    STANDARD_ID_HEADER, STANDARD_SIGNATURE_HEADER, STANDARD_TIMESTAMP_HEADER, Signer,
};
pub use target::Target;
pub use tls::BadAuthority;
