//! Random questions, and the truth about them, computed row by row.

use std::cmp::Ordering;
use std::collections::BTreeMap;
use std::fmt::Write as _;

use serde_json::Value as Json;

use crate::case::Case;
use crate::cell::{Cell, CellType};
use crate::dice::Dice;
use crate::library::{Answered, Asked};

/// A condition on the columns of a table.
#[derive(Clone, Debug)]
enum Condition {
    Compare(usize, &'static str, Cell),
    In(usize, Vec<Cell>),
    Between(usize, Cell, Cell),
    IsNull(usize),
    And(Box<Condition>, Box<Condition>),
    Or(Box<Condition>, Box<Condition>),
    Not(Box<Condition>),
}

/// Something that is asked for, with its column.
type Selected = (&'static str, usize);

/// What asking came to.
#[derive(Clone, Debug, Default)]
pub struct Asking {
    /// Questions that were answered.
    pub answered: usize,
    /// Questions that the release does not answer.
    pub declined: usize,
    /// What is wrong.
    pub wrong: Vec<String>,
}

/// Asks a release some questions. Its manifest says which keys it must list.
pub fn ask(case: &Case, asked: &Asked, manifest: &Json, dice: &mut Dice, questions: usize) -> Asking {
    let mut result = Asking::default();
    for _ in 0..questions {
        one(case, asked, manifest, dice, &mut result);
    }
    result
}

fn one(case: &Case, asked: &Asked, manifest: &Json, dice: &mut Dice, result: &mut Asking) {
    let open: Vec<usize> = (0..case.columns.len())
        .filter(|&index| matches!(case.columns[index].role, "quasi" | "sensitive" | "insensitive" | "unclassified"))
        .collect();
    let numbers: Vec<usize> = open.iter().copied().filter(|&index| case.columns[index].kind.is_number()).collect();
    if open.is_empty() || case.rows.is_empty() {
        return;
    }
    let condition = dice.percent(90).then(|| draw(case, dice, &open, 2));
    let selected: Selected = match numbers.as_slice() {
        numbers if !numbers.is_empty() && dice.percent(50) => {
            (*dice.pick(&["SUM", "AVG", "MIN", "MAX"]), *dice.pick(numbers))
        }
        _ => ("COUNT", 0),
    };
    let by = dice.percent(25).then(|| *dice.pick(&open));
    let name = |index: usize| case.columns[index].name.as_str();
    let what =
        if selected.0 == "COUNT" { "COUNT(*)".to_owned() } else { format!("{}({})", selected.0, name(selected.1)) };
    let mut sql = format!("SELECT {what}");
    if let Some(condition) = &condition {
        let _ = write!(sql, " WHERE {}", condition.sql(case));
    }
    if let Some(by) = by {
        let _ = write!(sql, " GROUP BY {}", name(by));
    }
    let found = match asked.answer(&sql) {
        Ok(found) => found,
        Err(error) if crate::library::sort(&error) == crate::library::Sort::Policy => {
            result.declined += 1;
            return;
        }
        Err(error) => {
            result.wrong.push(format!("{sql}: {error}"));
            return;
        }
    };
    result.answered += 1;
    let mut truth: BTreeMap<String, Vec<(usize, u64)>> = BTreeMap::new();
    if by.is_none() {
        truth.insert(String::new(), Vec::new());
    }
    for (row, weight) in case.people() {
        if condition.as_ref().is_none_or(|condition| condition.holds(&case.rows[row]) == Some(true)) {
            let key = by.map_or(String::new(), |by| case.rows[row][by].to_string());
            truth.entry(key).or_default().push((row, weight));
        }
    }
    let mut hidden = 0;
    for (key, rows) in &truth {
        let place = found.rows.iter().find(|row| row.key.first().map_or("", String::as_str) == key);
        let Some(place) = place else {
            hidden += rows.iter().map(|(_, weight)| weight).sum::<u64>();
            continue;
        };
        let Some(value) = aggregate(case, selected, rows) else { continue };
        let (lower, upper) = place.bounds[0];
        // Sums of decimals are rounded.
        let slack = 1e-9 * value.abs().max(1.0);
        let low = lower.is_some_and(|lower| value < lower - slack);
        let high = upper.is_some_and(|upper| value > upper + slack);
        let nothing = lower.is_none() && upper.is_none() && selected.0 == "COUNT";
        if low || high || nothing {
            result.wrong.push(format!("{sql}: bounds {lower:?} to {upper:?} at {key:?}, the truth is {value}"));
        }
    }
    if let Some(by) = by {
        let must_list = lists_all(manifest, name(by)).then(|| manifest["suppressed"].as_u64()).flatten();
        result.wrong.extend(unlisted(&found, hidden, must_list).map(|wrong| format!("{sql}: {wrong}")));
    }
}

/// Whether a release names every value that its labels stand for.
fn lists_all(manifest: &Json, attribute: &str) -> bool {
    let columns = manifest["columns"].as_array().into_iter().flatten();
    let Some(column) = columns.into_iter().find(|column| column["name"] == attribute) else { return false };
    let named = match column["values"]["meaning"].as_str() {
        Some("exact" | "set" | "hierarchy") => true,
        Some("interval") => matches!(column["type"].as_str(), Some("integer" | "date")),
        _ => false,
    };
    named && matches!(manifest["kind"].as_str(), Some("generalized" | "bucketized" | "sliced" | "ambiguous"))
}

/// Every key that somebody has is listed, or its people are counted as unlisted; where values are published as they are, all are listed but those of
/// people who were left out.
fn unlisted(found: &Answered, hidden: u64, must_list: Option<u64>) -> Option<String> {
    let (lower, upper) = found.unlisted.unwrap_or((Some(0.0), Some(0.0)));
    let people = hidden as f64;
    let counted = lower.is_some_and(|lower| lower <= people) && upper.is_none_or(|upper| people <= upper);
    if !counted {
        return Some(format!("{hidden} people have keys that are not listed, and {lower:?} to {upper:?} are counted"));
    }
    match must_list {
        Some(left_out) if hidden > left_out => Some(format!(
            "{hidden} people have keys that are not listed, though all values are published and {left_out} were left out"
        )),
        _ => None,
    }
}

/// The truth; nothing where there is nobody to speak of.
fn aggregate(case: &Case, (function, column): Selected, rows: &[(usize, u64)]) -> Option<f64> {
    if function == "COUNT" {
        return Some(rows.iter().map(|(_, weight)| weight).sum::<u64>() as f64);
    }
    let values: Vec<(f64, u64)> =
        rows.iter().filter_map(|&(row, weight)| Some((case.rows[row][column].location()?, weight))).collect();
    let people: u64 = values.iter().map(|(_, weight)| weight).sum();
    if people == 0 {
        return None;
    }
    let sum: f64 = values.iter().map(|&(value, weight)| value * weight as f64).sum();
    match function {
        "SUM" => Some(sum),
        "AVG" => Some(sum / people as f64),
        "MIN" => values.iter().map(|(value, _)| *value).reduce(f64::min),
        _ => values.iter().map(|(value, _)| *value).reduce(f64::max),
    }
}

#[expect(clippy::explicit_auto_deref, reason = "without it the type of the list is not known")]
fn draw(case: &Case, dice: &mut Dice, open: &[usize], depth: usize) -> Condition {
    if depth > 0 && dice.percent(45) {
        let part = |dice: &mut Dice| Box::new(draw(case, dice, open, depth - 1));
        return match dice.below(5) {
            0 | 1 => Condition::And(part(dice), part(dice)),
            2 | 3 => Condition::Or(part(dice), part(dice)),
            _ => Condition::Not(part(dice)),
        };
    }
    let column = *dice.pick(open);
    let kind = case.columns[column].kind;
    let value = |dice: &mut Dice| {
        let cell = case.rows[dice.below(case.rows.len())][column].clone();
        match cell {
            Cell::Missing => filler(kind),
            Cell::Whole(number) if dice.percent(20) => Cell::Whole(number + dice.between(-3, 3)),
            Cell::Hundredths(number) if dice.percent(20) => Cell::Hundredths(number + dice.between(-15, 15)),
            cell => cell,
        }
    };
    let ordered = kind.is_number() || kind == CellType::Day;
    match dice.below(10) {
        0 => Condition::IsNull(column),
        1 | 2 => Condition::In(column, (0..=dice.below(3)).map(|_| value(dice)).collect()),
        3 | 4 if ordered => {
            let (a, b) = (value(dice), value(dice));
            Condition::Between(column, a.clone().min(b.clone()), a.max(b))
        }
        5..9 if ordered => Condition::Compare(column, *dice.pick(&["<", "<=", ">", ">=", "=", "<>"]), value(dice)),
        _ => Condition::Compare(column, *dice.pick(&["=", "<>"]), value(dice)),
    }
}

fn filler(kind: CellType) -> Cell {
    match kind {
        CellType::Whole => Cell::Whole(7),
        CellType::Hundredths => Cell::Hundredths(70),
        CellType::Day => Cell::Day(1990, 1, 1),
        CellType::Text => Cell::Text("a0".to_owned()),
        CellType::Flag => Cell::Flag(true),
    }
}

impl Condition {
    fn sql(&self, case: &Case) -> String {
        let name = |index: &usize| case.columns[*index].name.as_str();
        match self {
            Self::Compare(column, sign, value) => format!("{} {sign} {}", name(column), value.to_sql()),
            Self::In(column, values) => {
                let list: Vec<String> = values.iter().map(Cell::to_sql).collect();
                format!("{} IN ({})", name(column), list.join(", "))
            }
            Self::Between(column, low, high) => {
                format!("{} BETWEEN {} AND {}", name(column), low.to_sql(), high.to_sql())
            }
            Self::IsNull(column) => format!("{} IS NULL", name(column)),
            Self::And(a, b) => format!("({} AND {})", a.sql(case), b.sql(case)),
            Self::Or(a, b) => format!("({} OR {})", a.sql(case), b.sql(case)),
            Self::Not(a) => format!("NOT ({})", a.sql(case)),
        }
    }

    /// As SQL has it: a comparison with a missing value is neither true nor false.
    fn holds(&self, row: &[Cell]) -> Option<bool> {
        match self {
            Self::Compare(column, sign, value) => {
                let order = row[*column].compare(value)?;
                Some(match *sign {
                    "<" => order == Ordering::Less,
                    "<=" => order != Ordering::Greater,
                    ">" => order == Ordering::Greater,
                    ">=" => order != Ordering::Less,
                    "=" => order == Ordering::Equal,
                    _ => order != Ordering::Equal,
                })
            }
            Self::In(column, values) => (!row[*column].is_missing()).then(|| values.contains(&row[*column])),
            Self::Between(column, low, high) => {
                (!row[*column].is_missing()).then(|| *low <= row[*column] && row[*column] <= *high)
            }
            Self::IsNull(column) => Some(row[*column].is_missing()),
            Self::And(a, b) => match (a.holds(row), b.holds(row)) {
                (Some(false), _) | (_, Some(false)) => Some(false),
                (Some(true), Some(true)) => Some(true),
                _ => None,
            },
            Self::Or(a, b) => match (a.holds(row), b.holds(row)) {
                (Some(true), _) | (_, Some(true)) => Some(true),
                (Some(false), Some(false)) => Some(false),
                _ => None,
            },
            Self::Not(a) => a.holds(row).map(|truth| !truth),
        }
    }
}
