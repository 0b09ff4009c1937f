//! What became of the expectation: the realized rank of every record among its candidates.

use rayon::prelude::*;

use crate::uncertain::assign::Assigned;
use crate::uncertain::{Family, Located, Points, Scratch, Tree};

/// How many records fit each published place at least as well as its owner, for every person in the order of the cells.
///
/// Candidates are the records of the same class; where every record has a scale of its own, all that agree in what is kept.
pub(super) fn ranks(
    located: &Located,
    assigned: &Assigned,
    family: Family,
    people: &[u64],
    places: &[f64],
) -> Vec<u64> {
    let dims = located.points.dims();
    let mut first_place = Vec::with_capacity(people.len());
    let mut total = 0;
    for people in people {
        first_place.push(total);
        total += *people as usize;
    }
    let fingerprints = assigned.classes.len() == located.points.len() && located.points.len() > 1;
    let group_of = |point: usize| if fingerprints { located.stratum[point] } else { assigned.class_of_point[point] };
    let groups = (0..located.points.len()).map(group_of).max().map_or(0, |last| last as usize + 1);
    let mut members: Vec<Vec<u32>> = vec![Vec::new(); groups];
    (0..located.points.len()).for_each(|point| members[group_of(point) as usize].push(point as u32));
    let mut cells_of: Vec<Vec<u32>> = vec![Vec::new(); groups];
    for (cell, &point) in located.point_of_cell.iter().enumerate() {
        cells_of[group_of(point as usize) as usize].push(cell as u32);
    }
    let mut ranks = vec![0; total];
    for (members, cells) in members.iter().zip(&cells_of) {
        let here: Points = located.points.select(members);
        let tree = Tree::new(&here);
        let found: Vec<(usize, Vec<u64>)> = cells
            .par_iter()
            .map_init(Scratch::default, |scratch, &cell| {
                let point = located.point_of_cell[cell as usize] as usize;
                let frame = &assigned.frames[assigned.class_of_point[point] as usize];
                let owner = located.points.at(point);
                let first = first_place[cell as usize];
                let of_person = |person: usize| {
                    let place = &places[(first + person) * dims..][..dims];
                    tree.rank(place, &owner, family, Some(frame), scratch)
                };
                (first, (0..people[cell as usize] as usize).map(of_person).collect())
            })
            .collect();
        for (first, of_cell) in found {
            ranks[first..first + of_cell.len()].copy_from_slice(&of_cell);
        }
    }
    ranks
}

/// A line about the ranks, for the steward.
pub(super) fn note(
    located: &Located,
    assigned: &Assigned,
    family: Family,
    people: &[u64],
    places: &[f64],
    k: &[f64],
) -> String {
    let ranks = ranks(located, assigned, family, people, places);
    let asked = people
        .iter()
        .zip(&located.point_of_cell)
        .flat_map(|(&people, &point)| std::iter::repeat_n(k[point as usize], people as usize));
    let unlucky = ranks.iter().zip(asked).filter(|(rank, k)| (**rank as f64) < *k).count();
    let mut sorted = ranks.clone();
    sorted.sort_unstable();
    let percentile = |percent: usize| sorted[(sorted.len() - 1) * percent / 100];
    format!(
        "realized anonymity (records that fit as well as the owner): 5 % quantile {}, median {}, mean {:.1}; {:.1} % of the \
         records have fewer than the k that is expected",
        percentile(5),
        percentile(50),
        ranks.iter().sum::<u64>() as f64 / ranks.len().max(1) as f64,
        100.0 * unlucky as f64 / ranks.len().max(1) as f64,
    )
}
