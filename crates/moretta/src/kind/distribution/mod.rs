//! Releases that follow a target: exact quasi-identifiers, and by group subdomains of the sensitive attribute whose
//! distribution is a stated one.

mod adversary;
mod answers;
mod auxiliary;
pub(crate) mod bounds;
mod export;
pub(crate) mod ladder;
pub(crate) mod line;
mod plan;
pub(crate) mod proof;
mod read;
mod release;
mod shape;
pub(crate) mod share;
#[cfg(test)]
mod tests;
mod write;

use std::ops::Range;
use std::sync::Arc;

use crate::data::lookup::HashMap;
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

pub(crate) use auxiliary::BOUNDS;
use auxiliary::{SENSITIVE, TARGETS, write_bounds};
pub use plan::DistributionPlan;
pub(crate) use plan::PlannedGroup;
pub use shape::Shape;

use self::bounds::Bounds;
use self::line::Line;
use self::share::Share;
use super::{KindEntry, KindId};
use crate::data::Type;
use crate::data::domain::Domain;
use crate::data::table::{CodedTable, Column};
use crate::data::value::Value;
use crate::error::Result;
use crate::hierarchy::Hierarchy;
use crate::release::{Original, Sensitive, TableSummary};

/// The kind.
pub const ENTRY: KindEntry = KindEntry {
    id: KindId::Distribution,
    name: "distribution",
    how_to_read: "\
Each row of `qit` is one person with exact values and the number of a group. `sensitive` says which ranges of
sensitive values a group has and how often, `targets` which distribution they follow, `bounds` what sums can be.",
    not_protected: "\
Who has which row of `qit`: its values are exact, so that a person who is unique is found, and seen to be in the
table.",
    how_to_compute: |_| {
        "\
A row of `qit` has one of the ranges that `sensitive` lists for its group, each as likely as its count says: weigh by count over the people of the group.
Relations between exact attributes are kept; those between an exact attribute and the sensitive one are thinned
towards what holds of whole groups, and standard errors that take weights for data are too small."
            .to_owned()
    },
    records_have_owners: false,
    pseudonyms: Err("some of its rows may be nobody's, and a pseudonym would tell which"),
    from_counts: Err("its tables are drawn from the rows of groups"),
    read: |files, progress| Ok(Box::new(Distribution::read(files, progress)?)),
    column_type: export::column_type,
    about: export::about,
    sql_epilogue: export::epilogue,
};

/// What the manifest of a distribution release says beside what all manifests say.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
struct Detail {
    /// How far, at most, the effective target of a group is from the one wished for, as total variation distance, rounded up.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    target_distance: Option<f64>,
    /// How many fakes there are at most, as a share of the people of each group.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    fakes: Option<f64>,
}

/// A release that follows targets.
#[derive(Debug)]
pub struct Distribution {
    /// The quasi-identifiers of its rows, and their weights.
    pub qit: CodedTable,
    /// The group of each row, as a index among `groups`.
    pub(crate) group_of_row: Vec<u32>,
    /// The numbers that groups publish.
    pub(crate) numbers: Arc<Domain>,
    /// The groups.
    pub(crate) groups: Vec<ReleasedGroup>,
    /// The sensitive attribute's name and type.
    pub(crate) sensitive: (String, Type),
    /// Its values, by rank.
    pub(crate) values: Vec<Value>,
    /// Where they lie, if they are numbers.
    pub(crate) line: Option<Line>,
    hierarchy: Option<Arc<Hierarchy>>,
    insensitive: Vec<Column>,
}

/// Subdomains as runs of ranks, and how often each occurs.
pub(crate) type Subdomains = Vec<(Range<u32>, u64)>;

/// A group as its files describe it.
#[derive(Debug)]
pub(crate) struct ReleasedGroup {
    /// Its people.
    pub(crate) people: u64,
    /// Its subdomains as runs of ranks, and how often each occurs, fakes included.
    pub(crate) subdomains: Subdomains,
    /// The distribution that they follow.
    pub(crate) target: Vec<Share>,
    /// What sums, minima and maxima of some of its people can be, where values are numbers.
    pub(crate) bounds: Option<Bounds>,
}

impl ReleasedGroup {
    /// How many subdomains there are, fakes included.
    pub(crate) fn entries(&self) -> u64 {
        self.subdomains.iter().map(|(_, count)| count).sum()
    }
}

impl Distribution {
    /// The groups whose subdomains do not follow their targets.
    pub(crate) fn departures(&self) -> Result<Vec<usize>> {
        let departs = |(group, followed): (usize, &ReleasedGroup)| {
            let found = proof::first_departure(&followed.target, &followed.subdomains)?;
            Ok(found.map(|_| group))
        };
        let found = self.groups.par_iter().enumerate().map(departs).collect::<Result<Vec<Option<usize>>>>()?;
        Ok(found.into_iter().flatten().collect())
    }

    /// The whole table as models know it, with every rank a code; without the original nobody is in it.
    pub(crate) fn whole(&self, original: Option<&Original<'_>>) -> TableSummary {
        let mut people = vec![0; self.values.len()];
        if let Some(original) = original {
            let index = original.quasi.len();
            let domain = original.sensitive.first().map(|(_, domain)| domain);
            let known: HashMap<String, usize> = self.values.iter().map(ToString::to_string).zip(0..).collect();
            let rank_of = |value: &Value| known.get(&value.to_string()).copied();
            let ranks: Vec<Option<usize>> =
                domain.map(|domain| domain.values().iter().map(rank_of).collect()).unwrap_or_default();
            for (cell, &code) in original.cells.columns[index].iter().enumerate() {
                if let Some(rank) = ranks[code as usize] {
                    people[rank] += original.cells.people[cell];
                }
            }
        }
        let ranks = (0..self.values.len() as u32).collect();
        let sensitive = Sensitive {
            name: self.sensitive.0.clone(),
            domain: Arc::new(Domain::in_order(self.sensitive.1, self.values.clone())),
            people: people.clone(),
            hierarchy: self.hierarchy.clone().map(|tree| (tree, ranks)),
            categories: None,
        };
        TableSummary { people: people.iter().sum(), sensitive: vec![sensitive] }
    }
}
