//! Seeds, and the clusters that grow from them.

use rand::seq::SliceRandom;
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::SeedableRng;

use super::nearest::Nearest;
use crate::method::recoding::local::{Field, FieldMember, Judge, LocalPoints, Tally, Taxonomy};

/// The people who stand in no cluster yet.
pub(super) struct GrowingCrowd<'f> {
    field: &'f Field<'f>,
    judge: Judge<'f>,
    points: LocalPoints,
    /// The people of each cell who are left, and of each point.
    left: Vec<u64>,
    at_point: Vec<u64>,
    /// The points that may still have people, in an order drawn once, with their ranks on each attribute, and where the next sample starts.
    drawn: Vec<u32>,
    drawn_ranks: Vec<Vec<u32>>,
    cursor: usize,
    last_seed: Option<u32>,
    nearest: Nearest<'f>,
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
        let ranks_of =
            |ranks: &Vec<u32>| drawn.iter().map(|&point| ranks[points.cells(point).start as usize]).collect();
        let drawn_ranks = field.ranks.iter().map(ranks_of).collect();
        let (judge, nearest) = (Judge::new(field), Nearest::new(field, &points));
        Self { field, judge, points, left, at_point, drawn, drawn_ranks, cursor: 0, last_seed: None, nearest }
    }

    /// The point that is farthest from the last seed, of a sample; nothing when nobody is left.
    pub(super) fn next_seed(&mut self) -> Option<u32> {
        let mut best: Option<(f64, u32)> = None;
        let mut seen = 0;
        let last = self.last_seed.map(|last| self.surroundings(last));
        while seen < SAMPLE.min(self.drawn.len()) {
            self.cursor %= self.drawn.len();
            let point = self.drawn[self.cursor];
            if self.at_point[point as usize] == 0 {
                self.drawn.swap_remove(self.cursor);
                for ranks in &mut self.drawn_ranks {
                    ranks.swap_remove(self.cursor);
                }
                continue;
            }
            // The loss of the smallest box around both.
            let far = last.as_ref().map_or(0.0, |last| {
                last.iter().zip(&self.drawn_ranks).map(|(nodes, ranks)| loss_with(nodes, ranks[self.cursor])).sum()
            });
            if best.is_none_or(|(farthest, _)| far > farthest) {
                best = Some((far, point));
            }
            self.cursor += 1;
            seen += 1;
        }
        self.last_seed = best.map(|(_, point)| point);
        self.last_seed
    }

    /// For each attribute the nodes around a point, from its leaf to the root: their spans and losses.
    fn surroundings(&self, point: u32) -> Vec<Vec<(u32, u32, f64)>> {
        let cell = self.points.cells(point).start as usize;
        let of_attribute = |(taxonomy, ranks): (&Taxonomy, &Vec<u32>)| {
            let with_span = |(node, loss)| {
                let (first, last) = taxonomy.span(node);
                (first, last, loss)
            };
            taxonomy.ladder(ranks[cell]).into_iter().map(with_span).collect()
        };
        self.field.taxonomies.iter().zip(&self.field.ranks).map(of_attribute).collect()
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
        (cluster.members, holds)
    }

    /// Whose joining costs least, and how many of them are needed; widens the cluster's box to hold them.
    ///
    /// Of the boxes around the cluster in which somebody is left, the one that costs least; among those in it, whoever the cluster lacks
    /// most against the table. Once a cluster is large enough and still fails, only those help whom it lacks.
    fn next_member(&mut self, cluster: &mut Cluster) -> Option<(u32, u64)> {
        let missing = self.judge.least().saturating_sub(cluster.tally.people);
        let choosy = missing == 0 && !self.judge.counts_only();
        let found = self.search(cluster, choosy).or_else(|| if choosy { self.search(cluster, false) } else { None })?;
        let (nodes, cell) = found;
        cluster.nodes = nodes;
        let wanted = if self.judge.counts_only() { missing } else { (cluster.tally.people / 64).max(missing / 16) };
        Some((cell, self.left[cell as usize].min(wanted.max(1))))
    }

    fn search(&mut self, cluster: &Cluster, choosy: bool) -> Option<(Vec<u32>, u32)> {
        let Self { field, points, left, nearest, judge, .. } = self;
        let (points, left) = (&*points, &*left);
        let here = |point: u32| points.cells(point).filter(move |&cell| left[cell as usize] > 0);
        let mut helps = |point| !choosy || here(point).any(|cell| field.need(&cluster.tally, cell) > 0.0);
        let nodes = nearest.cheapest(&cluster.nodes, &mut helps)?;
        let one_is_as_good = judge.counts_only();
        let mut best: Option<(f64, u32)> = None;
        nearest.visit(&nodes, &mut |point| {
            for cell in here(point) {
                let need = field.need(&cluster.tally, cell);
                if (!choosy || need > 0.0) && best.is_none_or(|(most, _)| need > most) {
                    best = Some((need, cell));
                }
            }
            one_is_as_good
        });
        best.map(|(_, cell)| (nodes, cell))
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
        if self.at_point[point as usize] == 0 {
            self.nearest.forget(point);
        }
    }
}

struct Cluster {
    members: Vec<FieldMember>,
    tally: Tally,
    /// The box: a node for each attribute.
    nodes: Vec<u32>,
}

/// The loss of the lowest of some nodes, each within the next, that is over a rank.
fn loss_with(nodes: &[(u32, u32, f64)], rank: u32) -> f64 {
    let at = nodes.partition_point(|&(first, last, _)| rank < first || rank > last);
    nodes.get(at).map_or(0.0, |node| node.2)
}
