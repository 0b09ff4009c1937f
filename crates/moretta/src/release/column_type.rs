//! The types that the columns of released tables have in a database, or as arrays.

use super::bounds::{BoundPart, about};
use super::{ColumnMeaning, published_type};
use crate::data::role::Role;
use crate::data::value::Type;

/// A column's type, as every database knows it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ColumnType {
    /// Whole numbers.
    Whole,
    /// Whole numbers of any size.
    Large,
    /// The number of a group, from 1 on.
    Group,
    /// How many people, or rows.
    Count,
    /// Numbers that are compared and added without rounding.
    Exact,
    /// Numbers in floating point.
    Float,
    /// Days.
    Date,
    /// Times of days.
    Timestamp,
    /// True or false.
    Boolean,
    /// Everything else.
    Text,
}

impl From<Type> for ColumnType {
    fn from(kind: Type) -> Self {
        match kind {
            Type::Integer => Self::Whole,
            Type::Number => Self::Float,
            Type::Date => Self::Date,
            Type::Timestamp => Self::Timestamp,
            Type::Boolean => Self::Boolean,
            Type::Text | Type::Code => Self::Text,
        }
    }
}

impl ColumnType {
    /// The type of a published attribute, if the release has one of this name.
    pub fn of_attribute(columns: &[ColumnMeaning], name: &str) -> Option<Self> {
        let (column, part) = about(columns, name)?;
        Some(match part {
            BoundPart::Low | BoundPart::High | BoundPart::HighExcluded => column.kind.into(),
            BoundPart::Missing => Self::Boolean,
            BoundPart::Whole if column.role == Role::Weight => Self::Count,
            BoundPart::Whole => published_type(column).into(),
        })
    }

    /// The type of the only sensitive attribute, or of the first.
    pub fn of_sensitive(columns: &[ColumnMeaning]) -> Option<Type> {
        let column = columns.iter().find(|column| column.role == Role::Sensitive)?;
        Some(published_type(column))
    }
}

/// A name as SQL wants it.
pub fn quoted(name: &str) -> String {
    format!("\"{}\"", name.replace('"', "\"\""))
}
