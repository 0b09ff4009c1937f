//! Short labels for large sets: written out in every row, the sets of a wide table outgrow it a hundredfold.
//!
//! A set that holds whatever its column publishes is `*`, and a set of [`NUMBERED`] members or more is `{set 3: 12 values}`. The manifest lists
//! the members of both. Whole and number are functions of the sets that the column publishes, so that a label tells nothing beyond its members:
//! neither what people have who were left out, nor how many values the original knows.
//!
//! A set that is spelled out has a comma between its members, and a value that begins with a brace or has a comma is quoted: no numbered label is the label of
//! anything else. The one value that could be taken for a short label is the text `*`; beside sets it is published as `"*"`.
//!
//! Short labels are a matter of files. Whoever reads a table through [`Files`](super::Files) finds every set spelled out.

use std::sync::Arc;

use super::manifest::NodeMeaning;
use crate::data::domain::Domain;
use crate::data::lookup::HashMap;
use crate::data::table::Column;
use crate::data::value::Value;
use crate::error::Result;
use crate::hierarchy::{GeneralizedValue, HierarchySpec, Scale};

/// From so many members on a set has a number instead of its members.
const NUMBERED: usize = 9;

const WHOLE: &str = "*";

/// How the published values of an attribute are spelled in the files.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SetLabels {
    /// The label of each value.
    pub labels: Vec<String>,
    /// What the labels stand for that do not say it themselves, in the order of the values.
    pub nodes: Vec<NodeMeaning>,
}

impl SetLabels {
    /// The labels of values that are sets, and of any others as they are.
    pub fn of(values: &[GeneralizedValue], scale: &Scale) -> Self {
        let mut whole: Vec<u32> = values.iter().flat_map(members).copied().collect();
        whole.sort_unstable();
        whole.dedup();
        let (mut numbered, mut nodes) = (0, Vec::new());
        let mut short = |value: &GeneralizedValue| {
            let codes = members(value);
            let spelled = || scale.label(value);
            let label = match codes.len() {
                0 => return spelled(),
                1 if scale.domain().value(codes[0]).to_string() == WHOLE => format!("\"{WHOLE}\""),
                2.. if codes == whole => WHOLE.to_owned(),
                NUMBERED.. => {
                    numbered += 1;
                    format!("{{set {numbered}: {} values}}", codes.len())
                }
                _ => return spelled(),
            };
            let leaves = codes.iter().map(|&code| scale.domain().value(code).to_string()).collect();
            nodes.push(NodeMeaning { label: label.clone(), leaves });
            label
        };
        let labels = values.iter().map(&mut short).collect();
        Self { labels, nodes }
    }
}

fn members(value: &GeneralizedValue) -> &[u32] {
    if let GeneralizedValue::Set(codes) = value { codes } else { &[] }
}

/// What the labels of a column that a manifest lists stand for, spelled out.
pub fn spelled_out(nodes: &[NodeMeaning], column: &str) -> Result<HashMap<String, String>> {
    let mut spelled = HashMap::new();
    for node in nodes {
        let scale = Scale::new(&HierarchySpec::Default, Arc::new(Domain::labels(node.leaves.clone())), column)?;
        let all = GeneralizedValue::Set((0..node.leaves.len() as u32).collect());
        spelled.insert(node.label.clone(), scale.label(&all));
    }
    Ok(spelled)
}

