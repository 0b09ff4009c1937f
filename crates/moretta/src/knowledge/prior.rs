//! What an adversary believes before she sees a release: smoothed shares of the sensitive values, near each person.

use std::sync::atomic::{AtomicU64, Ordering};

use rayon::prelude::*;

use super::attribute_distance::AttributeDistance;
use super::points::Evidence;
use crate::data::cells::count_distinct;
use crate::error::{Error, Result};

/// A distribution of the sensitive values for each point.
#[derive(Clone, Debug)]
pub struct Prior {
    values: usize,
    pub(super) shares: Vec<f64>,
}

impl Prior {
    /// The prior of the adversary whose knowledge has these bandwidths, one for each quasi-identifier.
    ///
    /// The Nadaraya–Watson average with a product of Epanechnikov kernels (Li 2010, equation 3.2):
    ///
    /// ```text
    /// P(s | q) = Σⱼ count(xⱼ, s) · Πᵢ Kᵢ(qᵢ, xⱼᵢ)  /  Σⱼ count(xⱼ) · Πᵢ Kᵢ(qᵢ, xⱼᵢ)
    /// ```
    ///
    /// over points xⱼ. Exact and separable: attribute by attribute, the codes of x are summed out and replaced by those of q.
    /// What is in between depends on a *prefix* of q and a *suffix* of x, so a walk through the tree of prefixes
    /// that occur holds, at each, a table over suffixes that occur. Where all combinations occur, that is one pass an attribute
    /// over the whole grid; where few do, it is as sparse as they are. Cost: Σᵢ prefixes of length i × suffixes from i on
    /// × values, never more than grid × Σ domain sizes × values; memory: a table for each attribute and thread.
    pub fn new(evidence: &Evidence<'_>, distances: &[AttributeDistance], bandwidths: &[f64]) -> Result<Self> {
        let found = Self::within(evidence, distances, bandwidths, u64::MAX)?;
        found.ok_or_else(|| Error::bug("a walk without a limit found it"))
    }

    /// The same if it takes no more than so many additions; else nothing. How many it takes does not depend on threads.
    pub fn within(
        evidence: &Evidence<'_>,
        distances: &[AttributeDistance],
        bandwidths: &[f64],
        most: u64,
    ) -> Result<Option<Self>> {
        let attributes = evidence.points.columns.len();
        if distances.len() != attributes || bandwidths.len() != attributes {
            let given = (distances.len(), bandwidths.len());
            return Err(Error::bug(format!("{given:?} distances and bandwidths for {attributes} quasi-identifiers")));
        }
        if bandwidths.iter().all(|&bandwidth| bandwidth == f64::INFINITY) {
            return Ok(Some(Self::of_table(evidence, evidence.points.len())));
        }
        let kernels = distances.iter().zip(bandwidths).map(|(d, &b)| d.kernel(b)).collect::<Result<Vec<_>>>()?;
        let sizes: Vec<usize> = distances.iter().map(AttributeDistance::values).collect();
        let suffixes = suffixes(evidence, &sizes);
        let walk = Walk { evidence, kernels, sizes: &sizes, suffixes, most, taken: AtomicU64::new(0) };
        let mut shares = vec![0.0; evidence.points.len() * evidence.values];
        let mut first = CodedTable::zeros(evidence.points.len(), evidence.values);
        for point in 0..evidence.points.len() {
            let row = first.row_mut(point);
            evidence.at(point).iter().for_each(|&(value, people)| row[value as usize] = people as f64);
        }
        first.holds = (0..evidence.points.len() as u32).collect();
        walk.descend(0, 0, &first, &mut shares);
        evidence.token.check()?;
        Ok((!walk.is_too_long()).then_some(Self { values: evidence.values, shares }))
    }

    pub(super) fn of_shares(values: usize, shares: Vec<f64>) -> Self {
        Self { values, shares }
    }

    /// The prior of somebody who knows nothing but the distribution of the whole table: it is the same for everybody.
    pub(super) fn of_table(evidence: &Evidence<'_>, wanted: usize) -> Self {
        let mut people = vec![0; evidence.values];
        for point in 0..evidence.points.len() {
            evidence.at(point).iter().for_each(|&(value, more)| people[value as usize] += more);
        }
        let total: u64 = people.iter().sum();
        let one: Vec<f64> = people.iter().map(|&people| people as f64 / total.max(1) as f64).collect();
        Self { values: evidence.values, shares: one.repeat(wanted) }
    }

    /// How many points there are.
    pub fn len(&self) -> usize {
        self.shares.len() / self.values.max(1)
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.shares.is_empty()
    }

    /// How many values there are.
    pub fn values(&self) -> usize {
        self.values
    }

