//! Numbers and words as the page spells them.

use serde_json::Value as Json;

use crate::text::{grouped, rounded};

/// A measure, to four decimals.
pub(super) fn number(x: f64) -> String {
    rounded(x, 4)
}

pub(super) fn spelled(value: &Json) -> String {
    match value {
        Json::String(text) => text.clone(),
        Json::Null => "∞".to_owned(),
        Json::Number(n) if n.is_f64() => n.as_f64().map_or_else(|| n.to_string(), number),
        Json::Number(n) => n.as_u64().map_or_else(|| n.to_string(), grouped),
        other => other.to_string(),
    }
}
