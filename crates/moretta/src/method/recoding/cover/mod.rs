//! Covering people who stand too few together with small boxes, cheapest first.
//!
//! A *point* is a combination of quasi-identifiers that occurs. CoverPoints that keep the promise by
//! themselves are published as they are and cost nothing. Everybody else must be put into boxes of
//! generalized values, where people of dense points may join them, as far as those can spare them.
//! Choosing boxes is a weighted set cover: a box with r people still to be covered costs
//! max(r, needed) · loss, and the greedy rule takes the box that costs least for each person it covers.
//!
//! Boxes are enumerated by *level vectors*, one generalization level for each attribute, in the
//! order of a lower bound on their cost. A vector's cheapest box never gets cheaper while people are
//! being covered, so a vector waits in a queue under the cost that it had when it was last looked at.

mod lend;
mod levels;
mod points;

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::ops::Range;

use self::lend::borrow;
use rayon::prelude::*;

use self::levels::{BoxLevels, LevelVector};
use self::points::{CoverPoints, Taken};
use crate::hierarchy::GeneralizedValue;
use crate::kind::generalized::PlanDraft;
use crate::method::Task;
use crate::release::plan::Piece;

/// Boxes that cost up to this factor more than the cheapest one are taken in the same pass.
const SLACK: f64 = 1.1;

/// Boxes with fewer than so many times the people that a group needs may borrow; a larger one that fails
/// lacks more than a few people.
const BORROWERS: u64 = 2;

/// Nodes looked up before the search leaves the rest to cuts: about half a second, whatever the table.
const WORK_LIMIT: u64 = 60_000_000;

/// So few points cost one thread less than to hand them to several: a small table is looked through thousands of times.
const ONE_THREAD: usize = 1 << 12;

/// A cover of all people; nothing where somebody is left over whom no group can take.
///
/// Who is not covered when the search has worked long enough is handed, as whole cells, to `cut`, which
/// makes groups of them that keep the promise.
pub(in crate::method) fn cover(task: &Task<'_>, cut: impl Fn(&[u32]) -> Vec<Vec<u32>>) -> Option<PlanDraft> {
    if !task.requirement.safety().merge || task.requirement.needs_ancestors().is_some() {
        return None;
    }
    let mut points = CoverPoints::new(task);
    let levels = BoxLevels::new(task.scales);
    let mut search = Search { task, levels: &levels, work: 0 };
    let mut groups = search.run(&mut points);
    let left = std::mem::take(&mut points.left);
    if points.judge(&left) {
        let cells: Vec<u32> = left.iter().flat_map(|&point| points.cells(point)).collect();
        groups.extend(cut(&cells).iter().map(|cells| points.take_cells(cells)));
    } else {
        points.absorb(&left, &mut groups)?;
    }
    groups.extend(points.homes());
    Some(draft(task, &points, &groups))
}

struct Search<'a> {
    task: &'a Task<'a>,
    levels: &'a BoxLevels,
    work: u64,
}

/// A level vector in the queue: the least that its cheapest box can cost for each person covered.
#[derive(PartialEq)]
struct Waiting {
    cost: f64,
    vector: LevelVector,
    /// Vectors above it are made when it is looked at for the first time.
    fresh: bool,
}

