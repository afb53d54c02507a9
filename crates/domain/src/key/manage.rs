//! Making, finding, rolling and revoking keys.

use constant_time_eq::constant_time_eq_32;

use crate::account::{AccountId, Environment, Owner};
use crate::calendar::{DAY_MS, Time};
use crate::error::{Conflict, Error, Missing};
use crate::key::{ApiKey, KeyDigest, KeyId, Lifetime, Principal, Scopes, Secret};
use crate::ports::{Ports, Transact};

/// A key that was just made: the only moment a live one can be read.
#[derive(Clone, Debug)]
pub struct NewKey {
    /// The key as it is kept.
    pub key: ApiKey,
    /// The key itself.
    pub secret: Secret,
}

/// The longest time an old key may go on working beside its successor, milliseconds.
const LONGEST_OVERLAP_MS: i64 = DAY_MS;

/// Makes a key.
///
/// # Errors
/// [`Missing::Account`]; [`Error::Invalid`] when no scope is given.
pub fn create(
    ports: &Ports,
    owner: Owner,
    scopes: Scopes,
    lifetime: Lifetime,
) -> Result<NewKey, Error> {
    if scopes == Scopes::NONE {
        return Err(Error::invalid("scopes", "must name at least one scope"));
    }
    let now = ports.clock.now();
    let new = fresh(ports, owner, scopes, lifetime.end(now), now)?;
    ports.store.transact(|tx| {
        tx.account(owner.account)?
            .ok_or(Error::NotFound(Missing::Account))?;
        tx.insert_key(&new.key)
    })?;
    Ok(new)
}

fn fresh(
    ports: &Ports,
    owner: Owner,
    scopes: Scopes,
    expires_at: Option<Time>,
    now: Time,
) -> Result<NewKey, Error> {
    let id = KeyId(ports.ids.ulid());
    let secret = Secret::of(owner.environment, ports.ids.random());
    let encrypted = match owner.environment {
        Environment::Sandbox => Some(
            ports
                .cipher
                .seal(&purpose(id), secret.reveal().as_bytes())?,
        ),
        Environment::Live => None,
    };
    let hint = secret
        .reveal()
        .chars()
        .rev()
        .take(4)
        .collect::<Vec<_>>()
        .into_iter()
        .rev()
        .collect();
    let key = ApiKey {
        id,
        owner,
        scopes,
        digest: secret.digest(),
        encrypted,
        hint,
        expires_at,
        revoked_at: None,
        last_used_at: None,
        created_at: now,
    };
    Ok(NewKey { key, secret })
}

fn purpose(id: KeyId) -> String {
    format!("api-key/{id}")
}

/// Replaces a key by a new one with the same scopes and a lifetime as long as the first one's; the old one works on for
/// `overlap_ms`, 0 to 24 hours.
///
/// # Errors
/// [`Missing::Key`]; [`Conflict::KeyRevoked`]; [`Conflict::KeyRolled`] while the overlap of an earlier roll lasts;
/// [`Error::Invalid`] for another overlap.
pub fn roll(ports: &Ports, id: KeyId, overlap_ms: i64) -> Result<NewKey, Error> {
    if !(0..=LONGEST_OVERLAP_MS).contains(&overlap_ms) {
        return Err(Error::invalid("overlap", "must be from 0 to 24 hours"));
    }
    let now = ports.clock.now();
    // Sealing the new key needs its owner, which does not change; the lock comes after.
    let old = ports
        .store
        .transact(|tx| tx.key_for_update(id))?
        .ok_or(Error::NotFound(Missing::Key))?;
    let expires_at = old
        .expires_at
        .map(|end| now.plus_millis(end.millis_since(old.created_at)));
    let new = fresh(ports, old.owner, old.scopes, expires_at, now)?;
    ports.store.transact(|tx| {
        let old = tx
            .key_for_update(id)?
            .ok_or(Error::NotFound(Missing::Key))?;
        match old.revoked_at {
            Some(end) if now < end => return Err(Error::Conflict(Conflict::KeyRolled)),
            Some(_) => return Err(Error::Conflict(Conflict::KeyRevoked)),
            None => {}
        }
        tx.save_key(&ApiKey {
            revoked_at: Some(now.plus_millis(overlap_ms)),
            ..old
        })?;
        tx.insert_key(&new.key)?;
        tx.move_epoch()
    })?;
    Ok(new)
}

/// Revokes a key at once, also one that still works in the overlap of a roll.
///
/// # Errors
/// [`Missing::Key`]; [`Conflict::KeyRevoked`].
pub fn revoke(ports: &Ports, id: KeyId) -> Result<ApiKey, Error> {
    let now = ports.clock.now();
    ports.store.transact(|tx| {
        let key = tx
            .key_for_update(id)?
            .ok_or(Error::NotFound(Missing::Key))?;
        if key.revoked_at.is_some_and(|end| end <= now) {
            return Err(Error::Conflict(Conflict::KeyRevoked));
        }
        let key = ApiKey {
            revoked_at: Some(now),
            ..key
        };
        tx.save_key(&key)?;
        tx.move_epoch()?;
        Ok(key)
    })
}

/// All keys of an account, oldest first; test keys readable, live ones not.
///
/// # Errors
/// [`Missing::Account`].
pub fn list(ports: &Ports, account: AccountId) -> Result<Vec<(ApiKey, Option<Secret>)>, Error> {
    let keys = ports.store.read(|read| {
        read.account(account)?
            .ok_or(Error::NotFound(Missing::Account))?;
        read.keys(account)
    })?;
    keys.into_iter()
        .map(|key| Ok((restored(ports, &key)?, key)))
        .map(|pair| pair.map(|(secret, key)| (key, secret)))
        .collect()
}

fn restored(ports: &Ports, key: &ApiKey) -> Result<Option<Secret>, Error> {
    let Some(sealed) = &key.encrypted else {
        return Ok(None);
    };
    let plain = ports.cipher.open(&purpose(key.id), sealed)?;
    let text =
        String::from_utf8(plain).map_err(|_not_text| Error::bug("a stored key is not text"))?;
    Ok(Some(Secret::restore(text)))
}

/// Who holds the presented key; `None` when it is unknown, expired or revoked.
///
/// # Errors
/// The store's.
pub fn authenticate(ports: &Ports, digest: &KeyDigest) -> Result<Option<Principal>, Error> {
    let now = ports.clock.now();
    ports.store.read(|read| {
        let Some(key) = read.key_by_digest(digest)? else {
            return Ok(None);
        };
        if !constant_time_eq_32(&key.digest.0, &digest.0) || !key.works_at(now) {
            return Ok(None);
        }
        let Some(account) = read.account(key.owner.account)? else {
            return Ok(None);
        };
        Ok(Some(Principal {
            key: key.id,
            owner: key.owner,
            scopes: key.scopes,
            ends_at: [key.expires_at, key.revoked_at].into_iter().flatten().min(),
            suspended: account.suspended_at.is_some(),
        }))
    })
}

/// Records when keys were last used.
///
/// # Errors
/// The store's.
pub fn record_use(ports: &Ports, uses: &[(KeyId, Time)]) -> Result<(), Error> {
    let mut uses = uses.to_vec();
    uses.sort_unstable();
    ports.store.transact(|tx| {
        uses.iter()
            .try_for_each(|(key, at)| tx.save_key_use(*key, *at))
    })
}
