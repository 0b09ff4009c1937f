//! Numbers and days in intervals that a steward chooses: own cut points, coded ends, rounding.
//!
//! A label is an interval, `[18, 64]` or `[18, 65)`, or has one end: `< 18`, `>= 65`. An open one stands for an interval too, or nobody could
//! say what a sum is at most: as wide as its neighbour, doubled until it holds the values, and not below 0 where nothing is. So nothing tells more of
//! the largest value than that it is not many times larger. Days are counted, and beside a single cut an open interval is a year wide before it doubles.

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

/// The days of a year, and the first and the last one that have four digits for their year.
const YEAR: f64 = 365.0;
const FIRST_DAY: f64 = -719_162.0;
const LAST_DAY: f64 = 2_932_896.0;

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
    let levels = match spec {
        HierarchySpec::Cuts(levels) => Reach::of(domain).map(|reach| levels_between(&reach, levels)),
        HierarchySpec::DayCuts(levels) => Reach::of_days(domain).map(|reach| levels_between(&reach, &counted(levels))),
        HierarchySpec::Ends { bottom, top } => {
            Reach::of(domain).map(|reach| vec![reach.spans([*bottom, *top].into_iter().flatten().collect())])
        }
        _ => None,
    };
    let mut found: Vec<OpenInterval> = Vec::new();
    for open in levels.iter().flatten().flat_map(Spans::open) {
        if !found.contains(&open) {
            found.push(open);
        }
    }
    found
}

/// The intervals between cut points, level by level; nothing where values are no numbers.
pub(super) fn between(domain: &Domain, levels: &[Vec<f64>], attribute: &str) -> Result<Option<Vec<Path>>> {
    refuse_fractions(domain, levels.iter().flatten(), attribute)?;
    Ok(Reach::of(domain).and_then(|reach| paths_between(&reach, domain, levels)))
}

/// The intervals between days; nothing where values are no days.
pub(super) fn between_days(domain: &Domain, levels: &[Vec<i32>]) -> Option<Vec<Path>> {
    paths_between(&Reach::of_days(domain)?, domain, &counted(levels))
}

/// Days as numbers, which floats hold exactly.
fn counted(levels: &[Vec<i32>]) -> Vec<Vec<f64>> {
    levels.iter().map(|cuts| cuts.iter().copied().map(f64::from).collect()).collect()
}

fn paths_between(reach: &Reach, domain: &Domain, levels: &[Vec<f64>]) -> Option<Vec<Path>> {
    let levels = levels_between(reach, levels);
    if levels.is_empty() {
        return None;
    }
    let paths = present(domain).map(|value| {
        let groups: Option<Vec<String>> = levels.iter().map(|spans| spans.label(value)).collect();
        groups.map(|groups| path(value, groups))
    });
    paths.collect()
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

/// What the ends of intervals are.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Unit {
    /// Whole numbers: an interval ends before the next one begins.
    Whole,
    /// Days since 1970-01-01, likewise.
    Day,
    /// Numbers with decimals: the end of an interval is left out.
    Decimal,
}

impl Unit {
    fn spelled(self, end: f64) -> String {
        match self {
            Self::Whole => (end as i64).to_string(),
            Self::Day => Value::Date(end as i32).to_string(),
            Self::Decimal => end.to_string(),
        }
    }
}

/// Intervals that follow each other.
#[derive(Clone)]
struct Spans {
    unit: Unit,
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
        let high = self.ends.get(low + 1)?;
        Some(match self.open_label(low) {
            Some(label) => label,
            None if self.unit != Unit::Decimal && high - self.ends[low] <= 1.0 => value.to_string(),
            None => self.interval(low),
        })
    }

    /// The label of an interval that has one end.
    fn open_label(&self, low: usize) -> Option<String> {
        match (self.is_open_below && low == 0, self.is_open_above && low + 2 == self.ends.len()) {
            (true, false) => Some(format!("< {}", self.unit.spelled(self.ends[1]))),
            (false, true) => Some(format!(">= {}", self.unit.spelled(self.ends[low]))),
            _ => None,
        }
    }

    fn interval(&self, low: usize) -> String {
        let (low, high) = (self.ends[low], self.ends[low + 1]);
        match self.unit {
            Unit::Decimal => format!("[{low}, {high})"),
            unit => format!("[{}, {}]", unit.spelled(low), unit.spelled(high - 1.0)),
        }
    }

    /// Those that have one end.
    fn open(&self) -> Vec<OpenInterval> {
        let of = |low| Some(OpenInterval { label: self.open_label(low)?, interval: self.interval(low) });
        (0..self.ends.len().saturating_sub(1)).filter_map(of).collect()
    }
}

/// The smallest number or day of a column and the largest.
struct Reach {
    unit: Unit,
    low: f64,
    high: f64,
}

impl Reach {
    /// Nothing where values are no numbers.
    fn of(domain: &Domain) -> Option<Self> {
        let are_whole = present(domain).all(|value| matches!(value, Value::Integer(_)));
        let unit = if are_whole { Unit::Whole } else { Unit::Decimal };
        Self::over(domain, unit, |value| matches!(value, Value::Integer(_) | Value::Number(_)))
    }

    /// Nothing where values are no days.
    fn of_days(domain: &Domain) -> Option<Self> {
        Self::over(domain, Unit::Day, |value| matches!(value, Value::Date(_)))
    }

    fn over(domain: &Domain, unit: Unit, fits: impl Fn(&Value) -> bool) -> Option<Self> {
        let number = |value: &Value| value.as_number().filter(|_| fits(value));
        let numbers: Option<Vec<f64>> = present(domain).map(number).collect();
        let numbers = numbers?;
        let (low, high) = (numbers.first().copied().unwrap_or(0.0), numbers.last().copied().unwrap_or(0.0));
        Some(Self { unit, low, high })
    }

