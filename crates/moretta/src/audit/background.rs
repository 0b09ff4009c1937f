//! The attack of an adversary who knows the table's patterns beforehand, on any release that shows groups.
//!
//! Li (2010), section 3.7.1. The knowledge is mined from the original, which stands for similar data that an adversary may hold; the
//! release may come from any method.

use super::prior_of_some::{Chosen, prior_of_some};
use crate::error::Result;
use crate::kind::OpenRelease;
use crate::knowledge::posterior::LIMIT;
use crate::knowledge::{AttributeDistance, Inference, Mining, Points, Prior};
use crate::model::{Barred, Gain, Known, Members, Placed};
use crate::numeric::tolerance;
use crate::progress::CancelToken;
use crate::release::Original;

/// Whom the attack exposes.
#[derive(Clone, Debug, PartialEq)]
pub struct Exposure {
    /// The people attacked.
    pub people: u64,
    /// Those whose bound is broken.
    pub vulnerable: u64,
    /// The worst level that anybody reaches: the fewest valid values, or the largest gain.
    pub worst: f64,
    /// People in groups whose values the knowledge excludes altogether: it contradicts the release, and nothing is
    /// concluded about them.
    pub contradicted: u64,
    /// The points of the worst-hit people, one a group, with the level of each; the worst first.
    pub worst_hit: Vec<(f64, u32)>,
    /// How those who were looked at were chosen, where there were too many.
    pub sampled: Option<String>,
}

/// The most steps of exact inference over all groups: a quarter of a minute. Where there are many groups, fewer of them are reasoned about exactly.
const MOST_STEPS: u64 = 1 << 33;

/// How many of the worst-hit are kept.
const WORST_HIT: usize = 10;

impl Exposure {
    fn of_people(people: u64, worst: f64) -> Self {
        Self { people, vulnerable: 0, worst, contradicted: 0, worst_hit: Vec::new(), sampled: None }
    }
}

/// A release beside the original, ready to be attacked.
#[derive(Debug)]
pub struct Background<'a> {
    known: Known<'a>,
    placed: Placed<'a>,
}

/// How an adversary updates her belief.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reasoning {
    /// Exactly where a group is small enough, else by the Ω-estimate.
    Exact,
    /// By the Ω-estimate, as the dissertation does.
    Omega,
}

impl<'a> Background<'a> {
    /// Finds out who stands in which group; nothing where the files do not tell, or the policy's description of the
    /// original is missing. `names` and `points` are those of the original's quasi-identifiers.
    pub fn new(
        release: &'a dyn OpenRelease,
        original: &Original<'a>,
        names: &'a [String],
        points: &'a Points,
        token: &'a CancelToken,
    ) -> Result<Option<Self>> {
        let Some((scales, whole)) = original.described else { return Ok(None) };
        let known = Known { names, scales, points, cells: original.cells, whole, token };
        Ok(Placed::new(release, original, points, token)?.map(|placed| Self { known, placed }))
    }

    /// Who has fewer than ℓ valid values of a sensitive attribute, for somebody who knows the rules.
    pub fn by_rules(&self, attribute: usize, mining: &Mining, l: u64) -> Result<Exposure> {
        let barred = Barred::new(attribute, &self.known.rules(attribute, mining)?.incompatible);
        let groups = self.placed.each(|members, scratch| {
            let all: u64 = members.points.iter().map(|&(_, people)| people).sum();
            let mut found = Exposure::of_people(all, f64::INFINITY);
            if !barred.matched(members, scratch) {
                found.contradicted = all;
                return found;
            }
            for class in 0..scratch.classes.len() {
                let valid = scratch.matching.valid_count(class);
                if (valid as f64) < found.worst {
                    found.worst = valid as f64;
                    let of_class = |&&(point, _): &&(u32, u64)| barred.class_of(point) == scratch.classes[class];
                    let member = members.points.iter().find(of_class);
                    found.worst_hit = member.map(|&(point, _)| (valid as f64, point)).into_iter().collect();
                }
                found.vulnerable += if valid < l { scratch.people[class] } else { 0 };
            }
            found
        });
        Ok(total(groups?, f64::INFINITY, f64::min))
    }

