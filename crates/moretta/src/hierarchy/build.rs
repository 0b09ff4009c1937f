//! Hierarchies made from the values themselves: intervals, masks, balanced trees, the calendar.

use chrono::Datelike;

use super::spec::{DateUnit, HierarchySpec, Side};
use super::tree::{Hierarchy, Path};
use super::{codes, cuts};
use crate::data::domain::Domain;
use crate::data::timestamp;
use crate::data::value::{Type, Value, date_of_days};
use crate::error::{Code, Error, Result};
use crate::numeric::decimal::DecimalSpan;

/// The label of the root of every hierarchy that we make.
const ROOT: &str = "*";

/// The hierarchy that a specification makes over a domain; nothing where none is wanted.
pub(super) fn build(spec: &HierarchySpec, domain: &Domain, attribute: &str) -> Result<Option<Hierarchy>> {
    let paths = match spec {
        HierarchySpec::Default if domain.kind() == Type::Date => calendar(domain, &DateUnit::OF_DAYS),
        HierarchySpec::Default if domain.kind() == Type::Timestamp => calendar(domain, &DateUnit::OF_TIMES),
        HierarchySpec::Free | HierarchySpec::Default => return Ok(None),
        HierarchySpec::Dates(units) => calendar(domain, units),
        HierarchySpec::File(file) => {
            let paths = with_missing(file.paths.to_vec(), domain);
            return Hierarchy::from_paths(&paths).map(Some).map_err(|error| error.at_file(&file.file));
        }
        HierarchySpec::Listed(leaves) => {
            let path =
                |labels: &Vec<String>| Path { labels: labels.iter().map(|l| l.as_str().into()).collect(), line: 0 };
            Some(leaves.iter().map(path).collect())
        }
        HierarchySpec::Intervals(widths) => intervals(domain, widths),
        HierarchySpec::Mask(side) => {
            refuse_stars(domain, attribute)?;
            Some(mask(domain, *side))
        }
        HierarchySpec::Balanced(fan) => balanced(domain, *fan),
        HierarchySpec::Cuts(levels) => cuts::between(domain, levels, attribute)?,
        HierarchySpec::DayCuts(levels) => cuts::between_days(domain, levels),
        HierarchySpec::Ends { bottom, top } => cuts::ends(domain, *bottom, *top, attribute)?,
        HierarchySpec::Round(unit) => cuts::rounded(domain, *unit),
        HierarchySpec::Prefixes(lengths) => {
            refuse_stars(domain, attribute)?;
            Some(codes::prefixes(domain, lengths))
        }
        HierarchySpec::Codes(system) => {
            refuse_stars(domain, attribute)?;
            Some(codes::by_structure(domain, *system, attribute)?)
        }
        HierarchySpec::Frequency(_) | HierarchySpec::FrequencyOrSets(_) | HierarchySpec::Columns(_) => {
            return Err(Error::bug(format!("the hierarchy of {attribute:?} was not made when its table was read")));
        }
    };
    let paths = paths.ok_or_else(|| {
        let needs = match spec {
            HierarchySpec::Dates(_) if domain.kind() == Type::Date => "times",
            HierarchySpec::Dates(_) => "dates or times",
            HierarchySpec::DayCuts(_) => "dates",
            HierarchySpec::Intervals(_)
            | HierarchySpec::Cuts(_)
            | HierarchySpec::Ends { .. }
            | HierarchySpec::Round(_) => "whole numbers or numbers",
            _ => "whole numbers, numbers or dates",
        };
        Error::input(format!("the hierarchy of {attribute:?} needs {needs}, but its type is {}", domain.kind().name()))
            .coded(Code::HierarchyWrong)
            .help(match spec {
                HierarchySpec::Dates(_) if domain.kind() == Type::Date => {
                    "days have no hours, and are days already: begin with a week or a month"
                }
                HierarchySpec::Cuts(_) if domain.kind() == Type::Date => "cut at days: cuts = [\"2020-01-01\"]",
                _ => "state the attribute's `type`, or another hierarchy",
            })
    })?;
    Hierarchy::from_paths(&with_missing(paths, domain)).map(Some)
}

