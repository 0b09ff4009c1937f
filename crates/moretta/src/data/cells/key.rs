//! Combinations of codes as integers.

use std::ops::Range;

use rayon::prelude::*;

/// A combination of codes, the first in the highest bits: integers are in the order of combinations.
pub(super) trait PackedKey: Copy + Ord + Default + Send + Sync {
    /// Adds a code of so many bits.
    fn push(self, code: u32, bits: u32) -> Self;

    /// The code of so many bits that stands so many bits above the lowest.
    fn code(self, above: u32, bits: u32) -> u32;

    /// How far it lies above another, if 64 bits can say it.
    fn beyond(self, first: Self) -> Option<u64>;

    /// So far above.
    fn plus(self, beyond: u64) -> Self;
}

macro_rules! key {
    ($int:ty) => {
        impl PackedKey for $int {
            fn push(self, code: u32, bits: u32) -> Self {
                // A column of one value has no bits, and one of 32 bits may be the first of a key.
                self << bits | <$int>::from(code)
            }

            fn code(self, above: u32, bits: u32) -> u32 {
                if bits == 0 { 0 } else { ((self >> above) & ((1 << bits) - 1)) as u32 }
            }

            fn beyond(self, first: Self) -> Option<u64> {
                u64::try_from(self - first).ok()
            }

            fn plus(self, beyond: u64) -> Self {
                self + <$int>::from(beyond)
            }
        }
    };
}

key!(u64);
key!(u128);

/// The bits that codes of a domain of this size need.
pub(super) fn bits_of(size: usize) -> u32 {
    usize::BITS - size.saturating_sub(1).leading_zeros()
}

/// The keys of some rows.
pub(super) fn keys_of<K: PackedKey>(columns: &[(&[u32], usize)], rows: Range<usize>, keys: &mut Vec<K>) {
    keys.clear();
    keys.resize(rows.len(), K::default());
    for &(codes, size) in columns {
        let bits = bits_of(size);
        keys.iter_mut().zip(&codes[rows.clone()]).for_each(|(key, &code)| *key = key.push(code, bits));
    }
}

/// The codes of each column, from keys.
pub(super) fn codes_of<K: PackedKey>(columns: &[(&[u32], usize)], keys: &[K]) -> Vec<Vec<u32>> {
    let mut above = 0;
    let mut places: Vec<(u32, u32)> = columns
        .iter()
        .rev()
        .map(|&(_, size)| {
            let bits = bits_of(size);
            above += bits;
            (above - bits, bits)
        })
        .collect();
    places.reverse();
    places.into_par_iter().map(|(above, bits)| keys.iter().map(|key| key.code(above, bits)).collect()).collect()
}
