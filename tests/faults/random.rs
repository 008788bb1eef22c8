//! Numbers that follow from a seed alone, so that a schedule can be played again.

/// A small generator (SplitMix64); good enough to choose faults, and the same on every machine.
#[derive(Debug, Clone)]
pub struct Random(u64);

impl Random {
    pub fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// A generator of its own for one purpose, whatever was drawn from this one before.
    pub fn for_purpose(seed: u64, purpose: u64, index: u64) -> Self {
        let mut mixed = Self(seed ^ purpose.wrapping_mul(0xff51_afd7_ed55_8ccd));
        let start = mixed.next() ^ index.wrapping_mul(0xc4ce_b9fe_1a85_ec53);
        Self(start)
    }

    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// From 0 to one less than `count`.
    pub fn below(&mut self, count: usize) -> usize {
        usize::try_from(self.next() % count.max(1) as u64).unwrap_or_default()
    }

    /// Both ends included.
    pub fn between(&mut self, low: usize, high: usize) -> usize {
        low + self.below(high - low + 1)
    }

    pub fn chance(&mut self, percent: usize) -> bool {
        self.below(100) < percent
    }

    pub fn pick<T: Copy>(&mut self, choices: &[T]) -> T {
        choices[self.below(choices.len())]
    }
}
