//! The combinations of quasi-identifiers that occur, and who of them is not yet in a group.

use rayon::prelude::*;

use super::levels::{BoxLevels, LevelVector};
use crate::distance::Scratch;
use crate::method::Task;
use crate::model::Group;

/// People who have been put into a group: cells, and how many of each.
#[derive(Clone, Debug, Default)]
pub(super) struct Taken {
    pub(super) pieces: Vec<(u32, u64)>,
}

/// Pairs of a point and a group that are compared at most.
const MOST_JOINS: usize = 1_000_000;

/// The points of a table.
pub(super) struct CoverPoints<'a> {
    task: &'a Task<'a>,
    /// `ranks[a][p]`: the rank of attribute `a` at point `p`.
    pub(super) ranks: Vec<Vec<u32>>,
    /// The point of each cell. Cells of a point stand side by side.
    pub(super) of_cell: Vec<u32>,
    starts: Vec<u32>,
    /// The people of each cell who are still where they were.
    people: Vec<u64>,
    /// The same for each point.
    people_at: Vec<u64>,
    /// CoverPoints that can't stand by themselves and are not yet covered.
    pub(super) left: Vec<u32>,
    /// CoverPoints that are published as they are; dense ones can spare people.
    pub(super) home: Vec<u32>,
    histograms: Vec<Vec<u64>>,
    /// The share of each sensitive value in the whole table.
    shares: Vec<Vec<f64>>,
    scratch: Scratch,
}

impl<'a> CoverPoints<'a> {
    pub(super) fn new(task: &'a Task<'a>) -> Self {
        let quasi = &task.cells.columns[..task.scales.len()];
        let cells = task.cells.len();
        let is_new = |cell: usize| cell == 0 || quasi.iter().any(|column| column[cell] != column[cell - 1]);
        let mut starts: Vec<u32> = (0..cells).filter(|&cell| is_new(cell)).map(|cell| cell as u32).collect();
        let ranks = quasi.iter().zip(task.scales).map(|(column, scale)| {
            let rank = scale.rank_of_codes();
            starts.iter().map(|&start| rank[column[start as usize] as usize]).collect()
        });
        let ranks = ranks.collect();
        let points = starts.len();
        starts.push(cells as u32);
        let mut of_cell = vec![0; cells];
        for point in 0..points {
            of_cell[starts[point] as usize..starts[point + 1] as usize].fill(point as u32);
        }
        let histograms = if task.requirement.needs_histograms() {
            task.sensitive_sizes.iter().map(|&size| vec![0; size]).collect()
        } else {
            Vec::new()
        };
        let people = task.cells.people.clone();
        let shares = shares(task);
        let at = |point: usize| people[starts[point] as usize..starts[point + 1] as usize].iter().sum();
        let people_at = (0..points).map(at).collect();
        let (left, home) = (Vec::new(), Vec::new());
        let scratch = Scratch::default();
        let mut points_of =
            Self { task, ranks, of_cell, starts, people, people_at, left, home, histograms, shares, scratch };
        let (home, left) = (0..points as u32).partition(|&point| points_of.judge(&[point]));
        points_of.home = home;
        points_of.left = left;
        points_of
    }

    pub(super) fn homes_len(&self) -> usize {
        self.home.len()
    }

    pub(super) fn cells(&self, point: u32) -> std::ops::Range<u32> {
        self.starts[point as usize]..self.starts[point as usize + 1]
    }

    /// The people of a cell who are still where they were.
    pub(super) fn remaining(&self, cell: u32) -> u64 {
        self.people[cell as usize]
    }

    /// The people of a point who are still where they were.
    pub(super) fn people_at(&self, point: u32) -> u64 {
        self.people_at[point as usize]
    }

    pub(super) fn least_people(&self) -> u64 {
        self.task.requirement.least_people().max(1)
    }

    /// Whether the promise is only about how many people stand together.
    pub(super) fn only_size_matters(&self) -> bool {
        self.histograms.is_empty()
    }

    /// How much a group wants a person of a cell: by how many people the cell's sensitive values are
    /// rarer in the group than they would be if it were like the whole table.
    pub(super) fn need(&self, group: &[(u32, u64)], cell: u32) -> f64 {
        let people: u64 = group.iter().map(|&(_, people)| people).sum();
        let quasi = self.task.scales.len();
        let wanted = |(column, whole): (&Vec<u32>, &Vec<f64>)| {
            let code = column[cell as usize];
            let there: u64 =
                group.iter().filter(|&&(c, _)| column[c as usize] == code).map(|&(_, people)| people).sum();
            whole[code as usize] * people as f64 - there as f64
        };
        self.task.cells.columns[quasi..].iter().zip(&self.shares).map(wanted).sum()
    }

    /// What it costs to judge some points, in counts looked at.
    pub(super) fn judging(&self, points: &[u32]) -> u64 {
        let values: usize = self.histograms.iter().map(Vec::len).sum();
        if self.only_size_matters() { 0 } else { 6 * (points.len() + values) as u64 }
    }

    /// Whether some points would keep the promise together.
    pub(super) fn judge(&mut self, points: &[u32]) -> bool {
        if self.only_size_matters() {
            return points.iter().map(|&point| self.people_at(point)).sum::<u64>() >= self.least_people();
        }
        let pieces: Vec<(u32, u64)> =
            points.iter().flat_map(|&point| self.cells(point)).map(|cell| (cell, self.remaining(cell))).collect();
        self.holds(&pieces)
    }

