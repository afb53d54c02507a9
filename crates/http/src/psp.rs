//! Callbacks of payment providers: one module per provider.

pub(crate) mod stub;
