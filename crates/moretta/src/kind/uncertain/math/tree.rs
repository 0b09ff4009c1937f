//! A k-d tree over counted points, in arrays.

use super::Coordinates;

/// The most points of a leaf.
pub(crate) const LEAF: usize = 32;

/// Coordinates cut into boxes, each half of the one above it. Every node knows its tight box and its people.
#[derive(Debug)]
pub struct KdTree {
    /// The points in the order of the tree: those of a node stand together.
    pub points: Coordinates,
    /// Which of the given points stands at each index.
    pub order: Vec<u32>,
    /// `corners[(2 n) d..]`: the low, then the high corner of node n.
    corners: Vec<f64>,
    nodes: Vec<KdNode>,
    dims: usize,
    total: u64,
}

/// A node; its left child comes next, a leaf has no right one.
#[derive(Clone, Copy, Debug)]
pub(crate) struct KdNode {
    pub(crate) start: u32,
    pub(crate) end: u32,
    pub(crate) right: u32,
    pub(crate) people: f64,
}

impl KdNode {
    pub(crate) fn is_leaf(self) -> bool {
        self.right == 0
    }
}

impl KdTree {
    /// Cuts the points at medians of the widest side.
    pub fn new(points: &Coordinates) -> Self {
        let mut order: Vec<u32> = (0..points.len() as u32).collect();
        let mut tree = Self {
            points: Coordinates::default(),
            order: Vec::new(),
            corners: Vec::new(),
            nodes: Vec::new(),
            dims: points.dims(),
            total: points.total(),
        };
        if !points.is_empty() {
            tree.cut(points, &mut order, 0);
        }
        tree.points = points.select(&order);
        tree.order = order;
        tree
    }

    fn cut(&mut self, points: &Coordinates, order: &mut [u32], start: usize) {
        let index = self.nodes.len();
        let people: u64 = order.iter().map(|&p| points.people[p as usize]).sum();
        let end = (start + order.len()) as u32;
        self.nodes.push(KdNode { start: start as u32, end, right: 0, people: people as f64 });
        let side = |column: &Vec<f64>| {
            order.iter().fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), &p| {
                (low.min(column[p as usize]), high.max(column[p as usize]))
            })
        };
        let sides: Vec<(f64, f64)> = points.columns.iter().map(side).collect();
        self.corners.extend(sides.iter().map(|side| side.0));
        self.corners.extend(sides.iter().map(|side| side.1));
        if order.len() <= LEAF {
            return;
        }
        let width = |d: &usize| sides[*d].1 - sides[*d].0;
        let widest = (0..self.dims).max_by(|a, b| width(a).total_cmp(&width(b)).then(b.cmp(a))).unwrap_or(0);
        let column = &points.columns[widest];
        let middle = order.len() / 2;
        order
            .select_nth_unstable_by(middle, |&a, &b| column[a as usize].total_cmp(&column[b as usize]).then(a.cmp(&b)));
        let (left, right) = order.split_at_mut(middle);
        self.cut(points, left, start);
        self.nodes[index].right = self.nodes.len() as u32;
        self.cut(points, right, start + middle);
    }

    /// All people.
    pub fn total(&self) -> u64 {
        self.total
    }

    /// The number of distinct points.
    pub fn len(&self) -> usize {
        self.order.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.order.is_empty()
    }

    /// The number of coordinates.
    pub fn dims(&self) -> usize {
        self.dims
    }

    pub(crate) fn node(&self, node: u32) -> KdNode {
        self.nodes[node as usize]
    }

    /// The low and the high corner of a node's box.
    pub(crate) fn corners(&self, node: u32) -> (&[f64], &[f64]) {
        let d = self.dims;
        self.corners[2 * d * node as usize..][..2 * d].split_at(d)
    }

    /// The squared distance from a location to a node's box.
    pub(crate) fn distance(&self, node: u32, location: &[f64]) -> f64 {
        let (low, high) = self.corners(node);
        let gap = |((&x, &low), &high): ((&f64, &f64), &f64)| (low - x).max(x - high).max(0.0);
        location.iter().zip(low).zip(high).map(gap).map(|gap| gap * gap).sum()
    }

    /// The nearest points that stand for at least `people` people, as indices in the tree with their squared
    /// distances, the nearest first. Ties go by index.
    pub fn nearest(&self, location: &[f64], people: u64, found: &mut Vec<(f64, u32)>) {
        self.nearest_of(location, people, &self.points.people, found);
    }

    /// The same, where only so many people are left at each index.
    pub fn nearest_of(&self, location: &[f64], people: u64, left: &[u64], found: &mut Vec<(f64, u32)>) {
        found.clear();
        if self.is_empty() {
            return;
        }
        let mut heap = std::collections::BinaryHeap::new();
        let mut held = 0;
        let mut stack = vec![0_u32];
        while let Some(id) = stack.pop() {
            let full = held >= people;
            let worst = heap.peek().map_or(f64::INFINITY, |&Near(d, _)| d);
            if full && self.distance(id, location) > worst {
                continue;
            }
            let node = self.node(id);
            if node.is_leaf() {
                for at in (node.start..node.end).filter(|&at| left[at as usize] > 0) {
                    let square = self.points.columns.iter().zip(location).map(|(c, x)| c[at as usize] - x);
                    let square: f64 = square.map(|w| w * w).sum();
                    heap.push(Near(square, at));
                    held += left[at as usize];
                    while let Some(&Near(_, last)) = heap.peek() {
                        let without = held - left[last as usize];
                        if without < people {
                            break;
                        }
                        held = without;
                        heap.pop();
                    }
                }
            } else {
                let (left, right) = (id + 1, node.right);
                let left_first = self.distance(left, location) <= self.distance(right, location);
                stack.extend(if left_first { [right, left] } else { [left, right] });
            }
        }
        found.extend(heap.into_sorted_vec().into_iter().map(|Near(square, at)| (square, at)));
    }
}

/// A point by its squared distance.
#[derive(Clone, Copy, PartialEq)]
struct Near(f64, u32);

impl Eq for Near {}

impl Ord for Near {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.0.total_cmp(&other.0).then(self.1.cmp(&other.1))
    }
}

impl PartialOrd for Near {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kind::uncertain::math::testing::points;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn the_nearest_are_those_that_sorting_finds(points in points(1..4, 200), people in 1_u64..20) {
            let tree = KdTree::new(&points);
            let mut found = Vec::new();
            for of in 0..points.len().min(10) {
                let center = points.at(of);
                tree.nearest(&center, people, &mut found);
                let square = |p: usize| tree.points.at(p).iter().zip(&center).map(|(a, b)| (a - b) * (a - b)).sum::<f64>();
                let mut all: Vec<(f64, u32)> = (0..points.len()).map(|p| (square(p), p as u32)).collect();
                all.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
                let mut held = 0;
                let enough = |&(_, p): &(f64, u32)| {
                    let before = held;
                    held += tree.points.people[p as usize];
                    before < people
                };
                let expected: Vec<(f64, u32)> = all.into_iter().take_while(enough).collect();
                prop_assert_eq!(&found, &expected);
            }
        }
    }
}
