//! Rows in blocks, each with random numbers of its own.

use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;

/// Rows of a synthetic table that share one stream of random numbers.
///
/// The stream is keyed by the seed and the block's number. So the bytes of a table depend neither on
/// threads nor on how it is cut, and any part can be made without what comes before it.
pub const BLOCK_ROWS: usize = 65_536;

/// Rows `first..first + count` as columns, from a function that draws the row at a place.
///
/// Within a block rows are drawn in order: one that starts in the middle draws the rows before it too.
pub(super) fn cut<const WIDTH: usize>(
    seed: u64,
    first: u64,
    count: usize,
    mut row: impl FnMut(&mut ChaCha8Rng, u64) -> [u32; WIDTH],
) -> Vec<Vec<u32>> {
    let end = first.saturating_add(count as u64);
    let mut columns = vec![Vec::with_capacity(count); WIDTH];
    let mut start = first - first % BLOCK_ROWS as u64;
    while start < end {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        rng.set_stream(start / BLOCK_ROWS as u64);
        let stop = start.saturating_add(BLOCK_ROWS as u64).min(end);
        for place in start..stop {
            let codes = row(&mut rng, place);
            if place >= first {
                for (column, code) in columns.iter_mut().zip(codes) {
                    column.push(code);
                }
            }
        }
        start = stop;
    }
    columns
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cut_holds_the_places_asked_for() {
        let block = BLOCK_ROWS as u32;
        for (first, count) in [(0, 3), (block - 2, 4), (block, 2), (5, block as usize * 2)] {
            let columns = cut(1, u64::from(first), count, |_, place| [place as u32]);
            assert_eq!(columns, [(first..first + count as u32).collect::<Vec<_>>()]);
        }
    }

    #[test]
    fn the_last_place_of_all_is_an_end_like_any_other() {
        let columns = cut(1, u64::MAX - 2, 5, |_, place| [(u64::MAX - place) as u32]);
        assert_eq!(columns, [[2, 1]]);
    }
}
