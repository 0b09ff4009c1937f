//! Columns of every type as Arrow arrays, and as the texts that a CSV file of the same table has.

use std::sync::Arc;

use arrow_array::builder::{ListBuilder, PrimitiveBuilder};
use arrow_array::types::*;
use arrow_array::{
    ArrayRef, ArrowPrimitiveType, BooleanArray, Date32Array, Date64Array, Decimal32Array, Decimal64Array,
    Decimal128Array, Decimal256Array, DictionaryArray, Float16Array, Float32Array, Float64Array, LargeStringArray,
    PrimitiveArray, RunArray, StringArray, StringViewArray,
};
use arrow_buffer::{ArrowNativeType, i256};
use arrow_schema::{DataType, TimeUnit};
use proptest::prelude::*;

/// What the numbers that a column is drawn as stand for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Sort {
    Whole,
    /// Fourths.
    Float,
    /// Hundredths.
    Cents,
    Day,
    /// Hours of a day and a second, without a zone.
    Clock,
    /// Six hours, in UTC.
    Instant,
    Text,
    Truth,
}

/// The Arrow types that can hold a sort.
pub(crate) fn types(sort: Sort) -> Vec<DataType> {
    const UNITS: [TimeUnit; 4] = [TimeUnit::Second, TimeUnit::Millisecond, TimeUnit::Microsecond, TimeUnit::Nanosecond];
    let timestamps = |zone: Option<&str>| UNITS.map(|unit| DataType::Timestamp(unit, zone.map(Into::into))).to_vec();
    let decimals = |scale: i8| {
        vec![
            DataType::Decimal32(8, scale),
            DataType::Decimal64(12, scale),
            DataType::Decimal128(30, scale),
            DataType::Decimal256(60, scale),
        ]
    };
    let mut types = match sort {
        Sort::Whole => vec![
            DataType::Int8,
            DataType::Int16,
            DataType::Int32,
            DataType::Int64,
            DataType::UInt8,
            DataType::UInt16,
            DataType::UInt32,
            DataType::UInt64,
        ],
        Sort::Float => vec![DataType::Float16, DataType::Float32, DataType::Float64],
        Sort::Day => vec![DataType::Date32, DataType::Date64],
        Sort::Text => vec![DataType::Utf8, DataType::LargeUtf8, DataType::Utf8View],
        Sort::Truth => vec![DataType::Boolean],
        Sort::Cents | Sort::Clock | Sort::Instant => Vec::new(),
    };
    types.extend(match sort {
        Sort::Whole => decimals(0),
        Sort::Cents => decimals(2),
        Sort::Day | Sort::Clock => timestamps(None),
        Sort::Instant => timestamps(Some("Europe/Vienna")),
        _ => Vec::new(),
    });
    types
}

/// Seconds since 2000-01-01.
fn seconds(sort: Sort, number: i64) -> i64 {
    number
        * match sort {
            Sort::Day => 86_400,
            Sort::Clock => 3_600,
            _ => 21_600,
        }
        + i64::from(sort == Sort::Clock)
}

/// 2000-01-01 in days from 1970.
const START: i64 = 10_957;

/// A value as it stands in a CSV file.
pub(crate) fn csv_text(sort: Sort, number: Option<i64>) -> String {
    let Some(number) = number else { return String::new() };
    match sort {
        Sort::Whole => number.to_string(),
        Sort::Float => (number as f64 / 4.0).to_string(),
        Sort::Cents => format!("{}.{:02}", number / 100, number % 100),
        Sort::Text => format!("t{number}"),
        Sort::Truth => (number % 2 == 0).to_string(),
        Sort::Day | Sort::Clock | Sort::Instant => {
            let seconds = seconds(sort, number);
            let day = crate::data::value::date_of_days((START + seconds.div_euclid(86_400)) as i32).unwrap();
            let second = seconds.rem_euclid(86_400);
            let time = format!("{:02}:{:02}:{:02}", second / 3600, second / 60 % 60, second % 60);
            match sort {
                Sort::Day => day.to_string(),
                Sort::Clock => format!("{day}T{time}"),
                _ => format!("{day}T{time}Z"),
            }
        }
    }
}

