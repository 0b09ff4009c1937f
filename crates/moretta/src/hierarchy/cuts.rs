//! Numbers in intervals that a steward chooses: own cut points, coded ends, rounding.
//!
//! Every label is a closed statement, `[18, 64]` or `[18, 65)`: what lies beyond the outermost cuts goes into an interval as wide as its
//! neighbour, doubled until it holds the values. So a label tells of the largest value no more than that it is not many times larger.

use super::build::{path, present};
use super::tree::Path;
use crate::data::domain::Domain;
use crate::data::value::Value;
use crate::error::{Code, Error, Result};
use crate::numeric::decimal::DecimalSpan;

/// Whole numbers beyond this can't be told from each other as floats.
const EXACT: f64 = 9_007_199_254_740_992.0;

/// The intervals between cut points, level by level; nothing where values are no numbers.
pub(super) fn between(domain: &Domain, levels: &[Vec<f64>], attribute: &str) -> Result<Option<Vec<Path>>> {
    refuse_fractions(domain, levels.iter().flatten(), attribute)?;
    let Some(reach) = Reach::of(domain) else { return Ok(None) };
    let Some((finest, coarser)) = levels.split_first() else { return Ok(None) };
    // Coarser intervals end where the finest do, so that each holds those below it.
    let finest = reach.closed(finest);
    let within = |cuts: &Vec<f64>| -> Vec<f64> {
        let first = finest.first().filter(|&end| cuts.first().is_none_or(|cut| end < cut));
        let last = finest.last().filter(|&end| cuts.last().is_none_or(|cut| end > cut));
        first.into_iter().chain(cuts).chain(last).copied().collect()
    };
    let mut levels: Vec<Vec<f64>> = coarser.iter().map(within).collect();
    levels.insert(0, finest);
    let paths = present(domain).map(|value| {
        let groups: Option<Vec<String>> = levels.iter().map(|ends| interval(value, ends)).collect();
        groups.map(|groups| path(value, groups))
    });
    Ok(paths.collect())
}

/// The numbers below `bottom` together, those from `top` on, and all others by themselves.
pub(super) fn ends(
    domain: &Domain,
    bottom: Option<f64>,
    top: Option<f64>,
    attribute: &str,
) -> Result<Option<Vec<Path>>> {
    let cuts: Vec<f64> = [bottom, top].into_iter().flatten().collect();
    refuse_fractions(domain, cuts.iter(), attribute)?;
    let Some(reach) = Reach::of(domain) else { return Ok(None) };
    let closed = reach.closed(&cuts);
    let paths = present(domain).map(|value| {
        let x = value.as_number()?;
        let is_coded = bottom.is_some_and(|bottom| x < bottom) || top.is_some_and(|top| x >= top);
        let group = if is_coded { interval(value, &closed)? } else { value.to_string() };
        Some(path(value, [group]))
    });
    Ok(paths.collect())
}

/// The numbers that are rounded alike, half of a unit upwards.
pub(super) fn rounded(domain: &Domain, unit: f64) -> Option<Vec<Path>> {
    let span = |value: &Value| match value {
        Value::Integer(i) => DecimalSpan::rounded(*i as f64, unit).filter(|_| i.unsigned_abs() < 1 << 53)?.label(true),
        Value::Number(x) => DecimalSpan::rounded(*x, unit)?.label(false),
        _ => None,
    };
    present(domain).map(|value| Some(path(value, [span(value).unwrap_or_else(|| value.to_string())]))).collect()
}

/// A cut within whole numbers that is none would leave open on which side they lie.
fn refuse_fractions<'c>(domain: &Domain, mut cuts: impl Iterator<Item = &'c f64>, attribute: &str) -> Result<()> {
    let are_whole = present(domain).all(|value| matches!(value, Value::Integer(_)));
    match cuts.find(|cut| are_whole && (cut.fract().abs() > 0.0 || cut.abs() >= EXACT)) {
        None => Ok(()),
        Some(cut) => Err(Error::input(format!("{attribute:?} has whole numbers, and {cut} is no place to cut them"))
            .coded(Code::HierarchyWrong)
            .help("cut at whole numbers: 18 begins the interval that holds 18")),
    }
}

/// The interval in which a number lies, among the ends of all of them.
fn interval(value: &Value, ends: &[f64]) -> Option<String> {
    let x = value.as_number()?;
    let above = ends.partition_point(|&end| end <= x);
    let (low, high) = (ends.get(above.checked_sub(1)?)?, ends.get(above)?);
    Some(match value {
        Value::Integer(_) if high - low <= 1.0 => value.to_string(),
        Value::Integer(_) => format!("[{}, {}]", *low as i64, *high as i64 - 1),
        _ => format!("[{low}, {high})"),
    })
}

/// The smallest number of a column and the largest.
struct Reach {
    low: f64,
    high: f64,
}

impl Reach {
    /// Nothing where values are no numbers.
    fn of(domain: &Domain) -> Option<Self> {
        let number = |value: &Value| match value {
            Value::Integer(_) | Value::Number(_) => value.as_number(),
            _ => None,
        };
        let numbers: Option<Vec<f64>> = present(domain).map(number).collect();
        let numbers = numbers?;
        Some(Self { low: numbers.first().copied().unwrap_or(0.0), high: numbers.last().copied().unwrap_or(0.0) })
    }

