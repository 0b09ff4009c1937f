//! One of all ways to deal places, where they are few.

use super::board::{PlaceBoard, Room, Spot};
use crate::chance::Stream;
use crate::method::Task;
use crate::model::Requirement;
use crate::numeric::contingency::{Contingency, contingencies};

/// So many ways are looked at.
const MOST_WAYS: usize = 4_096;

/// Draws one of the ways in which every group keeps the promise, each as likely as every other; says whether they were few enough.
pub(super) fn draw(
    task: &Task<'_>,
    requirement: &Requirement<'_>,
    board: &mut PlaceBoard<'_>,
    stream: &mut Stream<'_>,
) -> bool {
    let mut ways: Vec<(u128, Vec<Vec<u32>>)> = vec![(1, Vec::new())];
    for spot in &board.spots {
        let Some(own) = ways_of(spot, MOST_WAYS / ways.len()) else { return false };
        ways = ways
            .iter()
            .flat_map(|(weight, before)| {
                own.iter().map(move |(more, cells)| {
                    (weight.saturating_mul(*more), before.iter().chain([cells]).cloned().collect())
                })
            })
            .collect();
    }
    let (groups, mut room) = (board.groups(), Room::new(task));
    let as_planned: Vec<Vec<u32>> = board.spots.iter().map(|spot| spot.cells.clone()).collect();
    ways.retain(|(_, cells)| {
        board.spots.iter_mut().zip(cells).for_each(|(spot, cells)| spot.cells.clone_from(cells));
        groups.iter().all(|&group| board.holds(group, requirement, &mut room))
    });
    // Only their ratios matter; 64 bits are enough for the few people who have few ways.
    let most = ways.iter().map(|(weight, _)| *weight).max().unwrap_or(1);
    let unit = most >> 40;
    let weights: Vec<u64> = ways.iter().map(|(weight, _)| (weight / (unit + 1)).max(1) as u64).collect();
    // A plan that does not keep the promise is left to whoever judges it.
    let chosen = if ways.is_empty() { &as_planned } else { &ways[stream.weighted(&weights)].1 };
    board.spots.iter_mut().zip(chosen).for_each(|(spot, cells)| spot.cells.clone_from(cells));
    true
}

/// The ways to deal the places of a spot: who stands in each place, with the ways in which people can have them.
fn ways_of(spot: &Spot, most: usize) -> Option<Vec<(u128, Vec<u32>)>> {
    let mut people = spot.cells.clone();
    people.sort_unstable();
    let different: Vec<(u32, u64)> = people.chunk_by(|a, b| a == b).map(|run| (run[0], run.len() as u64)).collect();
    let places: Vec<u64> = spot.groups.chunk_by(|a, b| a == b).map(|run| run.len() as u64).collect();
    let of_cell: Vec<u64> = different.iter().map(|&(_, people)| people).collect();
    let spread = |Contingency { counts, ways }: Contingency| {
        let cells = counts.iter().zip(different.iter().cycle());
        (ways, cells.flat_map(|(&count, &(cell, _))| std::iter::repeat_n(cell, count as usize)).collect())
    };
    Some(contingencies(&places, &of_cell, most)?.into_iter().map(spread).collect())
}
