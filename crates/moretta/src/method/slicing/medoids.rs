//! Partitioning around medoids: points into k clusters, each around one of its own.

use crate::numeric::tolerance;

/// The cluster of each point, numbered in the order of their first points.
///
/// PAM (Kaufman and Rousseeuw 1990), as Li (2010, section 4.3.1) uses it. It starts from the medoids that lower the sum of
/// distances most, one by one, and then makes the best swap of a medoid with another point until none lowers it. Ties go
/// to the earlier point: the clusters do not depend on chance. Cost: O(k (m − k)²) a swap, for m points.
pub(super) fn clusters(distances: &[Vec<f64>], k: usize) -> Vec<u32> {
    let medoids = medoids(distances, k);
    number(&(0..distances.len()).map(|point| nearest(distances, &medoids, point)).collect::<Vec<_>>())
}

fn medoids(distances: &[Vec<f64>], k: usize) -> Vec<usize> {
    let points = distances.len();
    let mut medoids: Vec<usize> = Vec::with_capacity(k);
    while medoids.len() < k.min(points) {
        let with = |point: usize| cost(distances, &medoids.iter().copied().chain([point]));
        let others = (0..points).filter(|point| !medoids.contains(point));
        let Some((_, best)) = least(others.map(|point| (with(point), point))) else { break };
        medoids.push(best);
    }
    let mut now = cost(distances, &medoids.iter().copied());
    loop {
        let swaps = (0..medoids.len()).flat_map(|index| (0..points).map(move |point| (index, point)));
        let swaps = swaps.filter(|(_, point)| !medoids.contains(point));
        let costs = swaps.map(|(index, point)| (cost(distances, &swapped(&medoids, index, point)), (index, point)));
        match least(costs) {
            Some((lower, (index, point))) if lower < now - tolerance::SHARE_TIE => {
                medoids[index] = point;
                now = lower;
            }
            _ => break,
        }
    }
    medoids.sort_unstable();
    medoids
}

fn swapped(medoids: &[usize], index: usize, point: usize) -> impl Iterator<Item = usize> + Clone {
    medoids.iter().enumerate().map(move |(at, &medoid)| if at == index { point } else { medoid })
}

/// The sum of the distances of all points to their nearest medoids.
fn cost(distances: &[Vec<f64>], medoids: &(impl Iterator<Item = usize> + Clone)) -> f64 {
    distances.iter().map(|from| medoids.clone().map(|medoid| from[medoid]).fold(f64::INFINITY, f64::min)).sum()
}

/// The first of the least.
fn least<T>(candidates: impl Iterator<Item = (f64, T)>) -> Option<(f64, T)> {
    candidates.reduce(|best, next| if next.0 < best.0 { next } else { best })
}

/// The nearest medoid of a point; a medoid is its own even where another is as near.
fn nearest(distances: &[Vec<f64>], medoids: &[usize], point: usize) -> usize {
    if medoids.contains(&point) {
        return point;
    }
    least(medoids.iter().map(|&medoid| (distances[point][medoid], medoid))).map_or(point, |(_, medoid)| medoid)
}

fn number(medoid_of_point: &[usize]) -> Vec<u32> {
    let mut order: Vec<usize> = Vec::new();
    medoid_of_point
        .iter()
        .map(|medoid| {
            let known = order.iter().position(|seen| seen == medoid);
            known.unwrap_or_else(|| {
                order.push(*medoid);
                order.len() - 1
            }) as u32
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Distances on a line.
    fn line(points: &[f64]) -> Vec<Vec<f64>> {
        points.iter().map(|a| points.iter().map(|b| (a - b).abs()).collect()).collect()
    }

    #[test]
    fn clusters_lie_around_their_medoids() {
        let points = [1.0, 9.0, 2.0, 10.0, 11.0, 1.5, 30.0];
        assert_eq!(clusters(&line(&points), 3), [0, 1, 0, 1, 1, 0, 2]);
        assert_eq!(clusters(&line(&points), 7), [0, 1, 2, 3, 4, 5, 6]);
        assert_eq!(clusters(&line(&points), 1), [0; 7]);
    }

    #[test]
    fn points_at_one_place_still_make_k_clusters() {
        let mut found = clusters(&line(&[5.0; 4]), 3);
        found.sort_unstable();
        found.dedup();
        assert_eq!(found, [0, 1, 2]);
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(500))]

        #[test]
        fn no_swap_is_left_that_would_help(points in proptest::collection::vec(0_u32..50, 1..9), k in 1_usize..5) {
            let points: Vec<f64> = points.into_iter().map(f64::from).collect();
            let distances = line(&points);
            let k = k.min(points.len());
            let found = clusters(&distances, k);
            prop_assert_eq!(found.iter().max().map(|&c| c as usize + 1), Some(k));
            let medoids = medoids(&distances, k);
            let now = cost(&distances, &medoids.iter().copied());
            for index in 0..k {
                for point in 0..points.len() {
                    prop_assert!(cost(&distances, &swapped(&medoids, index, point)) >= now - 1e-9);
                }
            }
        }
    }
}
