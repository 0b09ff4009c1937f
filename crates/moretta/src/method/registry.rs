//! The methods that policies, the program and its documentation know.

use std::path::Path;

use super::Transparency;
use super::{
    Method, ambiguity, anatomy, clustering, condensation, distribution, full_domain, injector, least_loss, mondrian,
    slicing, top_down, transparent, uncertain,
};
use crate::config::{Additions, Node, Section, suggestion};
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
    transparent::ENTRY,
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
    /// Whether its promises hold against somebody who knows the program.
    pub transparency: Transparency,
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

/// Methods from other crates.
static ADDED: Additions<MethodEntry> = Additions::new();

/// Makes a method from elsewhere known to policies, for as long as the process lives.
pub fn add(entry: &'static MethodEntry) -> Result<()> {
    ADDED.add(entry, METHODS, |entry| entry.name)
}

/// All methods, those from elsewhere last.
pub fn entries() -> impl Iterator<Item = &'static MethodEntry> {
    METHODS.iter().chain(ADDED.all())
}

/// The method of a name.
pub fn find(name: &str) -> Option<&'static MethodEntry> {
    entries().find(|entry| entry.name == name)
}

/// Reads a method: a table with its name and its parameters; and the share of people that it may leave out.
pub fn read(node: &Node, file: &Path) -> Result<(Box<dyn Method>, f64)> {
    let mut section = Section::new("[method]", node, file)?;
    let name = section.required_text("name")?;
    let entry = find(name).ok_or_else(|| {
        let names: Vec<&str> = entries().map(|entry| entry.name).collect();
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
    if section.flag("transparent")?.unwrap_or(false) {
        refuse_opaque(&section, entry, suppression)?;
    }
    let method = (entry.read)(&mut section)?;
    section.finish()?;
    Ok((method, suppression))
}

/// `transparent = true` asks that the promise holds against somebody who knows the program.
fn refuse_opaque(section: &Section<'_>, entry: &MethodEntry, suppression: f64) -> Result<()> {
    let refused =
        |why: String, help: String| Err(section.error_at("transparent", why).coded(Code::ModelUnsupported).help(help));
    match entry.transparency {
        Transparency::Open(what) => {
            let holds = |entry: &&MethodEntry| matches!(entry.transparency, Transparency::Holds(_));
            let able: Vec<&str> = entries().filter(holds).map(|entry| entry.name).collect();
            let why = format!(
                "the promises of {} are not shown to hold against somebody who knows the program: {what}",
                entry.name
            );
            refused(why, format!("methods of which it is proved: {}", able.join(", ")))
        }
        Transparency::Holds(_) if suppression > 0.0 => refused(
            "who is left out tells something of her value".to_owned(),
            "remove `suppression`, or set it to 0".to_owned(),
        ),
        Transparency::Holds(_) => Ok(()),
    }
}
