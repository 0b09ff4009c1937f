//! How many people a box needs who are there or lent.

use crate::method::recoding::local::{Field, Tally};
use crate::method::recoding::refine::Board;

/// So many people of as many kinds as there may be are enough for a promise that can be kept at all.
const MANY: u64 = 1 << 12;

/// An estimate, by which boxes are compared before anybody is asked to join. Whether a group holds is judged for itself.
#[derive(Clone, Copy, Debug)]
pub(super) struct NeededSize {
    fewest: u64,
    /// A group of fewer kinds than this does not hold, however many there are of each.
    kinds: u64,
}

impl NeededSize {
    pub(super) fn new(field: &Field<'_>, board: &mut Board<'_>) -> Self {
        Self { fewest: board.fewest, kinds: if board.judge.counts_only() { 0 } else { kinds_needed(field, board) } }
    }

    /// The people who will stand in the box of some, as many as are lent among them.
    pub(super) fn of(self, people: u64, kinds: u64) -> u64 {
        let lacking = self.kinds.saturating_sub(u64::from(kinds.count_ones()));
        self.fewest.max(people + lacking)
    }

    /// Whether people may suffice by themselves.
    pub(super) fn is_met_by(self, people: u64) -> bool {
        people >= self.fewest
    }
}

/// The fewest kinds, those of most people first, of which equally many people hold together; none where no number of them does.
fn kinds_needed(field: &Field<'_>, board: &mut Board<'_>) -> u64 {
    let mut people = vec![(0_u64, 0_u32); field.kinds()];
    for (cell, (&kind, &more)) in (0..).zip(field.kind_of_cell.iter().zip(&field.task.cells.people)) {
        let (sum, example) = &mut people[kind as usize];
        (*sum, *example) = (*sum + more, cell);
    }
    people.sort_unstable_by_key(|&(sum, example)| (std::cmp::Reverse(sum), example));
    let mut tally = Tally::new(field);
    // Bits of kinds repeat beyond 64.
    for (number, &(_, cell)) in (1..=64).zip(&people) {
        tally.add(field, cell, MANY);
        if board.judge.holds(&tally) {
            return number;
        }
    }
    0
}
