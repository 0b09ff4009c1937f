//! Attributes that are generalized together with others.

use super::recoding::limits::follows;
use crate::data::cells::Cells;
use crate::data::table::CodedTable;
use crate::error::{Code, Error, Result};
use crate::schema::Attribute;
use crate::text::counted;

/// That an attribute is a coarser form of another one, and is generalized as that one is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Link {
    /// The number of the quasi-identifier that follows.
    pub attribute: usize,
    /// The number of the one that leads.
    pub leader: usize,
    /// The follower's code for each of the leader's.
    pub code_of: Vec<u32>,
}

impl Link {
    /// The links that a policy states between its quasi-identifiers; refuses one whose follower is no function of its leader.
    pub fn all(quasi: &[&Attribute], table: &CodedTable, cells: &Cells) -> Result<Vec<Self>> {
        let mut links = Vec::new();
        for (attribute, described) in quasi.iter().enumerate() {
            let Some(linked) = &described.limits.linked else { continue };
            let Some(leader) = quasi.iter().position(|other| other.name == *linked) else {
                return Err(Error::bug(format!("the link to {linked:?} was not checked")));
            };
            let codes = |number: usize| table.quasi[number].domain.len();
            let (code_of, against) = follows(cells, leader, attribute, codes(leader));
            if against > 0 {
                return Err(not_coarser(
                    described,
                    linked,
                    against,
                    follows(cells, attribute, leader, codes(attribute)).1,
                ));
            }
            links.push(Self { attribute, leader, code_of });
        }
        Ok(links)
    }
}

fn not_coarser(attribute: &Attribute, linked: &str, against: u64, other_way: u64) -> Error {
    let name = &attribute.name;
    let message = format!(
        "{name:?} is linked with {linked:?} and does not follow from it: {} another value than most with the same {linked:?}",
        match against {
            1 => "1 person has".to_owned(),
            several => format!("{} have", counted(several, "person", "people")),
        }
    );
    let help = if other_way == 0 {
        format!("{linked:?} follows from {name:?}: state the link there, at the coarser of the two")
    } else {
        "link only a column that is a coarser form of the other, or correct these rows".to_owned()
    };
    Error::data(message).coded(Code::WrongParameter).at_line(attribute.line).help(help)
}
