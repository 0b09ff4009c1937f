//! How likely each of the values is that a label stands for: the one place where estimates and beliefs learn it.
//!
//! Inside an interval all values are equally likely: by number where they are whole, by length on a line. The values of a set, of a
//! node of a hierarchy, of a mask and of `*` weigh as the square root of the people whom exact rows of the same column show with them, and a
//! weight of one is spread evenly over all ([`ExactValues`]). A missing value in an interval is weighed against the known ones likewise.

use super::{ExactValues, Known, Region, mask};
use crate::condition::ValueSet;
use crate::data::value::{Type, Value};
use crate::release::tally::ValueDistribution;

/// How likely a value is, given a label that stands for it.
///
/// A single number on a line has no share of a stretch, and yet stretches can be compared by how dense they are. So a likelihood
/// has an order: any of a lower order outweighs all of a higher one, as an exact value outweighs the intervals around it.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Likelihood {
    /// How many of its factors are densities; more than any number of them where a value is one that nothing else in its column
    /// stands for.
    pub order: u32,
    /// Its natural logarithm.
    pub ln: f64,
}

/// There are fewer densities than this among the factors of a likelihood: no table has so many columns.
const UNEXPECTED: u32 = 1 << 16;

impl Likelihood {
    fn share(share: f64) -> Self {
        Self { order: 0, ln: share.ln() }
    }

    fn density(density: f64) -> Self {
        Self { order: 1, ln: density.ln() }
    }

    /// Of a value that a label may stand for, and that no estimate expects.
    fn unexpected() -> Self {
        Self { order: UNEXPECTED, ln: 0.0 }
    }

    /// Of two things that do not depend on each other.
    #[must_use]
    pub fn and(self, other: Self) -> Self {
        Self { order: self.order + other.order, ln: self.ln + other.ln }
    }
}

impl Region {
    /// The share of what it stands for that lies in a set.
    pub fn share(&self, set: &ValueSet) -> f64 {
        match &self.known {
            Known::Values(values) => {
                let inside = values.iter().filter(|value| set.contains(value)).count()
                    + usize::from(self.or_missing && set.holds_missing());
                let all = values.len() + usize::from(self.or_missing);
                if all == 0 { 0.0 } else { self.seen.share(set, inside as f64 / all as f64) }
            }
            Known::Masked { kept, at_end, length } => self.seen.share(set, mask::share(set, kept, *at_end, *length)),
            Known::Anything(likely) => self.seen.share(set, even_share_of_anything(likely, set)),
            _ => self.share_of_interval(set),
        }
    }

    fn share_of_interval(&self, set: &ValueSet) -> f64 {
        let known = match &self.known {
            Known::Whole(low, high) | Known::Times(low, high) => set.count_whole(*low, *high) as f64 / self.size(),
            Known::Days(first, last) => set.count_whole(i64::from(*first), i64::from(*last)) as f64 / self.size(),
            Known::Span { low, high, .. } if high > low => set.length(*low, *high) / (high - low),
            Known::Span { low, .. } => f64::from(u8::from(set.contains(&Value::Number(*low)))),
            _ => 0.0,
        };
        match (self.or_missing, set.holds_missing()) {
            (false, _) => known,
            (true, false) => known * (1.0 - self.missing_in_interval()),
            // What is left of 1, so that a set that holds everything has a share of exactly 1.
            (true, true) => 1.0 - (1.0 - known) * (1.0 - self.missing_in_interval()),
        }
    }

    /// How many values an interval of discrete ones holds; on a line all of them count as one.
    fn size(&self) -> f64 {
        match &self.known {
            Known::Whole(low, high) | Known::Times(low, high) => high.abs_diff(*low) as f64 + 1.0,
            Known::Days(first, last) => f64::from(last.abs_diff(*first)) + 1.0,
            _ => 1.0,
        }
    }

    /// The share of missing values in an interval that may stand for one: evenly it is one value more.
    fn missing_in_interval(&self) -> f64 {
        if self.or_missing { self.seen.blend(self.seen.with(&Value::Missing), 1.0 / (self.size() + 1.0)) } else { 0.0 }
    }

    /// How likely a value is; nothing if it does not stand for it. `span` is the length of all that the column's labels stand for,
    /// by which densities are measured, so that they do not depend on units.
    pub fn likelihood(&self, value: &Value, span: f64) -> Option<Likelihood> {
        if !self.contains(value) {
            return None;
        }
        let share = self.share(&ValueSet::one(value.clone()));
        if share > 0.0 {
            return Some(Likelihood::share(share));
        }
        Some(match &self.known {
            Known::Span { low, high, .. } => {
                Likelihood::density((1.0 - self.missing_in_interval()) * span / (high - low))
            }
            Known::Anything(likely) => {
                let density = |region: &Self| region.likelihood(value, span).map_or(0.0, |found| found.ln.exp());
                let mean = likely.iter().map(density).sum::<f64>() / likely.len().max(1) as f64;
                // A value that nothing else in the column stands for may still be one that stands for anything.
                if mean > 0.0 { Likelihood::density(self.seen.blend(0.0, mean)) } else { Likelihood::unexpected() }
            }
            _ => Likelihood::unexpected(),
        })
    }

