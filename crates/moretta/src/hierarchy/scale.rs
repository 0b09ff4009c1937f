//! How the values of an attribute generalize, and what that costs.

use std::fmt::Write as _;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::spec::HierarchySpec;
use super::tree::{Hierarchy, NodeId};
use crate::data::domain::Domain;
use crate::data::value::Value;
use crate::error::{Code, Error, Result};

/// An attribute's values in the order in which they generalize.
///
/// Methods work on *ranks*: with a hierarchy, the depth-first ranks of its leaves; without one, the
/// codes of the domain. A generalized value then covers a run of ranks, or a set of them.
#[derive(Clone, Debug)]
pub struct Scale {
    pub(super) domain: Arc<Domain>,
    pub(super) shape: ScaleShape,
    /// How much its loss weighs in what methods minimize; 1 on average over the attributes of a table.
    pub(super) importance: f64,
    /// The highest level that values may take, where it is not the root's.
    pub(super) highest: Option<usize>,
    /// Whether its tree is nothing but its values and `*`.
    pub(super) withheld: bool,
    /// A hierarchy for those who need one, where values are generalized without: it, and the rank of each code.
    pub(super) aside: Option<(Arc<Hierarchy>, Vec<u32>)>,
}

#[derive(Clone, Debug)]
pub(super) enum ScaleShape {
    /// Values generalize to nodes of a tree.
    Tree { tree: Arc<Hierarchy>, rank_of_code: Vec<u32> },
    /// Numbers and dates generalize to intervals; positions on the number line by code.
    Line { positions: Vec<f64> },
    /// Anything else generalizes to sets.
    Set,
}

/// A value that stands for several.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum GeneralizedValue {
    /// A node of the hierarchy.
    Node(NodeId),
    /// All values from one code to another.
    Interval(u32, u32),
    /// Some codes.
    Set(Box<[u32]>),
}

impl Scale {
    /// The scale that a specification makes over a domain.
    pub fn new(spec: &HierarchySpec, domain: Arc<Domain>, attribute: &str) -> Result<Self> {
        let shape = match super::build::build(spec, &domain, attribute)? {
            Some(tree) => Self::over_tree(tree, spec, &domain, attribute)?,
            None if domain.kind().is_ordered() => {
                let positions = domain.values().iter().map(|value| value.as_number().unwrap_or(f64::NAN));
                ScaleShape::Line { positions: positions.collect() }
            }
            None if *spec == HierarchySpec::Free => {
                return Err(Error::input(format!("free intervals of {attribute:?} need numbers or dates"))
                    .coded(Code::HierarchyWrong)
                    .help("state the attribute's `type`, or remove `intervals = \"free\"`"));
            }
            None => ScaleShape::Set,
        };
        Ok(Self { domain, shape, importance: 1.0, highest: None, withheld: false, aside: None })
    }

    fn over_tree(tree: Hierarchy, spec: &HierarchySpec, domain: &Domain, attribute: &str) -> Result<ScaleShape> {
        let ranks = tree.rank_by_label();
        let rank_of = |value: &Value| ranks.get(value.to_string().as_str()).copied();
        let lacking: Vec<&Value> = domain.values().iter().filter(|value| rank_of(value).is_none()).collect();
        if !lacking.is_empty() {
            let error = no_leaves(attribute, &lacking, &tree);
            return Err(match spec {
                HierarchySpec::File(file) => error.at_file(&file.file),
                _ => error,
            });
        }
        let rank_of_code = domain.values().iter().filter_map(rank_of).collect();
        drop(ranks);
        Ok(ScaleShape::Tree { tree: Arc::new(tree), rank_of_code })
    }

    /// The attribute's values.
    pub fn domain(&self) -> &Arc<Domain> {
        &self.domain
    }

    /// The hierarchy, if there is one.
    pub fn tree(&self) -> Option<&Hierarchy> {
        match &self.shape {
            ScaleShape::Tree { tree, .. } => Some(tree),
            _ => None,
        }
    }

