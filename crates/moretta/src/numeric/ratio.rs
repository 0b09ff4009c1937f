//! Distances and bounds as fractions, so that a promise is decided and not estimated.

use super::{decimal, gcd};
use crate::error::{Error, Result};

/// A distance as the fraction `num / den`, not necessarily in lowest terms; `den` is not 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ratio {
    /// The numerator.
    pub num: u128,
    /// The denominator.
    pub den: u128,
}

/// The bound t of a promise `distance ≤ t`, exactly as the policy writes it.
///
/// `0.15` is 15/100 and not the binary fraction beside it: otherwise a group at a distance of
/// exactly 15/100 would pass or fail by an accident of rounding.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Threshold {
    num: u64,
    den: u64,
}

impl Ratio {
    /// Whether `num / den ≤ t`, decided by cross-multiplication in 192 bits: never rounded, never overflowing.
    pub fn at_most(self, t: Threshold) -> bool {
        wide_product(self.num, t.den) <= wide_product(self.den, t.num)
    }

    /// Whether `num / den ≥ t`, decided likewise.
    pub fn at_least(self, t: Threshold) -> bool {
        wide_product(self.num, t.den) >= wide_product(self.den, t.num)
    }

    /// The nearest float, to within two units of its last place.
    pub fn to_f64(self) -> f64 {
        self.num as f64 / self.den as f64
    }

    /// The same number in lowest terms.
    #[must_use]
    pub fn reduced(self) -> Self {
        let divisor = gcd(self.num, self.den).max(1);
        Self { num: self.num / divisor, den: self.den / divisor }
    }
}

impl Threshold {
    /// Reads a number of the policy through its shortest decimal spelling.
    ///
    /// Refused: what is negative or not finite, and numbers that need more than 19 decimals or
    /// exceed 2^64, which no distance between tables of people can tell apart from 0 or infinity.
    pub fn new(t: f64) -> Result<Self> {
        let refused = |why: &str| Error::input(format!("t is {t:?}, {why}"));
        if !t.is_finite() || t < 0.0 {
            return Err(refused("not a distance").help("t is a number from 0 up, for example 0.15"));
        }
        let fraction = decimal::shortest(t).and_then(|(mantissa, exponent)| {
            let mantissa = mantissa.unsigned_abs();
            let power = 10_u64.checked_pow(exponent.unsigned_abs());
            match (mantissa, exponent) {
                (0, _) => Some((0, 1)),
                (_, 0..) => Some((mantissa.checked_mul(power?)?, 1)),
                _ => Some((mantissa, power?)),
            }
        });
        let (num, den) = fraction.ok_or_else(|| refused("beyond 19 decimals or 2^64").help("round it"))?;
        Ok(Self { num, den })
    }

    /// The bound `num / den`, for bounds that no decimal spells; none if `den` is 0.
    pub fn fraction(num: u64, den: u64) -> Option<Self> {
        (den != 0).then_some(Self { num, den })
    }

    /// Numerator and denominator.
    pub fn parts(self) -> (u64, u64) {
        (self.num, self.den)
    }

    /// The least whole number that is not below the bound.
    pub fn ceil(self) -> u64 {
        self.num.div_ceil(self.den)
    }

    /// The nearest float, for people and for distances that are not rational.
    pub fn to_f64(self) -> f64 {
        self.num as f64 / self.den as f64
    }
}

/// The product in 192 bits: the high 128, then the low 64.
fn wide_product(a: u128, b: u64) -> (u128, u64) {
    let low = (a & u128::from(u64::MAX)) * u128::from(b);
    let high = (a >> 64) * u128::from(b) + (low >> 64);
    (high, low as u64)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_bound_is_the_decimal_in_the_policy() {
        for (t, num, den) in
            [(0.15, 15, 100), (0.0, 0, 1), (-0.0, 0, 1), (1.0, 1, 1), (0.375, 375, 1000), (20.0, 20, 1)]
        {
            assert_eq!(Threshold::new(t).unwrap(), Threshold { num, den }, "{t}");
        }
        assert!(Threshold::new(1e-19).is_ok());
        for t in [-0.1, f64::NAN, f64::INFINITY, 1e-20, 1e20, f64::MIN_POSITIVE] {
            assert!(Threshold::new(t).is_err(), "{t}");
        }
        assert_eq!(Threshold::fraction(1, 0), None);
    }

    #[test]
    fn a_distance_equal_to_the_bound_is_within_it() {
        // In floats 0.1 + 0.2 > 0.3; 3/10 against 0.3 is an equality.
        let t = Threshold::new(0.3).unwrap();
        assert!(Ratio { num: 3, den: 10 }.at_most(t));
        let huge = u128::MAX / 10 * 3;
        assert!(Ratio { num: huge, den: u128::MAX / 10 * 10 }.at_most(t));
        assert!(!Ratio { num: huge + 1, den: u128::MAX / 10 * 10 }.at_most(t));
        assert!(!Ratio { num: u128::MAX, den: 1 }.at_most(Threshold { num: u64::MAX, den: 1 }));
    }

    proptest! {
        #[test]
        fn comparison_is_that_of_small_fractions(num in 0_u64..50, den in 1_u64..50, a in 0_u64..50, b in 1_u64..50) {
            let ratio = Ratio { num: num.into(), den: den.into() };
            prop_assert_eq!(ratio.at_most(Threshold { num: a, den: b }), num * b <= a * den);
            prop_assert_eq!(ratio.at_least(Threshold { num: a, den: b }), num * b >= a * den);
            let wide = Ratio { num: ratio.num << 120, den: ratio.den << 120 };
            prop_assert_eq!(wide.at_most(Threshold { num: a << 58, den: b << 58 }), num * b <= a * den);
            prop_assert_eq!(wide.reduced(), ratio.reduced());
        }
    }
}
