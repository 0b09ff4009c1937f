//! The privacy models that policies, the program and its documentation know.

use super::{
    PrivacyModel, alpha_beta_privacy, alpha_k_anonymity, b_t_privacy, delta_disclosure, distinct_l_diversity,
    entropy_l_diversity, k_anonymity, l_diverse_slicing, matching_l_diversity, n_t_closeness, p_alpha_sensitive,
    p_plus_sensitive, p_private, p_sensitive, probabilistic_l_diversity, recursive_l_diversity, t_closeness,
    uncertain_k_anonymity,
};
use crate::error::Result;
use crate::policy::Attribute;
use crate::policy::section::Section;

/// Every privacy model. One line makes a model known to policies, `explain`, help and the docs table.
pub const MODELS: &[ModelEntry] = &[
    k_anonymity::ENTRY,
    distinct_l_diversity::ENTRY,
    probabilistic_l_diversity::ENTRY,
    entropy_l_diversity::ENTRY,
    recursive_l_diversity::ENTRY,
    alpha_k_anonymity::ENTRY,
    p_sensitive::ENTRY,
    p_plus_sensitive::ENTRY,
    p_alpha_sensitive::ENTRY,
    t_closeness::ENTRY,
    n_t_closeness::ENTRY,
    delta_disclosure::ENTRY,
    alpha_beta_privacy::ENTRY,
    matching_l_diversity::ENTRY,
    b_t_privacy::ENTRY,
    p_private::ENTRY,
    uncertain_k_anonymity::ENTRY,
    l_diverse_slicing::ENTRY,
];

/// What is known about a model before it has parameters.
#[derive(Clone, Copy, Debug)]
pub struct ModelEntry {
    /// The name by which policies call it.
    pub name: &'static str,
    /// What it promises, in one line.
    pub summary: &'static str,
    /// The paper it comes from.
    pub paper: &'static str,
    /// Its page: what it protects, what it does not, parameters, cost, paper.
    pub page: &'static str,
    /// Reads its parameters; the policy's attributes are there to be checked against.
    pub read: ReadModel,
}

/// Reads the parameters of a model.
pub type ReadModel = fn(&mut Section<'_>, &[Attribute]) -> Result<Box<dyn PrivacyModel>>;

/// The model of a name.
pub fn find(name: &str) -> Option<&'static ModelEntry> {
    MODELS.iter().find(|entry| entry.name == name)
}