    /// How likely each known value of an interval is, all being so alike; nothing for other labels.
    pub fn even_likelihood(&self, span: f64) -> Option<Likelihood> {
        let value = match &self.known {
            Known::Whole(low, _) => Value::Integer(*low),
            Known::Days(first, _) => Value::Date(*first),
            Known::Times(first, _) => Value::Timestamp(*first),
            Known::Span { low, .. } => Value::Number(*low),
            _ => return None,
        };
        self.likelihood(&value, span)
    }

    /// The ends of what it stands for on a line.
    pub fn ends(&self) -> Option<(f64, f64)> {
        match &self.known {
            Known::Span { low, high, .. } => Some((*low, *high)),
            _ => self.only()?.as_number().map(|x| (x, x)),
        }
    }

    /// The listed values that it stands for, if it lists them.
    pub fn listed(&self) -> Option<impl Iterator<Item = &Value>> {
        const MISSING: &Value = &Value::Missing;
        match &self.known {
            Known::Values(values) => Some(values.iter().chain(self.or_missing.then_some(MISSING))),
            _ => None,
        }
    }

    /// The numbers of a set that it stands for: the smallest, the largest, and how they are distributed. Nothing where there is
    /// none.
    pub fn numbers(&self, set: &ValueSet, kind: Type) -> Option<(f64, f64, Option<ValueDistribution>)> {
        let whole = |low: f64, high: f64| {
            let runs = set.pieces(low, high, true);
            Some((runs.first()?.0, runs.last()?.1, ValueDistribution::of_runs(&runs)))
        };
        match &self.known {
            Known::Values(values) => {
                let even = ExactValues::added(1.0 / (values.len() + usize::from(self.or_missing)) as f64);
                let inside = values.iter().filter(|value| set.contains(value));
                let weighed = inside.filter_map(|value| Some((value.as_number()?, self.seen.with(value) + even)));
                let law = ValueDistribution::weighted(weighed.collect())?;
                Some((law.points.first()?.0, law.points.last()?.0, Some(law)))
            }
            Known::Whole(low, high) | Known::Times(low, high) => whole(*low as f64, *high as f64),
            Known::Days(first, last) => whole(f64::from(*first), f64::from(*last)),
            Known::Span { low, high, with_high } => {
                let pieces = set.pieces(*low, if *with_high { *high } else { high.next_down() }, false);
                Some((pieces.first()?.0, pieces.last()?.1, ValueDistribution::of_lengths(&pieces)))
            }
            Known::Masked { kept, at_end, length } => {
                let (low, high) = mask::numbers(kept, *at_end, *length);
                if kind != Type::Integer {
                    return Some((low, high, None));
                }
                let (low, high, even) = whole(low, high)?;
                Some((low, high, self.with_seen(set, even, mask::share(set, kept, *at_end, *length))))
            }
            Known::Anything(likely) => {
                let (low, high) = set.ends(f64::NEG_INFINITY, f64::INFINITY, kind != Type::Number)?;
                let law = |region: &Self| Some((region.numbers(set, kind)?.2?, region.share(set)));
                let even = ValueDistribution::mixture(&likely.iter().filter_map(law).collect::<Vec<_>>());
                Some((low, high, self.with_seen(set, even, even_share_of_anything(likely, set))))
            }
        }
    }

    /// The numbers in a set that were seen, and those that are added to them.
    fn with_seen(&self, set: &ValueSet, even: Option<ValueDistribution>, even_share: f64) -> Option<ValueDistribution> {
        let seen: Vec<(f64, f64)> = self.seen.numbers(set).collect();
        let total = seen.iter().map(|(_, weight)| weight).sum();
        match ValueDistribution::weighted(seen) {
            None => even,
            Some(seen) => ValueDistribution::mixture(&[(seen, total), (even?, ExactValues::added(even_share))]),
        }
    }
}

/// Any value: what the column's other labels stand for is likely, each label as much as another.
fn even_share_of_anything(likely: &[Region], set: &ValueSet) -> f64 {
    match likely {
        [] if set.holds_all_known() => 1.0,
        [] => 0.5,
        _ => likely.iter().map(|region| region.share(set)).sum::<f64>() / likely.len() as f64,
    }
}
