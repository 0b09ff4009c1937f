//! What the columns of a release mean, for its manifest.

use std::sync::Arc;

use crate::data::domain::Domain;
use crate::data::role::Role;
use crate::hierarchy::{Generalized, Hierarchy, HierarchySpec, Scale};
use crate::kind::generalized::Grouping;
use crate::release::{ColumnMeaning, NodeMeaning, ValueMeaning};
use crate::schema::Attribute;

/// The meaning of a generalized column: attribute number `attribute` of a plan.
pub(crate) fn generalized(plan: &Grouping, attribute: usize, scale: &Scale, spec: &HierarchySpec) -> ColumnMeaning {
    let planned = &plan.attributes[attribute];
    let values = match (scale.tree(), spec) {
        (None, _) if scale.is_set() => ValueMeaning::Set,
        (None, _) => ValueMeaning::Interval,
        (Some(_), HierarchySpec::Intervals(_) | HierarchySpec::Balanced(_)) => ValueMeaning::Intervals,
        (Some(_), HierarchySpec::Mask(_)) => ValueMeaning::Mask,
        (Some(_), HierarchySpec::Dates(_) | HierarchySpec::Default) => ValueMeaning::Calendar,
        (Some(tree), _) => {
            let used = planned.values.iter().filter_map(|value| match value {
                Generalized::Node(node) if tree.height(*node) > 0 => Some(*node),
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
                if let Generalized::Node(node) = value {
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

/// The meaning of a column that is published as it is, with the hierarchy that its policy names. Intervals follow from
/// their widths; masks and the calendar from the values.
pub(crate) fn exact(name: &str, scale: &Scale, spec: &HierarchySpec) -> ColumnMeaning {
    let hierarchy = match (scale.tree(), spec) {
        (Some(tree), HierarchySpec::File(_) | HierarchySpec::Listed(_)) => {
            (0..tree.leaves()).map(|rank| path(tree, rank)).collect()
        }
        _ => Vec::new(),
    };
    let exact = ColumnMeaning::exact(name, Role::Quasi, scale.domain().kind());
    ColumnMeaning { hierarchy, widths: widths(spec), ..exact }
}

fn widths(spec: &HierarchySpec) -> Vec<f64> {
    match spec {
        HierarchySpec::Intervals(widths) => widths.clone(),
        _ => Vec::new(),
    }
}

/// What a leaf becomes, level by level.
fn path(tree: &Hierarchy, rank: u32) -> Vec<String> {
    (0..tree.levels()).map(|level| tree.label(tree.at_level(rank, level)).to_owned()).collect()
}

/// The meaning of a sensitive column, with all that its models need to be checked by a recipient.
pub(crate) fn sensitive(name: &str, domain: &Arc<Domain>, attribute: &Attribute) -> ColumnMeaning {
    let scale = Scale::new(&attribute.hierarchy, domain.clone(), name).ok();
    let hierarchy = match scale.as_ref().and_then(Scale::tree) {
        // The calendar of a date is known to everybody.
        Some(tree) if attribute.hierarchy != HierarchySpec::Default => {
            (0..tree.leaves()).map(|rank| path(tree, rank)).collect()
        }
        _ => Vec::new(),
    };
    let categories = attribute.categories.clone().unwrap_or_default();
    ColumnMeaning { hierarchy, categories, ..ColumnMeaning::exact(name, Role::Sensitive, domain.kind()) }
}