/// A column as an array of a type that holds its sort.
pub(crate) fn array(sort: Sort, numbers: &[Option<i64>], held: &DataType) -> ArrayRef {
    fn whole<T: ArrowPrimitiveType>(numbers: &[Option<i64>], native: impl Fn(i64) -> T::Native) -> ArrayRef {
        let values = numbers.iter().map(|number| number.map(&native));
        Arc::new(values.collect::<PrimitiveArray<T>>())
    }
    let texts = || numbers.iter().map(|&number| number.map(|_| csv_text(sort, number)));
    let floats = || numbers.iter().map(|number| number.map(|number| number as f64 / 4.0));
    let time = |number: i64| START * 86_400 + seconds(sort, number);
    match held {
        DataType::Int8 => whole::<Int8Type>(numbers, |n| n as i8),
        DataType::Int16 => whole::<Int16Type>(numbers, |n| n as i16),
        DataType::Int32 => whole::<Int32Type>(numbers, |n| n as i32),
        DataType::Int64 => whole::<Int64Type>(numbers, |n| n),
        DataType::UInt8 => whole::<UInt8Type>(numbers, |n| n.cast_unsigned() as u8),
        DataType::UInt16 => whole::<UInt16Type>(numbers, |n| n.cast_unsigned() as u16),
        DataType::UInt32 => whole::<UInt32Type>(numbers, |n| n.cast_unsigned() as u32),
        DataType::UInt64 => whole::<UInt64Type>(numbers, i64::cast_unsigned),
        DataType::Float16 => Arc::new(
            floats().map(|x| x.map(<Float16Type as ArrowPrimitiveType>::Native::from_f64)).collect::<Float16Array>(),
        ),
        DataType::Float32 => Arc::new(floats().map(|x| x.map(|x| x as f32)).collect::<Float32Array>()),
        DataType::Float64 => Arc::new(floats().collect::<Float64Array>()),
        DataType::Utf8 => Arc::new(texts().collect::<StringArray>()),
        DataType::LargeUtf8 => Arc::new(texts().collect::<LargeStringArray>()),
        DataType::Utf8View => Arc::new(texts().collect::<StringViewArray>()),
        DataType::Boolean => Arc::new(numbers.iter().map(|n| n.map(|n| n % 2 == 0)).collect::<BooleanArray>()),
        DataType::Date32 => Arc::new(numbers.iter().map(|n| n.map(|n| (START + n) as i32)).collect::<Date32Array>()),
        DataType::Date64 => {
            Arc::new(numbers.iter().map(|n| n.map(|n| (START + n) * 86_400_000)).collect::<Date64Array>())
        }
        DataType::Timestamp(unit, zone) => {
            let zone = zone.clone();
            match unit {
                TimeUnit::Second => {
                    let times = numbers.iter().map(|n| n.map(time));
                    Arc::new(times.collect::<PrimitiveArray<TimestampSecondType>>().with_timezone_opt(zone))
                }
                TimeUnit::Millisecond => {
                    let times = numbers.iter().map(|n| n.map(|n| time(n) * 1_000));
                    Arc::new(times.collect::<PrimitiveArray<TimestampMillisecondType>>().with_timezone_opt(zone))
                }
                TimeUnit::Microsecond => {
                    let times = numbers.iter().map(|n| n.map(|n| time(n) * 1_000_000));
                    Arc::new(times.collect::<PrimitiveArray<TimestampMicrosecondType>>().with_timezone_opt(zone))
                }
                TimeUnit::Nanosecond => {
                    let times = numbers.iter().map(|n| n.map(|n| time(n) * 1_000_000_000));
                    Arc::new(times.collect::<PrimitiveArray<TimestampNanosecondType>>().with_timezone_opt(zone))
                }
            }
        }
        DataType::Decimal32(precision, scale) => {
            let array: Decimal32Array = numbers.iter().map(|n| n.map(|n| n as i32)).collect();
            Arc::new(array.with_precision_and_scale(*precision, *scale).unwrap())
        }
        DataType::Decimal64(precision, scale) => {
            let array: Decimal64Array = numbers.iter().copied().collect();
            Arc::new(array.with_precision_and_scale(*precision, *scale).unwrap())
        }
        DataType::Decimal128(precision, scale) => {
            let array: Decimal128Array = numbers.iter().map(|n| n.map(i128::from)).collect();
            Arc::new(array.with_precision_and_scale(*precision, *scale).unwrap())
        }
        DataType::Decimal256(precision, scale) => {
            let array: Decimal256Array = numbers.iter().map(|n| n.map(|n| i256::from_i128(n.into()))).collect();
            Arc::new(array.with_precision_and_scale(*precision, *scale).unwrap())
        }
        other => panic!("no column of a test is {other}"),
    }
}

