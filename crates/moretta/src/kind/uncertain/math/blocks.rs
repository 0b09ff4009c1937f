//! Prepared points in blocks of nearby ones, laid out for sums over all of a block.

use super::Coordinates;

/// The points of a block.
pub(crate) const BLOCK: usize = 16;

/// Coordinates cut at medians of the widest side into full blocks, with the boxes above them.
#[derive(Debug)]
pub(crate) struct Blocks {
    pub(crate) dims: usize,
    /// `coordinates[(b dims + d) BLOCK + i]`: infinitely far where a block is not full.
    coordinates: Vec<f64>,
    /// The people at each index `b BLOCK + i`.
    pub(crate) people: Vec<u64>,
    /// Which of the given points stands at each index; those of the last block that do not exist are left out.
    pub(crate) order: Vec<u32>,
    /// The low, then the high corner of each node. A node over c blocks is followed by its left half with its c − 1 nodes.
    corners: Vec<f64>,
    /// The people of each node when it was built: never too few.
    crowds: Vec<u64>,
}

/// A node: its number, its first block, and how many blocks it has.
#[derive(Clone, Copy, Debug)]
pub(crate) struct BlockNode {
    pub(crate) id: usize,
    pub(crate) first: usize,
    count: usize,
}

impl BlockNode {
    /// The two halves, unless it is one block.
    pub(crate) fn halves(self) -> Option<[Self; 2]> {
        let left = self.count / 2;
        (left > 0).then(|| {
            [
                Self { id: self.id + 1, first: self.first, count: left },
                Self { id: self.id + 2 * left, first: self.first + left, count: self.count - left },
            ]
        })
    }
}

impl Blocks {
    pub(crate) fn new(points: &Coordinates) -> Self {
        let (dims, len) = (points.dims(), points.len());
        let count = len.div_ceil(BLOCK);
        let nodes = (2 * count).saturating_sub(1);
        let mut order: Vec<u32> = (0..len as u32).collect();
        let mut corners = vec![0.0; 2 * dims * nodes];
        let mut crowds = vec![0; nodes];
        if count > 0 {
            cut(points, &mut order, &mut corners, &mut crowds);
        }
        let mut coordinates = vec![f64::INFINITY; count * dims * BLOCK];
        let mut people = vec![0; count * BLOCK];
        for (index, &point) in order.iter().enumerate() {
            people[index] = points.people[point as usize];
            let (block, i) = (index / BLOCK, index % BLOCK);
            for (d, column) in points.columns.iter().enumerate() {
                coordinates[(block * dims + d) * BLOCK + i] = column[point as usize];
            }
        }
        Self { dims, coordinates, people, order, corners, crowds }
    }

    /// How many blocks there are.
    pub(crate) fn count(&self) -> usize {
        self.people.len() / BLOCK
    }

    pub(crate) fn root(&self) -> Option<BlockNode> {
        (self.count() > 0).then(|| BlockNode { id: 0, first: 0, count: self.count() })
    }

    /// The box of a node, low and high corner.
    pub(crate) fn corners(&self, node: usize) -> (&[f64], &[f64]) {
        self.corners[2 * self.dims * node..][..2 * self.dims].split_at(self.dims)
    }

    pub(crate) fn crowd(&self, node: usize) -> u64 {
        self.crowds[node]
    }

    /// The coordinates of a block, one after the other.
    #[inline]
    pub(crate) fn columns(&self, block: usize) -> &[[f64; BLOCK]] {
        self.coordinates[block * self.dims * BLOCK..][..self.dims * BLOCK].as_chunks().0
    }

    /// The people of a block.
    #[inline]
    pub(crate) fn crowd_of(&self, block: usize) -> &[u64] {
        &self.people[block * BLOCK..][..BLOCK]
    }
}

/// Below this many points, halves are cut one after the other.
const ALONE: usize = 1 << 13;

fn cut(points: &Coordinates, order: &mut [u32], corners: &mut [f64], crowds: &mut [u64]) {
    let dims = points.dims();
    let (own, below) = corners.split_at_mut(2 * dims);
    for (d, column) in points.columns.iter().enumerate() {
        let (low, high) =
            order.iter().map(|&p| column[p as usize]).fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), x| {
                (if x < low { x } else { low }, if x > high { x } else { high })
            });
        (own[d], own[dims + d]) = (low, high);
    }
    let (crowd, crowds) = crowds.split_at_mut(1);
    crowd[0] = order.iter().map(|&p| points.people[p as usize]).sum();
    let left = order.len().div_ceil(BLOCK) / 2;
    if left == 0 {
        return;
    }
    let width = |d: &usize| own[dims + d] - own[*d];
    let widest = (0..dims).max_by(|a, b| width(a).total_cmp(&width(b)).then(b.cmp(a))).unwrap_or(0);
    let column = &points.columns[widest];
    let middle = left * BLOCK;
    order.select_nth_unstable_by(middle, |&a, &b| column[a as usize].total_cmp(&column[b as usize]).then(a.cmp(&b)));
    let together = order.len() > ALONE;
    let (near, far) = order.split_at_mut(middle);
    let (near_corners, far_corners) = below.split_at_mut(2 * dims * (2 * left - 1));
    let (near_crowds, far_crowds) = crowds.split_at_mut(2 * left - 1);
    if together {
        rayon::join(|| cut(points, near, near_corners, near_crowds), || cut(points, far, far_corners, far_crowds));
    } else {
        cut(points, near, near_corners, near_crowds);
        cut(points, far, far_corners, far_crowds);
    }
}
