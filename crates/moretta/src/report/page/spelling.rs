//! Numbers and words as the page spells them.

use serde_json::Value as Json;

pub(super) fn capitalized(text: &str) -> String {
    let mut chars = text.chars();
    chars.next().map_or(String::new(), |first| first.to_uppercase().chain(chars).collect())
}

/// 30162 as `30,162`.
pub(super) fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (place, digit) in digits.chars().enumerate() {
        if place > 0 && (digits.len() - place).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

pub(super) fn number(x: f64) -> String {
    if x.is_finite() { format!("{}", (x * 1e4).round() / 1e4) } else { "∞".to_owned() }
}

pub(super) fn percent(share: f64) -> String {
    format!("{:.1} %", 100.0 * share)
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
