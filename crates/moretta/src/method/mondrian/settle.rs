//! From the parts that are left to the groups that are published.
//!
//! Parts that publish equal values become one group. A promise about ancestors may be lost by that: the
//! group is no longer inside a node that contained only some of its parts, and such a node holds fewer people
//! than when the search looked at it. So may one that a union of groups need not keep. So every group is judged again,
//! in the tree as it is after the merge.

use rayon::prelude::*;

use super::partition::Leaves;
use crate::data::lookup::HashMap;
use crate::distance::Scratch;
use crate::error::{Error, Result};
use crate::hierarchy::{GeneralizedValue, Scale};
use crate::kind::generalized::{Grouping, PlanDraft};
use crate::method::Task;
use crate::model::{Group, MemberRequirement, MemberScratch, Members};
use crate::release::plan::Piece;
use crate::release::{Ancestor, PartitionTree, add_member};

/// Parts in the order of their cells, which is that of a walk through the partition tree.
struct Parts {
    ends: Vec<u32>,
    spans: Vec<(u32, u32)>,
    /// The node of the tree that each was cut from; empty where no model wants to know.
    nodes: Vec<u32>,
}

/// Makes groups of the parts, and keeps every promise while doing so.
///
/// Where a group fails after the merge, each of its parts is joined with all others of the node that it was cut
/// from: such a node was large enough to be an ancestor, so that the joined part needs none. That leaves fewer
/// parts each time, so it ends, at worst with the whole table in one group.
pub(super) fn settle(
    task: &Task<'_>,
    members: Option<&MemberRequirement>,
    found: Leaves,
    order: &[u32],
) -> Result<Grouping> {
    let needed = task.requirement.needs_ancestors();
    // Parts that publish equal values are joined, and people of two groups do not add up.
    let joins_people = task.persons.is_some() && !task.requirement.safety().merge;
    let has_tree = needed.is_some() || members.is_some_and(|members| !members.merge_safe()) || joins_people;
    let (parents, nodes) = if has_tree { number_nodes(&found) } else { (vec![0], vec![0; found.ends.len()]) };
    let mut parts = Parts { ends: found.ends, spans: found.spans, nodes };
    loop {
        task.token.check()?;
        let published = published(task, &parts, order);
        let draft = PlanDraft { published, pieces: parts.pieces(task, order) };
        let (mut plan, group_of_part) = Grouping::from_draft(&task.quasi_names, task.scales, draft);
        if needed.is_none() && members.is_none() && !joins_people {
            return Ok(plan);
        }
        let tree = place_groups(&parents, &parts.nodes, &group_of_part, plan.len());
        let judged = Judged::new(task, members, &plan, &tree);
        let fewer = judged.fails.contains(&true).then(|| {
            let fails: Vec<bool> = group_of_part.iter().map(|&group| judged.fails[group as usize]).collect();
            parts.join(&parents, &fails)
        });
        let Some(fewer) = fewer.flatten() else {
            // Nothing fails, or all people are in one group and no method could do better.
            plan.tree = needed.map(|sizes| judged.needed_nodes(&tree, sizes));
            return match (members, judged.fails.iter().position(|&fails| fails)) {
                (Some(members), Some(failing)) => Err(refusal(task, members, &plan, failing)),
                (None, Some(_)) if joins_people => {
                    Err(Error::bug("all people keep the promise, and in one group they do not"))
                }
                _ => Ok(plan),
            };
        };
        parts = fewer;
    }
}

/// Numbers the nodes above the parts, parents first; returns their parents, and the node of each part.
fn number_nodes(found: &Leaves) -> (Vec<u32>, Vec<u32>) {
    let mut parents = vec![0];
    let mut number: HashMap<*const Ancestor, u32> = HashMap::new();
    let mut path: Vec<&Ancestor> = Vec::new();
    let nodes = found.above.iter().map(|above| {
        let mut next = above.as_deref();
        let mut node = 0;
        while let Some(ancestor) = next {
            if let Some(&known) = number.get(&std::ptr::from_ref(ancestor)) {
                node = known;
                break;
            }
            path.push(ancestor);
            next = ancestor.parent();
        }
        while let Some(ancestor) = path.pop() {
            // Only the whole has no parent: it is node 0.
            if ancestor.parent().is_some() {
                parents.push(node);
                node = parents.len() as u32 - 1;
            }
            number.insert(std::ptr::from_ref(ancestor), node);
        }
        node
    });
    let nodes = nodes.collect();
    (parents, nodes)
}

