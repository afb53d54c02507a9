//! Identifiers and random bytes from the operating system's generator.

use std::sync::{Mutex, PoisonError};

use vintem_domain::id::Ulid;
use vintem_domain::ports::{Clock, Ids};

use super::SystemClock;

/// ULIDs of real time, each later than the one before, and random bytes.
#[derive(Debug)]
pub(crate) struct RandomIds {
    last: Mutex<Ulid>,
}

impl RandomIds {
    /// A source that has made nothing yet.
    pub(crate) fn new() -> Self {
        Self {
            last: Mutex::new(Ulid::nil()),
        }
    }

    /// The id after the last one, of this moment where it has moved on.
    fn after_last(&self, now_ms: u64, random: u128) -> Ulid {
        let mut last = self.last.lock().unwrap_or_else(PoisonError::into_inner);
        let fresh = Ulid::from_parts(now_ms, random);
        *last = if fresh.timestamp_ms() > last.timestamp_ms() {
            fresh
        } else {
            // The same millisecond, or a clock that was set back. When the random part is used up, time is borrowed.
            last.increment()
                .unwrap_or_else(|_full| Ulid::from_parts(last.timestamp_ms() + 1, random >> 1))
        };
        *last
    }
}

impl Ids for RandomIds {
    fn ulid(&self) -> Ulid {
        let now_ms = u64::try_from(SystemClock.now().millis()).unwrap_or_default();
        self.after_last(now_ms, u128::from_le_bytes(random()))
    }

    fn random(&self) -> [u8; 32] {
        random()
    }
}

#[expect(
    clippy::disallowed_methods,
    reason = "this is the adapter that owns randomness"
)]
#[expect(
    clippy::expect_used,
    reason = "without random numbers no key is secret and no id unique: stopping is the only right answer"
)]
pub(super) fn random<const N: usize>() -> [u8; N] {
    let mut bytes = [0; N];
    getrandom::fill(&mut bytes).expect("the operating system gives random bytes");
    bytes
}

/// Sixteen letters and digits that are not mistaken for each other, in groups of four: 80 random bits to type.
pub(crate) fn readable(random: [u8; 32]) -> String {
    const ALPHABET: &[u8; 32] = b"0123456789abcdefghjkmnpqrstvwxyz";
    let mut text = String::with_capacity(19);
    for (position, byte) in random.iter().take(16).enumerate() {
        if position > 0 && position % 4 == 0 {
            text.push('-');
        }
        text.push(char::from(ALPHABET[usize::from(byte % 32)]));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_grow_within_a_millisecond_and_when_the_clock_is_set_back() {
        let ids = RandomIds::new();
        let made = [
            ids.after_last(1_000, 7),
            ids.after_last(1_000, 3),
            ids.after_last(999, 9),
            ids.after_last(1_001, 0),
        ];
        assert!(made.is_sorted_by(|one, next| one < next), "{made:?}");
        assert_eq!(made[2].timestamp_ms(), 1_000);
    }

    #[test]
    fn ids_go_on_when_a_millisecond_is_used_up() {
        let ids = RandomIds::new();
        let full = ids.after_last(1_000, u128::MAX);
        let next = ids.after_last(1_000, u128::MAX);
        assert!(full < next && next < ids.after_last(1_000, 0));
    }

    #[test]
    fn ids_are_of_this_moment_and_in_order_over_threads() {
        let ids = RandomIds::new();
        let before = SystemClock.now().millis();
        let mut made: Vec<Ulid> = std::thread::scope(|scope| {
            let one = |_| scope.spawn(|| (0..1_000).map(|_| ids.ulid()).collect::<Vec<_>>());
            let threads: Vec<_> = (0..4).map(one).collect();
            threads
                .into_iter()
                .flat_map(|thread| {
                    let made = thread.join().unwrap();
                    assert!(made.is_sorted_by(|one, next| one < next));
                    made
                })
                .collect()
        });
        made.sort_unstable();
        made.dedup();
        assert_eq!(made.len(), 4_000);
        let age = i64::try_from(made[0].timestamp_ms()).unwrap() - before;
        assert!((0..60_000).contains(&age), "{age}");
    }

    #[test]
    fn a_readable_password_is_easy_to_type() {
        let password = readable(RandomIds::new().random());
        assert_eq!(password.len(), 19);
        assert_eq!(password.split('-').count(), 4);
        assert_ne!(password, readable(RandomIds::new().random()));
    }
}
