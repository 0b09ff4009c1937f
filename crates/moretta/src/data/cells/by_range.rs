//! Counting where many combinations could occur: rows are parted into ranges of combinations, and each range is sorted.
//!
//! Chunks of rows are parted one beside the other, each in memory that fits into a cache; then each range gathers what the chunks hold of it.
//! Ranges follow each other, so their cells do too.

use rayon::prelude::*;

use super::Cells;
use super::key::{PackedKey, bits_of, codes_of, keys_of};

/// Rows that are parted at once; few in tests, so that these have several chunks.
const CHUNK: usize = if cfg!(test) { 16 } else { 1 << 17 };

/// Rows that a range should have, and the most ranges.
const RANGE: usize = if cfg!(test) { 8 } else { 1 << 15 };
const MOST_RANGES: usize = 1 << 10;

/// So many rows for each range are looked at to find out where ranges begin.
const SAMPLES: usize = 8;

/// The rows of a chunk, range after range, and in their order within each.
struct Parted<K> {
    keys: Vec<K>,
    /// Each row's number in its chunk.
    rows: Vec<u32>,
    /// Where each range ends.
    ends: Vec<u32>,
}

/// The cells of a range.
struct Counted<K> {
    keys: Vec<K>,
    people: Vec<u64>,
}

/// Counts rows whose keys have so many bits.
pub(super) fn count<K: PackedKey>(columns: &[(&[u32], usize)], rows: usize, weights: Option<&[u64]>) -> Cells {
    debug_assert!(columns.iter().map(|&(_, size)| bits_of(size)).sum::<u32>() as usize <= 8 * size_of::<K>());
    let firsts = firsts::<K>(columns, rows);
    let starts: Vec<usize> = (0..rows).step_by(CHUNK).collect();
    let mut chunks: Vec<Parted<K>> =
        starts.into_par_iter().map(|start| part(columns, start..rows.min(start + CHUNK), &firsts)).collect();

    // What each range has of each chunk: the keys and rows, and room for what the rows become.
    let mut numbers: Vec<Vec<u32>> = chunks.iter().map(|chunk| vec![0; chunk.rows.len()]).collect();
    let mut pieces: Vec<Vec<Piece<'_, K>>> = (0..=firsts.len()).map(|_| Vec::with_capacity(chunks.len())).collect();
    for ((chunk, mut rest), number) in chunks.iter().zip(numbers.iter_mut().map(Vec::as_mut_slice)).zip(0..) {
        let mut start = 0;
        for (pieces, &end) in pieces.iter_mut().zip(&chunk.ends) {
            let (start, end) = (std::mem::replace(&mut start, end as usize), end as usize);
            let (cells, behind) = rest.split_at_mut(end - start);
            rest = behind;
            let (keys, rows) = (&chunk.keys[start..end], &chunk.rows[start..end]);
            pieces.push(Piece { first_row: number * CHUNK, keys, rows, cells });
        }
    }
    let counted: Vec<Counted<K>> =
        pieces.into_par_iter().map_init(Vec::new, |sorted, pieces| sort(pieces, weights, sorted)).collect();
    chunks.iter_mut().for_each(|chunk| chunk.keys = Vec::new());

    let mut offsets = Vec::with_capacity(counted.len());
    let mut cells = 0;
    for range in &counted {
        offsets.push(cells as u32);
        cells += range.keys.len();
    }
    let mut cell_of_row = vec![0; rows];
    cell_of_row.par_chunks_mut(CHUNK).zip(&chunks).zip(&numbers).for_each(|((cell_of_row, chunk), numbers)| {
        let mut start = 0;
        for (&end, &offset) in chunk.ends.iter().zip(&offsets) {
            let range = std::mem::replace(&mut start, end as usize)..end as usize;
            for (&row, &number) in chunk.rows[range.clone()].iter().zip(&numbers[range]) {
                cell_of_row[row as usize] = number + offset;
            }
        }
    });
    let (mut keys, mut people) = (Vec::with_capacity(cells), Vec::with_capacity(cells));
    for range in counted {
        keys.extend(range.keys);
        people.extend(range.people);
    }
    Cells { columns: codes_of(columns, &keys), people, cell_of_row }
}

