//! `moretta query`: answer from a release.

mod show;
mod workload;

use std::path::{Path, PathBuf};
use std::time::Instant;

use moretta::check;
use moretta::error::Code;
use moretta::kind::registry;
use moretta::prepare::{Prepared, read_for_questions};
use moretta::query::{Answer, Labels, Query, Statement, Truth, answer, statements};
use moretta::release::{Files, Original};
use moretta::{Error, Policy, Result};
use serde_json::json;

use self::show::AnswerWithTruth;
use super::{Outcome, versioned};
use crate::console::Console;
use crate::output;
use crate::progress::ProgressShown;

/// Answer questions from a release, with what is expected and what is certain
///
/// Each answer has an estimate, by the reasoning of the method that made the release, and bounds that no original
/// which fits the release can leave.
#[derive(Debug, clap::Args)]
pub(crate) struct QueryArgs {
    /// The folder of a release
    release: PathBuf,
    /// The question: SELECT COUNT(*), AVG(age) WHERE age >= 50 AND disease = 'flu' GROUP BY sex
    ///
    /// COUNT(*), SUM, AVG, MIN and MAX; =, <>, <, <=, >, >=, BETWEEN, IN, IS NULL, AND, OR, NOT; GROUP BY attributes or
    /// levels of a hierarchy: LEVEL(education, 1). A label of a hierarchy means the values below it.
    #[arg(required_unless_present_any = ["file", "workload"])]
    query: Option<String>,
    /// Answer every question of a file: each ends with a semicolon, or with its line
    #[arg(long, value_name = "FILE", conflicts_with_all = ["query", "workload"])]
    file: Option<PathBuf>,
    /// Ask random count queries and report how far off the answers are: dim=4,sel=0.05,queries=1000,seed=7
    ///
    /// dim: attributes in a condition, a sensitive one among them; sel: the share of people aimed at; kind=ambiguity asks
    /// for single groups of a GROUP BY instead of ranges.
    #[arg(long, value_name = "SPEC", conflicts_with = "query", requires = "original")]
    workload: Option<workload::Spec>,
    /// The policy of the original, to show the truth and the error beside the answer
    #[arg(long, value_name = "POLICY")]
    original: Option<PathBuf>,
    /// Print the answers as CSV
    #[arg(long, conflicts_with = "json")]
    csv: bool,
}

pub(crate) fn run(options: &QueryArgs, console: &Console) -> Result<Outcome> {
    let asked = questions(options)?;
    let started = Instant::now();
    let shown = ProgressShown::start(console);
    let storage = check::release_storage(&options.release)?;
    let files = Files::open(&storage)?.for_questions();
    let release = registry::read(&files, shown.progress())?;
    release.prepare();
    if let (Some(spec), Some(policy)) = (&options.workload, &options.original) {
        let counted = Prepared::read(&Policy::load(policy, &[])?, shown.progress())?;
        let load = started.elapsed().as_secs_f64();
        let report = workload::run(spec, &*release, &counted.original(), shown.progress(), load)?;
        drop(shown);
        console.result(|| versioned(report.to_json()), || report.render())?;
        return Ok(Outcome::Done);
    }
    let counted = options.original.as_deref().map(|policy| read_original(policy, &shown)).transpose()?;
    let original = counted.as_ref().map(|(table, cells)| Original::new(table, cells));
    let load = started.elapsed().as_secs_f64();

    let started = Instant::now();
    let labels = Labels::of(&files.manifest);
    shown.progress().start("answering", asked.len() as u64);
    let mut answers: Vec<AnswerWithTruth> = Vec::with_capacity(asked.len());
    for (statement, query) in asked {
        let of_file = |error: Error| match &options.file {
            Some(file) => error.at_file(file).at_line(statement.line),
            None => error,
        };
        let query = labels.resolve(&query, &*release).map_err(of_file)?;
        let found = answer(&*release, &query).map_err(of_file)?;
        let truth: Option<Answer> = match &original {
            Some(original) => Some(answer(&Truth(original), &query).map_err(of_file)?),
            None => None,
        };
        answers.push(AnswerWithTruth { sql: statement.sql.clone(), found, truth });
        shown.progress().advance(1);
    }
    drop(shown);
    let seconds = json!({ "load": load, "answer": started.elapsed().as_secs_f64() });
    if options.csv {
        let csv = show::to_csv(&answers, options.file.is_some())?;
        output::data(|out| out.put(&csv))?;
    } else {
        console.result(
            || show::to_json(&answers, options.file.is_some(), &seconds),
            || show::render(&answers, files.manifest.unit),
        )?;
    }
    Ok(Outcome::Done)
}

/// The questions, read before anything else is: a mistake should not cost the reading of a release.
fn questions(options: &QueryArgs) -> Result<Vec<(Statement, Query)>> {
    let asked = match (&options.file, &options.query) {
        (Some(file), _) => {
            let text = std::fs::read_to_string(file).map_err(|e| Error::machine("read", file, e))?;
            let found = statements(&text);
            if found.is_empty() {
                return Err(Error::input("the file has no question")
                    .coded(Code::QueryUnreadable)
                    .at_file(file)
                    .help("write SELECT …, each ended by a semicolon or by its line"));
            }
            found
        }
        (None, Some(sql)) => vec![Statement { sql: sql.clone(), line: 1 }],
        (None, None) => Vec::new(),
    };
    let read = |statement: Statement| {
        let query = Query::parse(&statement.sql).map_err(|error| match &options.file {
            Some(file) => error.at_file(file).at_line(statement.line),
            None => error,
        })?;
        Ok((statement, query))
    };
    asked.into_iter().map(read).collect()
}

type Asked = (moretta::data::Table, moretta::data::Cells);

fn read_original(policy: &Path, shown: &ProgressShown) -> Result<Asked> {
    read_for_questions(&Policy::load(policy, &[])?, shown.progress())
}
