//! The commands, one file each: options, the call into the library, what is shown.

pub(crate) mod audit;
pub(crate) mod check;
pub(crate) mod compare;
pub(crate) mod completions;
pub(crate) mod explain;
pub(crate) mod export;
pub(crate) mod generate;
pub(crate) mod init;
pub(crate) mod inspect;
pub(crate) mod publish;
pub(crate) mod query;
pub(crate) mod reproduce;

use std::fmt::Write as _;

use moretta::model::Verdict;
use moretta::text::rounded;
use serde_json::{Map, Value as Json};

use crate::console::{BAD, GOOD};
use crate::layout::Table;

/// How a command ended that did not fail.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Outcome {
    /// Done, and every promise holds.
    Done,
    /// Done, but a promise does not hold.
    PromiseBroken,
}

impl Outcome {
    fn of(verdicts: &[Verdict]) -> Self {
        if verdicts.iter().all(|verdict| verdict.holds) { Self::Done } else { Self::PromiseBroken }
    }
}

/// Promises as a table: what was promised, what is reached, whether it holds.
fn verdict_table(verdicts: &[Verdict]) -> String {
    let mut table = Table::new(["promise", "required", "reached", "holds"]);
    for verdict in verdicts {
        let holds = if verdict.holds { "yes" } else { "NO" };
        table.row([
            verdict.model.to_owned(),
            parameters(&verdict.promised),
            parameters(&verdict.achieved),
            holds.to_owned(),
        ]);
    }
    // Colours come after the layout, which counts characters.
    let mut text = table
        .render()
        .replace("   yes\n", &format!("   {GOOD}yes{GOOD:#}\n"))
        .replace("   NO\n", &format!("   {BAD}NO{BAD:#}\n"));
    for (name, more) in verdicts.iter().flat_map(|verdict| &verdict.achieved) {
        if let Json::Object(more) = more {
            let _ = writeln!(text, "\n  {name}: {}", parameters(more));
        }
    }
    text
}

/// Single values; what has several has no room in a table.
fn parameters(map: &Map<String, Json>) -> String {
    let spelled = |value: &Json| match value {
        Json::String(text) => text.clone(),
        Json::Null => "∞".to_owned(),
        Json::Number(number) if !number.is_i64() && !number.is_u64() => {
            number.as_f64().map_or_else(|| number.to_string(), |x| rounded(x, 6))
        }
        other => other.to_string(),
    };
    let single = map.iter().filter(|(_, value)| !value.is_object());
    single.map(|(name, value)| format!("{name} = {}", spelled(value))).collect::<Vec<_>>().join(", ")
}

/// An object of `--json` with its version.
fn versioned(value: impl serde::Serialize) -> Json {
    let mut object = Map::from_iter([("schema".to_owned(), 1.into())]);
    if let Ok(Json::Object(fields)) = serde_json::to_value(value) {
        object.extend(fields.into_iter().filter(|(name, _)| name != "schema"));
    }
    Json::Object(object)
}
