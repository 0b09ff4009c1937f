//! Whether sorting explains the order of a table's rows: then it tells nothing that the rows do not tell themselves.

use std::cmp::Ordering;

use super::PublishedTable;
use super::input::OriginalTable;
use crate::data::domain::Domain;
use crate::data::lookup::HashMap;
use crate::data::table::Column;
use crate::data::value::Value;

/// Whether rows are sorted by some of their columns, one after the other, each in one of the orders that people and programs sort by.
///
/// A column in whose order no pair of neighbours stands the wrong way can always be taken first: it only decides pairs. So there is nothing to try out.
pub(super) fn is_sorted(table: &PublishedTable, original_table: Option<&OriginalTable>) -> bool {
    let mut open: Vec<usize> = (1..table.rows).collect();
    let mut columns: Vec<Sortable<'_>> =
        table.columns.iter().map(|column| Sortable::new(column, original_table)).collect();
    // Rows that are equal in every column are in order, whichever comes first.
    while !open.is_empty() && !columns.is_empty() {
        let Some(next) = columns.iter().position(|column| column.keeps(&open)) else { return false };
        let Sortable { codes, .. } = columns.remove(next);
        open.retain(|&row| codes[row - 1] == codes[row]);
    }
    true
}

/// A column by which rows may be sorted.
struct Sortable<'a> {
    codes: &'a [u32],
    texts: Vec<String>,
    /// The places of labels in the order of the hierarchy's nodes, where all of them are nodes.
    nodes: Option<Vec<u32>>,
    /// The first and the last value of the original that each label stands for, where all of them are values, sets of them, or everything.
    members: Option<Vec<(u32, u32)>>,
}

/// The label that stands for every value.
const EVERYTHING: &str = "*";

/// An order of labels.
type Compare = fn(&str, &str) -> Ordering;

/// The orders that labels are sorted by, apart from that of a hierarchy.
const ORDERS: [Compare; 5] = [
    |a, b| a.cmp(b),
    |a, b| a.len().cmp(&b.len()).then_with(|| a.cmp(b)),
    |a, b| compare(&numbers(a), &numbers(b)).then_with(|| a.cmp(b)),
    |a, b| parts(a).cmp(&parts(b)),
    |a, b| {
        let (a_parts, b_parts) = (parts(a), parts(b));
        let order = a_parts.iter().zip(&b_parts).map(|(x, y)| compare(&numbers(x), &numbers(y)).then_with(|| x.cmp(y)));
        let first = order.into_iter().find(|order| order.is_ne());
        first.unwrap_or_else(|| a_parts.len().cmp(&b_parts.len())).then_with(|| a.cmp(b))
    },
];

impl<'a> Sortable<'a> {
    fn new(column: &'a Column, original_table: Option<&OriginalTable>) -> Self {
        let texts: Vec<String> = column.domain.values().iter().map(ToString::to_string).collect();
        let nodes = original_table.and_then(|original_table| {
            let index = original_table.names.iter().position(|name| *name == column.name)?;
            let tree = original_table.counted.scales[index].tree()?;
            let places: HashMap<&str, u32> = (0..tree.len()).map(|node| (tree.label(node), node)).collect();
            texts.iter().map(|text| places.get(text.as_str()).copied()).collect()
        });
        let members = original_table.and_then(|original_table| {
            let own = original_table.counted.table.quasi.iter().find(|own| own.name == column.name)?;
            members(&own.domain, &texts)
        });
        Self { codes: &column.codes, texts, nodes, members }
    }

    /// Whether no row of `open` stands the wrong way behind the one before it, in one of the orders or in its reverse.
    fn keeps(&self, open: &[usize]) -> bool {
        let stands = |compare: &dyn Fn(usize, usize) -> Ordering, wrong: Ordering| {
            open.iter().all(|&row| compare(self.codes[row - 1] as usize, self.codes[row] as usize) != wrong)
        };
        let either = |compare: &dyn Fn(usize, usize) -> Ordering| {
            stands(compare, Ordering::Greater) || stands(compare, Ordering::Less)
        };
        ORDERS.iter().any(|order| either(&|a, b| order(&self.texts[a], &self.texts[b])))
            || self.nodes.as_ref().is_some_and(|nodes| either(&|a, b| nodes[a].cmp(&nodes[b])))
            || self.members.as_ref().is_some_and(|members| either(&|a, b| members[a].cmp(&members[b])))
    }
}