/// Where ranges begin, but for the first: keys of some rows, so that ranges have about as many rows each, whatever the columns.
fn firsts<K: PackedKey>(columns: &[(&[u32], usize)], rows: usize) -> Vec<K> {
    let ranges = (rows / RANGE).clamp(1, MOST_RANGES);
    let samples = SAMPLES * ranges;
    let (mut sample, mut key) = (Vec::with_capacity(samples), Vec::new());
    for number in (0..samples).take(if ranges > 1 { samples } else { 0 }) {
        let row = (number as u128 * rows as u128 / samples as u128) as usize;
        keys_of(columns, row..row + 1, &mut key);
        sample.extend_from_slice(&key);
    }
    sample.sort_unstable();
    let mut firsts: Vec<K> = sample.into_iter().skip(SAMPLES).step_by(SAMPLES).collect();
    firsts.dedup();
    firsts
}

fn part<K: PackedKey>(columns: &[(&[u32], usize)], rows: std::ops::Range<usize>, firsts: &[K]) -> Parted<K> {
    let mut unparted = Vec::new();
    keys_of(columns, rows, &mut unparted);
    let ranges: Vec<u16> = unparted.iter().map(|key| firsts.partition_point(|first| first <= key) as u16).collect();
    let mut ends = vec![0_u32; firsts.len() + 1];
    ranges.iter().for_each(|&range| ends[range as usize] += 1);
    let mut begin = 0;
    for end in &mut ends {
        begin += std::mem::replace(end, begin);
    }
    // Each entry now is where its range begins, and moves to where it ends while rows are placed.
    let mut keys = vec![K::default(); unparted.len()];
    let mut rows = vec![0; unparted.len()];
    for ((row, key), &range) in (0..).zip(unparted).zip(&ranges) {
        let place = &mut ends[range as usize];
        keys[*place as usize] = key;
        rows[*place as usize] = row;
        *place += 1;
    }
    Parted { keys, rows, ends }
}

/// What a chunk holds of a range.
struct Piece<'c, K> {
    first_row: usize,
    keys: &'c [K],
    rows: &'c [u32],
    /// The number of each row's cell in the range, to be filled.
    cells: &'c mut [u32],
}

/// Sorts the rows of a range, counts its cells, and numbers them in its pieces.
fn sort<K: PackedKey>(mut pieces: Vec<Piece<'_, K>>, weights: Option<&[u64]>, sorted: &mut Vec<u64>) -> Counted<K> {
    let rows: usize = pieces.iter().map(|piece| piece.keys.len()).sum();
    let all = || pieces.iter().flat_map(|piece| piece.keys);
    let mut counted = Counted { keys: Vec::new(), people: Vec::new() };
    let (Some(&first), Some(&last)) = (all().min(), all().max()) else { return counted };
    let mut cell_of_row = vec![0_u32; rows];
    let weight_of_row: Vec<u64> = match weights {
        None => Vec::new(),
        Some(weights) => {
            let of_piece = |piece: &Piece<'_, K>| {
                let first_row = piece.first_row;
                piece.rows.iter().map(move |&row| weights[first_row + row as usize]).collect::<Vec<_>>()
            };
            pieces.iter().flat_map(of_piece).collect()
        }
    };
    let mut take = |key: K, row: usize| {
        if counted.keys.last() != Some(&key) {
            counted.keys.push(key);
            counted.people.push(0);
        }
        cell_of_row[row] = counted.keys.len() as u32 - 1;
        if let Some(people) = counted.people.last_mut() {
            *people += weight_of_row.get(row).copied().unwrap_or(1);
        }
    };
    // A row's number in the range stands in the lowest bits, beside how far its key lies above the least.
    let row_bits = bits_of(rows);
    match last.beyond(first).filter(|&widest| widest.leading_zeros() >= row_bits) {
        Some(_) => {
            sorted.clear();
            sorted.extend(
                (0_u64..).zip(all()).map(|(row, &key)| key.beyond(first).unwrap_or_default() << row_bits | row),
            );
            sorted.par_sort_unstable();
            let mask = (1 << row_bits) - 1;
            sorted.iter().for_each(|&one| take(first.plus(one >> row_bits), (one & mask) as usize));
        }
        None => {
            let mut sorted: Vec<(K, u32)> = all().copied().zip(0..).collect();
            sorted.par_sort_unstable();
            sorted.into_iter().for_each(|(key, row)| take(key, row as usize));
        }
    }
    let mut rest = cell_of_row.as_slice();
    for piece in &mut pieces {
        let (cells, behind) = rest.split_at(piece.cells.len());
        piece.cells.copy_from_slice(cells);
        rest = behind;
    }
    counted
}
