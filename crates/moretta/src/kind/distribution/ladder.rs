//! The values of the sensitive attribute in order, and the subdomains that they can be generalized to.

use std::sync::Arc;

use super::line::Line;
use crate::data::domain::Domain;
use crate::data::value::{Decimal, Type, Value};
use crate::error::{Error, Result};
use crate::hierarchy::Hierarchy;
use crate::kind::distribution::Shape;
use crate::release::{Sensitive, TableSummary};

/// A sensitive attribute, ready to be generalized.
#[derive(Clone, Debug)]
pub(crate) struct Ladder {
    /// The attribute's name.
    pub(crate) name: String,
    /// Its type.
    pub(crate) kind: Type,
    /// Its values, by rank: those that occur, and others that its hierarchy or its target names.
    pub(crate) values: Vec<Value>,
    /// Where they lie, if they are numbers.
    pub(crate) line: Option<Line>,
    /// What ranges are measured by: numbers in their unit, ranks of anything else.
    pub(crate) indices: Vec<u64>,
    /// The subdomains.
    pub(crate) shape: Shape,
    rank_of_code: Vec<u32>,
    hierarchy: Option<Arc<Hierarchy>>,
}

impl Ladder {
    /// The attribute's own hierarchy; else a balanced tree of numbers, else all values below one root.
    pub(crate) fn new(sensitive: &Sensitive, arity: Option<u32>, named: &[&str]) -> Result<Self> {
        let (name, kind) = (sensitive.name.clone(), sensitive.domain.kind());
        if let Some((tree, ranks)) = &sensitive.hierarchy {
            return Self::of_hierarchy(name, kind, tree, ranks, arity);
        }
        let mut values = sensitive.domain.values().to_vec();
        for text in named {
            values.push(Value::parse(text, kind, Decimal::Point).ok_or_else(|| {
                Error::input(format!("the target lists {text:?}, which is no {} of {name:?}", kind.name()))
            })?);
        }
        values.sort();
        values.dedup();
        let rank = |value: &Value| values.binary_search(value).map_or(0, |rank| rank as u32);
        let rank_of_code = sensitive.domain.values().iter().map(rank).collect();
        let line = Line::of(kind, &values, &name)?;
        let indices = indices(line.as_ref(), values.len());
        let flat = values.len() as u32;
        let arity = if line.is_some() { arity.unwrap_or(2) } else { flat };
        let shape = Shape::balanced(&indices, arity);
        Ok(Self { name, kind, values, line, indices, shape, rank_of_code, hierarchy: None })
    }

    fn of_hierarchy(
        name: String,
        kind: Type,
        tree: &Arc<Hierarchy>,
        ranks: &[u32],
        arity: Option<u32>,
    ) -> Result<Self> {
        if arity.is_some() {
            return Err(Error::input(format!("`arity` has no use: {name:?} has a hierarchy of its own"))
                .help("remove `arity`, or the hierarchy"));
        }
        let leaf = |rank| {
            let label = tree.label(tree.leaf(rank));
            Value::parse(label, kind, Decimal::Point).ok_or_else(|| {
                Error::input(format!("the hierarchy of {name:?} has the leaf {label:?}, which is no {}", kind.name()))
            })
        };
        let values = (0..tree.leaves()).map(leaf).collect::<Result<Vec<Value>>>()?;
        let line = Line::of(kind, &values, &name)?;
        if line.is_some() && !values.is_sorted() {
            return Err(Error::input(format!("the hierarchy of {name:?} does not keep the order of its numbers"))
                .help("let every node stand for neighbouring numbers, and list them from small to large"));
        }
        let indices = indices(line.as_ref(), values.len());
        let shape = Shape::of_hierarchy(tree, &indices);
        let (rank_of_code, hierarchy) = (ranks.to_vec(), Some(tree.clone()));
        Ok(Self { name, kind, values, line, indices, shape, rank_of_code, hierarchy })
    }

    /// The rank of a code of the table.
    pub(crate) fn rank(&self, code: u32) -> u32 {
        self.rank_of_code[code as usize]
    }

    /// Counts by code, as counts by rank.
    pub(crate) fn by_rank(&self, by_code: &[u64]) -> Vec<u64> {
        let mut counts = vec![0; self.values.len()];
        by_code.iter().zip(&self.rank_of_code).for_each(|(&people, &rank)| counts[rank as usize] += people);
        counts
    }

    /// The rank of a value in the spelling of a file.
    pub(crate) fn find(&self, text: &str) -> Option<u32> {
        let value = Value::parse(text, self.kind, Decimal::Point)?;
        self.values.iter().position(|known| *known == value).map(|rank| rank as u32)
    }

    /// The whole table as models know it, with every rank a code.
    pub(crate) fn whole(&self, people: &[u64]) -> TableSummary {
        let domain = Domain::in_order(self.kind, self.values.clone());
        let ranks = (0..self.values.len() as u32).collect();
        let sensitive = Sensitive {
            name: self.name.clone(),
            domain: Arc::new(domain),
            people: people.to_vec(),
            hierarchy: self.hierarchy.clone().map(|tree| (tree, ranks)),
            categories: None,
        };
        TableSummary { people: people.iter().sum(), sensitive: vec![sensitive] }
    }

    /// The published spelling of a subdomain that is no interval of numbers.
    pub(crate) fn label(&self, first: u32, end: u32) -> String {
        if end - first == 1 {
            return self.values[first as usize].to_string();
        }
        if let Some(tree) = &self.hierarchy {
            let node = tree.common_ancestor(first, end - 1);
            if tree.ranks(node) == (first..end) {
                return tree.label(node).to_owned();
            }
        } else if end - first == self.values.len() as u32 {
            return "*".to_owned();
        }
        let names: Vec<String> = self.values[first as usize..end as usize].iter().map(ToString::to_string).collect();
        format!("{{{}}}", names.join(", "))
    }
}

fn indices(line: Option<&Line>, values: usize) -> Vec<u64> {
    match line {
        Some(line) => {
            let first = line.indices.first().copied().unwrap_or(0);
            line.indices.iter().map(|index| index.abs_diff(first)).collect()
        }
        None => (0..values as u64).collect(),
    }
}
