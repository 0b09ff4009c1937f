//! The decimal number that a float stands for.

/// The shortest decimal that reads back as `x`: `(mantissa, exponent)` with `x = mantissa · 10^exponent`.
///
/// A person who writes 0.15 means 15/100, not the binary fraction nearest to it; the shortest
/// decimal is what they wrote, as long as it has at most 15 digits. None for what is not finite.
pub(crate) fn shortest(x: f64) -> Option<(i64, i32)> {
    if !x.is_finite() {
        return None;
    }
    let text = format!("{x:e}");
    let (digits, exponent) = text.split_once('e')?;
    let decimals = digits.split_once('.').map_or(0, |(_, fraction)| fraction.len());
    let mantissa = digits.replace('.', "").parse().ok()?;
    let exponent: i32 = exponent.parse().ok()?;
    Some((mantissa, exponent - i32::try_from(decimals).ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_float_is_the_decimal_that_was_written() {
        for (x, decimal) in [
            (0.15, (15, -2)),
            (0.1 + 0.2, (30_000_000_000_000_004, -17)),
            (-2.5, (-25, -1)),
            (0.0, (0, 0)),
            (1200.0, (12, 2)),
            (5e-324, (5, -324)),
        ] {
            assert_eq!(shortest(x), Some(decimal), "{x}");
        }
        assert_eq!(shortest(f64::NAN), None);
        assert_eq!(shortest(f64::INFINITY), None);
    }

    proptest! {
        #[test]
        fn it_reads_back_as_the_same_float(x in any::<f64>().prop_filter("finite", |x| x.is_finite())) {
            let (mantissa, exponent) = shortest(x).unwrap();
            let back: f64 = format!("{mantissa}e{exponent}").parse().unwrap();
            prop_assert!((back - x).abs() <= 0.0);
        }
    }
}
