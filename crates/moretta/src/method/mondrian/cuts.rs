//! Finding the cut of a part.

use std::sync::Arc;

use super::part::{Part, PartScratch};
use crate::hierarchy::Scale;
use crate::method::Task;
use crate::model::{Group, MemberRequirement, Members};
use crate::release::{Ancestor, add_member};

/// Looks for the best cut of one part that the requirement allows.
pub(super) struct CutFinder<'a, 's> {
    task: &'a Task<'a>,
    members: Option<&'a MemberRequirement>,
    /// The first and last rank of each attribute.
    spans: Vec<(u32, u32)>,
    people: u64,
    /// The part itself, as an ancestor of its halves, or else what is above it; where a model wants to know.
    node: Option<Arc<Ancestor>>,
    /// Whether the part's sensitive values have been counted.
    counted: bool,
    scratch: &'s mut PartScratch,
}

/// At most so many places to cut are tried on one attribute; where there are more, neighbouring
/// values move together. It bounds the judgements for a part that can't be cut at all.
const MAX_CUTS: usize = 256;

impl<'a, 's> CutFinder<'a, 's> {
    pub(super) fn new(
        task: &'a Task<'a>,
        members: Option<&'a MemberRequirement>,
        part: &Part<'_>,
        scratch: &'s mut PartScratch,
    ) -> Self {
        let spans = part.quasi.iter().map(|ranks| span(ranks)).collect();
        let people = part.people.iter().sum();
        Self { task, members, spans, people, node: part.above.clone(), counted: false, scratch }
    }

    pub(super) fn into_spans(self) -> Vec<(u32, u32)> {
        self.spans
    }

    /// What the halves of the cut that was found stand below in the partition tree.
    pub(super) fn into_node(self) -> Option<Arc<Ancestor>> {
        self.node
    }

    /// The attribute and the rank at which the right half starts; nothing if no cut is allowed.
    pub(super) fn best_cut(&mut self, part: &Part<'_>) -> Option<(usize, u32)> {
        let least_member = self.members.map_or(1, MemberRequirement::least_people);
        let least = self.task.requirement.least_people().max(least_member);
        if self.people < 2 * least {
            return None;
        }
        let width = |&attribute: &usize| {
            let (first, last) = self.spans[attribute];
            let scale = &self.task.scales[attribute];
            scale.importance() * scale.width(first, last)
        };
        let mut attributes: Vec<(f64, usize)> =
            (0..self.spans.len()).map(|a| (width(&a), a)).filter(|&(width, _)| width > 0.0).collect();
        attributes.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
        attributes.into_iter().find_map(|(_, attribute)| Some((attribute, self.cut_of(attribute, part, least)?)))
    }

    /// The cut of an attribute that halves the people best among those that the requirement allows.
    fn cut_of(&mut self, attribute: usize, part: &Part<'_>, least: u64) -> Option<u32> {
        let (first, last) = self.spans[attribute];
        let ranks = &*part.quasi[attribute];
        let scale = &self.task.scales[attribute];
        let PartScratch { cuts, lefts, histogram, .. } = &mut *self.scratch;
        find_places(scale, ranks, part.people, (first, last), histogram, cuts, lefts);
        let total = self.people;
        let mut candidates: Vec<(u64, usize)> = lefts
            .iter()
            .enumerate()
            .filter(|&(_, &left)| left >= least && total - left >= least && left > 0 && left < total)
            .map(|(index, &left)| ((2 * left).abs_diff(total), index))
            .collect();
        candidates.sort_unstable();
        // Where several rows may belong to one person, rows say only how many people a side has at most.
        let by_people = self.task.persons.is_some();
        if !self.task.requirement.needs_histograms() && self.members.is_none() && !by_people {
            return candidates.first().map(|&(_, index)| cuts[index]);
        }
        let mut indices: Vec<usize> = candidates.iter().map(|&(_, index)| index).collect();
        thin_out(&mut indices);
        self.count(part);
        let PartScratch { cuts, lefts, frontiers, distances, members: room, left: on_left, right: on_right, .. } =
            &mut *self.scratch;
        let starts: Vec<u32> = indices.iter().map(|&index| cuts[index]).collect();
        frontiers.line_up(part, ranks, &starts);
        let (requirement, parent, members) = (self.task.requirement, self.node.as_deref(), self.members);
        let allowed = |&&(_, index): &&(u64, usize)| {
            let Ok(at) = indices.binary_search(&index) else { return false };
            let (left, right) = frontiers.sides(part, at);
            let left_group = group_of(left, by_people, lefts[index], parent);
            let right_group = group_of(right, by_people, total - lefts[index], parent);
            let holds = requirement.holds(&left_group, distances) && requirement.holds(&right_group, distances);
            let Some(known) = members.filter(|_| holds) else { return holds };
            on_left.clear();
            on_right.clear();
            for ((&cell, &rank), &people) in part.cell.iter().zip(ranks).zip(&*part.people) {
                let side = if rank < cuts[index] { &mut *on_left } else { &mut *on_right };
                add_member(side, known.points.of_cell[cell as usize], people);
            }
            let left = Members { points: on_left, sensitive: left };
            let right = Members { points: on_right, sensitive: right };
            known.hold_both(&left, &right, room)
        };
        candidates.iter().find(allowed).map(|&(_, index)| cuts[index])
    }

