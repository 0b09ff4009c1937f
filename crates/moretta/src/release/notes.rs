//! What a column of a released table means, in pairs of words that a table can carry with it: what the manifest says of it, and
//! nothing else.

use super::ColumnType;
use super::bounds;
use super::manifest::{ColumnMeaning, Unit, ValueMeaning};
use crate::data::write::Note;

/// The kind of release that a table belongs to.
pub const KIND: &str = "moretta.kind";
/// The table's name.
pub const TABLE: &str = "moretta.table";
/// The role of the attribute that a column speaks of.
pub const ROLE: &str = "moretta.role";
/// The type of the original values.
pub const TYPE: &str = "moretta.type";
/// How published values stand for original ones, by the manifest's word for it; `group` for the number of a group, `count` for how many.
pub const MEANING: &str = "moretta.meaning";
/// The attribute that a column speaks of, where it has another name.
pub const ATTRIBUTE: &str = "moretta.attribute";
/// The value whose coordinate a column of drawn numbers is.
pub const VALUE: &str = "moretta.value";
/// What is counted: people, or rows.
pub const UNIT: &str = "moretta.unit";

/// Which end of what is meant a column holds: `low`, `high`, `high_excluded` for one that does not belong to it; `missing` for whether there is a value.
pub const BOUND: &str = "moretta.bound";

/// The column of a name.
pub fn named<'c>(columns: &'c [ColumnMeaning], name: &str) -> Option<&'c ColumnMeaning> {
    columns.iter().find(|column| column.name == name)
}

/// The attribute that a column speaks of: it has its name, or holds its bounds.
pub fn spoken_of<'c>(columns: &'c [ColumnMeaning], name: &str) -> Option<&'c ColumnMeaning> {
    bounds::about(columns, name).map(|(column, _)| column)
}

/// What is said of a table.
pub fn of_table(kind: &str, table: &str) -> Vec<Note> {
    vec![(KIND, kind.to_owned()), (TABLE, table.to_owned())]
}

/// What is said of a column of some type that speaks of an attribute, or of none.
pub fn of_column(name: &str, held: ColumnType, about: Option<&ColumnMeaning>, unit: Unit) -> Vec<Note> {
    let counted = match unit {
        Unit::People => "people",
        Unit::Rows => "rows",
    };
    let mut notes = Vec::new();
    if let Some(column) = about {
        notes.push((ROLE, column.role.name().to_owned()));
        notes.push((TYPE, column.kind.name().to_owned()));
        if column.name != name {
            notes.push((ATTRIBUTE, column.name.clone()));
        }
        if let ValueMeaning::Drawn { attribute, value } = &column.values {
            notes.push((ATTRIBUTE, attribute.clone()));
            notes.extend(value.clone().map(|value| (VALUE, value)));
        }
    }
    let part = about.and_then(|column| bounds::about(std::slice::from_ref(column), name));
    notes.extend(part.and_then(|(_, part)| part.name()).map(|part| (BOUND, part.to_owned())));
    match (held, about) {
        (ColumnType::Group, _) => notes.push((MEANING, "group".to_owned())),
        (ColumnType::Count, _) => notes.extend([(MEANING, "count".to_owned()), (UNIT, counted.to_owned())]),
        (ColumnType::Exact, Some(_)) => notes.push((MEANING, "bound of a sum".to_owned())),
        (_, Some(column)) => notes.push((MEANING, column.values.name().to_owned())),
        (_, None) => {}
    }
    notes
}
