//! `moretta inspect`: what is in a table, and what it would give away.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use moretta::files::{self, OptionsPlace, ReadOptions};
use moretta::inspection::{InspectedColumn, Mining, RuleInWords, RulesFound};
use moretta::text::{counted, grouped, percent};
use moretta::{Error, Inspection, Result, Source, Table as PeopleTable, inspect, rules};
use serde_json::{Value as Json, json};

use super::{Outcome, versioned};
use crate::console::{Console, FAINT, STRONG};
use crate::layout::Table;
use crate::progress::ProgressShown;

/// Look at a table: columns, suggested roles, uniqueness, risk if published as it is
#[derive(Debug, clap::Args)]
pub(crate) struct InspectArgs {
    /// The table: .csv, .csv.gz, .parquet, .xlsx, .ods, a folder of parts, - , sqlite:FILE, duckdb:FILE, postgresql://USER@HOST/DATABASE
    table: PathBuf,
    /// Show so many of the riskiest combinations of columns
    #[arg(long, value_name = "N", default_value_t = 10)]
    combinations: usize,
    /// Show instead what can be excluded about people, by rules that hold in the table under the roles of a policy
    #[arg(long, value_name = "POLICY")]
    rules: Option<PathBuf>,
    #[command(flatten)]
    mining: MiningOptions,
    #[command(flatten)]
    reading: ReadingOptions,
}

/// What counts as a rule.
#[derive(Debug, clap::Args)]
struct MiningOptions {
    /// The least expectation of a rule, from 0 to 1
    #[arg(long, value_name = "SHARE", default_value_t = 0.9, requires = "rules")]
    min_expectation: f64,
    /// The least confidence of a rule that is listed, from 0 to 1; only those of 1 exclude anything
    #[arg(long, value_name = "SHARE", default_value_t = 1.0, requires = "rules")]
    min_confidence: f64,
    /// The most conditions of a rule
    #[arg(long, value_name = "N", default_value_t = 1, requires = "rules")]
    max_items: usize,
    /// Count people near a numeric condition in part
    #[arg(long, requires = "rules")]
    fuzzy: bool,
}

/// How to read the table, where it can't be found out.
#[derive(Debug, clap::Args)]
pub(crate) struct ReadingOptions {
    /// The sign between the fields of a CSV file; detected if not stated
    #[arg(long, value_name = "SIGN")]
    delimiter: Option<char>,
    /// The character encoding of a CSV file; UTF-8 if not stated
    #[arg(long, value_name = "NAME")]
    encoding: Option<String>,
    /// The first line of a CSV file is a row: columns have no names, and are called column1, column2 …
    #[arg(long, conflicts_with = "header")]
    no_header: bool,
    /// The first line of a CSV file has the names of columns, although it looks like a row
    #[arg(long)]
    header: bool,
    /// The table of a database
    #[arg(long = "table", id = "of_database", value_name = "NAME", conflicts_with = "query")]
    of_database: Option<String>,
    /// The rows of a database that a statement gives
    #[arg(long, value_name = "SQL")]
    query: Option<String>,
    /// The sheet of a spreadsheet
    #[arg(long, value_name = "NAME")]
    sheet: Option<String>,
}

impl ReadingOptions {
    pub(crate) fn open(&self, table: &Path) -> Result<Source> {
        let mut options = ReadOptions { place: OptionsPlace::CommandLine, ..ReadOptions::detect() };
        options.header = self.no_header.then_some(false).or(self.header.then_some(true));
        options.delimiter = match self.delimiter.map(u8::try_from) {
            None => None,
            Some(Ok(sign)) => Some(sign),
            Some(Err(_)) => return Err(Error::input("the delimiter must be an ASCII character")),
        };
        options.encoding = self.encoding.as_deref().map(files::encoding).transpose()?.flatten();
        options.table.clone_from(&self.of_database);
        options.query.clone_from(&self.query);
        options.sheet.clone_from(&self.sheet);
        files::open(table, options)
    }
}

pub(crate) fn run(options: &InspectArgs, console: &Console) -> Result<Outcome> {
    if let Some(policy) = &options.rules {
        return run_rules(options, policy, console);
    }
    let source = options.reading.open(&options.table)?;
    let shown = ProgressShown::start(console);
    let inspection = inspect(&source, &shown.run())?;
    drop(shown);
    console.result(|| versioned(&inspection), || render(&inspection, options.combinations))?;
    Ok(Outcome::Done)
}

fn run_rules(options: &InspectArgs, policy: &Path, console: &Console) -> Result<Outcome> {
    let policy = files::load_policy(policy, &[])?;
    let MiningOptions { min_expectation, min_confidence, max_items, fuzzy } = options.mining;
    let mining = Mining { min_expectation, min_confidence, max_items, fuzzy, flat: false };
    let shown = ProgressShown::start(console);
    let table = PeopleTable::read(&options.reading.open(&options.table)?, policy.schema(), &shown.run())?;
    let found = rules(&table, &mining, &shown.run())?;
    drop(shown);
    console.result(|| versioned(json!({ "sensitive": found })), || found.iter().map(render_rules).collect())?;
    Ok(Outcome::Done)
}