/// The tree with each group at the lowest node that contains all of its parts.
fn place_groups(parents: &[u32], nodes: &[u32], group_of_part: &[u32], groups: usize) -> PartitionTree {
    let mut tree = PartitionTree { parents: parents.to_vec(), node_of_group: vec![u32::MAX; groups] };
    for (&node, &group) in nodes.iter().zip(group_of_part) {
        let known = tree.node_of_group[group as usize];
        tree.node_of_group[group as usize] = if known == u32::MAX { node } else { tree.common(known, node) };
    }
    tree
}

/// The people of a group, as promises about members see them.
fn members_of(task: &Task<'_>, known: &MemberRequirement, pieces: &[Piece]) -> Vec<(u32, u64)> {
    let mut points = Vec::new();
    // Cells are in the order of their quasi-identifiers.
    pieces.iter().for_each(|piece| add_member(&mut points, known.points.of_cell[piece.cell as usize], piece.people));
    debug_assert!(points.is_sorted() && task.cells.len() == known.points.of_cell.len());
    points
}

fn refusal(task: &Task<'_>, known: &MemberRequirement, plan: &Grouping, group: usize) -> Error {
    let pieces: Vec<Piece> = plan.pieces.iter().filter(|piece| piece.group as usize == group).copied().collect();
    let mut sensitive: Vec<Vec<u64>> = task.sensitive_sizes.iter().map(|&size| vec![0; size]).collect();
    for (codes, counts) in task.cells.columns[task.scales.len()..].iter().zip(&mut sensitive) {
        pieces.iter().for_each(|piece| counts[codes[piece.cell as usize] as usize] += piece.people);
    }
    known.refusal(&Members { points: &members_of(task, known, &pieces), sensitive: &sensitive })
}

/// What is known about groups in a tree.
struct Judged {
    /// Whether each group breaks a promise.
    fails: Vec<bool>,
    people_of_group: Vec<u64>,
    people_of_node: Vec<u64>,
}

impl Judged {
    fn new(task: &Task<'_>, members: Option<&MemberRequirement>, plan: &Grouping, tree: &PartitionTree) -> Self {
        let attributes = task.scales.len();
        let mut starts = vec![0; plan.len() + 1];
        plan.pieces.iter().for_each(|piece| starts[piece.group as usize + 1] += 1);
        (1..starts.len()).for_each(|group| starts[group] += starts[group - 1]);
        let add = |group: usize, sums: &mut [Vec<u64>]| {
            let pieces = &plan.pieces[starts[group]..starts[group + 1]];
            for (codes, counts) in task.cells.columns[attributes..].iter().zip(sums) {
                for piece in pieces {
                    counts[codes[piece.cell as usize] as usize] += piece.people;
                }
            }
            pieces.iter().map(|piece| piece.people).sum::<u64>()
        };
        let empty: Vec<Vec<u64>> = task.sensitive_sizes.iter().map(|&size| vec![0; size]).collect();
        let nodes = tree.ancestors(&empty, add);
        let judge = |(histograms, scratch, room): &mut (Vec<Vec<u64>>, Scratch, MemberScratch), group: usize| {
            if task.token.is_cancelled() {
                return (false, 0);
            }
            for counts in &mut *histograms {
                counts.fill(0);
            }
            let people = match &task.persons {
                None => add(group, histograms),
                Some(persons) => {
                    let pieces = &plan.pieces[starts[group]..starts[group + 1]];
                    let cells: Vec<u32> = pieces.iter().map(|piece| piece.cell).collect();
                    persons.tally(&cells, task.cells, attributes, histograms)
                }
            };
            let parent = Some(&*nodes[tree.node_of_group[group] as usize]);
            let holds = task.requirement.holds(&Group { people, sensitive: histograms, parent }, scratch)
                && members.is_none_or(|known| {
                    let points = members_of(task, known, &plan.pieces[starts[group]..starts[group + 1]]);
                    known.holds(&Members { points: &points, sensitive: histograms }, room)
                });
            (!holds, people)
        };
        let groups = (0..plan.len()).into_par_iter().with_min_len(512);
        let (fails, people_of_group) =
            groups.map_init(|| (empty.clone(), Scratch::default(), MemberScratch::default()), judge).unzip();
        Self { fails, people_of_group, people_of_node: nodes.iter().map(|node| node.people).collect() }
    }

