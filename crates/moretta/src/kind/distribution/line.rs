//! Values of a sensitive attribute as whole numbers of a common decimal unit, so that sums of them are exact.

use crate::data::value::{Type, Value};
use crate::error::{Error, Result};
use crate::numeric::decimal;

/// Where the values of an attribute lie: whole numbers of 10^-decimals.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Line {
    /// How many decimals the unit has.
    decimals: u32,
    /// Whether sums of the values mean something: not those of dates.
    pub(crate) adds_up: bool,
    /// The index of each value.
    pub(crate) indices: Vec<i64>,
}

impl Line {
    /// The indices of numbers or dates; nothing for other types. Refused: numbers too far apart in size for 64 bits.
    pub(crate) fn of(kind: Type, values: &[Value], attribute: &str) -> Result<Option<Self>> {
        if !kind.is_ordered() {
            return Ok(None);
        }
        let decimal = |value: &Value| match value {
            Value::Integer(i) => Ok((*i, 0)),
            Value::Date(days) => Ok((i64::from(*days), 0)),
            Value::Timestamp(microseconds) => Ok((*microseconds, 0)),
            Value::Number(x) => decimal::shortest(*x).ok_or_else(|| Error::bug("a number that is not finite")),
            _ => Err(Error::input(format!("{attribute:?} lacks a value in some rows"))
                .help("sums need numbers: missing = \"drop\", or leave the rows out with `where`")),
        };
        let parts = values.iter().map(decimal).collect::<Result<Vec<(i64, i32)>>>()?;
        let decimals = parts.iter().map(|part| part.1).min().unwrap_or(0).min(0).unsigned_abs();
        let index = |&(mantissa, exponent): &(i64, i32)| {
            let power = u32::try_from(i64::from(exponent) + i64::from(decimals)).ok()?;
            10_i64
                .checked_pow(power)
                .and_then(|power| mantissa.checked_mul(power))
                .filter(|p| p.unsigned_abs() < 1 << 62)
        };
        let indices = parts.iter().map(index).collect::<Option<Vec<i64>>>().ok_or_else(|| {
            Error::input(format!("the values of {attribute:?} have no common decimal unit within 62 bits"))
                .help("round them, or measure them in a larger unit")
        })?;
        Ok(Some(Self { decimals, adds_up: !kind.is_time(), indices }))
    }

    /// Whether the unit is 1.
    pub(crate) fn is_whole(&self) -> bool {
        self.decimals == 0
    }

    /// A sum of places as the number that it stands for.
    pub(crate) fn to_f64(&self, sum: i128) -> f64 {
        // Division, not multiplication by a power of ten: correctly rounded for every number of 53 bits.
        sum as f64 / 10_f64.powi(self.decimals.cast_signed())
    }

    /// The same, spelled out without rounding.
    pub(crate) fn spell(&self, sum: i128) -> String {
        if self.decimals == 0 {
            return sum.to_string();
        }
        let width = self.decimals as usize;
        let digits = format!("{:0>width$}", sum.unsigned_abs(), width = width + 1);
        let (whole, fraction) = digits.split_at(digits.len() - width);
        let fraction = fraction.trim_end_matches('0');
        let sign = if sum < 0 { "-" } else { "" };
        if fraction.is_empty() { format!("{sign}{whole}") } else { format!("{sign}{whole}.{fraction}") }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_counted_in_their_smallest_decimal() {
        let line = Line::of(Type::Number, &[0.1, 0.25, -3.0, 1200.0].map(Value::Number), "x").unwrap().unwrap();
        assert_eq!(line.indices, [10, 25, -300, 120_000]);
        assert_eq!([30, -5, 100, 0, -1234].map(|sum| line.spell(sum)), ["0.3", "-0.05", "1", "0", "-12.34"]);
        assert!((line.to_f64(30) - 0.3).abs() <= 0.0);
        let whole = Line::of(Type::Integer, &[Value::Integer(7)], "x").unwrap().unwrap();
        assert_eq!(whole.spell(-14), "-14");
    }

    #[test]
    fn what_has_no_common_unit_is_refused() {
        assert!(Line::of(Type::Number, &[1e-15, 1e15].map(Value::Number), "x").is_err());
        assert!(Line::of(Type::Integer, &[Value::Missing, Value::Integer(1)], "x").is_err());
        assert_eq!(Line::of(Type::Text, &[Value::Text("a".into())], "x").unwrap(), None);
    }
}
