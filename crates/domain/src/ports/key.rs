//! API keys.

use crate::account::AccountId;
use crate::calendar::Time;
use crate::error::Error;
use crate::key::{ApiKey, KeyDigest, KeyId};

/// Reads API keys.
#[cfg_attr(any(test, feature = "mocks"), mockall::automock)]
pub trait KeyRead {
    /// The key with this digest, whatever its account: how a caller is recognised.
    ///
    /// # Errors
    /// The store's.
    fn key_by_digest(&mut self, digest: &KeyDigest) -> Result<Option<ApiKey>, Error>;

    /// All keys of an account, of both environments, oldest first.
    ///
    /// # Errors
    /// The store's.
    fn keys(&mut self, account: AccountId) -> Result<Vec<ApiKey>, Error>;
}

/// Writes API keys.
#[cfg_attr(any(test, feature = "mocks"), mockall::automock)]
pub trait KeyTx {
    /// The key, whatever its account (operators name keys by id), locked.
    ///
    /// # Errors
    /// The store's.
    fn key_for_update(&mut self, id: KeyId) -> Result<Option<ApiKey>, Error>;

    /// A new key.
    ///
    /// # Errors
    /// The store's.
    fn insert_key(&mut self, key: &ApiKey) -> Result<(), Error>;

    /// When the key expires and was revoked.
    ///
    /// # Errors
    /// The store's.
    fn save_key(&mut self, key: &ApiKey) -> Result<(), Error>;

    /// When a key was last used; an earlier time than the one kept changes nothing.
    ///
    /// # Errors
    /// The store's.
    fn save_key_use(&mut self, id: KeyId, at: Time) -> Result<(), Error>;
}
