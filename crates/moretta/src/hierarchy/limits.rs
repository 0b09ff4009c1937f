//! How far the values of an attribute may be generalized, and how much that matters.

use std::sync::Arc;

use super::scale::{Scale, ScaleShape};
use super::tree::{Hierarchy, NodeId, Path};
use crate::error::{Code, Error, Result};

/// What a suppressed cell publishes.
const SUPPRESSED: &str = "*";

/// What a policy wishes for one attribute, beside the way in which it is generalized.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Limits {
    /// How much its loss weighs in what methods minimize; 1 where nothing is stated.
    pub importance: Option<f64>,
    /// The level of its hierarchy above which no value is generalized.
    pub max_level: Option<u32>,
    /// Whether a value that may not be told is `*` at once, instead of something coarser.
    pub suppress_cells: bool,
    /// The finer column that it is generalized with.
    pub linked: Option<String>,
}

impl Limits {
    /// Whether nothing is wished for.
    pub fn are_none(&self) -> bool {
        *self == Self::default()
    }
}

impl Scale {
    /// The same with the limits of a policy; `weight` is the attribute's importance beside that of the others, 1 on average.
    pub(crate) fn limited(self, limits: &Limits, weight: f64, attribute: &str) -> Result<Self> {
        let highest = limits.max_level.map(|level| self.checked_level(level, attribute)).transpose()?;
        let mut scale = if limits.suppress_cells {
            self.or_suppressed(highest.unwrap_or(0), attribute)?
        } else {
            let highest = highest.filter(|&level| level + 1 < self.tree().map_or(0, Hierarchy::levels));
            Self { highest, ..self }
        };
        scale.importance = weight;
        Ok(scale)
    }

    /// How much its loss weighs in what methods minimize.
    pub fn importance(&self) -> f64 {
        self.importance
    }

    /// The highest level that values may take, where that is not the root's.
    pub fn max_level(&self) -> Option<usize> {
        self.highest
    }

    /// Whether values are published as they are or not at all, and nothing else is said of them.
    pub(crate) fn is_withheld(&self) -> bool {
        self.withheld
    }

    /// What each code becomes at most, where that is not the root: people with different nodes can't publish the same.
    pub(crate) fn nodes_of_codes_at_most(&self) -> Option<Vec<NodeId>> {
        let (level, tree) = (self.highest?, self.tree()?);
        Some(self.rank_of_codes().into_iter().map(|rank| tree.at_level(rank, level)).collect())
    }

    /// A level that the attribute's hierarchy has.
    fn checked_level(&self, level: u32, attribute: &str) -> Result<usize> {
        let refused = |why: String| Error::input(why).coded(Code::WrongParameter);
        let Some(tree) = self.tree() else {
            return Err(refused(format!(
                "`max_level` of {attribute:?} counts levels of a hierarchy, and it has none: intervals and sets have no levels"
            ))
            .help("state its hierarchy, or suppress_cells = true to publish values as they are or as *"));
        };
        let top = tree.levels() - 1;
        if level as usize > top {
            return Err(refused(format!(
                "`max_level` of {attribute:?} is {level}, and its hierarchy has the levels 0 to {top}"
            ))
            .help("`moretta hierarchy TABLE COLUMN` shows the levels"));
        }
        Ok(level as usize)
    }

    /// The same where values keep what they are up to a level, or become `*`.
    fn or_suppressed(self, level: usize, attribute: &str) -> Result<Self> {
        let text = |code: u32| self.domain.value(code).to_string();
        let paths: Vec<Path> = match self.tree() {
            Some(tree) => (0..tree.leaves()).map(|rank| cut_off(tree, rank, level)).collect(),
            None => (0..self.domain.len() as u32)
                .map(|code| Path { labels: vec![text(code).into(), SUPPRESSED.into()], line: u64::from(code) + 1 })
                .collect(),
        };
        if paths.iter().any(|path| path.labels[0].as_ref() == SUPPRESSED) {
            let message = format!("{attribute:?} has the value \"*\", and suppressed cells would be published as it");
            return Err(Error::input(message)
                .coded(Code::HierarchyWrong)
                .help("call the value something else, or leave out `suppress_cells`"));
        }
        let withheld = self.tree().is_none();
        let tree = Hierarchy::from_paths(&paths)?;
        let ranks = tree.rank_by_label();
        let rank_of_code: Option<Vec<u32>> =
            (0..self.domain.len() as u32).map(|code| ranks.get(text(code).as_str()).copied()).collect();
        let rank_of_code =
            rank_of_code.ok_or_else(|| Error::bug(format!("a value of {attribute:?} got lost in its hierarchy")))?;
        drop(ranks);
        Ok(Self { shape: ScaleShape::Tree { tree: Arc::new(tree), rank_of_code }, withheld, highest: None, ..self })
    }
}