    /// The hierarchy, if there is one, to be kept.
    pub fn shared_tree(&self) -> Option<Arc<Hierarchy>> {
        match &self.shape {
            ScaleShape::Tree { tree, .. } => Some(tree.clone()),
            _ => None,
        }
    }

    /// The same, generalized as if it had no hierarchy; those who need one find it in [`Scale::by_hierarchy`].
    pub(crate) fn without_hierarchy(self, attribute: &str) -> Result<Self> {
        let ScaleShape::Tree { tree, rank_of_code } = self.shape else { return Ok(self) };
        let plain = Self::new(&HierarchySpec::Default, self.domain.clone(), attribute)?;
        Ok(Self { domain: self.domain, shape: plain.shape, aside: Some((tree, rank_of_code)), ..plain })
    }

    /// The same for those who need a hierarchy: generalized by the one that was set aside, if there is one.
    #[must_use]
    pub(crate) fn by_hierarchy(&self) -> Self {
        let mut scale = self.clone();
        if let Some((tree, rank_of_code)) = scale.aside.take() {
            scale.shape = ScaleShape::Tree { tree, rank_of_code };
        }
        scale
    }

    /// Whether values generalize to sets.
    pub fn is_set(&self) -> bool {
        matches!(self.shape, ScaleShape::Set)
    }

    /// How many ranks there are.
    pub fn ranks(&self) -> u32 {
        self.tree().map_or(self.domain.len() as u32, Hierarchy::leaves)
    }

    /// The rank of each code.
    pub fn rank_of_codes(&self) -> Vec<u32> {
        match &self.shape {
            ScaleShape::Tree { rank_of_code, .. } => rank_of_code.clone(),
            _ => (0..self.domain.len() as u32).collect(),
        }
    }

    /// How wide a run of ranks is, from 0 for one value to 1 for all: what Mondrian cuts by.
    pub fn width(&self, first: u32, last: u32) -> f64 {
        match &self.shape {
            _ if first == last => 0.0,
            ScaleShape::Tree { tree, .. } => share(tree.size(tree.common_ancestor(first, last)), tree.leaves()),
            ScaleShape::Line { positions } => interval_width(positions, first, last),
            ScaleShape::Set => share(last - first, self.ranks() - 1),
        }
    }

    /// With a hierarchy, the ranks above `first` at which children of the common ancestor of a run
    /// start: the only places where the run may be cut. Without one it may be cut anywhere.
    pub fn child_starts(&self, first: u32, last: u32) -> Option<Vec<u32>> {
        let tree = self.tree()?;
        let children = tree.children(tree.common_ancestor(first, last));
        Some(children.map(|child| tree.ranks(child).start).filter(|&start| start > first && start <= last).collect())
    }

    /// What a group publishes whose ranks run from `first` to `last`; `present` lists those that occur.
    pub fn generalize(&self, first: u32, last: u32, present: impl FnOnce() -> Box<[u32]>) -> GeneralizedValue {
        match &self.shape {
            ScaleShape::Tree { tree, .. } => GeneralizedValue::Node(tree.common_ancestor(first, last)),
            ScaleShape::Line { .. } => GeneralizedValue::Interval(first, last),
            ScaleShape::Set => GeneralizedValue::Set(present()),
        }
    }

    /// The published spelling.
    pub fn label(&self, value: &GeneralizedValue) -> String {
        match (value, &self.shape) {
            (GeneralizedValue::Node(node), ScaleShape::Tree { tree, .. }) => tree.label(*node).to_owned(),
            (GeneralizedValue::Interval(first, last), _) if first == last => self.domain.value(*first).to_string(),
            (GeneralizedValue::Interval(first, last), _) => match self.domain.value(*first) {
                Value::Missing => {
                    let present = self.label(&GeneralizedValue::Interval(first + 1, *last));
                    format!("{present} or missing")
                }
                low => format!("[{low}, {}]", self.domain.value(*last)),
            },
            (GeneralizedValue::Set(codes), _) => self.set_label(codes),
            (GeneralizedValue::Node(_), _) => String::new(),
        }
    }

