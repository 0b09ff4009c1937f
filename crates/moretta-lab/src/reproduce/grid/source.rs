//! The table of a grid: a file of the papers' data or a generated one, as it is or changed in a stated way.

use std::fmt::Write as _;
use std::fs;
use std::path::PathBuf;

use moretta::files::FileFormat;
use moretta::internals::chance::Seed;
use moretta::internals::config::Node;
use moretta::internals::counting::permutation;
use moretta::{Error, Policy, Result, Run};
use rand::Rng;
use serde::Deserialize;
use serde_json::{Map, Value as Json};

use super::super::ExperimentContext;
use crate::generate;

/// What a file states of its table.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Stated {
    /// A file of the data.
    source: Option<String>,
    /// A kind of table that can be generated, and how many rows.
    generate: Option<String>,
    rows: Option<u64>,
    /// Only these rows, as a policy says it.
    #[serde(rename = "where")]
    filter: Option<String>,
    quasi: Vec<String>,
    /// Only so many of them, from the first on.
    first: Option<usize>,
    sensitive: Vec<String>,
    #[serde(default)]
    unclassified: Vec<String>,
    /// Attributes with the hierarchies that come with the data.
    #[serde(default)]
    hierarchies: Vec<String>,
    /// Other hierarchies, as a policy states them.
    #[serde(default)]
    hierarchy: Map<String, Json>,
    /// Categories of the sensitive attribute, the most sensitive first.
    categories: Option<Json>,
    /// So many rows, drawn.
    sample: Option<usize>,
    /// A table of as many rows, in which each of fewer stands so often.
    repeat: Option<usize>,
    /// A column of random values.
    random: Option<Random>,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Random {
    name: String,
    values: Vec<String>,
}

/// A table that policies can be made for.
#[derive(Debug)]
pub(super) struct Source {
    stated: Stated,
    file: PathBuf,
    data: PathBuf,
    columns: Vec<String>,
}

impl Source {
    /// The table, written where it differs from the file that it comes from.
    pub(super) fn new(stated: Stated, context: &ExperimentContext) -> Result<Self> {
        let original = match (&stated.source, &stated.generate) {
            (Some(file), None) => context.file(file)?,
            (None, Some(kind)) => generated(kind, stated.rows, context)?,
            _ => return Err(Error::input("a table has either `source` or `generate`").at_file(&context.file)),
        };
        let text = fs::read_to_string(&original).map_err(|e| Error::machine("read the data", &original, e))?;
        let mut lines = text.lines();
        let mut header = lines.next().unwrap_or_default().to_owned();
        let mut rows: Vec<String> = Vec::new();
        let changed = stated.sample.is_some() || stated.repeat.is_some() || stated.random.is_some();
        if changed {
            rows = lines.map(str::to_owned).collect();
        }
        if let Some(size) = stated.sample {
            rows = sampled(&rows, size, context.seed);
        }
        if let Some(times) = stated.repeat.filter(|times| *times > 1) {
            let distinct = rows.len() / times;
            let rows_again = (0..rows.len()).map(|row| rows[row % distinct.max(1)].clone());
            rows = rows_again.collect();
        }
        if let Some(random) = &stated.random {
            header = format!("{header},{}", random.name);
            let mut chance = context.seed.stream("random column", 0);
            for row in &mut rows {
                *row = format!("{row},{}", random.values[chance.random_range(0..random.values.len())]);
            }
        }
        let columns = header.split(',').map(str::to_owned).collect();
        let file =
            if changed { context.scratch_file("csv", &format!("{header}\n{}\n", rows.join("\n")))? } else { original };
        // The policy stands in the folder of the data, which may itself be named as seen from here.
        let file = std::path::absolute(&file).map_err(|e| Error::machine("find the table", &file, e))?;
        Ok(Self { stated, file, data: context.data.clone(), columns })
    }

    /// A policy on the table.
    pub(super) fn policy(&self, rest: &str) -> Result<Policy> {
        let Stated { quasi, first, sensitive, unclassified, .. } = &self.stated;
        let mut text = format!("[data]\nsource = {:?}\nmissing = \"drop-any\"\n", self.file.display().to_string());
        if let Some(filter) = &self.stated.filter {
            let _ = writeln!(text, "where = {filter:?}");
        }
        text += "[attributes]\n";
        let quasi = &quasi[..first.unwrap_or(quasi.len()).min(quasi.len())];
        let given = [("quasi", quasi), ("sensitive", sensitive), ("unclassified", unclassified)];
        for (role, names) in given {
            for name in names {
                let categories = self.stated.categories.as_ref().filter(|_| role == "sensitive");
                let categories = categories
                    .map(|all| format!(", categories = {}", Node::from_json(all).inline()))
                    .unwrap_or_default();
                let _ = writeln!(text, "{name} = {{ role = \"{role}\"{}{categories} }}", self.hierarchy(name));
            }
        }
        let is_given = |name: &String| given.iter().any(|(_, names)| names.contains(name));
        for name in self.columns.iter().filter(|name| !is_given(name)) {
            let _ = writeln!(text, "{name} = {{ role = \"drop\" }}");
        }
        Policy::in_file(text + rest, &self.data.join("experiment.toml"), &[])
    }

    fn hierarchy(&self, name: &str) -> String {
        if let Some(stated) = self.stated.hierarchy.get(name) {
            return format!(", hierarchy = {}", Node::from_json(stated).inline());
        }
        if self.stated.hierarchies.iter().any(|known| known == name) {
            return format!(", hierarchy = \"hierarchies/adult_{name}.csv\"");
        }
        String::new()
    }
}

/// Some rows, in their order.
pub(in crate::reproduce) fn sampled(rows: &[String], size: usize, seed: Seed) -> Vec<String> {
    let order = permutation(rows.len(), &mut seed.stream("sample of rows", 0));
    let mut chosen = order[..size.min(order.len())].to_vec();
    chosen.sort_unstable();
    chosen.iter().map(|&row| rows[row as usize].clone()).collect()
}

fn generated(kind: &str, rows: Option<u64>, context: &ExperimentContext) -> Result<PathBuf> {
    let rows = rows.ok_or_else(|| Error::input("a generated table needs `rows`").at_file(&context.file))?;
    let generator = generate::by_name(kind, rows, context.seed.0 as u64)?;
    let mut bytes = Vec::new();
    let place = context.scratch_file("csv", "")?;
    generate::write(&*generator, rows, FileFormat::Csv, &mut bytes, &Run::default())
        .and_then(|()| fs::write(&place, &bytes))
        .map_err(|e| Error::machine("write the table", &place, e))?;
    Ok(place)
}
