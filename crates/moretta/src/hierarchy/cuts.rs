//! Numbers in intervals that a steward chooses: own cut points, coded ends, rounding.
//!
//! A label is an interval, `[18, 64]` or `[18, 65)`, or has one end: `< 18`, `>= 65`. An open one stands for an interval too, or nobody could
//! say what a sum is at most: as wide as its neighbour, doubled until it holds the values, and not below 0 where nothing is. So nothing tells more of
//! the largest value than that it is not many times larger.

use serde::{Deserialize, Serialize};

use super::build::{path, present};
use super::spec::HierarchySpec;
use super::tree::Path;
use crate::data::domain::Domain;
use crate::data::value::Value;
use crate::error::{Code, Error, Result};
use crate::numeric::decimal::DecimalSpan;

/// Whole numbers beyond this can't be told from each other as floats.
const EXACT: f64 = 9_007_199_254_740_992.0;

/// A label with one end, and the interval that it stands for.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct OpenInterval {
    /// `>= 65`
    pub label: String,
    /// `[65, 111]`
    pub interval: String,
}

/// The labels of a hierarchy that have one end.
pub fn open_intervals(spec: &HierarchySpec, domain: &Domain) -> Vec<OpenInterval> {
    let Some(reach) = Reach::of(domain) else { return Vec::new() };
    let levels = match spec {
        HierarchySpec::Cuts(levels) => levels_between(&reach, levels),
        HierarchySpec::Ends { bottom, top } => vec![reach.spans([*bottom, *top].into_iter().flatten().collect())],
        _ => Vec::new(),
    };
    let are_whole = present(domain).all(|value| matches!(value, Value::Integer(_)));
    let mut found: Vec<OpenInterval> = Vec::new();
    for open in levels.iter().flat_map(|spans| spans.open(are_whole)) {
        if !found.contains(&open) {
            found.push(open);
        }
    }
    found
}

/// The intervals between cut points, level by level; nothing where values are no numbers.
pub(super) fn between(domain: &Domain, levels: &[Vec<f64>], attribute: &str) -> Result<Option<Vec<Path>>> {
    refuse_fractions(domain, levels.iter().flatten(), attribute)?;
    let Some(reach) = Reach::of(domain) else { return Ok(None) };
    let levels = levels_between(&reach, levels);
    if levels.is_empty() {
        return Ok(None);
    }
    let paths = present(domain).map(|value| {
        let groups: Option<Vec<String>> = levels.iter().map(|spans| spans.label(value)).collect();
        groups.map(|groups| path(value, groups))
    });
    Ok(paths.collect())
}

