//! Looking at the values of an Arrow array, whatever its type.

use arrow_array::cast::AsArray;
use arrow_array::types::{
    Date32Type, Date64Type, Decimal32Type, Decimal64Type, Decimal128Type, Decimal256Type, Float16Type, Float32Type,
    Float64Type, Int8Type, Int16Type, Int32Type, Int64Type, TimestampMicrosecondType, TimestampMillisecondType,
    TimestampNanosecondType, TimestampSecondType, UInt8Type, UInt16Type, UInt32Type, UInt64Type,
};
use arrow_array::{Array, ArrowPrimitiveType};
use arrow_buffer::i256;
use arrow_schema::{DataType, TimeUnit};

use super::arrow_key::{ArrowKey, Half, instant};
use crate::error::{Error, Result};

/// A value, or what is wrong with it.
pub(super) type Refusable<T> = std::result::Result<T, &'static str>;

/// Sees the values of an array by their places in it.
pub(super) trait Visitor {
    fn texts<'t>(self, at: impl Fn(usize) -> Refusable<Option<&'t str>>) -> Result<()>;

    fn keys<K: ArrowKey>(self, at: impl Fn(usize) -> Refusable<Option<K>>) -> Result<()>;
}

/// Shows an array that is neither a dictionary nor in runs.
pub(super) fn visit(array: &dyn Array, visitor: impl Visitor) -> Result<()> {
    match array.data_type() {
        DataType::Utf8 => {
            let texts = array.as_string::<i32>();
            visitor.texts(|place| Ok(texts.is_valid(place).then(|| texts.value(place))))
        }
        DataType::LargeUtf8 => {
            let texts = array.as_string::<i64>();
            visitor.texts(|place| Ok(texts.is_valid(place).then(|| texts.value(place))))
        }
        DataType::Utf8View => {
            let texts = array.as_string_view();
            visitor.texts(|place| Ok(texts.is_valid(place).then(|| texts.value(place))))
        }
        DataType::Null => visitor.texts(|_| Ok(None)),
        DataType::Boolean => {
            let values = array.as_boolean();
            visitor.keys(|place| Ok(values.is_valid(place).then(|| u64::from(values.value(place)))))
        }
        DataType::Int8 => integers::<Int8Type>(array, visitor),
        DataType::Int16 => integers::<Int16Type>(array, visitor),
        DataType::Int32 => integers::<Int32Type>(array, visitor),
        DataType::Int64 => integers::<Int64Type>(array, visitor),
        DataType::UInt8 => integers::<UInt8Type>(array, visitor),
        DataType::UInt16 => integers::<UInt16Type>(array, visitor),
        DataType::UInt32 => integers::<UInt32Type>(array, visitor),
        DataType::UInt64 => primitives::<UInt64Type, u64>(array, visitor, Ok),
        DataType::Float16 => primitives::<Float16Type, u64>(array, visitor, half),
        DataType::Float32 => primitives::<Float32Type, u64>(array, visitor, single),
        DataType::Float64 => primitives::<Float64Type, u64>(array, visitor, double),
        DataType::Date32 => integers::<Date32Type>(array, visitor),
        DataType::Date64 => primitives::<Date64Type, u64>(array, visitor, day_of_milliseconds),
        DataType::Timestamp(unit, _) => instants(array, *unit, visitor),
        DataType::Decimal32(..) => primitives::<Decimal32Type, i128>(array, visitor, |whole| Ok(whole.into())),
        DataType::Decimal64(..) => primitives::<Decimal64Type, i128>(array, visitor, |whole| Ok(whole.into())),
        DataType::Decimal128(..) => primitives::<Decimal128Type, i128>(array, visitor, Ok),
        DataType::Decimal256(..) => primitives::<Decimal256Type, i256>(array, visitor, Ok),
        other => Err(Error::bug(format!("a column of type {other} passed the check of types"))),
    }
}

fn primitives<T: ArrowPrimitiveType, K: ArrowKey>(
    array: &dyn Array,
    visitor: impl Visitor,
    key: impl Fn(T::Native) -> Refusable<K>,
) -> Result<()> {
    let values = array.as_primitive::<T>();
    match values.nulls() {
        None => visitor.keys(|place| key(values.value(place)).map(Some)),
        Some(nulls) => visitor.keys(|place| {
            let present = nulls.is_valid(place).then(|| key(values.value(place)));
            present.transpose()
        }),
    }
}

fn integers<T: ArrowPrimitiveType>(array: &dyn Array, visitor: impl Visitor) -> Result<()>
where
    T::Native: Into<i64>,
{
    primitives::<T, u64>(array, visitor, |value| Ok(Into::<i64>::into(value).cast_unsigned()))
}

fn instants(array: &dyn Array, unit: TimeUnit, visitor: impl Visitor) -> Result<()> {
    let key = |time: i64| match instant(time, unit) {
        Some(_) => Ok(time.cast_unsigned()),
        None => Err("lies beyond the calendar"),
    };
    match unit {
        TimeUnit::Second => primitives::<TimestampSecondType, u64>(array, visitor, key),
        TimeUnit::Millisecond => primitives::<TimestampMillisecondType, u64>(array, visitor, key),
        TimeUnit::Microsecond => primitives::<TimestampMicrosecondType, u64>(array, visitor, key),
        // The nanoseconds that 64 bits can count end in 2262.
        TimeUnit::Nanosecond => integers::<TimestampNanosecondType>(array, visitor),
    }
}

const NOT_FINITE: &str = "is not a finite number";

// Adding zero turns -0 into 0, so that both are one value.

fn double(x: f64) -> Refusable<u64> {
    if x.is_finite() { Ok((x + 0.0).to_bits()) } else { Err(NOT_FINITE) }
}

fn single(x: f32) -> Refusable<u64> {
    if x.is_finite() { Ok((x + 0.0).to_bits().into()) } else { Err(NOT_FINITE) }
}

fn half(x: Half) -> Refusable<u64> {
    if x.is_finite() { Ok(Half::from_f32(x.to_f32() + 0.0).to_bits().into()) } else { Err(NOT_FINITE) }
}

fn day_of_milliseconds(time: i64) -> Refusable<u64> {
    let days = time.div_euclid(86_400_000);
    if i32::try_from(days).is_ok() { Ok(days.cast_unsigned()) } else { Err("lies beyond the calendar") }
}
