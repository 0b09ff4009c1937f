//! Values that come as bits: how they are spelled, and which of them stand for a missing value.

use std::fmt::Write as _;
use std::hash::Hash;
use std::str::FromStr;

use arrow_array::ArrowPrimitiveType;
use arrow_array::types::Float16Type;
use arrow_buffer::i256;
use arrow_schema::TimeUnit;
use chrono::{DateTime, NaiveDate, NaiveDateTime, NaiveTime};

use super::arrow_type::ArrowType;
use super::collect_keys::{ColumnBuilder, KeyCollector};
use crate::data::timestamp;
use crate::data::value::{Decimal, Type, Value};

/// A floating-point number of 16 bits.
pub(super) type Half = <Float16Type as ArrowPrimitiveType>::Native;

/// A value of an Arrow column as bits, equal if and only if the values are.
pub(super) trait ArrowKey: Copy + Eq + Hash {
    /// The value, where it is one of ours.
    fn value(self, meaning: ArrowType) -> Option<Value>;

    /// Its exact spelling. Where all instants of a column are whole days, they are spelled as `days`.
    fn spelled(self, meaning: ArrowType, days: bool) -> String;

    /// Whether the narrower of two types that the column may have is too narrow for it.
    fn is_odd(self, meaning: ArrowType) -> bool;

    /// Whether the wider of them is too narrow as well.
    fn is_far(self, _meaning: ArrowType) -> bool {
        false
    }

    /// The key that a text means, for texts that stand for a missing value.
    fn of_text(text: &str, meaning: ArrowType) -> Option<Self>;

    /// What takes in such keys, if that is what a column is read into.
    fn collector(builder: &mut ColumnBuilder) -> Option<&mut KeyCollector<Self>>;
}

impl ArrowKey for u64 {
    fn value(self, meaning: ArrowType) -> Option<Value> {
        Some(match meaning {
            ArrowType::Integer => Value::Integer(self.cast_signed()),
            ArrowType::Day => Value::Date(self.cast_signed() as i32),
            ArrowType::Boolean => Value::Boolean(self != 0),
            ArrowType::Double => Value::Number(f64::from_bits(self)),
            ArrowType::Single => Value::Number(decimal_of_single(f32::from_bits(self as u32))),
            ArrowType::Half => Value::Number(decimal_of_half(Half::from_bits(self as u16))),
            _ => return None,
        })
    }

    fn spelled(self, meaning: ArrowType, days: bool) -> String {
        match meaning {
            ArrowType::Instant { unit, zoned } => spelled_instant(self.cast_signed(), unit, zoned, days && !zoned),
            meaning => self.value(meaning).map_or_else(|| self.to_string(), |value| value.to_string()),
        }
    }

    fn is_odd(self, meaning: ArrowType) -> bool {
        match meaning {
            ArrowType::Unsigned => i64::try_from(self).is_err(),
            ArrowType::Instant { unit, .. } => self.cast_signed().rem_euclid(86_400 * per_second(unit)) != 0,
            _ => false,
        }
    }

    fn is_far(self, meaning: ArrowType) -> bool {
        let ArrowType::Instant { unit, .. } = meaning else { return false };
        timestamp_of(self.cast_signed(), unit).is_none()
    }

    fn of_text(text: &str, meaning: ArrowType) -> Option<Self> {
        let parsed = |kind| Value::parse(text, kind, Decimal::Point);
        match meaning {
            ArrowType::Unsigned => text.trim().parse().ok(),
            ArrowType::Integer => parsed(Type::Integer).and_then(|value| match value {
                Value::Integer(i) => Some(i.cast_unsigned()),
                _ => None,
            }),
            ArrowType::Day => match parsed(Type::Date)? {
                Value::Date(days) => Some(i64::from(days).cast_unsigned()),
                _ => None,
            },
            ArrowType::Boolean => Some(u64::from(parsed(Type::Boolean)? == Value::Boolean(true))),
            ArrowType::Double => Some(parsed(Type::Number)?.as_number()?.to_bits()),
            ArrowType::Single => Some(u64::from((parsed(Type::Number)?.as_number()? as f32).to_bits())),
            ArrowType::Half => Some(u64::from(Half::from_f64(parsed(Type::Number)?.as_number()?).to_bits())),
            ArrowType::Instant { unit, zoned } => instant_of_text(text, unit, zoned).map(i64::cast_unsigned),
            ArrowType::Text | ArrowType::Decimal { .. } | ArrowType::Nothing => None,
        }
    }

