//! What releases of one original are measured with: everything that does not depend on the release, made once.

use std::sync::Arc;

use super::populations::LargePopulations;
use super::privacy_loss::PrivacyLoss;
use super::query_error::Queries;
use super::utility_loss::UtilityLoss;
use crate::chance::Seed;
use crate::condition::ValueSet;
use crate::config::suggestion;
use crate::data::cells::{Cells, count_distinct};
use crate::data::value::{Type, Value};
use crate::distance::{Ground, GroundedDistance, NAMES, PreparedDistance, Scratch, divergence};
use crate::error::{Error, Result};
use crate::hierarchy::HierarchySpec;
use crate::kind::OpenRelease;
use crate::policy::Policy;
use crate::prepare::Prepared;
use crate::progress::Progress;
use crate::query::{Truth, Workload};
use crate::release::{Analyst, Original, Populations, Sensitive};

/// The original, as far as one sensitive attribute goes, with its large populations and a set of queries.
#[derive(Debug)]
pub struct LossEvaluator {
    /// The quasi-identifiers and the one sensitive attribute, counted.
    pub(super) cells: Cells,
    pub(super) prepared: Arc<Prepared>,
    /// The index of the attribute among the sensitive ones.
    pub(super) attribute: usize,
    pub(super) distance: ShareDistance,
    pub(super) belief: Belief,
    /// The distribution of the attribute in the whole table.
    pub(super) overall: Vec<f64>,
    pub(super) large: LargePopulations,
    /// The true distribution in each large population.
    pub(super) truth: Vec<Vec<f64>>,
    pub(super) queries: Queries,
}

/// What is measured, and how.
#[derive(Clone, Debug)]
pub struct LossConfig {
    /// The sensitive attribute; may be left out where there is one.
    pub attribute: Option<String>,
    /// The share of people that makes a population large.
    pub min_support: f64,
    /// By how many conditions a population is described at most; nothing where there is no limit.
    pub max_conditions: Option<usize>,
    /// The distance between distributions, by its name.
    pub distance: String,
    /// How far kernel-smoothed distances smooth.
    pub bandwidth: f64,
    /// Whose belief privacy loss is about.
    pub belief: Belief,
    /// The queries.
    pub workload: Workload,
}

impl LossConfig {
    /// What is measured unless a plan says otherwise.
    pub fn usual(seed: Seed) -> Self {
        Self {
            attribute: None,
            min_support: 0.05,
            max_conditions: None,
            distance: "js".to_owned(),
            bandwidth: 0.5,
            belief: Belief::Posterior,
            workload: Workload { dimension: 3, selectivity: 0.05, queries: 500, seed },
        }
    }
}

/// What an adversary is taken to believe of a person.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Belief {
    /// What the release says of somebody with these quasi-identifiers, whatever its kind. Where published values of groups
    /// overlap, several groups may hold the person, and all count.
    Posterior,
    /// The sensitive values of the person's own group, as if the adversary knew which it is. Li (2010), section 5.2.1,
    /// where groups never overlap; only for releases with groups.
    Group,
}

/// What a release costs people and analysts.
#[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct Losses {
    /// What the release tells about people.
    pub privacy: PrivacyLoss,
    /// What it tells somebody who knows everybody's group; nothing where it has no groups.
    pub known_group: Option<PrivacyLoss>,
    /// What it gets wrong about populations.
    pub utility: UtilityLoss,
    /// How far off counts are on average, by the true count.
    pub query_error: f64,
}

