//! What Vintém's tests stand on: throw-away databases, the real binary, a client and a webhook receiver.
//!
//! Depends on no crate of the product, so that the storage contract suite can use it too.

pub mod postgres;
