//! The methods that policies, the program and its documentation know.

use super::{
    Method, ambiguity, anatomy, clustering, condensation, distribution, full_domain, injector, least_loss, mondrian,
    slicing, top_down, uncertain,
};
use crate::error::Result;
use crate::model::PrivacyModel;
use crate::policy::section::Section;

/// Every method. One line makes a method known to policies, `explain`, help and the docs table.
pub const METHODS: &[MethodEntry] = &[
    least_loss::ENTRY,
    mondrian::ENTRY,
    full_domain::ENTRY,
    top_down::ENTRY,
    clustering::ENTRY,
    anatomy::ENTRY,
    ambiguity::ENTRY,
    injector::ENTRY,
    distribution::ENTRY,
    uncertain::ENTRY,
    condensation::ENTRY,
    slicing::ENTRY,
];

/// What is known about a method before it has parameters.
#[derive(Clone, Copy, Debug)]
pub struct MethodEntry {
    /// The name by which policies call it.
    pub name: &'static str,
    /// What it does, in one line.
    pub summary: &'static str,
    /// The paper it comes from.
    pub paper: &'static str,
    /// Its page: how it works, what it protects, what it does not, parameters, cost, paper.
    pub page: &'static str,
    /// Whether it may leave people out, within the policy's limit.
    pub suppresses: bool,
    /// Whether it can keep a promise of this model.
    pub honours: fn(&dyn PrivacyModel) -> bool,
    /// Reads its parameters.
    pub read: fn(&mut Section<'_>) -> Result<Box<dyn Method>>,
}

/// Promises about groups can be kept by whoever forms groups.
pub(super) fn about_groups(model: &dyn PrivacyModel) -> bool {
    model.about_release().is_none()
}

/// The same, and promises about who the people of a group are.
pub(super) fn about_groups_or_members(model: &dyn PrivacyModel) -> bool {
    model.about_release().is_none() || model.about_members().is_some()
}

/// The method of a name.
pub fn find(name: &str) -> Option<&'static MethodEntry> {
    METHODS.iter().find(|entry| entry.name == name)
}
