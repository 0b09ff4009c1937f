//! Every level that a table reaches, whether or not a policy asks for it.

use std::collections::BTreeMap;

use rayon::prelude::*;
use serde::Serialize;
use serde::ser::{SerializeMap as _, Serializer};

use super::delta_disclosure::disclosure;
use super::entropy_l_diversity::{effective_values, entropy};
use super::p_alpha_sensitive::CategoryWeights;
use super::recursive_l_diversity::c_to_exceed;
use super::worst::Worst;
use super::{Groups, Safer, Sensitive, level_to_json};
use crate::distance::{Ground, GroundedDistance, PreparedDistance, Scratch};
use crate::error::Result;
use crate::progress::CancelToken;

/// Recursive diversity is reported up to this ℓ: nobody asks for more, and each costs a pass over the counts.
const LARGEST_L: usize = 20;

/// The levels that the groups of a table reach.
#[derive(Clone, Debug, Serialize)]
#[non_exhaustive]
pub struct Levels {
    /// The groups.
    pub groups: usize,
    /// The people in the smallest.
    pub k: u64,
    /// The smallest groups, the smallest first.
    #[serde(skip)]
    pub smallest: Vec<usize>,
    /// The levels of each sensitive attribute, in the order of the policy; as JSON, by name.
    #[serde(serialize_with = "by_name")]
    pub sensitive: Vec<AttributeLevels>,
}

