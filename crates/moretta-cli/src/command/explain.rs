//! `moretta explain`: what a model or a method protects, and what it does not.

use std::fmt::Write as _;

use moretta::error::{Code, nearest};
use moretta::kind::KindEntry;
use moretta::kind::registry::KINDS;
use moretta::method::registry::METHODS;
use moretta::model::registry::MODELS;
use moretta::model::sentence::unfilled;
use moretta::model::{SeveralRows, Wording, Wordings};
use moretta::{Error, Result};
use serde_json::{Value as Json, json};

use super::{Outcome, versioned};
use crate::console::{Console, STRONG};
use crate::layout::Table;

/// Explain a privacy model or a method: what it protects, what it does not, parameters, cost, paper
#[derive(Debug, clap::Args)]
pub(crate) struct ExplainArgs {
    /// The model or method; without it, all are listed
    name: Option<String>,
}

/// What is known of a model or a method.
struct Entry {
    kind: &'static str,
    name: &'static str,
    summary: &'static str,
    paper: &'static str,
    page: &'static str,
    /// What a model may say of each kind of release.
    wordings: Option<&'static Wordings>,
    /// Whether it counts people where several rows may belong to one.
    several_rows: SeveralRows,
}

pub(crate) fn run(options: &ExplainArgs, console: &Console) -> Result<Outcome> {
    match &options.name {
        None => console.result(
            || versioned(json!({ "entries": entries().map(|entry| to_json(&entry)).collect::<Vec<_>>() })),
            list,
        )?,
        Some(name) => {
            let entry = find(name)?;
            console.result(|| explained(&entry), || styled(&whole(&entry)))?;
        }
    }
    Ok(Outcome::Done)
}

fn entries() -> impl Iterator<Item = Entry> {
    let models = MODELS.iter().map(|m| Entry {
        kind: "model",
        name: m.name,
        summary: m.summary,
        paper: m.paper,
        page: m.page,
        wordings: Some(&m.wordings),
        several_rows: m.several_rows,
    });
    let methods = METHODS.iter().map(|m| Entry {
        kind: "method",
        name: m.name,
        summary: m.summary,
        paper: m.paper,
        page: m.page,
        wordings: None,
        several_rows: m.several_rows,
    });
    models.chain(methods)
}

fn find(name: &str) -> Result<Entry> {
    entries().find(|entry| entry.name == name).ok_or_else(|| {
        let error = Error::input(format!("there is no model or method {name:?}")).coded(Code::UnknownModel);
        match nearest(name, entries().map(|entry| entry.name)) {
            Some(near) => error.help(format!("did you mean `{near}`?")),
            None => error.help("`moretta explain` lists all"),
        }
    })
}

fn to_json(entry: &Entry) -> Json {
    json!({ "kind": entry.kind, "name": entry.name, "summary": entry.summary, "paper": entry.paper })
}

fn explained(entry: &Entry) -> Result<Json> {
    let mut object = versioned(to_json(entry))?;
    object["page"] = entry.page.into();
    let (counts, reason) = (entry.several_rows.are_counted(), entry.several_rows.reason());
    object["several_rows"] = json!({ "counts_people": counts, "reason": reason });
    if let Some(wordings) = entry.wordings {
        let one = |kind: &&KindEntry| (kind.name.to_owned(), wording_to_json(wordings.of(kind.id)));
        object["wordings"] = Json::Object(KINDS.iter().map(one).collect());
    }
    Ok(object)
}

fn wording_to_json(wording: &Wording) -> Json {
    match wording {
        Wording::Promise(sentence) => json!({
            "promise": unfilled(sentence.promise),
            "argument": unfilled(sentence.argument),
            "not_protected": unfilled(sentence.not_protected),
        }),
        Wording::Refused(refusal) => json!({ "refused": refusal.reason }),
    }
}

/// The page, what becomes of several rows of one person, and what the model promises in each kind of release.
fn whole(entry: &Entry) -> String {
    let several = match entry.several_rows {
        SeveralRows::Counted(how) => format!("With the role `person` it counts people: {how}."),
        SeveralRows::Refused(why) => format!("The role `person` is refused: {why}."),
    };
    let mut text = format!("{}\n## Several rows of one person\n\n{several}\n", entry.page);
    let Some(wordings) = entry.wordings else { return text };
    text.push_str("\n## In each kind of release\n");
    for kind in KINDS {
        let said = match wordings.of(kind.id) {
            Wording::Promise(sentence) => unfilled(sentence.promise),
            Wording::Refused(refusal) => format!("refused: {}", refusal.reason),
        };
        let _ = write!(text, "\n- {}: {said}.", kind.name);
    }
    text + "\n"
}

fn list() -> String {
    let mut table = Table::new(["", "name", "what it does"]);
    for entry in entries() {
        table.row([entry.kind, entry.name, entry.summary]);
    }
    format!("{}\n`moretta explain NAME` tells more.\n", table.render())
}

/// The page with its headings in bold.
fn styled(page: &str) -> String {
    let line = |line: &str| match line.trim_start_matches('#') {
        heading if heading.len() < line.len() => format!("{STRONG}{}{STRONG:#}\n", heading.trim_start()),
        _ => format!("{line}\n"),
    };
    page.lines().map(line).collect()
}
