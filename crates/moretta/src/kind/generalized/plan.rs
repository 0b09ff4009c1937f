//! What a method yields: who stands in which group, and what each group publishes.

use std::sync::Arc;

use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use crate::data::cells::Cells;
use crate::data::cells::count_distinct;
use crate::data::domain::Domain;
use crate::data::lookup::HashMap;
use crate::error::Result;
use crate::hierarchy::{GeneralizedValue, Scale};
use crate::kind::{Capability, KindEntry, Plan};
use crate::release::ShownRows;
use crate::release::costs::Utility;
use crate::release::plan::{Buckets, Piece};
use crate::release::write::{Context, WrittenTables};
use crate::release::{PartitionTree, TableSummary};
use crate::storage::Storage;

/// An assignment of people to groups. A plain value: it can be written down and applied elsewhere.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Grouping {
    /// What each quasi-identifier may become.
    pub attributes: Vec<PlannedAttribute>,
    /// `groups[a][g]`: which of those values attribute `a` takes in group `g`.
    pub groups: Vec<Vec<u32>>,
    /// Who stands in which group, ordered by group and cell.
    pub pieces: Vec<Piece>,
    /// The parts of the table that the groups were cut from, where a promise speaks of them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tree: Option<PartitionTree>,
    /// What a steward should know about how it was found.
    #[serde(default)]
    pub notes: Vec<String>,
}

/// The published values of a quasi-identifier, in the order in which they are published.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PlannedAttribute {
    /// Its name.
    pub name: String,
    /// The values.
    pub values: Vec<GeneralizedValue>,
    /// How each is spelled.
    pub labels: Vec<String>,
}

/// Groups as a method found them, before those that publish equal values become one.
#[derive(Debug)]
pub(crate) struct PlanDraft {
    /// `published[a][g]`: what attribute `a` becomes in group `g`.
    pub(crate) published: Vec<Vec<GeneralizedValue>>,
    /// Who stands in which of these groups. A cell may stand in several, by quota; people in no group
    /// are suppressed.
    pub(crate) pieces: Vec<Piece>,
}

impl Grouping {
    /// How many groups there are.
    pub fn len(&self) -> usize {
        self.groups.first().map_or(0, Vec::len)
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Sorts groups by what they publish and makes those that publish the same one group; says which one each became.
    ///
    /// The order is a function of published values alone: it tells nothing about the original.
    pub(crate) fn from_draft(names: &[String], scales: &[Scale], draft: PlanDraft) -> (Self, Vec<u32>) {
        let PlanDraft { published, mut pieces } = draft;
        let groups = published.first().map_or(0, Vec::len);
        let coded: Vec<(PlannedAttribute, Vec<u32>)> = published
            .into_par_iter()
            .zip(scales)
            .zip(names)
            .map(|((values, scale), name)| intern(name, scale, values))
            .collect();
        let (attributes, columns): (Vec<_>, Vec<_>) = coded.into_iter().unzip();
        let sized: Vec<(&[u32], usize)> =
            columns.iter().zip(&attributes).map(|(column, a)| (column.as_slice(), a.values.len())).collect();
        let distinct = count_distinct(&sized, groups, None);

        pieces.par_iter_mut().for_each(|piece| piece.group = distinct.cell_of_row[piece.group as usize]);
        let pieces = Piece::joined(pieces);
        (Self { attributes, groups: distinct.columns, pieces, tree: None, notes: Vec::new() }, distinct.cell_of_row)
    }

    /// What all people together lose, attributes weighed by their importance: what plans are compared by.
    pub(crate) fn cost(&self, scales: &[Scale]) -> f64 {
        let mut people = vec![0; self.len()];
        self.pieces.iter().for_each(|piece| people[piece.group as usize] += piece.people);
        let of_attribute = |((planned, scale), column): ((&PlannedAttribute, &Scale), &Vec<u32>)| {
            let losses: Vec<f64> = planned.values.iter().map(|value| scale.cost(value)).collect();
            column.iter().zip(&people).map(|(&value, &people)| losses[value as usize] * people as f64).sum::<f64>()
        };
        self.attributes.iter().zip(scales).zip(&self.groups).map(of_attribute).sum()
    }
}

/// Numbers the distinct values of an attribute in their own order.
fn intern(name: &str, scale: &Scale, values: Vec<GeneralizedValue>) -> (PlannedAttribute, Vec<u32>) {
    let mut code_of: HashMap<GeneralizedValue, u32> = HashMap::new();
    let provisional: Vec<u32> = values
        .into_iter()
        .map(|value| {
            let next = code_of.len() as u32;
            *code_of.entry(value).or_insert(next)
        })
        .collect();
    let distinct: Vec<(GeneralizedValue, u32)> = code_of.into_sorted();
    let mut final_code = vec![0; distinct.len()];
    for (code, (_, provisional)) in (0..).zip(&distinct) {
        final_code[*provisional as usize] = code;
    }
    let codes = provisional.into_iter().map(|code| final_code[code as usize]).collect();
    let values: Vec<GeneralizedValue> = distinct.into_iter().map(|(value, _)| value).collect();
    let labels = values.iter().map(|value| scale.label(value)).collect();
    (PlannedAttribute { name: name.to_owned(), values, labels }, codes)
}

impl Plan for Grouping {
    fn kind(&self) -> &'static KindEntry {
        &super::ENTRY
    }

    fn people(&self) -> u64 {
        self.pieces.iter().map(|piece| piece.people).sum()
    }

    fn notes(&self) -> &[String] {
        &self.notes
    }

    fn write(&self, context: &Context<'_>, release: &Storage, private: Option<&Storage>) -> Result<WrittenTables> {
        super::write::write(self, context, release, private)
    }

    fn costs(&self, of_groups: Utility, scales: &[Scale], original: &TableSummary) -> Utility {
        super::costs::measure(self, scales, original.people, &of_groups)
    }

    fn pieces_mut(&mut self) -> Capability<&mut [Piece]> {
        Ok(&mut self.pieces)
    }

    fn shown(&self, _: &Cells, _: &[Arc<Domain>]) -> Capability<Vec<ShownRows>> {
        let mut people = vec![0; self.len()];
        self.pieces.iter().for_each(|piece| people[piece.group as usize] += piece.people);
        let labels = |group: usize| {
            self.attributes
                .iter()
                .zip(&self.groups)
                .map(move |(planned, values)| planned.labels[values[group] as usize].clone())
        };
        Ok(people.into_iter().enumerate().map(|(group, people)| vec![(labels(group).collect(), people)]).collect())
    }

    fn into_buckets(self: Box<Self>) -> Capability<Buckets> {
        Ok((*self).into())
    }
}

impl From<Grouping> for Box<dyn Plan> {
    fn from(grouping: Grouping) -> Self {
        Box::new(grouping)
    }
}

impl From<Grouping> for Buckets {
    /// Keeps who stands together, and forgets what they would have become.
    fn from(grouping: Grouping) -> Self {
        let len = grouping.len();
        Self { pieces: grouping.pieces, len, tree: grouping.tree, notes: grouping.notes }
    }
}
