//! Who moves the money: one module per provider.
//!
//! [`stub`] is the play bank inside the product. Real payment providers come as further modules; each implements the
//! ports of [`vintem_domain::provider`] and keeps its own field names to itself.

pub mod stub;
