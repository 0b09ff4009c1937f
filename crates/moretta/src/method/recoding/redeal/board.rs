//! Places of people who have the same quasi-identifiers and stand in different groups.

use crate::chance::Stream;
use crate::data::cells::Cells;
use crate::distance::Scratch;
use crate::method::Task;
use crate::model::{Group, Requirement};
use crate::release::plan::Piece;

/// People with more places than this at one point are left as they are: rows of enormous weight.
const MOST_PLACES: u64 = 1 << 24;

/// People with the same quasi-identifiers, some of whom stand in different groups and have different values.
#[derive(Clone, Debug)]
pub(super) struct Spot {
    /// The groups in which they have places, place by place, in order.
    pub(super) groups: Vec<u32>,
    /// Who stands in each place: a cell.
    pub(super) cells: Vec<u32>,
}

/// All such people, and everybody else of their groups.
pub(super) struct PlaceBoard<'a> {
    cells: &'a Cells,
    quasi: usize,
    pub(super) spots: Vec<Spot>,
    /// Pieces of the plan that stay as they are.
    fixed: Vec<Piece>,
    /// Where each group's pieces start among the fixed ones.
    starts: Vec<u32>,
    /// For each group, its places: spot and number of the place.
    places: Vec<Vec<(u32, u32)>>,
    /// The number behind all groups: of those who are left out.
    nowhere: u32,
}

impl<'a> PlaceBoard<'a> {
    /// The places of a plan; with `left_out`, those of people whom it leaves out are places too.
    pub(super) fn new(task: &Task<'a>, pieces: &[Piece], left_out: bool) -> Self {
        let (cells, quasi) = (task.cells, task.scales.len());
        let nowhere = pieces.iter().map(|piece| piece.group + 1).max().unwrap_or(0);
        let alike =
            |a: u32, b: u32| cells.columns[..quasi].iter().all(|column| column[a as usize] == column[b as usize]);
        let mut by_cell: Vec<Piece> = pieces.to_vec();
        if left_out {
            let mut left = cells.people.clone();
            pieces.iter().for_each(|piece| left[piece.cell as usize] -= piece.people);
            let out = (0..).zip(left).filter(|&(_, people)| people > 0);
            by_cell.extend(out.map(|(cell, people)| Piece { group: nowhere, cell, people }));
        }
        by_cell.sort_unstable_by_key(|piece| (piece.cell, piece.group));
        let (mut spots, mut fixed) = (Vec::new(), Vec::new());
        // Cells stand in the order of quasi-identifiers.
        for here in by_cell.chunk_by(|a, b| a.cell == b.cell || alike(a.cell, b.cell)) {
            let differ = here.iter().any(|piece| piece.cell != here[0].cell)
                && here.iter().any(|piece| piece.group != here[0].group);
            if !differ || here.iter().map(|piece| piece.people).sum::<u64>() > MOST_PLACES {
                fixed.extend_from_slice(here);
                continue;
            }
            let mut in_groups = here.to_vec();
            in_groups.sort_unstable_by_key(|piece| (piece.group, piece.cell));
            let each = |of: fn(&Piece) -> u32| -> Vec<u32> {
                in_groups.iter().flat_map(|piece| std::iter::repeat_n(of(piece), piece.people as usize)).collect()
            };
            spots.push(Spot { groups: each(|piece| piece.group), cells: each(|piece| piece.cell) });
        }
        fixed.sort_unstable_by_key(|piece| (piece.group, piece.cell));
        let groups = nowhere as usize + 1;
        let mut starts = vec![0; groups + 1];
        fixed.iter().for_each(|piece| starts[piece.group as usize + 1] += 1);
        (1..starts.len()).for_each(|group| starts[group] += starts[group - 1]);
        let mut places = vec![Vec::new(); groups];
        for (number, spot) in (0..).zip(&spots) {
            (0..).zip(&spot.groups).for_each(|(place, &group)| places[group as usize].push((number, place)));
        }
        Self { cells, quasi, spots, fixed, starts, places, nowhere }
    }

    /// Any order of the people of each spot.
    pub(super) fn shuffle(&mut self, stream: &mut Stream<'_>) {
        self.spots.iter_mut().for_each(|spot| stream.shuffle(&mut spot.cells));
    }

    /// The groups in which somebody has a place.
    pub(super) fn groups(&self) -> Vec<u32> {
        let mut groups: Vec<u32> = self.spots.iter().flat_map(|spot| &spot.groups).copied().collect();
        groups.sort_unstable();
        groups.dedup();
        groups
    }

    /// Whether a group keeps the promise as people stand now.
    pub(super) fn holds(&self, group: u32, requirement: &Requirement<'_>, room: &mut Room) -> bool {
        if group == self.nowhere {
            return true;
        }
        let Room { histograms, scratch } = room;
        let mut people = 0;
        let mut count = |cell: u32, more: u64| {
            people += more;
            for (codes, histogram) in self.cells.columns[self.quasi..].iter().zip(&mut *histograms) {
                histogram[codes[cell as usize] as usize] += more;
            }
        };
        let (first, last) = (self.starts[group as usize] as usize, self.starts[group as usize + 1] as usize);
        self.fixed[first..last].iter().for_each(|piece| count(piece.cell, piece.people));
        let here = &self.places[group as usize];
        here.iter().for_each(|&(spot, place)| count(self.spots[spot as usize].cells[place as usize], 1));
        let holds = requirement.holds(&Group { people, sensitive: histograms, parent: None }, scratch);
        let mut forget = |cell: u32| {
            for (codes, histogram) in self.cells.columns[self.quasi..].iter().zip(&mut *histograms) {
                histogram[codes[cell as usize] as usize] = 0;
            }
        };
        self.fixed[first..last].iter().for_each(|piece| forget(piece.cell));
        here.iter().for_each(|&(spot, place)| forget(self.spots[spot as usize].cells[place as usize]));
        holds
    }

    /// Who stands in which group now.
    pub(super) fn into_pieces(self) -> Vec<Piece> {
        let moved = self.spots.into_iter().flat_map(|spot| {
            let places = spot.groups.into_iter().zip(spot.cells);
            places.map(|(group, cell)| Piece { group, cell, people: 1 })
        });
        self.fixed.into_iter().chain(moved).filter(|piece| piece.group != self.nowhere).collect()
    }
}

/// Buffers of a judgement: histograms of nobody, between judgements.
pub(super) struct Room {
    histograms: Vec<Vec<u64>>,
    scratch: Scratch,
}

impl Room {
    pub(super) fn new(task: &Task<'_>) -> Self {
        let histograms = task.sensitive_sizes.iter().map(|&size| vec![0; size]).collect();
        Self { histograms, scratch: Scratch::default() }
    }
}
