//! A group in the making: who stands in it, and which values it lists.

use super::promise::AmbiguityPromise;
use crate::data::cells::Cells;
use crate::data::merge_counts;

/// The tuples of a table: its cells, whose first columns are quasi-identifiers.
#[derive(Clone, Copy, Debug)]
pub(super) struct Tuples<'a> {
    pub(super) cells: &'a Cells,
    pub(super) quasi: usize,
}

impl Tuples<'_> {
    pub(super) fn value(&self, attribute: usize, cell: u32) -> u32 {
        self.cells.columns[attribute][cell as usize]
    }

    pub(super) fn sensitive(&self, attribute: usize, cell: u32) -> u32 {
        self.cells.columns[self.quasi + attribute][cell as usize]
    }

    pub(super) fn attributes(&self) -> usize {
        self.cells.columns.len() - self.quasi
    }
}

/// A group.
#[derive(Clone, Debug)]
pub(super) struct AmbiguousGroup {
    /// Cells, and how many of their people stand here; a cell may come more than once.
    pub(super) members: Vec<(u32, u64)>,
    pub(super) people: u64,
    /// For each quasi-identifier, the values that are listed, in order.
    pub(super) listed: Vec<Vec<u32>>,
    /// For each sensitive attribute, values and how many have them, in order.
    held: Vec<Vec<(u32, u64)>>,
}

impl AmbiguousGroup {
    pub(super) fn new(tuples: Tuples<'_>) -> Self {
        Self {
            members: Vec::new(),
            people: 0,
            listed: vec![Vec::new(); tuples.quasi],
            held: vec![Vec::new(); tuples.attributes()],
        }
    }

    /// How many combinations it covers.
    pub(super) fn combinations(&self) -> u128 {
        self.listed.iter().fold(1, |product: u128, values| product.saturating_mul(values.len() as u128))
    }

    /// How many combinations it would cover with somebody of a cell.
    fn combinations_with(&self, tuples: Tuples<'_>, cell: u32) -> u128 {
        self.listed.iter().enumerate().fold(1, |product: u128, (attribute, values)| {
            let is_new = values.binary_search(&tuples.value(attribute, cell)).is_err();
            product.saturating_mul((values.len() + usize::from(is_new)) as u128)
        })
    }

    pub(super) fn held(&self, attribute: usize, value: u32) -> u64 {
        let held = &self.held[attribute];
        held.binary_search_by_key(&value, |(value, _)| *value).map_or(0, |index| held[index].1)
    }

    pub(super) fn add(&mut self, tuples: Tuples<'_>, cell: u32, people: u64) {
        self.people += people;
        self.members.push((cell, people));
        for (attribute, values) in self.listed.iter_mut().enumerate() {
            let value = tuples.value(attribute, cell);
            if let Err(index) = values.binary_search(&value) {
                values.insert(index, value);
            }
        }
        for (attribute, held) in self.held.iter_mut().enumerate() {
            let value = tuples.sensitive(attribute, cell);
            match held.binary_search_by_key(&value, |(value, _)| *value) {
                Ok(index) => held[index].1 += people,
                Err(index) => held.insert(index, (value, people)),
            }
        }
    }

    /// Takes in another group.
    pub(super) fn absorb(&mut self, other: &Self) {
        self.people += other.people;
        self.members.extend_from_slice(&other.members);
        for (mine, theirs) in self.listed.iter_mut().zip(&other.listed) {
            mine.extend_from_slice(theirs);
            mine.sort_unstable();
            mine.dedup();
        }
        for (mine, theirs) in self.held.iter_mut().zip(&other.held) {
            mine.extend_from_slice(theirs);
            mine.sort_unstable();
            merge_counts(mine, |a, b| a.0 == b.0, |item| &mut item.1);
        }
    }

    pub(super) fn hides_presence(&self, promise: &AmbiguityPromise) -> bool {
        promise.hides_presence(self.people, self.combinations())
    }

    fn hides_values(&self, promise: &AmbiguityPromise) -> bool {
        promise
            .protected
            .iter()
            .all(|&attribute| self.held[attribute].iter().all(|&(_, held)| promise.hides_value(held, self.people)))
    }

    /// Whether it is as large as promised, and hides presence and values.
    pub(super) fn keeps(&self, promise: &AmbiguityPromise) -> bool {
        self.people >= promise.least.max(1) && self.hides_presence(promise) && self.hides_values(promise)
    }

    /// Whether both promises hold when one more person of a cell joins. Joining may raise the presence of others:
    /// it adds a person, and perhaps no value.
    pub(super) fn welcomes(&self, tuples: Tuples<'_>, cell: u32, promise: &AmbiguityPromise) -> bool {
        let values_hidden = promise.protected.iter().all(|&attribute| {
            let held = self.held(attribute, tuples.sensitive(attribute, cell)) + 1;
            promise.hides_value(held, self.people + 1)
        });
        values_hidden && promise.hides_presence(self.people + 1, self.combinations_with(tuples, cell))
    }
}
