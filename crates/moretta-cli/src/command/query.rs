//! `moretta query`: answer from a release.

use std::path::PathBuf;

use moretta::check;
use moretta::query::{Answer, Query, Truth, answer};
use moretta::release::{Estimate, Files, Release};
use moretta::{Policy, Result};
use serde_json::{Value as Json, json};

use super::{Outcome, versioned};
use crate::console::Console;
use crate::layout::Table;
use crate::progress::Shown;

/// Answer a question from a release, with what is expected and what is certain
///
/// Each answer has an estimate, by the reasoning of the method that made the release, and bounds that no original
/// which fits the release can leave.
#[derive(Debug, clap::Args)]
pub(crate) struct Options {
    /// The folder of a release
    release: PathBuf,
    /// The question: SELECT COUNT(*) WHERE age >= 50 AND disease = 'flu' GROUP BY sex
    query: String,
    /// The policy of the original, to show the truth and the error beside the answer
    #[arg(long, value_name = "POLICY")]
    original: Option<PathBuf>,
}

pub(crate) fn run(options: &Options, console: &Console) -> Result<Outcome> {
    let query = Query::parse(&options.query)?;
    let shown = Shown::start(console);
    let shelf = check::release_shelf(&options.release)?;
    let files = Files::open(&shelf)?;
    let release = Release::read(&files, shown.progress())?;
    let found = answer(release.answers(), &query)?;
    let truth = match &options.original {
        None => None,
        Some(policy) => {
            let counted = Policy::load(policy, &[])?.read_counted(shown.progress())?;
            Some(answer(&Truth(&counted.original()), &query)?)
        }
    };
    drop(shown);
    console.result(|| to_json(&found, truth.as_ref()), || render(&found, truth.as_ref()));
    Ok(Outcome::Done)
}

/// What the original has under the key of a row: nobody, if it has no such row.
fn exact(truth: &Answer, found: &Answer, row: usize, place: usize) -> Option<f64> {
    let key = &found.rows[row].key;
    let same = truth.rows.iter().find(|row| row.key == *key);
    match same {
        Some(row) => row.estimates[place].estimate,
        None => Some(0.0),
    }
}

fn relative_error(estimate: &Estimate, exact: Option<f64>) -> Option<f64> {
    let (estimate, exact) = (estimate.estimate?, exact?);
    (exact != 0.0).then(|| (estimate - exact).abs() / exact.abs())
}

fn to_json(found: &Answer, truth: Option<&Answer>) -> Json {
    let mut object = versioned(found.to_json());
    if let Some(truth) = truth {
        let compare = |place: &mut Json, row: usize| {
            for (number, selected) in found.selected.iter().enumerate() {
                let exact = exact(truth, found, row, number);
                let error = relative_error(&found.rows[row].estimates[number], exact);
                let target =
                    if found.selected.len() == 1 { &mut *place } else { &mut place["answers"][selected.to_string()] };
                target["exact"] = json!(exact);
                target["relative_error"] = json!(error);
            }
        };
        if found.group_by.is_empty() {
            compare(&mut object, 0);
        } else {
            (0..found.rows.len()).for_each(|row| compare(&mut object["rows"][row], row));
        }
    }
    object
}

fn render(found: &Answer, truth: Option<&Answer>) -> String {
    let mut header = found.group_by.clone();
    header.extend(["answer", "estimate", "lower", "upper"].map(str::to_owned));
    header.extend(truth.map(|_| ["exact", "error"].map(str::to_owned)).into_iter().flatten());
    let mut table = Table::new(header);
    for (number, row) in found.rows.iter().enumerate() {
        for (place, (selected, estimate)) in found.selected.iter().zip(&row.estimates).enumerate() {
            let mut cells: Vec<String> = row.key.iter().map(ToString::to_string).collect();
            cells.push(selected.to_string());
            cells.extend([estimate.estimate, estimate.lower, estimate.upper].map(spelled));
            if let Some(truth) = truth {
                let exact = exact(truth, found, number, place);
                cells.push(spelled(exact));
                cells.push(relative_error(estimate, exact).map_or("–".to_owned(), |error| format!("{error:.4}")));
            }
            table.row(cells);
        }
    }
    table.render()
}

fn spelled(number: Option<f64>) -> String {
    number.map_or("–".to_owned(), |x| format!("{}", (x * 1e4).round() / 1e4))
}
