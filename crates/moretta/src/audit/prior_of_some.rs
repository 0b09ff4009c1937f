//! Priors of everybody or, where these are too many, of the people of some groups.

use crate::error::Result;
use crate::knowledge::{AttributeDistance, Prior};
use crate::model::Known;
use crate::text::{counted, grouped};

/// The most numbers that priors of everybody keep at a time: a quarter of a gigabyte.
const MOST_NUMBERS: usize = 1 << 25;

/// The most additions for everybody's prior: some seconds.
const MOST_ADDITIONS: u64 = 1 << 33;

/// The most pairs of people that are looked at for the priors of some, over all sensitive attributes: some seconds.
const MOST_PAIRS: usize = 1 << 32;

/// The most numbers in the priors of some.
const MOST_SHARES: usize = 1 << 23;

/// A kernel of up to this bandwidth leaves most people out, since texts are as far apart as can be.
const WIDE: f64 = 1.0;

/// So many quasi-identifiers are looked at until most people are left out.
const PASSES: usize = 4;

/// Groups that stand for all, and the points of their members.
#[derive(Debug)]
pub(super) struct Chosen {
    /// Their numbers, ascending.
    pub(super) groups: Vec<usize>,
    points: Vec<u32>,
    /// How they were chosen, for people.
    pub(super) how: String,
}

impl Chosen {
    /// The row of the prior that is about a point.
    pub(super) fn row_of(&self, point: u32) -> u32 {
        self.points.partition_point(|&other| other < point) as u32
    }

    /// Evenly chosen groups with at most so many points together; those that are larger than a quarter of that are passed over.
    fn new(groups: &[Vec<u32>], most: usize) -> Self {
        let small: Vec<usize> = (0..groups.len()).filter(|&group| groups[group].len() <= (most / 4).max(1)).collect();
        let all: usize = small.iter().map(|&group| groups[group].len()).sum();
        let mut left = most.max(1);
        let mut chosen: Vec<usize> = Vec::new();
        for &group in small.iter().step_by(all.div_ceil(most.max(1)).max(1)) {
            let Some(rest) = left.checked_sub(groups[group].len()) else { break };
            chosen.push(group);
            left = rest;
        }
        let mut points: Vec<u32> = chosen.iter().flat_map(|&group| groups[group].iter().copied()).collect();
        points.sort_unstable();
        points.dedup();
        let passed_over = groups.len() - small.len();
        let large = match passed_over {
            0 => String::new(),
            many => format!("; {} passed over", counted(many as u64, "large group was", "large groups were")),
        };
        let (some, all) = (grouped(chosen.len() as u64), grouped(groups.len() as u64));
        let how = format!("{some} of {all} groups, evenly chosen; people who are counted are theirs{large}");
        Self { groups: chosen, points, how }
    }
}

/// The prior of everybody; where that takes too long or too much room, of the people of some groups, and of which. A group is the list of its points.
pub(super) fn prior_of_some(
    known: &Known<'_>,
    attribute: usize,
    bandwidths: &[f64],
    groups: &[Vec<u32>],
) -> Result<(Prior, Option<Chosen>)> {
    let evidence = known.evidence(attribute);
    let distances: Vec<AttributeDistance> = known.scales.iter().map(AttributeDistance::of_scale).collect();
    let (points, quasi, values) = (known.points.len(), known.names.len(), evidence.values);
    if points.saturating_mul(quasi + 2).saturating_mul(values) <= MOST_NUMBERS
        && let Some(prior) = Prior::within(&evidence, &distances, bandwidths, MOST_ADDITIONS)?
    {
        return Ok((prior, None));
    }
    let passes = if bandwidths.iter().any(|&bandwidth| bandwidth > WIDE) { quasi } else { quasi.min(PASSES) };
    let of_one = points.saturating_mul(passes).saturating_mul(known.whole.sensitive.len()).max(1);
    let chosen = Chosen::new(groups, (MOST_PAIRS / of_one).min(MOST_SHARES / values.max(1)));
    Ok((Prior::of_points(&evidence, &distances, bandwidths, &chosen.points)?, Some(chosen)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn groups_are_chosen_evenly_and_within_the_limit() {
        let groups: Vec<Vec<u32>> = (0..100).map(|group| (group * 5..group * 5 + 5).collect()).collect();
        let chosen = Chosen::new(&groups, 50);
        assert_eq!(chosen.groups, (0..100).step_by(10).collect::<Vec<usize>>());
        assert_eq!((chosen.points.len(), chosen.row_of(51)), (50, 6));
        let mut uneven = groups;
        uneven[0] = (0..400).collect();
        let chosen = Chosen::new(&uneven, 50);
        assert_eq!(chosen.groups[0], 1);
        assert!(chosen.how.ends_with("theirs; 1 large group was passed over"));
    }
}
