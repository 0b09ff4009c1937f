//! Fractions of whole numbers, compared without rounding.

use std::cmp::Ordering;

/// A fraction that is not negative.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Share {
    /// The numerator.
    pub num: u128,
    /// The denominator, never 0.
    pub den: u128,
}

impl Share {
    /// A fraction.
    pub fn new(num: u128, den: u128) -> Self {
        let by = gcd(num, den).max(1);
        Self { num: num / by, den: (den / by).max(1) }
    }

    /// The decimal that a text writes.
    pub fn decimal(text: &str) -> Option<Self> {
        let (digits, exponent) = text
            .split_once(['e', 'E'])
            .map_or(Some((text, 0)), |(digits, power)| Some((digits, power.parse::<i32>().ok()?)))?;
        let (whole, part) = digits.split_once('.').unwrap_or((digits, ""));
        let mut num = format!("{whole}{part}").parse::<u128>().ok()?;
        let mut den = 10_u128.checked_pow(part.len() as u32)?;
        let scale = 10_u128.checked_pow(exponent.unsigned_abs())?;
        if exponent < 0 {
            den = den.checked_mul(scale)?;
        } else {
            num = num.checked_mul(scale)?;
        }
        Some(Self::new(num, den))
    }

    /// As a float.
    pub fn to_f64(self) -> f64 {
        self.num as f64 / self.den as f64
    }
}

impl PartialOrd for Share {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Share {
    fn cmp(&self, other: &Self) -> Ordering {
        (self.num * other.den).cmp(&(other.num * self.den))
    }
}

fn gcd(a: u128, b: u128) -> u128 {
    if b == 0 { a } else { gcd(b, a % b) }
}

#[cfg(test)]
mod tests {
    use super::Share;

    #[test]
    fn decimals_are_exact() {
        assert_eq!(Share::decimal("0.15"), Some(Share::new(3, 20)));
        assert_eq!(Share::decimal("1e-3"), Some(Share::new(1, 1000)));
        assert!(Share::new(1, 3) > Share::decimal("0.333333333").unwrap());
    }
}
