//! Figures that are curves: a table is published by several methods and models at several values of a parameter, and each
//! release is measured.
//!
//! All of it stands in the figure's file. A text `$x` stands for the value on the axis, and `$key` for an entry of a value that
//! is a table.

mod measure;
mod source;

use std::fmt::Write as _;

use moretta::internals::config::Node;
use moretta::internals::progress::Progress;
use moretta::{Error, Fault, Result};
use serde::Deserialize;
use serde_json::{Map, Value as Json};

use self::measure::{Measure, Measuring, Table};
use self::source::Source;

pub(super) use self::source::sampled;
use super::figure::typed;
use super::{ExperimentContext, ResultTable};

/// What a grid's file states.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Grid {
    #[serde(default)]
    layout: Layout,
    table: Json,
    x: Axis,
    measures: Vec<Measure>,
    #[serde(default)]
    measuring: Json,
    curve: Vec<Json>,
}

/// How results stand.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum Layout {
    /// A table for each measure, a column for each curve.
    #[default]
    Curves,
    /// One table, a row for each release and a column for each measure.
    Points,
}

/// What varies.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Axis {
    name: String,
    #[serde(default)]
    values: Vec<Json>,
}

/// What is published.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Curve {
    name: String,
    #[serde(default)]
    method: Map<String, Json>,
    #[serde(default)]
    require: Vec<Map<String, Json>>,
    /// The original itself, where a measure can be asked of it.
    #[serde(default)]
    original: bool,
    /// Values of its own on the axis.
    #[serde(default)]
    values: Vec<Json>,
}

/// Runs the grid that a file states.
pub(super) fn run(
    context: &ExperimentContext,
    title: &str,
    stated: &Json,
    progress: &Progress,
) -> Result<Vec<ResultTable>> {
    let grid: Grid = typed(stated.clone(), &context.file)?;
    let mut bench = Bench { context, grid: &grid, tables: Vec::new(), notes: Vec::new() };
    let mut cells: Vec<Vec<Point>> = Vec::new();
    progress.start("publishing and measuring", grid.curve.len() as u64);
    for curve in &grid.curve {
        cells.push(bench.curve(curve, progress)?);
        progress.advance(1);
    }
    let notes = bench.notes;
    Ok(match grid.layout {
        Layout::Curves => by_measure(title, &grid, &cells, notes),
        Layout::Points => vec![by_point(title, &grid, &cells, notes)],
    })
}

/// A release of a curve, measured.
struct Point {
    curve: String,
    x: String,
    /// A cell for each measure.
    cells: Vec<String>,
}

fn by_measure(title: &str, grid: &Grid, curves: &[Vec<Point>], notes: Vec<String>) -> Vec<ResultTable> {
    let table = |(place, measure): (usize, &Measure)| {
        let names = curves.iter().filter_map(|points| points.first()).map(|point| point.curve.clone());
        let mut table =
            ResultTable::new(format!("{title}: {}", measure.name()), std::iter::once(grid.x.name.clone()).chain(names));
        for number in 0..curves.iter().map(Vec::len).max().unwrap_or(0) {
            let x = curves.iter().find_map(|points| points.get(number)).map(|point| point.x.clone());
            let cell =
                |points: &Vec<Point>| points.get(number).map_or("–".to_owned(), |point| point.cells[place].clone());
            table.row(x.into_iter().chain(curves.iter().map(cell)));
        }
        table
    };
    let mut tables: Vec<ResultTable> = grid.measures.iter().enumerate().map(table).collect();
    if let Some(last) = tables.last_mut() {
        last.notes = notes;
    }
    tables
}

fn by_point(title: &str, grid: &Grid, curves: &[Vec<Point>], notes: Vec<String>) -> ResultTable {
    let names = grid.measures.iter().map(Measure::name);
    let mut table = ResultTable::new(title, ["release".to_owned(), grid.x.name.clone()].into_iter().chain(names));
    for point in curves.iter().flatten() {
        table.row([point.curve.clone(), point.x.clone()].into_iter().chain(point.cells.iter().cloned()));
    }
    table.notes = notes;
    table
}

struct Bench<'a> {
    context: &'a ExperimentContext,
    grid: &'a Grid,
    /// Tables that were read, by what states them.
    tables: Vec<(Json, Table)>,
    notes: Vec<String>,
}

