//! How a policy states a hierarchy.

use std::path::Path;

use crate::config::section::texts_of;
use crate::config::{Content, Node, Section};
use crate::data::value::{Decimal, Type, Value};
use crate::error::Result;
use crate::hierarchy::{CodeSystem, DateUnit, HierarchyFile, HierarchySpec, Side};
use crate::numeric::decimal;

/// The ways to make one, as messages list them.
const FORMS: &str = "a file, rows, intervals, cuts, top and bottom, round, mask, prefixes, codes, dates, frequency, columns or balanced";

/// The hierarchy of an attribute, of which one form is stated.
pub(super) fn read_hierarchy(section: &mut Section<'_>, file: &Path) -> Result<HierarchySpec> {
    let Some(node) = section.get("hierarchy") else { return Ok(HierarchySpec::Default) };
    if let Content::File(opened) = &node.content {
        return HierarchyFile::parse(&opened.location, &opened.bytes).map(HierarchySpec::File);
    }
    let mut inner = Section::new("hierarchy", node, file)?;
    let mut found = Vec::new();
    if let Some(opened) = inner.opened("file")? {
        found.push(HierarchySpec::File(HierarchyFile::parse(&opened.location, &opened.bytes)?));
    }
    if let Some(node) = inner.get("rows") {
        found.push(HierarchySpec::Listed(read_rows(&inner, node)?));
    }
    if let Some(node) = inner.get("intervals") {
        found.push(match &node.content {
            Content::Text(word) if word == "free" => HierarchySpec::Free,
            _ => HierarchySpec::Intervals(read_widths(&inner, node)?),
        });
    }
    if let Some(side) = inner.choice("mask", &[("left", Side::Left), ("right", Side::Right)])? {
        found.push(HierarchySpec::Mask(side));
    }
    if let Some(fan) = inner.whole("balanced", 2)? {
        found.push(HierarchySpec::Balanced(u32::try_from(fan).unwrap_or(u32::MAX)));
    }
    if let Some(node) = inner.get("dates") {
        found.push(HierarchySpec::Dates(read_units(&inner, node)?));
    }
    found.extend(read_numeric(&mut inner)?);
    if let Some(system) = inner.choice("codes", &CodeSystem::NAMES)? {
        found.push(HierarchySpec::Codes(system));
    }
    if let Some(node) = inner.get("prefixes") {
        found.push(HierarchySpec::Prefixes(read_lengths(&inner, node)?));
    }
    let sets = inner.flag("sets")?.unwrap_or(false);
    if let Some(node) = inner.get("frequency") {
        let people = read_frequency(&inner, node)?;
        found.push(if sets { HierarchySpec::FrequencyOrSets(people) } else { HierarchySpec::Frequency(people) });
    } else if sets {
        return Err(inner
            .error_at("sets", "`sets` goes with `frequency` only")
            .help("leave out the hierarchy: without one, values become sets"));
    }
    if let Some(node) = inner.get("columns") {
        found.push(HierarchySpec::Columns(read_columns(&inner, node)?));
    }
    let one = found.pop().filter(|_| found.is_empty());
    let one = one.ok_or_else(|| inner.error("state one way to make it").help(FORMS));
    inner.finish()?;
    one
}

/// Own cut points, coded ends, rounding.
fn read_numeric(section: &mut Section<'_>) -> Result<Vec<HierarchySpec>> {
    let mut found = Vec::new();
    if let Some(node) = section.get("cuts") {
        found.push(read_cuts(section, node)?);
    }
    let is_finite = |x: f64| x.is_finite();
    let bottom = section.number("bottom", "a number", is_finite)?;
    let top = section.number("top", "a number", is_finite)?;
    if let (Some(low), Some(high)) = (bottom, top)
        && low > high
    {
        return Err(section.error_at("top", format!("the top {high} lies below the bottom {low}")));
    }
    if bottom.is_some() || top.is_some() {
        found.push(HierarchySpec::Ends { bottom, top });
    }
    if let Some(unit) = section.number("round", "above 0", |x| x > 0.0 && x.is_finite())? {
        found.push(HierarchySpec::Round(unit));
    }
    Ok(found)
}

fn numbers_of(node: &Node) -> Option<Vec<f64>> {
    let Content::List(items) = &node.content else { return None };
    let number = |item: &Node| match item.content {
        Content::Integer(i) => Some(i as f64),
        Content::Float(x) => Some(x).filter(|x| x.is_finite()),
        _ => None,
    };
    items.iter().map(number).collect()
}

/// Days since 1970-01-01, which a policy spells as 2020-01-31.
fn days_of(node: &Node) -> Option<Vec<i32>> {
    let day = |text: String| match Value::parse(&text, Type::Date, Decimal::Point)? {
        Value::Date(day) => Some(day),
        _ => None,
    };
    texts_of(node)?.into_iter().map(day).collect()
}

/// Cut points between numbers or between days.
fn read_cuts(section: &Section<'_>, node: &Node) -> Result<HierarchySpec> {
    let numbers = levels_of(node, numbers_of).map(HierarchySpec::Cuts);
    numbers.or_else(|| levels_of(node, days_of).map(HierarchySpec::DayCuts)).ok_or_else(|| {
        section.error_at("cuts", "these cut points do not rise, or those of a level are not among those below").help(
            "numbers at which intervals begin, such as [0, 18, 65], or days, [\"2020-01-01\"]; or a list for each level: [[0, 6, 18, 65], [18, 65]]",
        )
    })
}

