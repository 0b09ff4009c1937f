//! What became of the expectation: the realized rank of every record among its candidates.

use rayon::prelude::*;

use super::{Coordinates, Family, Frame, KdTree, TraversalScratch};
use crate::progress::CancelToken;

/// Who could be whose, and how their records look.
#[derive(Clone, Copy, Debug)]
pub struct RankCandidates<'a> {
    /// The people.
    pub points: &'a Coordinates,
    /// Those of the same group are the candidates for each other's records.
    pub group_of_point: &'a [u32],
    /// The class of each point, and the shape of each class.
    pub class_of_point: &'a [u32],
    /// The shapes.
    pub frames: &'a [Frame],
    /// The family of densities.
    pub family: Family,
    /// What stops the ranking. What is found after that is not to be looked at.
    pub token: &'a CancelToken,
}

/// How many people fit each published location at least as well as its owner, who is included. `location` reads the location of a
/// record, in units; `owners` are points.
pub fn ranks(
    candidates: &RankCandidates<'_>,
    owners: &[u32],
    location: &(dyn Fn(usize, &mut [f64]) + Sync),
) -> Vec<u64> {
    let groups = candidates.group_of_point.iter().max().map_or(0, |&last| last as usize + 1);
    let mut members: Vec<Vec<u32>> = vec![Vec::new(); groups];
    (0..).zip(candidates.group_of_point).for_each(|(point, &group)| members[group as usize].push(point));
    let mut records: Vec<Vec<u32>> = vec![Vec::new(); groups];
    for (record, &point) in (0..).zip(owners) {
        records[candidates.group_of_point[point as usize] as usize].push(record);
    }
    let mut ranks = vec![0; owners.len()];
    for (members, records) in members.iter().zip(&records) {
        let tree = KdTree::new(&candidates.points.select(members));
        let rank = |scratch: &mut TraversalScratch, &record: &u32| {
            if candidates.token.is_cancelled() {
                return 0;
            }
            let owner = owners[record as usize] as usize;
            let frame = &candidates.frames[candidates.class_of_point[owner] as usize];
            let mut center = vec![0.0; tree.dims()];
            location(record as usize, &mut center);
            tree.rank(&center, &candidates.points.at(owner), candidates.family, Some(frame), scratch)
        };
        let found: Vec<u64> = records.par_iter().map_init(TraversalScratch::default, rank).collect();
        records.iter().zip(found).for_each(|(&record, rank)| ranks[record as usize] = rank);
    }
    ranks
}

/// The distribution of realized ranks.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Realized {
    /// The 5 % quantile, the median and the 95 % quantile.
    pub quantiles: [u64; 3],
    /// The mean.
    pub mean: f64,
    /// The share of records that have fewer candidates than they asked for.
    pub below: f64,
}

impl Realized {
    /// Sums up ranks; `asked` is what each record asked for.
    pub fn of(ranks: &[u64], asked: impl Iterator<Item = f64>) -> Self {
        let below = ranks.iter().zip(asked).filter(|(rank, k)| (**rank as f64) < *k).count();
        let mut sorted = ranks.to_vec();
        sorted.sort_unstable();
        let quantile =
            |percent: usize| sorted.get(sorted.len().saturating_sub(1) * percent / 100).copied().unwrap_or(0);
        let count = ranks.len().max(1) as f64;
        Self {
            quantiles: [quantile(5), quantile(50), quantile(95)],
            mean: ranks.iter().sum::<u64>() as f64 / count,
            below: below as f64 / count,
        }
    }
}
