//! The REST API: one module per business word.

pub(crate) mod account;
pub(crate) mod bill;
pub(crate) mod boleto;
mod call;
pub(crate) mod charge;
pub(crate) mod transaction;
pub(crate) mod withdrawal;