    fn collector(builder: &mut ColumnBuilder) -> Option<&mut KeyCollector<Self>> {
        if let ColumnBuilder::Bits(collector) = builder { Some(collector) } else { None }
    }
}

/// The decimal number that a float of 32 bits is written as: 0.1, and not the nearest one of 64 bits, 0.10000000149011612.
fn decimal_of_single(x: f32) -> f64 {
    x.to_string().parse().unwrap_or_else(|_| f64::from(x))
}

/// The shortest decimal number that a float of 16 bits stands for.
fn decimal_of_half(half: Half) -> f64 {
    let x = half.to_f64();
    // Five digits tell all floats of 16 bits apart.
    let shortest = (0..5).map(|digits| format!("{x:.digits$e}").parse().unwrap_or(x));
    shortest.into_iter().find(|&short: &f64| Half::from_f64(short) == half).unwrap_or(x)
}

/// How many of a unit make a second.
pub(super) fn per_second(unit: TimeUnit) -> i64 {
    match unit {
        TimeUnit::Second => 1,
        TimeUnit::Millisecond => 1_000,
        TimeUnit::Microsecond => 1_000_000,
        TimeUnit::Nanosecond => 1_000_000_000,
    }
}

/// The day and the time of an instant; nothing where no calendar reaches.
pub(super) fn instant(time: i64, unit: TimeUnit) -> Option<NaiveDateTime> {
    let scale = per_second(unit);
    let nanoseconds = time.rem_euclid(scale) * (1_000_000_000 / scale);
    DateTime::from_timestamp(time.div_euclid(scale), u32::try_from(nanoseconds).ok()?)
        .map(|instant| instant.naive_utc())
}

/// An instant as one of our times; nothing if it is none.
fn timestamp_of(time: i64, unit: TimeUnit) -> Option<i64> {
    let microsecond = per_second(TimeUnit::Microsecond);
    let microseconds = match per_second(unit) {
        scale if scale <= microsecond => time.checked_mul(microsecond / scale)?,
        scale if time % (scale / microsecond) == 0 => time / (scale / microsecond),
        _ => return None,
    };
    timestamp::in_reach(microseconds).then_some(microseconds)
}

fn spelled_instant(time: i64, unit: TimeUnit, zoned: bool, day: bool) -> String {
    let mut text = String::new();
    let _ = match instant(time, unit) {
        Some(instant) if day => write!(text, "{}", instant.date()),
        Some(instant) => write!(text, "{}T{}{}", instant.date(), instant.time(), if zoned { "Z" } else { "" }),
        None => write!(text, "{time}"),
    };
    text
}

fn instant_of_text(text: &str, unit: TimeUnit, zoned: bool) -> Option<i64> {
    let text = if zoned { text.trim().strip_suffix('Z')? } else { text.trim() };
    let instant = NaiveDateTime::from_str(text).ok().or_else(|| {
        let day = NaiveDate::from_str(text).ok()?;
        Some(day.and_time(NaiveTime::MIN))
    })?;
    let time = instant.and_utc();
    let fraction = i64::from(time.timestamp_subsec_nanos()) / (1_000_000_000 / per_second(unit));
    time.timestamp().checked_mul(per_second(unit))?.checked_add(fraction)
}

macro_rules! decimal_key {
    ($whole:ty, $builder:ident, $narrow:expr) => {
        impl ArrowKey for $whole {
            fn value(self, _: ArrowType) -> Option<Value> {
                None
            }

            fn spelled(self, meaning: ArrowType, _: bool) -> String {
                with_point(self.to_string(), scale(meaning))
            }

            fn is_odd(self, meaning: ArrowType) -> bool {
                let narrow: Option<i128> = $narrow(self);
                let zeros = scale(meaning).min(0).unsigned_abs();
                let whole = 10_i128.checked_pow(zeros.into()).and_then(|power| narrow?.checked_mul(power));
                whole.is_none_or(|whole| i64::try_from(whole).is_err())
            }

            fn of_text(text: &str, meaning: ArrowType) -> Option<Self> {
                without_point(text.trim(), scale(meaning))?.parse().ok()
            }

            fn collector(builder: &mut ColumnBuilder) -> Option<&mut KeyCollector<Self>> {
                if let ColumnBuilder::$builder(collector) = builder { Some(collector) } else { None }
            }
        }
    };
}