/// A missing value that is kept stands directly below the root, unless the hierarchy says otherwise.
fn with_missing(mut paths: Vec<Path>, domain: &Domain) -> Vec<Path> {
    let listed = paths.iter().any(|path| path.labels.first().is_some_and(|leaf| leaf.is_empty()));
    if domain.missing().is_some() && !listed {
        let root = paths.first().and_then(|path| path.labels.last().cloned()).unwrap_or_else(|| ROOT.into());
        paths.push(Path { labels: vec!["".into(), root], line: 0 });
    }
    paths
}

pub(super) fn path(leaf: &Value, groups: impl IntoIterator<Item = String>) -> Path {
    let groups = groups.into_iter().map(String::into_boxed_str);
    let labels = std::iter::once(leaf.to_string().into()).chain(groups).chain([ROOT.into()]);
    Path { labels: labels.collect(), line: 0 }
}

pub(super) fn present(domain: &Domain) -> impl Iterator<Item = &Value> {
    domain.values().iter().filter(|value| !value.is_missing())
}

/// Decided as decimals: floats would put 0.6 into `[0.5, 0.6)`.
fn intervals(domain: &Domain, widths: &[f64]) -> Option<Vec<Path>> {
    let interval = |value: &Value, width: f64| match value {
        Value::Integer(i) => whole_interval(*i, width),
        Value::Number(x) => DecimalSpan::around(*x, width).and_then(|span| span.label(false)).or_else(|| {
            // Too far apart in size for a common unit: the number is its own interval, and its neighbours begin beside it.
            Some(format!("[{x}, {})", x.next_up()))
        }),
        _ => None,
    };
    present(domain)
        .map(|value| {
            let groups: Option<Vec<String>> = widths.iter().map(|&width| interval(value, width)).collect();
            groups.map(|groups| path(value, groups))
        })
        .collect()
}

/// The interval of whole numbers around one: exact for all 64 bits, also where floats skip whole numbers.
fn whole_interval(i: i64, width: f64) -> Option<String> {
    let steps = width as i64;
    if steps > 0 && (steps as f64 - width).abs() <= 0.0 {
        let low = i128::from(i).div_euclid(i128::from(steps)) * i128::from(steps);
        return Some(if steps == 1 { i.to_string() } else { format!("[{low}, {}]", low + i128::from(steps) - 1) });
    }
    DecimalSpan::around(i as f64, width)?.label(true)
}

/// `13053` becomes `1305*`, `130**`, …: each mask stands for all values with that beginning (or end).
fn mask(domain: &Domain, side: Side) -> Vec<Path> {
    let texts: Vec<(String, &Value)> = present(domain).map(|value| (value.to_string(), value)).collect();
    let longest = texts.iter().map(|(text, _)| text.chars().count()).max().unwrap_or(0);
    let masked = |text: &str, kept: usize| {
        let stars = "*".repeat(longest - kept);
        match side {
            Side::Right => text.chars().take(kept).chain(stars.chars()).collect::<String>(),
            Side::Left => stars.chars().chain(text.chars().skip(text.chars().count() - kept)).collect(),
        }
    };
    let mut paths: Vec<(String, Path)> = texts
        .iter()
        .map(|(text, value)| {
            let length = text.chars().count();
            let groups = (1..longest).rev().filter(|&kept| kept <= length).map(|kept| masked(text, kept));
            let order = if side == Side::Left { text.chars().rev().collect() } else { text.clone() };
            (order, path(value, groups))
        })
        .collect();
    // Values that share a mask stand side by side, so that siblings are neighbours in rank too.
    paths.sort_by(|a, b| a.0.cmp(&b.0));
    paths.into_iter().map(|(_, path)| path).collect()
}

/// Refuses to mask a text that has a `*` of its own: nobody could tell which of them hides something.
fn refuse_stars(domain: &Domain, attribute: &str) -> Result<()> {
    let starred = present(domain).find(|value| value.to_string().contains('*'));
    starred.map_or(Ok(()), |value| {
        Err(Error::input(format!("{attribute:?} is masked with *, and {} contains one", value.to_json()))
            .coded(Code::HierarchyWrong)
            .help("write another sign into the table, or state the hierarchy in a file"))
    })
}

