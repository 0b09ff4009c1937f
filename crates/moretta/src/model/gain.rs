//! How far a release moves what an adversary believes.

use rayon::prelude::*;

use super::members::{MemberScratch, Members};
use crate::distance::PreparedDistance;
use crate::knowledge::{ClassBeliefs, Inference, Prior};

/// What an adversary gains about one sensitive attribute.
#[derive(Debug)]
pub struct Gain {
    attribute: usize,
    prior: Prior,
    distance: PreparedDistance,
    /// The prior of each point as counts, for the distances.
    counts: Vec<u64>,
}

/// Beliefs are measured as so many people: enough that rounding is far below any tolerance, few enough that
/// distances remain fractions.
const CROWD: f64 = (1_u64 << 48) as f64;

#[expect(clippy::cast_sign_loss, reason = "a share is not negative")]
fn count(share: f64) -> u64 {
    (share * CROWD).round() as u64
}

impl Gain {
    /// The gain of whoever has this prior, by this distance.
    pub fn new(attribute: usize, prior: Prior, distance: PreparedDistance) -> Self {
        let points = prior.len();
        let counts = (0..points).into_par_iter().flat_map_iter(|point| prior.at(point).iter().map(|&p| count(p)));
        let counts = counts.collect();
        Self { attribute, prior, distance, counts }
    }

    /// How far the beliefs about each member of a group move, point by point, under an inference; nothing where the prior
    /// excludes what the group shows, or the inference is too large.
    pub fn each<'s>(
        &self,
        members: &Members<'_>,
        exact: Option<u64>,
        scratch: &'s mut MemberScratch,
    ) -> std::result::Result<&'s [f64], Inference> {
        let values = self.prior.values();
        let MemberScratch { posterior, people, priors, after, distances, moved, .. } = scratch;
        people.clear();
        people.extend(members.points.iter().map(|&(_, people)| people));
        priors.clear();
        members.points.iter().for_each(|&(point, _)| priors.extend_from_slice(self.prior.at(point as usize)));
        let belief = ClassBeliefs { people, priors, values: &members.sensitive[self.attribute] };
        let found = match exact {
            Some(steps) => posterior.exact(&belief, steps),
            None => posterior.omega(&belief),
        };
        if found != Inference::Found {
            return Err(found);
        }
        moved.clear();
        for (&(point, _), row) in members.points.iter().zip(posterior.shares.chunks_exact(values)) {
            after.clear();
            after.extend(row.iter().map(|&share| count(share)));
            let before = &self.counts[point as usize * values..(point as usize + 1) * values];
            moved.push(self.distance.measure_in(after, before, distances));
        }
        Ok(moved)
    }

    /// The farthest that the belief about a member moves; infinite where the prior excludes what the group shows.
    pub(super) fn worst(&self, members: &Members<'_>, exact: Option<u64>, scratch: &mut MemberScratch) -> f64 {
        match self.each(members, exact, scratch) {
            Ok(moved) => moved.iter().copied().fold(0.0, f64::max),
            Err(Inference::TooLarge) => 0.0,
            Err(_) => f64::INFINITY,
        }
    }
}
