//! What the labels of a table of unknown origin stand for.
//!
//! Every tool spells intervals in its own way: `[20, 30[`, `(20,30]`, `20-29`, `>=60`. A label is looked up among the
//! original's values, then among the nodes of the policy's hierarchy, then read as an interval, a mask, or a set.

use super::input::OriginalTable;
use crate::data::domain::Domain;
use crate::data::role::Role;
use crate::data::table::{CodedTable, Column};
use crate::data::value::Value;
use crate::error::{Code, Error, Result};
use crate::hierarchy::Scale;
use crate::policy::Policy;
use crate::release::{ColumnMeaning, NodeMeaning, ValueMeaning};

/// The meanings of the quasi-identifiers of a table, and the labels that are not understood: those stand for nobody.
pub(super) fn meanings(
    table: &CodedTable,
    policy: &Policy,
    original_table: &OriginalTable,
) -> Result<(Vec<ColumnMeaning>, Vec<String>)> {
    let mut doubts = Vec::new();
    let mut columns = Vec::with_capacity(table.quasi.len());
    for column in &table.quasi {
        let index = original_table.names.iter().position(|name| *name == column.name);
        let index = index.ok_or_else(|| {
            Error::input(format!("the original has no quasi-identifier {:?}", column.name))
                .coded(Code::OriginalMismatch)
                .at_file(&policy.file)
        })?;
        columns.push(meaning(column, &original_table.counted.scales[index], &mut doubts));
    }
    Ok((columns, doubts))
}

fn meaning(column: &Column, scale: &Scale, doubts: &mut Vec<String>) -> ColumnMeaning {
    let domain = scale.domain();
    let mut nodes = Vec::new();
    for label in column.domain.values().iter().map(Value::to_string) {
        let leaves = stands_for(&label, domain, scale);
        if leaves.is_empty() && !label.is_empty() {
            doubts.push(format!("{} = {label:?} stands for no value of the original", column.name));
        }
        nodes.push(NodeMeaning { label, leaves: leaves.iter().map(Value::to_string).collect() });
    }
    let values = ValueMeaning::Hierarchy { nodes };
    ColumnMeaning { values, ..ColumnMeaning::exact(&column.name, Role::Quasi, domain.kind()) }
}

/// The values of the original that a label may stand for.
fn stands_for(label: &str, domain: &Domain, scale: &Scale) -> Vec<Value> {
    let values = domain.values();
    let with = |holds: &dyn Fn(&Value) -> bool| -> Vec<Value> {
        values.iter().filter(|value| !value.is_missing() && holds(value)).cloned().collect()
    };
    let exactly = with(&|value| value.to_string() == label);
    if !exactly.is_empty() {
        return exactly;
    }
    if let Some(tree) = scale.tree()
        && let Some(node) = tree.find(label)
    {
        let ranks = tree.ranks(node);
        let of_code = scale.rank_of_codes();
        return values.iter().zip(of_code).filter(|(_, rank)| ranks.contains(rank)).map(|(v, _)| v.clone()).collect();
    }
    if label == "*" {
        return values.to_vec();
    }
    if let Some(span) = Span::read(label) {
        let inside = with(&|value| value.as_number().is_some_and(|x| span.holds(x)));
        if !inside.is_empty() {
            return inside;
        }
    }
    if label.contains('*') {
        return with(&|value| masks(label, &value.to_string()));
    }
    match label.strip_prefix('{').and_then(|rest| rest.strip_suffix('}')) {
        Some(items) => {
            let items: Vec<&str> = items.split(',').map(str::trim).collect();
            with(&|value| items.contains(&value.to_string().as_str()))
        }
        None => Vec::new(),
    }
}

/// Whether a text is one that was masked so: `130**` by its first characters, `**053` by its last.
fn masks(mask: &str, text: &str) -> bool {
    let hidden = mask.chars().filter(|&c| c == '*').count();
    let kept = mask.chars().count() - hidden;
    let length = text.chars().count();
    let agrees = text.chars().zip(mask.chars()).all(|(c, m)| m == '*' || m == c)
        || text.chars().rev().zip(mask.chars().rev()).all(|(c, m)| m == '*' || m == c);
    length >= kept && length <= kept + hidden && agrees
}

