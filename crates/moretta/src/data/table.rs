//! Tables of people in memory.

use std::sync::Arc;

use super::domain::Domain;

/// A column of codes into a sorted domain.
#[derive(Clone, Debug)]
pub struct Column {
    /// The attribute's name.
    pub name: String,
    /// Its values. Every one of them occurs.
    pub domain: Arc<Domain>,
    /// The code of each row.
    pub codes: Vec<u32>,
}

impl Column {
    /// The column as [`super::count_distinct`] takes it.
    pub fn counted(&self) -> (&[u32], usize) {
        (&self.codes, self.domain.len())
    }

    /// What tells rows apart that have other values; nothing where one is missing.
    pub fn fingerprints(&self) -> Vec<Option<u64>> {
        let missing = self.domain.missing();
        self.codes.iter().map(|&code| (Some(code) != missing).then_some(u64::from(code))).collect()
    }

    /// The people who have each of its values, where rows stand for so many people; for one each if nothing is stated.
    pub fn people_of_values(&self, weights: Option<&[u64]>) -> Vec<u64> {
        let mut people = vec![0; self.domain.len()];
        for (row, &code) in self.codes.iter().enumerate() {
            people[code as usize] += weights.map_or(1, |weights| weights[row]);
        }
        people
    }

    /// The column with only the rows in `kept`, and a domain of only the values that occur in them.
    #[must_use]
    pub fn keep(self, kept: &[u32]) -> Self {
        // Rows are kept in order: these are all of them, and every value of the domain occurs.
        if kept.len() == self.codes.len() && kept.is_sorted_by(|a, b| a < b) {
            return self;
        }
        let mut occurs = vec![false; self.domain.len()];
        kept.iter().for_each(|&row| occurs[self.codes[row as usize] as usize] = true);
        let mut new_code = vec![0; self.domain.len()];
        let mut values = Vec::new();
        for (code, value) in self.domain.values().iter().enumerate() {
            if occurs[code] {
                new_code[code] = values.len() as u32;
                values.push(value.clone());
            }
        }
        let codes = kept.iter().map(|&row| new_code[self.codes[row as usize] as usize]).collect();
        Self { name: self.name, domain: Arc::new(Domain::from_sorted(self.domain.kind(), values)), codes }
    }
}

/// The part of a table that decides about its release: what is recognized, what is protected.
#[derive(Clone, Debug)]
pub struct CodedTable {
    /// Attributes by which a person could be recognized, in the order of the policy.
    pub quasi: Vec<Column>,
    /// Attributes to protect, in the order of the policy.
    pub sensitive: Vec<Column>,
    /// The attribute whose values name groups, if there is one.
    pub group: Option<Column>,
    /// Whose each row is, where several rows may belong to one person.
    pub person: Option<Column>,
    /// How many people each row stands for; one each if nothing is stated.
    pub weights: Option<Vec<u64>>,
    /// The number, in the source, of each row that was kept, counted from 0.
    pub source_rows: Vec<u32>,
    /// What was read and what was left out.
    pub tally: ReadCounts,
}

/// How many rows were read and why some were left out.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ReadCounts {
    /// Rows in the source.
    pub read: u64,
    /// Rows that the policy's filter leaves out.
    pub filtered: u64,
    /// Rows left out because they lack a value.
    pub missing: u64,
    /// Rows left out because they stand for nobody.
    pub weightless: u64,
    /// Rows whose identifier occurs in another row too.
    pub repeated_identifiers: u64,
}

impl CodedTable {
    /// The table with only the rows in `kept`, in that order, and domains of only the values that occur in them.
    #[must_use]
    pub fn keep(self, kept: &[u32]) -> Self {
        let columns = |columns: Vec<Column>| columns.into_iter().map(|column| column.keep(kept)).collect();
        Self {
            quasi: columns(self.quasi),
            sensitive: columns(self.sensitive),
            group: self.group.map(|column| column.keep(kept)),
            person: self.person.map(|column| column.keep(kept)),
            weights: self.weights.map(|weights| kept.iter().map(|&row| weights[row as usize]).collect()),
            source_rows: kept.iter().map(|&row| self.source_rows[row as usize]).collect(),
            tally: self.tally,
        }
    }

    /// How many rows there are.
    pub fn rows(&self) -> usize {
        self.source_rows.len()
    }

    /// How many people they stand for: rows, or the sum of their weights. Where several rows may belong to one person this
    /// counts rows; see [`CodedTable::person`].
    pub fn people(&self) -> u64 {
        self.weights.as_ref().map_or(self.rows() as u64, |weights| weights.iter().sum())
    }
}