/// Coarser intervals end where the finest do, so that each holds those below it.
fn levels_between(reach: &Reach, levels: &[Vec<f64>]) -> Vec<Spans> {
    let Some((finest, coarser)) = levels.split_first() else { return Vec::new() };
    let finest = reach.spans(finest.clone());
    let within = |cuts: &Vec<f64>| {
        let first = finest.ends.first().filter(|&end| cuts.first().is_none_or(|cut| end < cut));
        let last = finest.ends.last().filter(|&end| cuts.last().is_none_or(|cut| end > cut));
        Spans { ends: first.into_iter().chain(cuts).chain(last).copied().collect(), ..finest }
    };
    let coarser: Vec<Spans> = coarser.iter().map(within).collect();
    std::iter::once(finest.clone()).chain(coarser).collect()
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
    let spans = reach.spans(cuts);
    let paths = present(domain).map(|value| {
        let x = value.as_number()?;
        let is_coded = bottom.is_some_and(|bottom| x < bottom) || top.is_some_and(|top| x >= top);
        let group = if is_coded { spans.label(value)? } else { value.to_string() };
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

/// Intervals that follow each other.
#[derive(Clone)]
struct Spans {
    /// Where they begin, and where the last one ends.
    ends: Vec<f64>,
    /// Whether nobody has stated where the first one begins.
    is_open_below: bool,
    /// Whether nobody has stated where the last one ends.
    is_open_above: bool,
}

impl Spans {
    /// The label of the interval in which a number lies.
    fn label(&self, value: &Value) -> Option<String> {
        let x = value.as_number()?;
        let low = self.ends.partition_point(|&end| end <= x).checked_sub(1)?;
        let (is_whole, high) = (matches!(value, Value::Integer(_)), self.ends.get(low + 1)?);
        Some(match self.open_label(low, is_whole) {
            Some(label) => label,
            None if is_whole && high - self.ends[low] <= 1.0 => value.to_string(),
            None => self.interval(low, is_whole),
        })
    }

    /// The label of an interval that has one end.
    fn open_label(&self, low: usize, is_whole: bool) -> Option<String> {
        let spelled = |end: f64| if is_whole { (end as i64).to_string() } else { end.to_string() };
        match (self.is_open_below && low == 0, self.is_open_above && low + 2 == self.ends.len()) {
            (true, false) => Some(format!("< {}", spelled(self.ends[1]))),
            (false, true) => Some(format!(">= {}", spelled(self.ends[low]))),
            _ => None,
        }
    }

    fn interval(&self, low: usize, is_whole: bool) -> String {
        let (low, high) = (self.ends[low], self.ends[low + 1]);
        if is_whole { format!("[{}, {}]", low as i64, high as i64 - 1) } else { format!("[{low}, {high})") }
    }

    /// Those that have one end.
    fn open(&self, are_whole: bool) -> Vec<OpenInterval> {
        let of = |low| {
            Some(OpenInterval { label: self.open_label(low, are_whole)?, interval: self.interval(low, are_whole) })
        };
        (0..self.ends.len().saturating_sub(1)).filter_map(of).collect()
    }
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

    /// The intervals between cut points, with an end below all values and one above them.
    fn spans(&self, cuts: Vec<f64>) -> Spans {
        let (Some(&first), Some(&last)) = (cuts.first(), cuts.last()) else {
            return Spans { ends: vec![self.low, self.high.next_up()], is_open_below: false, is_open_above: false };
        };
        let own = |cut: f64| cut.abs().max(1.0);
        let width = |pair: Option<&[f64]>, cut: f64| pair.map_or(own(cut), |pair| pair[1] - pair[0]);
        let below =
            (self.low < first).then(|| beyond(first, -width(cuts.windows(2).next(), first), |end| end <= self.low));
        let below = below.map(|end| if self.low >= 0.0 { end.max(0.0) } else { end });
        let above =
            (self.high >= last).then(|| beyond(last, width(cuts.windows(2).next_back(), last), |end| end > self.high));
        let (is_open_below, is_open_above) = (below.is_some(), above.is_some());
        Spans { ends: below.into_iter().chain(cuts).chain(above).collect(), is_open_below, is_open_above }
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

    fn opened(spec: &HierarchySpec, domain: &Domain) -> Vec<String> {
        open_intervals(spec, domain).into_iter().map(|open| format!("{}: {}", open.label, open.interval)).collect()
    }

    #[test]
    fn cut_points_begin_intervals_and_the_last_one_is_open() {
        let ages = domain(Type::Integer, &["3", "17", "18", "64", "65", "97"]);
        let found = between(&ages, &[vec![0.0, 18.0, 65.0], vec![18.0]], "age").unwrap().unwrap();
        assert_eq!(
            labels(&found),
            [
                "3 [0, 17] [0, 17] *",
                "17 [0, 17] [0, 17] *",
                "18 [18, 64] >= 18 *",
                "64 [18, 64] >= 18 *",
                "65 >= 65 >= 18 *",
                "97 >= 65 >= 18 *"
            ]
        );
        let weights = domain(Type::Number, &["-1", "0.5", "2.5"]);
        let found = between(&weights, &[vec![0.0, 2.5]], "w").unwrap().unwrap();
        assert_eq!(labels(&found), ["-1 < 0 *", "0.5 [0, 2.5) *", "2.5 >= 2.5 *"]);
        let spec = HierarchySpec::Cuts(vec![vec![0.0, 2.5]]);
        assert_eq!(opened(&spec, &weights), ["< 0: [-2.5, 0)", ">= 2.5: [2.5, 5)"]);
        let spec = HierarchySpec::Cuts(vec![vec![0.0, 18.0, 65.0], vec![18.0]]);
        assert_eq!(opened(&spec, &ages), [">= 65: [65, 111]", ">= 18: [18, 111]"]);
    }

    #[test]
    fn ends_are_taken_together_and_the_others_stay() {
        let ages = domain(Type::Integer, &["3", "50", "89", "90", "104"]);
        let found = ends(&ages, Some(18.0), Some(90.0), "age").unwrap().unwrap();
        assert_eq!(labels(&found), ["3 < 18 *", "50 50 *", "89 89 *", "90 >= 90 *", "104 >= 90 *"]);
        let spec = HierarchySpec::Ends { bottom: Some(18.0), top: Some(90.0) };
        assert_eq!(opened(&spec, &ages), ["< 18: [0, 17]", ">= 90: [90, 161]"]);
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
            let levels = vec![cuts.clone(), vec![cuts[0]]];
            let open = open_intervals(&HierarchySpec::Cuts(levels.clone()), &ages);
            let in_full = |label: &str| {
                open.iter().find(|open| open.label == label).map_or_else(|| label.to_owned(), |open| open.interval.clone())
            };
            for path in between(&ages, &levels, "x").unwrap().unwrap() {
                let x: i64 = path.labels[0].parse().unwrap();
                let mut inner = (x, x);
                for label in path.labels[1..3].iter().map(|label| in_full(label)) {
                    let ends = label.strip_prefix('[').and_then(|l| l.strip_suffix(']')).and_then(|l| l.split_once(", "));
                    let (low, high) = ends.map_or((x, x), |(low, high)| (low.parse().unwrap(), high.parse().unwrap()));
                    prop_assert!(low <= x && x <= high, "{label} {x}");
                    prop_assert!(low <= inner.0 && high >= inner.1);
                    let is_coarse = label == in_full(&path.labels[2]);
                    prop_assert!(cuts.iter().all(|&cut| is_coarse || cut as i64 <= low || cut as i64 > high));
                    inner = (low, high);
                }
            }
        }
    }
}