impl Bench<'_> {
    fn curve(&mut self, stated: &Json, progress: &Progress) -> Result<Vec<Point>> {
        let of_curve: Curve = typed(at(stated, &Json::Null), &self.context.file)?;
        let values = if of_curve.values.is_empty() { &self.grid.x.values } else { &of_curve.values };
        if values.is_empty() {
            return Err(
                Error::input(format!("{:?} has no values on the axis", of_curve.name)).at_file(&self.context.file)
            );
        }
        let mut before = None;
        let mut points = Vec::new();
        for x in values {
            progress.check()?;
            let curve: Curve = typed(at(stated, x), &self.context.file)?;
            let measuring: Json = at(&self.grid.measuring, x);
            let measuring: Measuring =
                typed(if measuring.is_null() { Json::Object(Map::new()) } else { measuring }, &self.context.file)?;
            let table = self.table(x, progress)?;
            let held = &self.tables[table].1;
            let rest = rest(&curve);
            let policy = held.source.policy(&rest)?;
            let release = if curve.original {
                Ok(None)
            } else {
                held.publish(&policy, self.context.seed, &mut before, progress).map(Some)
            };
            let cells = match release {
                Ok(release) => {
                    let seed = self.context.seed;
                    let cell = |measure: &Measure| match (measure, release) {
                        (Measure::OpenTables, Some((_, report, _))) => {
                            held.open_tables(&measuring.categories, &rest, report, seed, progress)
                        }
                        _ => held.measure(measure, &measuring, &policy, release, seed, progress),
                    };
                    self.grid.measures.iter().map(cell).collect::<Result<Vec<String>>>()?
                }
                Err(refusal) if refusal.fault() == Fault::Data => {
                    self.notes.push(format!(
                        "{}, {} = {}: {}",
                        curve.name,
                        self.grid.x.name,
                        label(x),
                        refusal.message()
                    ));
                    vec!["refused".to_owned(); self.grid.measures.len()]
                }
                Err(error) => return Err(error),
            };
            points.push(Point { curve: curve.name, x: label(x), cells });
        }
        Ok(points)
    }

    /// The index of the table for a value on the axis.
    fn table(&mut self, x: &Json, progress: &Progress) -> Result<usize> {
        let stated = at(&self.grid.table, x);
        if let Some(known) = self.tables.iter().position(|(known, _)| *known == stated) {
            return Ok(known);
        }
        let source = Source::new(typed(stated.clone(), &self.context.file)?, self.context)?;
        self.tables.push((stated, Table::read(source, progress)?));
        Ok(self.tables.len() - 1)
    }
}

/// What a value on the axis is called: its own text, or that of its first entry.
fn label(x: &Json) -> String {
    match x {
        Json::Object(entries) => entries.values().next().map(label).unwrap_or_default(),
        Json::String(text) => text.clone(),
        other => other.to_string(),
    }
}

/// A tree with a value on the axis put into its places.
fn at(stated: &Json, x: &Json) -> Json {
    match stated {
        Json::String(text) => match (text.strip_prefix('$'), x) {
            (Some("x"), _) => x.clone(),
            (Some(key), Json::Object(entries)) => entries.get(key).cloned().unwrap_or_else(|| stated.clone()),
            _ => stated.clone(),
        },
        Json::Array(items) => Json::Array(items.iter().map(|item| at(item, x)).collect()),
        Json::Object(entries) => Json::Object(entries.iter().map(|(key, value)| (key.clone(), at(value, x))).collect()),
        other => other.clone(),
    }
}

/// What is required and the method, as a policy states them.
fn rest(curve: &Curve) -> String {
    let mut text = String::new();
    for model in &curve.require {
        write_entries(&mut text, "[[require]]", model);
    }
    if !curve.method.is_empty() {
        write_entries(&mut text, "[method]", &curve.method);
    }
    text
}

fn write_entries(text: &mut String, section: &str, entries: &Map<String, Json>) {
    let _ = writeln!(text, "{section}");
    for (key, value) in entries {
        let _ = writeln!(text, "{key} = {}", Node::from_json(value).inline());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_of_the_axis_are_put_into_their_places() {
        let stated = serde_json::json!({ "k": "$x", "name": "x", "of": ["$t", "$n"] });
        assert_eq!(at(&stated, &serde_json::json!(5)), serde_json::json!({ "k": 5, "name": "x", "of": ["$t", "$n"] }));
        let x = serde_json::json!({ "t": 0.1, "n": 7 });
        assert_eq!(at(&stated["of"], &x), serde_json::json!([0.1, 7]));
        assert_eq!(label(&x), "0.1");
    }

    #[test]
    fn a_curve_becomes_a_policy() {
        let curve = serde_json::json!({
            "name": "c", "method": { "name": "mondrian" }, "require": [{ "model": "k-anonymity", "k": 5 }]
        });
        let curve: Curve = serde_json::from_value(curve).expect("a curve");
        let text = rest(&curve);
        assert_eq!(text, "[[require]]\nmodel = \"k-anonymity\"\nk = 5\n[method]\nname = \"mondrian\"\n");
    }
}