    /// The intervals between cut points, with an end below all values and one above them.
    fn spans(&self, cuts: Vec<f64>) -> Spans {
        let (Some(&first), Some(&last)) = (cuts.first(), cuts.last()) else {
            let ends = vec![self.low, self.high.next_up()];
            return Spans { unit: self.unit, ends, is_open_below: false, is_open_above: false };
        };
        let own = |cut: f64| if self.unit == Unit::Day { YEAR } else { cut.abs().max(1.0) };
        let (floor, ceiling) = match self.unit {
            Unit::Day => (FIRST_DAY.min(self.low), LAST_DAY.max(self.high) + 1.0),
            _ if self.low >= 0.0 => (0.0, f64::INFINITY),
            _ => (f64::NEG_INFINITY, f64::INFINITY),
        };
        let width = |pair: Option<&[f64]>, cut: f64| pair.map_or(own(cut), |pair| pair[1] - pair[0]);
        let below =
            (self.low < first).then(|| beyond(first, -width(cuts.windows(2).next(), first), |end| end <= self.low));
        let below = below.map(|end| end.max(floor));
        let above =
            (self.high >= last).then(|| beyond(last, width(cuts.windows(2).next_back(), last), |end| end > self.high));
        let above = above.map(|end| end.min(ceiling));
        let (is_open_below, is_open_above) = (below.is_some(), above.is_some());
        Spans {
            unit: self.unit,
            ends: below.into_iter().chain(cuts).chain(above).collect(),
            is_open_below,
            is_open_above,
        }
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

    fn day(text: &str) -> i32 {
        match Value::parse(text, Type::Date, Decimal::Point) {
            Some(Value::Date(day)) => day,
            other => panic!("{text}: {other:?}"),
        }
    }

    #[test]
    fn days_are_cut_as_numbers_are_and_a_single_cut_has_years_beside_it() {
        let stays = domain(Type::Date, &["2019-12-31", "2020-01-01", "2020-02-29", "2020-03-01", "2023-07-06"]);
        let levels = vec![vec![day("2020-01-01"), day("2020-02-29"), day("2020-03-01")], vec![day("2020-03-01")]];
        assert_eq!(
            labels(&between_days(&stays, &levels).unwrap()),
            [
                "2019-12-31 < 2020-01-01 < 2020-03-01 *",
                "2020-01-01 [2020-01-01, 2020-02-28] < 2020-03-01 *",
                "2020-02-29 2020-02-29 < 2020-03-01 *",
                "2020-03-01 >= 2020-03-01 >= 2020-03-01 *",
                "2023-07-06 >= 2020-03-01 >= 2020-03-01 *"
            ]
        );
        let spec = HierarchySpec::DayCuts(vec![vec![day("2020-01-01")]]);
        assert_eq!(
            opened(&spec, &stays),
            ["< 2020-01-01: [2019-01-01, 2019-12-31]", ">= 2020-01-01: [2020-01-01, 2023-12-30]"]
        );
        assert!(between_days(&domain(Type::Integer, &["3"]), &levels).is_none());
        assert!(between(&stays, &[vec![1.0]], "stay").unwrap().is_none());
    }

    #[test]
    fn an_open_interval_of_days_stays_within_four_digits_for_a_year() {
        let days = domain(Type::Date, &["0001-01-01", "2020-01-01", "9999-12-31"]);
        let spec = HierarchySpec::DayCuts(vec![vec![day("2020-01-01")]]);
        assert_eq!(
            opened(&spec, &days),
            ["< 2020-01-01: [0001-01-01, 2019-12-31]", ">= 2020-01-01: [2020-01-01, 9999-12-31]"]
        );
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

    /// The label of days that a label of their numbers means.
    fn in_days(label: &str) -> String {
        let day = |number: &str| Value::Date(number.parse().unwrap()).to_string();
        let ends = label.strip_prefix('[').and_then(|inner| inner.strip_suffix(']')?.split_once(", "));
        match (label.split_once(' '), ends) {
            (_, Some((low, high))) => format!("[{}, {}]", day(low), day(high)),
            (Some((sign, number)), None) => format!("{sign} {}", day(number)),
            (None, None) if label == "*" => label.to_owned(),
            (None, None) => day(label),
        }
    }

    proptest! {
        #[test]
        fn days_are_cut_where_their_numbers_are(
            values in proptest::collection::btree_set(-1000_i32..40_000, 1..40),
            cuts in proptest::collection::btree_set(-500_i32..30_000, 2..6),
        ) {
            let texts = |kind: fn(i32) -> Value| -> Vec<String> { values.iter().map(|&x| kind(x).to_string()).collect() };
            let of = |kind, texts: &[String]| domain(kind, &texts.iter().map(String::as_str).collect::<Vec<_>>());
            let days = of(Type::Date, &texts(Value::Date));
            let numbers = of(Type::Integer, &texts(|x| Value::Integer(x.into())));
            let cuts: Vec<i32> = cuts.into_iter().collect();
            let levels = vec![cuts.clone(), vec![cuts[1]]];
            let found = between_days(&days, &levels).unwrap();
            for (day, number) in found.iter().zip(between(&numbers, &counted(&levels), "x").unwrap().unwrap()) {
                let meant: Vec<String> = number.labels.iter().map(|label| in_days(label)).collect();
                prop_assert_eq!(day.labels.iter().map(ToString::to_string).collect::<Vec<_>>(), meant);
            }
        }

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