    /// Cut points with an end below all values and one above them.
    fn closed(&self, cuts: &[f64]) -> Vec<f64> {
        let (Some(&first), Some(&last)) = (cuts.first(), cuts.last()) else {
            return vec![self.low, self.high.next_up()];
        };
        let own = |cut: f64| cut.abs().max(1.0);
        let width = |pair: Option<&[f64]>, cut: f64| pair.map_or(own(cut), |pair| pair[1] - pair[0]);
        let mut ends = cuts.to_vec();
        if self.low < first {
            ends.insert(0, beyond(first, -width(cuts.windows(2).next(), first), |end| end <= self.low));
        }
        if self.high >= last {
            ends.push(beyond(last, width(cuts.windows(2).next_back(), last), |end| end > self.high));
        }
        ends
    }
}

/// So many steps from a cut, doubled until they are enough.
fn beyond(cut: f64, mut step: f64, is_enough: impl Fn(f64) -> bool) -> f64 {
    while !is_enough(cut + step) {
        step *= 2.0;
    }
    cut + step
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::value::{Decimal, Type};
    use proptest::prelude::*;

    fn domain(kind: Type, values: &[&str]) -> Domain {
        Domain::from_unsorted(kind, values.iter().map(|v| Value::parse(v, kind, Decimal::Point).unwrap()).collect()).0
    }

    fn labels(paths: &[Path]) -> Vec<String> {
        paths.iter().map(|path| path.labels.join(" ")).collect()
    }

    #[test]
    fn cut_points_begin_intervals_and_the_last_one_is_closed() {
        let ages = domain(Type::Integer, &["3", "17", "18", "64", "65", "97"]);
        let found = between(&ages, &[vec![0.0, 18.0, 65.0], vec![18.0]], "age").unwrap().unwrap();
        assert_eq!(
            labels(&found),
            [
                "3 [0, 17] [0, 17] *",
                "17 [0, 17] [0, 17] *",
                "18 [18, 64] [18, 111] *",
                "64 [18, 64] [18, 111] *",
                "65 [65, 111] [18, 111] *",
                "97 [65, 111] [18, 111] *"
            ]
        );
        let weights = domain(Type::Number, &["-1", "0.5", "2.5"]);
        let found = between(&weights, &[vec![0.0, 2.5]], "w").unwrap().unwrap();
        assert_eq!(labels(&found), ["-1 [-2.5, 0) *", "0.5 [0, 2.5) *", "2.5 [2.5, 5) *"]);
    }

    #[test]
    fn ends_are_taken_together_and_the_others_stay() {
        let ages = domain(Type::Integer, &["3", "50", "89", "90", "104"]);
        let found = ends(&ages, Some(18.0), Some(90.0), "age").unwrap().unwrap();
        assert_eq!(labels(&found), ["3 [-54, 17] *", "50 50 *", "89 89 *", "90 [90, 161] *", "104 [90, 161] *"]);
    }

    #[test]
    fn what_is_rounded_alike_is_one_interval() {
        let ages = domain(Type::Integer, &["34", "35", "44", "45"]);
        let found = rounded(&ages, 10.0).unwrap();
        assert_eq!(labels(&found), ["34 [25, 34] *", "35 [35, 44] *", "44 [35, 44] *", "45 [45, 54] *"]);
        let pounds = domain(Type::Number, &["0.24", "0.25", "0.3"]);
        let found = rounded(&pounds, 0.1).unwrap();
        assert_eq!(labels(&found), ["0.24 [0.15, 0.25) *", "0.25 [0.25, 0.35) *", "0.3 [0.25, 0.35) *"]);
    }

    #[test]
    fn whole_numbers_are_cut_at_whole_numbers_and_texts_not_at_all() {
        let ages = domain(Type::Integer, &["3"]);
        assert!(between(&ages, &[vec![1.5]], "age").unwrap_err().message().contains("1.5 is no place"));
        assert!(between(&domain(Type::Text, &["a"]), &[vec![1.0]], "t").unwrap().is_none());
    }

    proptest! {
        /// The definition: a label says from where to where, and its values lie there.
        #[test]
        fn every_number_lies_in_its_intervals(
            values in proptest::collection::btree_set(-1000_i64..1000, 1..40),
            cuts in proptest::collection::btree_set(-500_i64..500, 1..6),
        ) {
            let texts: Vec<String> = values.iter().map(ToString::to_string).collect();
            let ages = domain(Type::Integer, &texts.iter().map(String::as_str).collect::<Vec<_>>());
            let cuts: Vec<f64> = cuts.iter().map(|&cut| cut as f64).collect();
            for path in between(&ages, &[cuts.clone(), vec![cuts[0]]], "x").unwrap().unwrap() {
                let x: i64 = path.labels[0].parse().unwrap();
                let mut inner = (x, x);
                for label in &path.labels[1..3] {
                    let ends = label.strip_prefix('[').and_then(|l| l.strip_suffix(']')).and_then(|l| l.split_once(", "));
                    let (low, high) = ends.map_or((x, x), |(low, high)| (low.parse().unwrap(), high.parse().unwrap()));
                    prop_assert!(low <= x && x <= high, "{label} {x}");
                    prop_assert!(low <= inner.0 && high >= inner.1);
                    prop_assert!(cuts.iter().all(|&cut| label == &path.labels[2] || cut as i64 <= low || cut as i64 > high));
                    inner = (low, high);
                }
            }
        }
    }
}