/// Spells out the labels of a column that a manifest lists. Says what is wrong if the list gives two labels one meaning, or one label two: then
/// the table would show other groups than those that are judged.
pub(super) fn spell_out(column: &mut Column, nodes: &[NodeMeaning]) -> Result<Option<String>> {
    let mut spelled: HashMap<&str, String> = HashMap::new();
    for node in nodes {
        let scale = Scale::new(&HierarchySpec::Default, Arc::new(Domain::labels(node.leaves.clone())), &column.name)?;
        let all = GeneralizedValue::Set((0..node.leaves.len() as u32).collect());
        if node.leaves.is_empty() || spelled.insert(&node.label, scale.label(&all)).is_some() {
            return Ok(Some(format!(
                "the manifest lists the set {:?} of {:?} twice, or empty",
                node.label, column.name
            )));
        }
    }
    let in_full = |value: &Value| match value {
        Value::Text(label) => {
            spelled.get(&**label).map_or_else(|| value.clone(), |full| Value::Text(full.as_str().into()))
        }
        other => other.clone(),
    };
    let values: Vec<Value> = column.domain.values().iter().map(in_full).collect();
    let (domain, code_of) = Domain::from_unsorted(column.domain.kind(), values);
    if domain.len() != column.domain.len() {
        return Ok(Some(format!("two labels of {:?} stand for the same set", column.name)));
    }
    column.codes.iter_mut().for_each(|code| *code = code_of[*code as usize]);
    column.domain = Arc::new(domain);
    Ok(None)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::data::value::Type;

    /// Texts that are hard to tell from labels, and enough others.
    const TEXTS: &[&str] = &[
        "",
        "\"*\"",
        "*",
        "**",
        "a",
        "a, b",
        "b",
        "c",
        "d",
        "e",
        "f",
        "g",
        "h",
        "{a, b}",
        "{set 1: 9 values}",
        "{set 1: 10 values}",
        " i",
        "j\"",
        "{}",
    ];

    fn scale(texts: usize) -> Scale {
        let mut values: Vec<Value> = TEXTS[..texts].iter().map(|text| Value::Text((*text).into())).collect();
        values.sort_unstable();
        values[0] = Value::Missing;
        Scale::new(&HierarchySpec::Default, Arc::new(Domain::from_sorted(Type::Text, values)), "x").unwrap()
    }

    /// The column that a file would hold, one row for each value.
    fn column(labels: &[String]) -> Column {
        let value = |label: &String| if label.is_empty() { Value::Missing } else { Value::Text(label.as_str().into()) };
        let (domain, codes) = Domain::from_unsorted(Type::Text, labels.iter().map(value).collect());
        Column { name: "x".to_owned(), domain: Arc::new(domain), codes }
    }

    fn sets(codes: &[&[u32]]) -> Vec<GeneralizedValue> {
        codes.iter().map(|&codes| GeneralizedValue::Set(codes.into())).collect()
    }

    #[test]
    fn whole_sets_are_stars_and_large_ones_have_numbers() {
        let scale = scale(16);
        let nine: Vec<u32> = (4..13).collect();
        let all: Vec<u32> = (2..14).collect();
        let found = SetLabels::of(&sets(&[&[2], &[4, 6], &nine, &all]), &scale);
        assert_eq!(found.labels, ["\"*\"", "{a, b}", "{set 1: 9 values}", "*"]);
        let listed: Vec<(&str, usize)> =
            found.nodes.iter().map(|node| (node.label.as_str(), node.leaves.len())).collect();
        assert_eq!(listed, [("\"*\"", 1), ("{set 1: 9 values}", 9), ("*", 12)]);
    }

    #[test]
    fn what_is_whole_is_told_by_what_is_published_and_not_by_who_was_left_out() {
        let scale = scale(13);
        assert_eq!(SetLabels::of(&sets(&[&[4], &[4, 6]]), &scale).labels, ["a", "*"]);
        assert_eq!(SetLabels::of(&sets(&[&[4], &[4, 6], &[7]]), &scale).labels, ["a", "{a, b}", "c"]);
    }

    #[test]
    fn a_list_that_makes_two_labels_one_is_refused() {
        let node = |label: &str, leaves: &[&str]| NodeMeaning {
            label: label.to_owned(),
            leaves: leaves.iter().map(|&leaf| leaf.to_owned()).collect(),
        };
        let wrong = |nodes: &[NodeMeaning]| {
            spell_out(&mut column(&["*".to_owned(), "{a, b}".to_owned(), "c".to_owned()]), nodes).unwrap()
        };
        assert_eq!(wrong(&[node("*", &["a", "b", "c"])]), None);
        assert!(wrong(&[node("*", &["a", "b"])]).unwrap().contains("the same set"));
        assert!(wrong(&[node("c", &["a", "b"])]).unwrap().contains("the same set"));
        assert!(wrong(&[node("*", &[])]).unwrap().contains("twice, or empty"));
        assert!(wrong(&[node("*", &["a", "c"]), node("*", &["a", "b", "c"])]).unwrap().contains("twice, or empty"));
    }

    proptest! {
        #[test]
        fn what_is_read_back_is_what_was_planned(
            texts in 13..=TEXTS.len(),
            wanted in proptest::collection::btree_set(proptest::collection::btree_set(0..TEXTS.len() as u32, 1..16), 1..8),
        ) {
            let scale = scale(texts);
            let mut planned: Vec<GeneralizedValue> = wanted
                .iter()
                .map(|codes| codes.iter().copied().filter(|&code| (code as usize) < texts).collect::<Box<[u32]>>())
                .filter(|codes| !codes.is_empty())
                .map(GeneralizedValue::Set)
                .collect();
            planned.sort();
            planned.dedup();
            let short = SetLabels::of(&planned, &scale);
            let mut labels = short.labels.clone();
            labels.sort();
            labels.dedup();
            prop_assert_eq!(labels.len(), planned.len(), "each value has a label of its own: {:?}", short.labels);
            let mut read = column(&short.labels);
            prop_assert_eq!(spell_out(&mut read, &short.nodes).unwrap(), None);
            for (row, value) in planned.iter().enumerate() {
                prop_assert_eq!(read.domain.value(read.codes[row]).to_string(), scale.label(value));
            }
            prop_assert_eq!(SetLabels::of(&planned, &scale), short);
        }
    }
}
