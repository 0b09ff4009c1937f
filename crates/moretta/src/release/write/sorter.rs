//! Sorting more rows than memory should hold.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::collections::binary_heap::PeekMut;
use std::fs::File;
use std::io::{BufRead, BufReader, BufWriter, Read, Write};
use std::path::{Path, PathBuf};

use rayon::slice::ParallelSliceMut;

use crate::error::{Error, Result};
use crate::progress::CancelToken;

/// Sorts rows, given as bytes with a weight, by their bytes; equal rows come out as one, weights added.
///
/// Rows gather in memory up to a limit, are sorted, and go to a file in `spill`; at the end the files
/// are merged. Without a folder everything stays in memory. Rows in memory are sorted chunk by chunk, so that no sort takes long,
/// and merged on their way out.
pub(crate) struct Sorter<'t> {
    spill: Option<PathBuf>,
    limit: usize,
    arena: Vec<u8>,
    /// Where each row starts and ends in the arena, and its weight.
    rows: Vec<(usize, usize, u64)>,
    /// How many of them stand in chunks that are sorted.
    sorted: usize,
    runs: Vec<PathBuf>,
    token: &'t CancelToken,
}

/// Bytes that rows may take before they go to a file.
pub(crate) const MEMORY_LIMIT: usize = 256 << 20;

/// Rows that are sorted at once; few in tests, so that these have several chunks to merge.
const CHUNK: usize = if cfg!(test) { 8 } else { 1 << 18 };

impl<'t> Sorter<'t> {
    pub(crate) fn new(spill: Option<PathBuf>, limit: usize, token: &'t CancelToken) -> Self {
        Self { spill, limit, arena: Vec::new(), rows: Vec::new(), sorted: 0, runs: Vec::new(), token }
    }

    pub(crate) fn push(&mut self, row: &[u8], weight: u64) -> Result<()> {
        let start = self.arena.len();
        self.arena.extend_from_slice(row);
        self.rows.push((start, self.arena.len(), weight));
        if self.rows.len() == self.sorted + CHUNK {
            self.sort();
        }
        if self.arena.len() + self.rows.len() * size_of::<(usize, usize, u64)>() >= self.limit {
            self.write_run()?;
        }
        Ok(())
    }

    /// Sorts the last chunk.
    fn sort(&mut self) {
        let arena = &self.arena;
        self.rows[self.sorted..].par_sort_unstable_by(|a, b| arena[a.0..a.1].cmp(&arena[b.0..b.1]));
        self.sorted = self.rows.len();
    }

    /// Hands over the rows in memory, whose chunks are sorted, in order.
    fn each_in_order(&self, mut take: impl FnMut(&[u8], u64) -> Result<()>) -> Result<()> {
        let bytes = |at: usize| &self.arena[self.rows[at].0..self.rows[at].1];
        let firsts = (0..self.rows.len()).step_by(CHUNK).map(|at| Reverse((bytes(at), at)));
        let mut next: BinaryHeap<Reverse<(&[u8], usize)>> = firsts.collect();
        while let Some(mut least) = next.peek_mut() {
            self.token.check()?;
            let Reverse((row, at)) = *least;
            take(row, self.rows[at].2)?;
            if (at + 1) % CHUNK == 0 || at + 1 == self.rows.len() {
                PeekMut::pop(least);
            } else {
                *least = Reverse((bytes(at + 1), at + 1));
            }
        }
        Ok(())
    }

    fn write_run(&mut self) -> Result<()> {
        let Some(folder) = &self.spill else { return Ok(()) };
        let path = folder.join(format!("run-{}", self.runs.len()));
        self.sort();
        let unwritable = |e: std::io::Error| Error::machine("write a temporary file", &path, e);
        let mut file = BufWriter::with_capacity(1 << 18, File::create(&path).map_err(unwritable)?);
        self.each_in_order(|row, weight| {
            let (length, weight) = ((row.len() as u32).to_le_bytes(), weight.to_le_bytes());
            let parts = [length.as_slice(), weight.as_slice(), row];
            parts.into_iter().try_for_each(|part| file.write_all(part)).map_err(unwritable)
        })?;
        file.flush().map_err(unwritable)?;
        drop(file);
        self.runs.push(path);
        self.arena.clear();
        self.rows.clear();
        self.sorted = 0;
        Ok(())
    }