fn render_rules(found: &RulesFound) -> String {
    let mut text = String::new();
    let people = counted(found.people, "person", "people");
    let all = counted(found.rules.len() as u64, "rule", "rules");
    let _ = writeln!(text, "{STRONG}{}: {all} among {people}.{STRONG:#}\n", found.attribute);
    let mut list = |title: &str, rules: &[RuleInWords]| {
        if rules.is_empty() {
            return;
        }
        let mut table = Table::new([title, "do not have", "people", "expectation", "confidence"]);
        for rule in rules {
            let support = format!("{}", (rule.support * 10.0).round() / 10.0);
            let [expectation, confidence] = [rule.expectation, rule.confidence].map(|x| format!("{x:.4}"));
            table.row([rule.condition.clone(), rule.value.clone(), support, expectation, confidence]);
        }
        let _ = writeln!(text, "{}", table.render());
    };
    list("people with", &found.rules);
    list("almost all people with", &found.weaker);
    if !found.redundant.is_empty() {
        let _ = writeln!(
            text,
            "{FAINT}implied by more general ones, and not listed: {}{FAINT:#}\n",
            grouped(found.redundant.len() as u64)
        );
    }
    let mut table = Table::new(["values that can be excluded", "people", "share"]);
    for (values, &people) in found.excluded_values.iter().enumerate() {
        table.row([values.to_string(), grouped(people), percent(people as f64 / found.people.max(1) as f64)]);
    }
    let _ = writeln!(text, "{}", table.render());
    text
}

fn render(inspection: &Inspection, combinations: usize) -> String {
    let mut text = String::new();
    let rows = counted(inspection.rows, "row", "rows");
    let columns = counted(inspection.columns.len() as u64, "column", "columns");
    let _ = writeln!(text, "{STRONG}{rows}, {columns}.{STRONG:#}\n");

    let mut table = Table::new(["column", "type", "distinct", "missing", "distribution", "most frequent"]);
    for InspectedColumn { profile, .. } in &inspection.columns {
        let frequent =
            profile.frequent.iter().map(|value| format!("{} ({})", spelled(&value.value), grouped(value.count)));
        let frequent: Vec<String> = frequent.collect();
        let [kind, distinct, missing] =
            [profile.kind.name().to_owned(), grouped(profile.distinct), grouped(profile.missing)];
        table.row([profile.name.clone(), kind, distinct, missing, bars(&profile.distribution), frequent.join(", ")]);
    }
    let _ = writeln!(text, "{}", table.render());

    let mut roles = Table::new(["column", "suggested role", "because"]);
    for InspectedColumn { profile, suggestion, .. } in &inspection.columns {
        roles.row([profile.name.as_str(), suggestion.role.name(), &suggestion.reason]);
    }
    let _ = writeln!(text, "{}", roles.render());

    let uniqueness = &inspection.uniqueness;
    if !uniqueness.subsets.is_empty() {
        let shown = uniqueness.subsets.len().min(combinations);
        let _ = writeln!(
            text,
            "{STRONG}People who are unique on few columns{STRONG:#} ({shown} of {})\n",
            grouped(uniqueness.subsets.len() as u64)
        );
        let mut subsets = Table::new(["columns", "unique", "share", "combinations", "smallest", "mean"]);
        for subset in uniqueness.subsets.iter().take(combinations) {
            subsets.row([
                subset.columns.join(" + "),
                grouped(subset.unique),
                format!("{:.1}%", 100.0 * subset.unique_share),
                grouped(subset.distinct),
                grouped(subset.smallest),
                format!("{:.1}", subset.mean),
            ]);
        }
        let _ = writeln!(text, "{}", subsets.render());
        if !uniqueness.left_out.is_empty() {
            let _ =
                writeln!(text, "{FAINT}not compared, to keep it short: {}{FAINT:#}\n", uniqueness.left_out.join(", "));
        }
    }

    let risk = &inspection.risk;
    if !risk.classes.columns.is_empty() {
        let _ = writeln!(text, "{STRONG}Risk if it were published as it is{STRONG:#}");
        let _ = writeln!(
            text,
            "By {} together {} of {} are unique ({}).\nA guess is right with a chance of {} on average and {} at worst.",
            risk.classes.columns.join(", "),
            grouped(risk.classes.unique),
            counted(inspection.people, "person", "people"),
            percent(risk.classes.unique_share),
            percent(risk.mean_risk),
            percent(risk.highest_risk),
        );
    }
    if !inspection.dependencies.is_empty() {
        let _ = writeln!(text, "\n{STRONG}What follows from what{STRONG:#}");
        inspection.dependencies.iter().for_each(|dependency| {
            let _ = writeln!(text, "{}", dependency.in_words());
        });
    }
    if !inspection.hints.is_empty() {
        let _ = writeln!(text, "\n{STRONG}What looks wrong{STRONG:#}");
        inspection.hints.iter().for_each(|hint| {
            let _ = writeln!(text, "{hint}");
        });
    }
    text.push_str("\n`moretta init` writes a policy to start from.\n");
    text
}

/// A bar for each count, as high as its share of the largest: in eighths of a line.
fn bars(counts: &[u64]) -> String {
    const EIGHTHS: [char; 9] = [' ', '▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];
    let largest = counts.iter().copied().max().unwrap_or(0).max(1);
    let bar = |&count: &u64| EIGHTHS[count.saturating_mul(8).div_ceil(largest).min(8) as usize];
    counts.iter().map(bar).collect()
}

fn spelled(value: &Json) -> String {
    value.as_str().map_or_else(|| value.to_string(), ToOwned::to_owned)
}
