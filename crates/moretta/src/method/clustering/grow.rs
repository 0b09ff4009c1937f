//! Seeds, and the clusters that grow from them.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use rand::seq::SliceRandom;
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::SeedableRng;

use crate::data::lookup::HashSet;
use crate::method::recoding::local::{Field, FieldMember, Judge, LocalPoints, Tally};

/// The people who stand in no cluster yet.
pub(super) struct GrowingCrowd<'f> {
    field: &'f Field<'f>,
    judge: Judge<'f>,
    points: LocalPoints,
    /// The people of each cell who are left, and of each point.
    left: Vec<u64>,
    at_point: Vec<u64>,
    /// The points that may still have people, in an order drawn once, and where the next sample starts.
    drawn: Vec<u32>,
    cursor: usize,
    last_seed: Option<u32>,
    /// LocalPoints that the index still finds, and how many of them are empty.
    indexed: usize,
    empty: usize,
}

/// A seed is the farthest from the last one of so many points.
const SAMPLE: usize = 256;

/// A cluster that does not hold after so many joined one by one is given up.
const MAX_JOINING: usize = 1024;

/// What the order of points is drawn from: the same for every run, since a release is a function of its input.
const KEY: u64 = 0x636c_7573_7465_7273;

impl<'f> GrowingCrowd<'f> {
    pub(super) fn new(field: &'f Field<'f>) -> Self {
        let points = LocalPoints::new(field);
        let left = field.task.cells.people.clone();
        let count = |point| points.cells(point).map(|cell| left[cell as usize]).sum();
        let at_point: Vec<u64> = (0..points.len() as u32).map(count).collect();
        let mut drawn: Vec<u32> = (0..points.len() as u32).collect();
        drawn.shuffle(&mut ChaCha8Rng::seed_from_u64(KEY));
        let indexed = points.len();
        let judge = Judge::new(field);
        Self { field, judge, points, left, at_point, drawn, cursor: 0, last_seed: None, indexed, empty: 0 }
    }

    /// The point that is farthest from the last seed, of a sample; nothing when nobody is left.
    pub(super) fn next_seed(&mut self) -> Option<u32> {
        let mut best: Option<(f64, u32)> = None;
        let mut seen = 0;
        while seen < SAMPLE.min(self.drawn.len()) {
            self.cursor %= self.drawn.len();
            let point = self.drawn[self.cursor];
            if self.at_point[point as usize] == 0 {
                self.drawn.swap_remove(self.cursor);
                continue;
            }
            let far = self.last_seed.map_or(0.0, |last| self.distance(last, point));
            if best.is_none_or(|(farthest, _)| far > farthest) {
                best = Some((far, point));
            }
            self.cursor += 1;
            seen += 1;
        }
        self.last_seed = best.map(|(_, point)| point);
        self.last_seed
    }

    /// The loss of the smallest box around two points.
    fn distance(&self, a: u32, b: u32) -> f64 {
        let cells = [a, b].map(|point| self.points.cells(point).start as usize);
        let attributes = self.field.taxonomies.iter().zip(&self.field.ranks);
        attributes
            .map(|(taxonomy, ranks)| {
                let [a, b] = cells.map(|cell| ranks[cell]);
                taxonomy.loss(taxonomy.common(a.min(b), a.max(b)))
            })
            .sum()
    }

    /// Grows a cluster from a seed until it holds, or until nobody can help it; says whether it holds.
    ///
    /// LocalPoints that hold by themselves stay whole: their people publish the same in any case.
    pub(super) fn grow(&mut self, seed: u32) -> (Vec<FieldMember>, bool) {
        let mut cluster = Cluster { members: Vec::new(), tally: Tally::new(self.field), nodes: Vec::new() };
        let first = self.points.cells(seed).start as usize;
        let leaves = self.field.taxonomies.iter().zip(&self.field.ranks);
        cluster.nodes = leaves.map(|(taxonomy, ranks)| taxonomy.leaf(ranks[first])).collect();
        for cell in self.points.cells(seed) {
            self.join(&mut cluster, cell, self.left[cell as usize]);
        }
        let mut holds = self.judge.holds(&cluster.tally);
        for _ in 0..MAX_JOINING {
            if holds {
                break;
            }
            let Some((cell, people)) = self.next_member(&mut cluster) else { break };
            self.join(&mut cluster, cell, people);
            holds = self.judge.holds(&cluster.tally);
        }
        self.tidy();
        (cluster.members, holds)
    }

