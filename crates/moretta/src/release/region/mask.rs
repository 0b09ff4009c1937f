//! Codes with some of their characters hidden.

use crate::condition::ValueSet;
use crate::data::value::Value;

/// Whether a text may have become a mask.
pub(super) fn holds(kept: &str, at_end: bool, length: usize, text: &str) -> bool {
    let so = if at_end { text.ends_with(kept) } else { text.starts_with(kept) };
    so && text.chars().count() <= length
}

/// The smallest and the largest number that a mask of digits can hide; anything where what is left is no such number.
pub(super) fn numbers(kept: &str, at_end: bool, length: usize) -> (f64, f64) {
    let hidden = "9".repeat(length.saturating_sub(kept.chars().count()));
    let highest = if at_end { format!("{hidden}{kept}") } else { format!("{kept}{hidden}") };
    match (kept.bytes().all(|b| b.is_ascii_digit()), kept.parse::<f64>(), highest.parse::<f64>()) {
        // What stands before the end of a number may be a sign.
        (true, Ok(low), Ok(high)) if at_end => (if hidden.is_empty() { low } else { -high }, high),
        (true, Ok(low), Ok(high)) => (low, high),
        _ => (f64::NEG_INFINITY, f64::INFINITY),
    }
}

/// Each masked character is taken for a digit, all as likely.
pub(super) fn share(set: &ValueSet, kept: &str, at_end: bool, length: usize) -> f64 {
    const ENUMERATED: usize = 4;
    let hidden = length.saturating_sub(kept.chars().count());
    let shown = hidden.min(ENUMERATED);
    let of_points = |points: &[&Value]| {
        let fitting = points.iter().filter(|point| holds(kept, at_end, length, &point.to_string()));
        fitting.count() as f64 / 10_f64.powf(hidden as f64)
    };
    if let Some(points) = set.points() {
        return of_points(&points);
    }
    if let Some(points) = set.complement().points() {
        return 1.0 - of_points(&points);
    }
    let all = 10_usize.pow(shown as u32);
    let spelled = |number: usize| {
        let digits = format!("{number:0shown$}{:5<1$}", "", hidden - shown);
        Value::Text(if at_end { format!("{digits}{kept}") } else { format!("{kept}{digits}") }.into())
    };
    (0..all).filter(|&number| set.contains(&spelled(number))).count() as f64 / all as f64
}
