//! The REST API: one module per business word.

pub(crate) mod account;
pub(crate) mod charge;
pub(crate) mod transaction;
