//! Who of several people with the same quasi-identifiers stands in which group is drawn.
//!
//! Methods that lend people choose lenders by what the promise lacks, and by their order where it lacks nothing. Who knows that learns what the lenders have. The boxes
//! do not depend on it: among people who can't be told apart by quasi-identifiers, any may take any of their places as long as every group keeps its
//! promise. So one of these ways is drawn, each as likely as every other; it costs no loss.

mod all_ways;
mod board;
mod exchange;

use self::board::PlaceBoard;
use crate::error::Result;
use crate::kind::Plan;
use crate::kind::generalized::Grouping;
use crate::method::Task;
use crate::method::recoding::local::released_whole;
use crate::model::Scope;
use crate::release::plan::Piece;

/// Whether plans are left as they are: what a table in the documentation compares with.
#[cfg(test)]
pub(crate) static AS_PLANNED: std::sync::atomic::AtomicBool = std::sync::atomic::AtomicBool::new(false);

/// The plan with places dealt anew.
///
/// Left as it is where a promise speaks of who the members of a group are, or of the parts around it: such plans never part people with the same quasi-identifiers.
pub(in crate::method) fn redeal(task: &Task<'_>, plan: Grouping) -> Result<Grouping> {
    #[cfg(test)]
    if AS_PLANNED.load(std::sync::atomic::Ordering::Relaxed) {
        return Ok(plan);
    }
    let about_members = task.requirement.models().iter().any(|model| matches!(model.scope(), Scope::Members(_)));
    if about_members || task.requirement.needs_ancestors().is_some() || task.persons.is_some() {
        return Ok(plan);
    }
    // Closeness compares with what is released: there, nobody is left out in another's place.
    let who_is_left_out = !task.requirement.compares_with_whole();
    let mut board = PlaceBoard::new(task, &plan.pieces, who_is_left_out);
    if board.spots.is_empty() {
        return Ok(plan);
    }
    let mut stream = task.stream("places", 0);
    if task.requirement.needs_histograms() {
        let left;
        let mut released = None;
        if plan.people() < task.cells.total() {
            let mut people = vec![0; task.cells.len()];
            plan.pieces.iter().for_each(|piece| people[piece.cell as usize] += piece.people);
            left = released_whole(task, &people);
            released = Some(task.requirement.against(&left)?);
        }
        let requirement = released.as_ref().unwrap_or(task.requirement);
        if !all_ways::draw(task, requirement, &mut board, &mut stream) {
            exchange::exchange(task, requirement, &mut board, &mut stream);
        }
    } else {
        board.shuffle(&mut stream);
    }
    task.token.check()?;
    Ok(Grouping { pieces: Piece::joined(board.into_pieces()), ..plan })
}
