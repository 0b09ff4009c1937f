//! What a table looks like before it is published: how large classes are, how values are distributed.

use std::sync::Arc;

use crate::condition::{QueryBox, ValueSet};
use crate::data::cells::{Cells, count_distinct};
use crate::data::domain::Domain;
use crate::data::value::Value;
use crate::release::Analyst;

/// An attribute is shown in at most so many parts.
const MOST_BINS: usize = 12;

/// The classes of more distinct rows are not counted.
const MOST_CELLS: usize = 2_000_000;

/// The original, as far as a report compares the release with it.
#[derive(Clone, Debug)]
pub struct OriginalRisk {
    /// The people.
    pub people: u64,
    /// How many share each combination of quasi-identifiers; nothing for a very large table, where counting them once more
    /// would take as long as publishing.
    pub classes: Option<Vec<u64>>,
    /// The attributes in parts.
    pub attributes: Vec<Binned>,
}

/// An attribute whose values are put into few parts.
#[derive(Clone, Debug)]
pub struct Binned {
    /// Its name.
    pub name: String,
    /// Whether it is sensitive.
    pub sensitive: bool,
    /// The parts.
    pub bins: Vec<Bin>,
}

/// A part of an attribute's values.
#[derive(Clone, Debug)]
pub struct Bin {
    /// What it is called.
    pub label: String,
    /// The values.
    pub values: ValueSet,
    /// The people who have one of them.
    pub people: u64,
}

type Named = (String, Arc<Domain>);

impl OriginalRisk {
    /// The original of these attributes and cells: a column for each quasi-identifier, then one for each sensitive attribute.
    pub fn of(quasi: &[Named], sensitive: &[Named], cells: &Cells) -> Self {
        let classes = (cells.len() <= MOST_CELLS).then(|| {
            let columns = quasi.iter().zip(&cells.columns);
            let sized: Vec<(&[u32], usize)> =
                columns.map(|((_, domain), column)| (column.as_slice(), domain.len())).collect();
            count_distinct(&sized, cells.len(), Some(&cells.people)).people
        });
        let binned = |(index, (name, domain)): (usize, &Named)| {
            let mut people = vec![0; domain.len()];
            let column = cells.columns[index].iter().zip(&cells.people);
            column.for_each(|(&code, count)| people[code as usize] += count);
            let bins = if domain.kind().is_ordered() && domain.len() > MOST_BINS {
                ranges(domain, &people)
            } else {
                most_frequent(domain, &people)
            };
            Binned { name: name.clone(), sensitive: index >= quasi.len(), bins }
        };
        let attributes = quasi.iter().chain(sensitive).enumerate().map(binned).collect();
        Self { people: cells.total(), classes, attributes }
    }
}

impl Binned {
    /// How many people a release lets expect in each part; nothing where it does not speak of the attribute.
    pub fn after(&self, answers: &dyn Analyst) -> Option<Vec<f64>> {
        let index = answers.attributes().iter().position(|askable| askable.name == self.name)?;
        let expected = |bin: &Bin| {
            let one = QueryBox { sides: vec![(index, bin.values.clone())] };
            answers.count(&[one]).ok()?.estimate
        };
        self.bins.iter().map(expected).collect()
    }
}

