//! What a column of PostgreSQL holds, and how its bytes become values.

use arrow_array::ArrayRef;
use arrow_array::builder::{
    BooleanBuilder, Date32Builder, Decimal128Builder, Float32Builder, Float64Builder, Int64Builder, StringBuilder,
    TimestampMicrosecondBuilder,
};
use arrow_schema::{DataType, TimeUnit};
use postgres::types::{Kind, Type};
use std::sync::Arc;

use super::super::relation::NotTaken;
use super::numeric::Numeric;

/// The types that are taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ServerType {
    Truth,
    Whole2,
    Whole4,
    Whole8,
    Single,
    Double,
    Text,
    /// Filled up with blanks, which mean nothing.
    Padded,
    /// Decimals with so many digits after the point.
    Decimal(i8),
    /// Decimals of any length, spelled.
    Numeric,
    Day,
    Instant {
        zoned: bool,
    },
    Uuid,
    /// A type that is not taken: whether there is a value.
    Presence,
}

/// Days and microseconds from 1970 to 2000, from where PostgreSQL counts.
const EPOCH_DAYS: i32 = 10_957;
const EPOCH_MICROSECONDS: i64 = 946_684_800_000_000;
const DIGITS: i32 = 38;

impl ServerType {
    /// What a type holds; `modifier` is what is stated in parentheses after its name.
    pub(super) fn of(kind: &Type, modifier: i32) -> Self {
        match *kind {
            Type::BOOL => Self::Truth,
            Type::INT2 => Self::Whole2,
            Type::INT4 => Self::Whole4,
            Type::INT8 => Self::Whole8,
            Type::FLOAT4 => Self::Single,
            Type::FLOAT8 => Self::Double,
            Type::TEXT | Type::VARCHAR | Type::NAME => Self::Text,
            Type::BPCHAR => Self::Padded,
            Type::NUMERIC => decimal(modifier),
            Type::DATE => Self::Day,
            Type::TIMESTAMP => Self::Instant { zoned: false },
            Type::TIMESTAMPTZ => Self::Instant { zoned: true },
            Type::UUID => Self::Uuid,
            _ => match kind.kind() {
                Kind::Enum(_) => Self::Text,
                Kind::Domain(base) => Self::of(base, modifier),
                Kind::Simple if kind.name() == "citext" => Self::Text,
                _ => Self::Presence,
            },
        }
    }

    pub(super) fn data_type(self) -> DataType {
        match self {
            Self::Truth | Self::Presence => DataType::Boolean,
            Self::Whole2 | Self::Whole4 | Self::Whole8 => DataType::Int64,
            Self::Single => DataType::Float32,
            Self::Double => DataType::Float64,
            Self::Text | Self::Padded | Self::Numeric | Self::Uuid => DataType::Utf8,
            Self::Decimal(scale) => DataType::Decimal128(DIGITS as u8, scale),
            Self::Day => DataType::Date32,
            Self::Instant { zoned } => DataType::Timestamp(TimeUnit::Microsecond, zoned.then(|| "UTC".into())),
        }
    }

    /// Why a column is not taken.
    pub(super) fn refusal(self, kind: &Type, name: &str) -> Option<NotTaken> {
        if self != Self::Presence {
            return None;
        }
        let column = super::super::address::quoted(name);
        let help = match kind.kind() {
            Kind::Array(_) | Kind::Composite(_) => {
                "let `query` give one value a row, or each part as a column".to_owned()
            }
            _ => format!("let `query` write it as text, {column}::text AS {column}, or as a number"),
        };
        let spelled = match kind.kind() {
            Kind::Array(member) => format!("{}[]", member.name()),
            _ => kind.name().to_owned(),
        };
        Some(NotTaken { why: format!("has the type {spelled}, which is not taken"), help })
    }

    /// How a column is asked for.
    pub(super) fn selected(self, name: &str) -> String {
        match self {
            Self::Presence => format!("CASE WHEN {name} IS NULL THEN NULL ELSE true END"),
            _ => name.to_owned(),
        }
    }
}