/// How an array names its values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fold {
    Plain,
    /// A dictionary with keys of a type, 0 to 7.
    Dictionary(u8),
    /// Runs whose ends are of a type, 0 to 2.
    Runs(u8),
    /// A dictionary behind runs.
    Both,
}

pub(crate) fn folds() -> impl Strategy<Value = Fold> {
    prop_oneof![2 => Just(Fold::Plain), 3 => (0_u8..8).prop_map(Fold::Dictionary), 1 => (0_u8..3).prop_map(Fold::Runs), 1 => Just(Fold::Both)]
}

fn run<R: RunEndIndexType>(ends: &[usize], values: &ArrayRef) -> ArrayRef {
    let ends = ends.iter().map(|&end| R::Native::usize_as(end));
    Arc::new(RunArray::<R>::try_new(&PrimitiveArray::<R>::from_iter_values(ends), values).unwrap())
}

fn keyed<K: ArrowDictionaryKeyType>(keys: &[usize], nulls: &[bool], values: ArrayRef) -> ArrayRef {
    // Every other missing value is a null key; the rest are keys of a null.
    let keys = keys.iter().zip(nulls).map(|(&key, &null)| (!null).then(|| K::Native::usize_as(key)));
    Arc::new(DictionaryArray::<K>::try_new(keys.collect::<PrimitiveArray<K>>(), values).unwrap())
}

/// A column as an array that names its values so. Dictionaries hold values that nobody has, some twice, and a null.
pub(crate) fn folded(sort: Sort, numbers: &[Option<i64>], held: &DataType, fold: Fold) -> ArrayRef {
    let runs = |values: &dyn Fn(&[Option<i64>]) -> ArrayRef, ends: u8| -> ArrayRef {
        let starts: Vec<usize> =
            (0..numbers.len()).filter(|&row| row == 0 || numbers[row] != numbers[row - 1]).collect();
        let of_runs: Vec<Option<i64>> = starts.iter().map(|&row| numbers[row]).collect();
        let all: Vec<usize> = starts.iter().skip(1).copied().chain([numbers.len()]).collect();
        let values = values(&of_runs);
        match ends {
            0 => run::<Int16Type>(&all, &values),
            1 => run::<Int32Type>(&all, &values),
            _ => run::<Int64Type>(&all, &values),
        }
    };
    match fold {
        Fold::Plain => array(sort, numbers, held),
        Fold::Dictionary(key) => dictionary(sort, numbers, held, key),
        Fold::Runs(ends) => runs(&|numbers| array(sort, numbers, held), ends),
        Fold::Both => runs(&|numbers| dictionary(sort, numbers, held, 3), 1),
    }
}

fn dictionary(sort: Sort, numbers: &[Option<i64>], held: &DataType, key: u8) -> ArrayRef {
    let mut distinct: Vec<Option<i64>> = numbers.to_vec();
    distinct.sort_unstable();
    distinct.dedup();
    let values: Vec<Option<i64>> =
        [Some(99), Some(98)].into_iter().chain(distinct.iter().rev().copied()).chain([None, Some(98)]).collect();
    let place = |number: &Option<i64>| values.iter().position(|other| other == number).unwrap();
    let keys: Vec<usize> = numbers.iter().map(place).collect();
    let nulls: Vec<bool> = numbers.iter().enumerate().map(|(row, n)| n.is_none() && row % 2 == 0).collect();
    let values = array(sort, &values, held);
    match key {
        0 => keyed::<Int8Type>(&keys, &nulls, values),
        1 => keyed::<Int16Type>(&keys, &nulls, values),
        2 => keyed::<Int32Type>(&keys, &nulls, values),
        3 => keyed::<Int64Type>(&keys, &nulls, values),
        4 => keyed::<UInt8Type>(&keys, &nulls, values),
        5 => keyed::<UInt16Type>(&keys, &nulls, values),
        6 => keyed::<UInt32Type>(&keys, &nulls, values),
        _ => keyed::<UInt64Type>(&keys, &nulls, values),
    }
}

/// A column of lists, null where a number is missing.
pub(crate) fn lists(numbers: &[Option<i64>]) -> ArrayRef {
    let mut builder = ListBuilder::new(PrimitiveBuilder::<Int64Type>::new());
    for number in numbers {
        if let Some(number) = number {
            builder.values().append_value(*number);
        }
        builder.append(number.is_some());
    }
    Arc::new(builder.finish())
}
