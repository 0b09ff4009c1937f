//! The levels that a table reaches that is already anonymized, by whatever tool.

use std::path::Path;

use serde::Serialize;

use crate::data::role::Role;
use crate::data::source::{Input, Source};
use crate::data::value::Type;
use crate::error::Result;
use crate::hierarchy::HierarchySpec;
use crate::model::{Groups, Requirement, Verdict};
use crate::policy::{Attribute, MissingRule, Policy, TableSpec};
use crate::progress::Progress;

/// What a table reaches, whether or not the policy asks for it.
#[derive(Clone, Debug, Serialize)]
pub struct Levels {
    /// The people in it.
    pub rows: u64,
    /// The groups of people who publish the same quasi-identifiers.
    pub groups: u64,
    /// The people in the smallest group: the largest k that holds.
    pub k: u64,
    /// How large the groups are.
    pub class_sizes: ClassSizes,
    /// The judgement about each promise that the policy states.
    pub guarantees: Vec<Verdict>,
}

/// How large groups are.
#[derive(Clone, Debug, Serialize)]
pub struct ClassSizes {
    /// The smallest.
    pub min: u64,
    /// Half of the groups are at most as large.
    pub median: u64,
    /// People by groups.
    pub mean: f64,
    /// The largest.
    pub max: u64,
    /// People who stand alone.
    pub unique: u64,
}

/// Judges a table by the roles of a policy. Quasi-identifiers are read as labels: `[20, 52]` is a value.
///
/// Attributes that the policy drops may be lacking. A missing value is a value of its own: it matches
/// other missing ones and nothing else.
pub fn table(data: &Path, policy: &Policy, progress: &Progress) -> Result<(Levels, Groups)> {
    let source = Source::open(Input::File(data.to_path_buf()), policy.data.options.clone())?;
    let present = |name: &str| source.position(name).is_some();
    let attributes: Vec<Attribute> = policy
        .attributes
        .iter()
        .filter(|attribute| attribute.role.is_in_use() || present(&attribute.name))
        .map(|attribute| match attribute.role {
            Role::Quasi => Attribute { kind: Some(Type::Text), hierarchy: HierarchySpec::Default, ..attribute.clone() },
            _ => attribute.clone(),
        })
        .collect();
    // The filter chose the rows to publish; a table that lacks its attributes has been through it.
    let filter = policy.data.filter.as_ref().filter(|f| f.attributes().iter().all(|name| present(name)));
    let spec = TableSpec { attributes: &attributes, file: &policy.file, missing: MissingRule::Keep, filter };
    let table = spec.read(source, progress)?.table;
    progress.start("checking", 0);
    let described: Vec<&Attribute> = attributes.iter().filter(|a| a.role == Role::Sensitive).collect();
    let groups = Groups::of_table(&table, &described)?;
    let guarantees = Requirement::for_judging(&policy.models, &groups.whole)?.judge(&groups);
    let class_sizes = class_sizes(&groups);
    let levels =
        Levels { rows: groups.whole.people, groups: groups.len() as u64, k: class_sizes.min, class_sizes, guarantees };
    Ok((levels, groups))
}

fn class_sizes(groups: &Groups) -> ClassSizes {
    let mut sizes = groups.people.clone();
    sizes.sort_unstable();
    ClassSizes {
        min: sizes.first().copied().unwrap_or(0),
        median: sizes.get(sizes.len().saturating_sub(1) / 2).copied().unwrap_or(0),
        mean: groups.whole.people as f64 / sizes.len().max(1) as f64,
        max: sizes.last().copied().unwrap_or(0),
        unique: sizes.iter().filter(|&&size| size == 1).count() as u64,
    }
}
