//! What the tests of the play bank have in common.

use std::sync::Arc;

use vintem_domain::Time;
use vintem_domain::account::{AccountId, Environment, Owner};
use vintem_domain::id::Ulid;
use vintem_domain::memory::MemoryStore;
use vintem_domain::memory::doubles::StillClock;

use super::Stub;

/// When the bank's clock stands still: 2026-11-20T12:00:00Z.
pub(super) fn now() -> Time {
    Time::from_millis(1_795_176_000_000)
}

pub(super) fn owner(environment: Environment) -> Owner {
    Owner {
        account: AccountId(Ulid::from_parts(1, 1)),
        environment,
    }
}

/// A bank with this memory.
pub(super) fn bank(records: &Arc<MemoryStore>) -> Stub {
    bank_at(records, &Arc::new(StillClock::at(now())))
}

/// A bank with this memory and this clock.
pub(super) fn bank_at(records: &Arc<MemoryStore>, clock: &Arc<StillClock>) -> Stub {
    Stub::new(records.clone(), clock.clone())
}
