//! `moretta hierarchy`: what a hierarchy makes of a column, with the people under each of its labels.

use std::fmt::Write as _;
use std::path::PathBuf;

use moretta::text::{counted, grouped};
use moretta::{Error, HierarchyPreview, HierarchySpec, Result, Source, files, hierarchy, inspect};

use super::inspect::ReadingOptions;
use super::{Outcome, versioned};
use crate::console::{Console, FAINT, STRONG};
use crate::layout::Table;
use crate::progress::ProgressShown;

/// Make a hierarchy for a column: show it with the people under each label, check it, write it to a file
#[derive(Debug, clap::Args)]
#[command(after_help = "FORM is what stands in a policy, hierarchy = { FORM }; without one it is what `init` suggests:
  intervals=[5,10,20]     widths, each a multiple of the one before
  cuts=[0,18,65]          own cut points; [[0,6,18,65],[18,65]] for two levels;
                          dates are cut at days: cuts=[2020-01-01]
  top=90 bottom=18        numbers from 90 on together, and those below 18
  round=10                rounded to tens, shown as the interval of what is rounded alike
  mask=right              characters masked from one side
  prefixes=[3,1]          the first three characters, then the first one
  codes=icd-10            by structure: icd-10, nuts, nace, iso-3166-2
  dates=[month,year]      the calendar: month, quarter, year, decade; of times hour and day before them; week only last
  frequency=[50,500]      values of few people together, until each label has so many
  columns=[county,state]  what stands in other columns of the table
  balanced=4              a tree of this fan-out over values in order
  file=disease.csv        a line for each value: the value, its ancestors, the root

Example: moretta hierarchy patients.csv age 'cuts=[0,18,65]'")]
pub(crate) struct HierarchyArgs {
    /// The table: .csv, .csv.gz or .parquet
    table: PathBuf,
    /// The column
    column: String,
    /// How it is made
    #[arg(value_name = "FORM")]
    form: Vec<String>,
    /// Write it to a file that a policy can name: a line for each value, the value first and the root last
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
    /// Show so many labels of each level
    #[arg(long, value_name = "N", default_value_t = 12)]
    labels: usize,
    #[command(flatten)]
    reading: ReadingOptions,
}

pub(crate) fn run(options: &HierarchyArgs, console: &Console) -> Result<Outcome> {
    let source = options.reading.open(&options.table)?;
    let shown = ProgressShown::start(console);
    let spec = match options.form.as_slice() {
        [] => suggested(&source, options, &shown)?,
        form => files::stated_hierarchy(form)?,
    };
    let preview = hierarchy(&source, &options.column, &spec, &shown.run())?;
    drop(shown);
    if let Some(file) = &options.out {
        files::write(file, &preview.to_csv())?;
    }
    console.result(|| versioned(&preview), || render(&preview, &spec.to_string(), options))?;
    Ok(Outcome::Done)
}

/// The hierarchy that a starting policy has for the column.
fn suggested(source: &Source, options: &HierarchyArgs, shown: &ProgressShown) -> Result<HierarchySpec> {
    let inspection = inspect(source, &shown.run())?;
    let column = inspection.columns.iter().find(|column| column.profile.name == options.column);
    let column = column.ok_or_else(|| {
        let names: Vec<&str> = source.names().iter().map(String::as_str).collect();
        Error::input(format!("the table has no column {:?}", options.column))
            .help(format!("its columns: {}", names.join(", ")))
    })?;
    let form = column.suggestion.hierarchy.as_ref().map(ToString::to_string).ok_or_else(|| {
        let role = column.suggestion.role.name();
        Error::input(format!("no hierarchy is suggested for {:?}, which may be {role}", options.column))
            .help("state how it is made, for example 'frequency=[50,500]'; see `moretta hierarchy --help`")
    })?;
    files::stated_hierarchy(&[form])
}

fn render(preview: &HierarchyPreview, form: &str, options: &HierarchyArgs) -> String {
    let mut text = String::new();
    let values = counted(preview.rows.len() as u64, "value", "values");
    let levels = counted(preview.levels.len() as u64, "level", "levels");
    let _ = writeln!(text, "{STRONG}{}: {values}, {levels}.{STRONG:#}\n", options.column);
    for (number, level) in preview.levels.iter().enumerate() {
        let people = level.labels.iter().map(|(_, people)| *people);
        let fewest = people.min().unwrap_or(0);
        let labels = counted(level.labels.len() as u64, "label", "labels");
        let _ = writeln!(text, "level {number}: {labels}, the rarest with {}", counted(fewest, "person", "people"));
        let mut table = Table::new(["label", "people"]);
        for (label, people) in level.labels.iter().take(options.labels) {
            table.row([label.clone(), grouped(*people)]);
        }
        text.push_str(&table.render());
        let more = level.labels.len().saturating_sub(options.labels);
        let _ = if more > 0 {
            writeln!(text, "{FAINT}  and {} more{FAINT:#}\n", grouped(more as u64))
        } else {
            writeln!(text)
        };
    }
    let _ = match &options.out {
        Some(file) => writeln!(text, "Written. In a policy: hierarchy = {:?}", file.display().to_string()),
        None => writeln!(text, "In a policy: hierarchy = {form}"),
    };
    text
}
