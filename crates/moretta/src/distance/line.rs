//! Values on a line: the gaps between neighbours, as whole numbers wherever they are rational.

use crate::data::value::Value;
use crate::error::{Error, Result};
use crate::numeric::{decimal, gcd};

/// The gaps between neighbouring codes.
#[derive(Clone, Debug)]
pub(super) enum NumberLine {
    /// Gap `i`, between the codes `i` and `i + 1`, is `gaps[i] / range`; `range` is their sum, but never 0.
    Whole { gaps: Vec<u64>, range: u64 },
    /// The same as floats that sum to 1: for numbers too far apart in size for a common unit below 2^64.
    Float { gaps: Vec<f64> },
}

impl NumberLine {
    /// One step from each value to the next.
    pub(super) fn of_ranks(codes: usize) -> Self {
        let steps = codes.saturating_sub(1);
        Self::Whole { gaps: vec![1; steps], range: steps.max(1) as u64 }
    }

    /// The gaps between numbers or dates, in code order.
    ///
    /// Numbers are read as the decimals that they were written as and counted in their common
    /// unit, so that cents are whole numbers too. Refused: values that have no position on a line.
    pub(super) fn of_values(values: &[Value]) -> Result<Self> {
        let locations = values.iter().map(location).collect::<Result<Vec<f64>>>()?;
        if !(values.is_sorted() && locations.is_sorted()) {
            return Err(Error::input("the values of an ordered distance are not in ascending order")
                .help("sort the domain, or choose order = \"rank\""));
        }
        Ok(whole_gaps(values).unwrap_or_else(|| float_gaps(&locations)))
    }

    /// Where each code lies, from 0 to 1.
    pub(super) fn locations(&self) -> Vec<f64> {
        let mut locations = vec![0.0];
        match self {
            Self::Whole { gaps, range } => locations.extend(gaps.iter().scan(0, |sum: &mut u64, gap| {
                *sum += gap;
                Some(*sum as f64 / *range as f64)
            })),
            Self::Float { gaps } => locations.extend(gaps.iter().scan(0.0, |sum, gap| {
                *sum += gap;
                Some(*sum)
            })),
        }
        locations
    }
}

fn location(value: &Value) -> Result<f64> {
    value.as_number().ok_or_else(|| {
        Error::input(format!("{value:?} has no position on the number line"))
            .help("order = \"value\" needs numbers or dates; order = \"rank\" takes any sorted values")
    })
}

/// None where the common unit, or the range in it, is out of reach.
fn whole_gaps(values: &[Value]) -> Option<NumberLine> {
    let decimals = values.iter().map(as_decimal).collect::<Option<Vec<_>>>()?;
    let unit = decimals.iter().filter(|decimal| decimal.0 != 0).map(|decimal| decimal.1).min().unwrap_or(0);
    let in_units = |&(mantissa, exponent): &(i64, i32)| {
        if mantissa == 0 {
            return Some(0);
        }
        let power = 10_i128.checked_pow(exponent.checked_sub(unit)?.unsigned_abs())?;
        i128::from(mantissa).checked_mul(power)
    };
    let locations = decimals.iter().map(in_units).collect::<Option<Vec<i128>>>()?;
    let gaps: Vec<u128> = locations.windows(2).map(|pair| pair[0].abs_diff(pair[1])).collect();
    let divisor = gaps.iter().fold(0, |divisor, &gap| gcd(divisor, gap)).max(1);
    let gaps = gaps.iter().map(|gap| u64::try_from(gap / divisor).ok()).collect::<Option<Vec<u64>>>()?;
    let range = gaps.iter().try_fold(0_u64, |sum, &gap| sum.checked_add(gap))?;
    Some(NumberLine::Whole { gaps, range: range.max(1) })
}

fn as_decimal(value: &Value) -> Option<(i64, i32)> {
    match value {
        Value::Integer(i) => Some((*i, 0)),
        Value::Date(days) => Some((i64::from(*days), 0)),
        Value::Timestamp(microseconds) => Some((*microseconds, 0)),
        Value::Number(x) => decimal::shortest(*x),
        Value::Missing | Value::Boolean(_) | Value::Text(_) => None,
    }
}

fn float_gaps(locations: &[f64]) -> NumberLine {
    // Halved, since the range of finite floats need not be one.
    let gap = |a: f64, b: f64| b / 2.0 - a / 2.0;
    let range = match locations {
        [first, .., last] => gap(*first, *last),
        _ => 0.0,
    };
    let share = |pair: &[f64]| if range > 0.0 { gap(pair[0], pair[1]) / range } else { 0.0 };
    NumberLine::Float { gaps: locations.windows(2).map(share).collect() }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn numbers(line: &[f64]) -> Vec<Value> {
        line.iter().map(|&x| Value::Number(x)).collect()
    }

    #[test]
    fn gaps_are_counted_in_the_largest_common_unit() {
        for (values, expected, total) in [
            (numbers(&[0.1, 0.25, 1.0]), vec![1, 5], 6),
            (numbers(&[-1e6, 0.0, 5e5]), vec![2, 1], 3),
            ([3, 4, 11].map(Value::Integer).to_vec(), vec![1, 7], 8),
            ([i64::MIN, 0, i64::MAX].map(Value::Integer).to_vec(), vec![1 << 63, (1 << 63) - 1], u64::MAX),
            ([-365, 0, 730].map(Value::Date).to_vec(), vec![1, 2], 3),
            (numbers(&[5.5]), vec![], 1),
            (vec![], vec![], 1),
        ] {
            let line = NumberLine::of_values(&values).unwrap();
            assert!(
                matches!(&line, NumberLine::Whole { gaps, range } if *gaps == expected && *range == total),
                "{line:?}"
            );
        }
    }

    #[test]
    fn numbers_without_a_common_unit_are_floats() {
        for values in [[-1e300, 1e-300, 1e300], [f64::MIN, 1.0, f64::MAX]] {
            let line = NumberLine::of_values(&numbers(&values)).unwrap();
            assert!(matches!(line, NumberLine::Float { .. }), "{line:?}");
            let locations = line.locations();
            assert!((locations[1] - 0.5).abs() < 1e-12 && (locations[2] - 1.0).abs() < 1e-12, "{locations:?}");
        }
    }

    #[test]
    fn values_off_the_line_are_refused() {
        for value in [Value::Missing, Value::Boolean(true), Value::Text("a".into())] {
            assert!(NumberLine::of_values(&[value]).is_err());
        }
        assert!(NumberLine::of_values(&numbers(&[2.0, 1.0])).is_err());
    }
}