    /// `{a, b}`; a single value stands by itself. What could be misread is quoted as in JSON.
    fn set_label(&self, codes: &[u32]) -> String {
        let quoted = |code: u32| {
            let text = self.domain.value(code).to_string();
            let plain = text.trim() == text && !text.contains([',', '{', '}', '"']);
            if plain { text } else { Value::Text(text.into()).to_json() }
        };
        match codes {
            [only] => match self.domain.value(*only) {
                Value::Missing => String::new(),
                _ => quoted(*only),
            },
            _ => {
                let mut label = String::from("{");
                for (index, &code) in codes.iter().enumerate() {
                    let _ = write!(label, "{}{}", if index == 0 { "" } else { ", " }, quoted(code));
                }
                label + "}"
            }
        }
    }

    /// Normalized certainty penalty, 0 to 1: range in the group by range in the table for numbers
    /// without a hierarchy, else leaves by all leaves, and 0 for a single one.
    pub fn ncp(&self, value: &GeneralizedValue) -> f64 {
        match (value, &self.shape) {
            (GeneralizedValue::Interval(first, last), ScaleShape::Line { positions }) => {
                interval_width(positions, *first, *last)
            }
            _ => match self.leaves(value) {
                1 => 0.0,
                leaves => share(leaves, self.ranks()),
            },
        }
    }

    /// (leaves − 1)/(domain − 1), 0 to 1: the loss that users of ARX know.
    pub fn loss(&self, value: &GeneralizedValue) -> f64 {
        share(self.leaves(value).saturating_sub(1), self.ranks().saturating_sub(1))
    }

    /// What methods minimize: the loss, weighed by the attribute's importance.
    pub fn cost(&self, value: &GeneralizedValue) -> f64 {
        self.importance * self.loss(value)
    }

    /// The steps that a generalized value has climbed. Without a hierarchy there is one step.
    pub fn climbed(&self, value: &GeneralizedValue) -> u32 {
        match (value, &self.shape) {
            (GeneralizedValue::Node(node), ScaleShape::Tree { tree, .. }) => tree.height(*node),
            _ => u32::from(self.leaves(value) > 1),
        }
    }

    /// The steps that could be climbed.
    pub fn height(&self) -> u32 {
        self.tree().map_or(1, |tree| tree.height(0))
    }

    /// How many values of the scale a generalized value stands for.
    pub fn leaves(&self, value: &GeneralizedValue) -> u32 {
        match (value, &self.shape) {
            (GeneralizedValue::Node(node), ScaleShape::Tree { tree, .. }) => tree.size(*node),
            (GeneralizedValue::Interval(first, last), _) => last - first + 1,
            (GeneralizedValue::Set(codes), _) => codes.len() as u32,
            (GeneralizedValue::Node(_), _) => 1,
        }
    }
}

fn share(part: u32, whole: u32) -> f64 {
    if whole == 0 { 0.0 } else { f64::from(part) / f64::from(whole) }
}

fn interval_width(positions: &[f64], first: u32, last: u32) -> f64 {
    if first == last {
        return 0.0;
    }
    let low = positions[first as usize];
    let smallest = positions.iter().copied().find(|x| !x.is_nan()).unwrap_or(0.0);
    let largest = positions.last().copied().unwrap_or(0.0);
    // An interval that also holds the missing value, which has no position, is as wide as can be.
    if low.is_nan() || largest <= smallest { 1.0 } else { (positions[last as usize] - low) / (largest - smallest) }
}

