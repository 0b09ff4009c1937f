//! Large neighbourhood search: a few groups near each other are dissolved at once, and their people put into boxes anew.
//!
//! Refining opens one box, or dissolves one group, where that alone saves loss. What it leaves can often only be bettered by several changes together:
//! two boxes that share out their people in another way lose less, and neither can be opened while the other stands. A step of the search dissolves some groups near
//! each other and builds from their people whatever the greedy rule of set cover finds, with a little chance in the order; it is kept if everybody together
//! loses less and every group that was touched keeps every promise, and taken back otherwise.
//!
//! - `nearby`: which groups are dissolved together.
//! - `choices`: the boxes around people who stand in no group; `boxes_met`: which of them were seen already.
//! - `size`: how many people a box needs.
//! - `rebuild`: from them, groups again.
//! - `lots`: what decides where nothing else does.
//! - `effort`: how many steps are made.

mod boxes_met;
mod choices;
mod effort;
mod lots;
mod nearby;
mod rebuild;
mod size;

pub(in crate::method) use self::effort::SearchEffort;
use self::lots::Lots;
use self::nearby::Nearby;
use self::rebuild::Rebuilder;
use super::local::{Field, FieldMember, LocalPoints};
use super::refine::Board;
use crate::progress::Progress;

/// What chance starts from: the same for every run, since the groups are a function of the table.
const KEY: u64 = 0x6e65_6967_6862_6f72;

/// So many steps between two looks at whether to go on.
const STEPS_BETWEEN_LOOKS: u64 = 64;

/// Makes so many steps. Groups that hold go in and come out; everybody together never loses more than before.
pub(in crate::method) fn search(
    field: &Field<'_>,
    groups: Vec<Vec<FieldMember>>,
    steps: u64,
    progress: &Progress,
) -> Vec<Vec<FieldMember>> {
    let safe = field.task.requirement.safety().merge && field.task.requirement.needs_ancestors().is_none();
    if steps == 0 || !safe {
        return groups;
    }
    progress.start("searching", steps);
    let points = LocalPoints::new(field);
    let mut board = Board::new(field, &points, &groups);
    let mut lots = Lots::new(KEY);
    let mut nearby = Nearby::new(field, &points, &board, &mut lots);
    let mut rebuilder = Rebuilder::new(field, &points, &mut board);
    for step in 0..steps {
        if step % STEPS_BETWEEN_LOOKS == 0 {
            if field.task.token.is_cancelled() {
                break;
            }
            progress.advance(STEPS_BETWEEN_LOOKS.min(steps - step));
        }
        let Some(chosen) = nearby.choose(&board, &mut lots) else { break };
        if rebuilder.attempt(&mut board, nearby.point_of(), &chosen, &mut lots) {
            nearby.welcome(&board);
        }
    }
    board.into_groups()
}