impl LossEvaluator {
    /// Prepares the measures for a policy's table.
    pub fn new(
        policy: &Policy,
        prepared: impl Into<Arc<Prepared>>,
        measuring: &LossConfig,
        progress: &Progress,
    ) -> Result<Self> {
        let prepared = prepared.into();
        let names: Vec<&str> = prepared.whole.sensitive.iter().map(|sensitive| sensitive.name.as_str()).collect();
        let attribute = match &measuring.attribute {
            None if names.len() == 1 => 0,
            None => {
                let (message, help) = match names.len() {
                    0 => (
                        "no attribute is sensitive, so nothing can be measured".to_owned(),
                        "give one the role \"sensitive\"".to_owned(),
                    ),
                    many => (
                        format!("{many} attributes are sensitive"),
                        format!("say which is measured: attribute = {:?}", names[0]),
                    ),
                };
                return Err(Error::input(message).help(help));
            }
            Some(name) => names.iter().position(|known| known == name).ok_or_else(|| {
                Error::input(format!("no sensitive attribute is called {name:?}")).help(suggestion(name, &names))
            })?,
        };
        let quasi = prepared.table.quasi.len();
        let kept: Vec<usize> = (0..quasi).chain([quasi + attribute]).collect();
        let sizes = prepared.table.quasi.iter().chain(&prepared.table.sensitive).map(|column| column.domain.len());
        let sizes: Vec<usize> = sizes.collect();
        let columns: Vec<(&[u32], usize)> =
            kept.iter().map(|&index| (prepared.cells.columns[index].as_slice(), sizes[index])).collect();
        let cells = count_distinct(&columns, prepared.cells.len(), Some(&prepared.cells.people));
        let sensitive = &prepared.whole.sensitive[attribute];
        let distance = ShareDistance::new(&measuring.distance, measuring.bandwidth, sensitive)?;
        let overall = normalized(sensitive.people.iter().map(|&people| people as f64).collect()).unwrap_or_default();
        let described: Vec<(&str, &HierarchySpec, &_)> = policy
            .linkable_attributes()
            .zip(&prepared.scales)
            .map(|(attribute, scale)| (attribute.name.as_str(), &attribute.hierarchy, scale))
            .collect();
        let (share, conditions) = (measuring.min_support, measuring.max_conditions);
        let large = LargePopulations::find(&described, &cells, share, conditions, progress.token())?;
        let mut evaluator = Self {
            cells,
            attribute,
            distance,
            belief: measuring.belief,
            overall,
            large,
            truth: Vec::new(),
            queries: Queries::default(),
            prepared,
        };
        let original = evaluator.original();
        let truth = Truth(&original).histograms(&evaluator.large.populations, quasi)?;
        let queries = Queries::new(&measuring.workload, &original, progress)?;
        let overall = &evaluator.overall;
        let truth = truth.into_iter().map(|people| normalized(people).unwrap_or_else(|| overall.clone())).collect();
        (evaluator.truth, evaluator.queries) = (truth, queries);
        Ok(evaluator)
    }

    /// The original, with the one sensitive attribute.
    pub fn original(&self) -> Original<'_> {
        let mut original = Original::new(&self.prepared.table, &self.cells);
        original.sensitive = vec![original.sensitive.swap_remove(self.attribute)];
        original
    }

    /// How many large populations there are.
    pub fn populations(&self) -> usize {
        self.large.len()
    }

    /// The sensitive attribute that is measured.
    pub fn sensitive(&self) -> &Sensitive {
        &self.prepared.whole.sensitive[self.attribute]
    }

    /// Measures a release.
    pub fn measure(&self, release: &dyn OpenRelease, progress: &Progress) -> Result<Losses> {
        progress.start("measuring", 0);
        let asked = Asked::new(self, release)?;
        let known_group = release.groups().ok().map(|groups| PrivacyLoss::of_groups(self, groups, &asked, progress));
        progress.check()?;
        Ok(Losses {
            privacy: match self.belief {
                Belief::Posterior => PrivacyLoss::measure(self, release, &asked, progress)?,
                Belief::Group => known_group.ok_or_else(|| {
                    Error::data("the release has no groups, so nobody has one").help("belief = \"posterior\"")
                })?,
            },
            known_group,
            utility: UtilityLoss::measure(self, release, &asked)?,
            query_error: self.queries.mean_error(release, &asked)?,
        })
    }
}

/// Where a release has what the original has.
#[derive(Debug)]
pub(super) struct Asked {
    /// The release's index of each quasi-identifier.
    pub(super) indices: Vec<usize>,
    /// Whether the release blurs or draws numbers where the original has whole ones.
    broken: Vec<bool>,
    /// The release's index of the sensitive attribute.
    pub(super) sensitive: usize,
    /// The code, in the original, of each value of the sensitive attribute in the release; values that only the
    /// release has come after all others.
    pub(super) codes: Vec<usize>,
    /// How many values there are in both together.
    pub(super) values: usize,
}

impl Asked {
    pub(super) fn new(evaluator: &LossEvaluator, release: &dyn Analyst) -> Result<Self> {
        let known = release.attributes();
        let index = |name: &str| {
            known.iter().position(|askable| askable.name == name).ok_or_else(|| {
                Error::data(format!("the release can't be asked about {name:?}, so its utility is not measured"))
            })
        };
        let quasi = &evaluator.prepared.table.quasi;
        let indices = quasi.iter().map(|column| index(&column.name)).collect::<Result<Vec<usize>>>()?;
        let broken =
            quasi.iter().zip(&indices).map(|(column, &index)| is_broken(column.domain.kind(), known[index].kind));
        let broken = broken.collect();
        let domain = &evaluator.sensitive().domain;
        let sensitive = index(&evaluator.sensitive().name)?;
        let mut values = domain.len();
        let code = |value| {
            domain.code(value).map_or_else(
                || {
                    values += 1;
                    values - 1
                },
                |code| code as usize,
            )
        };
        let codes = release.values_of(sensitive)?.iter().map(code).collect();
        Ok(Self { indices, broken, sensitive, codes, values })
    }

