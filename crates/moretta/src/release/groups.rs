//! The groups of a table: who shares quasi-identifiers with whom, and which sensitive values they have.

use std::sync::Arc;

use crate::data::cells::count_distinct;
use crate::data::domain::Domain;
use crate::data::table::{CodedTable, Column};
use crate::error::{Error, Result};
use crate::hierarchy::{Hierarchy, Scale};
use crate::schema::Attribute;

use super::categories::Categories;

/// What is known about a sensitive attribute in the whole table.
#[derive(Clone, Debug)]
pub struct Sensitive {
    /// Its name.
    pub name: String,
    /// Its values.
    pub domain: Arc<Domain>,
    /// The people that have each value.
    pub people: Vec<u64>,
    /// Its hierarchy, if it has one, with the rank of each code among the leaves.
    pub hierarchy: Option<(Arc<Hierarchy>, Vec<u32>)>,
    /// A partition of its values, the most sensitive first: the category of each code.
    pub categories: Option<Categories>,
}

/// The whole of the rows that are judged: the reference of models that compare a group with it.
#[derive(Clone, Debug)]
pub struct TableSummary {
    /// All people.
    pub people: u64,
    /// The sensitive attributes, in the order of the policy.
    pub sensitive: Vec<Sensitive>,
}

impl TableSummary {
    /// The whole of a table whose sensitive attributes the policy describes, in the same order.
    pub fn of_table(table: &CodedTable, described: &[&Attribute]) -> Result<Self> {
        let weights = table.weights.as_deref();
        let sensitive = table.sensitive.iter().zip(described).map(|(column, attribute)| {
            let people = column.people_of_values(weights);
            let scale = Scale::new(&attribute.hierarchy, column.domain.clone(), &column.name)?;
            let hierarchy = scale.shared_tree().map(|tree| (tree, scale.rank_of_codes()));
            let categories =
                attribute.categories.as_ref().map(|lists| Categories::of_column(lists, column)).transpose()?;
            Ok(Sensitive { name: column.name.clone(), domain: column.domain.clone(), people, hierarchy, categories })
        });
        Ok(Self { people: table.people(), sensitive: sensitive.collect::<Result<_>>()? })
    }
}

/// The groups of a table: rows with equal quasi-identifiers, or with equal values of the policy's
/// group attribute. A missing value is a value of its own and never matches another.
#[derive(Clone, Debug)]
pub struct Groups {
    /// The whole that they are parts of.
    pub whole: TableSummary,
    /// The people in each group.
    pub people: Vec<u64>,
    /// For each sensitive attribute, the values in each group.
    histograms: Vec<Sparse>,
    /// A row of each group: the first.
    first_row: Vec<u32>,
}

/// Histograms that list only what occurs: values and people, group after group.
#[derive(Clone, Debug)]
struct Sparse {
    starts: Vec<usize>,
    codes: Vec<u32>,
    people: Vec<u64>,
}

impl Groups {
    /// Groups the rows of a table whose sensitive attributes the policy describes, in the same order.
    pub fn of_table(table: &CodedTable, described: &[&Attribute]) -> Result<Self> {
        let keys: Vec<(&[u32], usize)> = match &table.group {
            Some(group) => vec![group.counted()],
            None => table.quasi.iter().map(Column::counted).collect(),
        };
        let (rows, weights) = (table.rows(), table.weights.as_deref());
        let groups = count_distinct(&keys, rows, weights);
        let histograms = table.sensitive.iter().map(|column| {
            let pairs = count_distinct(&[(&groups.cell_of_row, groups.len()), column.counted()], rows, weights);
            let starts = (0..=groups.len()).map(|g| pairs.columns[0].partition_point(|&group| (group as usize) < g));
            let starts = starts.collect();
            let codes = pairs.columns.into_iter().nth(1).ok_or_else(|| Error::bug("pairs without their values"))?;
            Ok(Sparse { starts, codes, people: pairs.people })
        });
        let histograms = histograms.collect::<Result<Vec<Sparse>>>()?;
        let mut first_row = vec![u32::MAX; groups.len()];
        for (row, &group) in groups.cell_of_row.iter().enumerate().rev() {
            first_row[group as usize] = row as u32;
        }
        let whole = TableSummary::of_table(table, described)?;
        Ok(Self { whole, people: groups.people, histograms, first_row })
    }

