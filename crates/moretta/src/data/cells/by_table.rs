//! Counting where few combinations could occur: each has its place in a table.

use rayon::prelude::*;

use super::Cells;
use super::key::{bits_of, codes_of, keys_of};

/// Rows whose keys are made at once; few in tests, so that these have several tables.
const CHUNK: usize = if cfg!(test) { 16 } else { 1 << 14 };

/// Counts rows whose keys are small numbers.
pub(super) fn count(columns: &[(&[u32], usize)], rows: usize, weights: Option<&[u64]>) -> Cells {
    let places = 1_usize << columns.iter().map(|&(_, size)| bits_of(size)).sum::<u32>();
    // Tables are added up in the end: with more of them than this it would cost more than they save.
    let shares = rayon::current_num_threads().min(rows / places.max(CHUNK) + 1);
    let share = rows.div_ceil(shares).max(1);
    let starts: Vec<usize> = (0..rows).step_by(share).collect();
    let tables: Vec<Vec<u32>> =
        starts.into_par_iter().map(|start| table(columns, start..rows.min(start + share), places)).collect();
    let mut tables = tables.into_iter();
    let mut place = tables.next().unwrap_or_default();
    for other in tables {
        place.par_iter_mut().zip(&other).for_each(|(sum, more)| *sum += more);
    }

    // Each place that occurs gets the number of its cell for the number of its rows.
    let (mut keys, mut counts) = (Vec::new(), Vec::new());
    for (key, occurs) in (0_u64..).zip(&mut place).filter(|(_, occurs)| **occurs > 0) {
        counts.push(u64::from(std::mem::replace(occurs, keys.len() as u32)));
        keys.push(key);
    }
    let mut cell_of_row = vec![0; rows];
    cell_of_row.par_chunks_mut(CHUNK).enumerate().for_each_init(Vec::new, |keys, (chunk, cells)| {
        keys_of::<u64>(columns, chunk * CHUNK..chunk * CHUNK + cells.len(), keys);
        cells.iter_mut().zip(keys).for_each(|(cell, key)| *cell = place[*key as usize]);
    });
    let people = match weights {
        None => counts,
        Some(weights) => {
            let mut people = vec![0; counts.len()];
            cell_of_row.iter().zip(weights).for_each(|(&cell, weight)| people[cell as usize] += weight);
            people
        }
    };
    Cells { columns: codes_of(columns, &keys), people, cell_of_row }
}

/// How often each key occurs in some rows.
fn table(columns: &[(&[u32], usize)], rows: std::ops::Range<usize>, places: usize) -> Vec<u32> {
    let mut table = vec![0; places];
    let mut keys = Vec::new();
    for start in rows.clone().step_by(CHUNK) {
        keys_of::<u64>(columns, start..rows.end.min(start + CHUNK), &mut keys);
        keys.iter().for_each(|&key| table[key as usize] += 1);
    }
    table
}
