//! Anonymizes a table of ages and losses, and measures the bounds of averages.

use moretta::internals::distribution::{Annotated, Bounds, Shape, generalize, generalize_with_fakes};
use moretta::internals::numeric::tolerance;
use moretta::{CancelToken, Error, Result};
use rand::Rng;
use rayon::prelude::*;

use super::super::ExperimentContext;
use super::data::Rows;

/// Who stands together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Scheme {
    /// The steward's groups.
    SaOnly,
    /// In each of them, people of the same age.
    QiSa,
}

/// What groups follow.
#[derive(Clone, Debug)]
pub(super) enum Target {
    /// The table's own distribution.
    Table,
    /// That of another table.
    Of(Vec<u64>),
    /// That of the steward's group.
    Part,
    Uniform,
    /// Uniform over the range of the steward's group, with a tree of its own.
    UniformInPart,
    Normal {
        mean: f64,
        variance: f64,
    },
    Zipf {
        s: f64,
    },
}

/// One curve of a figure.
#[derive(Clone, Debug)]
pub(super) struct Setting {
    pub(super) scheme: Scheme,
    pub(super) target: Target,
    pub(super) fakes: f64,
    pub(super) arity: u32,
    /// Into how many steward's groups of ages the table is cut.
    pub(super) parts: u32,
}

impl Setting {
    pub(super) fn new(scheme: Scheme, target: Target) -> Self {
        Self { scheme, target, fakes: 0.0, arity: 2, parts: 1 }
    }

    /// Ratios in small groups must be small; the whole table can follow its own distribution exactly.
    fn max_denominator(&self, people: usize) -> u32 {
        match (self.scheme, &self.target) {
            (Scheme::QiSa, _) | (_, Target::Of(_)) => 16,
            (Scheme::SaOnly, Target::Table | Target::Part) => people as u32,
            (Scheme::SaOnly, _) => 64,
        }
    }
}

/// A group: how many of each age, and what sums of them can be.
struct Published {
    ages: Vec<u64>,
    bounds: Bounds,
}

const AGES: std::ops::RangeInclusive<u32> = 17..=90;
/// The mean relative error at each query range.
pub(super) fn errors(context: &ExperimentContext, rows: &Rows, setting: &Setting, ranges: &[u32]) -> Result<Vec<f64>> {
    let published = publish(rows, setting)?;
    let mut by_age = vec![(0_u64, 0_i128); *AGES.end() as usize + 1];
    for &(age, index) in &rows.people {
        let sums = &mut by_age[age as usize];
        *sums = (sums.0 + 1, sums.1 + i128::from(rows.domain[index as usize]));
    }
    let (youngest, oldest) = rows.people.iter().fold((u32::MAX, 0), |(a, b), (age, _)| (a.min(*age), b.max(*age)));
    let queries = context.settings.whole("queries")?;
    let mut means = Vec::new();
    for &range in ranges {
        let mut chance = context.seed.stream("distribution: queries", range.into());
        let mut sum = 0.0;
        let mut asked = 0;
        for _ in 0..queries {
            let from = chance.random_range(youngest..=oldest.saturating_sub(range).max(youngest));
            let ages = from as usize..=(from + range).min(*AGES.end()) as usize;
            let (people, truth) = by_age[ages.clone()].iter().fold((0, 0), |(n, s), (m, t)| (n + m, s + t));
            if people == 0 {
                continue;
            }
            let (mut low, mut high) = (0, 0);
            for group in &published {
                let selected: u64 = group.ages[ages.clone()].iter().sum();
                let (least, most) = group.bounds.sum(selected);
                (low, high) = (low + least, high + most);
            }
            if !(low <= truth && truth <= high) {
                return Err(Error::bug(format!(
                    "{truth} is not from {low} to {high}: a bound does not hold the truth"
                )));
            }
            sum += (high - low) as f64 / truth as f64;
            asked += 1;
        }
        means.push(sum / f64::from(asked.max(1)));
    }
    Ok(means)
}

