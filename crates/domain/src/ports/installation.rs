//! What concerns the installation as a whole.

use crate::error::Error;
use crate::provider::ProviderRecord;

/// Reads what concerns the installation as a whole.
#[cfg_attr(any(test, feature = "mocks"), mockall::automock)]
pub trait InstallationRead {
    /// A counter that moves when something other servers may have cached (a key, an account) was changed.
    ///
    /// # Errors
    /// The store's.
    fn epoch(&mut self) -> Result<i64, Error>;

    /// What the adapter `provider` keeps under `key`.
    ///
    /// # Errors
    /// The store's.
    fn provider_record(
        &mut self,
        provider: &'static str,
        key: &str,
    ) -> Result<Option<ProviderRecord>, Error>;
}

/// Writes what concerns the installation as a whole.
#[cfg_attr(any(test, feature = "mocks"), mockall::automock)]
pub trait InstallationTx {
    /// Moves the epoch.
    ///
    /// # Errors
    /// The store's.
    fn move_epoch(&mut self) -> Result<(), Error>;

    /// Keeps the value under a name nobody used before, and returns what is kept there then.
    ///
    /// # Errors
    /// The store's.
    fn keep_first(&mut self, name: &'static str, value: &[u8]) -> Result<Vec<u8>, Error>;

    /// Keeps `body` if the version is still `seen` (0: nothing was there); says whether it did.
    ///
    /// # Errors
    /// The store's.
    fn save_provider_record(
        &mut self,
        provider: &'static str,
        key: &str,
        seen: i64,
        body: &str,
    ) -> Result<bool, Error>;
}
