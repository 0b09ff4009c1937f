//! How far few columns go in telling people apart.

use rayon::prelude::*;
use serde::Serialize;

use super::partition::{Partition, PartitionScratch, RowWeights};
use crate::data::table::Column;
use crate::error::Result;
use crate::progress::Progress;

/// The most columns whose subsets are tried: 20 have 1,350 subsets of up to three.
const MOST_CANDIDATES: usize = 20;

/// The fewest, however large the table is.
const FEWEST_CANDIDATES: usize = 4;

/// How many rows may be looked at in all, one row once for each subset: some ten seconds on two cores.
///
/// A larger table gets fewer candidates, not a sample of its rows: somebody who is unique in a sample
/// need not be so in the table, and a figure that is too high by an unknown factor serves nobody.
const ROW_VISITS: u64 = 4_000_000_000;

/// The classes of people that some columns can't tell apart, summed up.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct SubsetSizes {
    pub(super) distinct: u64,
    pub(super) unique: u64,
    pub(super) smallest: u64,
}

impl SubsetSizes {
    /// Takes one more class into account.
    pub(super) fn observe(&mut self, people: u64) {
        self.smallest = if self.distinct == 0 { people } else { self.smallest.min(people) };
        self.distinct += 1;
        self.unique += u64::from(people == 1);
    }
}

/// How far some columns together tell people apart. A missing value counts as a value.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Subset {
    /// The columns.
    pub columns: Vec<String>,
    /// How many combinations of their values occur.
    pub distinct: u64,
    /// RowWeights whose combination nobody else has.
    pub unique: u64,
    /// Their share of all people.
    pub unique_share: f64,
    /// The people with the rarest combination.
    pub smallest: u64,
    /// The people with a combination, on average.
    pub mean: f64,
}

/// How far every small subset of the candidates tells people apart.
#[derive(Clone, Debug, Serialize)]
#[non_exhaustive]
pub struct Uniqueness {
    /// The columns that were combined: suggested quasi-identifiers that take more than one value.
    pub candidates: Vec<String>,
    /// Suggested quasi-identifiers that were left out, because all subsets would be too many.
    pub left_out: Vec<String>,
    /// Every subset of up to three candidates, the most telling first.
    pub subsets: Vec<Subset>,
}

/// What an attacker who knows all suggested quasi-identifiers could do, were the table published as it is.
#[derive(Clone, Debug, Serialize)]
#[non_exhaustive]
pub struct UniquenessRisk {
    /// The quasi-identifiers and their classes.
    #[serde(flatten)]
    pub classes: Subset,
    /// The chance to find a person, on average over all of them: classes by people.
    pub mean_risk: f64,
    /// The chance to find the person who is easiest to find: one by the smallest class.
    pub highest_risk: f64,
}

impl Subset {
    fn new(columns: &[&Column], classes: SubsetSizes, people: u64) -> Self {
        Self {
            columns: columns.iter().map(|column| column.name.clone()).collect(),
            distinct: classes.distinct,
            unique: classes.unique,
            unique_share: ratio(classes.unique, people),
            smallest: classes.smallest,
            mean: ratio(people, classes.distinct),
        }
    }
}

fn ratio(part: u64, whole: u64) -> f64 {
    if whole == 0 { 0.0 } else { part as f64 / whole as f64 }
}

/// A table whose columns are compared.
#[derive(Clone, Copy, Debug)]
pub(super) struct ComparedTable<'a> {
    pub(super) rows: usize,
    pub(super) people: RowWeights<'a>,
}

