//! The sensitive values on both sides of a cut, updated as the cut moves.

use super::owner_counts::OwnerCounts;
use super::part::Part;

/// Histograms left and right of a cut, for cuts that are tried from the middle outwards.
///
/// The best cut halves the people, and the next best lie to its left and to its right, ever farther away. So one
/// frontier walks down and one walks up, each cell changes sides at most once in each, and a cut costs its
/// judgement alone, however many rows the part has.
#[derive(Default)]
pub(super) struct Frontiers {
    /// The histograms of the part.
    whole: Vec<Vec<u64>>,
    /// How often each owner occurs in the part, where owners are counted and not rows.
    occurs: Vec<OwnerCounts>,
    /// The cells of the part, segment by segment; the segment i + 1 starts at the place to cut i.
    order: Vec<u32>,
    /// Where each segment ends in `order`.
    ends: Vec<u32>,
    segment_of: Vec<u16>,
    middle: Option<usize>,
    down: Frontier,
    up: Frontier,
}

#[derive(Default)]
struct Frontier {
    /// The cut at which the frontier stands: the segments up to this one lie left.
    at: usize,
    left: Vec<Vec<u64>>,
    right: Vec<Vec<u64>>,
    /// How often each owner occurs on the left, where owners are counted.
    on_left: Vec<OwnerCounts>,
}

impl Frontiers {
    /// Counts the sensitive values of a part.
    pub(super) fn count(&mut self, part: &Part<'_>, sizes: &[usize]) {
        reset(&mut self.whole, sizes.iter().copied());
        if !part.owners.is_empty() {
            begin(&mut self.occurs, part.owners.len());
            let columns = part.sensitive.iter().zip(&part.owners).zip(&mut self.occurs).zip(&mut self.whole);
            for (((codes, owners), occurs), counts) in columns {
                for (&code, &owner) in codes.iter().zip(&**owners) {
                    counts[code as usize] += u64::from(occurs.add(owner) == 1);
                }
            }
            return;
        }
        for (codes, counts) in part.sensitive.iter().zip(&mut self.whole) {
            for (&code, &people) in codes.iter().zip(&*part.people) {
                counts[code as usize] += people;
            }
        }
    }

    /// The histograms of the part that was counted.
    pub(super) fn whole(&self) -> &[Vec<u64>] {
        &self.whole
    }

    /// Lines the cells up along an attribute that may be cut at `starts`, ascending ranks. O(cells · log cuts).
    pub(super) fn line_up(&mut self, part: &Part<'_>, ranks: &[u32], starts: &[u32]) {
        self.middle = None;
        self.segment_of.clear();
        self.segment_of.extend(ranks.iter().map(|&rank| starts.partition_point(|&start| start <= rank) as u16));
        self.ends.clear();
        self.ends.resize(starts.len() + 1, 0);
        self.segment_of.iter().for_each(|&segment| self.ends[segment as usize] += 1);
        let mut begin = 0;
        for end in &mut self.ends {
            begin += std::mem::replace(end, begin);
        }
        // Each entry now is where its segment begins, and moves to where it ends while cells are placed.
        self.order.clear();
        self.order.resize(part.len(), 0);
        for (cell, &segment) in (0..).zip(&self.segment_of) {
            let place = &mut self.ends[segment as usize];
            self.order[*place as usize] = cell;
            *place += 1;
        }
    }

    /// The histograms left and right of a cut. The first cut asked for is the middle; others are cheap
    /// when asked for from there outwards, and right in any order.
    pub(super) fn sides(&mut self, part: &Part<'_>, at: usize) -> (&[Vec<u64>], &[Vec<u64>]) {
        let middle = *self.middle.get_or_insert_with(|| {
            let left = &self.order[..self.ends[at] as usize];
            self.down.begin(&self.whole, part.owners.len());
            self.down.shift(part, &self.occurs, left, true);
            self.down.at = at;
            if part.owners.is_empty() {
                self.up.copy(&self.down);
            } else {
                // Owners are numbered over the whole table: to copy who was seen would cost more than to look again.
                self.up.begin(&self.whole, part.owners.len());
                self.up.shift(part, &self.occurs, left, true);
                self.up.at = at;
            }
            at
        });
        let frontier = if at <= middle { &mut self.down } else { &mut self.up };
        let (low, high) = (frontier.at.min(at), frontier.at.max(at));
        let between = self.ends[low] as usize..self.ends[high] as usize;
        frontier.shift(part, &self.occurs, &self.order[between], at > frontier.at);
        frontier.at = at;
        (&frontier.left, &frontier.right)
    }
}

impl Frontier {
    /// Becomes the same as another, in memory that is there already.
    fn copy(&mut self, other: &Self) {
        self.at = other.at;
        self.left.clone_from(&other.left);
        self.right.clone_from(&other.right);
    }

    /// Everybody right, in memory that is there already.
    fn begin(&mut self, whole: &[Vec<u64>], owners: usize) {
        begin(&mut self.on_left, owners);
        reset(&mut self.left, whole.iter().map(Vec::len));
        whole.clone_into(&mut self.right);
    }