/// The first and the last value of a domain that each label stands for; nothing where a label stands for something else.
fn members(domain: &Domain, labels: &[String]) -> Option<Vec<(u32, u32)>> {
    let places: HashMap<String, u32> = domain.values().iter().map(Value::to_string).zip(0..).collect();
    let last = (domain.len() as u32).checked_sub(1)?;
    let of_label = |label: &String| {
        if let Some(&place) = places.get(label) {
            return Some((place, place));
        }
        if label == EVERYTHING {
            return Some((0, last));
        }
        let set = label.strip_prefix('{')?.strip_suffix('}')?;
        let listed = set.split(", ").map(|member| places.get(member).copied()).collect::<Option<Vec<u32>>>()?;
        Some((*listed.iter().min()?, *listed.iter().max()?))
    };
    labels.iter().map(of_label).collect()
}

/// The numbers that stand in a label, from the left: of `[20, 29]` 20 and 29.
fn numbers(text: &str) -> Vec<f64> {
    let is_digit = |c: char| c.is_ascii_digit() || matches!(c, '.' | '-');
    text.split(|c| !is_digit(c)).filter_map(|part| part.trim_end_matches(['.', '-']).parse().ok()).collect()
}

/// What a set or an interval lists; of other labels the label.
fn parts(text: &str) -> Vec<&str> {
    text.trim_matches(['{', '}', '[', ']', '(', ')']).split(", ").collect()
}

fn compare(a: &[f64], b: &[f64]) -> Ordering {
    let first = a.iter().zip(b).map(|(x, y)| x.total_cmp(y)).find(|order| order.is_ne());
    first.unwrap_or_else(|| a.len().cmp(&b.len()))
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::data::value::Type;

    fn table(columns: &[&[&str]]) -> PublishedTable {
        let column = |texts: &&[&str]| {
            let values: Vec<Value> = texts.iter().map(|text| Value::Text((*text).into())).collect();
            let (domain, codes) = Domain::from_unsorted(Type::Text, values);
            Column { name: "a".to_owned(), domain: Arc::new(domain), codes }
        };
        PublishedTable {
            name: "data".to_owned(),
            rows: columns[0].len(),
            columns: columns.iter().map(column).collect(),
        }
    }

    #[test]
    fn sets_stand_where_their_first_member_does_and_everything_where_the_first_value_does() {
        let texts = |texts: &[&str]| -> Vec<String> { texts.iter().map(ToString::to_string).collect() };
        let values = texts(&["a21", "b16", "c3"]).into_iter().map(|text| Value::Text(text.into())).collect();
        let (domain, _) = Domain::from_unsorted(Type::Text, values);
        let labels = texts(&["a21", "*", "b16", "{b16, c3}", "c3"]);
        assert_eq!(members(&domain, &labels), Some(vec![(0, 0), (0, 2), (1, 1), (1, 2), (2, 2)]));
        assert_eq!(members(&domain, &texts(&["{b16, d}"])), None);
        assert_eq!(members(&domain, &texts(&["{set 1: 12 values}"])), None);
    }

    #[test]
    fn sorting_is_seen_whatever_the_order_of_columns_and_of_values() {
        for columns in [
            [["9", "10", "10", "100"], ["b", "a", "b", "a"]],
            [["x", "y", "x", "y"], ["[2, 3]", "[2, 3]", "[10, 12]", "[10, 12]"]],
            [["z", "z", "a", "a"], ["1", "2", "3", "3"]],
            [["{a1}", "{a1, b1}", "{a2}", "{b1}"], ["4", "3", "2", "1"]],
            [["-5", "-1", "0", "2.5"], ["q", "r", "s", "t"]],
            [["a24", "a24", "{b25, c23}", "c23"], ["1", "2", "3", "1"]],
        ] {
            let columns: Vec<&[&str]> = columns.iter().map(<[&str; 4]>::as_slice).collect();
            assert!(is_sorted(&table(&columns), None), "{columns:?}");
        }
        assert!(!is_sorted(&table(&[&["1", "3", "2", "4"], &["a", "a", "b", "a"]]), None));
        assert!(!is_sorted(&table(&[&["a", "b", "a", "b"]]), None));
        assert!(is_sorted(&table(&[&["1"]]), None));
    }
}
