//! Cuts between values: Mondrian without generalization.
//!
//! A cut sends everybody with the same value of an attribute to the same side, so the two sides share no value of that
//! attribute's column, and nobody matches both. As long as all cuts are of this kind everybody matches one bucket,
//! the own one, and the whole sliced table is diverse exactly if every bucket is by itself: buckets can be cut
//! independently of each other.

use rayon::prelude::*;

use super::feasible::{CandidateColumn, candidates_hold};
use super::layout::{Layout, SecretLayout};
use crate::distance::Scratch;
use crate::kind::sliced::math::reaches;
use crate::method::Task;
use crate::numeric::Threshold;
use crate::progress::Progress;

/// What cuts must keep.
pub(super) struct Cutter<'a> {
    pub(super) task: &'a Task<'a>,
    pub(super) layout: &'a Layout<'a>,
    /// The known column that decides about candidates, where models about groups are promised.
    pub(super) groups: Option<CandidateColumn>,
    /// The fewest people in a bucket.
    pub(super) least: u64,
    pub(super) progress: &'a Progress,
}

/// Parts of fewer cells are cut in one thread.
const PARALLEL_CELLS: usize = 4096;

/// In parts of more cells, models that look at whole histograms are asked about this many cuts of an attribute.
const JUDGED_CUTS: usize = 8;

impl Cutter<'_> {
    /// Cuts everybody into buckets; the cells of each.
    pub(super) fn cut(&self) -> Vec<Vec<u32>> {
        let mut cells: Vec<u32> = (0..self.layout.people.len() as u32).collect();
        self.progress.start("partitioning", cells.len() as u64);
        self.split(&mut cells)
    }

    fn split(&self, cells: &mut [u32]) -> Vec<Vec<u32>> {
        let mut found = Vec::new();
        let mut room = Room::new(self.layout);
        let mut waiting = vec![cells];
        while let Some(part) = waiting.pop() {
            if self.task.token.is_cancelled() {
                break;
            }
            let Some(left) = self.arrange(part, &mut room) else {
                self.progress.advance(part.len() as u64);
                found.push(part.to_vec());
                continue;
            };
            let size = part.len();
            let (left, right) = part.split_at_mut(left);
            if size >= PARALLEL_CELLS {
                let (left, right) = rayon::join(|| self.split(left), || self.split(right));
                found.extend(left);
                found.extend(right);
            } else {
                waiting.push(right);
                waiting.push(left);
            }
        }
        found
    }

    /// Finds the best cut of the widest attribute that has one, and moves the cells of its left side to the front.
    fn arrange(&self, part: &mut [u32], room: &mut Room) -> Option<usize> {
        let people: u64 = part.iter().map(|&cell| self.layout.people[cell as usize]).sum();
        if people < 2 * self.least {
            return None;
        }
        for attribute in self.by_width(part) {
            let keys = &self.layout.keys[attribute];
            let mut sorted: Vec<(u32, u32)> = part.iter().map(|&cell| (keys[cell as usize], cell)).collect();
            if part.len() >= PARALLEL_CELLS {
                sorted.par_sort_unstable();
            } else {
                sorted.sort_unstable();
            }
            if let Some(left) = self.best_cut(&sorted, people, room) {
                part.iter_mut().zip(&sorted).for_each(|(cell, &(_, next))| *cell = next);
                return Some(left);
            }
        }
        None
    }

    /// The attributes in which cells differ, the widest first.
    pub(super) fn by_width(&self, part: &[u32]) -> Vec<usize> {
        let width = |attribute: usize| {
            let keys = &self.layout.keys[attribute];
            let ends = part.iter().map(|&cell| keys[cell as usize]);
            let (first, last) = ends.fold((u32::MAX, 0), |(low, high), key| (low.min(key), high.max(key)));
            // Two neighbours in the middles of regions may halve to the same rank: they still differ.
            if first >= last {
                0.0
            } else {
                self.task.scales[attribute].width(first / 2, last / 2).max(f64::MIN_POSITIVE)
            }
        };
        let attributes = 0..self.layout.keys.len();
        let mut widths: Vec<(f64, usize)> = if part.len() >= PARALLEL_CELLS {
            attributes.into_par_iter().map(|attribute| (width(attribute), attribute)).collect()
        } else {
            attributes.map(|attribute| (width(attribute), attribute)).collect()
        };
        widths.retain(|&(width, _)| width > 0.0);
        widths.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
        widths.into_iter().map(|(_, attribute)| attribute).collect()
    }

    /// The most even cut of which both sides keep what is promised: how many cells go left.
    fn best_cut(&self, sorted: &[(u32, u32)], people: u64, room: &mut Room) -> Option<usize> {
        let Room { fits, swept, scratch } = room;
        fits.clear();
        fits.resize(sorted.len(), true);
        for (secret, sweep) in self.layout.secrets.iter().zip(swept) {
            let Some(l) = secret.l else { continue };
            sweep.run(self.layout, secret, l, sorted.iter().map(|&(_, cell)| cell).enumerate(), |index, holds| {
                if index + 1 < sorted.len() {
                    fits[index + 1] &= holds;
                }
            });
            let backwards = sorted.iter().map(|&(_, cell)| cell).enumerate().rev();
            sweep.run(self.layout, secret, l, backwards, |index, holds| fits[index] &= holds);
        }
        let mut left = 0;
        let mut cuts: Vec<(u64, usize)> = Vec::new();
        for index in 1..sorted.len() {
            left += self.layout.people[sorted[index - 1].1 as usize];
            let large_enough = left >= self.least && people - left >= self.least;
            if fits[index] && large_enough && sorted[index - 1].0 < sorted[index].0 {
                cuts.push(((2 * left).abs_diff(people), index));
            }
        }
        let Some(column) = self.groups else { return cuts.into_iter().min().map(|(_, index)| index) };
        cuts.sort_unstable();
        let tried = if sorted.len() > 512 { JUDGED_CUTS } else { cuts.len() };
        cuts.iter().take(tried).map(|&(_, index)| index).find(|&index| {
            let (left, right) = sorted.split_at(index);
            [left, right].iter().all(|side| {
                let pieces: Vec<(u32, u64)> =
                    side.iter().map(|&(_, cell)| (cell, self.layout.people[cell as usize])).collect();
                candidates_hold(self.task, self.layout, column, &pieces, scratch)
            })
        })
    }
}

