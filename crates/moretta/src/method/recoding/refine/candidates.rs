//! The boxes that could serve loose people better than what they have.

use rayon::prelude::*;

use super::boxes::ladders;
use crate::data::cells::count_distinct;
use crate::method::recoding::local::{Field, LocalPoints};

/// Boxes, one node for each attribute, with the points that wish for them.
pub(super) struct BoxCandidates {
    /// `nodes[a][b]`: the node of attribute `a` in box `b`.
    nodes: Vec<Vec<u32>>,
    /// What each box costs a person, summed over attributes.
    pub(super) loss: Vec<f64>,
    /// Where the points of each box start, and the end of the last.
    starts: Vec<u32>,
    points: Vec<u32>,
}

/// So many boxes are considered for each point, the cheapest; fewer where there are very many points.
const MAX_BOXES: usize = 512;

impl BoxCandidates {
    /// The boxes around points that cost a person less than the point's bound; about `pairs` of a point and a box.
    pub(super) fn new(field: &Field<'_>, points: &LocalPoints, wishes: &[(u32, f64)], pairs: usize) -> Self {
        let each = (pairs / wishes.len().max(1)).clamp(16, MAX_BOXES);
        let around = |&(point, bound): &(u32, f64)| {
            if field.task.token.is_cancelled() {
                return Vec::new();
            }
            boxes_around(field, points.cells(point).start, bound, each)
        };
        let boxes: Vec<Vec<u32>> = wishes.par_iter().map(around).collect();
        let attributes = field.ranks.len();
        let rows: usize = boxes.iter().map(|boxes| boxes.len() / attributes).sum();
        let column = |a: usize| boxes.iter().flat_map(|b| b.iter().skip(a).step_by(attributes).copied()).collect();
        let columns: Vec<Vec<u32>> = (0..attributes).map(column).collect();
        let sized: Vec<(&[u32], usize)> = columns
            .iter()
            .zip(&field.taxonomies)
            .map(|(column, taxonomy)| (column.as_slice(), taxonomy.len()))
            .collect();
        let distinct = count_distinct(&sized, rows, None);
        let loss = |b: usize| -> f64 {
            field.taxonomies.iter().zip(&distinct.columns).map(|(taxonomy, nodes)| taxonomy.loss(nodes[b])).sum()
        };
        let loss = (0..distinct.len()).map(loss).collect();

        let mut starts = vec![0; distinct.len() + 1];
        distinct.cell_of_row.iter().for_each(|&b| starts[b as usize + 1] += 1);
        (0..distinct.len()).for_each(|b| starts[b + 1] += starts[b]);
        let mut next = starts.clone();
        let mut listed = vec![0; rows];
        let wishing = wishes.iter().zip(&boxes).flat_map(|(&(p, _), b)| std::iter::repeat_n(p, b.len() / attributes));
        for (point, &b) in wishing.zip(&distinct.cell_of_row) {
            listed[next[b as usize] as usize] = point;
            next[b as usize] += 1;
        }
        Self { nodes: distinct.columns, loss, starts, points: listed }
    }

    pub(super) fn len(&self) -> usize {
        self.loss.len()
    }

    /// The points that wish for a box.
    pub(super) fn points(&self, b: usize) -> &[u32] {
        &self.points[self.starts[b] as usize..self.starts[b + 1] as usize]
    }

    /// The node of each attribute of a box.
    pub(super) fn nodes(&self, b: usize) -> Vec<u32> {
        self.nodes.iter().map(|nodes| nodes[b]).collect()
    }
}

/// The boxes around a cell that cost less than a bound, node after node.
fn boxes_around(field: &Field<'_>, cell: u32, bound: f64, at_most: usize) -> Vec<u32> {
    let ladders = ladders(field, cell);
    let mut bound = bound;
    loop {
        let mut found = Vec::new();
        if climb(&ladders, 0.0, bound, &mut Vec::new(), &mut found, at_most * ladders.len()) {
            return found;
        }
        bound *= 0.75;
    }
}

/// Lists boxes attribute by attribute; false if there are too many.
fn climb(
    ladders: &[Vec<(u32, f64)>],
    loss: f64,
    bound: f64,
    chosen: &mut Vec<u32>,
    found: &mut Vec<u32>,
    limit: usize,
) -> bool {
    let Some((ladder, others)) = ladders.split_first() else {
        if loss > 0.0 {
            found.extend_from_slice(chosen);
        }
        return found.len() <= limit;
    };
    // Steps of a ladder cost more and more: the first that is too dear ends it.
    for &(node, step) in ladder.iter().take_while(|&&(_, step)| loss + step < bound) {
        chosen.push(node);
        let fits = climb(others, loss + step, bound, chosen, found, limit);
        chosen.pop();
        if !fits {
            return false;
        }
    }
    true
}