impl ComparedTable<'_> {
    fn refine(self, partition: &Partition, column: &Column, scratch: &mut PartitionScratch) -> Partition {
        partition.refine(&column.codes, column.domain.len(), self.people, scratch)
    }

    fn total(self) -> u64 {
        self.people.0.map_or(self.rows as u64, |weights| weights.iter().sum())
    }

    /// The uniqueness of every subset of up to three of the candidates, which come with the most
    /// interesting first: the last ones are left out where all would be too many.
    pub(super) fn uniqueness(self, candidates: &[&Column], progress: &Progress) -> Result<Uniqueness> {
        let (taken, left_out) = candidates.split_at(candidates.len().min(room(self.rows)));
        progress.start("comparing columns", subsets_of(taken.len()));
        let names = |columns: &[&Column]| columns.iter().map(|column| column.name.clone()).collect();
        let subsets = self.subsets(taken, progress)?;
        Ok(Uniqueness { candidates: names(taken), left_out: names(left_out), subsets })
    }

    fn subsets(self, columns: &[&Column], progress: &Progress) -> Result<Vec<Subset>> {
        let (people, total) = (self.people, self.total());
        let whole = Partition::whole(self.rows, people);
        let mut subsets = Vec::new();
        for (index, &first) in columns.iter().enumerate() {
            // One column after another, so that only one large partition is held at a time.
            let by_first = self.refine(&whole, first, &mut PartitionScratch::default());
            subsets.push(Subset::new(&[first], by_first.sizes(people), total));
            progress.advance(1);
            let rest = &columns[index + 1..];
            let with_second = rest.par_iter().enumerate().flat_map_iter(|(index, &second)| {
                let mut scratch = PartitionScratch::default();
                let by_second = self.refine(&by_first, second, &mut scratch);
                let mut found = vec![Subset::new(&[first, second], by_second.sizes(people), total)];
                let wanted = rest[index + 1..].iter().take_while(|_| !progress.is_cancelled());
                found.extend(wanted.map(|&third| {
                    let sizes = by_second.refined_sizes(&third.codes, third.domain.len(), people, &mut scratch);
                    Subset::new(&[first, second, third], sizes, total)
                }));
                progress.advance(found.len() as u64);
                found
            });
            subsets.append(&mut with_second.collect());
            progress.check()?;
        }
        // Equally telling subsets: the smaller one needs less knowledge. The rest stay in column order.
        subsets.sort_by(|a, b| (b.unique, b.distinct, a.columns.len()).cmp(&(a.unique, a.distinct, b.columns.len())));
        Ok(subsets)
    }

    /// The risk of publishing these columns as they are.
    pub(super) fn risk(self, quasi: &[&Column]) -> UniquenessRisk {
        let mut scratch = PartitionScratch::default();
        let mut partition = Partition::whole(self.rows, self.people);
        for column in quasi {
            partition = self.refine(&partition, column, &mut scratch);
        }
        let sizes = partition.sizes(self.people);
        let highest_risk = if sizes.smallest == 0 { 0.0 } else { 1.0 / sizes.smallest as f64 };
        let classes = Subset::new(quasi, sizes, self.total());
        UniquenessRisk { mean_risk: ratio(sizes.distinct, self.total()), highest_risk, classes }
    }

    /// Whether no two rows agree on all of these columns.
    pub(super) fn all_differ<'c>(self, columns: impl Iterator<Item = &'c Column>) -> bool {
        let mut scratch = PartitionScratch::default();
        let mut partition = Partition::whole(self.rows, self.people);
        for column in columns {
            if partition.is_settled() {
                break;
            }
            partition = self.refine(&partition, column, &mut scratch);
        }
        partition.is_settled()
    }
}

fn subsets_of(columns: usize) -> u64 {
    let n = columns as u64;
    n + n * n.saturating_sub(1) / 2 + n * n.saturating_sub(1) * n.saturating_sub(2) / 6
}