    /// The belief about whoever is at a point.
    pub fn at(&self, point: usize) -> &[f64] {
        &self.shares[point * self.values..(point + 1) * self.values]
    }
}

/// The distinct tails of points from one attribute on.
struct Suffixes {
    /// The code of each in its first attribute.
    first: Vec<u32>,
    /// The tail of each without it.
    rest: Vec<u32>,
    /// How many tails there are without it.
    shorter: usize,
}

/// For each attribute, the tails from it on. Those from the first one on are the points themselves.
fn suffixes(evidence: &Evidence<'_>, sizes: &[usize]) -> Vec<Suffixes> {
    let columns = &evidence.points.columns;
    let mut tails: Vec<Vec<u32>> = columns.clone();
    let mut levels = Vec::with_capacity(columns.len());
    for attribute in 0..columns.len() {
        let sized: Vec<(&[u32], usize)> =
            tails[1..].iter().zip(&sizes[attribute + 1..]).map(|(codes, &size)| (codes.as_slice(), size)).collect();
        let counted = count_distinct(&sized, tails[0].len(), None);
        let first = std::mem::take(&mut tails[0]);
        levels.push(Suffixes { first, rest: counted.cell_of_row, shorter: counted.people.len() });
        tails = counted.columns;
    }
    levels
}

/// Weighted counts of values for suffixes; most are 0 where few combinations occur.
struct CodedTable {
    values: usize,
    sums: Vec<f64>,
    /// The suffixes that have a sum, in the order in which they got it.
    holds: Vec<u32>,
    marked: Vec<bool>,
}

impl CodedTable {
    fn zeros(suffixes: usize, values: usize) -> Self {
        Self { values, sums: vec![0.0; suffixes * values], holds: Vec::new(), marked: vec![false; suffixes] }
    }

    fn row(&self, suffix: usize) -> &[f64] {
        &self.sums[suffix * self.values..(suffix + 1) * self.values]
    }

    fn row_mut(&mut self, suffix: usize) -> &mut [f64] {
        &mut self.sums[suffix * self.values..(suffix + 1) * self.values]
    }
}

struct Walk<'a> {
    evidence: &'a Evidence<'a>,
    kernels: Vec<Vec<f64>>,
    sizes: &'a [usize],
    suffixes: Vec<Suffixes>,
    /// The most additions, and those made so far. What is made in all is the same in every order, and so is whether it is too much.
    most: u64,
    taken: AtomicU64,
}

/// Fewer points than this are walked in one thread.
const PARALLEL_POINTS: usize = 64;

