//! The levels that a table reaches that is already anonymized, by whatever tool.

use serde::Serialize;
use serde_json::{Map, Value as Json};

use super::boxes;
use crate::data::role::Role;
use crate::data::source::Source;
use crate::data::table::{CodedTable, Column};
use crate::error::Result;
use crate::model::{Levels, Requirement, Scope, Verdict};
use crate::policy::Policy;
use crate::progress::Progress;
use crate::release::Groups;
use crate::schema::{Attribute, EncodedTable, MissingRule, Reading, TableSpec};

/// What a table reaches, whether or not the policy asks for it.
#[derive(Clone, Debug, Serialize)]
#[non_exhaustive]
pub struct TableLevels {
    /// The people in it.
    pub rows: u64,
    /// The groups, the largest k that holds, and the levels of each sensitive attribute, by name.
    #[serde(flatten)]
    pub levels: Levels,
    /// How large the groups are.
    pub class_sizes: ClassSizes,
    /// For each level, the groups that reach no more.
    pub worst: Vec<WorstGroups>,
    /// The judgement about each promise that the policy states.
    pub guarantees: Vec<Verdict>,
    /// Promises of the policy that speak of a release and its original, so that no table can be judged by them.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub unproved: Vec<&'static str>,
}

/// The groups that are worst by some measure.
#[derive(Clone, Debug, Serialize)]
#[non_exhaustive]
pub struct WorstGroups {
    /// The sensitive attribute that is measured; nothing for the size.
    pub attribute: Option<String>,
    /// The measure.
    pub level: &'static str,
    /// The groups, the worst first.
    pub groups: Vec<GroupName>,
}

/// A group, by what it publishes.
#[derive(Clone, Debug, Serialize)]
#[non_exhaustive]
pub struct GroupName {
    /// The people in it.
    pub people: u64,
    /// What it publishes for each quasi-identifier, or the value that names it.
    pub values: Map<String, Json>,
}

/// How large groups are.
#[derive(Clone, Debug, Serialize)]
#[non_exhaustive]
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
pub fn table(source: &Source, policy: &Policy, progress: &Progress) -> Result<TableLevels> {
    let source = Source::open(source.input().clone(), policy.data.options.clone())?;
    let table = judged(&source, policy, |spec| spec.read(source.clone(), progress))?;
    levels_of(&table, policy, progress)
}

/// The same of a table all of whose columns were read before.
pub fn encoded_table(encoded: &EncodedTable, policy: &Policy, progress: &Progress) -> Result<TableLevels> {
    levels_of(&judged(encoded.source(), policy, |spec| spec.read_encoded(encoded, progress))?, policy, progress)
}

/// The table of a source, described as it is judged.
fn judged(
    source: &Source,
    policy: &Policy,
    read: impl FnOnce(&TableSpec<'_>) -> Result<Reading>,
) -> Result<CodedTable> {
    let present = |name: &str| source.position(name).is_some();
    let attributes: Vec<Attribute> = policy
        .attributes
        .iter()
        .filter(|attribute| {
            attribute.role.is_in_use() && !matches!(attribute.role, Role::Person | Role::Pseudonym)
                || present(&attribute.name)
        })
        .map(|attribute| match attribute.role {
            // A table of another tool is judged row by row, as those see it who get it.
            Role::Person => Attribute { role: Role::Drop, ..attribute.clone() },
            Role::Quasi => attribute.of_labels(),
            _ => attribute.clone(),
        })
        .collect();
    // The filter chose the rows to publish; a table that lacks its attributes has been through it.
    let filter = policy.data.filter.as_ref().filter(|f| f.attributes().iter().all(|name| present(name)));
    let spec = TableSpec { attributes: &attributes, file: &policy.file, missing: MissingRule::Keep, filter };
    Ok(read(&spec)?.table)
}

fn levels_of(table: &CodedTable, policy: &Policy, progress: &Progress) -> Result<TableLevels> {
    progress.start("judging", 0);
    let token = progress.token();
    let described: Vec<&Attribute> = policy.with_role(Role::Sensitive).collect();
    let groups = Groups::of_table(table, &described)?;
    let requirement = Requirement::for_judging(&policy.models, &groups.whole)?;
    let guarantees = match requirement.needs_ancestors() {
        None => requirement.judge(&groups, token)?,
        Some((least, _)) => {
            let quasi: Vec<&Attribute> = policy.with_role(Role::Quasi).collect();
            requirement.judge_inside(&groups, &boxes::around(table, &quasi, &groups, least, token)?, token)?
        }
    };
    let levels = Levels::of(&groups, token)?;
    Ok(TableLevels {
        rows: groups.whole.people,
        class_sizes: class_sizes(&groups),
        worst: worst_groups(&levels, &groups, table),
        levels,
        guarantees,
        unproved: policy.models.iter().filter(|m| !matches!(m.scope(), Scope::Groups(_))).map(|m| m.name()).collect(),
    })
}

fn worst_groups(levels: &Levels, groups: &Groups, table: &CodedTable) -> Vec<WorstGroups> {
    let columns: Vec<&Column> = table.group.as_ref().map_or(table.quasi.iter().collect(), |group| vec![group]);
    let name = |&group: &usize| {
        let row = groups.first_row(group);
        let value = |column: &&Column| (column.name.clone(), column.domain.value(column.codes[row]).to_string().into());
        GroupName { people: groups.people[group], values: columns.iter().map(value).collect() }
    };
    let smallest = WorstGroups { attribute: None, level: "k", groups: levels.smallest.iter().map(name).collect() };
    let of_attributes = levels.sensitive.iter().flat_map(|attribute| {
        attribute.worst.iter().map(|(level, worst)| WorstGroups {
            attribute: Some(attribute.name.clone()),
            level,
            groups: worst.iter().map(name).collect(),
        })
    });
    std::iter::once(smallest).chain(of_attributes).collect()
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