/// Splits the values in order into `fan` parts of equal number, again and again.
fn balanced(domain: &Domain, fan: u32) -> Option<Vec<Path>> {
    if !domain.kind().is_ordered() {
        return None;
    }
    let values: Vec<&Value> = present(domain).collect();
    let mut groups: Vec<Vec<String>> = vec![Vec::new(); values.len()];
    let mut open = Vec::new();
    open.push(0..values.len());
    while let Some(range) = open.pop() {
        let parts = (fan as usize).min(range.len());
        for part in 0..parts {
            let start = range.start + range.len() * part / parts;
            let end = range.start + range.len() * (part + 1) / parts;
            if end - start > 1 {
                let label = format!("[{}, {}]", values[start], values[end - 1]);
                groups[start..end].iter_mut().for_each(|above| above.push(label.clone()));
                open.push(start..end);
            }
        }
    }
    Some(values.iter().zip(groups).map(|(value, groups)| path(value, groups.into_iter().rev())).collect())
}

fn calendar(domain: &Domain, units: &[DateUnit]) -> Option<Vec<Path>> {
    present(domain)
        .map(|value| {
            let (days, time) = match value {
                Value::Date(days) => (*days, None),
                Value::Timestamp(time) => (timestamp::day(*time), Some(*time)),
                _ => return None,
            };
            let date = date_of_days(days)?;
            let unit = |unit: &DateUnit| {
                Some(match unit {
                    DateUnit::Hour => timestamp::hour_label(time?)?,
                    DateUnit::Day => time.map(|_| date.to_string())?,
                    DateUnit::Week => format!("{:04}-W{:02}", date.iso_week().year(), date.iso_week().week()),
                    DateUnit::Month => format!("{:04}-{:02}", date.year(), date.month()),
                    DateUnit::Quarter => format!("{:04}-Q{}", date.year(), date.month0() / 3 + 1),
                    DateUnit::Year => format!("{:04}", date.year()),
                    DateUnit::Decade => format!("{:04}s", date.year().div_euclid(10) * 10),
                })
            };
            Some(path(value, units.iter().map(unit).collect::<Option<Vec<String>>>()?))
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::value::Decimal;

    /// The labels of a value's path in the hierarchy over some values.
    fn labels(spec: &HierarchySpec, kind: Type, values: &[&str], of: &str) -> Vec<String> {
        let values = values.iter().map(|text| Value::parse(text, kind, Decimal::Point).unwrap()).collect();
        let (domain, _) = Domain::from_unsorted(kind, values);
        let tree = build(spec, &domain, "x").unwrap().unwrap();
        let mut node = tree.leaf(tree.rank_by_label()[of]);
        let mut labels = vec![tree.label(node).to_owned()];
        while node != 0 {
            node = tree.parent(node);
            labels.push(tree.label(node).to_owned());
        }
        labels
    }

    #[test]
    fn intervals_of_whole_numbers_are_closed_and_of_numbers_half_open() {
        let spec = HierarchySpec::Intervals(vec![5.0, 10.0]);
        assert_eq!(labels(&spec, Type::Integer, &["-3", "17", "23"], "17"), ["17", "[15, 19]", "[10, 19]", "*"]);
        assert_eq!(labels(&spec, Type::Integer, &["-3", "17"], "-3"), ["-3", "[-5, -1]", "[-10, -1]", "*"]);
        assert_eq!(labels(&spec, Type::Number, &["17.5", "2"], "17.5"), ["17.5", "[15, 20)", "[10, 20)", "*"]);
    }

    #[test]
    fn fractional_intervals_hold_their_values() {
        let spec = HierarchySpec::Intervals(vec![0.1, 0.2]);
        let values = ["0.1", "0.5", "0.6", "0.7", "1.2"];
        assert_eq!(labels(&spec, Type::Number, &values, "0.6"), ["0.6", "[0.6, 0.7)", "[0.6, 0.8)", "*"]);
        assert_eq!(labels(&spec, Type::Number, &values, "0.7"), ["0.7", "[0.7, 0.8)", "[0.6, 0.8)", "*"]);
        assert_eq!(labels(&spec, Type::Number, &values, "1.2"), ["1.2", "[1.2, 1.3)", "[1.2, 1.4)", "*"]);
        let halves = HierarchySpec::Intervals(vec![2.5, 5.0]);
        assert_eq!(labels(&halves, Type::Integer, &["7", "8"], "8"), ["8", "[8, 9]", "[5, 9]", "*"]);
        let large = HierarchySpec::Intervals(vec![2.0]);
        let odd = "9007199254740993";
        assert_eq!(labels(&large, Type::Integer, &[odd], odd), [odd, "[9007199254740992, 9007199254740993]", "*"]);
    }

    #[test]
    fn a_text_with_a_star_of_its_own_is_not_masked() {
        let (domain, _) = Domain::from_unsorted(Type::Text, vec![Value::Text("a*".into())]);
        let error = build(&HierarchySpec::Mask(Side::Right), &domain, "zip").unwrap_err();
        assert_eq!(error.message(), "\"zip\" is masked with *, and \"a*\" contains one");
        let error = build(&HierarchySpec::Prefixes(vec![1]), &domain, "zip").unwrap_err();
        assert_eq!(error.message(), "\"zip\" is masked with *, and \"a*\" contains one");
    }

    #[test]
    fn masks_work_from_both_sides_and_on_uneven_lengths() {
        let values = ["13053", "13068", "130", "14850"];
        let right = HierarchySpec::Mask(Side::Right);
        assert_eq!(labels(&right, Type::Text, &values, "13053"), ["13053", "1305*", "130**", "13***", "1****", "*"]);
        assert_eq!(labels(&right, Type::Text, &values, "130"), ["130", "130**", "13***", "1****", "*"]);
        let left = HierarchySpec::Mask(Side::Left);
        assert_eq!(labels(&left, Type::Text, &values, "130"), ["130", "**130", "***30", "****0", "*"]);
    }

    #[test]
    fn a_balanced_tree_halves_the_values() {
        let spec = HierarchySpec::Balanced(2);
        let values = ["1", "2", "3", "4", "5"];
        assert_eq!(labels(&spec, Type::Integer, &values, "5"), ["5", "[4, 5]", "[3, 5]", "*"]);
        assert_eq!(labels(&spec, Type::Integer, &["7"], "7"), ["7", "*"]);
    }

    #[test]
    fn dates_generalize_to_month_quarter_year_decade() {
        let labels = labels(&HierarchySpec::Default, Type::Date, &["1994-03-07", "2001-12-31"], "1994-03-07");
        assert_eq!(labels, ["1994-03-07", "1994-03", "1994-Q1", "1994", "1990s", "*"]);
    }

    #[test]
    fn times_generalize_to_hour_day_month_quarter_year_decade_and_days_and_times_to_weeks() {
        let of = |spec: &HierarchySpec, kind, text| labels(spec, kind, &[text, "2021-12-31"], text);
        let time = "2021-01-03T14:30:05";
        assert_eq!(
            of(&HierarchySpec::Default, Type::Timestamp, time),
            [time, "2021-01-03T14", "2021-01-03", "2021-01", "2021-Q1", "2021", "2020s", "*"]
        );
        // The first Sunday of 2021 lies in the last week of 2020.
        let weeks = HierarchySpec::Dates(vec![DateUnit::Hour, DateUnit::Day, DateUnit::Week]);
        assert_eq!(of(&weeks, Type::Timestamp, time), [time, "2021-01-03T14", "2021-01-03", "2020-W53", "*"]);
        let weeks = HierarchySpec::Dates(vec![DateUnit::Week]);
        assert_eq!(of(&weeks, Type::Date, "2021-01-03"), ["2021-01-03", "2020-W53", "*"]);
        let (domain, _) = Domain::from_unsorted(Type::Date, vec![Value::Date(3)]);
        let error = build(&HierarchySpec::Dates(vec![DateUnit::Hour]), &domain, "seen").unwrap_err();
        assert!(error.to_string().contains("needs times, but its type is date"), "{error}");
    }

    #[test]
    fn a_hierarchy_that_does_not_fit_the_type_is_refused() {
        let (domain, _) = Domain::from_unsorted(Type::Text, vec![Value::Text("a".into())]);
        let error = build(&HierarchySpec::Intervals(vec![5.0]), &domain, "zip").unwrap_err();
        assert!(error.message().contains("needs whole numbers or numbers, but its type is text"), "{error}");
    }
}
