//! The privacy models that policies, the program and its documentation know.

use std::path::Path;

use super::{
    PrivacyModel, SeveralRows, Wordings, alpha_beta_privacy, alpha_k_anonymity, b_t_privacy, bucket_size, condensed_k,
    delta_disclosure, distinct_l_diversity, entropy_l_diversity, k_anonymity, l_diverse_slicing, matching_l_diversity,
    n_t_closeness, p_alpha_sensitive, p_plus_sensitive, p_private, p_sensitive, probabilistic_l_diversity,
    recursive_l_diversity, t_closeness, uncertain_k_anonymity,
};
use crate::config::{Node, Section, suggestion};
use crate::error::{Code, Result};
use crate::schema::Attribute;

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
    bucket_size::ENTRY,
    condensed_k::ENTRY,
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
    /// What may be said of each kind of release.
    pub wordings: Wordings,
    /// Whether it can be promised where several rows may belong to one person.
    pub several_rows: SeveralRows,
    /// Reads its parameters; the policy's attributes are there to be checked against.
    pub read: ReadModel,
}

impl ModelEntry {
    /// What tells the model from all others.
    pub const fn id(&self) -> ModelId {
        ModelId(self.name)
    }
}

/// What tells a model from all others. It is open: a model from elsewhere has one of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ModelId(&'static str);

impl ModelId {
    /// The identifier of a model that policies call by this name.
    pub const fn new(name: &'static str) -> Self {
        Self(name)
    }
}

/// Reads the parameters of a model.
pub type ReadModel = fn(&mut Section<'_>, &[Attribute]) -> Result<Box<dyn PrivacyModel>>;

/// The model of a name.
pub fn find(name: &str) -> Option<&'static ModelEntry> {
    MODELS.iter().find(|entry| entry.name == name)
}

/// Reads a model: a table with its name under `model` and its parameters.
pub fn read(node: &Node, file: &Path, attributes: &[Attribute]) -> Result<Box<dyn PrivacyModel>> {
    let mut section = Section::new("[[require]]", node, file)?;
    let name = section.required_text("model")?;
    let entry = find(name).ok_or_else(|| {
        let names: Vec<&str> = MODELS.iter().map(|entry| entry.name).collect();
        section
            .error_at("model", format!("there is no privacy model {name:?}"))
            .coded(Code::UnknownModel)
            .help(suggestion(name, &names))
    })?;
    let mut section = Section::new(entry.name, node, file)?;
    section.get("model");
    let model = (entry.read)(&mut section, attributes)?;
    section.finish()?;
    Ok(model)
}
