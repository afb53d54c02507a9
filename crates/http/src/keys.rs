//! Recently accepted keys, so that authentication costs no query per request.

use std::collections::HashMap;
use std::sync::atomic::{AtomicI64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, RwLock};

use vintem_domain::Time;
use vintem_domain::calendar::{MINUTE_MS, SECOND_MS};
use vintem_domain::key::{KeyDigest, KeyId, Principal};

/// How long an accepted key is believed. Below the 5 s within which a revocation on another server must be noticed
/// (decisions §10), even where nobody watches the epoch.
const BELIEVED_MS: i64 = 4 * SECOND_MS;

/// How many keys are remembered at most.
const CAPACITY: usize = 10_000;

/// The keys accepted in the last seconds, and when each was last used. Clones share one memory.
///
/// Only accepted keys are remembered; an unknown one is looked up every time.
#[derive(Clone, Default)]
pub struct KeyCache(Arc<Shared>);

#[derive(Default)]
struct Shared {
    accepted: RwLock<Accepted>,
    uses: Mutex<HashMap<KeyId, Time>>,
}

#[derive(Default)]
struct Accepted {
    keys: HashMap<KeyDigest, Entry>,
    /// Counts the times everything was dropped: what was looked up before must not be remembered after.
    generation: u64,
}

struct Entry {
    principal: Principal,
    since: Time,
    /// The minute whose use was noted.
    noted_minute: AtomicI64,
}

/// The state of the cache when a look-up began.
#[derive(Clone, Copy)]
pub(crate) struct Generation(u64);

impl KeyCache {
    /// A cache with nothing in it.
    pub fn new() -> Self {
        Self::default()
    }

    /// Forgets every accepted key: to be called when a key or an account may have changed.
    pub fn drop_all(&self) {
        let mut accepted = self.write();
        accepted.keys.clear();
        accepted.generation = accepted.generation.wrapping_add(1);
    }

    /// The keys used since the last call and when, to within a minute; to be written down by
    /// [`vintem_domain::key::record_use`].
    pub fn take_uses(&self) -> Vec<(KeyId, Time)> {
        self.uses().drain().collect()
    }

    /// What is known of a key at this moment, noting that it is used.
    pub(crate) fn find(&self, digest: &KeyDigest, now: Time) -> Result<Principal, Generation> {
        let accepted = self
            .0
            .accepted
            .read()
            .unwrap_or_else(PoisonError::into_inner);
        let believed = accepted
            .keys
            .get(digest)
            .filter(|entry| (0..BELIEVED_MS).contains(&now.millis_since(entry.since)));
        let Some(entry) = believed else {
            return Err(Generation(accepted.generation));
        };
        let minute = now.millis() / MINUTE_MS;
        // Read first: a write at every request would make the processors fight for it.
        if entry.noted_minute.load(Ordering::Relaxed) != minute {
            entry.noted_minute.store(minute, Ordering::Relaxed);
            self.uses().insert(entry.principal.key, now);
        }
        Ok(entry.principal)
    }

    /// Remembers a key that was just looked up, unless everything was dropped meanwhile; notes that it is used.
    pub(crate) fn accept(
        &self,
        digest: KeyDigest,
        principal: Principal,
        now: Time,
        looked_up: Generation,
    ) {
        self.uses().insert(principal.key, now);
        let mut accepted = self.write();
        if accepted.generation != looked_up.0 {
            return;
        }
        if accepted.keys.len() >= CAPACITY {
            accepted
                .keys
                .retain(|_, entry| now.millis_since(entry.since) < BELIEVED_MS);
        }
        if accepted.keys.len() >= CAPACITY {
            accepted.keys.clear();
        }
        let entry = Entry {
            principal,
            since: now,
            noted_minute: AtomicI64::new(now.millis() / MINUTE_MS),
        };
        accepted.keys.insert(digest, entry);
    }

    fn write(&self) -> std::sync::RwLockWriteGuard<'_, Accepted> {
        self.0
            .accepted
            .write()
            .unwrap_or_else(PoisonError::into_inner)
    }

    fn uses(&self) -> MutexGuard<'_, HashMap<KeyId, Time>> {
        self.0.uses.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl std::fmt::Debug for KeyCache {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("KeyCache")
    }
}

#[cfg(test)]
mod tests {
    use vintem_domain::account::{AccountId, Environment, Owner};
    use vintem_domain::id::Ulid;
    use vintem_domain::key::Scopes;

    use super::*;

    fn principal(low: u128) -> Principal {
        Principal {
            key: KeyId(Ulid::from_parts(1, low)),
            owner: Owner {
                account: AccountId(Ulid::from_parts(2, low)),
                environment: Environment::Sandbox,
            },
            scopes: Scopes::all(),
            ends_at: None,
            suspended: false,
        }
    }

    fn missed(keys: &KeyCache, digest: &KeyDigest, now: Time) -> Generation {
        keys.find(digest, now).unwrap_err()
    }

    impl std::fmt::Debug for Generation {
        fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
            self.0.fmt(f)
        }
    }

    #[test]
    fn a_key_is_believed_for_less_than_five_seconds() {
        let (keys, digest) = (KeyCache::new(), KeyDigest([1; 32]));
        let at = Time::from_millis;
        let looked_up = missed(&keys, &digest, at(10_000));
        keys.accept(digest, principal(1), at(10_000), looked_up);
        assert_eq!(keys.find(&digest, at(13_999)).unwrap(), principal(1));
        missed(&keys, &digest, at(14_000));
        // A clock that was set back is no reason to believe longer.
        missed(&keys, &digest, at(9_999));
        missed(&keys, &KeyDigest([2; 32]), at(10_000));
    }

    #[test]
    fn what_was_looked_up_before_a_drop_is_not_remembered() {
        let (keys, digest) = (KeyCache::new(), KeyDigest([1; 32]));
        let now = Time::from_millis(10_000);
        let looked_up = missed(&keys, &digest, now);
        keys.drop_all();
        keys.accept(digest, principal(1), now, looked_up);
        let looked_up = missed(&keys, &digest, now);
        keys.accept(digest, principal(1), now, looked_up);
        assert!(keys.find(&digest, now).is_ok());
        keys.drop_all();
        missed(&keys, &digest, now);
    }

    #[test]
    fn uses_are_noted_once_a_minute() {
        let (keys, digest) = (KeyCache::new(), KeyDigest([1; 32]));
        let id = principal(1).key;
        let at = Time::from_millis;
        let looked_up = missed(&keys, &digest, at(59_000));
        keys.accept(digest, principal(1), at(59_000), looked_up);
        assert_eq!(keys.take_uses(), [(id, at(59_000))]);
        keys.find(&digest, at(59_500)).unwrap();
        assert_eq!(keys.take_uses(), []);
        keys.find(&digest, at(60_000)).unwrap();
        keys.find(&digest, at(60_500)).unwrap();
        assert_eq!(keys.take_uses(), [(id, at(60_000))]);
    }

    #[test]
    fn the_memory_is_bounded() {
        let keys = KeyCache::new();
        let now = Time::from_millis(10_000);
        for index in 0..=CAPACITY {
            let mut digest = [0; 32];
            digest[..8].copy_from_slice(&index.to_be_bytes());
            let digest = KeyDigest(digest);
            let looked_up = missed(&keys, &digest, now);
            keys.accept(digest, principal(1), now, looked_up);
        }
        assert!(keys.write().keys.len() <= CAPACITY);
    }
}