/// One list of cut points that rise, or one for each level; nothing where a level cuts elsewhere than the one before.
fn levels_of<T: PartialOrd>(node: &Node, read: fn(&Node) -> Option<Vec<T>>) -> Option<Vec<Vec<T>>> {
    let levels = read(node).map(|one| vec![one]).or_else(|| match &node.content {
        Content::List(items) => items.iter().map(read).collect(),
        _ => None,
    });
    let rises = |cuts: &Vec<T>| !cuts.is_empty() && cuts.is_sorted_by(|a, b| a < b);
    let nests = |pair: &[Vec<T>]| pair[1].len() < pair[0].len() && pair[1].iter().all(|cut| pair[0].contains(cut));
    levels.filter(|levels| !levels.is_empty() && levels.iter().all(rises) && levels.windows(2).all(nests))
}

/// Whole numbers above 0; one by itself is a list of one.
fn whole_numbers(node: &Node) -> Option<Vec<u64>> {
    let whole = |node: &Node| match node.content {
        Content::Integer(i) => u64::try_from(i).ok().filter(|&i| i > 0),
        _ => None,
    };
    match &node.content {
        Content::List(items) => items.iter().map(whole).collect(),
        _ => whole(node).map(|one| vec![one]),
    }
}

fn read_lengths(section: &Section<'_>, node: &Node) -> Result<Vec<u32>> {
    let lengths = whole_numbers(node).filter(|all| !all.is_empty() && all.is_sorted_by(|a, b| a > b));
    let lengths = lengths.and_then(|all| all.into_iter().map(|length| u32::try_from(length).ok()).collect());
    lengths.ok_or_else(|| {
        section
            .error_at("prefixes", "`prefixes` must list how many characters stay, longer ones first")
            .help("such as [3, 1]: E11.65 becomes E11*, then E*")
    })
}

fn read_frequency(section: &Section<'_>, node: &Node) -> Result<Vec<u64>> {
    let people = whole_numbers(node).filter(|all| !all.is_empty() && all.is_sorted_by(|a, b| a < b));
    people.ok_or_else(|| {
        section
            .error_at("frequency", "`frequency` must list how many people a label stands for at least, fewer first")
            .help("such as [50, 500]: values of fewer than 50 people are taken together, then of fewer than 500")
    })
}

fn read_columns(section: &Section<'_>, node: &Node) -> Result<Vec<String>> {
    let names = match &node.content {
        Content::Text(name) => Some(vec![name.clone()]),
        _ => texts_of(node),
    };
    names.filter(|names| !names.is_empty()).ok_or_else(|| {
        section
            .error_at("columns", "`columns` must name coarser columns of the table")
            .help("such as \"county\", or [\"county\", \"state\"], each coarser than the one before")
    })
}

/// Each value with its ancestors, as the lines of a hierarchy file have them.
fn read_rows(section: &Section<'_>, node: &Node) -> Result<Vec<Vec<String>>> {
    let rows = match &node.content {
        Content::List(items) => items.iter().map(texts_of).collect::<Option<Vec<_>>>(),
        _ => None,
    };
    rows.filter(|rows| !rows.is_empty() && rows.iter().all(|row| !row.is_empty())).ok_or_else(|| {
        section
            .error_at("rows", "`rows` must list a value and its ancestors in each row")
            .help("as in [[\"flu\", \"infection\", \"*\"], [\"gout\", \"metabolism\", \"*\"]]")
    })
}

fn read_widths(section: &Section<'_>, node: &Node) -> Result<Vec<f64>> {
    let right = "a list of widths, each a multiple of the one before, such as [5, 10, 20]";
    let Content::List(items) = &node.content else { return Err(section.wrong_kind("intervals", right, &node.content)) };
    let widths: Option<Vec<f64>> = items
        .iter()
        .map(|item| match item.content {
            Content::Integer(i) => Some(i as f64),
            Content::Float(x) => Some(x),
            _ => None,
        })
        .collect();
    // As the decimals that are written: 0.3 is three times 0.1.
    let nested = |pair: &[f64]| pair[1] > pair[0] && decimal::is_multiple(pair[0], pair[1]);
    match widths {
        Some(widths) if !widths.is_empty() && widths[0] > 0.0 && widths.windows(2).all(nested) => Ok(widths),
        _ => Err(section.error_at("intervals", "these widths do not nest").help(right)),
    }
}

fn read_units(section: &Section<'_>, node: &Node) -> Result<Vec<DateUnit>> {
    let words = texts_of(node).unwrap_or_default();
    let units: Option<Vec<DateUnit>> =
        words.iter().map(|word| DateUnit::NAMES.iter().find(|(name, _)| name == word).map(|&(_, unit)| unit)).collect();
    match units {
        Some(units) if units.iter().rev().skip(1).any(|unit| *unit == DateUnit::Week) => Err(section
            .error_at("dates", "a week may lie in two months and in two years, so no unit follows it")
            .help("let the week be the last: [\"day\", \"week\"]; or leave it out")),
        Some(units) if !units.is_empty() && units.is_sorted_by(|a, b| a < b) => Ok(units),
        _ => Err(section
            .error_at("dates", "these are not units of the calendar from small to large")
            .help("for example [\"month\", \"quarter\", \"year\", \"decade\"]; of times [\"hour\", \"day\", \"month\"]; of both [\"week\"]")),
    }
}
