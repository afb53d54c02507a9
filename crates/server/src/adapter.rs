//! The machine behind the domain's ports: its clock, its random numbers, encryption, password hashes.

mod cipher;
mod clock;
mod ids;
mod passwords;

pub(crate) use cipher::MasterCipher;
pub(crate) use clock::SystemClock;
pub(crate) use ids::{RandomIds, readable};
pub(crate) use passwords::Argon2Passwords;
