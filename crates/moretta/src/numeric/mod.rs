//! The numbers that decide, and how near others may come: fractions, the decimals that people write, whole numbers of any
//! size, and every tolerance.
//!
//! The rule of the house:
//!
//! - **Exact** is whatever a release promises or states for certain. A promise is decided in whole numbers ([`Ratio`]
//!   against [`Threshold`], cross-multiplied; `BigUint` where 128 bits do not suffice), and so is a hard bound of an answer:
//!   whether everything that a published value stands for lies in a set is a question of sets, never of a share
//!   that is nearly 1. Numbers of a policy are the decimals that were written.
//! - A float may decide a promise only from afar: what is nearer to the bound than [`tolerance::NEAR_BOUND`] is left to integers.
//!   Or it errs on the safe side, by a margin that covers all of its rounding (a product of beliefs, anonymity of blurred
//!   records): then a release may be refused that would have passed, and never the other way.
//! - The one exception are distances that are no fractions, because they have logarithms or their numbers no common unit: they
//!   are compared with their bound up to [`tolerance::LOGARITHM`], and the pages of those models say so.
//! - **Measured** is the rest: what attacks reach, what answers expect, what a release costs. Measurements are floats and are
//!   compared with a tolerance of their own, so that rounding is neither reported as a finding nor preferred as a gain.
//! - Every tolerance stands in [`tolerance`], with what it covers and why it is large enough and can do no harm. A test reads
//!   the sources and fails where one stands elsewhere.

pub(crate) mod contingency;
pub(crate) mod decimal;
pub mod ratio;
#[cfg(test)]
mod sources;
pub mod tolerance;

pub(crate) use num_bigint::BigUint;
pub(crate) use num_integer::gcd;
pub use ratio::{Ratio, Threshold};

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn whole_numbers_of_any_size_calculate_as_128_bits_do(
            a in 0_u128..1 << 100, b in 0_u128..1 << 100, f in 0_u64..1 << 27, d in 1_u64..
        ) {
            let big = |x: u128| BigUint::from(x);
            prop_assert_eq!(big(a) + big(b), big(a + b));
            prop_assert_eq!(big(a) * f, big(a * u128::from(f)));
            prop_assert_eq!(big(a) % d, big(a % u128::from(d)));
            prop_assert_eq!(big(a) / d, big(a / u128::from(d)));
            prop_assert_eq!(big(a).cmp(&big(b)), a.cmp(&b));
            prop_assert_eq!(gcd(a, b), u128::try_from(gcd(big(a), big(b))).unwrap());
        }

        #[test]
        fn large_products_divide_back(numbers in proptest::collection::vec(1_u64.., 1..9)) {
            let product = |numbers: &[u64]| numbers.iter().fold(BigUint::from(1_u8), |all, &number| all * number);
            let (head, tail) = numbers.split_at(numbers.len() / 2);
            let mut rest = product(&numbers);
            prop_assert_eq!(product(head) * product(tail), rest.clone());
            for &number in &numbers {
                prop_assert_eq!(&rest % number, BigUint::ZERO);
                rest /= number;
            }
            prop_assert_eq!(rest, BigUint::from(1_u8));
        }

        #[test]
        fn the_greatest_common_divisor_is_euclid_s(a in 0_u128..1 << 90, b in 0_u128..1 << 90) {
            let (mut x, mut y) = (a, b);
            while y != 0 {
                (x, y) = (y, x % y);
            }
            prop_assert_eq!(gcd(a, b), x);
        }
    }

    #[test]
    fn carries_run_to_the_top() {
        let most = BigUint::from(u128::MAX);
        assert_eq!((&most + 1_u8).to_u64_digits(), [0, 0, 1]);
        assert_eq!((&most * u128::MAX).to_u64_digits(), [1, 0, u64::MAX - 1, u64::MAX]);
        assert_eq!(&most * BigUint::ZERO, BigUint::ZERO);
        assert_eq!(BigUint::from(1_u128 << 64).bits(), 65);
    }
}