/// Values that a hierarchy lacks: all of them, so that the file is mended in one go.
fn no_leaves(attribute: &str, lacking: &[&Value], tree: &Hierarchy) -> Error {
    const NAMED: usize = 20;
    const LINES: usize = 200;
    let named: Vec<String> = lacking.iter().take(NAMED).map(|value| format!("{:?}", value.to_string())).collect();
    let more = lacking.len().saturating_sub(NAMED);
    let rest = if more > 0 { format!(" and {more} more") } else { String::new() };
    let (leaf, lines) = if lacking.len() == 1 { ("leaf", "a line for it") } else { ("leaves", "a line for each") };
    Error::input(format!("the hierarchy of {attribute:?} has no {leaf} {}{rest}", named.join(", ")))
        .coded(Code::HierarchyWrong)
        .help(format!(
            "add {lines}, with its ancestors in between, or leave out the rows with `where`:\n{}",
            lacking
                .iter()
                .take(LINES)
                .map(|value| line_to_add(&value.to_string(), tree))
                .collect::<Vec<_>>()
                .join("\n")
        ))
}

/// The line that a hierarchy lacks for a value. What it has in other letters is likely meant.
fn line_to_add(value: &str, tree: &Hierarchy) -> String {
    let needs_quotes = value.contains([',', '"', '\n']);
    let field = if needs_quotes { format!("\"{}\"", value.replace('"', "\"\"")) } else { value.to_owned() };
    let labels = (0..tree.leaves()).map(|rank| tree.label(tree.leaf(rank)));
    let alike = labels.into_iter().find(|label| label.to_lowercase() == value.trim().to_lowercase());
    let note = alike.map_or_else(String::new, |label| format!("    (there is {label:?})"));
    format!("{field},…,{}{note}", tree.label(0))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::value::Type;

    fn numbers(values: &[i64]) -> Scale {
        let domain = Domain::from_sorted(Type::Integer, values.iter().copied().map(Value::Integer).collect());
        Scale::new(&HierarchySpec::Default, Arc::new(domain), "age").unwrap()
    }

    #[test]
    fn numbers_become_intervals_with_their_share_of_the_range() {
        let scale = numbers(&[20, 30, 52, 60]);
        let value = scale.generalize(0, 2, || unreachable!());
        assert_eq!(scale.label(&value), "[20, 52]");
        assert!((scale.ncp(&value) - 0.8).abs() < 1e-12);
        assert!((scale.loss(&value) - 2.0 / 3.0).abs() < 1e-12);
        assert_eq!(scale.label(&GeneralizedValue::Interval(1, 1)), "30");
        assert!(scale.ncp(&GeneralizedValue::Interval(1, 1)).abs() < 1e-12);
    }

    #[test]
    fn texts_become_sets_and_what_could_be_misread_is_quoted() {
        let domain = Domain::labels(["a", "b, c", "{d}"]);
        let scale = Scale::new(&HierarchySpec::Default, Arc::new(domain), "x").unwrap();
        assert_eq!(scale.label(&GeneralizedValue::Set([0, 1].into())), "{a, \"b, c\"}");
        assert_eq!(scale.label(&GeneralizedValue::Set([2].into())), "\"{d}\"");
        assert_eq!(scale.label(&GeneralizedValue::Set([0].into())), "a");
    }

    #[test]
    fn a_one_valued_attribute_costs_nothing() {
        let scale = numbers(&[20]);
        let value = GeneralizedValue::Interval(0, 0);
        assert_eq!((scale.ncp(&value), scale.loss(&value)), (0.0, 0.0));
    }

    #[test]
    fn a_kept_missing_value_is_published_as_such() {
        let values = vec![Value::Missing, Value::Integer(20), Value::Integer(30)];
        let domain = Arc::new(Domain::from_sorted(Type::Integer, values));
        let scale = Scale::new(&HierarchySpec::Free, domain, "age").unwrap();
        assert_eq!(scale.label(&GeneralizedValue::Interval(0, 0)), "");
        assert_eq!(scale.label(&GeneralizedValue::Interval(0, 2)), "[20, 30] or missing");
        assert_eq!(scale.label(&GeneralizedValue::Interval(0, 1)), "20 or missing");
    }
}