impl Search<'_> {
    fn run(&mut self, points: &mut CoverPoints<'_>) -> Vec<Taken> {
        let mut groups = Vec::new();
        let mut queue = BinaryHeap::new();
        let start = self.levels.lowest();
        queue.extend(self.levels.above(&start).map(|vector| self.waiting(vector)).map(Reverse));
        while let Some(Reverse(Waiting { cost, vector, fresh })) = queue.pop() {
            if points.left.is_empty() || self.work > WORK_LIMIT || self.task.token.is_cancelled() {
                break;
            }
            if fresh {
                queue.extend(self.levels.above(&vector).map(|above| self.waiting(above)).map(Reverse));
            }
            let next = queue.peek().map_or(f64::INFINITY, |Reverse(waiting)| waiting.cost);
            let bound = cost.max(next) * SLACK;
            if let Some(cost) = self.take_boxes(points, &vector, bound, &mut groups) {
                queue.push(Reverse(Waiting { cost, vector, fresh: false }));
            }
        }
        groups
    }

    fn waiting(&self, vector: LevelVector) -> Waiting {
        Waiting { cost: self.levels.least_loss(&vector), vector, fresh: true }
    }

    /// Takes the boxes of a vector that cost at most `bound`; the cost of the cheapest of the others.
    fn take_boxes(
        &mut self,
        points: &mut CoverPoints<'_>,
        vector: &LevelVector,
        bound: f64,
        groups: &mut Vec<Taken>,
    ) -> Option<f64> {
        let keyed = points.left_by_box(self.levels, vector);
        self.work += (keyed.len() * self.task.scales.len()) as u64;
        let least = self.task.requirement.least_people();
        let mut cheapest = f64::INFINITY;
        let mut wanting: Vec<(u64, Vec<u32>)> = Vec::new();
        let mut covered = false;
        for (cost, people, run) in self.weigh(points, vector, &keyed) {
            if cost > bound || self.task.token.is_cancelled() {
                cheapest = cheapest.min(cost);
                continue;
            }
            let members: Vec<u32> = keyed[run.clone()].iter().map(|&(_, point)| point).collect();
            self.work += points.judging(&members);
            if points.judge(&members) {
                groups.push(points.take(&members, Vec::new()));
                covered = true;
            } else if people < BORROWERS * least {
                wanting.push((keyed[run.start].0, members));
            }
        }
        if !wanting.is_empty() {
            self.work += (points.homes_len() * self.task.scales.len()) as u64;
            covered |= borrow(points, self.levels, vector, wanting, groups);
        }
        if covered {
            points.forget_covered();
        }
        cheapest.is_finite().then_some(cheapest)
    }
}

impl Search<'_> {
    /// The boxes of points that come ordered by box: what each costs at least, before anybody has looked at sensitive values, its people,
    /// and where its points stand. Whoever takes one changes nothing of the others.
    fn weigh(
        &self,
        points: &CoverPoints<'_>,
        vector: &LevelVector,
        keyed: &[(u64, u32)],
    ) -> Vec<(f64, u64, Range<usize>)> {
        let least = self.task.requirement.least_people();
        let is_start = |&at: &usize| at == 0 || keyed[at].0 != keyed[at - 1].0;
        let starts: Vec<usize> = (0..keyed.len()).into_par_iter().with_min_len(ONE_THREAD).filter(is_start).collect();
        let weighed = |(number, &start): (usize, &usize)| {
            let run = start..starts.get(number + 1).copied().unwrap_or(keyed.len());
            let loss = self.levels.loss(vector, &points.ranks, keyed[start].1);
            let people: u64 = keyed[run.clone()].iter().map(|&(_, point)| points.people_at(point)).sum();
            (loss * least.max(people) as f64 / people as f64, people, run)
        };
        starts.par_iter().enumerate().with_min_len(ONE_THREAD).map(weighed).collect()
    }
}

impl Eq for Waiting {}

impl Ord for Waiting {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.cost.total_cmp(&other.cost).then_with(|| self.vector.cmp(&other.vector))
    }
}

impl PartialOrd for Waiting {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

/// Groups publish the smallest box around them, which may be smaller than the one that found them.
fn draft(task: &Task<'_>, points: &CoverPoints<'_>, groups: &[Taken]) -> PlanDraft {
    let publish = |attribute: usize| -> Vec<GeneralizedValue> {
        let scale = &task.scales[attribute];
        let ranks = &points.ranks[attribute];
        let mut present: Vec<u32> = Vec::new();
        let of_group = |taken: &Taken| {
            present.clear();
            present.extend(taken.pieces.iter().map(|&(cell, _)| ranks[points.of_cell[cell as usize] as usize]));
            present.sort_unstable();
            present.dedup();
            let (first, last) = (present[0], present[present.len() - 1]);
            scale.generalize(first, last, || present.as_slice().into())
        };
        groups.iter().map(of_group).collect()
    };
    let published = (0..task.scales.len()).into_par_iter().map(publish).collect();
    let piece = |group: u32| move |&(cell, people): &(u32, u64)| Piece { group, cell, people };
    let pieces = (0..).zip(groups).flat_map(|(group, taken)| taken.pieces.iter().map(piece(group))).collect();
    PlanDraft { published, pieces }
}
