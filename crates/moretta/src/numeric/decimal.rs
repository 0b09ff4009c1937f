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

/// A number in units of a power of ten.
fn in_units((mantissa, exponent): (i64, i32), unit: i32) -> Option<i128> {
    if mantissa == 0 {
        return Some(0);
    }
    let power = 10_i128.checked_pow(u32::try_from(exponent.checked_sub(unit)?).ok()?)?;
    i128::from(mantissa).checked_mul(power)
}

/// Both as whole numbers of their common unit.
fn common(a: f64, b: f64) -> Option<(i128, i128, i32)> {
    let (a, b) = (shortest(a)?, shortest(b)?);
    let unit = a.1.min(b.1);
    Some((in_units(a, unit)?, in_units(b, unit)?, unit))
}

/// Whether one number is a whole multiple of another, both as the decimals that were written.
pub(crate) fn is_multiple(of: f64, x: f64) -> bool {
    common(of, x).is_some_and(|(of, x, _)| of > 0 && x % of == 0)
}

/// An interval of decimals from `low`, which belongs to it, to `high`, which does not, in units of a power of ten.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct DecimalSpan {
    low: i128,
    high: i128,
    unit: i32,
}

impl DecimalSpan {
    /// The interval of a width, counted from 0, in which a number lies. In floats, 0.6 / 0.1 is below 6, and 7 · 0.1 is above 0.7: both are decided
    /// as the decimals that were written. None where the numbers have no common unit within reach.
    pub(crate) fn around(x: f64, width: f64) -> Option<Self> {
        let (number, width, unit) = common(x, width)?;
        if width <= 0 {
            return None;
        }
        let low = number.div_euclid(width).checked_mul(width)?;
        Self { low, high: low.checked_add(width)?, unit }.holding(x)
    }

    /// This interval or the next one. Two decimals may be one float: what is read back must hold the number too. None where neither does, since so
    /// narrow an interval has no float of its own.
    fn holding(self, x: f64) -> Option<Self> {
        if self.ends().1 > x {
            return Some(self);
        }
        let next = Self { low: self.high, high: self.high.checked_add(self.high - self.low)?, unit: self.unit };
        (next.ends().1 > x).then_some(next)
    }

    /// The interval of numbers that are rounded to the same multiple of a unit, halves upwards.
    pub(crate) fn rounded(x: f64, to: f64) -> Option<Self> {
        let (number, to, unit) = common(x, to)?;
        if to <= 0 {
            return None;
        }
        let nearest = number.checked_mul(2)?.checked_add(to)?.div_euclid(to.checked_mul(2)?).checked_mul(to)?;
        // In tenths, where half of the unit is a whole number too.
        let low = nearest.checked_mul(10)?.checked_sub(to.checked_mul(5)?)?;
        let width = to.checked_mul(10)?;
        Self { low, high: low.checked_add(width)?, unit: unit.checked_sub(1)? }.holding(x)
    }

    /// Which interval it is, counted from the one that begins at 0.
    pub(crate) fn number(self) -> i128 {
        self.low / (self.high - self.low)
    }

    /// Its ends, spelled out.
    pub(crate) fn spelled(self) -> (String, String) {
        (spell(self.low, self.unit), spell(self.high, self.unit))
    }

    /// Its ends as floats.
    pub(crate) fn ends(self) -> (f64, f64) {
        let float = |mantissa: i128| format!("{mantissa}e{}", self.unit).parse().unwrap_or(f64::NAN);
        (float(self.low), float(self.high))
    }

    /// The smallest and the largest whole number in it; the smallest is the larger one where there is none.
    pub(crate) fn whole_numbers(self) -> Option<(i128, i128)> {
        let up = |mantissa: i128| match u32::try_from(self.unit) {
            Ok(power) => mantissa.checked_mul(10_i128.checked_pow(power)?),
            Err(_) => {
                let one = 10_i128.checked_pow(self.unit.unsigned_abs())?;
                Some(-(-mantissa).div_euclid(one))
            }
        };
        Some((up(self.low)?, up(self.high)? - 1))
    }

    /// How intervals of whole numbers (`[20, 24]`, one number by itself) or of all numbers (`[20, 25)`) are labelled.
    pub(crate) fn label(self, whole: bool) -> Option<String> {
        if !whole {
            let (low, high) = self.spelled();
            return Some(format!("[{low}, {high})"));
        }
        let (first, last) = self.whole_numbers()?;
        Some(if first == last { first.to_string() } else { format!("[{first}, {last}]") })
    }
}