    /// The same groups and values, with people where rows were counted: how many each group has, and for each sensitive attribute the people
    /// that have each value of each group, as `(group, code)` in order, once for each person.
    #[must_use]
    pub(crate) fn recounted(mut self, everyone: u64, people: Vec<u64>, holders: &[Vec<(u32, u32)>]) -> Self {
        self.whole.people = everyone;
        self.people = people;
        for (sparse, holders) in self.histograms.iter_mut().zip(holders) {
            sparse.people.fill(0);
            for &(group, code) in holders {
                let indices = sparse.starts[group as usize]..sparse.starts[group as usize + 1];
                if let Ok(at) = sparse.codes[indices.clone()].binary_search(&code) {
                    sparse.people[indices.start + at] += 1;
                }
            }
        }
        self
    }

    /// The same groups, with the sensitive attributes of others as well: both have the same people.
    #[must_use]
    pub fn with_attributes_of(mut self, mut other: Self) -> Self {
        self.whole.sensitive.append(&mut other.whole.sensitive);
        self.histograms.append(&mut other.histograms);
        self
    }

    /// How many groups there are.
    pub fn len(&self) -> usize {
        self.people.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.people.is_empty()
    }

    /// The first row of a group.
    pub fn first_row(&self, group: usize) -> usize {
        self.first_row[group] as usize
    }

    /// The group of each row of the table that they were made from.
    pub fn rows_to_groups(&self, table: &CodedTable) -> Vec<u32> {
        let keys: Vec<(&[u32], usize)> = match &table.group {
            Some(group) => vec![group.counted()],
            None => table.quasi.iter().map(Column::counted).collect(),
        };
        count_distinct(&keys, table.rows(), None).cell_of_row
    }

    /// A buffer for [`Groups::fill`].
    pub fn scratch(&self) -> Vec<Vec<u64>> {
        self.whole.sensitive.iter().map(|attribute| vec![0; attribute.domain.len()]).collect()
    }

    /// Writes the histograms of a group into a buffer of zeros; [`Groups::clear`] makes it zero again.
    pub fn fill(&self, group: usize, scratch: &mut [Vec<u64>]) {
        for (sparse, dense) in self.histograms.iter().zip(scratch) {
            for index in sparse.starts[group]..sparse.starts[group + 1] {
                dense[sparse.codes[index] as usize] = sparse.people[index];
            }
        }
    }

    /// The values of a sensitive attribute that a group holds, in code order, and the people that have each.
    pub fn held(&self, attribute: usize, group: usize) -> (&[u32], &[u64]) {
        let sparse = &self.histograms[attribute];
        let indices = sparse.starts[group]..sparse.starts[group + 1];
        (&sparse.codes[indices.clone()], &sparse.people[indices])
    }

    /// Adds the histograms of a group to others.
    pub fn add(&self, group: usize, sums: &mut [Vec<u64>]) {
        for (attribute, sums) in sums.iter_mut().enumerate() {
            let (codes, people) = self.held(attribute, group);
            codes.iter().zip(people).for_each(|(&code, &people)| sums[code as usize] += people);
        }
    }

    /// Takes the histograms of a group out of a buffer.
    pub fn clear(&self, group: usize, scratch: &mut [Vec<u64>]) {
        for (sparse, dense) in self.histograms.iter().zip(scratch) {
            for index in sparse.starts[group]..sparse.starts[group + 1] {
                dense[sparse.codes[index] as usize] = 0;
            }
        }
    }
}