    /// Hands over the rows in order, equal ones as one.
    pub(crate) fn finish(mut self, mut sink: impl FnMut(&[u8], u64) -> Result<()>) -> Result<()> {
        let mut pending: Option<(Vec<u8>, u64)> = None;
        let mut take = |row: &[u8], weight: u64| match &mut pending {
            Some((last, sum)) if last.as_slice() == row => {
                *sum += weight;
                Ok(())
            }
            _ => match pending.replace((row.to_vec(), weight)) {
                Some((last, sum)) => sink(&last, sum),
                None => Ok(()),
            },
        };
        self.sort();
        if self.runs.is_empty() {
            self.each_in_order(&mut take)?;
        } else {
            self.write_run()?;
            self.merge(&mut take)?;
        }
        match pending {
            Some((last, sum)) => sink(&last, sum),
            None => Ok(()),
        }
    }

    fn merge(&self, take: &mut dyn FnMut(&[u8], u64) -> Result<()>) -> Result<()> {
        let mut runs = self.runs.iter().map(|path| Run::open(path)).collect::<Result<Vec<_>>>()?;
        let mut heap = BinaryHeap::new();
        for (number, run) in runs.iter_mut().enumerate() {
            heap.extend(run.next()?.map(|(row, weight)| Reverse((row, number, weight))));
        }
        while let Some(Reverse((row, number, weight))) = heap.pop() {
            self.token.check()?;
            take(&row, weight)?;
            heap.extend(runs[number].next()?.map(|(row, weight)| Reverse((row, number, weight))));
        }
        self.runs.iter().try_for_each(|path| {
            std::fs::remove_file(path).map_err(|e| Error::machine("remove a temporary file", path, e))
        })
    }
}

struct Run<'p> {
    path: &'p Path,
    file: BufReader<File>,
}

impl<'p> Run<'p> {
    fn open(path: &'p Path) -> Result<Self> {
        let file = File::open(path).map_err(|e| Error::machine("read a temporary file", path, e))?;
        Ok(Self { path, file: BufReader::with_capacity(1 << 18, file) })
    }

    fn next(&mut self) -> Result<Option<(Vec<u8>, u64)>> {
        let unreadable = |e| Error::machine("read a temporary file", self.path, e);
        // The file ends between two rows; an end inside one is damage.
        if self.file.fill_buf().map_err(unreadable)?.is_empty() {
            return Ok(None);
        }
        let mut head = [0; 12];
        self.file.read_exact(&mut head).map_err(unreadable)?;
        let (length, weight) = head.split_at(4);
        let length = length.iter().rev().fold(0_usize, |sum, &byte| sum << 8 | usize::from(byte));
        let weight = weight.iter().rev().fold(0_u64, |sum, &byte| sum << 8 | u64::from(byte));
        let mut row = vec![0; length];
        self.file.read_exact(&mut row).map_err(unreadable)?;
        Ok(Some((row, weight)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeMap;

    #[test]
    fn a_file_that_ends_inside_a_row_is_refused() {
        let token = CancelToken::new();
        let folder = tempfile::tempdir().unwrap();
        for left in [5, 12, 14] {
            let mut sorter = Sorter::new(Some(folder.path().to_owned()), 1, &token);
            sorter.push(b"row", 1).unwrap();
            let run = File::options().write(true).open(&sorter.runs[0]).unwrap();
            run.set_len(left).unwrap();
            let error = sorter.finish(|_, _| Ok(())).unwrap_err();
            assert_eq!(error.fault(), crate::Fault::Machine, "{error}");
        }
    }

    proptest! {
        #[test]
        fn rows_come_out_sorted_and_merged_whatever_the_memory(
            rows in proptest::collection::vec((proptest::collection::vec(0_u8..3, 0..4), 1_u64..5), 0..60),
            limit in 1_usize..2000,
        ) {
            let token = CancelToken::new();
            let mut slow: BTreeMap<Vec<u8>, u64> = BTreeMap::new();
            let folder = tempfile::tempdir().unwrap();
            let mut sorter = Sorter::new(Some(folder.path().to_owned()), limit, &token);
            for (row, weight) in &rows {
                *slow.entry(row.clone()).or_default() += weight;
                sorter.push(row, *weight).unwrap();
            }
            let mut fast = Vec::new();
            sorter.finish(|row, weight| { fast.push((row.to_vec(), weight)); Ok(()) }).unwrap();
            prop_assert_eq!(fast, slow.into_iter().collect::<Vec<_>>());
            prop_assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
        }
    }
}