    /// Whether some people would keep the promise together.
    pub(super) fn holds(&mut self, pieces: &[(u32, u64)]) -> bool {
        let people: u64 = pieces.iter().map(|&(_, people)| people).sum();
        if people < self.task.requirement.least_people().max(1) {
            return false;
        }
        let quasi = self.task.scales.len();
        for (histogram, column) in self.histograms.iter_mut().zip(&self.task.cells.columns[quasi..]) {
            histogram.fill(0);
            pieces.iter().for_each(|&(cell, people)| histogram[column[cell as usize] as usize] += people);
        }
        let group = Group { people, sensitive: &self.histograms, parent: None };
        self.task.requirement.holds(&group, &mut self.scratch)
    }

    /// The uncovered points, each with the number of its box, ordered by box.
    pub(super) fn left_by_box(&self, levels: &BoxLevels, vector: &LevelVector) -> Vec<(u64, u32)> {
        let key = |&point: &u32| (levels.key(vector, &self.ranks, point), point);
        let mut keyed: Vec<(u64, u32)> = self.left.par_iter().with_min_len(super::ONE_THREAD).map(key).collect();
        keyed.par_sort_unstable();
        keyed
    }

    /// Takes all people of some points, and borrowed ones, into a group.
    pub(super) fn take(&mut self, points: &[u32], borrowed: Vec<(u32, u64)>) -> Taken {
        let mut pieces = borrowed;
        for &(cell, people) in &pieces {
            self.people[cell as usize] -= people;
            self.people_at[self.of_cell[cell as usize] as usize] -= people;
        }
        points.iter().for_each(|&point| self.people_at[point as usize] = 0);
        for cell in points.iter().flat_map(|&point| self.cells(point)).collect::<Vec<_>>() {
            let people = std::mem::take(&mut self.people[cell as usize]);
            if people > 0 {
                pieces.push((cell, people));
            }
        }
        Taken { pieces }
    }

    /// Drops points that have been covered from the list of those that have not.
    pub(super) fn forget_covered(&mut self) {
        let mut left = std::mem::take(&mut self.left);
        left.retain(|&point| self.people_at(point) > 0);
        self.left = left;
    }

    /// The groups of points that are published as they are.
    pub(super) fn homes(&mut self) -> Vec<Taken> {
        let homes = self.home.clone();
        homes
            .into_iter()
            .map(|point| self.take(&[point], Vec::new()))
            .filter(|taken| !taken.pieces.is_empty())
            .collect()
    }

    /// Takes all people of some cells into a group.
    pub(super) fn take_cells(&mut self, cells: &[u32]) -> Taken {
        let pieces = cells.iter().map(|&cell| (cell, self.people[cell as usize])).collect();
        self.take(&[], pieces)
    }

    /// Puts points that no box could cover into the group where it costs least; nothing if no group can
    /// take one of them, or if there are too many to try them all.
    pub(super) fn absorb(&mut self, left: &[u32], groups: &mut [Taken]) -> Option<()> {
        if left.len() * groups.len() > MOST_JOINS {
            return None;
        }
        for &point in left {
            if self.task.token.is_cancelled() {
                return None;
            }
            let mut best: Option<(f64, usize)> = None;
            for (number, group) in groups.iter().enumerate() {
                let cost = self.cost_of_joining(point, group);
                if best.is_none_or(|(least, _)| cost < least) {
                    let mut joined = group.pieces.clone();
                    joined.extend(self.cells(point).map(|cell| (cell, self.people[cell as usize])));
                    if self.holds(&joined) {
                        best = Some((cost, number));
                    }
                }
            }
            let (_, number) = best?;
            let taken = self.take(&[point], Vec::new());
            groups[number].pieces.extend(taken.pieces);
        }
        Some(())
    }

    /// What the people of a group, and of a point that joins it, lose by that.
    fn cost_of_joining(&self, point: u32, group: &Taken) -> f64 {
        let members: u64 = group.pieces.iter().map(|&(_, people)| people).sum();
        let joining = self.people_at(point) as f64;
        let cost = |(ranks, scale): (&Vec<u32>, &crate::hierarchy::Scale)| {
            let of_group = group.pieces.iter().map(|&(cell, _)| ranks[self.of_cell[cell as usize] as usize]);
            let (first, last) = of_group.fold((u32::MAX, 0), |(first, last), rank| (first.min(rank), last.max(rank)));
            let rank = ranks[point as usize];
            let (before, after) = (scale.width(first, last), scale.width(first.min(rank), last.max(rank)));
            members as f64 * (after - before) + joining * after
        };
        self.ranks.iter().zip(self.task.scales).map(cost).sum()
    }
}

fn shares(task: &Task<'_>) -> Vec<Vec<f64>> {
    let total = task.cells.total().max(1) as f64;
    let columns = task.cells.columns[task.scales.len()..].iter().zip(&task.sensitive_sizes);
    let share = |(column, &size): (&Vec<u32>, &usize)| {
        let mut share = vec![0.0; size];
        column
            .iter()
            .zip(&task.cells.people)
            .for_each(|(&code, &people)| share[code as usize] += people as f64 / total);
        share
    };
    columns.map(share).collect()
}