/// The type of decimals that have a stated length, if it is one that we have.
fn decimal(modifier: i32) -> ServerType {
    let stated = modifier - 4;
    let (precision, scale) = (stated >> 16, stated & 0x7ff);
    // Eleven bits hold the scale with its sign.
    match i8::try_from(scale) {
        Ok(scale) if stated >= 0 && precision <= DIGITS && i32::from(scale) <= precision => ServerType::Decimal(scale),
        _ => ServerType::Numeric,
    }
}

/// An array while it is filled.
pub(super) enum Filled {
    Truths(BooleanBuilder),
    Wholes(Int64Builder),
    Singles(Float32Builder),
    Doubles(Float64Builder),
    Texts(StringBuilder),
    Decimals(Decimal128Builder, i8),
    Days(Date32Builder),
    Instants(TimestampMicrosecondBuilder),
}

/// What is wrong with a value.
type Wrong = &'static str;
const BROKEN: Wrong = "has another length than its type";

impl Filled {
    pub(super) fn new(held: ServerType) -> Self {
        match held {
            ServerType::Truth | ServerType::Presence => Self::Truths(BooleanBuilder::new()),
            ServerType::Whole2 | ServerType::Whole4 | ServerType::Whole8 => Self::Wholes(Int64Builder::new()),
            ServerType::Single => Self::Singles(Float32Builder::new()),
            ServerType::Double => Self::Doubles(Float64Builder::new()),
            ServerType::Text | ServerType::Padded | ServerType::Numeric | ServerType::Uuid => {
                Self::Texts(StringBuilder::new())
            }
            ServerType::Decimal(scale) => {
                Self::Decimals(Decimal128Builder::new().with_data_type(held.data_type()), scale)
            }
            ServerType::Day => Self::Days(Date32Builder::new()),
            ServerType::Instant { .. } => {
                Self::Instants(TimestampMicrosecondBuilder::new().with_data_type(held.data_type()))
            }
        }
    }

    /// Takes in a value as it came, or nothing.
    pub(super) fn push(&mut self, held: ServerType, bytes: Option<&[u8]>) -> Result<(), Wrong> {
        match self {
            Self::Truths(values) => values.append_option(bytes.map(|bytes| bytes != [0])),
            Self::Wholes(values) => values.append_option(bytes.map(|bytes| whole(held, bytes)).transpose()?),
            Self::Singles(values) => {
                values.append_option(bytes.map(|bytes| exactly(bytes).map(f32::from_be_bytes)).transpose()?);
            }
            Self::Doubles(values) => {
                values.append_option(bytes.map(|bytes| exactly(bytes).map(f64::from_be_bytes)).transpose()?);
            }
            Self::Texts(values) => match bytes {
                None => values.append_null(),
                Some(bytes) => match held {
                    ServerType::Numeric => values.append_value(Numeric::read(bytes)?.to_string()),
                    ServerType::Uuid => values.append_value(uuid(exactly(bytes)?)),
                    ServerType::Padded => values.append_value(text(bytes)?.trim_end_matches(' ')),
                    _ => values.append_value(text(bytes)?),
                },
            },
            Self::Decimals(values, scale) => {
                values.append_option(bytes.map(|bytes| Numeric::read(bytes)?.scaled(*scale)).transpose()?);
            }
            Self::Days(values) => values.append_option(bytes.map(day).transpose()?),
            Self::Instants(values) => values.append_option(bytes.map(instant).transpose()?),
        }
        Ok(())
    }

    pub(super) fn finish(&mut self) -> ArrayRef {
        match self {
            Self::Truths(values) => Arc::new(values.finish()),
            Self::Wholes(values) => Arc::new(values.finish()),
            Self::Singles(values) => Arc::new(values.finish()),
            Self::Doubles(values) => Arc::new(values.finish()),
            Self::Texts(values) => Arc::new(values.finish()),
            Self::Decimals(values, _) => Arc::new(values.finish()),
            Self::Days(values) => Arc::new(values.finish()),
            Self::Instants(values) => Arc::new(values.finish()),
        }
    }
}

