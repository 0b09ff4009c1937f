//! Groups of nearest records.

use crate::chance::{Seed, permutation};
use crate::error::Result;
use crate::kind::uncertain::math::{Coordinates, KdTree};
use crate::progress::Progress;
use crate::release::plan::Piece;

/// Groups of `k` people: somebody at random and the nearest who are left, until fewer than k are; these join the group
/// whose mean is nearest. Pieces say how many people of which point (as its cell) stand in which group, ordered by group.
pub fn condense(points: &Coordinates, k: u64, seed: Seed, progress: &Progress) -> Result<(Vec<Piece>, usize)> {
    let mut left = points.people.clone();
    let mut remaining = points.total();
    let mut seeds = permutation(points.len(), &mut seed.stream("condensation seeds", 0)).into_iter();
    let mut pieces: Vec<Piece> = Vec::new();
    let mut groups = 0;
    let mut index = Index::new(points, &left);
    let mut found = Vec::new();
    while remaining >= k.max(1) {
        let Some(first) = seeds.find(|&point| left[point as usize] > 0) else { break };
        // Somebody at a point with more people than a group takes may be the next seed as well.
        while remaining >= k && left[first as usize] > 0 {
            progress.check()?;
            index.tree.nearest_of(&points.at(first as usize), k, &index.left, &mut found);
            let mut wanted = k;
            for &(_, place) in &found {
                let point = index.points[index.tree.order[place as usize] as usize];
                let people = wanted.min(left[point as usize]);
                left[point as usize] -= people;
                index.left[place as usize] -= people;
                wanted -= people;
                pieces.push(Piece { group: groups, cell: point, people });
            }
            remaining -= k - wanted;
            progress.advance(k - wanted);
            groups += 1;
            if remaining * 2 < index.people {
                index = Index::new(points, &left);
            }
        }
    }
    let means = means(points, &pieces, groups as usize);
    for (point, &people) in left.iter().enumerate().filter(|(_, people)| **people > 0) {
        let at = points.at(point);
        let square = |mean: &Vec<f64>| mean.iter().zip(&at).map(|(m, x)| (m - x) * (m - x)).sum::<f64>();
        let nearest = (0..means.len()).min_by(|&a, &b| square(&means[a]).total_cmp(&square(&means[b]))).unwrap_or(0);
        pieces.push(Piece { group: nearest as u32, cell: point as u32, people });
    }
    pieces.sort_unstable_by_key(|piece| (piece.group, piece.cell));
    Ok((pieces, groups as usize))
}

/// Those who are left, in a tree that is made anew when half of them are gone.
struct Index {
    tree: KdTree,
    points: Vec<u32>,
    left: Vec<u64>,
    people: u64,
}

impl Index {
    fn new(points: &Coordinates, left: &[u64]) -> Self {
        let alive: Vec<u32> = (0..points.len() as u32).filter(|&point| left[point as usize] > 0).collect();
        let mut here = points.select(&alive);
        here.people.iter_mut().zip(&alive).for_each(|(people, &point)| *people = left[point as usize]);
        let people = here.total();
        let tree = KdTree::new(&here);
        let left = tree.points.people.clone();
        Self { tree, points: alive, left, people }
    }
}

fn means(points: &Coordinates, pieces: &[Piece], groups: usize) -> Vec<Vec<f64>> {
    let mut sums = vec![vec![0.0; points.dims()]; groups];
    let mut people = vec![0.0; groups];
    for piece in pieces {
        let weight = piece.people as f64;
        people[piece.group as usize] += weight;
        let at = points.at(piece.cell as usize);
        sums[piece.group as usize].iter_mut().zip(at).for_each(|(sum, x)| *sum += weight * x);
    }
    sums.iter_mut().zip(people).for_each(|(sum, people)| sum.iter_mut().for_each(|x| *x /= people));
    sums
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn everybody_stands_in_one_group_of_at_least_k() {
        let columns = vec![(0..57).map(|i| f64::from(i % 19)).collect(), (0..57).map(f64::from).collect()];
        let points = Coordinates { columns, people: (0..57).map(|i| 1 + i % 5).collect() };
        for k in [1, 4, 20, 100] {
            let (pieces, groups) = condense(&points, k, Seed(3), &Progress::default()).unwrap();
            let mut sizes = vec![0; groups];
            let mut people = vec![0; points.len()];
            for piece in &pieces {
                sizes[piece.group as usize] += piece.people;
                people[piece.cell as usize] += piece.people;
            }
            assert_eq!(people, points.people);
            assert!(sizes.iter().all(|&size| size >= k), "{k}: {sizes:?}");
        }
    }
}
