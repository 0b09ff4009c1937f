//! Refining: groups are opened and dissolved wherever that saves loss.
//!
//! Specializing commits to the order of its steps: two rare people who differ in an attribute that was
//! specialized early never meet again. Here every box, one node for each attribute, may become a group:
//! each person pays what their box costs, and each box needs people enough to keep the promise, borrowed
//! from groups that can spare them if need be.

mod board;
mod boxes;
mod candidates;
mod moves;

use self::board::Board;
use self::candidates::Candidates;
use super::local::{Field, Member, Points};

/// At most so often all boxes are gone through.
const MAX_ROUNDS: usize = 3;

/// A round that saves less than this share of the loss is the last.
const WORTH_A_ROUND: f64 = 0.005;

/// Moves people between groups until hardly anything is saved.
///
/// Every move leaves all groups that it touches valid or is taken back, so what comes out keeps the promise if what
/// comes in does. Moves are made one after the other, in an order that depends on the data alone.
pub(super) fn refine(field: &Field<'_>, mut groups: Vec<Vec<Member>>) -> Vec<Vec<Member>> {
    let points = Points::new(field);
    for _ in 0..MAX_ROUNDS {
        let mut board = Board::new(field, &points, &groups);
        let before = board.cost();
        board.send_home();
        let candidates = Candidates::new(field, &points, &board.wishes());
        board.open_boxes(&candidates);
        board.dissolve_groups();
        let saved = before - board.cost();
        // A new board starts from the smallest boxes around those who are left in each group.
        groups = board.into_groups();
        if saved < WORTH_A_ROUND * before {
            break;
        }
    }
    groups
}
