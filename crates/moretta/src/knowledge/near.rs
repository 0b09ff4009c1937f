//! The prior of a few people, by looking at everybody.
//!
//! The walk of [`Prior::new`] shares work between people, and needs room for all of them at once. In tables with many quasi-identifiers hardly two people share anything, so
//! that who is asked about few of them does better by the definition.

use rayon::prelude::*;

use super::attribute_distance::AttributeDistance;
use super::points::Evidence;
use super::prior::Prior;
use crate::error::Result;

impl Prior {
    /// The priors of some points, in the order in which they are wanted.
    ///
    /// The double sum of [`Prior::new`], term by term: a product of kernels that is 0 is left as soon as one of them is, and those that are 0 most often come first. Cost: wanted
    /// × points, and × quasi-identifiers where everybody is close to everybody; memory: wanted × values.
    pub fn of_points(
        evidence: &Evidence<'_>,
        distances: &[AttributeDistance],
        bandwidths: &[f64],
        wanted: &[u32],
    ) -> Result<Self> {
        if bandwidths.iter().all(|&bandwidth| bandwidth == f64::INFINITY) {
            return Ok(Self::of_table(evidence, wanted.len()));
        }
        let columns = &evidence.points.columns;
        let kernels = distances.iter().zip(bandwidths).map(|(d, &b)| d.kernel(b)).collect::<Result<Vec<_>>>()?;
        let open = |attribute: usize| {
            let kernel = &kernels[attribute];
            kernel.iter().filter(|&&weight| weight > 0.0).count() as f64 / kernel.len().max(1) as f64
        };
        let mut order: Vec<usize> = (0..columns.len()).collect();
        order.sort_by(|&a, &b| open(a).total_cmp(&open(b)));
        let weights_of = |attribute: usize, point: u32| {
            let (code, size) = (columns[attribute][point as usize] as usize, distances[attribute].values());
            &kernels[attribute][code * size..(code + 1) * size]
        };
        let one = |near: &mut Vec<(u32, f64)>, &point: &u32| {
            evidence.token.check()?;
            near.clear();
            let Some((&first, others)) = order.split_first() else { return Ok(Self::of_table(evidence, 1).shares) };
            let weights = weights_of(first, point);
            near.extend(
                (0..).zip(columns[first].iter().map(|&code| weights[code as usize])).filter(|near| near.1 > 0.0),
            );
            for &attribute in others {
                let (weights, column) = (weights_of(attribute, point), &columns[attribute]);
                near.retain_mut(|(other, weight)| {
                    *weight *= weights[column[*other as usize] as usize];
                    *weight > 0.0
                });
            }
            let mut sums = vec![0.0; evidence.values];
            for &(other, weight) in &*near {
                evidence
                    .at(other as usize)
                    .iter()
                    .for_each(|&(value, people)| sums[value as usize] += weight * people as f64);
            }
            let total: f64 = sums.iter().sum();
            sums.iter_mut().for_each(|sum| *sum /= total);
            Ok(sums)
        };
        let found = wanted.par_iter().map_init(Vec::new, one).collect::<Result<Vec<Vec<f64>>>>()?;
        Ok(Self::of_shares(evidence.values, found.concat()))
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use proptest::prelude::*;

    use super::super::points::Points;
    use super::*;
    use crate::data::cells::count_distinct;
    use crate::data::domain::Domain;
    use crate::data::value::{Type, Value};
    use crate::hierarchy::{HierarchySpec, Scale};
    use crate::progress::CancelToken;

    proptest! {
        #[test]
        fn a_few_people_have_the_prior_that_they_have_among_all(
            rows in proptest::collection::vec((0_u32..5, 0_u32..3, 0_u32..4), 1..80),
            bandwidth in 0.05..1.6_f64,
        ) {
            let ages = Domain::from_sorted(Type::Integer, [20, 21, 25, 40, 60].map(Value::Integer).to_vec());
            let scales = vec![
                Scale::new(&HierarchySpec::Free, Arc::new(ages), "age").unwrap(),
                Scale::new(&HierarchySpec::Default, Arc::new(Domain::labels(["a", "b", "c"])), "place").unwrap(),
            ];
            let columns: [Vec<u32>; 3] = [
                rows.iter().map(|row| row.0).collect(),
                rows.iter().map(|row| row.1).collect(),
                rows.iter().map(|row| row.2).collect(),
            ];
            let sized: Vec<(&[u32], usize)> = columns.iter().map(Vec::as_slice).zip([5, 3, 4]).collect();
            let cells = count_distinct(&sized, rows.len(), None);
            let points = Points::of_cells(&cells, &scales);
            let token = CancelToken::new();
            let evidence = Evidence::new(&scales, &points, (&cells.columns[2], 4), &cells.people, &token);
            let distances: Vec<AttributeDistance> = scales.iter().map(AttributeDistance::of_scale).collect();
            let bandwidths = [bandwidth; 2];
            let all = Prior::new(&evidence, &distances, &bandwidths).unwrap();
            let wanted: Vec<u32> = (0..points.len() as u32).step_by(3).collect();
            let few = Prior::of_points(&evidence, &distances, &bandwidths, &wanted).unwrap();
            for (index, &point) in wanted.iter().enumerate() {
                let pairs = all.at(point as usize).iter().zip(few.at(index));
                prop_assert!(pairs.into_iter().all(|(a, b)| (a - b).abs() < 1e-12));
            }
            // Where the walk is not allowed its work it gives nothing, and where it is, the same.
            prop_assert!(Prior::within(&evidence, &distances, &bandwidths, 0).unwrap().is_none());
            prop_assert!(Prior::within(&evidence, &distances, &bandwidths, 1 << 20).unwrap().is_some());
        }
    }
}