    /// Numbers by the release's values, by the original's.
    pub(super) fn by_code(&self, numbers: &[f64]) -> Vec<f64> {
        let mut by_code = vec![0.0; self.values];
        self.codes.iter().zip(numbers).for_each(|(&code, number)| by_code[code] += number);
        by_code
    }

    /// The expected histograms of populations, by the original's values.
    pub(super) fn histograms(&self, release: &dyn Analyst, populations: &Populations) -> Result<Vec<Vec<f64>>> {
        let mut moved = populations.clone();
        for (index, set) in &mut moved.conditions {
            if self.broken[*index] {
                *set = around(set);
            }
            *index = self.indices[*index];
        }
        let found = release.histograms(&moved, self.sensitive)?;
        Ok(found.iter().map(|histogram| self.by_code(histogram)).collect())
    }
}

/// Whether whole numbers of the original are any numbers in the release.
#[doc(hidden)]
pub fn is_broken(original: Type, released: Type) -> bool {
    original == Type::Integer && released == Type::Number
}

/// All numbers that are rounded to the whole numbers of a set.
#[doc(hidden)]
pub fn around(set: &ValueSet) -> ValueSet {
    let missing = if set.holds_missing() { ValueSet::missing() } else { ValueSet::nothing() };
    set.intervals(true).into_iter().fold(missing, |all, (low, high)| {
        let range = ValueSet::above(Value::Number(low), true).intersect(&ValueSet::below(Value::Number(high), false));
        all.union(&range)
    })
}

/// A distance between distributions that are given by shares.
#[derive(Clone, Debug)]
pub struct ShareDistance(PreparedDistance);

impl ShareDistance {
    /// A distance by its name.
    pub fn new(name: &str, bandwidth: f64, sensitive: &Sensitive) -> Result<Self> {
        let tree = sensitive.hierarchy.as_ref().map(|(tree, ranks)| Ground::Tree { tree, ranks });
        let ordered = sensitive.domain.kind().is_ordered();
        let distance = match name {
            "js" => GroundedDistance::Js,
            "kl" => GroundedDistance::Kl,
            "variational" => GroundedDistance::Variational,
            "equal" => GroundedDistance::Emd(Ground::Equal),
            "ordered" if ordered => GroundedDistance::Emd(Ground::Rank),
            "ordered" => {
                return Err(Error::input(format!("{:?} has no order", sensitive.name)).help("use js, or equal"));
            }
            "hierarchical" => GroundedDistance::Emd(tree.ok_or_else(|| {
                Error::input(format!("{:?} has no hierarchy", sensitive.name)).help("use js, or equal")
            })?),
            "kernel-js" => {
                let ground = tree.unwrap_or(if ordered { Ground::Rank } else { Ground::Equal });
                GroundedDistance::KernelJs { bandwidth, ground }
            }
            other => {
                return Err(Error::input(format!("there is no distance {other:?}")).help(suggestion(other, &NAMES)));
            }
        };
        PreparedDistance::new(distance, sensitive.domain.len()).map(Self)
    }

    /// The distance of one distribution from another.
    pub fn between(&self, p: &[f64], q: &[f64]) -> f64 {
        if self.0.name() == "js" {
            return divergence::js_of_shares(p, q);
        }
        let crowd = |shares: &[f64]| -> Vec<u64> { shares.iter().map(|&share| people(share)).collect() };
        self.0.measure_in(&crowd(p), &crowd(q), &mut Scratch::default())
    }
}

/// A share as so many people: enough that rounding does not show.
#[expect(clippy::cast_sign_loss, reason = "a share is not negative")]
fn people(share: f64) -> u64 {
    (share * (1_u64 << 48) as f64).round() as u64
}

/// Numbers by their sum; nothing where there is none.
pub(super) fn normalized(mut numbers: Vec<f64>) -> Option<Vec<f64>> {
    let sum: f64 = numbers.iter().sum();
    if sum <= 0.0 {
        return None;
    }
    numbers.iter_mut().for_each(|number| *number /= sum);
    Some(numbers)
}

/// A distribution with room for values that it lacks.
pub(super) fn padded(shares: &[f64], values: usize) -> Vec<f64> {
    let mut padded = shares.to_vec();
    padded.resize(values.max(shares.len()), 0.0);
    padded
}
