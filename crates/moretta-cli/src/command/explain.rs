//! `moretta explain`: what a model or a method protects, and what it does not; what attacks, costs and words are.

use moretta::{CatalogueEntry, EntryKind, Result, catalogue, explain};
use serde_json::{Value as Json, json};

use super::{Outcome, versioned};
use crate::console::Console;
use crate::layout::Table;
use crate::markdown;

/// Explain a privacy model, a method, an attack, a cost or a word of the field
///
/// Of a model or a method: what it protects, what it does not, parameters, cost, paper.
#[derive(Debug, clap::Args)]
pub(crate) struct ExplainArgs {
    /// The model, method, attack, cost or word; without it, all are listed
    name: Option<String>,
}

pub(crate) fn run(options: &ExplainArgs, console: &Console) -> Result<Outcome> {
    match &options.name {
        None => console.result(|| versioned(json!({ "entries": catalogue() })), list)?,
        Some(name) => {
            let entry = explain(name)?;
            console.result(|| explained(&entry), || markdown::for_terminal(&entry.text()))?;
        }
    }
    Ok(Outcome::Done)
}

fn explained(entry: &CatalogueEntry) -> Result<Json> {
    let mut object = versioned(entry)?;
    object["page"] = entry.page.into();
    if let Some(several_rows) = entry.several_rows() {
        object["several_rows"] = several_rows;
    }
    if let Some(transparency) = entry.transparency() {
        object["transparency"] = transparency;
    }
    if let Some(wordings) = entry.wordings() {
        object["wordings"] = Json::Object(wordings);
    }
    Ok(object)
}

fn list() -> String {
    let mut table = Table::new(["", "name", "what it does"]);
    for entry in catalogue() {
        table.row([word(entry.kind), entry.name, entry.summary]);
    }
    format!("{}\n`moretta explain NAME` tells more.\n", table.render())
}

fn word(kind: EntryKind) -> &'static str {
    match kind {
        EntryKind::Model => "model",
        EntryKind::Method => "method",
        EntryKind::Attack => "attack",
        EntryKind::Cost => "cost",
        EntryKind::Term => "word",
        _ => "",
    }
}
