//! What Vintém's tests stand on: throw-away databases, the real binary, a client and a webhook receiver.
//!
//! Depends on no crate of the product: the suite sees what a merchant and an operator see, and the storage contract
//! suite can use [`postgres`] too. Whatever goes wrong here panics and so fails the test that asked for it.

#![expect(
    clippy::expect_used,
    clippy::missing_panics_doc,
    reason = "a harness that cannot go on fails the test that uses it"
)]

pub mod client;
pub mod guard;
pub mod merchant;
pub mod postgres;
pub mod receiver;
pub mod server;
pub mod site;
pub mod wait;

/// The two databases every behaviour is tested on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Backend {
    /// The embedded database.
    Sqlite,
    /// A database of its own on the PostgreSQL of this test run.
    Postgres,
}

/// Makes two named tests of each function that takes a [`Backend`]: `name::on_sqlite` and `name::on_postgres`.
#[macro_export]
macro_rules! on_both {
    ($($name:ident),+ $(,)?) => {$(
        mod $name {
            #[test]
            fn on_sqlite() {
                super::$name($crate::Backend::Sqlite);
            }

            #[test]
            fn on_postgres() {
                super::$name($crate::Backend::Postgres);
            }
        }
    )+};
}