/// `mantissa · 10^unit`, without an exponent and without zeros that say nothing.
fn spell(mantissa: i128, unit: i32) -> String {
    let digits = mantissa.unsigned_abs().to_string();
    let sign = if mantissa < 0 { "-" } else { "" };
    let places = unit.unsigned_abs() as usize;
    if unit >= 0 || mantissa == 0 {
        let zeros = if mantissa == 0 { 0 } else { places };
        return format!("{sign}{digits}{}", "0".repeat(zeros));
    }
    let padded = format!("{digits:0>width$}", width = places + 1);
    let (whole, fraction) = padded.split_at(padded.len() - places);
    let fraction = fraction.trim_end_matches('0');
    if fraction.is_empty() { format!("{sign}{whole}") } else { format!("{sign}{whole}.{fraction}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn intervals_of_decimals_hold_their_numbers_and_are_spelled_as_decimals() {
        for (x, width, label) in [
            (0.6, 0.1, "[0.6, 0.7)"),
            (0.7, 0.1, "[0.7, 0.8)"),
            (1.2, 0.2, "[1.2, 1.4)"),
            (-0.3, 0.1, "[-0.3, -0.2)"),
            (-0.05, 0.1, "[-0.1, 0)"),
            (0.0, 0.1, "[0, 0.1)"),
            (17.5, 5.0, "[15, 20)"),
            (1200.0, 1000.0, "[1000, 2000)"),
            (1e20, 1e19, "[100000000000000000000, 110000000000000000000)"),
            (0.1 + 0.2, 0.1, "[0.3, 0.4)"),
        ] {
            assert_eq!(DecimalSpan::around(x, width).unwrap().label(false).unwrap(), label, "{x} by {width}");
        }
        assert_eq!(DecimalSpan::around(0.6, 0.1).unwrap().number(), 6);
        assert_eq!(DecimalSpan::around(-0.5, 1.0).unwrap().number(), -1);
        assert!(DecimalSpan::around(1e300, 1e-300).is_none());
        // 9007199254740993 is no float: the interval that ends there ends at its own number, and the next one holds it.
        let large = 9_007_199_254_740_992.0;
        assert_eq!(
            DecimalSpan::around(large, 1.0).unwrap().label(false).unwrap(),
            "[9007199254740993, 9007199254740994)"
        );
        // Nor does any interval of halves hold it.
        assert_eq!((DecimalSpan::around(large, 0.5), DecimalSpan::rounded(large, 0.5)), (None, None));
        assert!(
            is_multiple(0.1, 0.3)
                && is_multiple(0.25, 1.0)
                && !is_multiple(0.1, 0.300_000_000_01)
                && !is_multiple(2.0, 5.0)
        );
    }

    #[test]
    fn whole_numbers_have_closed_intervals() {
        let label = |x: f64, width: f64| DecimalSpan::around(x, width).unwrap().label(true).unwrap();
        assert_eq!(label(17.0, 5.0), "[15, 19]");
        assert_eq!(label(-3.0, 5.0), "[-5, -1]");
        assert_eq!(label(7.0, 1.0), "7");
        assert_eq!(label(7.0, 0.5), "7");
        // [5, 7.5) and [7.5, 10).
        assert_eq!((label(7.0, 2.5), label(8.0, 2.5)), ("[5, 7]".to_owned(), "[8, 9]".to_owned()));
    }
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
        fn a_number_lies_in_its_interval_and_wider_ones_hold_narrower(
            thousandths in -100_000_i64..100_000, hundredths in 1_i64..500, times in 2_i64..6
        ) {
            let (x, width) = (thousandths as f64 / 1000.0, hundredths as f64 / 100.0);
            let wide = (hundredths * times) as f64 / 100.0;
            prop_assert!(is_multiple(width, wide));
            let (own, wider) = (DecimalSpan::around(x, width).unwrap(), DecimalSpan::around(x, wide).unwrap());
            let ((low, high), (from, to)) = (own.ends(), wider.ends());
            prop_assert!(low <= x && x < high && from <= low && high <= to);
            // In whole thousandths, by the definition.
            let (step, mut slow) = (hundredths * 10, 0);
            while slow > thousandths { slow -= step; }
            while slow + step <= thousandths { slow += step; }
            let read = |text: String| text.parse::<f64>().unwrap();
            prop_assert!((read(own.spelled().0) - slow as f64 / 1000.0).abs() <= 0.0);
            prop_assert!(own.spelled().0.len() <= 8, "{:?}", own.spelled());
        }

        #[test]
        fn it_reads_back_as_the_same_float(x in any::<f64>().prop_filter("finite", |x| x.is_finite())) {
            let (mantissa, exponent) = shortest(x).unwrap();
            let back: f64 = format!("{mantissa}e{exponent}").parse().unwrap();
            prop_assert!((back - x).abs() <= 0.0);
        }
    }
}
