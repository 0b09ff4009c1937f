//! Categories of a sensitive attribute: to which of the lists in a policy each value belongs.

use crate::data::table::Column;
use crate::data::value::Value;
use crate::error::{Error, Result};

/// A partition of a sensitive attribute's values, the most sensitive category first.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Categories {
    /// How many categories the policy states. Some may be empty in this table.
    pub len: usize,
    /// The category of each code, counted from 0.
    pub of_code: Vec<u32>,
}

impl Categories {
    /// The category of each value of a column. A list names values, or ranges of numbers as releases write them: `[1, 20]`, `(20, 40]`.
    pub(super) fn of_column(lists: &[Vec<String>], column: &Column) -> Result<Self> {
        let ranges: Vec<Vec<Range>> =
            lists.iter().map(|list| list.iter().filter_map(|text| Range::parse(text)).collect()).collect();
        let category = |value: &Value| {
            let text = value.to_string();
            // A value that is named needs no range, nor does one whose text looks like a range.
            if let Some(index) = lists.iter().position(|list| list.contains(&text)) {
                return Ok(index as u32);
            }
            let inside =
                |ranges: &[Range]| value.as_number().is_some_and(|x| ranges.iter().any(|range| range.holds(x)));
            let mut holding = (0_u32..).zip(&ranges).filter(|(_, ranges)| inside(ranges)).map(|(index, _)| index);
            match (holding.next(), holding.next()) {
                (Some(index), None) => Ok(index),
                (Some(_), Some(_)) => {
                    Err(Error::input(format!("the value {text:?} of {:?} stands in two categories", column.name))
                        .help("ranges of different categories must not overlap: [1, 20] and (20, 40]"))
                }
                (None, _) => Err(Error::input(format!("the categories of {:?} miss the value {text:?}", column.name))
                    .help("every value that occurs stands in one category")),
            }
        };
        let of_code = column.domain.values().iter().map(category).collect::<Result<_>>()?;
        Ok(Self { len: lists.len(), of_code })
    }
}

/// The numbers between two ends, each with or without itself.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Range {
    low: (f64, bool),
    high: (f64, bool),
}

impl Range {
    fn parse(text: &str) -> Option<Self> {
        let (inner, with_low) = match text.strip_prefix('[') {
            Some(inner) => (inner, true),
            None => (text.strip_prefix('(')?, false),
        };
        let (inner, with_high) = match inner.strip_suffix(']') {
            Some(inner) => (inner, true),
            None => (inner.strip_suffix(')')?, false),
        };
        let (low, high) = inner.split_once(',')?;
        let end = |text: &str| text.trim().parse::<f64>().ok().filter(|end| end.is_finite());
        Some(Self { low: (end(low)?, with_low), high: (end(high)?, with_high) })
    }

    fn holds(&self, x: f64) -> bool {
        let above = x > self.low.0 || self.low.1 && x.total_cmp(&self.low.0).is_eq();
        let below = x < self.high.0 || self.high.1 && x.total_cmp(&self.high.0).is_eq();
        above && below
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::data::domain::Domain;
    use crate::data::value::Type;

    fn column(values: Vec<Value>, kind: Type) -> Column {
        Column { name: "income".into(), codes: Vec::new(), domain: Arc::new(Domain::from_sorted(kind, values)) }
    }

    fn incomes(lists: &[&[&str]]) -> Result<Categories> {
        let lists: Vec<Vec<String>> = lists.iter().map(|list| list.iter().map(|&t| t.to_owned()).collect()).collect();
        let values = [1, 20, 21, 40, 70, 100].map(Value::Integer).to_vec();
        Categories::of_column(&lists, &column(values, Type::Integer))
    }

    #[test]
    fn ranges_of_table_11_take_every_income_in() {
        let found = incomes(&[&["[1, 20]"], &["(20, 40]"], &["(40, 70]"], &["(70, 100]"]]).expect("all are covered");
        assert_eq!((found.len, found.of_code), (4, vec![0, 0, 1, 1, 2, 3]));
    }

    #[test]
    fn single_values_come_before_ranges() {
        let found = incomes(&[&["70"], &["[1, 100]"]]).expect("all are covered");
        assert_eq!(found.of_code, [1, 1, 1, 1, 0, 1]);
    }

    #[test]
    fn a_gap_and_an_overlap_are_refused_with_the_value() {
        let message = |lists: &[&[&str]]| incomes(lists).err().map(|e| e.message().to_owned()).unwrap_or_default();
        assert!(message(&[&["[1, 20)"], &["(20, 100]"]]).contains("miss the value \"20\""));
        assert!(message(&[&["[1, 20]"], &["[20, 100]"]]).contains("\"20\" of \"income\" stands in two"));
        assert!(message(&[&["[1, 20"], &["(20, 100]"]]).contains("miss the value \"1\""), "no range, and no value");
    }

    #[test]
    fn texts_that_look_like_ranges_are_values() {
        let values = vec![Value::Text("(20, 40]".into()), Value::Text("[1, 20]".into())];
        let lists = vec![vec!["[1, 20]".to_owned()], vec!["(20, 40]".to_owned()]];
        let found = Categories::of_column(&lists, &column(values, Type::Text)).expect("both are named");
        assert_eq!(found.of_code, [1, 0]);
    }
}
