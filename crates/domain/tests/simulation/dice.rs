//! Chance, from a seed alone: the same seed gives the same world for ever.

/// `SplitMix64` (Steele, Lea, Flood 2014): fixed here, so that no update of a library changes what a seed means.
pub(crate) struct Dice(u64);

impl Dice {
    pub(crate) fn of(seed: u64) -> Self {
        Self(seed)
    }

    fn roll(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^ (mixed >> 31)
    }

    /// A number from 0 until before `end`.
    pub(crate) fn below(&mut self, end: u64) -> u64 {
        let wide = u128::from(self.roll()) * u128::from(end);
        u64::try_from(wide >> 64).unwrap()
    }

    /// A number from `low` to `high`, both included.
    pub(crate) fn between(&mut self, low: i64, high: i64) -> i64 {
        let span = u64::try_from(high - low).unwrap() + 1;
        low + i64::try_from(self.below(span)).unwrap()
    }

    /// One of the things, each as often as its weight says.
    pub(crate) fn weighted<T: Copy>(&mut self, things: &[(u64, T)]) -> T {
        let total = things.iter().map(|(weight, _)| weight).sum();
        let mut rest = self.below(total);
        for &(weight, thing) in things {
            if rest < weight {
                return thing;
            }
            rest -= weight;
        }
        unreachable!("the weights add up")
    }
}
