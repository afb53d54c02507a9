//! How the play bank keeps what it must remember: one JSON text per record, replaced only by who has seen it.

use serde::Serialize;
use serde::de::DeserializeOwned;
use vintem_domain::Error;

use super::Stub;

/// The name the bank's memory is kept under.
const PROVIDER: &str = "stub";

impl Stub {
    /// What is kept under a key, and its version.
    pub(super) fn recalled<T: DeserializeOwned>(
        &self,
        key: &str,
    ) -> Result<Option<(T, i64)>, Error> {
        let Some(record) = self.records.recall(PROVIDER, key)? else {
            return Ok(None);
        };
        match serde_json::from_str(&record.body) {
            Ok(kept) => Ok(Some((kept, record.version))),
            Err(error) => Err(Error::bug(format!(
                "the play bank cannot read its own record: {error}"
            ))),
        }
    }

    /// Keeps a record if its version is still `seen` (0: nothing was there); says whether it did.
    pub(super) fn remembered<T: Serialize>(
        &self,
        key: &str,
        seen: i64,
        kept: &T,
    ) -> Result<bool, Error> {
        let body = serde_json::to_string(kept)
            .map_err(|error| Error::bug(format!("the play bank's record: {error}")))?;
        self.records.remember(PROVIDER, key, seen, &body)
    }
}
