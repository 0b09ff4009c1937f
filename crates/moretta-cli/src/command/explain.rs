//! `moretta explain`: what a model or a method protects, and what it does not.

use moretta::{CatalogueEntry, EntryKind, Result, catalogue, explain};
use serde_json::{Value as Json, json};

use super::{Outcome, versioned};
use crate::console::{Console, STRONG};
use crate::layout::Table;

/// Explain a privacy model, a method or an attack: what it protects, what it does not, parameters, cost, paper
#[derive(Debug, clap::Args)]
pub(crate) struct ExplainArgs {
    /// The model, method or attack; without it, all are listed
    name: Option<String>,
}

pub(crate) fn run(options: &ExplainArgs, console: &Console) -> Result<Outcome> {
    match &options.name {
        None => console.result(|| versioned(json!({ "entries": catalogue() })), list)?,
        Some(name) => {
            let entry = explain(name)?;
            console.result(|| explained(&entry), || styled(&entry.text()))?;
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
        _ => "",
    }
}

/// The page with its headings in bold.
fn styled(page: &str) -> String {
    let line = |line: &str| match line.trim_start_matches('#') {
        heading if heading.len() < line.len() => format!("{STRONG}{}{STRONG:#}\n", heading.trim_start()),
        _ => format!("{line}\n"),
    };
    page.lines().map(line).collect()
}