    /// About whom somebody with a prior of these bandwidths learns more than t, by the model's distance.
    pub fn by_prior(
        &self,
        attribute: usize,
        bandwidths: &[f64],
        distance: crate::distance::PreparedDistance,
        reasoning: Reasoning,
        t: f64,
    ) -> Result<Exposure> {
        let distances: Vec<AttributeDistance> = self.known.scales.iter().map(AttributeDistance::of_scale).collect();
        let prior = Prior::new(&self.known.evidence(attribute), &distances, bandwidths)?;
        self.by_known_prior(&Gain::new(attribute, prior, distance), reasoning, LIMIT, t, None)
    }

    /// The same with bounded work and memory: where everybody would be too many, some groups stand for all.
    pub(super) fn by_prior_of_some(
        &self,
        attribute: usize,
        bandwidths: &[f64],
        distance: crate::distance::PreparedDistance,
        reasoning: Reasoning,
        t: f64,
    ) -> Result<Exposure> {
        let groups =
            self.placed.each(|members, _| members.points.iter().map(|&(point, _)| point).collect::<Vec<u32>>())?;
        let (prior, chosen) = prior_of_some(&self.known, attribute, bandwidths, &groups)?;
        let visited = chosen.as_ref().map_or(groups.len(), |chosen| chosen.groups.len());
        let steps = LIMIT.min(MOST_STEPS / visited.max(1) as u64);
        drop(groups);
        self.by_known_prior(&Gain::new(attribute, prior, distance), reasoning, steps, t, chosen)
    }

    fn by_known_prior(
        &self,
        gain: &Gain,
        reasoning: Reasoning,
        steps: u64,
        t: f64,
        chosen: Option<Chosen>,
    ) -> Result<Exposure> {
        let groups = self.placed.each_numbered(|group, members, scratch| {
            // The prior has a row for each point or, where only some were chosen, for those.
            let rows: Vec<(u32, u64)> = match &chosen {
                None => members.points.to_vec(),
                Some(chosen) if chosen.groups.binary_search(&group).is_err() => return Exposure::of_people(0, 0.0),
                Some(chosen) => members.points.iter().map(|&(point, people)| (chosen.row_of(point), people)).collect(),
            };
            let all: u64 = members.points.iter().map(|&(_, people)| people).sum();
            let mut found = Exposure::of_people(all, 0.0);
            let placed = Members { points: &rows, sensitive: members.sensitive };
            let exactly = match reasoning {
                Reasoning::Exact => gain.each(&placed, Some(steps), scratch).map(<[f64]>::to_vec),
                Reasoning::Omega => Err(Inference::TooLarge),
            };
            let moved = match exactly {
                Err(Inference::TooLarge) => gain.each(&placed, None, scratch).map(<[f64]>::to_vec),
                settled => settled,
            };
            match moved {
                Ok(moved) => {
                    for (&(point, people), moved) in members.points.iter().zip(moved) {
                        if moved > found.worst {
                            found.worst = moved;
                            found.worst_hit = vec![(moved, point)];
                        }
                        found.vulnerable += if moved > t + tolerance::MEASURED { people } else { 0 };
                    }
                }
                Err(_) => found.contradicted = all,
            }
            found
        });
        Ok(Exposure { sampled: chosen.map(|chosen| chosen.how), ..total(groups?, 0.0, f64::max) })
    }
}

fn total(groups: Vec<Exposure>, best: f64, worse: fn(f64, f64) -> f64) -> Exposure {
    let mut sum = Exposure::of_people(0, best);
    for group in groups {
        sum.people += group.people;
        sum.vulnerable += group.vulnerable;
        sum.worst = worse(sum.worst, group.worst);
        sum.contradicted += group.contradicted;
        sum.worst_hit.extend(group.worst_hit);
    }
    // Stable: of equal levels the first group comes first.
    let sign = if worse(0.0, 1.0) > 0.5 { -1.0 } else { 1.0 };
    sum.worst_hit.sort_by(|a, b| (sign * a.0).total_cmp(&(sign * b.0)));
    sum.worst_hit.truncate(WORST_HIT);
    sum
}
