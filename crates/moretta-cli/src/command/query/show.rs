//! Answers for people, for programs and for spreadsheets.

use moretta::questions::{Estimate, spell_time};
use moretta::text::rounded;
use moretta::{Answer, Error, Result, Unit};
use serde_json::{Value as Json, json};

use crate::command::versioned;
use crate::layout::Table;

/// An answer, with the truth where the original was given.
pub(super) struct AnswerWithTruth {
    /// The question.
    pub(super) sql: String,
    /// The answer of the release.
    pub(super) found: Answer,
    /// The answer of the original.
    pub(super) truth: Option<Answer>,
}

impl AnswerWithTruth {
    fn exact(&self, row: usize, index: usize) -> Option<f64> {
        self.found.exact(self.truth.as_ref()?, row, index)
    }

    fn error(&self, row: usize, index: usize) -> Option<f64> {
        self.found.relative_error(self.truth.as_ref()?, row, index)
    }

    fn spell(&self, index: usize, number: Option<f64>) -> String {
        match (number, self.found.times[index]) {
            (Some(time), Some(kind)) => spell_time(kind, time).unwrap_or_else(|| infinite(time).to_owned()),
            (Some(x), None) => rounded(x, 4),
            (None, _) => "–".to_owned(),
        }
    }
}

fn infinite(x: f64) -> &'static str {
    if x > 0.0 { "∞" } else { "-∞" }
}

pub(super) fn to_json(answers: &[AnswerWithTruth], batch: bool, seconds: &Json) -> Result<Json> {
    let one = |compared: &AnswerWithTruth| match &compared.truth {
        Some(truth) => compared.found.to_json_beside(truth),
        None => compared.found.to_json(),
    };
    let object = match answers {
        [only] if !batch => one(only),
        _ => {
            let named = |compared: &AnswerWithTruth| {
                let mut object = one(compared);
                object["query"] = json!(compared.sql);
                object
            };
            json!({ "answers": answers.iter().map(named).collect::<Vec<_>>() })
        }
    };
    let mut object = versioned(object)?;
    object["seconds"] = seconds.clone();
    Ok(object)
}

/// What is to be said of an answer beside its numbers.
fn note(estimate: &Estimate, unit: Unit) -> &'static str {
    match (estimate.trivial, estimate.may_be_empty, unit) {
        (true, true, Unit::People) => "trivial bounds; perhaps nobody",
        (true, true, Unit::Rows) => "trivial bounds; perhaps no row",
        (true, false, _) => "trivial bounds",
        (false, true, Unit::People) => "perhaps nobody",
        (false, true, Unit::Rows) => "perhaps no row",
        (false, false, _) => "",
    }
}

pub(super) fn render(answers: &[AnswerWithTruth], unit: Unit) -> String {
    let tables: Vec<String> = answers
        .iter()
        .map(|compared| match answers.len() {
            1 => render_one(compared, unit),
            _ => format!("{}\n{}", compared.sql, render_one(compared, unit)),
        })
        .collect();
    tables.join("\n")
}

fn render_one(compared: &AnswerWithTruth, unit: Unit) -> String {
    let found = &compared.found;
    let has_notes = found.rows.iter().flat_map(|row| &row.estimates).any(|estimate| !note(estimate, unit).is_empty());
    let mut header = found.group_by.clone();
    header.extend(["answer", "estimate", "lower", "upper"].map(str::to_owned));
    header.extend(compared.truth.iter().flat_map(|_| ["exact", "error"].map(str::to_owned)));
    header.extend(has_notes.then(|| "note".to_owned()));
    let mut table = Table::new(header).with_infinite();
    for (number, row) in found.rows.iter().enumerate() {
        for (index, (selected, estimate)) in found.selected.iter().zip(&row.estimates).enumerate() {
            let mut cells: Vec<String> = row.key.iter().map(ToString::to_string).collect();
            cells.push(selected.to_string());
            cells.extend([estimate.estimate, estimate.lower, estimate.upper].map(|x| compared.spell(index, x)));
            if compared.truth.is_some() {
                cells.push(compared.spell(index, compared.exact(number, index)));
                let error = compared.error(number, index);
                cells.push(error.map_or("–".to_owned(), |error| format!("{error:.4}")));
            }
            if has_notes {
                cells.push(note(estimate, unit).to_owned());
            }
            table.row(cells);
        }
    }
    table.render() + &unlisted(found, unit)
}

/// A line about people, or rows, whose keys may be none of those listed.
fn unlisted(found: &Answer, unit: Unit) -> String {
    let Some((most, expected)) = found.unlisted.and_then(|people| Some((people.upper?, people.estimate?))) else {
        return String::new();
    };
    let who = match (unit, most > 1.0) {
        (Unit::People, true) => "people",
        (Unit::People, false) => "person",
        (Unit::Rows, true) => "rows",
        (Unit::Rows, false) => "row",
    };
    format!(
        "at most {} {who} may have a key that is not listed, {} expected: under labels that hide values, or left out\n",
        rounded(most, 4),
        rounded(expected, 4)
    )
}

/// A row for each number asked for. In a batch the keys of a row stand in one column.
pub(super) fn to_csv(answers: &[AnswerWithTruth], batch: bool) -> Result<String> {
    let with_truth = answers.iter().any(|compared| compared.truth.is_some());
    let mut writer = csv::Writer::from_writer(Vec::new());
    let mut header: Vec<&str> = if batch { vec!["query", "key"] } else { Vec::new() };
    if let ([only], false) = (answers, batch) {
        header.extend(only.found.group_by.iter().map(String::as_str));
    }
    header.extend(["answer", "estimate", "lower", "upper", "trivial", "may_be_empty"]);
    header.extend(with_truth.then_some(["exact", "relative_error"]).into_iter().flatten());
    let failed = |e: csv::Error| Error::bug(e.to_string());
    writer.write_record(&header).map_err(failed)?;
    for (number, compared) in (1..).zip(answers) {
        let number_of = |index: usize, x: Option<f64>| match (x, compared.found.times[index]) {
            (Some(time), Some(kind)) => spell_time(kind, time).unwrap_or_default(),
            (Some(x), None) if x.is_infinite() => if x > 0.0 { "inf" } else { "-inf" }.to_owned(),
            (Some(x), None) => x.to_string(),
            (None, _) => String::new(),
        };
        for (at, row) in compared.found.rows.iter().enumerate() {
            for (index, (selected, estimate)) in compared.found.selected.iter().zip(&row.estimates).enumerate() {
                let keys: Vec<String> = row.key.iter().map(ToString::to_string).collect();
                let mut cells = if batch { vec![number.to_string(), keys.join(" | ")] } else { keys };
                cells.push(selected.to_string());
                cells.extend([estimate.estimate, estimate.lower, estimate.upper].map(|x| number_of(index, x)));
                cells.extend([estimate.trivial.to_string(), estimate.may_be_empty.to_string()]);
                if with_truth {
                    cells.push(number_of(index, compared.exact(at, index)));
                    cells.push(compared.error(at, index).map_or(String::new(), |error| error.to_string()));
                }
                writer.write_record(&cells).map_err(failed)?;
            }
        }
    }
    let bytes = writer.into_inner().map_err(|e| Error::bug(e.to_string()))?;
    String::from_utf8(bytes).map_err(|e| Error::bug(e.to_string()))
}
