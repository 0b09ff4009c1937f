//! Numbers without a pattern, the same on every machine.

/// A stream of them (splitmix64). They decide what is tried, never what a release may tell: no secret depends on them.
#[derive(Clone, Debug)]
pub(super) struct Lots {
    state: u64,
}

impl Lots {
    pub(super) fn new(key: u64) -> Self {
        Self { state: key }
    }

    fn next(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut x = self.state;
        x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        x ^ (x >> 31)
    }

    /// A number below `end`, which is not 0.
    pub(super) fn below(&mut self, end: usize) -> usize {
        ((u128::from(self.next()) * end as u128) >> 64) as usize
    }
}