    /// Whose joining costs least, and how many of them are needed; widens the cluster's box to hold them.
    ///
    /// Boxes around the cluster are looked at in the order of their loss, so the first in which somebody is left
    /// is the one that costs least. Among those in it, whoever the cluster lacks most against the table is taken. Once a
    /// cluster is large enough and still fails, only those help whom it lacks.
    fn next_member(&mut self, cluster: &mut Cluster) -> Option<(u32, u64)> {
        let missing = self.judge.least().saturating_sub(cluster.tally.people);
        let choosy = missing == 0 && !self.judge.counts_only();
        let found = self.search(cluster, choosy).or_else(|| if choosy { self.search(cluster, false) } else { None })?;
        let (nodes, cell) = found;
        cluster.nodes = nodes;
        let wanted = if self.judge.counts_only() { missing } else { (cluster.tally.people / 64).max(missing / 16) };
        Some((cell, self.left[cell as usize].min(wanted.max(1))))
    }

    fn search(&self, cluster: &Cluster, choosy: bool) -> Option<(Vec<u32>, u32)> {
        let field = self.field;
        let loss = |nodes: &[u32]| -> f64 { field.taxonomies.iter().zip(nodes).map(|(t, &node)| t.loss(node)).sum() };
        let mut waiting = BinaryHeap::from([Reverse((Loss(loss(&cluster.nodes)), cluster.nodes.clone()))]);
        let mut seen: HashSet<Vec<u32>> = HashSet::from_iter([cluster.nodes.clone()]);
        while let Some(Reverse((_, nodes))) = waiting.pop() {
            if field.task.token.is_cancelled() {
                return None;
            }
            if let Some(cell) = self.most_needed(cluster, &nodes, choosy) {
                return Some((nodes, cell));
            }
            for (attribute, taxonomy) in field.taxonomies.iter().enumerate() {
                let Some(above) = taxonomy.above(nodes[attribute]) else { continue };
                let mut wider = nodes.clone();
                wider[attribute] = above;
                if seen.insert(wider.clone()) {
                    waiting.push(Reverse((Loss(loss(&wider)), wider)));
                }
            }
        }
        None
    }

    /// Who is left in a box and is needed most.
    fn most_needed(&self, cluster: &Cluster, nodes: &[u32], choosy: bool) -> Option<u32> {
        let spans: Vec<(u32, u32)> = self.field.taxonomies.iter().zip(nodes).map(|(t, &node)| t.span(node)).collect();
        let mut best: Option<(f64, u32)> = None;
        self.points.visit(&spans, &mut |point| {
            if self.at_point[point as usize] == 0 {
                return;
            }
            for cell in self.points.cells(point).filter(|&cell| self.left[cell as usize] > 0) {
                let need = self.field.need(&cluster.tally, cell);
                if (!choosy || need > 0.0) && best.is_none_or(|(most, _)| need > most) {
                    best = Some((need, cell));
                }
            }
        });
        best.map(|(_, cell)| cell)
    }

    fn join(&mut self, cluster: &mut Cluster, cell: u32, people: u64) {
        if people == 0 {
            return;
        }
        self.left[cell as usize] -= people;
        cluster.tally.add(self.field, cell, people);
        cluster.members.push(FieldMember { cell, people });
        let point = self.points.point_of(cell);
        self.at_point[point as usize] -= people;
        self.empty += usize::from(self.at_point[point as usize] == 0);
    }

    /// Rebuilds the index when half of what it finds is empty: searches then cost what is left, not what was.
    fn tidy(&mut self) {
        if 2 * self.empty > self.indexed {
            let at_point = &self.at_point;
            self.points.keep(|point| at_point[point as usize] > 0);
            self.indexed -= self.empty;
            self.empty = 0;
        }
    }
}

struct Cluster {
    members: Vec<FieldMember>,
    tally: Tally,
    /// The box: a node for each attribute.
    nodes: Vec<u32>,
}

/// A loss in a queue. Never NaN.
#[derive(PartialEq)]
struct Loss(f64);

impl Eq for Loss {}

impl PartialOrd for Loss {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Loss {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.0.total_cmp(&other.0)
    }
}
