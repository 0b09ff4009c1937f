//! Exact numbers: fractions, the decimals that people write, and whole numbers of any size.

pub(crate) mod decimal;
pub mod ratio;

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
        assert_eq!(BigUint::from(7_u8) * 0_u8, BigUint::ZERO);
        assert_eq!(BigUint::from(1_u128 << 64).bits(), 65);
    }
}