/// How many candidates a table of so many rows has room for.
pub(super) fn room(rows: usize) -> usize {
    let fits = |&candidates: &usize| subsets_of(candidates).saturating_mul(rows as u64) <= ROW_VISITS;
    (FEWEST_CANDIDATES..=MOST_CANDIDATES).rev().find(fits).unwrap_or(FEWEST_CANDIDATES)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::domain::Domain;
    use proptest::prelude::*;
    use std::collections::BTreeMap;
    use std::sync::Arc;

    fn column(name: usize, codes: Vec<u32>) -> Column {
        let domain = Domain::labels((0..6).map(|code| code.to_string()));
        Column { name: name.to_string(), domain: Arc::new(domain), codes }
    }

    /// Up to six columns of up to six values, with and without weights.
    fn tables() -> impl Strategy<Value = (Vec<Vec<u32>>, Vec<u64>, bool)> {
        (0_usize..6, 0_usize..40).prop_flat_map(|(columns, rows)| {
            (
                proptest::collection::vec(proptest::collection::vec(0_u32..6, rows), columns),
                proptest::collection::vec(0_u64..4, rows),
                any::<bool>(),
            )
        })
    }

    proptest! {
        #[test]
        fn uniqueness_is_that_of_counting_naively((codes, weights, weighted) in tables()) {
            let rows = weights.len();
            let columns: Vec<Column> = codes.into_iter().enumerate().map(|(name, codes)| column(name, codes)).collect();
            let views: Vec<&Column> = columns.iter().collect();
            let compared = ComparedTable { rows, people: RowWeights(weighted.then_some(&weights)) };
            let found = compared.uniqueness(&views, &Progress::default()).unwrap().subsets;
            prop_assert_eq!(found.len() as u64, subsets_of(columns.len()));
            prop_assert!(found.is_sorted_by(|a, b| a.unique >= b.unique));
            let risk = compared.risk(&views).classes;
            for subset in found.iter().chain([&risk]) {
                let indices: Vec<usize> = subset.columns.iter().map(|name| name.parse().unwrap()).collect();
                let mut slow: BTreeMap<Vec<u32>, u64> = BTreeMap::new();
                for (row, &weight) in weights.iter().enumerate() {
                    let people = if weighted { weight } else { 1 };
                    if people > 0 {
                        let combination = indices.iter().map(|&index| columns[index].codes[row]).collect();
                        *slow.entry(combination).or_default() += people;
                    }
                }
                let total: u64 = slow.values().sum();
                let unique = slow.values().filter(|&&people| people == 1).count() as u64;
                prop_assert_eq!(subset.distinct, slow.len() as u64);
                prop_assert_eq!(subset.unique, unique);
                prop_assert_eq!(subset.smallest, slow.values().copied().min().unwrap_or(0));
                prop_assert!((subset.unique_share * total as f64 - unique as f64).abs() < 1e-9);
                prop_assert!((subset.mean * slow.len() as f64 - total as f64).abs() < 1e-9);
            }
            let in_use = (0..rows).filter(|&row| !weighted || weights[row] > 0).count() as u64;
            prop_assert_eq!(compared.all_differ(columns.iter()), risk.distinct == in_use);
        }
    }

    #[test]
    fn the_most_telling_subset_comes_first_and_of_equals_the_smaller() {
        let columns = [column(0, vec![0, 0, 1, 1]), column(1, vec![0, 1, 2, 3]), column(2, vec![0, 1, 0, 1])];
        let views: Vec<&Column> = columns.iter().collect();
        let found =
            ComparedTable { rows: 4, people: RowWeights(None) }.uniqueness(&views, &Progress::default()).unwrap();
        let order: Vec<String> = found.subsets.iter().map(|subset| subset.columns.concat()).collect();
        assert_eq!(order, ["1", "01", "02", "12", "012", "0", "2"]);
        assert_eq!(found.subsets[0].smallest, 1);
    }

    #[test]
    fn a_large_table_has_room_for_fewer_columns() {
        assert_eq!(subsets_of(20), 1_350);
        assert_eq!([1, 48_842, 1_000_000, 10_000_000, 4_000_000_000].map(room), [20, 20, 20, 13, 4]);
        let columns: Vec<Column> = (0..22).map(|name| column(name, vec![0, 1])).collect();
        let views: Vec<&Column> = columns.iter().collect();
        let found =
            ComparedTable { rows: 2, people: RowWeights(None) }.uniqueness(&views, &Progress::default()).unwrap();
        assert_eq!((found.candidates.len(), found.left_out), (20, vec!["20".to_owned(), "21".to_owned()]));
    }
}