/// Numbers between two ends.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Span {
    low: f64,
    high: f64,
    with_low: bool,
    with_high: bool,
}

impl Span {
    fn holds(self, x: f64) -> bool {
        (self.low < x || (self.with_low && x <= self.low && self.low <= x))
            && (x < self.high || (self.with_high && x <= self.high))
    }

    fn read(label: &str) -> Option<Self> {
        let text = label.trim().replace('−', "-").replace(['–', '—'], "-");
        let all = Self { low: f64::NEG_INFINITY, high: f64::INFINITY, with_low: true, with_high: true };
        for (sign, with) in [("<=", true), ("≤", true), ("<", false)] {
            if let Some(rest) = text.strip_prefix(sign) {
                return Some(Self { high: number(rest)?, with_high: with, ..all });
            }
        }
        for (sign, with) in [(">=", true), ("≥", true), (">", false)] {
            if let Some(rest) = text.strip_prefix(sign) {
                return Some(Self { low: number(rest)?, with_low: with, ..all });
            }
        }
        if let Some(rest) = text.strip_suffix('+') {
            return Some(Self { low: number(rest)?, ..all });
        }
        let (mut inner, mut with_low, mut with_high) = (text.as_str(), true, true);
        if let Some(first) = text.chars().next().filter(|c| "[](".contains(*c)) {
            let last = text.chars().last().filter(|c| "[])".contains(*c))?;
            inner = text.get(1..text.len() - 1)?;
            (with_low, with_high) = (first == '[', last == ']');
        }
        // A minus sign at the start belongs to the number.
        let dash = inner.char_indices().skip(1).find(|&(_, c)| c == '-').map(|(at, _)| (at, at + 1));
        let split =
            [", ", ",", ";", "..", " to "].iter().find_map(|sign| inner.find(sign).map(|at| (at, at + sign.len())));
        let (until, from) = split.or(dash)?;
        Some(Self { low: number(&inner[..until])?, high: number(&inner[from..])?, with_low, with_high })
    }
}

fn number(text: &str) -> Option<f64> {
    let text = text.trim();
    match text {
        "-Inf" | "-inf" | "-∞" => Some(f64::NEG_INFINITY),
        "Inf" | "inf" | "∞" => Some(f64::INFINITY),
        _ => text.parse().ok().filter(|x: &f64| !x.is_nan()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn intervals_of_all_tools_are_read() {
        let whole = |label: &str| -> Vec<i32> {
            let span = Span::read(label).unwrap();
            (-12..80).filter(|&x| span.holds(f64::from(x))).collect()
        };
        let between = |low: i32, high: i32| (low..=high).collect::<Vec<_>>();
        for (label, low, high) in [
            ("[20, 30[", 20, 29),
            ("[20, 30]", 20, 30),
            ("]20, 30]", 21, 30),
            ("(20,30]", 21, 30),
            ("[20,30)", 20, 29),
            ("20-29", 20, 29),
            ("20 – 29", 20, 29),
            ("-10--2", -10, -2),
            ("20..29", 20, 29),
            ("20 to 29", 20, 29),
            (">=60", 60, 79),
            ("> 60", 61, 79),
            ("60+", 60, 79),
            ("<21", -12, 20),
            ("≤ 20", -12, 20),
            ("(-Inf,20]", -12, 20),
        ] {
            assert_eq!(whole(label), between(low, high), "{label}");
        }
        for label in ["Bachelors", "", "[", "[20", "20-x", "1994-03-07x"] {
            assert_eq!(Span::read(label), None, "{label}");
        }
    }

    #[test]
    fn masks_hide_from_either_side() {
        for (mask, text, agrees) in [
            ("130**", "13053", true),
            ("130**", "130", true),
            ("130**", "14053", false),
            ("130**", "130531", false),
            ("**053", "13053", true),
            ("**053", "13052", false),
        ] {
            assert_eq!(masks(mask, text), agrees, "{mask} {text}");
        }
    }
}