/// The levels that the groups of a table reach in one sensitive attribute: those of the worst group for each.
#[derive(Clone, Debug, Serialize)]
#[non_exhaustive]
pub struct AttributeLevels {
    /// The attribute.
    #[serde(skip)]
    pub name: String,
    /// Different values.
    pub distinct_l: u64,
    /// |G| / the count of the most frequent value.
    #[serde(serialize_with = "nullable")]
    pub probabilistic_l: f64,
    /// exp of the entropy.
    #[serde(serialize_with = "nullable")]
    pub entropy_l: f64,
    /// For each ℓ that holds with some c, what c must exceed.
    #[serde(serialize_with = "by_l")]
    pub recursive: BTreeMap<usize, f64>,
    /// The share of the most frequent value.
    #[serde(serialize_with = "nullable")]
    pub alpha: f64,
    /// Different values, under the name of the p-sensitive models.
    pub p: u64,
    /// Different categories, if the attribute has categories.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub p_plus: Option<u64>,
    /// The total weight, if the attribute has categories.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub weight: Option<f64>,
    /// The distance from the whole, for each distance that the attribute has; null where infinite.
    #[serde(serialize_with = "by_distance")]
    pub t: Vec<(&'static str, f64)>,
    /// The δ of disclosure; null where infinite.
    #[serde(serialize_with = "nullable")]
    pub delta: f64,
    /// The worst groups for each level, by their number, the worst first.
    #[serde(skip)]
    pub worst: Vec<(&'static str, Vec<usize>)>,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes fields by reference")]
fn nullable<S: Serializer>(level: &f64, serializer: S) -> Result<S::Ok, S::Error> {
    level_to_json(*level).serialize(serializer)
}

fn by_l<S: Serializer>(levels: &BTreeMap<usize, f64>, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_map(levels.iter().map(|(l, &level)| (l, level_to_json(level))))
}

fn by_distance<S: Serializer>(levels: &[(&'static str, f64)], serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_map(levels.iter().map(|&(name, level)| (name, level_to_json(level))))
}

fn by_name<S: Serializer>(attributes: &[AttributeLevels], serializer: S) -> Result<S::Ok, S::Error> {
    let mut map = serializer.serialize_map(Some(attributes.len()))?;
    attributes.iter().try_for_each(|attribute| map.serialize_entry(&attribute.name, attribute))?;
    map.end()
}

impl Levels {
    /// Measures all groups in one parallel pass.
    ///
    /// Distances: `equal`, `js`, `kl` and `variational` always, `ordered` (by rank) for numbers and dates, `hierarchical`
    /// with a hierarchy. O(values) for each group; memory does not grow with the groups.
    pub fn of(groups: &Groups, token: &CancelToken) -> Result<Self> {
        let meters = groups.whole.sensitive.iter().map(|sensitive| Meter::new(sensitive, groups.whole.people));
        let meters = meters.collect::<Result<Vec<_>>>()?;
        let start = || Tally::new(&meters);
        let work = || (start(), groups.scratch(), Scratch::default());
        let tally = (0..groups.len())
            .into_par_iter()
            .with_min_len(1024)
            .fold(work, |(mut tally, mut histograms, mut scratch), group| {
                if token.is_cancelled() {
                    return (tally, histograms, scratch);
                }
                groups.fill(group, &mut histograms);
                tally.smallest.offer(groups.people[group] as f64, group);
                for (index, (meter, tally)) in meters.iter().zip(&mut tally.attributes).enumerate() {
                    let seen = Seen {
                        group,
                        people: groups.people[group],
                        held: groups.held(index, group),
                        counts: &histograms[index],
                    };
                    meter.measure(&seen, &mut scratch, tally);
                }
                groups.clear(group, &mut histograms);
                (tally, histograms, scratch)
            })
            .map(|(tally, ..)| tally)
            .reduce(start, Tally::join);
        token.check()?;
        let finished = meters.iter().zip(&tally.attributes).zip(&groups.whole.sensitive);
        Ok(Self {
            groups: groups.len(),
            k: tally.smallest.level().map_or(0, as_count),
            smallest: tally.smallest.groups(),
            sensitive: finished.map(|((meter, tally), sensitive)| meter.finish(tally, &sensitive.name)).collect(),
        })
    }
}

#[expect(clippy::cast_sign_loss, reason = "it was a count before it was a level")]
fn as_count(level: f64) -> u64 {
    level as u64
}

/// One sensitive attribute of one group.
struct Seen<'a> {
    group: usize,
    people: u64,
    /// The values that occur, and the people that have each.
    held: (&'a [u32], &'a [u64]),
    counts: &'a [u64],
}

/// What is needed to measure one attribute.
struct Meter<'a> {
    sensitive: &'a Sensitive,
    people: u64,
    /// How many values anybody has.
    occurring: usize,
    distances: Vec<PreparedDistance>,
    weights: Option<CategoryWeights>,
}

/// The indices of the levels in [`AttributeTally::worst`]; categories and distances follow.
const FIXED: [(&str, Safer); 5] = [
    ("distinct_l", Safer::Higher),
    ("probabilistic_l", Safer::Higher),
    ("entropy_l", Safer::Higher),
    ("alpha", Safer::Lower),
    ("delta", Safer::Lower),
];
const CATEGORIES: [(&str, Safer); 2] = [("p_plus", Safer::Higher), ("weight", Safer::Higher)];

impl<'a> Meter<'a> {
    fn new(sensitive: &'a Sensitive, people: u64) -> Result<Self> {
        let mut wanted = Vec::new();
        if sensitive.domain.kind().is_ordered() {
            wanted.push(GroundedDistance::Emd(Ground::Rank));
        }
        wanted.push(GroundedDistance::Emd(Ground::Equal));
        if let Some((tree, ranks)) = &sensitive.hierarchy {
            wanted.push(GroundedDistance::Emd(Ground::Tree { tree, ranks }));
        }
        wanted.extend([GroundedDistance::Js, GroundedDistance::Kl]);
        let codes = sensitive.domain.len();
        let distances =
            wanted.into_iter().map(|distance| PreparedDistance::new(distance, codes)).collect::<Result<_>>()?;
        let occurring = sensitive.people.iter().filter(|&&count| count > 0).count();
        let weights = sensitive.categories.as_ref().map(CategoryWeights::new);
        Ok(Self { sensitive, people, occurring, distances, weights })
    }

    /// The names of the levels, in the order of [`AttributeTally::worst`].
    fn names(&self) -> impl Iterator<Item = (&'static str, Safer)> {
        let categories = CATEGORIES.into_iter().filter(|_| self.weights.is_some());
        let distances = self.distances.iter().map(|distance| (distance.name(), Safer::Lower));
        FIXED.into_iter().chain(categories).chain(distances)
    }

    fn measure(&self, seen: &Seen<'_>, scratch: &mut Scratch, tally: &mut AttributeTally) {
        let Seen { group, people, held: (codes, held), counts } = *seen;
        let most = held.iter().copied().max().unwrap_or(0).max(1) as f64;
        let delta = if held.len() < self.occurring {
            f64::INFINITY
        } else {
            let of_code =
                |(&code, &count)| disclosure(count, people, self.sensitive.people[code as usize], self.people);
            codes.iter().zip(held).map(of_code).fold(0.0, f64::max)
        };
        let size = people as f64;
        let fixed = [held.len() as f64, size / most, effective_values(entropy(people, held)), most / size, delta];
        fixed.into_iter().zip(&mut tally.worst).for_each(|(level, worst)| worst.offer(level, group));
        let mut next = FIXED.len();
        if let (Some(weights), Some(categories)) = (&self.weights, &self.sensitive.categories) {
            scratch.counts.clear();
            scratch.counts.resize(categories.len, 0);
            for &code in codes {
                scratch.counts[categories.of_code[code as usize] as usize] = 1;
            }
            tally.worst[next].offer(scratch.counts.iter().sum::<u64>() as f64, group);
            let weight = weights.total(codes.iter().map(|&code| code as usize).zip(held));
            tally.worst[next + 1].offer(weight.to_f64(), group);
            next += 2;
        }
        for (distance, worst) in self.distances.iter().zip(&mut tally.worst[next..]) {
            worst.offer(distance.measure_in(counts, &self.sensitive.people, scratch), group);
        }
        tally.take_recursive(people, held, &mut scratch.counts);
    }

    fn finish(&self, tally: &AttributeTally, name: &str) -> AttributeLevels {
        let level = |wanted: &str| {
            let found = self.names().zip(&tally.worst).find(|((name, _), _)| *name == wanted);
            found.and_then(|(_, worst)| worst.level())
        };
        let distinct = level("distinct_l").map_or(0, as_count);
        let mut t: Vec<(&'static str, f64)> =
            self.distances.iter().filter_map(|d| Some((d.name(), level(d.name())?))).collect();
        // The same number, by another name.
        t.extend(level("equal").map(|equal| ("variational", equal)));
        AttributeLevels {
            name: name.to_owned(),
            distinct_l: distinct,
            probabilistic_l: level("probabilistic_l").unwrap_or(0.0),
            entropy_l: level("entropy_l").unwrap_or(0.0),
            recursive: (2..).zip(tally.recursive.iter().copied()).collect(),
            alpha: level("alpha").unwrap_or(0.0),
            p: distinct,
            p_plus: level("p_plus").map(as_count),
            weight: level("weight"),
            t,
            delta: level("delta").unwrap_or(0.0),
            worst: self.names().zip(&tally.worst).map(|((name, _), worst)| (name, worst.groups())).collect(),
        }
    }
}

struct Tally {
    smallest: Worst,
    attributes: Vec<AttributeTally>,
}

impl Tally {
    fn new(meters: &[Meter<'_>]) -> Self {
        let attributes = meters.iter().map(|meter| AttributeTally {
            worst: meter.names().map(|(_, safer)| Worst::new(safer)).collect(),
            recursive: vec![0.0; meter.occurring.min(LARGEST_L).saturating_sub(1)],
        });
        Self { smallest: Worst::new(Safer::Higher), attributes: attributes.collect() }
    }

    fn join(mut self, other: Self) -> Self {
        self.smallest.join(&other.smallest);
        for (own, other) in self.attributes.iter_mut().zip(other.attributes) {
            own.worst.iter_mut().zip(&other.worst).for_each(|(own, other)| own.join(other));
            own.recursive.truncate(other.recursive.len());
            own.recursive.iter_mut().zip(other.recursive).for_each(|(own, other)| *own = own.max(other));
        }
        self
    }
}

struct AttributeTally {
    worst: Vec<Worst>,
    /// What c must exceed, for ℓ = 2, 3, … as long as every group so far has ℓ values.
    recursive: Vec<f64>,
}

impl AttributeTally {
    fn take_recursive(&mut self, people: u64, held: &[u64], room: &mut Vec<u64>) {
        self.recursive.truncate(held.len().saturating_sub(1));
        room.clear();
        room.extend_from_slice(held);
        room.sort_unstable_by(|a, b| b.cmp(a));
        let Some(&head) = room.first() else { return };
        let mut tail = people;
        for (level, &larger) in self.recursive.iter_mut().zip(&*room) {
            tail -= larger;
            *level = level.max(c_to_exceed(head, tail));
        }
    }
}