/// What a leaf becomes up to a level, and then `*`.
fn cut_off(tree: &Hierarchy, rank: u32, level: usize) -> Path {
    let kept = (0..=level).map(|level| tree.at_level(rank, level)).filter(|&node| node != 0 || tree.len() == 1);
    let mut labels: Vec<Box<str>> = kept.map(|node| tree.label(node).into()).collect();
    labels.dedup();
    labels.push(SUPPRESSED.into());
    Path { labels, line: u64::from(rank) + 1 }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::domain::Domain;
    use crate::data::value::{Type, Value};
    use crate::hierarchy::{GeneralizedValue, HierarchySpec};

    fn ages(spec: &HierarchySpec) -> Scale {
        let values = [20, 22, 31, 47].into_iter().map(Value::Integer).collect();
        Scale::new(spec, Arc::new(Domain::from_sorted(Type::Integer, values)), "age").unwrap()
    }

    fn limits(max_level: Option<u32>, suppress_cells: bool) -> Limits {
        Limits { max_level, suppress_cells, ..Limits::default() }
    }

    fn label(scale: &Scale, first: usize, last: usize) -> String {
        let ranks = scale.rank_of_codes();
        let (first, last) = (ranks[first].min(ranks[last]), ranks[first].max(ranks[last]));
        scale.label(&scale.generalize(first, last, || unreachable!()))
    }

    #[test]
    fn suppressed_cells_keep_levels_below_and_lose_everything_above() {
        let scale = ages(&HierarchySpec::intervals([5, 20])).limited(&limits(Some(1), true), 1.0, "age").unwrap();
        assert_eq!([label(&scale, 0, 0), label(&scale, 0, 1), label(&scale, 0, 2)], ["20", "[20, 24]", "*"]);
        assert!(!scale.is_withheld());
        let node = scale.generalize(0, 3, || unreachable!());
        assert!((scale.loss(&node) - 1.0).abs() < 1e-15 && matches!(node, GeneralizedValue::Node(0)));
        let exact = ages(&HierarchySpec::Free).limited(&limits(None, true), 1.0, "age").unwrap();
        assert_eq!([label(&exact, 1, 1), label(&exact, 0, 1)], ["22", "*"]);
        assert!(exact.is_withheld());
    }

    #[test]
    fn a_limit_parts_what_it_does_not_let_become_one() {
        let scale = ages(&HierarchySpec::intervals([5, 20])).limited(&limits(Some(2), false), 1.0, "age").unwrap();
        let nodes = scale.nodes_of_codes_at_most().unwrap();
        assert!(nodes[0] == nodes[2] && nodes[0] != nodes[3]);
        let top = ages(&HierarchySpec::intervals([5, 20])).limited(&limits(Some(3), false), 1.0, "age").unwrap();
        assert_eq!((top.max_level(), top.nodes_of_codes_at_most()), (None, None));
    }

    #[test]
    fn levels_that_do_not_exist_are_refused() {
        let error = ages(&HierarchySpec::intervals([5])).limited(&limits(Some(3), false), 1.0, "age").unwrap_err();
        assert!(error.message().contains("\"age\" is 3, and its hierarchy has the levels 0 to 2"), "{error}");
        let error = ages(&HierarchySpec::Free).limited(&limits(Some(1), false), 1.0, "age").unwrap_err();
        assert!(error.message().contains("it has none"), "{error}");
        let stars = Arc::new(Domain::labels(["*", "a"]));
        let scale = Scale::new(&HierarchySpec::Default, stars, "x").unwrap();
        let error = scale.limited(&limits(None, true), 1.0, "x").unwrap_err();
        assert!(error.message().contains("has the value \"*\""), "{error}");
    }
}
