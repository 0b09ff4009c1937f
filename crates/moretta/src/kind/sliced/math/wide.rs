//! Whole numbers of any size, as far as deciding a promise needs them.

use std::cmp::Ordering;

/// A whole number that is not negative. The lowest 64 bits come first; the highest are not 0.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Wide {
    limbs: Vec<u64>,
}

impl From<u64> for Wide {
    fn from(number: u64) -> Self {
        Self { limbs: if number == 0 { Vec::new() } else { vec![number] } }
    }
}

impl Wide {
    /// Multiplies it.
    pub(crate) fn times(&mut self, factor: u64) {
        let mut carry = 0;
        for limb in &mut self.limbs {
            let product = u128::from(*limb) * u128::from(factor) + carry;
            *limb = product as u64;
            carry = product >> 64;
        }
        if carry > 0 {
            self.limbs.push(carry as u64);
        }
        self.trim();
    }

    /// Adds another.
    pub(crate) fn add(&mut self, other: &Self) {
        if self.limbs.len() < other.limbs.len() {
            self.limbs.resize(other.limbs.len(), 0);
        }
        let mut carry = false;
        for (place, limb) in self.limbs.iter_mut().enumerate() {
            let (sum, over) = limb.overflowing_add(other.limbs.get(place).copied().unwrap_or(0));
            let (sum, over_again) = sum.overflowing_add(u64::from(carry));
            (*limb, carry) = (sum, over || over_again);
        }
        if carry {
            self.limbs.push(1);
        }
    }

    /// What a division leaves.
    pub(crate) fn remainder(&self, divisor: u64) -> u64 {
        let step = |rest: u128, &limb: &u64| ((rest << 64) | u128::from(limb)) % u128::from(divisor);
        self.limbs.iter().rev().fold(0, step) as u64
    }

    /// The number divided, without what is left.
    pub(crate) fn divided(&self, divisor: u64) -> Self {
        let mut quotient = self.clone();
        let mut rest = 0;
        for limb in quotient.limbs.iter_mut().rev() {
            let part = (rest << 64) | u128::from(*limb);
            *limb = (part / u128::from(divisor)) as u64;
            rest = part % u128::from(divisor);
        }
        quotient.trim();
        quotient
    }

    /// The product of two.
    pub(crate) fn product(&self, other: &Self) -> Self {
        let mut product = Self::default();
        for (place, &limb) in other.limbs.iter().enumerate() {
            let mut shifted = self.clone();
            shifted.times(limb);
            shifted.limbs.splice(..0, std::iter::repeat_n(0, place));
            shifted.trim();
            product.add(&shifted);
        }
        product
    }

    fn trim(&mut self) {
        while self.limbs.last() == Some(&0) {
            self.limbs.pop();
        }
    }
}

impl PartialOrd for Wide {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Wide {
    fn cmp(&self, other: &Self) -> Ordering {
        self.limbs.len().cmp(&other.limbs.len()).then_with(|| self.limbs.iter().rev().cmp(other.limbs.iter().rev()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn wide(number: u128) -> Wide {
        let mut wide = Wide { limbs: vec![number as u64, (number >> 64) as u64] };
        wide.trim();
        wide
    }

    proptest! {
        #[test]
        fn it_calculates_as_128_bits_do(a in 0_u128..1 << 100, b in 0_u128..1 << 100, f in 0_u64..1 << 27, d in 1_u64..) {
            let mut sum = wide(a);
            sum.add(&wide(b));
            prop_assert_eq!(sum, wide(a + b));
            let mut product = wide(a);
            product.times(f);
            prop_assert_eq!(product.clone(), wide(a * u128::from(f)));
            prop_assert_eq!(wide(a).product(&Wide::from(f)), product);
            prop_assert_eq!(wide(a).remainder(d), (a % u128::from(d)) as u64);
            prop_assert_eq!(wide(a).divided(d), wide(a / u128::from(d)));
            prop_assert_eq!(wide(a).cmp(&wide(b)), a.cmp(&b));
        }

        #[test]
        fn large_products_divide_back(numbers in proptest::collection::vec(1_u64.., 1..9)) {
            let mut product = Wide::from(1);
            numbers.iter().for_each(|&number| product.times(number));
            let (head, tail) = numbers.split_at(numbers.len() / 2);
            let [head, tail] = [head, tail].map(|part| {
                part.iter().fold(Wide::from(1), |mut all, &number| {
                    all.times(number);
                    all
                })
            });
            prop_assert_eq!(head.product(&tail), product.clone());
            for &number in &numbers {
                prop_assert_eq!(product.remainder(number), 0);
                product = product.divided(number);
            }
            prop_assert_eq!(product, Wide::from(1));
        }
    }
}
