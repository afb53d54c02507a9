//! Idempotency keys: a repeat of a creating request returns what the first one made.

use std::fmt;

use sha2::{Digest, Sha256};

use crate::account::Owner;
use crate::calendar::Time;
use crate::error::{Conflict, Error};
use crate::id::Ulid;
use crate::ports::{Ports, Transact, Tx};

/// The value of an `Idempotency-Key` header: 1 to 255 printable ASCII characters.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IdempotencyKey(String);

impl IdempotencyKey {
    /// Reads the header's value.
    ///
    /// # Errors
    /// [`BadIdempotencyKey`].
    pub fn parse(text: &str) -> Result<Self, BadIdempotencyKey> {
        let fits = (1..=255).contains(&text.len())
            && text.bytes().all(|byte| (b' '..=b'~').contains(&byte));
        fits.then(|| Self(text.to_owned())).ok_or(BadIdempotencyKey)
    }

    /// The key.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// The header's value is empty, too long or not printable.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BadIdempotencyKey;

impl fmt::Display for BadIdempotencyKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("must have 1 to 255 printable characters")
    }
}

impl std::error::Error for BadIdempotencyKey {}

/// Which creating operation a key was used with; a key is scoped to it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Route {
    /// `POST /pixQrCode/create`.
    PixCreate,
    /// `POST /boleto/create`.
    BoletoCreate,
    /// `POST /withdraw/create`.
    WithdrawCreate,
    /// `POST /boleto/pay`, by `Idempotency-Key`.
    BoletoPay,
    /// `POST /boleto/pay`, by `externalId`.
    BoletoPayExternalId,
    /// A refund, by an operator.
    ChargeRefund,
}

impl Route {
    /// The word it is stored under.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::PixCreate => "pixQrCode/create",
            Self::BoletoCreate => "boleto/create",
            Self::WithdrawCreate => "withdraw/create",
            Self::BoletoPay => "boleto/pay",
            Self::BoletoPayExternalId => "boleto/pay#externalId",
            Self::ChargeRefund => "charge/refund",
        }
    }
}

/// A key together with the body it came with.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Attempt {
    /// The key.
    pub key: IdempotencyKey,
    /// SHA-256 of the body as parsed JSON in canonical form, so that spelling differences do not count.
    pub body_digest: [u8; 32],
}

impl Attempt {
    /// 32 bytes that only this owner, route, key and body give: what identifiers at the provider are derived from, so
    /// that repeats reach one object there.
    pub fn fingerprint(&self, owner: Owner, route: Route) -> [u8; 32] {
        Sha256::new()
            .chain_update(owner.account.0.to_string())
            .chain_update(owner.environment.as_str())
            .chain_update([0])
            .chain_update(route.as_str())
            .chain_update([0])
            .chain_update(self.key.as_str())
            .chain_update([0])
            .chain_update(self.body_digest)
            .finalize()
            .into()
    }
}

/// What is remembered of the first successful request with a key. It is kept for ever, in the transaction that made
/// the object.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Record {
    /// Whose key.
    pub owner: Owner,
    /// The operation.
    pub route: Route,
    /// The key and the body it came with.
    pub attempt: Attempt,
    /// The object it made, without prefix.
    pub object: Ulid,
    /// When (real time).
    pub created_at: Time,
}

impl Record {
    /// Remembers the key; or, when an earlier request had it, says which object that one made.
    ///
    /// # Errors
    /// [`Conflict::IdempotencyKeyReused`] when that request had another body.
    pub(crate) fn remember(&self, tx: &mut dyn Tx) -> Result<Option<Ulid>, Error> {
        if tx.insert_idempotency_record(self)? {
            return Ok(None);
        }
        tx.idempotency_record(self.owner, self.route, &self.attempt.key)?
            .ok_or_else(|| Error::bug("an idempotency record vanished"))?
            .repeated_by(&self.attempt)
            .map(Some)
    }

    /// The object a repeat gets.
    ///
    /// # Errors
    /// [`Conflict::IdempotencyKeyReused`] when the repeat has another body.
    pub fn repeated_by(&self, attempt: &Attempt) -> Result<Ulid, Error> {
        if self.attempt.body_digest == attempt.body_digest {
            Ok(self.object)
        } else {
            Err(Error::Conflict(Conflict::IdempotencyKeyReused))
        }
    }
}

/// The object an earlier request with this key made, if any.
///
/// # Errors
/// [`Conflict::IdempotencyKeyReused`] when that request had another body.
pub fn earlier(
    ports: &Ports,
    owner: Owner,
    route: Route,
    attempt: &Attempt,
) -> Result<Option<Ulid>, Error> {
    let record = ports
        .store
        .read(|read| read.idempotency_record(owner, route, &attempt.key))?;
    record.map(|record| record.repeated_by(attempt)).transpose()
}

/// An object a creating use case answers with.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Made<T> {
    /// The object.
    pub object: T,
    /// It was made by an earlier request with the same idempotency key.
    pub repeated: bool,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::account::{AccountId, Environment};

    #[test]
    fn keys_are_printable_and_limited() {
        assert!(IdempotencyKey::parse("order 1").is_ok());
        for bad in ["", "ç", "a\nb", &"x".repeat(256)] {
            assert_eq!(
                IdempotencyKey::parse(bad),
                Err(BadIdempotencyKey),
                "{bad:?}"
            );
        }
    }

    #[test]
    fn a_fingerprint_depends_on_owner_key_and_body() {
        let owner = |low| Owner {
            account: AccountId(Ulid::from_parts(1, low)),
            environment: Environment::Live,
        };
        let attempt = |key: &str, body| Attempt {
            key: IdempotencyKey::parse(key).unwrap(),
            body_digest: [body; 32],
        };
        let first = attempt("a", 1).fingerprint(owner(1), Route::PixCreate);
        assert_eq!(
            first,
            attempt("a", 1).fingerprint(owner(1), Route::PixCreate)
        );
        assert_ne!(
            first,
            attempt("b", 1).fingerprint(owner(1), Route::PixCreate)
        );
        assert_ne!(
            first,
            attempt("a", 2).fingerprint(owner(1), Route::PixCreate)
        );
        assert_ne!(
            first,
            attempt("a", 1).fingerprint(owner(2), Route::PixCreate)
        );
    }
}
