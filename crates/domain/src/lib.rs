//! Vintém's rules, without any I/O.
#![warn(
    clippy::arithmetic_side_effects,
    clippy::as_conversions,
    clippy::float_arithmetic,
    clippy::indexing_slicing
)]

pub mod brcode;
pub mod document;
