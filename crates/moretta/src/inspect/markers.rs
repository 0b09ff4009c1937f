//! Texts and numbers that look as if they stood for a missing value.

use std::collections::BTreeSet;
use std::sync::Arc;

use serde::Serialize;

use crate::data::domain::Domain;
use crate::data::guess::Guess;
use crate::data::table::Column;
use crate::data::value::{Decimal, Type, Value};

/// A value that looks as if it stood for a missing one.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Marker {
    /// The value, as the table spells it.
    pub text: String,
    /// The rows that hold it.
    pub count: u64,
    /// Whether it was taken as missing. What may be a value like others is left to the steward.
    pub certain: bool,
}

/// Texts, in small letters and without blanks around them, that hardly mean anything but a gap.
const GAPS: &str = "\
    ?, ??, ???, -, --, ---, ., .., ..., \\n, na, n/a, n.a., n.a, #n/a, #na, <na>, nan, null, #null!, (null), <null>, \
    nil, (blank), 0000-00-00";

/// Texts that mean a gap among numbers or dates, but among texts may be an answer of its own.
const ANSWERS: &str = "\
    *, none, unknown, unk, not known, missing, empty, blank, undefined, unspecified, undisclosed, not available, not \
    applicable, not specified, not stated, not reported, not recorded, no answer, no response, refused, declined, \
    don't know, dont know, dk, tbd";

/// No marker is longer, so that long texts need not be looked at.
const LONGEST: usize = 16;

/// The fewest values that a column of numbers needs for one of them to stand out.
const FEWEST_NUMBERS: usize = 10;

/// Negative numbers that surveys write for what was not asked, not known or not told.
const NEGATIVE_CODES: [f64; 12] = [-1.0, -2.0, -3.0, -7.0, -8.0, -9.0, -88.0, -97.0, -98.0, -99.0, -999.0, -9999.0];

/// The values of a column that look like gaps; `counts` are the rows of each code.
pub(super) fn suspects(column: &Column, counts: &[u64]) -> Vec<Marker> {
    let marker = |code: u32, certain| Marker {
        text: column.domain.value(code).to_string(),
        count: counts[code as usize],
        certain,
    };
    match column.domain.kind() {
        Type::Text | Type::Code => {
            among_texts(&column.domain).into_iter().map(|(code, certain)| marker(code, certain)).collect()
        }
        Type::Integer | Type::Number => {
            among_numbers(&column.domain).into_iter().map(|code| marker(code, false)).collect()
        }
        Type::Date | Type::Timestamp | Type::Boolean => Vec::new(),
    }
}

fn among_texts(domain: &Domain) -> Vec<(u32, bool)> {
    let mut found: Vec<(u32, bool)> = Vec::new();
    let mut others: Vec<&str> = Vec::new();
    for (code, value) in (0..).zip(domain.values()) {
        let Value::Text(text) = value else { continue };
        let plain = text.trim();
        let among =
            |list: &str| plain.len() <= LONGEST && list.split(", ").any(|marker| marker.eq_ignore_ascii_case(plain));
        match plain.is_empty() || among(GAPS) {
            false if !among(ANSWERS) => others.push(text),
            is_gap => found.push((code, is_gap)),
        }
    }
    if found.is_empty() {
        return found;
    }
    let mut guess = Guess::default();
    for text in &others {
        guess.observe(text);
    }
    let typed = guess.kind() != Type::Text;
    // "NA" among two-letter codes may be one of them: Namibia, for one.
    let codes = others.len() >= 3 && others.iter().all(|text| is_code(text));
    for (code, certain) in &mut found {
        let may_be_code = codes && is_code(&domain.value(*code).to_string());
        *certain = (*certain && !may_be_code) || typed;
    }
    found
}

fn is_code(text: &str) -> bool {
    text.len() == 2 && text.bytes().all(|byte| byte.is_ascii_uppercase())
}

