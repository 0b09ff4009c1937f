//! People exchange their places two by two, where the ways to deal them are too many to be listed.

use super::board::{PlaceBoard, Room};
use crate::chance::Stream;
use crate::method::Task;
use crate::model::Requirement;

/// So many exchanges are tried for each place.
const TRIES: usize = 4;

/// A random walk over the ways in which every group keeps the promise. Every step is as likely as its reverse, so that all ways that can be reached are equally likely in the end;
/// it stops long before that where few exchanges are allowed.
pub(super) fn exchange(
    task: &Task<'_>,
    requirement: &Requirement<'_>,
    board: &mut PlaceBoard<'_>,
    stream: &mut Stream<'_>,
) {
    let mut room = Room::new(task);
    for spot in 0..board.spots.len() {
        let places = board.spots[spot].groups.len();
        for _ in 0..TRIES * places {
            if task.token.is_cancelled() {
                return;
            }
            let (a, b) = (stream.below(places), stream.below(places));
            let here = &mut board.spots[spot];
            let (one, other) = (here.groups[a], here.groups[b]);
            if one == other || here.cells[a] == here.cells[b] {
                continue;
            }
            here.cells.swap(a, b);
            let holds = board.holds(one, requirement, &mut room) && board.holds(other, requirement, &mut room);
            if !holds {
                board.spots[spot].cells.swap(a, b);
            }
        }
    }
}