/// Buffers that are used again and again.
struct Room {
    /// Whether both sides keep ℓ if the cut is before a index.
    fits: Vec<bool>,
    swept: Vec<Sweep>,
    scratch: Scratch,
}

impl Room {
    fn new(layout: &Layout<'_>) -> Self {
        let swept = layout.secrets.iter().map(Sweep::new).collect();
        Self { fits: Vec::new(), swept, scratch: Scratch::default() }
    }
}

/// Cells that join one side one after the other, and how many known values have too likely a secret there.
struct Sweep {
    people: Vec<u64>,
    most: Vec<u64>,
    having: Vec<u64>,
    fails: Vec<bool>,
}

impl Sweep {
    fn new(secret: &SecretLayout) -> Self {
        let (known, pairs) = (secret.known_values(), secret.value_of_pair.len());
        Self { people: vec![0; known], most: vec![0; known], having: vec![0; pairs], fails: vec![false; known] }
    }

    /// Tells after every cell whether the side keeps ℓ. The share of the likeliest value of a known value changes with
    /// each cell of that value only, so a step costs a constant.
    fn run(
        &mut self,
        layout: &Layout<'_>,
        secret: &SecretLayout,
        l: Threshold,
        cells: impl Iterator<Item = (usize, u32)> + Clone,
        mut tell: impl FnMut(usize, bool),
    ) {
        let mut failing = 0_usize;
        for (index, cell) in cells.clone() {
            let (known, pair) = (secret.known_of(layout, cell) as usize, secret.pair[cell as usize] as usize);
            self.people[known] += layout.people[cell as usize];
            self.having[pair] += layout.people[cell as usize];
            self.most[known] = self.most[known].max(self.having[pair]);
            let fails = !reaches(self.people[known], self.most[known], l);
            failing = failing + usize::from(fails) - usize::from(std::mem::replace(&mut self.fails[known], fails));
            tell(index, failing == 0);
        }
        for (_, cell) in cells {
            let (known, pair) = (secret.known_of(layout, cell) as usize, secret.pair[cell as usize] as usize);
            (self.people[known], self.most[known], self.fails[known]) = (0, 0, false);
            self.having[pair] = 0;
        }
    }
}
