//! What the columns of a release mean, for its manifest.

use std::sync::Arc;

use crate::data::domain::Domain;
use crate::data::role::Role;
use crate::hierarchy::{Hierarchy, HierarchySpec, Scale};
use crate::release::ColumnMeaning;
use crate::schema::Attribute;

/// The meaning of a column that is published as it is, with the hierarchy that its policy names. Intervals follow from
/// their widths; masks and the calendar from the values.
pub(crate) fn exact(name: &str, scale: &Scale, spec: &HierarchySpec) -> ColumnMeaning {
    let hierarchy = match (scale.tree(), spec) {
        (_, HierarchySpec::Mask(_) | HierarchySpec::Dates(_) | HierarchySpec::Default) => Vec::new(),
        (Some(tree), spec) if !spec.labels_are_intervals() => (0..tree.leaves()).map(|rank| path(tree, rank)).collect(),
        _ => Vec::new(),
    };
    let exact = ColumnMeaning::exact(name, Role::Quasi, scale.domain().kind());
    ColumnMeaning { hierarchy, widths: widths(spec), ..exact }
}

/// The widths of a hierarchy of intervals.
pub(crate) fn widths(spec: &HierarchySpec) -> Vec<f64> {
    match spec {
        HierarchySpec::Intervals(widths) => widths.clone(),
        _ => Vec::new(),
    }
}

/// What a leaf becomes, level by level.
pub(crate) fn path(tree: &Hierarchy, rank: u32) -> Vec<String> {
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
