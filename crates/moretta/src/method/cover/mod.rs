//! Covering people who stand too few together with small boxes, cheapest first.
//!
//! A *point* is a combination of quasi-identifiers that occurs. Points that keep the promise by
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

use self::lend::borrow;
use self::levels::{LevelVector, Levels};
use self::points::{Points, Taken};
use super::plan::Draft;
use super::{Piece, Task};
use crate::hierarchy::Generalized;

/// Boxes that cost up to this factor more than the cheapest one are taken in the same pass.
const SLACK: f64 = 1.02;

/// Keys computed before the search gives up on what is left: it bounds the time on wide tables.
const WORK_LIMIT: u64 = 400_000_000;

/// A cover of all people; nothing where the greedy rule leaves somebody over.
pub(super) fn cover(task: &Task<'_>) -> Option<Draft> {
    if !task.requirement.safety().merge || task.requirement.needs_ancestors().is_some() {
        return None;
    }
    let mut points = Points::new(task);
    let levels = Levels::new(task.scales);
    let mut search = Search { task, levels: &levels, work: 0 };
    let mut groups = search.run(&mut points);
    points.absorb_leftovers(&mut groups)?;
    groups.extend(points.homes());
    Some(draft(task, &points, &groups))
}

struct Search<'a> {
    task: &'a Task<'a>,
    levels: &'a Levels,
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
    fn run(&mut self, points: &mut Points<'_>) -> Vec<Taken> {
        let mut groups = Vec::new();
        let mut queue = BinaryHeap::new();
        let start = self.levels.lowest();
        queue.extend(self.levels.above(&start).map(|vector| self.waiting(vector)).map(Reverse));
        while let Some(Reverse(Waiting { cost, vector, fresh })) = queue.pop() {
            if points.left.is_empty() || self.work > WORK_LIMIT {
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
        points: &mut Points<'_>,
        vector: &LevelVector,
        bound: f64,
        groups: &mut Vec<Taken>,
    ) -> Option<f64> {
        let keyed = points.left_by_box(self.levels, vector);
        self.work += (keyed.len() * self.task.scales.len()) as u64;
        let mut cheapest: Option<f64> = None;
        let mut wanting: Vec<(u64, Vec<u32>)> = Vec::new();
        let mut covered = false;
        for run in keyed.chunk_by(|a, b| a.0 == b.0) {
            let members: Vec<u32> = run.iter().map(|&(_, point)| point).collect();
            let loss = self.levels.loss(vector, &points.ranks, members[0]);
            let (people, holds) = points.judge(&members);
            let needed = self.task.requirement.least_people().max(if holds { 0 } else { people + 1 });
            let cost = loss * needed.max(people) as f64 / people as f64;
            if cost > bound {
                cheapest = Some(cheapest.map_or(cost, |other| other.min(cost)));
            } else if holds {
                groups.push(points.take(&members, Vec::new()));
                covered = true;
            } else {
                wanting.push((run[0].0, members));
            }
        }
        if !wanting.is_empty() {
            self.work += (points.homes_len() * self.task.scales.len()) as u64;
            covered |= borrow(points, self.levels, vector, wanting, groups);
        }
        if covered {
            points.forget_covered();
        }
        cheapest
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
fn draft(task: &Task<'_>, points: &Points<'_>, groups: &[Taken]) -> Draft {
    let publish = |attribute: usize| -> Vec<Generalized> {
        let scale = &task.scales[attribute];
        let ranks = &points.ranks[attribute];
        let of_group = |taken: &Taken| {
            let mut present: Vec<u32> =
                taken.pieces.iter().map(|&(cell, _)| ranks[points.of_cell[cell as usize] as usize]).collect();
            present.sort_unstable();
            present.dedup();
            let (first, last) = (present[0], present[present.len() - 1]);
            scale.generalize(first, last, || present.into())
        };
        groups.iter().map(of_group).collect()
    };
    let published = (0..task.scales.len()).map(publish).collect();
    let piece = |group: u32| move |&(cell, people): &(u32, u64)| Piece { group, cell, people };
    let pieces = (0..).zip(groups).flat_map(|(group, taken)| taken.pieces.iter().map(piece(group))).collect();
    Draft { published, pieces }
}
