//! Leaving people out where that serves the others.

use super::board::Board;
use crate::method::recoding::local::{Field, FieldMember, LocalPoints};

/// What is looked at before the rest is left alone: about a quarter of a second.
const WORK_LIMIT: u64 = 12_000_000;

/// Dissolves groups whose people cost more together than those cost who find no other place and are left out.
///
/// A person who is left out loses everything, never less than in a group. What is saved is saved by the others: people
/// whom a dense group has lent go back to it, and those who could only be published coarsely for the sake of
/// a few are published as finely as their own kind allows. At most `may_suppress` people are left out. Groups are judged by the
/// requirement of the field; one that compares with the released must be asked again.
pub(in crate::method) fn leave_out(
    field: &Field<'_>,
    groups: &[Vec<FieldMember>],
    may_suppress: u64,
) -> Vec<Vec<FieldMember>> {
    let points = LocalPoints::new(field);
    let mut board = Board::new(field, &points, groups);
    board.let_out(may_suppress);
    board.dissolve_groups(WORK_LIMIT);
    board.into_groups()
}
