//! `moretta query`: answer from a release.

mod show;
mod workload;

use std::path::PathBuf;
use std::time::Instant;

use moretta::questions::{Statement, statements};
use moretta::{Answer, Code, Error, Query, Release, Result, files};
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
    /// The folder of a release, or ADDRESS#SCHEMA of one in a database
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
    let run = shown.run();
    let release = Release::open(&options.release)?;
    release.prepare(&run)?;
    let original = match &options.original {
        None => None,
        Some(policy) => Some(files::read_table(&files::load_policy(policy, &[])?, &run)?),
    };
    if let (Some(spec), Some(original)) = (&options.workload, &original) {
        let load = started.elapsed().as_secs_f64();
        let report = workload::run(spec, &release, original, &run, load)?;
        drop(shown);
        console.result(|| versioned(report.to_json()), || report.render())?;
        return Ok(Outcome::Done);
    }
    let load = started.elapsed().as_secs_f64();
    let started = Instant::now();
    let mut answers: Vec<AnswerWithTruth> = Vec::with_capacity(asked.len());
    for (statement, query) in asked {
        let of_file = |error: Error| match &options.file {
            Some(file) => error.at_file(file).at_line(statement.line),
            None => error,
        };
        let found = release.answer(&query, &run).map_err(of_file)?;
        let truth: Option<Answer> = match &original {
            Some(original) => Some(release.truth(&query, original, &run).map_err(of_file)?),
            None => None,
        };
        answers.push(AnswerWithTruth { sql: statement.sql.clone(), found, truth });
    }
    drop(shown);
    let seconds = json!({ "load": load, "answer": started.elapsed().as_secs_f64() });
    if options.csv {
        let csv = show::to_csv(&answers, options.file.is_some())?;
        output::data(|out| out.put(&csv))?;
    } else {
        console.result(
            || show::to_json(&answers, options.file.is_some(), &seconds),
            || show::render(&answers, release.unit()),
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