    /// Moves cells to the left side, or to the right.
    fn shift(&mut self, part: &Part<'_>, occurs: &[OwnerCounts], cells: &[u32], to_left: bool) {
        if !part.owners.is_empty() {
            self.shift_owners(part, occurs, cells, to_left);
            return;
        }
        let (to, from) = if to_left { (&mut self.left, &mut self.right) } else { (&mut self.right, &mut self.left) };
        for ((codes, to), from) in part.sensitive.iter().zip(to).zip(from) {
            for &cell in cells {
                let (code, people) = (codes[cell as usize] as usize, part.people[cell as usize]);
                to[code] += people;
                from[code] -= people;
            }
        }
    }
}

impl Frontier {
    /// The same where owners are counted: one who has cells on both sides counts on both.
    fn shift_owners(&mut self, part: &Part<'_>, occurs: &[OwnerCounts], cells: &[u32], to_left: bool) {
        let sides = self.left.iter_mut().zip(&mut self.right).zip(&mut self.on_left).zip(occurs);
        for ((((left, right), on_left), occurs), (codes, owners)) in sides.zip(part.sensitive.iter().zip(&part.owners))
        {
            for &cell in cells {
                let (code, owner) = (codes[cell as usize] as usize, owners[cell as usize]);
                let all = occurs.get(owner);
                if to_left {
                    let now = on_left.add(owner);
                    left[code] += u64::from(now == 1);
                    right[code] -= u64::from(now == all);
                } else {
                    let now = on_left.take(owner);
                    left[code] -= u64::from(now == 0);
                    right[code] += u64::from(now + 1 == all);
                }
            }
        }
    }
}

/// So many counters of owners that have seen nobody, in memory that is there already.
fn begin(seen: &mut Vec<OwnerCounts>, columns: usize) {
    seen.resize_with(columns, OwnerCounts::default);
    seen.iter_mut().for_each(OwnerCounts::begin);
}

/// Zeros of these sizes, in memory that is there already.
fn reset(histograms: &mut Vec<Vec<u64>>, sizes: impl ExactSizeIterator<Item = usize>) {
    histograms.resize_with(sizes.len(), Vec::new);
    for (counts, size) in histograms.iter_mut().zip(sizes) {
        counts.clear();
        counts.resize(size, 0);
    }
}

#[cfg(test)]
mod tests {
    use super::super::part::{PartScratch, PartStore};
    use crate::release::Persons;
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    proptest! {
        #[test]
        fn sides_are_what_a_recount_gives_in_any_order(
            cells in proptest::collection::vec((0_u32..9, 0_u32..4, 1_u64..5), 1..40),
            starts in proptest::collection::btree_set(1_u32..9, 1..6),
            asked in proptest::collection::vec(any::<prop::sample::Index>(), 1..12),
        ) {
            let starts: Vec<u32> = starts.into_iter().collect();
            let mut store = PartStore::from_columns(
                vec![cells.iter().map(|cell| cell.0).collect()],
                vec![cells.iter().map(|cell| cell.1).collect()],
                cells.iter().map(|cell| cell.2).collect(),
            );
            let part = store.whole();
            let mut frontiers = PartScratch::default().frontiers;
            frontiers.count(&part, &[4]);
            frontiers.line_up(&part, part.quasi[0], &starts);
            for at in asked.iter().map(|index| index.index(starts.len())) {
                let mut slow = [vec![0; 4], vec![0; 4]];
                for &(rank, code, people) in &cells {
                    slow[usize::from(rank >= starts[at])][code as usize] += people;
                }
                let (left, right) = frontiers.sides(&part, at);
                prop_assert_eq!((&left[0], &right[0]), (&slow[0], &slow[1]));
            }
        }

        #[test]
        fn people_on_both_sides_count_on_both(
            cells in proptest::collection::vec((0_u32..9, 0_u32..4, 0_u32..6), 1..40),
            starts in proptest::collection::btree_set(1_u32..9, 1..6),
            asked in proptest::collection::vec(any::<prop::sample::Index>(), 1..12),
        ) {
            let starts: Vec<u32> = starts.into_iter().collect();
            let of_cell: Vec<u32> = cells.iter().map(|cell| cell.2).collect();
            let mut store = PartStore::from_columns(
                vec![cells.iter().map(|cell| cell.0).collect()],
                vec![cells.iter().map(|cell| cell.1).collect()],
                vec![1; cells.len()],
            );
            store.count_people(&Persons { of_cell: &of_cell, len: 6 }, &[4]);
            let part = store.whole();
            let mut frontiers = PartScratch::default().frontiers;
            // Twice, so that what an earlier part has left is in the way.
            for _ in 0..2 {
                frontiers.count(&part, &[4, 1]);
                frontiers.line_up(&part, part.quasi[0], &starts);
                for at in asked.iter().map(|index| index.index(starts.len())) {
                    let (left, right) = frontiers.sides(&part, at);
                    for (side, is_right) in [(left, false), (right, true)] {
                        let here = || cells.iter().filter(|cell| (cell.0 >= starts[at]) == is_right);
                        let people: BTreeSet<u32> = here().map(|cell| cell.2).collect();
                        let having = |code| here().filter(|cell| cell.1 == code).map(|cell| cell.2).collect::<BTreeSet<_>>();
                        let values: Vec<u64> = (0..4).map(|code| having(code).len() as u64).collect();
                        prop_assert_eq!((&side[0], side[1][0]), (&values, people.len() as u64));
                    }
                }
            }
        }
    }
}