fn exactly<const N: usize>(bytes: &[u8]) -> Result<[u8; N], Wrong> {
    bytes.try_into().map_err(|_| BROKEN)
}

fn text(bytes: &[u8]) -> Result<&str, Wrong> {
    std::str::from_utf8(bytes).map_err(|_| "is not UTF-8")
}

fn whole(held: ServerType, bytes: &[u8]) -> Result<i64, Wrong> {
    Ok(match held {
        ServerType::Whole2 => i16::from_be_bytes(exactly(bytes)?).into(),
        ServerType::Whole4 => i32::from_be_bytes(exactly(bytes)?).into(),
        _ => i64::from_be_bytes(exactly(bytes)?),
    })
}

const ENDLESS: Wrong = "is infinity, which is no day; let `query` make it null";

fn day(bytes: &[u8]) -> Result<i32, Wrong> {
    match i32::from_be_bytes(exactly(bytes)?) {
        i32::MIN | i32::MAX => Err(ENDLESS),
        days => days.checked_add(EPOCH_DAYS).ok_or(ENDLESS),
    }
}

fn instant(bytes: &[u8]) -> Result<i64, Wrong> {
    match i64::from_be_bytes(exactly(bytes)?) {
        i64::MIN | i64::MAX => Err(ENDLESS),
        microseconds => microseconds.checked_add(EPOCH_MICROSECONDS).ok_or(ENDLESS),
    }
}

fn uuid(bytes: [u8; 16]) -> String {
    let hex = format!("{:032x}", u128::from_be_bytes(bytes));
    [&hex[..8], &hex[8..12], &hex[12..16], &hex[16..20], &hex[20..]].join("-")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn decimals_of_a_stated_length_are_decimals_and_others_are_spelled() {
        let modifier = |precision: i32, scale: i32| ((precision << 16) | (scale & 0x7ff)) + 4;
        assert_eq!(decimal(modifier(10, 2)), ServerType::Decimal(2));
        assert_eq!(decimal(modifier(38, 0)), ServerType::Decimal(0));
        assert_eq!(decimal(modifier(39, 2)), ServerType::Numeric);
        assert_eq!(decimal(modifier(5, -2)), ServerType::Numeric);
        assert_eq!(decimal(modifier(3, 5)), ServerType::Numeric);
        assert_eq!(decimal(-1), ServerType::Numeric);
    }

    #[test]
    fn values_are_read_from_their_bytes() {
        assert_eq!(day(&0_i32.to_be_bytes()), Ok(10_957));
        assert_eq!(instant(&1_i64.to_be_bytes()), Ok(946_684_800_000_001));
        assert!(day(&i32::MAX.to_be_bytes()).is_err() && instant(&i64::MIN.to_be_bytes()).is_err());
        assert_eq!(whole(ServerType::Whole2, &[0xff, 0xfe]), Ok(-2));
        assert_eq!(whole(ServerType::Whole4, &[0, 1]), Err(BROKEN));
        assert_eq!(
            uuid(*b"\x12\x34\x56\x78\x9a\xbc\xde\xf0\x12\x34\x56\x78\x9a\xbc\xde\xf0"),
            "12345678-9abc-def0-1234-56789abcdef0"
        );
    }

    #[test]
    fn a_type_that_is_not_taken_is_named() {
        let held = ServerType::of(&Type::INT4_ARRAY, -1);
        assert_eq!(held, ServerType::Presence);
        assert_eq!(held.refusal(&Type::INT4_ARRAY, "a").unwrap().why, "has the type int4[], which is not taken");
        assert!(
            ServerType::of(&Type::INTERVAL, -1).refusal(&Type::INTERVAL, "a").unwrap().help.contains("\"a\"::text")
        );
    }
}