/// The steward's group of each age: as many people in each as can be.
fn part_of_age(rows: &Rows, parts: u32) -> Vec<u32> {
    let mut counts = vec![0_u64; *AGES.end() as usize + 1];
    rows.people.iter().for_each(|(age, _)| counts[*age as usize] += 1);
    let mut before = 0;
    let part = |count: &u64| {
        let middle = before + count / 2;
        before += count;
        (middle * u64::from(parts) / rows.people.len().max(1) as u64).min(u64::from(parts) - 1) as u32
    };
    counts.iter().map(part).collect()
}

/// How many subdomains are published.
pub(super) fn subdomains(rows: &Rows, setting: &Setting) -> Result<u64> {
    Ok(publish(rows, setting)?.iter().map(|group| group.ages.iter().sum::<u64>()).sum())
}

fn publish(rows: &Rows, setting: &Setting) -> Result<Vec<Published>> {
    let part_of_age = part_of_age(rows, setting.parts);
    let mut published = Vec::new();
    for part in 0..setting.parts {
        let members: Vec<(u32, u32)> =
            rows.people.iter().copied().filter(|(age, _)| part_of_age[*age as usize] == part).collect();
        published.extend(publish_part(rows, &members, setting)?);
    }
    Ok(published)
}

fn publish_part(rows: &Rows, members: &[(u32, u32)], setting: &Setting) -> Result<Vec<Published>> {
    // The domain of the part: all of the table's, or only its own range.
    let used = match setting.target {
        Target::UniformInPart => {
            let ends = members.iter().fold((u32::MAX, 0), |(a, b), (_, index)| (a.min(*index), b.max(*index)));
            ends.0 as usize..ends.1 as usize + 1
        }
        _ => 0..rows.domain.len(),
    };
    let domain = &rows.domain[used.clone()];
    let counts = |people: &[(u32, u32)]| {
        let mut counts = vec![0_u64; domain.len()];
        people.iter().for_each(|(_, index)| counts[*index as usize - used.start] += 1);
        counts
    };
    let indices: Vec<u64> = domain.iter().map(|value| value.abs_diff(domain[0])).collect();
    let wished: Vec<f64> = match &setting.target {
        Target::Table => floats(&rows.counts()),
        Target::Of(other) => floats(other),
        Target::Part => floats(&counts(members)),
        Target::Uniform | Target::UniformInPart => vec![1.0; domain.len()],
        Target::Normal { mean, variance } => {
            domain.iter().map(|&x| (-(x as f64 - mean).powi(2) / (2.0 * variance)).exp()).collect()
        }
        Target::Zipf { s } => (1..=domain.len()).map(|k| (k as f64).powf(-s)).collect(),
    };
    let denominator = setting.max_denominator(rows.people.len());
    let tree = Annotated::nearest(Shape::balanced(&indices, setting.arity), &wished, denominator);
    let mut sorted = members.to_vec();
    sorted.sort_unstable();
    let groups: Vec<&[(u32, u32)]> = match setting.scheme {
        Scheme::SaOnly => vec![&sorted],
        Scheme::QiSa => sorted.chunk_by(|a, b| a.0 == b.0).collect(),
    };
    let publish = |people: &&[(u32, u32)]| {
        let values = counts(people);
        #[expect(clippy::cast_sign_loss, reason = "a share is not negative")]
        let budget = (setting.fakes * people.len() as f64 + tolerance::WHOLE).floor() as u64;
        let (tree, kept) = if setting.fakes > 0.0 {
            let tree = tree.binary(&indices);
            let kept = generalize_with_fakes(&tree, &values, budget, &CancelToken::new())?.kept;
            (tree, kept)
        } else {
            (tree.clone(), generalize(&tree, &values))
        };
        let subdomains: Vec<(i64, i64, u64)> = (0..)
            .zip(&kept)
            .filter(|(_, count)| **count > 0)
            .map(|(node, &count)| {
                let ranks = tree.shape.ranks(node);
                (domain[ranks.start as usize], domain[ranks.end as usize - 1], count)
            })
            .collect();
        let mut ages = vec![0; *AGES.end() as usize + 1];
        people.iter().for_each(|(age, _)| ages[*age as usize] += 1);
        Ok(Published { ages, bounds: Bounds::of(&subdomains) })
    };
    groups.par_iter().map(publish).collect()
}

fn floats(counts: &[u64]) -> Vec<f64> {
    counts.iter().map(|&count| count as f64).collect()
}