/// Negative numbers that are codes where all others are not negative, or a 99, 999, … as far above all others as these are apart.
fn among_numbers(domain: &Domain) -> Vec<u32> {
    let numbers: Vec<(u32, f64)> =
        (0..).zip(domain.values()).filter_map(|(code, value)| Some((code, value.as_number()?))).collect();
    if numbers.len() < FEWEST_NUMBERS {
        return Vec::new();
    }
    let (negative, others) = numbers.split_at(numbers.partition_point(|&(_, number)| number < 0.0));
    let mut found = Vec::new();
    // Debts and temperatures are negative too, but hardly ever just these.
    if negative.len() <= NEGATIVE_CODES.len() && negative.iter().all(|(_, number)| NEGATIVE_CODES.contains(number)) {
        found.extend(negative.iter().map(|&(code, _)| code));
    }
    let [(_, second), .., (_, next), (last, highest)] = others[..] else { return found };
    if [99.0, 999.0, 9999.0, 99_999.0, 999_999.0, 9_999_999.0].contains(&highest) && highest - next > next - second {
        found.push(last);
    }
    found
}

/// The column with some of its texts taken as missing, and the type that the rest has.
pub(super) fn without(column: Column, missing: &BTreeSet<String>, decimal: Option<Decimal>) -> Column {
    let is_marker = |value: &Value| matches!(value, Value::Text(text) if missing.contains(&**text));
    if !column.domain.values().iter().any(is_marker) {
        return column;
    }
    let mut guess = Guess::default();
    for value in column.domain.values() {
        match value {
            Value::Text(text) if !missing.contains(&**text) => guess.observe(text),
            _ => {}
        }
    }
    let decimal = decimal.unwrap_or_else(|| guess.decimal());
    let retyped = column.domain.values().iter().map(|value| match value {
        Value::Text(text) if !missing.contains(&**text) => {
            Value::parse(text, guess.kind(), decimal).unwrap_or_else(|| value.clone())
        }
        _ => Value::Missing,
    });
    let (domain, code_of) = Domain::from_unsorted(guess.kind(), retyped.collect());
    let codes = column.codes.into_iter().map(|code| code_of[code as usize]).collect();
    Column { name: column.name, domain: Arc::new(domain), codes }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn column(texts: &[&str]) -> Column {
        let values = texts.iter().map(|&text| Value::Text(text.into())).collect();
        let (domain, codes) = Domain::from_unsorted(Type::Text, values);
        Column { name: "x".to_owned(), domain: Arc::new(domain), codes }
    }

    fn found(texts: &[&str]) -> Vec<(String, bool)> {
        let column = column(texts);
        let ones = vec![1; column.domain.len()];
        suspects(&column, &ones).into_iter().map(|marker| (marker.text, marker.certain)).collect()
    }

    #[test]
    fn a_gap_is_certain_and_an_answer_only_among_numbers() {
        assert_eq!(found(&["nurse", " ?", "unknown"]), [(" ?".to_owned(), true), ("unknown".to_owned(), false)]);
        assert_eq!(found(&["1", "2", "Unknown"]), [("Unknown".to_owned(), true)]);
        assert_eq!(found(&["DE", "FR", "US", "NA"]), [("NA".to_owned(), false)]);
        assert_eq!(found(&["yes", "no", "NA"]), [("NA".to_owned(), true)]);
        assert_eq!(found(&["a rather long text of no meaning"]), []);
    }

    #[test]
    fn numbers_that_stand_out_are_suspected() {
        let numbers = |extra: &[i64]| {
            let values = (0..20).chain(extra.iter().copied()).map(Value::Integer).collect();
            let (domain, codes) = Domain::from_unsorted(Type::Integer, values);
            let ones = vec![1; domain.len()];
            let column = Column { name: "x".to_owned(), domain: Arc::new(domain), codes };
            suspects(&column, &ones).into_iter().map(|marker| marker.text).collect::<Vec<_>>()
        };
        assert_eq!(numbers(&[]), [""; 0]);
        assert_eq!(numbers(&[-1, 999]), ["-1", "999"]);
        assert_eq!(numbers(&[-9, -8]), ["-9", "-8"]);
        assert_eq!(numbers(&[-5, -1, 30]), [""; 0]);
        assert_eq!(numbers(&[60, 99]), [""; 0]);
    }

    #[test]
    fn without_its_gaps_a_column_shows_its_type() {
        let missing = BTreeSet::from(["?".to_owned()]);
        let column = without(column(&["20", "?", "3"]), &missing, None);
        assert_eq!(column.domain.values(), [Value::Missing, Value::Integer(3), Value::Integer(20)]);
        assert_eq!(column.codes, [2, 0, 1]);
    }
}