decimal_key!(i128, Decimals, Some);
decimal_key!(i256, WideDecimals, |whole: i256| whole.to_i128());

fn scale(meaning: ArrowType) -> i8 {
    match meaning {
        ArrowType::Decimal { scale, .. } => scale,
        _ => 0,
    }
}

/// A whole number of hundredths, or whatever the scale says, as a decimal number.
fn with_point(digits: String, scale: i8) -> String {
    let places = usize::from(scale.unsigned_abs());
    if scale <= 0 {
        return if digits == "0" { digits } else { digits + &"0".repeat(places) };
    }
    let (sign, digits) = digits.strip_prefix('-').map_or(("", digits.as_str()), |digits| ("-", digits));
    let digits = format!("{digits:0>width$}", width = places + 1);
    let (whole, fraction) = digits.split_at(digits.len() - places);
    format!("{sign}{whole}.{fraction}")
}

/// The way back; nothing for a text that no such decimal has.
fn without_point(text: &str, scale: i8) -> Option<String> {
    let places = usize::try_from(scale).ok()?;
    let (whole, fraction) = text.split_once('.').unwrap_or((text, ""));
    let is_number = fraction.bytes().all(|b| b.is_ascii_digit()) && !whole.is_empty() && fraction.len() <= places;
    is_number.then(|| format!("{whole}{fraction:0<places$}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn decimals_are_spelled_as_people_write_them() {
        for (whole, scale, text) in [
            (150, 2, "1.50"),
            (-5, 2, "-0.05"),
            (0, 1, "0.0"),
            (12, 0, "12"),
            (12, -3, "12000"),
            (0, -3, "0"),
            (-123_456, 3, "-123.456"),
        ] {
            let meaning = ArrowType::Decimal { scale, wide: false };
            assert_eq!(i128::from(whole).spelled(meaning, false), text);
            assert_eq!(i256::from_i128(i128::from(whole)).spelled(meaning, false), text);
            let back = i128::of_text(text, meaning);
            assert_eq!(back, (scale >= 0).then_some(i128::from(whole)), "{text}");
        }
        assert_eq!(i128::of_text("9.999", ArrowType::Decimal { scale: 2, wide: false }), None);
        assert!(1_i128.is_odd(ArrowType::Decimal { scale: -19, wide: false }));
        assert!(!1_i128.is_odd(ArrowType::Decimal { scale: -18, wide: false }));
    }

    #[test]
    fn instants_are_told_to_the_digit_that_they_have() {
        let second = 951_782_400; // 2000-02-29
        for (time, unit, days, text) in [
            (second, TimeUnit::Second, true, "2000-02-29"),
            (second, TimeUnit::Second, false, "2000-02-29T00:00:00"),
            (second * 1_000 + 86_399_500, TimeUnit::Millisecond, false, "2000-02-29T23:59:59.500"),
            (-1, TimeUnit::Microsecond, false, "1969-12-31T23:59:59.999999"),
            (1, TimeUnit::Nanosecond, false, "1970-01-01T00:00:00.000000001"),
        ] {
            let meaning = ArrowType::Instant { unit, zoned: false };
            let key = i64::cast_unsigned(time);
            assert_eq!(key.spelled(meaning, days), text);
            assert_eq!(u64::of_text(text, meaning), Some(key), "{text}");
            assert_eq!(key.is_odd(meaning), time.rem_euclid(86_400 * per_second(unit)) != 0);
            let zoned = ArrowType::Instant { unit, zoned: true };
            assert_eq!(u64::of_text(&key.spelled(zoned, true), zoned), Some(key));
            assert!(key.spelled(zoned, true).ends_with('Z'));
        }
    }

    #[test]
    fn narrow_floats_are_the_decimals_that_people_wrote() {
        let single = |x: f32| u64::from(x.to_bits()).spelled(ArrowType::Single, false);
        let half = |x: f64| u64::from(Half::from_f64(x).to_bits()).spelled(ArrowType::Half, false);
        for x in [0.1, 2.5, -7.25, 0.3, 1000.0] {
            assert_eq!(single(x as f32), x.to_string());
            assert_eq!(half(x), x.to_string());
        }
        for bits in 0..=u16::MAX {
            let exact = Half::from_bits(bits);
            if exact.is_finite() {
                assert_eq!(Half::from_f64(decimal_of_half(exact)), exact, "{bits}");
            }
        }
    }
}
