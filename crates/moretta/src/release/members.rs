//! Who stands in which group, as the files and the original tell together.

use crate::data::value::Value;
use crate::error::{Code, Error};

/// The people of each group: points of the original, ascending, and how many people of the group are at each.
pub type GroupMembers = Vec<Vec<(u32, u64)>>;

/// Adds people to a list of members that is in order.
pub fn add_member(points: &mut Vec<(u32, u64)>, point: u32, people: u64) {
    match points.last_mut() {
        Some(last) if last.0 == point => last.1 += people,
        _ => points.push((point, people)),
    }
}

/// The error for a released value that the original lacks.
pub(crate) fn foreign_value(attribute: &str, value: &Value) -> Error {
    Error::data(format!("the release has {attribute} = {value}, which the original lacks"))
        .coded(Code::OriginalMismatch)
        .help("name the policy that the release was made with")
}

/// The error for a release that can't have been made from the original.
pub(crate) fn not_the_original(why: &str) -> Error {
    Error::data(format!("the release is not one of this original: {why}"))
        .coded(Code::OriginalMismatch)
        .help("name the policy that the release was made with")
}