    /// The tree with the nodes that can serve a group: large enough for some model, and with a group
    /// inside that is too small to stand for itself.
    fn needed_nodes(&self, tree: &PartitionTree, (least, largest): (u64, u64)) -> PartitionTree {
        let mut serves = vec![false; tree.parents.len()];
        for (&node, &people) in tree.node_of_group.iter().zip(&self.people_of_group) {
            serves[node as usize] |= people < largest;
        }
        for node in (1..serves.len()).rev() {
            serves[tree.parents[node] as usize] |= serves[node];
        }
        tree.retain(|node| serves[node] && self.people_of_node[node] >= least)
    }
}

impl Parts {
    /// Who stands in which part: every cell in one, whole.
    fn pieces(&self, task: &Task<'_>, order: &[u32]) -> Vec<Piece> {
        let people = |cell: u32| task.cells.people[cell as usize];
        let mut pieces = Vec::with_capacity(order.len());
        let mut start = 0;
        for (group, &end) in (0..).zip(&self.ends) {
            pieces.extend(order[start..end as usize].iter().map(|&cell| Piece { group, cell, people: people(cell) }));
            start = end as usize;
        }
        pieces
    }

    /// Joins the parts that fail with those around them; nothing if all parts are one already.
    fn join(&self, parents: &[u32], fails: &[bool]) -> Option<Self> {
        // The parts below a node lie side by side: the first and the last of them.
        let mut runs = vec![(usize::MAX, 0); parents.len()];
        let widen = |run: &mut (usize, usize), (first, last)| *run = (run.0.min(first), run.1.max(last));
        self.nodes.iter().enumerate().for_each(|(part, &node)| widen(&mut runs[node as usize], (part, part)));
        for node in (1..runs.len()).rev() {
            let run = runs[node];
            widen(&mut runs[parents[node] as usize], run);
        }
        // For each part that starts a run, the last part of the longest one and its node.
        let mut joined = vec![None; self.ends.len()];
        for (_, &lowest) in fails.iter().zip(&self.nodes).filter(|&(&fails, _)| fails) {
            let mut node = lowest as usize;
            while node > 0 && runs[node].0 == runs[node].1 {
                node = parents[node] as usize;
            }
            let (first, last) = runs[node];
            if first < last && joined[first].is_none_or(|(end, _)| end < last) {
                joined[first] = Some((last, node as u32));
            }
        }
        joined.iter().any(Option::is_some).then(|| self.with_runs(&joined))
    }

    fn with_runs(&self, joined: &[Option<(usize, u32)>]) -> Self {
        let attributes = self.spans.len() / self.ends.len().max(1);
        let mut parts = Self { ends: Vec::new(), spans: Vec::new(), nodes: Vec::new() };
        let mut first = 0;
        while first < self.ends.len() {
            let (last, node) = joined[first].unwrap_or((first, self.nodes[first]));
            parts.ends.push(self.ends[last]);
            parts.nodes.push(node);
            for attribute in 0..attributes {
                let spans = (first..=last).map(|part| self.spans[part * attributes + attribute]);
                parts.spans.extend(spans.reduce(|a, b| (a.0.min(b.0), a.1.max(b.1))));
            }
            first = last + 1;
        }
        parts
    }
}

/// What each group publishes for each attribute.
fn published(task: &Task<'_>, parts: &Parts, order: &[u32]) -> Vec<Vec<GeneralizedValue>> {
    let attributes = task.scales.len();
    let one = |(attribute, scale): (usize, &Scale)| {
        let ranks = scale.rank_of_codes();
        let codes = &task.cells.columns[attribute];
        let mut start = 0;
        let mut present: Vec<u32> = Vec::new();
        let groups = parts.ends.iter().enumerate().map(|(group, &end)| {
            let (first, last) = parts.spans[group * attributes + attribute];
            let cells = &order[start..end as usize];
            start = end as usize;
            scale.generalize(first, last, || {
                present.clear();
                present.extend(cells.iter().map(|&cell| ranks[codes[cell as usize] as usize]));
                present.sort_unstable();
                present.dedup();
                present.as_slice().into()
            })
        });
        groups.collect()
    };
    task.scales.par_iter().enumerate().map(one).collect()
}
