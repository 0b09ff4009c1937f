//! The methods that policies, the program and its documentation know.

use std::path::Path;

use super::{
    Method, ambiguity, anatomy, clustering, condensation, distribution, full_domain, injector, least_loss, mondrian,
    slicing, top_down, uncertain,
};
use crate::config::{Node, Section, suggestion};
use crate::error::{Code, Result};
use crate::kind::KindId;
use crate::model::{ModelId, PrivacyModel, Scope, SeveralRows};

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
    /// Which promises it can keep.
    pub supports: Supports,
    /// The kinds of release that it can make.
    pub kinds: &'static [KindId],
    /// Whether it can publish where several rows may belong to one person.
    pub several_rows: SeveralRows,
    /// Reads its parameters.
    pub read: fn(&mut Section<'_>) -> Result<Box<dyn Method>>,
}

/// Which promises a method can keep.
#[derive(Clone, Copy, Debug)]
pub enum Supports {
    /// Every promise about groups: it forms groups, and asks each promise about each.
    Groups,
    /// The same, and promises about who the people of a group are.
    GroupsAndMembers,
    /// These alone.
    Only(&'static [ModelId]),
}

impl MethodEntry {
    /// Whether it can make a kind of release that keeps a promise.
    pub fn can_promise(&self, model: &dyn PrivacyModel) -> bool {
        let is_said = |&kind: &KindId| model.wordings().of(kind).sentence().is_some();
        self.supports.includes(model) && self.kinds.iter().any(is_said)
    }
}

impl Supports {
    /// Whether a promise is among them.
    pub fn includes(self, model: &dyn PrivacyModel) -> bool {
        match (self, model.scope()) {
            (Self::Groups | Self::GroupsAndMembers, Scope::Groups(_) | Scope::Sizes(_))
            | (Self::GroupsAndMembers, Scope::Members(_)) => true,
            (Self::Groups, Scope::Members(_)) | (Self::Groups | Self::GroupsAndMembers, Scope::Release(_)) => false,
            (Self::Only(ids), _) => ids.contains(&model.id()),
        }
    }
}

/// The method of a name.
pub fn find(name: &str) -> Option<&'static MethodEntry> {
    METHODS.iter().find(|entry| entry.name == name)
}

/// Reads a method: a table with its name and its parameters; and the share of people that it may leave out.
pub fn read(node: &Node, file: &Path) -> Result<(Box<dyn Method>, f64)> {
    let mut section = Section::new("[method]", node, file)?;
    let name = section.required_text("name")?;
    let entry = find(name).ok_or_else(|| {
        let names: Vec<&str> = METHODS.iter().map(|entry| entry.name).collect();
        section
            .error_at("name", format!("there is no method {name:?}"))
            .coded(Code::UnknownMethod)
            .help(suggestion(name, &names))
    })?;
    let suppression = section.number("suppression", "from 0 to 1", |x| (0.0..=1.0).contains(&x))?.unwrap_or(0.0);
    if suppression > 0.0 && !entry.suppresses {
        return Err(section
            .error_at("suppression", format!("the method {name:?} never leaves rows out"))
            .help("remove `suppression`, or set it to 0"));
    }
    let method = (entry.read)(&mut section)?;
    section.finish()?;
    Ok((method, suppression))
}
