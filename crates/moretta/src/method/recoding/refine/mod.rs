//! Refining: groups are opened and dissolved wherever that saves loss.
//!
//! Specializing commits to the order of its steps: two rare people who differ in an attribute that was
//! specialized early never meet again. Here every box, one node for each attribute, may become a group:
//! each person pays what their box costs, and each box needs people enough to keep the promise, borrowed
//! from groups that can spare them if need be.

mod board;
mod boxes;
mod candidates;
mod leave_out;
mod moves;

pub(in crate::method::recoding) use self::board::Board;
pub(in crate::method::recoding) use self::boxes::mix;
use self::candidates::BoxCandidates;
pub(in crate::method) use self::leave_out::leave_out;
use super::local::{Field, FieldMember, LocalPoints};

/// How much is tried before the rest is left alone. Prepared, not timed: the outcome can't depend on the machine.
#[derive(Clone, Copy, Debug)]
pub(in crate::method) struct Effort {
    /// At most so often all boxes are gone through.
    pub(in crate::method) rounds: usize,
    /// Whether people are first sent to finer boxes that are open already.
    pub(in crate::method) sends_home: bool,
    /// So many pairs of a point and a box around it are considered.
    pub(in crate::method) pairs: usize,
    /// What is looked at in a round until no more boxes are opened.
    pub(in crate::method) opening: u64,
    /// What is looked at in a round until no more groups are dissolved.
    pub(in crate::method) dissolving: u64,
}

impl Effort {
    /// All that is worth it in tables of few attributes: about a second for each round and some hundred megabytes at most, whatever the table.
    pub(in crate::method) const FULL: Self =
        Self { rounds: 3, sends_home: true, pairs: 4_000_000, opening: 50_000_000, dissolving: u64::MAX };

    /// The same for many attributes, where a group has more boxes around it than can be counted, so that all groups are
    /// looked through for each person.
    pub(in crate::method) const WIDE: Self =
        Self { rounds: 2, sends_home: false, pairs: 1_000_000, opening: 50_000_000, dissolving: 200_000_000 };
}

/// A round that saves less than this share of the loss is the last.
const WORTH_A_ROUND: f64 = 0.005;

/// Moves people between groups until hardly anything is saved.
///
/// Every move leaves all groups that it touches valid or is taken back, so what comes out keeps the promise if what
/// comes in does. Moves are made one after the other, in an order that depends on the data alone.
pub(in crate::method) fn refine(
    field: &Field<'_>,
    mut groups: Vec<Vec<FieldMember>>,
    effort: &Effort,
) -> Vec<Vec<FieldMember>> {
    let points = LocalPoints::new(field);
    for _ in 0..effort.rounds {
        let mut board = Board::new(field, &points, &groups);
        let before = board.cost();
        if effort.sends_home {
            board.send_home();
        }
        let candidates = BoxCandidates::new(field, &points, &board.wishes(), effort.pairs);
        board.open_boxes(&candidates, effort.opening);
        board.dissolve_groups(effort.dissolving);
        let saved = before - board.cost();
        // A new board starts from the smallest boxes around those who are left in each group.
        groups = board.into_groups();
        if saved < WORTH_A_ROUND * before || field.task.token.is_cancelled() {
            break;
        }
    }
    groups
}
