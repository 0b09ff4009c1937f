//! The policy of a table that was counted elsewhere: a row for each combination that occurs, with how many people have it.

use super::Policy;
use crate::data::format::FileFormat;
use crate::data::role::Role;
use crate::error::{Code, Error, Result};
use crate::hierarchy::{HierarchySpec, Limits};
use crate::kind::registry::KINDS;
use crate::method::registry::METHODS;
use crate::schema::{Attribute, MissingRule};

impl Policy {
    /// The same for the table that counting by all quasi-identifiers and sensitive attributes leaves, with the people in the column `count`:
    /// that of the weights, where the policy has some.
    ///
    /// What counting loses is refused by name: whoever stands in a row, and what is published of single rows.
    pub(crate) fn counted(&self, count: &str) -> Result<Self> {
        self.refuse_uncountable(count)?;
        let stays = |attribute: &&Attribute| {
            matches!(attribute.role, Role::Quasi | Role::Sensitive | Role::Weight)
                || self.table_spec().is_level_of_another(&attribute.name)
        };
        let mut attributes: Vec<Attribute> = self.attributes.iter().filter(stays).cloned().collect();
        if self.with_role(Role::Weight).next().is_none() {
            attributes.push(weights(count));
        }
        Ok(Self { attributes, output: FileFormat::Parquet, ..self.clone() })
    }

    /// The policy of a table with nothing but the sensitive attributes of counted cells, and the people.
    pub(crate) fn without_quasi(&self) -> Self {
        let stays = |attribute: &&Attribute| matches!(attribute.role, Role::Sensitive | Role::Weight);
        Self { attributes: self.attributes.iter().filter(stays).cloned().collect(), ..self.clone() }
    }

    /// The columns by which a table is counted that this policy describes, in its order.
    pub(crate) fn counted_by(&self) -> impl Iterator<Item = &Attribute> {
        self.attributes.iter().filter(|attribute| attribute.role != Role::Weight)
    }

    fn refuse_uncountable(&self, count: &str) -> Result<()> {
        let refused = |message: String, code: Code, help: &str| {
            Err(Error::input(message).coded(code).at_file(&self.file).help(help.to_owned()))
        };
        let lost = |attribute: &&Attribute| {
            matches!(
                attribute.role,
                Role::Person | Role::Pseudonym | Role::Insensitive | Role::Group | Role::Unclassified
            )
        };
        if let Some(attribute) = self.attributes.iter().find(lost) {
            let (role, name) = (attribute.role.name(), &attribute.name);
            let help = match attribute.role {
                Role::Person => "count one row for each person first, or publish on one machine",
                Role::Insensitive => "drop it, make it a quasi-identifier, or publish on one machine",
                _ => "drop it, or publish on one machine",
            };
            return Err(Error::input(format!("counted cells tell nothing of the {role} column {name:?}"))
                .coded(Code::RoleUnsupported)
                .at_file(&self.file)
                .at_line(attribute.line)
                .help(help));
        }
        if self.data.filter.is_some() {
            let message = "`where` speaks of rows, and the table has been counted".to_owned();
            return refused(message, Code::WrongParameter, "filter the rows before they are counted");
        }
        if self.data.missing == MissingRule::DropAny {
            let message = "`missing = \"drop-any\"` speaks of rows, and the table has been counted".to_owned();
            return refused(message, Code::WrongParameter, "leave out such rows before they are counted");
        }
        if self.database.is_some() {
            let message = "a release that is written elsewhere can't go into a database".to_owned();
            return refused(message, Code::WrongParameter, "leave `database` out of [output]");
        }
        if let Some(method) = &self.method
            && let Some(Err(why)) = KINDS.iter().find(|entry| entry.id == method.kind()).map(|entry| entry.from_counts)
        {
            let (name, kind) = (method.name(), method.kind().name());
            let message = format!("the method {name} makes {kind} releases, which counts are not enough for: {why}");
            let help = format!("methods that counts are enough for: {}; publish by {name} on one machine", able());
            return refused(message, Code::WrongParameter, &help);
        }
        if self.with_role(Role::Weight).next().is_none()
            && self.attributes.iter().any(|attribute| attribute.name == count)
        {
            let message = format!("the column {count:?} holds counts, and the policy has an attribute of that name");
            return refused(message, Code::WrongParameter, "call the counts something else");
        }
        Ok(())
    }
}

/// The methods that work from counts alone.
fn able() -> String {
    let from_counts = |kind| KINDS.iter().any(|entry| entry.id == kind && entry.from_counts.is_ok());
    let names =
        METHODS.iter().filter(|entry| entry.kinds.iter().any(|&kind| from_counts(kind))).map(|entry| entry.name);
    names.collect::<Vec<_>>().join(", ")
}

fn weights(count: &str) -> Attribute {
    Attribute {
        name: count.to_owned(),
        role: Role::Weight,
        kind: None,
        format: None,
        hierarchy: HierarchySpec::Default,
        limits: Limits::default(),
        categories: None,
        line: None,
    }
}
