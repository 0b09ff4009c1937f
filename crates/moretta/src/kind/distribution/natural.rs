//! Whole numbers of any size: as much of them as an exact comparison of probabilities needs.

/// A whole number from 0 up, in limbs of 64 bits, the lowest first, without zeros at the top.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Natural {
    limbs: Vec<u64>,
}

impl From<u128> for Natural {
    fn from(value: u128) -> Self {
        let mut number = Self { limbs: vec![value as u64, (value >> 64) as u64] };
        number.trim();
        number
    }
}

impl Natural {
    pub(crate) fn is_zero(&self) -> bool {
        self.limbs.is_empty()
    }

    /// How many bits it takes, rounded up to whole limbs.
    pub(crate) fn bits(&self) -> usize {
        64 * self.limbs.len()
    }

    pub(crate) fn add(&mut self, other: &Self) {
        if self.limbs.len() < other.limbs.len() {
            self.limbs.resize(other.limbs.len(), 0);
        }
        let mut carry = false;
        for (place, limb) in self.limbs.iter_mut().enumerate() {
            let (sum, first) = limb.overflowing_add(other.limbs.get(place).copied().unwrap_or(0));
            let (sum, second) = sum.overflowing_add(carry.into());
            (*limb, carry) = (sum, first || second);
        }
        if carry {
            self.limbs.push(1);
        }
    }

    #[must_use]
    pub(crate) fn times(&self, factor: u64) -> Self {
        let mut carry = 0;
        let mut limbs: Vec<u64> = Vec::with_capacity(self.limbs.len() + 1);
        for &limb in &self.limbs {
            let product = u128::from(limb) * u128::from(factor) + carry;
            limbs.push(product as u64);
            carry = product >> 64;
        }
        limbs.push(carry as u64);
        let mut product = Self { limbs };
        product.trim();
        product
    }

    /// The product with a number of up to 128 bits.
    #[must_use]
    pub(crate) fn times_wide(&self, factor: u128) -> Self {
        let mut high = self.times((factor >> 64) as u64);
        if !high.is_zero() {
            high.limbs.insert(0, 0);
        }
        high.add(&self.times(factor as u64));
        high
    }

    fn trim(&mut self) {
        while self.limbs.last() == Some(&0) {
            self.limbs.pop();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn small_numbers_count_as_usual(a in any::<u64>(), b in any::<u64>(), c in any::<u32>()) {
            let (wide_a, wide_b) = (u128::from(a), u128::from(b));
            prop_assert_eq!(Natural::from(wide_a).times(b), Natural::from(wide_a * wide_b));
            let mut sum = Natural::from(wide_a << 60);
            sum.add(&Natural::from(wide_b));
            prop_assert_eq!(sum, Natural::from((wide_a << 60) + wide_b));
            prop_assert_eq!(Natural::from(u128::from(c)).times_wide(wide_a << 32), Natural::from(u128::from(c) * (wide_a << 32)));
        }
    }

    #[test]
    fn carries_run_to_the_top() {
        let mut most = Natural::from(u128::MAX);
        most.add(&Natural::from(1));
        assert_eq!(most, Natural { limbs: vec![0, 0, 1] });
        assert_eq!(Natural::from(u128::MAX).times_wide(u128::MAX).limbs, [1, 0, u64::MAX - 1, u64::MAX]);
        assert!(Natural::from(0).is_zero() && Natural::from(7).times(0).is_zero());
        assert_eq!(Natural::from(1 << 64).bits(), 128);
    }
}
