//! The commands, one file each: options, the call into the library, what is shown.

pub(crate) mod audit;
pub(crate) mod check;
pub(crate) mod compare;
pub(crate) mod completions;
pub(crate) mod explain;
pub(crate) mod export;
pub(crate) mod generate;
pub(crate) mod hierarchy;
pub(crate) mod init;
pub(crate) mod inspect;
pub(crate) mod publish;
pub(crate) mod query;
pub(crate) mod reproduce;
pub(crate) mod workbench;

use std::fmt::Write as _;

use moretta::text::rounded;
use moretta::{Error, Result, SCHEMA, Verdict};
use serde_json::{Map, Value as Json};

use crate::layout::{Cell, Table};

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
        table.row([
            Cell::from(verdict.model),
            parameters(&verdict.promised).into(),
            parameters(&verdict.achieved).into(),
            Cell::verdict(verdict.holds),
        ]);
    }
    let mut text = table.render();
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
fn versioned(value: impl serde::Serialize) -> Result<Json> {
    let value = serde_json::to_value(value).map_err(|e| Error::bug(format!("a result can't be shown as JSON: {e}")))?;
    let Json::Object(fields) = value else { return Err(Error::bug("a result is no object of JSON")) };
    let mut object = Map::from_iter([("schema".to_owned(), SCHEMA.into())]);
    object.extend(fields.into_iter().filter(|(name, _)| name != "schema"));
    Ok(Json::Object(object))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_result_has_a_version_or_is_an_error() {
        let shown = versioned(serde_json::json!({ "schema": 7, "k": 2 })).expect("an object");
        assert_eq!(shown, serde_json::json!({ "schema": SCHEMA, "k": 2 }));
        let keys_of_json = std::collections::BTreeMap::from([((1, 2), 3)]);
        assert_eq!(versioned(keys_of_json).expect_err("keys must be texts").code(), "bug");
        assert_eq!(versioned(3).expect_err("a number").code(), "bug");
    }
}