/// Parts of equal width on the line.
fn ranges(domain: &Domain, people: &[u64]) -> Vec<Bin> {
    let number = |code: usize| domain.value(code as u32).as_number();
    let known: Vec<usize> = (0..domain.len()).filter(|&code| number(code).is_some()).collect();
    let (Some(&first), Some(&last)) = (known.first(), known.last()) else { return most_frequent(domain, people) };
    let (low, high) = (number(first).unwrap_or(0.0), number(last).unwrap_or(0.0));
    let width = (high - low) / MOST_BINS as f64;
    let bin_of = |code: usize| {
        let share = (number(code).unwrap_or(low) - low) / width;
        #[expect(clippy::cast_sign_loss, reason = "no value lies below the lowest")]
        let bin = share as usize;
        bin.min(MOST_BINS - 1)
    };
    let runs: Vec<&[usize]> = known.chunk_by(|&a, &b| bin_of(a) == bin_of(b)).collect();
    let mut bins = Vec::with_capacity(runs.len());
    for (index, run) in runs.iter().enumerate() {
        let [from, to] = [run[0], run[run.len() - 1]].map(|code| domain.value(code as u32).clone());
        let values = match runs.get(index + 1) {
            Some(next) => {
                let until = ValueSet::below(domain.value(next[0] as u32).clone(), false);
                if index == 0 { until } else { ValueSet::above(from.clone(), true).intersect(&until) }
            }
            None if index == 0 => ValueSet::everything(),
            None => ValueSet::above(from.clone(), true),
        };
        let label = if from == to { from.to_string() } else { format!("{from} – {to}") };
        bins.push(Bin { label, values, people: run.iter().map(|&code| people[code]).sum() });
    }
    bins
}

/// The most frequent values, and all others together.
fn most_frequent(domain: &Domain, people: &[u64]) -> Vec<Bin> {
    let mut order: Vec<usize> = (0..domain.len()).collect();
    let all_fit = order.len() <= MOST_BINS;
    // Few numbers stay in their own order.
    if !(all_fit && domain.kind().is_ordered()) {
        order.sort_by_key(|&code| std::cmp::Reverse(people[code]));
    }
    let shown = if all_fit { order.len() } else { MOST_BINS - 1 };
    let one = |code: usize| match domain.value(code as u32) {
        Value::Missing => ("missing".to_owned(), ValueSet::missing()),
        value => (value.to_string(), ValueSet::one(value.clone())),
    };
    let mut listed = ValueSet::nothing();
    let mut bins = Vec::with_capacity(shown + 1);
    for &code in &order[..shown] {
        let (label, values) = one(code);
        listed = listed.union(&values);
        bins.push(Bin { label, values, people: people[code] });
    }
    if shown < order.len() {
        let others = &order[shown..];
        let label = format!("{} others", others.len());
        bins.push(Bin { label, values: listed.complement(), people: others.iter().map(|&code| people[code]).sum() });
    }
    bins
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::value::Type;

    fn people_in(bins: &[Bin], domain: &Domain, people: &[u64]) -> Vec<u64> {
        let held = |bin: &Bin| {
            let inside = domain.values().iter().zip(people).filter(|(value, _)| bin.values.contains(value));
            inside.map(|(_, people)| people).sum()
        };
        bins.iter().map(held).collect()
    }

    #[test]
    fn parts_hold_everybody_once() {
        let ages =
            Domain::from_sorted(Type::Integer, (17..91).filter(|age| age % 5 != 3).map(Value::Integer).collect());
        let people: Vec<u64> = (0..ages.len() as u64).collect();
        let bins = ranges(&ages, &people);
        assert_eq!(bins.len(), MOST_BINS);
        assert_eq!(bins[0].label, "17 – 22");
        assert_eq!(people_in(&bins, &ages, &people), bins.iter().map(|bin| bin.people).collect::<Vec<_>>());
        assert_eq!(bins.iter().map(|bin| bin.people).sum::<u64>(), people.iter().sum::<u64>());

        let jobs =
            Domain::from_sorted(Type::Text, (10..40).map(|job| Value::Text(format!("job {job}").into())).collect());
        let people: Vec<u64> = (0..30).map(|job| job * 7 % 30).collect();
        let bins = most_frequent(&jobs, &people);
        assert_eq!((bins.len(), bins[0].people), (MOST_BINS, 29));
        assert_eq!(bins[11].label, "19 others");
        assert_eq!(people_in(&bins, &jobs, &people), bins.iter().map(|bin| bin.people).collect::<Vec<_>>());
    }
}
