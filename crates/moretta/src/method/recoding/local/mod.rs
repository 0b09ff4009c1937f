//! What local recoding methods share: people by quota, groups that are judged as they grow and shrink.
//!
//! Local recoding may publish two people of one cell differently, so a group is a list of [`FieldMember`]s:
//! some people of a cell. A [`Field`] knows where the cells lie; a [`Tally`] is what a group counts
//! for a requirement; [`top_up()`] lends people to a group that does not hold yet; [`settle()`] makes the plan.

mod field;
mod points;
#[cfg(test)]
mod properties;
mod settle;
mod tally;
mod taxonomy;
mod top_up;
mod trim;

pub(in crate::method) use field::{Field, FieldMember};
pub(in crate::method) use points::LocalPoints;
pub(in crate::method) use settle::{draft, groups_of_plan, judge_released, released_whole, settle};
pub(in crate::method) use tally::{Judge, Tally};
pub(in crate::method) use taxonomy::Taxonomy;
pub(in crate::method) use top_up::{Loan, Offer, top_up};
pub(in crate::method) use trim::trim;