impl Walk<'_> {
    /// Walks the points from `start` on, as many as `out` has rows for, which agree on all attributes before this one;
    /// `table` has the sums over what lies before. Points are sorted, so those that agree on one code more stand together.
    fn descend(&self, attribute: usize, start: usize, table: &CodedTable, out: &mut [f64]) {
        let values = self.evidence.values;
        let Some(column) = self.evidence.points.columns.get(attribute) else {
            // Nothing is left to sum out: the one suffix is empty.
            let row = table.row(0);
            let total: f64 = row.iter().sum();
            out.iter_mut().zip(row).for_each(|(share, sum)| *share = sum / total);
            return;
        };
        let codes = &column[start..start + out.len() / values];
        let mut runs: Vec<(usize, &mut [f64])> = Vec::new();
        let (mut rest, mut index) = (out, start);
        for run in codes.chunk_by(|a, b| a == b) {
            let (head, tail) = rest.split_at_mut(run.len() * values);
            runs.push((index, head));
            (rest, index) = (tail, index + run.len());
        }
        let suffixes = &self.suffixes[attribute];
        let one = |next: &mut CodedTable, start: usize, out: &mut [f64]| {
            if self.evidence.token.is_cancelled() || self.is_too_long() {
                return;
            }
            self.sum_out(attribute, column[start], table, next);
            self.descend(attribute + 1, start, next, out);
            for &suffix in &std::mem::take(&mut next.holds) {
                next.row_mut(suffix as usize).fill(0.0);
                next.marked[suffix as usize] = false;
            }
        };
        if codes.len() >= PARALLEL_POINTS && runs.len() > 1 && attribute < 2 {
            let room = || CodedTable::zeros(suffixes.shorter, values);
            runs.into_par_iter().for_each_init(room, |next, (start, out)| one(next, start, out));
        } else {
            // Room is made anew for each prefix: no addition, and yet it takes time.
            self.taken.fetch_add((suffixes.shorter * values / 4) as u64, Ordering::Relaxed);
            let mut next = CodedTable::zeros(suffixes.shorter, values);
            runs.into_iter().for_each(|(start, out)| one(&mut next, start, out));
        }
    }

    fn is_too_long(&self) -> bool {
        self.taken.load(Ordering::Relaxed) > self.most
    }

    /// Sums out an attribute of the suffixes, by how far their codes are from one code of the prefix.
    fn sum_out(&self, attribute: usize, code: u32, table: &CodedTable, next: &mut CodedTable) {
        let suffixes = &self.suffixes[attribute];
        let size = self.sizes[attribute];
        let weights = &self.kernels[attribute][code as usize * size..(code as usize + 1) * size];
        let mut taken = table.holds.len();
        for &suffix in &table.holds {
            let weight = weights[suffixes.first[suffix as usize] as usize];
            if weight > 0.0 {
                let rest = suffixes.rest[suffix as usize];
                if !std::mem::replace(&mut next.marked[rest as usize], true) {
                    next.holds.push(rest);
                }
                let row = next.row_mut(rest as usize);
                row.iter_mut().zip(table.row(suffix as usize)).for_each(|(sum, more)| *sum += weight * more);
                taken += row.len();
            }
        }
        self.taken.fetch_add(taken as u64, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use proptest::prelude::*;

    use super::super::points::Points;
    use super::*;
    use crate::data::domain::Domain;
    use crate::data::value::{Type, Value};
    use crate::hierarchy::{HierarchySpec, Scale};

    fn scales() -> Vec<Scale> {
        let listed = HierarchySpec::Listed(
            [["a", "A", "*"], ["b", "A", "*"], ["c", "C", "*"]].map(|path| path.map(str::to_owned).to_vec()).to_vec(),
        );
        let ages = Domain::from_sorted(Type::Integer, [20, 21, 25, 40, 60].map(Value::Integer).to_vec());
        vec![
            Scale::new(&HierarchySpec::Free, Arc::new(ages), "age").unwrap(),
            Scale::new(&listed, Arc::new(Domain::labels(["a", "b", "c"])), "place").unwrap(),
            Scale::new(&HierarchySpec::Default, Arc::new(Domain::labels(["F", "M"])), "sex").unwrap(),
        ]
    }

    #[test]
    fn distances_are_by_range_by_height_and_equal() {
        let distances: Vec<AttributeDistance> = scales().iter().map(AttributeDistance::of_scale).collect();
        assert!((distances[0].between(0, 3) - 0.5).abs() < 1e-15);
        assert!((distances[1].between(0, 1) - 0.5).abs() < 1e-15);
        assert!((distances[1].between(0, 2) - 1.0).abs() < 1e-15);
        assert!((distances[2].between(0, 1) - 1.0).abs() < 1e-15);
        assert!(distances[2].between(1, 1).abs() < 1e-15);
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(500))]

        #[test]
        fn the_walk_gives_the_direct_double_sum(
            rows in proptest::collection::vec(((0_u32..5, 0_u32..3, 0_u32..2), 0_u32..4, 1_u64..1000), 1..120),
            bandwidths in proptest::collection::vec(0.05..1.6_f64, 3),
        ) {
            let scales = scales();
            let columns = [
                rows.iter().map(|row| row.0.0).collect::<Vec<u32>>(),
                rows.iter().map(|row| row.0.1).collect(),
                rows.iter().map(|row| row.0.2).collect(),
                rows.iter().map(|row| row.1).collect(),
            ];
            let sized: Vec<(&[u32], usize)> = columns.iter().map(Vec::as_slice).zip([5, 3, 2, 4]).collect();
            let people: Vec<u64> = rows.iter().map(|row| row.2).collect();
            let cells = count_distinct(&sized, rows.len(), Some(&people));
            let points = Points::of_cells(&cells, &scales);
            let token = crate::progress::CancelToken::new();
            let evidence = Evidence::new(&scales, &points, (&cells.columns[3], 4), &cells.people, &token);
            let distances: Vec<AttributeDistance> = scales.iter().map(AttributeDistance::of_scale).collect();
            let prior = Prior::new(&evidence, &distances, &bandwidths).unwrap();
            for point in 0..points.len() {
                let at = points.codes(point);
                let mut sums = [0.0; 4];
                for row in &rows {
                    let other = [row.0.0, row.0.1, row.0.2];
                    let weight: f64 = (0..3).map(|a| {
                        let x = distances[a].between(at[a], other[a]) / bandwidths[a];
                        if x < 1.0 { 0.75 / bandwidths[a] * (1.0 - x * x) } else { 0.0 }
                    }).product();
                    sums[row.1 as usize] += weight * row.2 as f64;
                }
                let total: f64 = sums.iter().sum();
                for (value, sum) in sums.iter().enumerate() {
                    prop_assert!((prior.at(point)[value] - sum / total).abs() < 1e-9);
                }
            }
        }
    }
}