    /// Counts the part's sensitive values, once; a part that is large enough becomes an ancestor.
    fn count(&mut self, part: &Part<'_>) {
        if std::mem::replace(&mut self.counted, true) {
            return;
        }
        let mut sizes = self.task.sensitive_sizes.clone();
        sizes.extend(self.task.persons.map(|_| 1));
        self.scratch.frontiers.count(part, &sizes);
        let merges_people = self.task.persons.is_none() || self.task.requirement.safety().merge;
        let may_merge = self.members.is_none_or(MemberRequirement::merge_safe) && merges_people;
        if !may_merge || self.task.requirement.needs_ancestors().is_some_and(|(least, _)| self.people >= least) {
            let histograms = self.scratch.frontiers.whole().to_vec();
            self.node = Some(Arc::new(Ancestor::new(self.people, histograms, part.above.clone())));
        }
    }
}

/// A side of a cut; where people are counted, the last histogram has the one number of different people on it.
fn group_of<'a>(histograms: &'a [Vec<u64>], by_people: bool, rows: u64, parent: Option<&'a Ancestor>) -> Group<'a> {
    match histograms.split_last() {
        Some((people, sensitive)) if by_people => {
            Group { people: people.first().copied().unwrap_or(0), sensitive, parent }
        }
        _ => Group { people: rows, sensitive: histograms, parent },
    }
}

/// Keeps at most [`MAX_CUTS`] places, spread evenly; `places` comes best first and leaves sorted.
fn thin_out(indices: &mut Vec<usize>) {
    let best = indices.first().copied();
    indices.sort_unstable();
    if indices.len() > MAX_CUTS {
        let step = indices.len().div_ceil(MAX_CUTS);
        let mut index = 0;
        indices.retain(|&cut| {
            index += 1;
            (index - 1) % step == 0 || Some(cut) == best
        });
    }
}

fn span(ranks: &[u32]) -> (u32, u32) {
    // Two folds over the whole slice: both become vector instructions.
    (ranks.iter().copied().min().unwrap_or(0), ranks.iter().copied().max().unwrap_or(0))
}

/// The ranks at which a right half may start, and the people left of each.
///
/// With a hierarchy, the starts of the common ancestor's children; without one, every rank that
/// occurs. A histogram serves where the ranks lie dense; else they are sorted, so that a small part
/// never pays for a large domain.
fn find_places(
    scale: &Scale,
    ranks: &[u32],
    people: &[u64],
    (first, last): (u32, u32),
    histogram: &mut Vec<u64>,
    cuts: &mut Vec<u32>,
    lefts: &mut Vec<u64>,
) {
    let width = (last - first) as usize + 1;
    let mut steps = Steps { starts: scale.child_starts(first, last), left: 0, cuts, lefts };
    if width <= 4 * ranks.len() + 64 {
        histogram.clear();
        histogram.resize(width, 0);
        for (&rank, &people) in ranks.iter().zip(people) {
            histogram[(rank - first) as usize] += people;
        }
        (first..)
            .zip(&*histogram)
            .filter(|&(_, &people)| people > 0)
            .for_each(|(rank, &people)| steps.take(rank, people));
    } else {
        let mut sorted: Vec<(u32, u64)> = ranks.iter().copied().zip(people.iter().copied()).collect();
        sorted.sort_unstable_by_key(|&(rank, _)| rank);
        let runs = sorted.chunk_by(|a, b| a.0 == b.0);
        runs.for_each(|run| steps.take(run[0].0, run.iter().map(|&(_, people)| people).sum()));
    }
}

/// Walks over the ranks that occur, in order, and notes the places between them.
struct Steps<'a> {
    /// Where children of the common ancestor start, if there is a hierarchy; consumed in order.
    starts: Option<Vec<u32>>,
    left: u64,
    cuts: &'a mut Vec<u32>,
    lefts: &'a mut Vec<u64>,
}

impl Steps<'_> {
    fn take(&mut self, rank: u32, people: u64) {
        if self.left == 0 {
            self.cuts.clear();
            self.lefts.clear();
        } else {
            let index = match &self.starts {
                None => Some(rank),
                // The child that holds this rank starts at the last start not above it.
                Some(starts) => starts.partition_point(|&start| start <= rank).checked_sub(1).map(|at| starts[at]),
            };
            if let Some(index) = index
                && self.cuts.last().is_none_or(|&last| last < index)
            {
                self.cuts.push(index);
                self.lefts.push(self.left);
            }
        }
        self.left += people;
    }
}
