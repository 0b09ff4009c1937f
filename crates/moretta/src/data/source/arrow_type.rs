//! What Arrow types mean to us: the same as the texts of a CSV file of the same table.

use std::fmt::Display;

use arrow_schema::{DataType, Field, TimeUnit};

use super::Input;
use crate::data::value::Type;
use crate::error::{Code, Error, Result};

/// What the values of an Arrow column are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ArrowType {
    Text,
    Integer,
    /// Whole numbers of 64 bits without a sign: those that no signed one holds are codes.
    Unsigned,
    Half,
    Single,
    Double,
    Day,
    Boolean,
    /// Time passed since 1970: days where no value has a time of the day. An instant of a zone is a time of UTC. Texts where one is none of our
    /// times: too far from today, or with parts of microseconds.
    Instant {
        unit: TimeUnit,
        zoned: bool,
    },
    /// So many digits after the point; `wide` ones have up to 76 digits.
    Decimal {
        scale: i8,
        wide: bool,
    },
    /// No value at all.
    Nothing,
}

impl ArrowType {
    /// Whether a column of timestamps without a zone is to be looked through for times of the day before it is spelled.
    pub(super) fn may_be_days(self) -> bool {
        matches!(self, Self::Instant { zoned: false, .. })
    }

    /// What a column holds, or why it can't be read.
    pub(super) fn of(field: &Field, input: &Input) -> Result<Self> {
        Ok(match plain(field.data_type()) {
            DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View => Self::Text,
            DataType::Int8
            | DataType::Int16
            | DataType::Int32
            | DataType::Int64
            | DataType::UInt8
            | DataType::UInt16
            | DataType::UInt32 => Self::Integer,
            DataType::UInt64 => Self::Unsigned,
            DataType::Float16 => Self::Half,
            DataType::Float32 => Self::Single,
            DataType::Float64 => Self::Double,
            DataType::Date32 | DataType::Date64 => Self::Day,
            DataType::Boolean => Self::Boolean,
            DataType::Timestamp(unit, zone) => Self::Instant { unit: *unit, zoned: zone.is_some() },
            DataType::Decimal32(_, scale) | DataType::Decimal64(_, scale) | DataType::Decimal128(_, scale) => {
                Self::Decimal { scale: *scale, wide: false }
            }
            DataType::Decimal256(_, scale) => Self::Decimal { scale: *scale, wide: true },
            DataType::Null => Self::Nothing,
            other => return Err(refused(field, other, input)),
        })
    }

    /// The type of the values. `any`: whether there is one; `odd`: whether there is one for which the narrower type is too narrow; `far`: whether
    /// there is one for which the wider type is too narrow as well.
    pub(super) fn kind(self, any: bool, odd: bool, far: bool) -> Type {
        match self {
            _ if !any => Type::Text,
            Self::Text | Self::Nothing => Type::Text,
            Self::Boolean => Type::Boolean,
            Self::Half | Self::Single | Self::Double | Self::Decimal { scale: 1.., .. } => Type::Number,
            Self::Unsigned | Self::Decimal { .. } if odd => Type::Text,
            Self::Instant { zoned, .. } if odd || zoned => {
                if far {
                    Type::Text
                } else {
                    Type::Timestamp
                }
            }
            Self::Integer | Self::Unsigned | Self::Decimal { .. } => Type::Integer,
            Self::Day | Self::Instant { .. } => Type::Date,
        }
    }
}

/// The type of the values behind dictionaries and runs.
fn plain(data_type: &DataType) -> &DataType {
    match data_type {
        DataType::Dictionary(_, value) => plain(value),
        DataType::RunEndEncoded(_, values) => plain(values.data_type()),
        other => other,
    }
}

fn refused(field: &Field, held: &DataType, input: &Input) -> Error {
    let instead: &dyn Display = match held {
        DataType::Binary | DataType::LargeBinary | DataType::BinaryView | DataType::FixedSizeBinary(_) => {
            &"write it as text in UTF-8"
        }
        DataType::Time32(_) | DataType::Time64(_) => &"write it as text, such as 13:45:00, or as a number of minutes",
        DataType::Duration(_) | DataType::Interval(_) => &"write it as a number, of days for example",
        _ => &"a column holds one value a row: write each part as a column of its own, or the whole as text",
    };
    Error::input(format!("column {:?} has the type {}, which is not taken", field.name(), field.data_type()))
        .coded(Code::TableUnreadable)
        .at_file(input.name())
        .help(format!(
            "{instead}; taken are texts, whole, decimal and floating-point numbers, days, timestamps and truth values, and \
             anything in a column whose role is \"drop\""
        ))
}
