/// Numbers that look random and are the same for the same seed (`SplitMix64`).
pub(crate) struct Random(u64);

impl Random {
    pub(crate) fn new(seed: u64) -> Self {
        Self(seed)
    }

    pub(crate) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^ (mixed >> 31)
    }

    /// A number below `end`, 0 when there is none.
    pub(crate) fn below(&mut self, end: usize) -> usize {
        let number = usize::try_from(self.next() >> 33).unwrap_or_default();
        number.checked_rem(end).unwrap_or_default()
    }

    pub(crate) fn pick<'a, T>(&mut self, from: &'a [T]) -> Option<&'a T> {
        from.get(self.below(from.len()))
    }

    pub(crate) fn digits(&mut self, count: usize) -> String {
        (0..count)
            .filter_map(|_| char::from_digit(u32::try_from(self.below(10)).ok()?, 10))
            .collect()
    }

    /// A character: mostly ones that mean something to some parser, now and then any.
    pub(crate) fn character(&mut self) -> char {
        const TELLING: &str = "0123456789 .-/+()@:*\"\\{}[],eETZAZaz_%#?&=\t\n\u{0}\u{a0}\u{2013}ãéçÀ１٣ß🙂\u{301}\u{feff}";
        if self.below(16) == 0 {
            let number = u32::try_from(self.below(0x11_0000)).unwrap_or_default();
            char::from_u32(number).unwrap_or('\u{fffd}')
        } else {
            let at = self.below(TELLING.chars().count());
            TELLING.chars().nth(at).unwrap_or('0')
        }
    }
}
