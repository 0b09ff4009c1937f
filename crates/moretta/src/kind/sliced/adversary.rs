//! How an adversary reads a sliced release: which buckets hold all that is known of a person.

use std::sync::Arc;

use super::Sliced;
use super::math::{SlicedPosterior, chance_of_a_match};
use crate::data::cells::{Cells, count_distinct};
use crate::data::domain::Domain;
use crate::data::value::Value;
use crate::error::{Code, Error, Result};
use crate::release::{Adversary, Original, ValueMeaning};

impl Sliced {
    /// The people of an original as this release can know them.
    pub fn people_of(&self, original: &Original<'_>) -> Result<People> {
        let translation = self.translate(&original.quasi)?;
        let mut parts = Vec::with_capacity(self.known.len());
        let mut codes = Vec::with_capacity(self.known.len());
        for (number, (indices, _)) in self.known.iter().enumerate() {
            let sized: Vec<(&[u32], usize)> = indices
                .iter()
                .map(|&index| {
                    let at = translation.index[index];
                    (original.cells.columns[at].as_slice(), original.quasi[at].1.len())
                })
                .collect();
            let distinct = count_distinct(&sized, original.cells.len(), None);
            let of_part = |part: usize| {
                let own: Vec<u32> = distinct.columns.iter().map(|column| column[part]).collect();
                self.values_like(number, &own, &translation)
            };
            parts.push((0..distinct.len()).map(of_part).collect::<Vec<_>>());
            codes.push(distinct);
        }
        let sized: Vec<(&[u32], usize)> = codes.iter().map(|c| (c.cell_of_row.as_slice(), c.len())).collect();
        let persons = count_distinct(&sized, original.cells.len(), Some(&original.cells.people));
        Ok(People { parts, persons })
    }

    /// Where each quasi-identifier stands among an adversary's, and which published codes each value could have become.
    pub(crate) fn translate(&self, quasi: &[(String, Arc<Domain>)]) -> Result<Translation> {
        let mut found = Translation { index: Vec::new(), codes: Vec::new() };
        for (attribute, column) in self.table.quasi.iter().enumerate() {
            let index = quasi.iter().position(|(name, _)| *name == column.name).ok_or_else(|| {
                Error::input(format!("the original does not have the attribute {:?} of the release", column.name))
                    .coded(Code::OriginalMismatch)
                    .help("use the policy that the release was made with")
            })?;
            let of_value = |value: &Value| -> Vec<u32> {
                if self.meanings[attribute].values == ValueMeaning::Exact {
                    return column.domain.code(value).into_iter().collect();
                }
                let regions = self.regions()[attribute].iter();
                (0..).zip(regions).filter(|(_, region)| region.contains(value)).map(|(code, _)| code).collect()
            };
            found.codes.push(quasi[index].1.values().iter().map(of_value).collect());
            found.index.push(index);
        }
        Ok(found)
    }

    /// The values of a column that somebody with these codes of the original could have.
    fn values_like(&self, column: usize, own: &[u32], translation: &Translation) -> Vec<u32> {
        let (indices, cells) = &self.known[column];
        let mut found = Vec::new();
        let mut prefix = Vec::with_capacity(indices.len());
        let options: Vec<&[u32]> =
            indices.iter().zip(own).map(|(&index, &code)| translation.codes[index][code as usize].as_slice()).collect();
        narrow(cells, &options, &mut prefix, &mut found);
        found
    }
}

/// How an adversary's values read in the release.
pub(crate) struct Translation {
    /// The adversary's index of each quasi-identifier of the release.
    pub(crate) index: Vec<usize>,
    /// For each of them, the published codes that each of the adversary's codes could have become.
    codes: Vec<Vec<Vec<u32>>>,
}

/// The people of an original: the values of each column that could be theirs.
#[derive(Debug)]
pub struct People {
    /// For each column, for each distinct part of a person, the column's values like it.
    parts: Vec<Vec<Vec<u32>>>,
    /// The distinct combinations of parts.
    persons: Cells,
}

