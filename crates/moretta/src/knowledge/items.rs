//! The conditions of which rules are made: generalized values of one quasi-identifier.

use crate::data::value::{Decimal, Value};
use crate::error::{Error, Result};
use crate::hierarchy::{Hierarchy, NodeId, Scale};
use crate::numeric::tolerance;

/// Every generalized value of an attribute, apart from the root, which says nothing.
#[derive(Clone, Debug)]
pub struct Items {
    /// How each is spelled.
    pub labels: Vec<String>,
    /// The next more general value of each; nothing below the root.
    pub parents: Vec<Option<u32>>,
    /// For each item, the ranks that belong to it, and how far: 1 inside, less where the border is fuzzy.
    pub members: Vec<Vec<(u32, f64)>>,
    /// How many ranks the attribute has.
    pub ranks: usize,
}

impl Items {
    /// The items of an attribute. One with more than two values needs a hierarchy: knowledge about people between
    /// 20 and 30 would be lost if only single ages counted.
    pub fn new(name: &str, scale: &Scale, fuzzy: bool) -> Result<Self> {
        match scale.tree() {
            Some(tree) => Ok(Self::of_tree(tree, fuzzy.then(|| positions(tree, scale)).flatten().as_deref())),
            None if scale.domain().len() <= 2 => Ok(Self::of_values(scale)),
            None => Err(Error::input(format!("{name:?} has no hierarchy, and rules speak of generalized values"))
                .help("give it a `hierarchy` under [attributes]; { balanced = 2 } makes one from numbers and dates, { mask = \"right\" } from codes")),
        }
    }

    /// Every value by itself.
    pub(super) fn of_values(scale: &Scale) -> Self {
        let values = scale.domain().values();
        Self {
            labels: values.iter().map(ToString::to_string).collect(),
            parents: vec![None; values.len()],
            members: (0..values.len() as u32).map(|rank| vec![(rank, 1.0)]).collect(),
            ranks: values.len(),
        }
    }

    fn of_tree(tree: &Hierarchy, positions: Option<&[f64]>) -> Self {
        let nodes = 1..tree.len();
        Self {
            labels: nodes.clone().map(|node| tree.label(node).to_owned()).collect(),
            parents: nodes.clone().map(|node| tree.parent(node).checked_sub(1)).collect(),
            members: nodes.map(|node| members(tree, node, positions)).collect(),
            ranks: tree.leaves() as usize,
        }
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.labels.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.labels.is_empty()
    }

    /// Whether a rank lies inside an item.
    pub fn holds(&self, item: u32, rank: u32) -> bool {
        self.members[item as usize].iter().any(|&(member, degree)| member == rank && degree >= 1.0)
    }
}

/// Where each leaf lies on the number line, if all do.
fn positions(tree: &Hierarchy, scale: &Scale) -> Option<Vec<f64>> {
    let kind = scale.domain().kind();
    let position = |rank| Value::parse(tree.label(tree.leaf(rank)), kind, Decimal::Point)?.as_number();
    if kind.is_ordered() { (0..tree.leaves()).map(position).collect() } else { None }
}

/// Who belongs to a node. On the number line membership is 1 inside and falls linearly to 0 over half
/// the node's width outside; the dissertation (section 3.3.2) leaves the function open.
fn members(tree: &Hierarchy, node: NodeId, positions: Option<&[f64]>) -> Vec<(u32, f64)> {
    let inside = tree.ranks(node);
    let Some(positions) = positions else { return inside.map(|rank| (rank, 1.0)).collect() };
    let own = &positions[inside.start as usize..inside.end as usize];
    let (low, high) = own.iter().fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), &x| (low.min(x), high.max(x)));
    let reach = (high - low) / 2.0;
    let degree = |(rank, &x): (u32, &f64)| {
        let outside = (low - x).max(x - high).max(0.0);
        let degree = if inside.contains(&rank) {
            1.0
        } else if outside < reach {
            // Inside the borders, but of another node: only hierarchies that are no intervals have such.
            (1.0 - outside / reach).min(tolerance::LESS_THAN_INSIDE)
        } else {
            0.0
        };
        (degree > 0.0).then_some((rank, degree))
    };
    (0..).zip(positions).filter_map(degree).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::domain::Domain;
    use crate::data::value::Type;
    use crate::hierarchy::HierarchySpec;
    use std::sync::Arc;

    fn ages(spec: &HierarchySpec) -> Scale {
        let values = (20..30).map(Value::Integer).collect();
        Scale::new(spec, Arc::new(Domain::from_sorted(Type::Integer, values)), "age").unwrap()
    }

    #[test]
    fn every_node_but_the_root_is_an_item() {
        let items = Items::new("age", &ages(&HierarchySpec::Intervals(vec![5.0])), false).unwrap();
        assert_eq!(items.len(), 12);
        let node = items.labels.iter().position(|label| label.contains("20")).unwrap();
        assert_eq!(items.members[node].len(), 5);
        assert_eq!(items.parents[node], None);
        assert_eq!(items.parents[node + 1], Some(node as u32));
    }

    #[test]
    fn a_fuzzy_node_fades_over_half_its_width() {
        let items = Items::new("age", &ages(&HierarchySpec::Intervals(vec![5.0])), true).unwrap();
        // Width 4, so that 25 is half out and 26 is out.
        assert_eq!(items.members[0][4..], [(4, 1.0), (5, 0.5)]);
        assert_eq!(items.members[1], [(0, 1.0)], "a single value has no width");
    }

    #[test]
    fn without_a_hierarchy_nothing_is_generalized() {
        let error = Items::new("age", &ages(&HierarchySpec::Free), false).unwrap_err();
        assert!(error.message().contains("\"age\" has no hierarchy"), "{error}");
    }
}
