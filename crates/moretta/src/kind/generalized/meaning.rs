//! What the columns of generalized values mean, for the manifest.

use super::Grouping;
use crate::data::role::Role;
use crate::hierarchy::{GeneralizedValue, HierarchySpec, Scale, open_intervals};
use crate::release::write::meaning::{path, widths};
use crate::release::{ColumnMeaning, NodeMeaning, SetLabels, ValueMeaning};

/// The meaning of a generalized column: attribute number `attribute` of a plan.
pub(crate) fn meaning(plan: &Grouping, attribute: usize, scale: &Scale, spec: &HierarchySpec) -> ColumnMeaning {
    let planned = &plan.attributes[attribute];
    let values = match (scale.tree(), spec) {
        (None, _) if scale.is_set() => ValueMeaning::Set { nodes: SetLabels::of(&planned.values, scale).nodes },
        (None, _) => ValueMeaning::Interval,
        (Some(_), _) if scale.is_withheld() => ValueMeaning::Withheld,
        (Some(tree), spec) if spec.labels_are_intervals() => {
            let occurs = |label: &str| {
                planned
                    .values
                    .iter()
                    .any(|value| matches!(value, GeneralizedValue::Node(node) if tree.label(*node) == label))
            };
            let open = open_intervals(spec, scale.domain()).into_iter().filter(|open| occurs(&open.label));
            ValueMeaning::Intervals { open: open.collect() }
        }
        (Some(_), HierarchySpec::Mask(_)) => ValueMeaning::Mask,
        (Some(_), HierarchySpec::Dates(_) | HierarchySpec::Default) => ValueMeaning::Calendar,
        (Some(tree), _) => {
            let used = planned.values.iter().filter_map(|value| match value {
                GeneralizedValue::Node(node) if tree.height(*node) > 0 => Some(*node),
                _ => None,
            });
            let label = |node| tree.label(node).to_owned();
            let leaves = |node| tree.ranks(node).map(|rank| label(tree.leaf(rank))).collect();
            ValueMeaning::Hierarchy {
                nodes: used.map(|node| NodeMeaning { label: label(node), leaves: leaves(node) }).collect(),
            }
        }
    };
    let hierarchy = match (&values, scale.tree()) {
        (ValueMeaning::Hierarchy { .. }, Some(tree)) => {
            let mut shown = vec![false; tree.leaves() as usize];
            for value in &planned.values {
                if let GeneralizedValue::Node(node) = value {
                    tree.ranks(*node).for_each(|rank| shown[rank as usize] = true);
                }
            }
            (0..tree.leaves()).filter(|&rank| shown[rank as usize]).map(|rank| path(tree, rank)).collect()
        }
        _ => Vec::new(),
    };
    let exact = ColumnMeaning::exact(&planned.name, Role::Quasi, scale.domain().kind());
    ColumnMeaning { values, hierarchy, widths: widths(spec), ..exact }
}