impl People {
    /// How many there are who differ in what is known.
    pub fn len(&self) -> usize {
        self.persons.len()
    }

    /// Whether there is nobody.
    pub fn is_empty(&self) -> bool {
        self.persons.is_empty()
    }

    /// How many people share what is known of one.
    pub fn count(&self, person: usize) -> u64 {
        self.persons.people[person]
    }

    /// Calls `ask` with the values of each column that could be a person's.
    pub fn with_values<R>(&self, person: usize, ask: impl FnOnce(&[&[u32]]) -> R) -> R {
        let values: Vec<&[u32]> = self
            .parts
            .iter()
            .zip(&self.persons.columns)
            .map(|(parts, codes)| parts[codes[person] as usize].as_slice())
            .collect();
        ask(&values)
    }
}

/// The rows of sorted combinations whose codes are among some options, column by column.
fn narrow(cells: &Cells, options: &[&[u32]], prefix: &mut Vec<u32>, found: &mut Vec<u32>) {
    let Some((first, rest)) = options.split_first() else {
        found.extend(cells.beginning_with(prefix).map(|cell| cell as u32));
        return;
    };
    for &code in *first {
        prefix.push(code);
        if !cells.beginning_with(prefix).is_empty() {
            narrow(cells, rest, prefix, found);
        }
        prefix.pop();
    }
}

/// An adversary: finds the buckets that hold all of a person's column values.
pub(crate) struct SlicedAdversary<'r> {
    pub(crate) release: &'r Sliced,
    pub(crate) translation: Translation,
}

impl SlicedAdversary<'_> {
    /// The values of each column that could be the person's.
    fn values(&self, person: &[u32]) -> Vec<Vec<u32>> {
        let of_column = |(column, (indices, _)): (usize, &(Vec<usize>, Cells))| {
            let own: Vec<u32> = indices.iter().map(|&index| person[self.translation.index[index]]).collect();
            self.release.values_like(column, &own, &self.translation)
        };
        self.release.known.iter().enumerate().map(of_column).collect()
    }

    fn matching(&self, person: &[u32], visit: impl FnMut(u32, &[u64])) {
        let values = self.values(person);
        let values: Vec<&[u32]> = values.iter().map(Vec::as_slice).collect();
        self.release.index.matching(&values, visit);
    }
}

impl Adversary for SlicedAdversary<'_> {
    /// The buckets that the person matches, each with p(t, B).
    fn candidates(&self, person: &[u32]) -> Vec<(u64, f64)> {
        let mut found = Vec::new();
        let mut posterior = SlicedPosterior::default();
        self.matching(person, |bucket, counts| {
            let size = self.release.index.people()[bucket as usize];
            posterior.add(size, counts.iter().copied(), [(0, size)]);
            found.push(u64::from(bucket));
        });
        found.into_iter().zip(posterior.bucket_shares()).collect()
    }

    /// The chance that columns linked at random put all that is known of the person into one position of a bucket: 0 where no bucket
    /// matches, 1 where counts leave no other way.
    fn presence(&self, person: &[u32]) -> Option<f64> {
        let mut absent = 1.0;
        self.matching(person, |bucket, counts| {
            absent *= 1.0 - chance_of_a_match(self.release.index.people()[bucket as usize], counts);
        });
        Some(1.0 - absent)
    }

    fn posterior(&self, person: &[u32], attribute: usize) -> Option<Vec<f64>> {
        let domain = &self.release.table.sensitive.get(attribute)?.domain;
        let values = self.values(person);
        let values: Vec<&[u32]> = values.iter().map(Vec::as_slice).collect();
        let mut posterior = SlicedPosterior::default();
        self.release.index.posterior(&values, attribute, &mut posterior);
        posterior.distribution(domain.len())
    }
}
